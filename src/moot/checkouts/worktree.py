"""One linked worktree of a store: its administrative files, its content, and what somebody else put there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from moot.checkouts.record import Record
from moot.checkouts.removal import delete
from moot.core.errors import RepositoryError
from moot.git.run import Git, Place
from moot.git.scratch import copy_index
from moot.git.store import Store


class Worktree:
    """A worktree at `path`.

    Its administrative directory is written as https://git-scm.com/docs/gitrepository-layout has it. Git gets it by
    name in every call, so that the `.git` file, which an agent may have replaced, leads moot nowhere.

    Args:
        admin: its administrative directory in the store.
        young: where its files are until they are moved to `path`.
    """

    def __init__(self, git: Git, path: Path, admin: Path, young: Path | None = None) -> None:
        self.path = path
        self.admin = admin
        self._git = git
        self._top = young or path
        self._place = Place(self._top, git_dir=admin, work_tree=self._top)
        self._admin_files = {
            admin / "commondir": b"../..\n",
            admin / "gitdir": os.fsencode(path / ".git") + b"\n",
        }
        self._pointer = {self._top / ".git": b"gitdir: " + os.fsencode(admin) + b"\n"}

    def intact(self) -> bool:
        """Whether the administrative files are moot's, and there is an index."""
        return not _differing({**self._admin_files, **self._pointer}) and (self.admin / "index").is_file()

    async def fill(self, record: Record) -> None:
        """Make the worktree hold what the record says and nothing else.

        Raises:
            RepositoryError: the commit is not in the store, or something in the worktree resists. A git that is
                still at work there, because whoever started it was killed, is one such thing.
        """
        self._lay_out(record)
        await self._clean(record)
        await self._git(self._place, "checkout", "--force", "--quiet", "--detach", record.commit)
        await self.hide(record)

    async def hide(self, record: Record) -> None:
        """Take the hidden files off the disk; git is told not to miss them."""
        if not self._shown(record):
            return
        paths = b"".join(os.fsencode(path) + b"\0" for path in record.hidden)
        await self._git(self._place, "update-index", "--skip-worktree", "-z", "--stdin", stdin=paths)
        for path in record.hidden:
            with suppress(FileNotFoundError, NotADirectoryError):
                (self._top / path).unlink()
            for folder in Path(path).parents[:-1]:
                with suppress(OSError):  # not empty, or gone already
                    (self._top / folder).rmdir()

    async def written(self, record: Record) -> list[str]:
        """Return what is not as `fill` left it: changed, untracked and ignored paths, `.git` for git's own files."""
        if _differing(self._admin_files):
            return [".git"]  # git would work on some other repository
        found = [".git"] if _differing(self._pointer) or self._head() != record.commit else []
        with tempfile.TemporaryDirectory(prefix="moot-index-") as folder:
            # A copy: the agent's own git may hold the lock.
            copy_index(self.admin, Path(folder))
            place = replace(self._place, index=Path(folder, "index"))
            await self._git.run(place, "update-index", "-q", "--refresh", "--ignore-submodules")
            # Against the commit, not HEAD; submodules are never entered, their directories are looked at below.
            changed = ("diff-index", "--name-only", "-z", "--ignore-submodules=all", record.commit)
            for listing in (changed, ("ls-files", "--others", "-z")):
                found += map(os.fsdecode, (await self._git(place, *listing)).split(b"\0")[:-1])
        found += (str(path.relative_to(self._top)) for path in _special(self._top))
        found += (path for path in record.submodules if any(_inside(self._top / path)))
        return list(dict.fromkeys((*found, *self._shown(record))))

    def _shown(self, record: Record) -> list[str]:
        return [path for path in record.hidden if os.path.lexists(self._top / path)]

    def _head(self) -> str:
        return (_content(self.admin / "HEAD") or b"").decode("ascii", "replace").strip()

    def _lay_out(self, record: Record) -> None:
        (self.admin / "info").mkdir(exist_ok=True)
        files = {
            **self._admin_files,
            **self._pointer,
            self.admin / "HEAD": record.commit.encode() + b"\n",
            self.admin / "info" / "sparse-checkout": os.fsencode(record.part),
        }
        for path, content in files.items():
            if _content(path) != content:
                _clear(path)
                path.write_bytes(content)

    async def _clean(self, record: Record) -> None:
        """Delete everything that is not of the commit git thinks is checked out. There is nothing in a young one."""
        if not (self.admin / "index").exists():
            return
        await self._git(self._place, "clean", "-ffdxq")
        for path in _special(self._top):
            path.unlink()
        for submodule in record.submodules:
            for path in _inside(self._top / submodule):
                _clear(path)


async def build(git: Git, store: Store, path: Path, nursery: Path, record: Record) -> Worktree:
    """Make a worktree at `path`, where nothing is. One at a time for each path.

    It grows in a directory of its own below `nursery`, on the same file system, and is moved into place when it is
    whole. So a git that outlived a killed moot still works on what that one began, and on nothing else.

    Raises:
        RepositoryError: the commit is not in the store.
    """
    nursery.mkdir(parents=True, exist_ok=True)
    admins, begun = store.path / "worktrees", f"{path.name}."
    for left in (*admins.glob(f"{begun}*"), *nursery.glob(f"{begun}*")):
        delete(left)
    admin, young = (Path(tempfile.mkdtemp(prefix=begun, dir=folder)) for folder in (admins, nursery))
    try:
        await Worktree(git, path, admin, young).fill(record)
    except RepositoryError:
        delete(admin)
        delete(young)
        raise
    young.rename(path)
    return Worktree(git, path, admin)


def _differing(files: Mapping[Path, bytes]) -> bool:
    return any(_content(path) != expected for path, expected in files.items())


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
    """Yield what is in a directory; a link or file in its place is the checkout's own matter."""
    yield from () if folder.is_symlink() or not folder.is_dir() else folder.iterdir()
