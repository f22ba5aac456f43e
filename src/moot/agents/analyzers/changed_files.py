"""The directory an analyzer works in: two trees of plain files and the list that pairs them.

    files.json   [{"head": path|null, "base": path|null, "status": str, "added": [line, …]}, …]
    head/        the changed files as they are after the change
    base/        the same files as they were before, under the names they had then

`added` are the 1-based lines of the head version that the change added.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from moot.agents.analyzers.diagnostic import ToolFailed
from moot.core.limits import MAX_FILE_BYTES

LIST_NAME = "files.json"

#: A line this long was not written by a person; tools choke on such files and nobody can act on what they say.
_MINIFIED_LINE_BYTES = 5_000


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One changed path: None on the side where it does not exist."""

    head: str | None
    base: str | None
    added: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Tree:
    """One side's files. Reads each file at most once."""

    root: Path
    _lines: dict[str, tuple[str, ...] | None] = field(default_factory=dict, compare=False)

    @cached_property
    def real_root(self) -> Path:
        return self.root.resolve()

    def lines(self, path: str) -> tuple[str, ...]:
        """Return the file's lines without line feeds; nothing where it is not readable text."""
        return self._read(path) or ()

    def line(self, path: str, number: int | None) -> str:
        """Return the line of that 1-based number, nothing where there is none."""
        lines = self.lines(path)
        return lines[number - 1] if number is not None and 0 < number <= len(lines) else ""

    def readable(self, path: str) -> bool:
        """Whether the file is regular, of a reviewable size, text, and not minified."""
        return self._read(path) is not None

    def _read(self, path: str) -> tuple[str, ...] | None:
        if path not in self._lines:
            self._lines[path] = _read_text(self.root / path)
        return self._lines[path]


def _read_text(file: Path) -> tuple[str, ...] | None:
    try:
        found = os.lstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_FILE_BYTES:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    if b"\0" in data or any(len(line) > _MINIFIED_LINE_BYTES for line in data.split(b"\n")):
        return None
    return tuple(data.decode("utf-8", "replace").split("\n"))


def read_list(directory: Path) -> tuple[ChangedFile, ...]:
    """Return the pairs that `files.json` in `directory` lists.

    Raises:
        ToolFailed: there is no such list, or it is not of the form above.
    """
    try:
        rows = json.loads((directory / LIST_NAME).read_bytes())
        if not isinstance(rows, list):
            raise TypeError("it is no list")
        return tuple(ChangedFile(row["head"], row["base"], frozenset(map(int, row.get("added", ())))) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolFailed(f"{LIST_NAME} cannot be read: {error}") from error
