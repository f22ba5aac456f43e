"""The two ends of a change: names a person uses, resolved to commits of their repository."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.errors import RepositoryError
from moot.git.base import FORMAT, PATTERNS, Refs, candidates, parse_refs, short
from moot.git.repository import Repository
from moot.git.run import Git
from moot.git.target import Range, Revision, Target, check_name

_HEAD_NAMES = ("HEAD", "@")


@dataclass(frozen=True, slots=True)
class Ends:
    """Where a change begins and ends.

    Args:
        base, tip: commit ids. No `tip`: HEAD has no commit yet. No `base`: nothing to compare with was found, or
            there is no tip.
        base_name, tip_name: what a person calls them.
        branch: the local branch at the tip, in short; None for any other commit.
        tree: the tip's tree.
        base_is_tip: whether the base is the very branch the tip is on, so that only uncommitted work differs.
    """

    base: str | None
    base_name: str
    tip: str | None
    tip_name: str
    branch: str | None
    tree: str | None
    base_is_tip: bool = False


async def find_ends(git: Git, repository: Repository, target: Target, base: str | None) -> Ends:
    """Resolve what `target` names, and the base: `base`, else the target's own, else the best candidate.

    Raises:
        RepositoryError: a name is not a commit of the repository.
        UsageError: `base` cannot be a revision.
    """
    refs = parse_refs(await git(repository.place, "for-each-ref", f"--format={FORMAT}", *PATTERNS))
    tip_name = target.head if isinstance(target, Range) else target.name if isinstance(target, Revision) else "HEAD"
    branch = refs.current if tip_name in _HEAD_NAMES else _local_branch(refs, tip_name)
    named = base or (target.base if isinstance(target, Range) else None)
    tries = (_full_name(refs, check_name(named)),) if named else candidates(refs, branch)
    tip_ref = _full_name(refs, tip_name)
    asked = (f"{tip_ref}^{{commit}}", f"{tip_ref}^{{tree}}", *(f"{name}^{{commit}}" for name in tries))
    tip, tree, *bases = await _resolve(git, repository, asked)
    if tip is None:
        branch = await _unborn_branch(git, repository) if tip_name in _HEAD_NAMES else None
        if branch is None:
            raise await _unknown(git, repository, tip_name)
    if named and bases[0] is None:
        raise await _unknown(git, repository, named)
    shown = branch or (tip[:12] if tip and tip_name in _HEAD_NAMES else tip_name)
    for name, oid in zip(tries, bases, strict=True):
        if oid is not None:
            own = not named and branch is not None and name == f"refs/heads/{branch}"
            return Ends(oid, named or short(name), tip, shown, branch, tree, base_is_tip=own)
    return Ends(None, "", tip, shown, branch, tree)


def _local_branch(refs: Refs, name: str) -> str | None:
    for prefix in ("refs/heads/", "heads/"):
        name = name.removeprefix(prefix)
    return name if name in refs.branches else None


def _full_name(refs: Refs, name: str) -> str:
    """Return what to ask git for: where a branch and a tag have the same name, people mean the branch."""
    branch = _local_branch(refs, name)
    return name if branch is None else f"refs/heads/{branch}"


async def _resolve(git: Git, repository: Repository, expressions: Sequence[str]) -> list[str | None]:
    """Return the id of the object each expression names, None where there is none."""
    lines = "".join(f"{line}\n" for line in expressions).encode("utf-8", "surrogateescape")
    printed = await git(repository.place, "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=lines)
    answers = (line.rpartition(" ") for line in printed.decode("utf-8", "surrogateescape").split("\n")[:-1])
    return [oid if kind in ("commit", "tree") else None for oid, _, kind in answers]


async def _unborn_branch(git: Git, repository: Repository) -> str | None:
    """Return the branch HEAD is on although it has no commit yet; None when HEAD is something broken."""
    done = await git.run(repository.place, "symbolic-ref", "--quiet", "HEAD")
    return short(done.out.decode("utf-8", "surrogateescape").strip()) if done.ok else None


async def _unknown(git: Git, repository: Repository, name: str) -> RepositoryError:
    printed = await git(
        repository.place, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags"
    )
    known = [short(line) for line in printed.decode("utf-8", "replace").split("\n")[:-1]]
    near = [ref for ref in known if ref.endswith(f"/{name}")] or difflib.get_close_matches(name, known, 1)
    step = f"did you mean {near[0]!r}?" if near else "git branch --all lists what there is"
    return RepositoryError(f"unknown revision {name!r}", where=str(repository.root), next_step=step)
