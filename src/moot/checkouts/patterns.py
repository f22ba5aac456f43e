"""Which files of a commit stand in a checkout: not those a seat must not obey, nor those nobody reads. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


class Hide:
    """Paths that are never checked out where a reading seat sits.

    Args:
        patterns: as in .gitignore, at any depth unless they begin with a slash; each also hides what is below it.
            `*`, `?`, `[…]` and `**` work as there, negation does not.
        ignore_case: whether the file system takes `agents.md` for `AGENTS.md`.
    """

    def __init__(self, patterns: Sequence[str], *, ignore_case: bool = False) -> None:
        globs = [p for p in map(str.strip, patterns) if p]
        top = [_glob(p.strip("/")) for p in globs if p.startswith("/")]
        deep = [_glob(p.strip("/")) for p in globs if not p.startswith("/")]
        # A start is tried once for all its patterns, not once for each: tens of thousands of paths go through here.
        starts = ((r"\A", top), (r"(?:\A|/)", deep))
        parts = [f"{start}(?:{'|'.join(below)})(?:/|\\Z)" for start, below in starts if below]
        flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
        self._search = re.compile("|".join(parts).encode(), flags).search if parts else None

    def matches(self, path: bytes) -> bool:
        return self._search is not None and self._search(path) is not None


def _glob(pattern: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        closing = pattern.find("]", at + 2) if char == "[" else -1
        if pattern.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("/**", at) and at + 3 == len(pattern):
            out.append("/.*")
            at += 3
        elif char == "*":
            out.append("[^/]*")
            at += 1
        elif char == "?":
            out.append("[^/]")
            at += 1
        elif closing > 0:
            inner = pattern[at + 1 : closing]
            negated = inner.startswith(("!", "^"))
            chosen = (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"(?!/)[{'^' if negated else ''}{chosen}]")
            at = closing + 1
        elif char == "\\" and at + 1 < len(pattern):
            out.append(re.escape(pattern[at + 1]))
            at += 2
        else:
            out.append(re.escape(char))
            at += 1
    return "".join(out)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a tree, in the terms of git's cone mode.

    Args:
        folders: directories whose own files are in, without those of directories below. The top level always is.
        whole: directories that are in with everything below; the empty name is the whole tree.
    """

    folders: frozenset[bytes] = frozenset()
    whole: frozenset[bytes] = frozenset()

    def holds(self, path: bytes) -> bool:
        folder = path.rpartition(b"/")[0]
        if folder in self.folders or not folder:
            return True
        return bool(self.whole) and any(w == b"" or folder == w or folder.startswith(w + b"/") for w in self.whole)

    def patterns(self) -> bytes:
        """The text of a sparse-checkout file (https://git-scm.com/docs/git-sparse-checkout#_internalscone_mode_handling)."""
        if b"" in self.whole:
            return b"/*\n"
        lines = [b"/*\n", b"!/*/\n"]
        for folder in sorted(self.folders | self.whole):
            name = b"/" + re.sub(rb"[\\*?\[]", rb"\\\g<0>", folder) + b"/"
            lines.append(name + b"\n" if folder in self.whole else name + b"\n!" + name + b"*/\n")
        return b"".join(lines)


WHOLE = Part(whole=frozenset({b""}))


def around(paths: Sequence[bytes]) -> Part:
    """Return the part of a tree that holds the paths: their directories, and the files of the directories above.

    A line feed cannot stand in a pattern: of a directory with one in its name, everything below the nearest
    directory without is in.
    """
    folders: set[bytes] = set()
    whole: set[bytes] = set()
    for path in paths:
        parts = path.split(b"/")[:-1]
        clean = next((i for i, part in enumerate(parts) if b"\n" in part), len(parts))
        folders.update(b"/".join(parts[: i + 1]) for i in range(clean))
        if clean < len(parts):
            whole.add(b"/".join(parts[:clean]))
    return Part(frozenset(folders - whole), frozenset(whole))
