"""What is to be done about each path of a work tree that is changed or untracked. Looks at files, opens none."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from pathlib import Path

from moot.git.index import Differing


class Kind(Enum):
    """What stands at a path."""

    FILE = auto()
    LINK = auto()
    DIRECTORY = auto()
    OTHER = auto()
    MISSING = auto()


_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFLNK: Kind.LINK, stat.S_IFDIR: Kind.DIRECTORY}


class Files:
    """The files below a directory, by their raw path. No symbolic link is followed, not even on the way to a path."""

    def __init__(self, top: Path) -> None:
        self._top = os.fsencode(top)
        self._directories: set[bytes] = {b""}

    def path(self, path: bytes) -> Path:
        return Path(os.fsdecode(os.path.join(self._top, path)))

    def look(self, path: bytes) -> tuple[Kind, os.stat_result | None]:
        """Return what stands at the path, and its stat unless it is missing."""
        if not self._reachable(os.path.dirname(path)):
            return Kind.MISSING, None
        try:
            found = os.lstat(os.path.join(self._top, path))
        except (FileNotFoundError, NotADirectoryError):
            return Kind.MISSING, None
        return _KINDS.get(stat.S_IFMT(found.st_mode), Kind.OTHER), found

    def readable(self, path: bytes) -> bool:
        return os.access(os.path.join(self._top, path), os.R_OK)

    def _reachable(self, folder: bytes) -> bool:
        if folder in self._directories:
            return True
        if not self._reachable(os.path.dirname(folder)):
            return False
        try:
            real = stat.S_ISDIR(os.lstat(os.path.join(self._top, folder)).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        if real:
            self._directories.add(folder)
        return real


@dataclass(slots=True)
class Sorted:
    """The paths, sorted.

    Args:
        content: to be taken as they are now.
        gone: to be removed from the tree.
        nested: untracked repositories, left out.
        special: of `gone`, those where something stands that git cannot track.
        too_large, unreadable: left as the index has them.
    """

    content: list[bytes] = field(default_factory=list)
    gone: list[bytes] = field(default_factory=list)
    nested: list[bytes] = field(default_factory=list)
    special: list[bytes] = field(default_factory=list)
    too_large: list[bytes] = field(default_factory=list)
    unreadable: list[bytes] = field(default_factory=list)

    def without(self, paths: Container[bytes]) -> Sorted:
        """The same, less what is dealt with otherwise."""
        return replace(
            self,
            content=[path for path in self.content if path not in paths],
            too_large=[path for path in self.too_large if path not in paths],
        )


def sort(
    files: Files,
    changed: Iterable[Differing],
    untracked: Iterable[bytes],
    submodules: Container[bytes],
    max_bytes: int,
) -> Sorted:
    """Sort what differs from the index.

    Args:
        files: the work tree's.
        changed: tracked paths.
        untracked: the others; git ends the name of a nested repository with a slash.
        submodules: paths the index has as submodules.
        max_bytes: the size of the largest file to take.
    """
    out = Sorted()
    for d in changed:
        if d.status == "D":
            out.gone.append(d.path)
        else:
            _place(out, files, d.path, d.path in submodules, max_bytes)
    for path in untracked:
        if path.endswith(b"/"):
            out.nested.append(path.rstrip(b"/"))
        else:
            _place(out, files, path, False, max_bytes)
    return out


def _place(out: Sorted, files: Files, path: bytes, submodule: bool, max_bytes: int) -> None:
    kind, found = files.look(path)
    if kind is Kind.LINK or (kind is Kind.DIRECTORY and submodule):
        out.content.append(path)
    elif kind is Kind.FILE and found is not None:
        if found.st_size > max_bytes:
            out.too_large.append(path)
        elif not files.readable(path):
            out.unreadable.append(path)
        else:
            out.content.append(path)
    else:
        out.gone.append(path)
        if kind is Kind.OTHER:
            out.special.append(path)
