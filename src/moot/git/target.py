"""What the person asked to have looked at, read from what they typed. Pure: no repository is consulted."""

from __future__ import annotations

from dataclasses import dataclass

from moot.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class WorkTree:
    """This branch against its base, and the staged, unstaged and untracked work on top of it."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A branch, or anything else that names a commit, against its base."""

    name: str


@dataclass(frozen=True, slots=True)
class Range:
    """`A..B` or `A...B`: what B has that A has not, from their merge base. An end left out is HEAD."""

    base: str
    head: str
    dots: str


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch, applied to a base. `name` is what to call it: the file's name, or `-`."""

    name: str
    data: bytes


Target = WorkTree | Revision | Range | Patch


def parse_target(text: str | None) -> Target:
    """Read a TARGET argument; None or nothing is the work tree.

    Raises:
        UsageError: it could be taken for an option, or cannot name a commit.
    """
    if text is None or not text.strip():
        return WorkTree()
    dots = "..." if "..." in text else ".."
    base, found, head = text.partition(dots)
    if not found:
        return Revision(check_name(text))
    return Range(check_name(base or "HEAD"), check_name(head or "HEAD"), dots)


def check_name(name: str) -> str:
    """Return `name` if git can be asked for it.

    Raises:
        UsageError: it starts with `-`, which git would take for an option, or holds `..` or control characters.
    """
    if name.startswith("-"):
        raise UsageError("a revision cannot start with '-'", where=repr(name))
    if ".." in name or any(c < " " or c == "\x7f" for c in name):
        raise UsageError("not a revision", where=repr(name), next_step="name a branch, a commit or A..B")
    return name
