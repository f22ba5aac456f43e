"""Where the files of a configuration are read from: a person's disk, or a repository at its base commit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_MAX_FILE_BYTES = 1024 * 1024


class Shelf(Protocol):
    """Where files are read from: the disk, or a commit."""

    def beside(self, including: str, written: str) -> str:
        """Return the name of the file that the file `including` calls `written`; ValueError when it may not."""
        ...

    def has(self, name: str) -> bool:
        """Return whether there is such a file."""
        ...

    def read(self, name: str) -> bytes:
        """Return the file's bytes; ValueError with a message for a person when that is impossible."""
        ...


@dataclass(frozen=True, slots=True)
class Disk:
    """A person's files. `home` is what `~` stands for."""

    home: Path

    def beside(self, including: str, written: str) -> str:
        if written == "~" or written.startswith("~/"):
            written = f"{self.home}{written[1:]}"
        return os.path.abspath(os.path.join(os.path.dirname(including), written))

    def has(self, name: str) -> bool:
        return os.path.isfile(name)

    def read(self, name: str) -> bytes:
        try:
            with open(name, "rb") as file:
                return _limited(file.read(_MAX_FILE_BYTES + 1))
        except FileNotFoundError:
            raise ValueError(f'there is no file "{name}"') from None
        except OSError as error:
            raise ValueError(f'"{name}" cannot be read: {(error.strerror or str(error)).lower()}') from None


@dataclass(frozen=True, slots=True)
class Commit:
    """A repository's files at the base commit. `at_base` returns a path's bytes, None when it is not there."""

    at_base: Callable[[str], bytes | None]

    def beside(self, including: str, written: str) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(including), written))
        if written.startswith(("/", "~")) or path.startswith("../") or path == "..":
            raise ValueError(f'"{written}" lies outside the repository')
        return path

    def has(self, name: str) -> bool:
        return self.at_base(name) is not None

    def read(self, name: str) -> bytes:
        data = self.at_base(name)
        if data is None:
            raise ValueError(f'there is no file "{name}" at the base commit')
        return _limited(data)


def _limited(data: bytes) -> bytes:
    if len(data) > _MAX_FILE_BYTES:
        raise ValueError("the file is larger than 1 MB")
    return data
