"""Checkouts of frozen commits for seats to sit in: linked worktrees of moot's store, never of the person's repository.

A checkout has a holder, keeps its path while the holder has it, and may be asked for any number of times: it is
adopted as it is, moved to another commit, or, when it was left half-made, built again. Its administrative files are
written here, without `git worktree`, so that each state is known: a checkout without a record is not finished.

In a checkout symbolic links are plain files (`core.symlinks=false` in the store), no filter, hook or submodule is
active, and what would instruct or configure an agent is not there. Git is always told where it is by moot; the `.git`
file in a checkout is for the agent's own git, and is not read.

    ROOT/<name>            the checkouts
    ROOT/.moot/records     one file for each finished one
    ROOT/.moot/locks       one file for each that is being changed
    ROOT/.moot/young       what is being built
    ROOT/.moot/gone        what is being deleted
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from moot.checkouts import record as records
from moot.checkouts.locks import WAIT_S, locked
from moot.checkouts.patterns import WHOLE, Hide, around
from moot.checkouts.record import Record
from moot.checkouts.removal import delete, sweep, take_away
from moot.checkouts.worktree import Worktree, build
from moot.core.errors import BusyError, NotFoundError, RepositoryError
from moot.core.turns import Files
from moot.git.index import GITLINK
from moot.git.paths import readable
from moot.git.run import Git
from moot.git.store import Store
from moot.git.trees import listing

WHOLE_TREE_FILES = 20_000  # up to so many files, AUTO checks out everything


@dataclass(frozen=True, slots=True)
class Checkout:
    """A directory with a commit in it.

    Args:
        holder: who asked for it.
        sparse: whether only a part of the tree is there.
        hidden: paths of the commit that are not there so that no agent obeys them.
        total_files: how many files the whole commit has.
        git_dirs: what git needs to be seen beside the checkout, read-only even where a seat may write.
    """

    path: Path
    commit: str
    holder: str
    sparse: bool
    hidden: tuple[str, ...]
    total_files: int
    git_dirs: tuple[Path, ...]


class Worktrees:
    """The checkouts below one directory, which is moot's alone.

    Args:
        root: where they are. Agents read instruction files of the directories above them too: nothing else may
            stand there.
        whole_tree_files: the size up to which `Files.AUTO` checks out the whole tree.
    """

    def __init__(self, git: Git, root: Path, *, whole_tree_files: int = WHOLE_TREE_FILES) -> None:
        self._git = git
        self._root = root.absolute()
        self._own = self._root / ".moot"
        self._whole_tree_files = whole_tree_files
        self._listed: tuple[str, str, list[tuple[bytes, bytes]]] | None = None

    async def take(
        self,
        store: Store,
        commit: str,
        holder: str,
        files: Files = Files.AUTO,
        paths: Sequence[bytes] = (),
        hide: Sequence[str] = (),
        shared: bool = False,
    ) -> Checkout:
        """Return the holder's checkout, with `commit` in it.

        Args:
            store: whose commit it is.
            holder: a name that lasts as long as the checkout shall; with the same name comes the same path.
            files: how much of the tree.
            paths: what the change touches, for a part of the tree.
            hide: .gitignore patterns of what must not be there.
            shared: whether all holders of one group, the part of the name before its last slash, sit in one
                directory. They must want the same of it, and move to another commit together.

        Raises:
            RepositoryError: the commit is not in the store, or something that is not moot's stands in the root.
            BusyError: another process has been at this checkout for too long.
        """
        name = self._name(holder.rpartition("/")[0] or holder, files, *hide) if shared else self._name(holder)
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        async with locked(self._lock_file(name)):
            self._refuse_foreign(hide)
            wanted = await self._wanted(store, commit, holder, files, paths, hide)
            record = await self._bring(store, name, wanted)
        return Checkout(
            path=self._root / name,
            commit=commit,
            holder=holder,
            sparse=record.sparse,
            hidden=_names(record.hidden),
            total_files=record.total_files,
            git_dirs=(store.path, *store.borrowed, self._root / name / ".git"),
        )

    async def give_back(self, holder: str) -> None:
        """Let go of the holder's checkouts. One that nobody holds is deleted, in the background."""
        for name in self._recorded():
            await self._let_go(name, lambda h: h == holder)

    async def written(self, checkout: Checkout) -> tuple[str, ...]:
        """Return what a seat wrote although it was only to read: changed, untracked and ignored paths.

        `.git` stands for git's own files.

        Raises:
            NotFoundError: it was given back.
        """
        async with self._held(checkout) as (record, worktree):
            return _names(await worktree.written(record))

    async def undo(self, checkout: Checkout) -> None:
        """Make the checkout what it was when it was taken.

        Raises:
            NotFoundError: it was given back.
        """
        async with self._held(checkout) as (record, worktree):
            store = Store(Path(record.store))
            await self._refill(store, worktree, record)

    async def prune(self, keep: Iterable[str]) -> None:
        """Let go of every checkout for all holders not in `keep`, and delete what earlier processes left behind."""
        kept = frozenset(keep)
        for name in self._recorded():
            with suppress(BusyError):  # somebody is taking it
                await self._let_go(name, lambda h: h not in kept, wait_s=0)
        for name in self._unrecorded():
            with suppress(BusyError):
                async with locked(self._lock_file(name), wait_s=0):
                    if records.load(self._record_file(name)) is None:
                        take_away(self._root / name, self._own / "gone")
                        for young in self._young(name):
                            delete(young)
                        self._lock_file(name).unlink()
        sweep(self._own / "gone")

    async def _wanted(
        self, store: Store, commit: str, holder: str, files: Files, paths: Sequence[bytes], hide: Sequence[str]
    ) -> Record:
        if self._listed is None or self._listed[:2] != (str(store.path), commit):
            self._listed = (str(store.path), commit, await listing(self._git, store, commit))
        tree = self._listed[2]
        whole = files is Files.TREE or (files is Files.AUTO and len(tree) <= self._whole_tree_files)
        part = WHOLE if whole else around(paths)
        held = tree if whole else [(mode, path) for mode, path in tree if part.holds(path)]
        hidden = Hide(hide, ignore_case=store.ignores_case)
        return Record(
            store=str(store.path),
            commit=commit,
            part=os.fsdecode(part.patterns()),
            sparse=not whole,
            hide=tuple(hide),
            hidden=tuple(os.fsdecode(path) for mode, path in held if hidden.matches(path) and mode != _GITLINK),
            submodules=tuple(os.fsdecode(path) for mode, path in held if mode == _GITLINK),
            total_files=len(tree),
            holders=(holder,),
            admin="",
        )

    async def _bring(self, store: Store, name: str, wanted: Record) -> Record:
        """Make the checkout what is wanted, by the shortest way that is safe. Return its record."""
        known = records.load(self._record_file(name))
        # Git 2.39 stumbles over a sparse index whose patterns change, so another part is built anew.
        if known is None or (known.store, known.part) != (wanted.store, wanted.part):
            return await self._build(store, name, wanted)
        worktree = self._worktree(name, known)
        record = replace(wanted, admin=known.admin, holders=tuple(dict.fromkeys((*known.holders, *wanted.holders))))
        if not worktree.intact():
            return await self._build(store, name, record)
        if replace(known, holders=record.holders) != record:
            return await self._refill(store, worktree, record)
        await worktree.hide(record)
        if known != record:
            records.save(self._record_file(name), record)
        return record

    # While a checkout is changed there is no record of it, so that nobody adopts half of it.

    async def _build(self, store: Store, name: str, record: Record) -> Record:
        self._record_file(name).unlink(missing_ok=True)
        take_away(self._root / name, self._own / "gone")
        worktree = await build(self._git, store, self._root / name, self._own / "young", record)
        record = replace(record, admin=worktree.admin.name)
        records.save(self._record_file(name), record)
        return record

    async def _refill(self, store: Store, worktree: Worktree, record: Record) -> Record:
        name = worktree.path.name
        self._record_file(name).unlink(missing_ok=True)
        try:
            await worktree.fill(record)
        except RepositoryError:
            return await self._build(store, name, record)
        records.save(self._record_file(name), record)
        return record

    async def _let_go(self, name: str, leaves: Callable[[str], bool], wait_s: float = WAIT_S) -> None:
        if not self._has(name, leaves):
            return
        async with locked(self._lock_file(name), wait_s):
            record = records.load(self._record_file(name))
            if record is None:
                return
            staying = tuple(h for h in record.holders if not leaves(h))
            if staying:
                records.save(self._record_file(name), replace(record, holders=staying))
                return
            self._record_file(name).unlink()
            take_away(self._root / name, self._own / "gone")
            delete(self._worktree(name, record).admin)
            self._lock_file(name).unlink()

    def _has(self, name: str, which: Callable[[str], bool]) -> bool:
        record = records.load(self._record_file(name))
        return record is not None and any(map(which, record.holders))

    @asynccontextmanager
    async def _held(self, checkout: Checkout) -> AsyncIterator[tuple[Record, Worktree]]:
        name = checkout.path.name
        async with locked(self._lock_file(name)):
            record = records.load(self._record_file(name))
            if record is None or checkout.path != self._root / name or checkout.holder not in record.holders:
                raise NotFoundError("this checkout was given back", where=str(checkout.path))
            yield record, self._worktree(name, record)

    def _worktree(self, name: str, record: Record) -> Worktree:
        return Worktree(self._git, self._root / name, Path(record.store, "worktrees", record.admin))

    def _refuse_foreign(self, hide: Sequence[str]) -> None:
        """Agents read the directories above their own too, so nothing they would obey may stand in the root."""
        planted = Hide(hide)
        for name in self._present():
            if planted.matches(os.fsencode(name)):
                raise RepositoryError(
                    "agents would obey this file, and moot did not put it there",
                    where=str(self._root / name),
                    next_step="delete it",
                )

    def _name(self, *what: str) -> str:
        """A directory name for people, made unique by a hash."""
        start = re.sub(r"[^A-Za-z0-9_-]+", "-", what[0]).strip("-")[:48]
        return f"{start}-{hashlib.sha256(chr(0).join((str(self._root), *what)).encode()).hexdigest()[:8]}"

    def _present(self) -> list[str]:
        return [e.name for e in self._root.iterdir() if e != self._own] if self._root.is_dir() else []

    def _young(self, name: str) -> list[Path]:
        return list((self._own / "young").glob(f"{name}.*"))

    def _unrecorded(self) -> set[str]:
        """Names of what stands in the root or grows beside it without being finished, or without being ours."""
        begun = {e.name.partition(".")[0] for e in self._young("*")}
        return (begun | set(self._present())) - set(self._recorded())

    def _recorded(self) -> list[str]:
        folder = self._own / "records"
        return [e.stem for e in folder.glob("[!.]*.json")] if folder.is_dir() else []

    def _record_file(self, name: str) -> Path:
        return self._own / "records" / f"{name}.json"

    def _lock_file(self, name: str) -> Path:
        return self._own / "locks" / name


_GITLINK = GITLINK.encode()


def _names(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(readable(os.fsencode(path)) for path in paths)
