"""A change: what is looked at, frozen to object ids before anyone looks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """Which version of a file a line is counted in."""

    LEFT = "LEFT"  # the base
    RIGHT = "RIGHT"  # the head


class Source(StrEnum):
    """Where a change came from."""

    WORKTREE = "worktree"  # a branch against its base plus staged, unstaged and untracked work
    BRANCH = "branch"
    RANGE = "range"
    PATCH = "patch"
    TREES = "trees"
    PULL = "pull"


class FileStatus(StrEnum):
    """What happened to a path."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPECHANGED = "typechanged"


class LineKind(StrEnum):
    """A diff line's first character."""

    CONTEXT = " "
    ADDED = "+"
    REMOVED = "-"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk. `old` and `new` are 1-based numbers on their side, None where the line is not there.

    `text` is decoded as UTF-8 with replacement, without its line feed; `newline` is False on a last line
    that ends without one.
    """

    kind: LineKind
    old: int | None
    new: int | None
    text: str
    newline: bool = True


@dataclass(frozen=True, slots=True)
class Hunk:
    """One `@@` section. `section` is git's function context, untrusted text like every line."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What happened to one path.

    `old_path` and `new_path` are readable text (bytes that are not UTF-8 appear as `\\xNN`); the raw bytes for
    git stand in `old_raw` and `new_raw`. An added file has no old side, a deleted one no new side. `added` and
    `removed` count lines, 0 for binary files. Object ids are full, None where the side does not exist.
    """

    status: FileStatus
    old_path: str | None
    new_path: str | None
    old_raw: bytes | None
    new_raw: bytes | None
    old_mode: str | None
    new_mode: str | None
    old_oid: str | None
    new_oid: str | None
    binary: bool
    submodule: bool
    added: int
    removed: int
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        """The path to call the file by: its head name, or its base name when it is gone."""
        path = self.new_path if self.new_path is not None else self.old_path
        assert path is not None
        return path


@dataclass(frozen=True, slots=True)
class Change:
    """A change, frozen.

    Args:
        repo: absolute path of the repository's top level (or of its git directory when bare).
        store: absolute path of moot's own bare repository that holds every object named here; the person's
            repository is only read.
        base, head, merge_base: full *commit* ids in `store`. The diff is merge_base..head. A work tree or a
            patch is frozen into a commit of moot's own.
        base_name, head_name: what a person calls them (`origin/main`, `topic`, `working tree`).
        source: where the change came from.
        subject: whose memory this belongs to, stable over time (`<repo>#<branch>`).
        title, body, issue: untrusted text, each may be empty.
        trusted: whether the author is the person who runs moot or somebody they trust.
        notes: what a person should know of the freezing (submodules and nested repositories left out, …).
        head_tip: the commit the head was made on top of, when moot made the head commit itself.
    """

    repo: str
    store: str
    base: str
    head: str
    merge_base: str
    base_name: str
    head_name: str
    source: Source
    subject: str
    title: str = ""
    body: str = ""
    issue: str = ""
    trusted: bool = True
    notes: tuple[str, ...] = ()
    head_tip: str | None = None

    @property
    def label(self) -> str:
        return f"{self.head_name} → {self.base_name}"


@dataclass(frozen=True, slots=True)
class FrozenDiff:
    """A change together with its parsed diff, in git's path order."""

    change: Change
    files: tuple[FileDiff, ...]

    def file(self, path: str) -> FileDiff | None:
        """The file called `path` on either side, head names first."""
        for f in self.files:
            if f.new_path == path:
                return f
        for f in self.files:
            if f.old_path == path:
                return f
        return None

    @property
    def added(self) -> int:
        return sum(f.added for f in self.files)

    @property
    def removed(self) -> int:
        return sum(f.removed for f in self.files)
