from __future__ import annotations

from pathlib import Path

import pytest
from git_support import Link, Repo, import_trees, run

from moot.core.errors import RepositoryError
from moot.git import trees
from moot.git.run import Git
from moot.git.store import Store, open_store


@pytest.fixture
def store(repo: Repo, git: Git, moot_home: Path) -> Store:
    return run(open_store(git, repo.path, moot_home))


def test_files_are_read_at_a_commit_not_from_the_work_tree(repo: Repo, git: Git, store: Store) -> None:
    head = repo.commit(
        "odd", **{":x": "colon\n", "a*": "star\n", "n\nl": "line feed\n", "d/e": "deep\n", "ln": Link("x")}
    )
    repo.write("a.txt", "edited since\n")
    assert run(trees.read_path(git, store, head, b"a.txt")) == b"one\n"
    assert run(trees.read_path(git, store, head, b":x")) == b"colon\n"
    assert run(trees.read_path(git, store, head, b"n\nl")) == b"line feed\n"
    assert run(trees.read_path(git, store, head, b"d/e")) == b"deep\n"
    assert [run(trees.read_path(git, store, head, p)) for p in (b"none", b"d", b"ln", b"../a.txt")] == [None] * 4
    assert run(trees.tree_size(git, store, head)) == 7
    listed = run(trees.listing(git, store, head))
    assert (b"120000", b"ln") in listed
    assert len(listed) == 7
    exist = run(trees.paths_exist(git, store, head, [b"a*", b"a.txt", b"none", b"d"]))
    assert exist == {b"a*", b"a.txt"}
    assert run(trees.entries(git, store, head, [])) == ()


def test_more_paths_than_fit_on_a_command_line_are_found_too(repo: Repo, git: Git, store: Store) -> None:
    names = {b"%03d/%s" % (n, b"x" * 200): ("100644", b"%d" % n) for n in range(400)}
    (head,) = import_trees(repo, [names])
    wanted = [*names, b"none"]
    assert sum(map(len, wanted)) > trees.MAX_ARGUMENT_BYTES
    assert run(trees.paths_exist(git, store, head, wanted)) == set(names)


def test_long_blobs_are_refused_and_missing_ones_named(repo: Repo, git: Git, store: Store) -> None:
    head = repo.commit("long", long="x" * 101)
    oid = repo.git("rev-parse", f"{head}:long")
    assert run(trees.read_blob(git, store, oid, 101)) == b"x" * 101
    for asked, limit in ((oid, 100), ("0" * 40, 100), (head, 1000)):
        with pytest.raises(RepositoryError, match="no blob"):
            run(trees.read_blob(git, store, asked, limit))


def test_many_blobs_are_read_at_once_whatever_they_hold(repo: Repo, git: Git, store: Store) -> None:
    contents = [b"", b"\n", b"a\nb", b"\0" * 7, b"blob 3\n"]
    oids = [repo.git("hash-object", "-w", "--stdin", stdin=c) for c in contents]
    assert run(trees.read_blobs(git, store, [*oids, oids[0], "0" * 40])) == dict(zip(oids, contents, strict=True))
    assert run(trees.read_blobs(git, store, [])) == {}


def test_conventions_are_the_repositorys_own_files_nearest_last(repo: Repo, git: Git, store: Store) -> None:
    head = repo.commit(
        "rules",
        **{
            "AGENTS.md": "top\n",
            "CLAUDE.md": Link("AGENTS.md"),
            "GEMINI.md": "top\n",
            "CONTRIBUTING.md": "x" * (trees.MAX_CONVENTION_BYTES + 1),
            "src/AGENTS.md": "src\n",
            "src/deep/CLAUDE.md": "deep\n",
            "other/AGENTS.md": "other\n",
        },
    )
    found = run(trees.conventions(git, store, head, [b"src/deep/x.py", b"y.py"]))
    assert [(c.path, c.cut) for c in found] == [
        ("AGENTS.md", False),
        ("CONTRIBUTING.md", True),
        ("src/AGENTS.md", False),
        ("src/deep/CLAUDE.md", False),
    ]
    assert [c.text for c in found if not c.cut] == ["top\n", "src\n", "deep\n"]
    assert len(found[1].text) == trees.MAX_CONVENTION_BYTES
    assert [c.path for c in run(trees.conventions(git, store, head))] == ["AGENTS.md", "CONTRIBUTING.md"]


def test_an_unknown_commit_is_an_error(git: Git, store: Store) -> None:
    with pytest.raises(RepositoryError):
        run(trees.tree_size(git, store, "1" * 40))
