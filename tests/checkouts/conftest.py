from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "git"))

from git_support import Repo, new_repo, person_environment, run

from moot.checkouts.worktrees import Worktrees
from moot.git.run import Git
from moot.git.store import Store, open_store
from moot.process.local import LocalProcess


@pytest.fixture
def person_home(tmp_path: Path) -> Path:
    return tmp_path / "person"


@pytest.fixture
def git(person_home: Path) -> Git:
    return Git(LocalProcess(), person_environment(person_home))


@pytest.fixture
def repo(tmp_path: Path, person_home: Path) -> Repo:
    """Two commits on main: a few directories, then an edit, a new file and a deletion."""
    repo = new_repo(tmp_path / "work", person_home)
    files = {"README.md": "r\n", "src/a.py": "a\n", "src/b.py": "b\n", "src/deep/c.py": "c\n", "docs/d.md": "d\n"}
    repo.commit("first", **files, **{".gitignore": "*.log\nbuild/\n"})
    repo.remove("src/b.py")
    repo.commit("second", **{"src/a.py": "changed\n", "src/new.py": "n\n"})
    return repo


@pytest.fixture
def store(repo: Repo, git: Git, tmp_path: Path) -> Store:
    return run(open_store(git, repo.path, tmp_path / "moot"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "checkouts"


@pytest.fixture
def worktrees(git: Git, root: Path) -> Worktrees:
    return Worktrees(git, root)
