"""Freeze what a person asked for to object ids, before anyone looks at it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from pathlib import Path

from moot.core.change import Change, FrozenDiff, Source
from moot.core.errors import RepositoryError
from moot.git.ends import Ends, find_ends
from moot.git.repository import Repository, locate
from moot.git.run import Git, plain, trouble
from moot.git.scratch import scratch
from moot.git.snapshot import Bounds, Snapshot, snapshot
from moot.git.store import Store, prepare
from moot.git.target import Patch, Range, Revision, Target, WorkTree

MESSAGES = 20  # commits whose messages tell what a change is for
MESSAGE_CHARS = 16_000

_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "moot"), ("EMAIL", "moot@localhost"))
}


async def freeze(
    git: Git, repo: Path, target: Target, home: Path, *, base: str | None = None, bounds: Bounds | None = None
) -> Change:
    """Freeze `target`. Work that is in no commit goes into one of moot's own, in moot's store.

    The same repository in the same state gives the same ids, whenever and however often it is frozen.

    Args:
        repo: a directory in the repository, or a bare repository itself.
        home: moot's own directory; stores are kept below it.
        base: what the person named as the base; None chooses one (`git.base`).
        bounds: how much uncommitted work is taken.

    Raises:
        RepositoryError: no repository, an unknown revision, no common history, a patch that does not apply, or a
            work tree that cannot be taken whole.
        UsageError: `base` cannot be a revision.
    """
    repository = await locate(git, repo)
    store = prepare(repository, home)
    if isinstance(target, WorkTree) and repository.top is None:
        target = Revision("HEAD")
    freezing = _Freezing(git, repository, store)
    if isinstance(target, WorkTree):
        work = asyncio.ensure_future(snapshot(git, repository, store, home, bounds))
        try:
            return await freezing.work_tree(await freezing.past(target, base), work)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
    if isinstance(target, Patch):
        return await freezing.patch(target, base)
    return await freezing.commits(target, base)


def is_empty(diff: FrozenDiff) -> bool:
    """Whether there is nothing to look at."""
    return not diff.files


@dataclass(frozen=True, slots=True)
class _Past:
    """The commits of a change: its ends, where they part, and what the messages between say."""

    ends: Ends
    base: str
    base_name: str
    merge_base: str
    title: str = ""
    body: str = ""


class _Freezing:
    """What the kinds of target share while they are frozen."""

    def __init__(self, git: Git, repository: Repository, store: Store) -> None:
        self._git = git
        self._repository = repository
        self._store = store

    async def past(self, target: Target, named_base: str | None) -> _Past:
        """Find a change's commits. Without a base the tip is its own: nothing committed is looked at."""
        ends = await find_ends(self._git, self._repository, target, named_base)
        if ends.tip is None:
            if named_base is not None:
                raise self._error(f"{ends.tip_name} has no commit yet to compare with {named_base}", None)
            empty = await self._empty_commit()
            return _Past(ends, empty, "no commit yet", empty)
        if ends.base is None or ends.base_is_tip:
            return _Past(ends, ends.tip, ends.tip_name, ends.tip)
        merge_base = await self._merge_base(ends.base, ends.base_name, ends.tip, ends.tip_name)
        title, body = await self._messages(merge_base, ends.tip)
        return _Past(ends, ends.base, ends.base_name, merge_base, title, body)

    async def work_tree(self, past: _Past, snapshotting: Awaitable[Snapshot]) -> Change:
        work, ends = await snapshotting, past.ends
        head, notes = ends.tip, work.notes
        if head is None or work.tree != ends.tree:
            head = await self._commit(work.tree, ends.tip or past.base, "Work tree, frozen by moot")
        if ends.tip is not None and ends.base is None:
            notes = (*notes, "no branch to compare with was found, only uncommitted work is looked at (--base)")
        if head == ends.tip:
            name = ends.tip_name
        else:
            committed = past.merge_base != ends.tip and ends.tip is not None
            name = f"{ends.tip_name} + working tree" if committed else "working tree"
        change = self._change(Source.WORKTREE, past, head, name)
        return replace(change, notes=notes, head_tip=ends.tip if head != ends.tip else None)

    async def commits(self, target: Revision | Range, named_base: str | None) -> Change:
        past = await self.past(target, named_base)
        ends, notes = past.ends, tuple[str, ...]()
        if ends.tip is not None and ends.base is None:
            raise self._error(f"no branch to compare {ends.tip_name} with", "name one with --base REV")
        if isinstance(target, Range):
            if target.dots == ".." and past.merge_base not in (past.base, ends.tip):
                notes = (
                    f"{past.base_name} is not part of {ends.tip_name}, "
                    f"compared from their merge base {past.merge_base[:12]}",
                )
        elif past.merge_base == ends.tip and not ends.base_is_tip:
            notes = (f"{ends.tip_name} is part of {past.base_name}; a range names commits in it: A..B",)
        source = Source.RANGE if isinstance(target, Range) else Source.BRANCH
        return replace(self._change(source, past, ends.tip or past.base, ends.tip_name), notes=notes)

    async def patch(self, target: Patch, named_base: str | None) -> Change:
        """Apply a patch to the named base, else to HEAD."""
        name = "standard input" if target.name == "-" else Path(target.name).name
        ends = await find_ends(self._git, self._repository, Revision(named_base or "HEAD"), named_base)
        base, base_name = ends.tip or await self._empty_commit(), ends.tip_name if ends.tip else "no commit yet"
        head = base
        if target.data.strip():
            tree = await self._applied(base, base_name, name, target.data)
            head = await self._commit(tree, base, f"{plain(name)}, applied by moot")
        change = self._change(Source.PATCH, _Past(ends, base, base_name, base), head, name)
        subject = f"{self._repository.id}#patch/{change.head_name}"
        return replace(change, subject=subject, head_tip=base if head != base else None)

    async def _applied(self, base: str, base_name: str, name: str, data: bytes) -> str:
        with scratch(objects=self._store.objects, object_format=self._repository.object_format) as view:
            await self._git(view.place, "read-tree", base)
            done = await self._git.run(view.place, "apply", "--cached", "--whitespace=nowarn", "-", stdin=data)
            if not done.ok:
                said = [plain(line) for line in done.err.decode(errors="replace").splitlines() if line]
                reason = said[0].removeprefix("error: ").removeprefix("fatal: ") if said else "git apply refused it"
                raise RepositoryError(
                    f"the patch does not apply to {base_name}: {reason}",
                    where=name,
                    next_step="name the revision it was made against with --base REV",
                )
            return (await self._git(view.place, "write-tree", "--missing-ok")).decode().strip()

    def _change(self, source: Source, past: _Past, head: str, head_name: str) -> Change:
        return Change(
            repo=str(self._repository.root),
            store=str(self._store.path),
            base=past.base,
            head=head,
            merge_base=past.merge_base,
            base_name=plain(past.base_name),
            head_name=plain(head_name),
            source=source,
            subject=f"{self._repository.id}#{plain(past.ends.branch or past.ends.tip_name)}",
            title=past.title,
            body=past.body,
        )

    def _error(self, message: str, next_step: str | None) -> RepositoryError:
        return RepositoryError(message, where=str(self._repository.root), next_step=next_step)

    async def _merge_base(self, base: str, base_name: str, tip: str, tip_name: str) -> str:
        if base == tip:
            return base
        done = await self._git.run(self._repository.place, "merge-base", base, tip)
        if done.ok:
            return done.out.decode().split()[0]
        if done.code != 1:
            raise trouble(done, ("merge-base",), self._repository.place)
        missing = f"no merge base between {tip_name} and {base_name}"
        if self._repository.shallow:
            raise self._error(f"{missing} (shallow clone)", "git fetch --unshallow")
        raise self._error(f"{missing}: their histories are unrelated", "name another base with --base REV")

    async def _commit(self, tree: str, parent: str | None, message: str) -> str:
        """Make a commit of moot's own and keep it. Its time is its parent's, so that its id depends on content only."""
        place = self._store.place
        seconds = "0"
        if parent is not None:
            seconds = (await self._git(place, "rev-list", "--max-count=1", "--timestamp", parent)).decode().split()[0]
        dates = {"GIT_AUTHOR_DATE": f"@{seconds} +0000", "GIT_COMMITTER_DATE": f"@{seconds} +0000"}
        parents = () if parent is None else ("-p", parent)
        made = await self._git(place, "commit-tree", tree, *parents, "-m", message, env={**_IDENTITY, **dates})
        commit = made.decode().strip()
        await self._store.keep(self._git, commit)
        return commit

    async def _empty_commit(self) -> str:
        tree = (await self._git(self._store.place, "mktree", stdin=b"")).decode().strip()
        return await self._commit(tree, None, "Nothing, made by moot")

    async def _messages(self, merge_base: str, tip: str) -> tuple[str, str]:
        """Return what the commits say: the subject where there is only one, and all messages, the newest first."""
        if merge_base == tip:
            return "", ""
        log = ("log", f"--max-count={MESSAGES}", "--format=%B%x00", "--encoding=UTF-8", f"{merge_base}..{tip}", "--")
        printed = (await self._git(self._store.place, *log)).decode("utf-8", "replace")
        messages = [message.strip() for message in printed.split("\0") if message.strip()]
        title = messages[0].partition("\n")[0] if len(messages) == 1 else ""
        return title, "\n\n".join(messages)[:MESSAGE_CHARS]
