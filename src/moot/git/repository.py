"""The person's repository: where its parts are and what its configuration says. Only ever read."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from moot.core.errors import RepositoryError
from moot.git.run import Git, Place, plain, trouble


@dataclass(frozen=True)
class Repository:
    """A repository of the person's.

    Args:
        top: the work tree's top level; None in a bare repository.
        git_dir: its own git directory, a linked worktree's private one included.
        common_dir: the directory all its worktrees share: objects, refs, configuration.
        object_format: `sha1` or `sha256`.
        shallow: whether history was cut off when it was cloned.
        settings: its configuration, the person's and the machine's included, last value wins. Sections and keys
            are lower case, the part between keeps its case, as git prints them. Data only: nothing named in it runs.
    """

    top: Path | None
    git_dir: Path
    common_dir: Path
    object_format: str
    shallow: bool
    settings: Mapping[str, str]

    @property
    def root(self) -> Path:
        """What a person calls the repository: its top level, or its directory when bare."""
        return self.top or self.git_dir

    @property
    def place(self) -> Place:
        """Where names and object ids are looked up. Not for commands that read a work tree, an index or contents."""
        return Place(self.root, git_dir=self.git_dir)

    @property
    def filters(self) -> frozenset[str]:
        """Names of the filters that are configured and so would change what is committed."""
        keys = (re.fullmatch(r"filter\.(.*)\.(?:clean|process)", key, re.DOTALL) for key in self.settings)
        return frozenset(key[1] for key in keys if key)

    def is_set(self, key: str, default: bool = False) -> bool:
        """Return a key of the configuration as git reads a boolean."""
        value = self.settings.get(key)
        return default if value is None else value.lower() not in ("false", "no", "off", "0", "")

    @cached_property
    def id(self) -> str:
        """Name and a hash of the place: the same for all worktrees of a repository, and from run to run."""
        folder = self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.name.removesuffix(".git")).strip("-.")[:40] or "repository"
        seed = os.fsencode(self.common_dir) + b"\0" + self.object_format.encode()
        return f"{name}-{hashlib.sha256(seed).hexdigest()[:10]}"


async def locate(git: Git, path: Path) -> Repository:
    """Find the repository `path` is in.

    A bare repository is taken only where it is named itself, not found around `path`: a tree may carry one
    (https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository).

    Raises:
        RepositoryError: there is none, or git does not trust its owner, or its configuration claims a work tree
            in which it does not lie.
    """
    path, own_directory = _named(path)
    # Ownership is git's to judge, by the person's own safe.directory; nothing is started by these two calls.
    place = Place(path, git_dir=path if own_directory else None, person=True)
    # --show-toplevel comes last: without a work tree git fails there, after printing the rest.
    asked = ("--is-bare-repository", "--is-shallow-repository", "--show-object-format", "--absolute-git-dir")
    paths = ("--path-format=absolute", "--git-common-dir", "--show-toplevel")
    layout, config = await asyncio.gather(
        git.run(place, "rev-parse", *asked, *paths), git.run(place, "config", "--list", "-z")
    )
    found = os.fsdecode(layout.out).split("\n")[:-1]
    if len(found) < 5:
        if b"not a git repository" not in layout.err:
            raise trouble(layout, ("rev-parse",), place)
        raise RepositoryError("not a git repository", where=str(path), next_step="run moot in one, or name it with -C")
    bare, shallow = found[0] == "true", found[1] == "true"
    if own_directory and not bare:
        raise RepositoryError(
            "this is a repository's own directory, not its work tree", where=str(path), next_step="run moot beside it"
        )
    if not bare and len(found) < 6:
        raise trouble(layout, ("rev-parse",), place)
    if not config.ok:
        raise trouble(config, ("config",), place)
    top = None if bare else Path(found[5])
    return _checked(Repository(top, Path(found[3]), Path(found[4]), found[2], shallow, parse_settings(config.out)))


def _named(path: Path) -> tuple[Path, bool]:
    """Return the directory a person named, links resolved, and whether it is a repository's own."""
    path = path.resolve()
    if not path.is_dir():
        raise RepositoryError("no such directory", where=str(path))
    return path, all((path / part).exists() for part in ("HEAD", "objects", "refs"))


def _checked(found: Repository) -> Repository:
    """Refuse a `core.worktree` that makes some other directory, such as the person's home, this one's work tree."""
    if found.top is not None:
        pointed = follow(found.top / ".git")
        if pointed is None or not pointed.exists() or not pointed.samefile(found.git_dir):
            raise RepositoryError(
                f"its configuration names {plain(str(found.top))} as its work tree, which is not where it lies",
                where=str(found.git_dir),
                next_step=f"git --git-dir={shlex.quote(str(found.git_dir))} config --unset core.worktree",
            )
    return replace(found, common_dir=found.common_dir.resolve())


def follow(entry: Path) -> Path | None:
    """Return the git directory a `.git` entry stands for: itself, or what its one line names. None if neither."""
    if entry.is_dir():
        return entry
    if not entry.is_file():
        return None
    line = entry.read_bytes()[:4096]
    if not line.startswith(b"gitdir: "):
        return None
    return entry.parent / os.fsdecode(line.removeprefix(b"gitdir: ").rstrip(b"\r\n"))


def parse_settings(printed: bytes) -> dict[str, str]:
    """Read what `git config --list -z` prints. A key without a value is `true`, as for git."""
    settings: dict[str, str] = {}
    for record in printed.split(b"\0"):
        if record:
            key, line_feed, value = record.decode("utf-8", "surrogateescape").partition("\n")
            settings[key] = value if line_feed else "true"
    return settings
