"""Which base a branch is compared with when none is named. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_USUAL = ("main", "master")


@dataclass(frozen=True, slots=True)
class Branch:
    """A local branch: the full name of its upstream, and of the remote that is at. Empty without one."""

    upstream: str = ""
    remote: str = ""


@dataclass(frozen=True, slots=True)
class Refs:
    """The refs that decide.

    Args:
        current: the branch that is checked out, in short; None when HEAD is detached or has no commit.
        branches: local branches by short name.
        defaults: each remote's default branch (`refs/remotes/origin/HEAD`), as the full name of the ref it points to.
        remotes: full names of remote-tracking branches that are called main or master.
    """

    current: str | None = None
    branches: Mapping[str, Branch] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    remotes: frozenset[str] = frozenset()


def candidates(refs: Refs, branch: str | None) -> tuple[str, ...]:
    """Return the full names of the refs `branch` may be compared with, the best first. They need not exist.

    Its upstream; its remote's default branch; main or master, the remote's before the local one. An upstream of the
    branch's own name is no base: it is where the branch is pushed to, and after a push nothing would be left to look
    at. The branch itself may be among them: then there is no other base before it.

    Args:
        branch: a local branch in short, or None for any other commit.
    """
    return tuple(dict.fromkeys(_candidates(refs, branch)))


def _candidates(refs: Refs, branch: str | None) -> Iterator[str]:
    known = refs.branches.get(branch or "", Branch())
    if known.upstream and not _same_name(known, branch or ""):
        yield known.upstream
    remote = known.remote or ("origin" if "origin" in refs.defaults else next(iter(refs.defaults), "origin"))
    if remote in refs.defaults:
        yield refs.defaults[remote]
    for name in _USUAL:
        if f"refs/remotes/{remote}/{name}" in refs.remotes:
            yield f"refs/remotes/{remote}/{name}"
    for name in _USUAL:
        if name in refs.branches:
            yield f"refs/heads/{name}"


def _same_name(known: Branch, branch: str) -> bool:
    return known.upstream == f"refs/remotes/{known.remote}/{branch}"


def short(ref: str) -> str:
    """Return a full ref name as people say it: `origin/main`, `topic`."""
    for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/", "refs/"):
        if ref.startswith(prefix):
            return ref.removeprefix(prefix)
    return ref


def parse_refs(printed: bytes) -> Refs:
    """Read what `git for-each-ref --format=FORMAT PATTERNS…` prints."""
    current: str | None = None
    branches: dict[str, Branch] = {}
    defaults: dict[str, str] = {}
    remotes: set[str] = set()
    for line in printed.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        mark, name, upstream, remote, target = line.split("\0")
        if name.startswith("refs/heads/"):
            branch = name.removeprefix("refs/heads/")
            branches[branch] = Branch(upstream, remote)
            current = branch if mark == "*" else current
        elif name.endswith("/HEAD"):
            if target:
                defaults[name.removeprefix("refs/remotes/").removesuffix("/HEAD")] = target
        else:
            remotes.add(name)
    return Refs(current, branches, defaults, frozenset(remotes))


FORMAT = "%(HEAD)%00%(refname)%00%(upstream)%00%(upstream:remotename)%00%(symref)"
PATTERNS = ("refs/heads", "refs/remotes/**/HEAD", *(f"refs/remotes/**/{name}" for name in _USUAL))
