from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from git_support import Repo, new_repo, person_environment, run

from moot.core.change import Change, FrozenDiff
from moot.git.change import freeze
from moot.git.diff import read_diff
from moot.git.run import Git
from moot.git.snapshot import Bounds
from moot.git.target import Target, WorkTree
from moot.process.local import LocalProcess


@pytest.fixture
def person_home(tmp_path: Path) -> Path:
    home = tmp_path / "person"
    home.mkdir()
    return home


@pytest.fixture
def moot_home(tmp_path: Path) -> Path:
    return tmp_path / "moot"


@pytest.fixture
def git(person_home: Path) -> Git:
    return Git(LocalProcess(), person_environment(person_home))


@pytest.fixture
def repo(tmp_path: Path, person_home: Path) -> Repo:
    """A repository with one commit on main."""
    repo = new_repo(tmp_path / "work", person_home)
    repo.commit("first", **{"a.txt": "one\n", "b.txt": "two\n"})
    return repo


@pytest.fixture
def froze(git: Git, moot_home: Path) -> Callable[..., tuple[Change, FrozenDiff]]:
    """Freeze and read: what `moot review` looks at."""

    def froze(
        repo: Repo, target: Target | None = None, base: str | None = None, bounds: Bounds | None = None
    ) -> tuple[Change, FrozenDiff]:
        async def both() -> tuple[Change, FrozenDiff]:
            change = await freeze(git, repo.path, target or WorkTree(), moot_home, base=base, bounds=bounds)
            return change, await read_diff(git, change)

        return run(both())

    return froze
