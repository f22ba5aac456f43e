from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from git_support import Repo, fingerprint, new_repo, run

from moot.core.errors import RepositoryError
from moot.git import store as stores
from moot.git.repository import locate, parse_settings
from moot.git.run import Git
from moot.git.store import open_store


def test_a_store_is_a_repository_git_itself_accepts(repo: Repo, git: Git, moot_home: Path) -> None:
    store = Repo(run(open_store(git, repo.path, moot_home)).path, repo.home)
    assert store.git("rev-parse", "--is-bare-repository") == "true"
    assert store.git("fsck", "--strict", "--no-dangling") == ""
    assert store.git("cat-file", "-t", repo.git("rev-parse", "HEAD")) == "commit"
    assert store.git("for-each-ref") == ""


def test_opening_a_store_again_changes_nothing(repo: Repo, git: Git, moot_home: Path) -> None:
    first = run(open_store(git, repo.path, moot_home))
    before = fingerprint(moot_home)
    assert run(open_store(git, repo.path, moot_home)) == first
    assert fingerprint(moot_home) == before


def test_many_may_make_a_store_at_once(repo: Repo, git: Git, moot_home: Path) -> None:
    async def at_once() -> set[stores.Store]:
        return set(await asyncio.gather(*(open_store(git, repo.path, moot_home) for _ in range(8))))

    assert len(run(at_once())) == 1
    assert [p.name for p in (moot_home / "stores").iterdir() if p.name.startswith(".")] == []


def test_what_somebody_wrote_into_a_store_is_undone(repo: Repo, git: Git, moot_home: Path) -> None:
    store = run(open_store(git, repo.path, moot_home))
    whole = (store.path / "config").read_bytes()
    (store.path / "config").write_bytes(whole + b"[core]\n\tfsmonitor = evil\n")
    (store.path / "info" / "attributes").write_text("* filter=evil\n")
    run(open_store(git, repo.path, moot_home))
    assert (store.path / "config").read_bytes() == whole
    assert b"evil" not in (store.path / "info" / "attributes").read_bytes()


def test_a_store_follows_a_clone_that_stops_being_shallow(
    repo: Repo, git: Git, moot_home: Path, tmp_path: Path
) -> None:
    repo.commit("second", c="c\n")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow", repo.home)
    store = run(open_store(git, shallow.path, moot_home))
    assert len(run(git(store.place, "rev-list", shallow.git("rev-parse", "HEAD"))).split()) == 1
    shallow.git("fetch", "-q", "--unshallow")
    run(open_store(git, shallow.path, moot_home))
    assert len(run(git(store.place, "rev-list", shallow.git("rev-parse", "HEAD"))).split()) == 2


def test_borrowed_directories_are_all_named(repo: Repo, git: Git, moot_home: Path, tmp_path: Path) -> None:
    odd = new_repo(tmp_path / 'new\nline "quoted"', repo.home)
    odd.commit("x", x="x\n")
    # A name with a line feed cannot be told from two lines of rev-parse; an alternate can be quoted.
    alternates = repo.path / ".git" / "objects" / "info" / "alternates"
    alternates.write_text('"' + str(odd.path / ".git/objects").replace('"', '\\"').replace("\n", "\\n") + '"\n# none\n')
    store = run(open_store(git, repo.path, moot_home))
    assert store.borrowed == (repo.path / ".git" / "objects", odd.path / ".git" / "objects")
    assert stores.at(store.path) == store
    assert run(git(store.place, "cat-file", "-t", odd.git("rev-parse", "HEAD"))) == b"commit\n"


def test_repositories_have_stores_of_their_own(repo: Repo, git: Git, moot_home: Path, tmp_path: Path) -> None:
    other = new_repo(tmp_path / "elsewhere" / "work", repo.home)
    one, two = (run(open_store(git, r.path, moot_home)) for r in (repo, other))
    assert one != two
    assert one.path.name.startswith("work-")


def test_a_store_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="is gone"):
        stores.at(tmp_path / "none.git")


def test_settings_are_read_as_git_prints_them(repo: Repo, git: Git) -> None:
    assert parse_settings(b"core.bare\nfalse\0a.B.c\nx\ny\0a.valueless\0a.empty\n\0") == {
        "core.bare": "false",
        "a.B.c": "x\ny",
        "a.valueless": "true",
        "a.empty": "",
    }
    repo.git("config", "--global", "filter.lfs.process", "git-lfs filter-process")
    repo.git("config", "filter.My.Own.clean", "x")
    repo.git("config", "core.sparseCheckout", "Yes")
    found = run(locate(git, repo.path))
    assert found.filters == {"lfs", "My.Own"}
    assert found.is_set("core.sparsecheckout")
    assert not found.is_set("core.bare")
    assert found.is_set("core.nothing", default=True)
