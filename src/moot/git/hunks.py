"""Hunks from the text of a patch, driven by the counts in their headers.

A line's first character says nothing by itself: a removed `-- comment` looks like a file header, an added
`diff --git` like the next file. Only the counts of `@@ -a,b +c,d @@` say where a hunk ends
(https://git-scm.com/docs/diff-format#generate_patch_text_with_p).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from moot.core.change import Hunk, Line, LineKind
from moot.core.errors import RepositoryError

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)
_INDEX = re.compile(r"index ([0-9a-f]+)\.\.([0-9a-f]+)")

_CONTEXT, _ADDED, _REMOVED = LineKind.CONTEXT, LineKind.ADDED, LineKind.REMOVED


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one `diff --git` line. The object ids are None where git printed none: equal content."""

    old_oid: str | None
    new_oid: str | None
    binary: bool
    hunks: tuple[Hunk, ...]


class Patch:
    """A patch read from top to bottom."""

    def __init__(self, patch: bytes) -> None:
        # Lines end at line feeds only; the other characters that separate lines for Python may stand in one.
        self._lines = patch.decode("utf-8", "replace").split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        self._at = 0

    @property
    def finished(self) -> bool:
        return self._at == len(self._lines)

    def section(self) -> Section:
        """Read the next section.

        Raises:
            RepositoryError: it is not the text of a patch.
        """
        if self.finished or not self._lines[self._at].startswith("diff --git "):
            raise self._error("a file header was expected", self._at)
        self._at += 1
        old_oid: str | None = None
        new_oid: str | None = None
        binary = False
        # In the extended header every line begins with git's own words: paths in it are quoted, contents come later.
        while not self.finished and not self._lines[self._at].startswith(("@@ ", "diff --git ")):
            line = self._lines[self._at]
            if found := _INDEX.match(line):
                old_oid, new_oid = found[1], found[2]
            binary = binary or line.startswith("Binary files ")
            self._at += 1
        hunks: list[Hunk] = []
        while not self.finished and self._lines[self._at].startswith("@@ "):
            hunks.append(self._hunk())
        return Section(old_oid, new_oid, binary, tuple(hunks))

    def _hunk(self) -> Hunk:
        lines, at = self._lines, self._at
        header = _HEADER.fullmatch(lines[at])
        if header is None:
            raise self._error("a hunk header was expected", at)
        old_start, new_start = int(header[1]), int(header[3])
        old_count = 1 if header[2] is None else int(header[2])
        new_count = 1 if header[4] is None else int(header[4])
        old, new, old_end, new_end = old_start, new_start, old_start + old_count, new_start + new_count
        body: list[Line] = []
        at += 1
        while at < len(lines):
            line = lines[at]
            mark = line[:1]
            if mark == "\\" and body:
                body[-1] = replace(body[-1], newline=False)
            elif old == old_end and new == new_end:
                break
            elif mark == "+":
                body.append(Line(_ADDED, None, new, line[1:]))
                new += 1
            elif mark == "-":
                body.append(Line(_REMOVED, old, None, line[1:]))
                old += 1
            elif mark in (" ", ""):
                body.append(Line(_CONTEXT, old, new, line[1:]))
                old += 1
                new += 1
            else:
                raise self._error("a line of a hunk was expected", at)
            if old > old_end or new > new_end:
                raise self._error("a hunk holds more lines than it says", at)
            at += 1
        if old < old_end or new < new_end:
            raise self._error("it ends in the middle of a hunk", at)
        self._at = at
        return Hunk(old_start, old_count, new_start, new_count, header[5], tuple(body))

    def _error(self, what: str, at: int) -> RepositoryError:
        return RepositoryError(f"the patch cannot be read: {what}", where=f"line {at + 1}")
