"""One linked worktree of a store: its administrative files, its content, and what somebody else put there."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from moot.checkouts.record import Record
from moot.git.run import Git, Place
from moot.git.store import Store


class Worktree:
    """A worktree at `path`, whether or not it exists yet.

    Its administrative directory is written as https://git-scm.com/docs/gitrepository-layout has it. Git gets it by
    name in every call, so that the `.git` file, which an agent may have replaced, leads moot nowhere.
    """

    def __init__(self, git: Git, store: Store, path: Path) -> None:
        self.path = path
        self._git = git
        self._store = store
        digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
        self._admin = store.path / "worktrees" / f"{path.name}-{digest}"
        self._place = Place(path, git_dir=self._admin, work_tree=path)
        self._admin_files = {
            self._admin / "commondir": b"../..\n",
            self._admin / "gitdir": os.fsencode(path / ".git") + b"\n",
        }
        self._pointer = {path / ".git": b"gitdir: " + os.fsencode(self._admin) + b"\n"}

    def intact(self) -> bool:
        """Whether the administrative files are moot's, and there is an index."""
        return not self._differing({**self._admin_files, **self._pointer}) and (self._admin / "index").is_file()

    async def fill(self, record: Record) -> None:
        """Make the worktree hold what the record says and nothing else, whatever state it is in.

        Raises:
            RepositoryError: the commit is not in the store, or something in the worktree resists.
        """
        found = self.path.exists()
        if not found:
            self.forget()
        self._lay_out(record)
        if found:
            await self._git(self._place, "clean", "-ffdxq")
            for path in _special(self.path):
                path.unlink()
            for submodule in record.submodules:
                _empty(self.path / submodule)
        await self._git(self._place, "checkout", "--force", "--quiet", "--detach", record.commit)
        await self.hide(record)

    async def hide(self, record: Record) -> None:
        """Take the hidden files off the disk; git is told not to miss them."""
        if not record.hidden:
            return
        paths = b"".join(os.fsencode(path) + b"\0" for path in record.hidden)
        await self._git(self._place, "update-index", "--skip-worktree", "-z", "--stdin", stdin=paths)
        for path in record.hidden:
            with suppress(FileNotFoundError, NotADirectoryError):
                (self.path / path).unlink()
            for folder in Path(path).parents[:-1]:
                with suppress(OSError):  # not empty, or gone already
                    (self.path / folder).rmdir()

    async def hide_again(self, record: Record) -> None:
        """Hide what an agent brought back."""
        if self._shown(record):
            await self.hide(record)

    async def written(self, record: Record) -> list[str]:
        """Return what is not as `fill` left it: changed, untracked and ignored paths, `.git` for git's own files."""
        if self._differing(self._admin_files):
            return [".git"]  # git would work on some other repository
        found = [".git"] if self._differing(self._pointer) or self._head() != record.commit else []
        self._remove_locks()
        await self._git.run(self._place, "update-index", "-q", "--refresh", "--ignore-submodules")
        # Against the commit, not HEAD; submodules are never entered, their directories are looked at below.
        changed = ("diff-index", "--name-only", "-z", "--ignore-submodules=all", record.commit)
        for listing in (changed, ("ls-files", "--others", "-z")):
            found += map(os.fsdecode, (await self._git(self._place, *listing)).split(b"\0")[:-1])
        found += (str(path.relative_to(self.path)) for path in _special(self.path))
        found += (path for path in record.submodules if any(_inside(self.path / path)))
        return list(dict.fromkeys((*found, *self._shown(record))))

    def forget(self) -> None:
        """Delete the administrative files."""
        shutil.rmtree(self._admin, ignore_errors=True)

    def _differing(self, files: Mapping[Path, bytes]) -> bool:
        return any(_content(path) != expected for path, expected in files.items())

    def _shown(self, record: Record) -> list[str]:
        return [path for path in record.hidden if os.path.lexists(self.path / path)]

    def _head(self) -> str:
        return (_content(self._admin / "HEAD") or b"").decode("ascii", "replace").strip()

    def _remove_locks(self) -> None:
        """Remove what a killed git left: whoever works here holds moot's own lock."""
        for lock in self._admin.glob("*.lock"):
            lock.unlink()

    def _lay_out(self, record: Record) -> None:
        (self._admin / "info").mkdir(parents=True, exist_ok=True)
        self.path.mkdir(parents=True, exist_ok=True)
        self._remove_locks()
        files = {
            **self._admin_files,
            **self._pointer,
            self._admin / "HEAD": record.commit.encode() + b"\n",
            self._admin / "info" / "sparse-checkout": os.fsencode(record.part),
        }
        for path, content in files.items():
            if _content(path) != content:
                _clear(path)
                path.write_bytes(content)


def _content(path: Path) -> bytes | None:
    """Return what a regular file holds. Not through a link: an agent may have put one there."""
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _special(folder: Path) -> Iterator[Path]:
    """Yield pipes, sockets and devices, which git does not see."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _special(Path(entry.path))
            elif not entry.is_symlink() and not entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def _inside(folder: Path) -> Iterator[Path]:
    return iter([folder]) if not folder.is_dir() or folder.is_symlink() else folder.iterdir()


def _empty(folder: Path) -> None:
    entries: Iterable[Path] = () if folder.is_symlink() or not folder.is_dir() else folder.iterdir()
    for entry in entries:
        _clear(entry)
