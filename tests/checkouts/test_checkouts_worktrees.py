"""Checkouts for seats: the frozen tree and nothing else, at a path that stays, whatever happened before."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from git_support import Link, Repo, fingerprint, import_trees, new_repo, run

from moot.checkouts.locks import locked
from moot.checkouts.worktrees import Checkout, Worktrees
from moot.core.codec import dump, load
from moot.core.errors import BusyError, NotFoundError, RepositoryError
from moot.core.turns import Files
from moot.git.run import Git
from moot.git.store import Store, open_store

HIDE = ("CLAUDE.md", "AGENTS.md", ".claude", ".github/hooks", ".env.*")


def content(top: Path) -> dict[str, bytes]:
    """Every file below, .git aside."""
    found: dict[str, bytes] = {}
    for folder, folders, files in os.walk(top):
        folders[:] = [f for f in folders if f != ".git"]
        for name in files:
            path = Path(folder, name)
            if path != top / ".git":
                found[str(path.relative_to(top))] = (
                    os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
                )
    return found


def committed(repo: Repo, rev: str) -> dict[str, bytes]:
    names = repo.raw("ls-tree", "-r", "-z", "--name-only", rev).split(b"\0")[:-1]
    return {os.fsdecode(name): repo.content(rev, name) for name in names}


def status(checkout: Checkout) -> str:
    """What the agent's own git says inside."""
    return Repo(checkout.path, checkout.path.parent).git("status", "--porcelain", "--ignored")


def taken(worktrees: Worktrees, store: Store, commit: str, holder: str = "run/seat", **more: object) -> Checkout:
    return run(worktrees.take(store, commit, holder, **more))


def test_a_checkout_holds_the_commit_and_the_agents_git_works_in_it(
    repo: Repo, store: Store, worktrees: Worktrees
) -> None:
    head = repo.git("rev-parse", "HEAD")
    before = fingerprint(repo.path)
    checkout = taken(worktrees, store, head)
    assert content(checkout.path) == committed(repo, "HEAD")
    assert (checkout.commit, checkout.sparse, checkout.hidden, checkout.total_files) == (head, False, (), 6)
    inside = Repo(checkout.path, repo.home)
    assert inside.git("rev-parse", "HEAD") == head
    assert inside.git("log", "--format=%s") == "second\nfirst"
    assert status(checkout) == ""
    assert fingerprint(repo.path) == before
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert run(worktrees.written(checkout)) == ()


def test_what_git_needs_is_named_for_the_sandbox(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    assert checkout.git_dirs == (store.path, repo.path / ".git" / "objects", checkout.path / ".git")


def test_a_checkout_can_be_stored_and_read_back(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    assert load(Checkout, dump(Checkout, checkout)) == checkout


def test_taking_again_changes_nothing_and_keeps_the_path(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    head = repo.git("rev-parse", "HEAD")
    first = taken(worktrees, store, head)
    before = fingerprint(first.path)
    assert taken(worktrees, store, head) == first
    assert fingerprint(first.path) == before


def test_the_path_stays_when_the_commit_changes(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    first = taken(worktrees, store, repo.git("rev-parse", "HEAD~1"))
    (first.path / "left-over").write_text("x")
    (first.path / "build").mkdir()
    (first.path / "build" / "ignored").write_text("x")
    (first.path / "src" / "a.py").write_text("half an edit")
    second = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    assert second.path == first.path
    assert content(second.path) == committed(repo, "HEAD")
    assert status(second) == ""
    assert content(taken(worktrees, store, first.commit).path) == committed(repo, "HEAD~1")


def test_work_in_a_checkout_survives_being_taken_again_at_the_same_commit(
    repo: Repo, store: Store, worktrees: Worktrees
) -> None:
    head = repo.git("rev-parse", "HEAD")
    checkout = taken(worktrees, store, head)
    (checkout.path / "src" / "a.py").write_text("the seat's work")
    assert (taken(worktrees, store, head).path / "src" / "a.py").read_text() == "the seat's work"


def test_holders_have_directories_of_their_own(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    head = repo.git("rev-parse", "HEAD")
    paths = {taken(worktrees, store, head, holder).path for holder in ("a/b", "a-b", "a b", "a/c", "ä", "x" * 300)}
    assert len(paths) == 6


def test_a_group_shares_one_directory_until_the_last_leaves(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    head = repo.git("rev-parse", "HEAD")
    one, two = (taken(worktrees, store, head, f"run/{seat}", shared=True) for seat in ("one", "two"))
    other = taken(worktrees, store, head, "run/three", shared=True, hide=("docs",))
    assert one.path == two.path != other.path
    assert taken(worktrees, store, head, "other-run/one", shared=True).path != one.path
    run(worktrees.give_back("run/one"))
    assert one.path.exists()
    with pytest.raises(NotFoundError):
        run(worktrees.written(one))
    run(worktrees.give_back("run/two"))
    assert not one.path.exists()
    assert other.path.exists()


def test_seats_may_take_the_shared_directory_at_the_same_time(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    head = repo.git("rev-parse", "HEAD")

    async def at_once() -> list[Checkout]:
        return await asyncio.gather(*(worktrees.take(store, head, f"run/{n}", shared=True) for n in range(5)))

    checkouts = run(at_once())
    assert len({c.path for c in checkouts}) == 1
    assert content(checkouts[0].path) == committed(repo, "HEAD")
    for n in range(5):
        run(worktrees.give_back(f"run/{n}"))
    assert not checkouts[0].path.exists()


def test_giving_back_deletes_the_checkout_and_what_git_knew_of_it(
    repo: Repo, store: Store, worktrees: Worktrees, root: Path
) -> None:
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    assert list((store.path / "worktrees").iterdir()) != []
    run(worktrees.give_back("run/seat"))
    run(worktrees.give_back("run/seat"))
    assert not checkout.path.exists()
    assert list((store.path / "worktrees").iterdir()) == []
    assert [p.name for p in root.iterdir()] == [".moot"]
    with pytest.raises(NotFoundError):
        run(worktrees.undo(checkout))


def test_pruning_lets_go_of_all_but_the_named_holders(
    repo: Repo, store: Store, worktrees: Worktrees, root: Path
) -> None:
    head = repo.git("rev-parse", "HEAD")
    kept, gone = taken(worktrees, store, head, "kept"), taken(worktrees, store, head, "gone")
    (root / "unfinished").mkdir()
    (root / ".moot" / "young" / "unfinished.abc").mkdir(parents=True)
    (root / ".moot" / "gone" / "old").mkdir(parents=True)
    run(worktrees.prune({"kept"}))
    assert kept.path.exists()
    assert not gone.path.exists()
    assert not (root / "unfinished").exists()
    assert not (root / ".moot" / "gone" / "old").exists()
    assert list((root / ".moot" / "young").iterdir()) == []


def test_pruning_and_giving_back_wait_for_nobody_else(
    repo: Repo, store: Store, worktrees: Worktrees, root: Path
) -> None:
    head = repo.git("rev-parse", "HEAD")
    busy, other = taken(worktrees, store, head, "busy"), taken(worktrees, store, head, "other")

    async def meanwhile() -> None:
        async with locked(root / ".moot" / "locks" / busy.path.name):
            await worktrees.give_back("other")
            await worktrees.prune(())
            with pytest.raises(BusyError):
                async with locked(root / ".moot" / "locks" / busy.path.name, wait_s=0):
                    pass

    run(meanwhile())
    assert busy.path.exists()
    assert not other.path.exists()
    run(worktrees.prune(()))
    assert not busy.path.exists()
    assert list((root / ".moot" / "locks").iterdir()) == []


def test_the_whole_tree_up_to_a_size_and_the_surroundings_of_the_change_beyond(
    repo: Repo, store: Store, git: Git, root: Path
) -> None:
    head = repo.git("rev-parse", "HEAD")
    paths = [b"src/a.py", b"src/deep/gone.py"]
    small = taken(Worktrees(git, root, whole_tree_files=6), store, head, "small", paths=paths)
    assert (small.sparse, content(small.path)) == (False, committed(repo, "HEAD"))
    large = taken(Worktrees(git, root, whole_tree_files=5), store, head, "large", paths=paths)
    assert large.sparse
    assert large.total_files == 6
    assert set(content(large.path)) == {".gitignore", "README.md", "src/a.py", "src/new.py", "src/deep/c.py"}
    assert status(large) == ""
    assert run(Worktrees(git, root).written(large)) == ()
    tree = taken(Worktrees(git, root, whole_tree_files=5), store, head, "tree", files=Files.TREE)
    assert content(tree.path) == committed(repo, "HEAD")
    changed = taken(Worktrees(git, root), store, head, "changed", files=Files.CHANGED, paths=[b"docs/d.md"])
    assert set(content(changed.path)) == {".gitignore", "README.md", "docs/d.md"}


def test_the_part_may_grow_and_shrink(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    head = repo.git("rev-parse", "HEAD")
    for path, expected in ((b"docs/d.md", "docs/d.md"), (b"src/deep/c.py", "src/deep/c.py"), (b"x", ".gitignore")):
        checkout = taken(worktrees, store, head, files=Files.CHANGED, paths=[path])
        assert expected in content(checkout.path)
        assert (checkout.path / "docs").exists() == (path == b"docs/d.md")


@pytest.fixture
def instructed(repo: Repo) -> str:
    return repo.commit(
        "instructions",
        **{
            "CLAUDE.md": "obey\n",
            "src/AGENTS.md": "obey\n",
            ".claude/settings.json": "{}\n",
            ".claude/skills/x/SKILL.md": "obey\n",
            ".github/hooks/evil.json": "{}\n",
            ".github/workflows/ci.yml": "on: push\n",
            "src/.env.production": "SECRET=1\n",
            "only/AGENTS.md": "obey\n",
        },
    )


HIDDEN = (
    ".claude/settings.json",
    ".claude/skills/x/SKILL.md",
    ".github/hooks/evil.json",
    "CLAUDE.md",
    "only/AGENTS.md",
    "src/.env.production",
    "src/AGENTS.md",
)


@pytest.mark.parametrize("files", [Files.TREE, Files.CHANGED])
def test_what_an_agent_would_obey_is_not_there_and_git_does_not_miss_it(
    files: Files, repo: Repo, store: Store, worktrees: Worktrees, instructed: str
) -> None:
    paths = [os.fsencode(p) for p in HIDDEN]
    checkout = taken(worktrees, store, instructed, files=files, paths=paths, hide=HIDE)
    assert checkout.hidden == HIDDEN
    there = content(checkout.path)
    assert not there.keys() & set(HIDDEN)
    assert ".github/workflows/ci.yml" in there or files is Files.CHANGED
    assert not (checkout.path / ".claude").exists()
    assert not (checkout.path / "only").exists()
    assert status(checkout) == ""
    assert Repo(checkout.path, repo.home).git("show", "HEAD:CLAUDE.md") == "obey"
    assert run(worktrees.written(checkout)) == ()


def test_hidden_files_stay_hidden_through_rounds_and_change_with_the_patterns(
    repo: Repo, store: Store, worktrees: Worktrees, instructed: str
) -> None:
    first = taken(worktrees, store, repo.git("rev-parse", "HEAD~1"), hide=HIDE)
    assert first.hidden == ()
    assert not (taken(worktrees, store, instructed, hide=HIDE).path / "CLAUDE.md").exists()
    moved = repo.commit("more", **{"CLAUDE.md": "obey more\n", "src/deep/AGENTS.md": "obey\n"})
    second = taken(worktrees, store, moved, hide=HIDE)
    assert "src/deep/AGENTS.md" in second.hidden
    assert not content(second.path).keys() & set(second.hidden)
    assert status(second) == ""
    third = taken(worktrees, store, moved, hide=("src",))
    assert (third.path / "CLAUDE.md").read_text() == "obey more\n"
    assert not (third.path / "src").exists()


def test_a_hidden_file_an_agent_brought_back_is_reported_and_hidden_again(
    repo: Repo, store: Store, worktrees: Worktrees, instructed: str
) -> None:
    checkout = taken(worktrees, store, instructed, hide=HIDE)
    for text in ("obey\n", "planted\n"):
        (checkout.path / "CLAUDE.md").write_text(text)
        assert run(worktrees.written(checkout)) == ("CLAUDE.md",)
        taken(worktrees, store, instructed, hide=HIDE)
        assert not (checkout.path / "CLAUDE.md").exists()


def test_links_become_plain_files_so_that_none_leads_out(
    repo: Repo, store: Store, worktrees: Worktrees, tmp_path: Path
) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("canary")
    head = repo.commit("links", key=Link(str(secret)), env=Link("/proc/self/environ"), up=Link("../.."))
    checkout = taken(worktrees, store, head)
    assert [p for p in checkout.path.rglob("*") if p.is_symlink()] == []
    assert (checkout.path / "key").read_text() == str(secret)
    assert b"canary" not in b"".join(content(checkout.path).values())
    assert status(checkout) == ""


def test_a_seat_reads_the_bytes_that_are_committed_whatever_attributes_say(
    repo: Repo, store: Store, worktrees: Worktrees, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    for kind in ("clean", "smudge"):
        repo.git("config", "--global", f"filter.evil.{kind}", f"touch {canary}; cat #")
    repo.commit("bytes", **{"crlf.txt": b"a\r\nb\n", "id.txt": b"$Id$\n"})
    repo.write(".gitattributes", "*.txt text eol=crlf ident\n* filter=evil -diff\n")
    repo.git("add", ".gitattributes")
    repo.git("commit", "-qm", "attributes")
    canary.unlink()
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    assert content(checkout.path) == committed(repo, "HEAD")
    assert status(checkout) == ""
    (checkout.path / "id.txt").write_text("changed\n")
    assert "+changed" in Repo(checkout.path, repo.home).git("diff")
    assert run(worktrees.written(checkout)) == ("id.txt",)
    assert not canary.exists()


def test_submodules_are_empty_directories(repo: Repo, store: Store, worktrees: Worktrees, git: Git) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    repo.git("commit", "-qm", "submodule")
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    assert list((checkout.path / "lib").iterdir()) == []
    planted = new_repo(checkout.path / "lib" / "x", repo.home)
    planted.commit("x", y="y\n")
    assert run(worktrees.written(checkout)) == ("lib",)
    run(worktrees.undo(checkout))
    assert list((checkout.path / "lib").iterdir()) == []


def test_everything_a_seat_wrote_is_named_and_undone(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    top = checkout.path
    before = content(top)
    (top / "src" / "a.py").write_text("edited")
    (top / "src" / "new.py").unlink()
    (top / "new file").write_text("n")
    (top / "x.log").write_text("ignored")
    (top / "build" / "deep").mkdir(parents=True)
    (top / "build" / "deep" / "o").write_text("ignored")
    new_repo(top / "nested", repo.home).commit("x", y="y\n")
    os.mkfifo(top / "pipe")
    (top / "link").symlink_to("/etc")
    written = set(run(worktrees.written(checkout)))
    assert written >= {"src/a.py", "src/new.py", "new file", "x.log", "build/deep/o", "nested/", "link", "pipe"}
    run(worktrees.undo(checkout))
    assert content(top) == before
    assert not (top / "pipe").exists()
    assert not (top / "build").exists()
    assert run(worktrees.written(checkout)) == ()


def test_a_directory_replaced_by_a_link_leads_no_write_and_no_deletion_out(
    repo: Repo, store: Store, worktrees: Worktrees, tmp_path: Path
) -> None:
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    for name in ("a.py", "other", "deep/c.py"):
        (outside / name).write_text("not moot's")
    before = fingerprint(outside)
    (checkout.path / "src").rename(checkout.path / "moved")
    (checkout.path / "src").symlink_to(outside)
    assert "src" in run(worktrees.written(checkout))
    run(worktrees.undo(checkout))
    assert content(checkout.path) == committed(repo, "HEAD")
    (checkout.path / "docs").rename(checkout.path / "src" / "docs")
    (checkout.path / "docs").symlink_to(outside)
    taken(worktrees, store, repo.git("rev-parse", "HEAD~1"))
    assert content(checkout.path) == committed(repo, "HEAD~1")
    (checkout.path / "planted").symlink_to(outside)
    run(worktrees.give_back("run/seat"))
    run(worktrees.prune(()))
    assert fingerprint(outside) == before


@pytest.mark.parametrize("how", ["own repository", "other directory", "link", "missing"])
def test_a_tampered_git_file_leads_moot_nowhere(
    how: str, repo: Repo, store: Store, worktrees: Worktrees, tmp_path: Path
) -> None:
    head = repo.git("rev-parse", "HEAD")
    checkout = taken(worktrees, store, head)
    canary = tmp_path / "canary"
    evil = new_repo(tmp_path / "evil", repo.home)
    evil.commit("x", x="x\n")
    evil.git("config", "core.fsmonitor", f"touch {canary} #")
    pointer = checkout.path / ".git"
    pointer.unlink()
    if how == "own repository":
        (evil.path / ".git").rename(pointer)
    elif how == "other directory":
        pointer.write_text(f"gitdir: {evil.path}/.git\n")
    elif how == "link":
        pointer.symlink_to(evil.path / ".git")
    (checkout.path / "src" / "a.py").write_text("edited")
    if how != "missing":
        Repo(checkout.path, repo.home).git("status")
        assert canary.exists()
        canary.unlink()
    assert run(worktrees.written(checkout)) == (".git", "src/a.py")
    run(worktrees.undo(checkout))
    assert run(worktrees.written(checkout)) == ()
    assert status(taken(worktrees, store, head)) == ""
    assert how == "own repository" or (evil.path / ".git" / "config").exists()
    assert not canary.exists()


def test_a_tampered_administrative_directory_is_reported_and_built_again(
    repo: Repo, store: Store, worktrees: Worktrees, tmp_path: Path
) -> None:
    head = repo.git("rev-parse", "HEAD")
    checkout = taken(worktrees, store, head)
    evil = new_repo(tmp_path / "evil", repo.home)
    (admin,) = (store.path / "worktrees").iterdir()
    (admin / "commondir").write_text(f"{evil.path}/.git\n")
    assert run(worktrees.written(checkout)) == (".git",)
    assert content(taken(worktrees, store, head).path) == committed(repo, "HEAD")
    assert run(worktrees.written(checkout)) == ()


def test_a_commit_made_in_a_checkout_is_reported_and_undone(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    head = repo.git("rev-parse", "HEAD")
    checkout = taken(worktrees, store, head)
    inside = Repo(checkout.path, repo.home)
    inside.commit("by the seat", z="z\n")
    assert run(worktrees.written(checkout)) == (".git", "z")
    run(worktrees.undo(checkout))
    assert inside.git("rev-parse", "HEAD") == head
    assert run(worktrees.written(checkout)) == ()


def test_a_directory_that_may_not_be_entered_is_no_obstacle(repo: Repo, store: Store, worktrees: Worktrees) -> None:
    checkout = taken(worktrees, store, repo.git("rev-parse", "HEAD"))
    (checkout.path / "locked").mkdir()
    (checkout.path / "locked" / "x").write_text("x")
    (checkout.path / "locked").chmod(0)
    (checkout.path / "src").chmod(0o500)
    run(worktrees.undo(checkout))
    assert content(checkout.path) == committed(repo, "HEAD")
    (checkout.path / "locked").mkdir(mode=0)
    run(worktrees.give_back("run/seat"))
    assert not checkout.path.exists()


def test_an_instruction_file_planted_above_the_checkouts_is_refused(
    repo: Repo, store: Store, worktrees: Worktrees, root: Path
) -> None:
    head = repo.git("rev-parse", "HEAD")
    taken(worktrees, store, head, hide=HIDE)
    (root / "CLAUDE.md").write_text("obey")
    with pytest.raises(RepositoryError, match="moot did not put it there"):
        taken(worktrees, store, head, hide=HIDE)


def test_an_unknown_commit_is_an_error_and_leaves_no_half_checkout(
    store: Store, worktrees: Worktrees, root: Path
) -> None:
    with pytest.raises(RepositoryError):
        taken(worktrees, store, "1" * 40)
    assert [p.name for p in root.iterdir()] == [".moot"]


def test_sha256_repositories_are_checked_out_too(
    git: Git, worktrees: Worktrees, tmp_path: Path, person_home: Path
) -> None:
    repo = new_repo(tmp_path / "r", person_home, "--object-format=sha256")
    head = repo.commit("one", **{"a/b": "b\n", "CLAUDE.md": "x\n"})
    store = run(open_store(git, repo.path, tmp_path / "moot"))
    checkout = taken(worktrees, store, head, hide=HIDE)
    assert content(checkout.path) == {"a/b": b"b\n"}
    assert status(checkout) == ""


TAKE = """
import asyncio, pathlib, sys
from moot.checkouts.locks import locked
from moot.checkouts.worktrees import Worktrees
from moot.git.run import Git
from moot.git.store import at
from moot.process.local import LocalProcess
store, root, *commits = sys.argv[1:]
worktrees = Worktrees(Git(LocalProcess()), pathlib.Path(root))
print("ready", flush=True)
for _ in range(1000):
    for commit in commits:
        asyncio.run(worktrees.take(at(store), commit, "run/seat", hide=("CLAUDE.md", "many/0")))
"""


def children(pid: int) -> list[int]:
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def test_a_checkout_killed_in_the_middle_is_adopted_whole(
    repo: Repo, store: Store, worktrees: Worktrees, root: Path
) -> None:
    """Killed with its git, as in a power cut, and without it, so that a git works on for nobody."""
    trees = [{b"many/%d/f" % n: ("100644", b"%d %d\n" % (n, side)) for n in range(400)} for side in range(2)]
    for tree in trees:
        tree[b"CLAUDE.md"] = ("100644", b"obey\n")
    commits = import_trees(repo, trees)
    expected = {p.decode(): c for p, (_, c) in trees[0].items() if p not in (b"CLAUDE.md", b"many/0/f")}
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(repo.home)}
    argv = [sys.executable, "-c", TAKE, str(store.path), str(root), *commits]
    for delay, with_git in ((0.0, True), (0.02, False), (0.05, True), (0.11, False)):
        child = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(delay)  # the moment of the kill, not a wait for anything
        gits = children(child.pid) if with_git else []
        child.kill()
        for pid in gits:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        checkout = taken(worktrees, store, commits[0], hide=("CLAUDE.md", "many/0"))
        assert content(checkout.path) == expected
        assert run(worktrees.written(checkout)) == ()
        assert status(checkout) == ""
