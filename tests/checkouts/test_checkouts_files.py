from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_support import Link, Repo, run

from moot.checkouts.files import files_at
from moot.core.errors import RepositoryError
from moot.git.run import Git
from moot.git.store import Store


def test_only_the_named_regular_files_are_written_with_their_modes(
    repo: Repo, store: Store, git: Git, tmp_path: Path
) -> None:
    repo.write("run.sh", "#!/bin/sh\n", 0o755)
    repo.write("big", "x" * 101)
    repo.write("link", Link("/etc/passwd"))
    repo.write(b"caf\xe9\n", "odd\n")
    head = repo.commit()
    asked = [b"src/a.py", b"run.sh", b"big", b"link", b"caf\xe9\n", b"none", b"src"]
    into = tmp_path / "plain"
    written = run(files_at(git, store, head, asked, into, limit=100))
    assert set(written) == {b"src/a.py", b"run.sh", b"caf\xe9\n"}
    assert sorted(os.fsencode(p.relative_to(into)) for p in into.rglob("*") if p.is_file()) == sorted(written)
    assert (into / "src" / "a.py").read_text() == "changed\n"
    assert os.access(into / "run.sh", os.X_OK)
    assert not os.access(into / "src" / "a.py", os.X_OK)


def test_writing_again_at_another_commit_replaces_the_content(
    repo: Repo, store: Store, git: Git, tmp_path: Path
) -> None:
    for rev, text in (("HEAD", "changed\n"), ("HEAD~1", "a\n"), ("HEAD~1", "a\n")):
        run(files_at(git, store, repo.git("rev-parse", rev), [b"src/a.py"], tmp_path / "plain"))
        assert (tmp_path / "plain" / "src" / "a.py").read_text() == text


def test_names_that_would_leave_the_directory_are_not_written(
    repo: Repo, store: Store, git: Git, tmp_path: Path
) -> None:
    """Git's porcelain makes no such trees; an attacker's object may be one."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"evil\n")
    raw = b"".join(b"100644 %s\0" % name + bytes.fromhex(blob) for name in (b"..", b".git", b"fine"))
    inner = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    outer = repo.git(
        *("hash-object", "-w", "-t", "tree", "--literally", "--stdin"),
        stdin=b"40000 ..\0" + bytes.fromhex(inner) + b"40000 sub\0" + bytes.fromhex(inner),
    )
    commit = repo.git("commit-tree", outer, "-m", "hostile")
    asked = [b"../fine", b"sub/..", b"sub/.git", b"sub/fine", b"/etc/x", b"..", b".git/config"]
    assert run(files_at(git, store, commit, asked, tmp_path / "deep" / "plain")) == (b"sub/fine",)
    assert [p.name for p in (tmp_path / "deep").rglob("*")] == ["plain", "sub", "fine"]


def test_an_unknown_commit_is_an_error(store: Store, git: Git, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError):
        run(files_at(git, store, "1" * 40, [b"x"], tmp_path / "plain"))


def test_a_name_this_file_system_cannot_hold_costs_that_file_only(
    repo: Repo, store: Store, git: Git, tmp_path: Path
) -> None:
    """Names come from trees, which know no limit. One is as long as an attacker likes."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"text\n")
    raw = b"".join(b"100644 %s\0" % name + bytes.fromhex(blob) for name in (b"fine", b"n" * 300))
    tree = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    commit = repo.git("commit-tree", "-m", "x", tree)
    written = run(files_at(git, store, commit, [b"fine", b"n" * 300], tmp_path / "plain"))
    assert written == (b"fine",)
