"""Freezing a work tree: everything in it is captured or reported, and nothing of the person's is touched."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from git_support import Link, Repo, fingerprint, new_repo, run

from moot.core.change import Change, FileStatus, FrozenDiff, Source
from moot.core.errors import RepositoryError
from moot.git.change import freeze, is_empty
from moot.git.run import Git, Place
from moot.git.snapshot import Bounds
from moot.git.target import WorkTree

Froze = Callable[..., tuple[Change, FrozenDiff]]


def states(diff: FrozenDiff) -> dict[str, str]:
    return {f.path: f.status.value for f in diff.files}


def head_content(git: Git, change: Change, path: str) -> bytes:
    store = Path(change.store)
    return run(git(Place(store, git_dir=store), "cat-file", "blob", f"{change.head}:{path}"))


def note(change: Change, start: str) -> str | None:
    return next((n for n in change.notes if n.startswith(start)), None)


def make_a_mess(repo: Repo) -> None:
    """Every kind of work at once, in one work tree."""
    repo.write(".gitignore", "*.ignored\n")
    for name in (
        "deleted",
        "staged-then-deleted",
        "edited",
        "staged",
        "both",
        "renamed-from",
        "mode",
        "a*.py",
        "ab.py",
    ):
        repo.write(name, f"{name}\n")
    repo.write("swap-file", "file\n")
    repo.write("swap-dir/inside", "inside\n")
    repo.write(b"\xff.txt", "x\n")
    repo.write(":x", "colon\n")
    repo.write("link", Link("edited"))
    repo.write("becomes-link", "file\n")
    repo.write("behind/link/file", "there\n")
    repo.commit("a lot")
    repo.write("stashed", "s\n")
    repo.git("stash", "push", "-q", "-u")
    repo.remove("deleted")
    repo.write("staged-then-deleted", "changed\n")
    repo.git("add", "staged-then-deleted")
    repo.remove("staged-then-deleted")
    repo.write("staged-new-then-deleted", "n\n")
    repo.git("add", "staged-new-then-deleted")
    repo.remove("staged-new-then-deleted")
    repo.write("edited", "edited again\n")
    repo.write("staged", "staged again\n")
    repo.git("add", "staged")
    repo.write("both", "staged\n")
    repo.git("add", "both")
    repo.write("both", "and edited\n")
    repo.git("mv", "renamed-from", "renamed-to")
    repo.file("mode").chmod(0o755)
    repo.remove("a*.py")  # as a pattern it would take ab.py along
    repo.remove("swap-file")
    repo.write("swap-file/inside", "a directory now\n")
    repo.remove("swap-dir")
    repo.write("swap-dir", "a file now\n")
    repo.write(b"\xff.txt", "y\n")
    repo.write(":x", "colon, edited\n")
    repo.remove("link")
    repo.write("link", Link("elsewhere"))
    repo.remove("becomes-link")
    repo.write("becomes-link", Link("edited"))
    repo.remove("behind/link")
    repo.write("elsewhere/file", "not there\n")
    repo.write("behind/link", Link("../elsewhere"))
    repo.write("intended", "to add\n")
    repo.git("add", "-N", "intended")
    repo.write("intended-gone", "x\n")
    repo.git("add", "-N", "intended-gone")
    repo.remove("intended-gone")
    repo.write("new\nline", "untracked\n")
    repo.write("un tracked/[a-z]?*", "untracked\n")
    repo.write("x.ignored", "never\n")
    repo.write("dangling", Link("nowhere"))
    repo.write("tool", "#!/bin/sh\n", 0o755)


MESS = {
    "deleted": "deleted",
    "staged-then-deleted": "deleted",
    "edited": "modified",
    "staged": "modified",
    "both": "modified",
    "renamed-to": "renamed",
    "mode": "modified",
    "a*.py": "deleted",
    "swap-file": "deleted",
    "swap-file/inside": "added",
    "swap-dir/inside": "deleted",
    "swap-dir": "added",
    "\\xff.txt": "modified",
    ":x": "modified",
    "link": "modified",
    "becomes-link": "typechanged",
    "behind/link/file": "deleted",
    "behind/link": "added",
    "elsewhere/file": "added",
    "intended": "added",
    "new\\x0aline": "added",
    "un tracked/[a-z]?*": "added",
    "dangling": "added",
    "tool": "added",
}


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_every_kind_of_work_is_captured_and_nothing_of_the_persons_is_touched(
    object_format: str, tmp_path: Path, person_home: Path, git: Git, froze: Froze
) -> None:
    repo = new_repo(tmp_path / "r", person_home, f"--object-format={object_format}")
    make_a_mess(repo)
    status = repo.git("status", "--porcelain", "-uall")
    before = fingerprint(repo.path)
    change, diff = froze(repo)
    assert fingerprint(repo.path) == before
    assert repo.git("status", "--porcelain", "-uall") == status
    assert states(diff) == MESS
    assert diff.file("tool").new_mode == "100755"
    assert diff.file("link").new_mode == "120000"
    assert head_content(git, change, "both") == b"and edited\n"
    assert head_content(git, change, "link") == b"elsewhere"
    assert change.notes == ()
    assert change.head_tip == repo.git("rev-parse", "HEAD")


def test_the_same_work_tree_freezes_to_the_same_commit(repo: Repo, froze: Froze) -> None:
    repo.write("a.txt", "changed\n")
    assert froze(repo)[0] == froze(repo)[0]


def test_a_clean_work_tree_is_its_commit_and_an_empty_change(repo: Repo, froze: Froze) -> None:
    change, diff = froze(repo)
    assert is_empty(diff)
    assert (change.head, change.head_tip, change.source) == (repo.git("rev-parse", "HEAD"), None, Source.WORKTREE)


def test_an_edit_in_the_second_of_the_last_git_add_is_seen_later(repo: Repo, git: Git, froze: Froze) -> None:
    """Git compares by content what is as young as the index; the copied index must keep its age for that."""
    file, index = repo.file("a.txt"), repo.path / ".git" / "index"
    size = file.stat().st_size

    def second(path: Path) -> int:
        return path.stat().st_mtime_ns // 10**9

    while True:
        file.write_text("1st\n")
        repo.git("add", "a.txt")
        file.write_text("2nd\n")  # in place: same size, same inode
        if second(file) == second(index):
            break
    assert file.stat().st_size == size
    while time.time() < second(index) + 1.1:  # until a new index would look younger than the file
        time.sleep(0.05)
    change, _ = froze(repo)
    assert head_content(git, change, "a.txt") == b"2nd\n"


def test_an_unborn_branch_is_compared_with_nothing(tmp_path: Path, person_home: Path, froze: Froze) -> None:
    for object_format in ("sha1", "sha256"):
        repo = new_repo(tmp_path / object_format, person_home, f"--object-format={object_format}")
        repo.write("staged", "s\n")
        repo.git("add", "staged")
        repo.write("untracked", "u\n")
        change, diff = froze(repo)
        assert states(diff) == {"staged": "added", "untracked": "added"}
        assert change.base == change.merge_base != change.head
        assert (change.base_name, change.head_tip) == ("no commit yet", None)
        assert change.subject.endswith("#main")


def test_an_empty_unborn_repository_is_an_empty_change(tmp_path: Path, person_home: Path, froze: Froze) -> None:
    assert is_empty(froze(new_repo(tmp_path / "r", person_home))[1])


def test_a_missing_index_is_no_mass_deletion(repo: Repo, froze: Froze) -> None:
    (repo.path / ".git" / "index").unlink()
    repo.write("a.txt", "changed\n")
    assert states(froze(repo)[1]) == {"a.txt": "modified"}


def test_conflicts_are_taken_as_they_lie_in_the_work_tree_and_named(repo: Repo, git: Git, froze: Froze) -> None:
    repo.git("checkout", "-qb", "other")
    repo.commit("other", **{"a.txt": "theirs\n"})
    repo.git("rm", "-q", "b.txt")
    repo.git("commit", "-qm", "removed")
    repo.git("checkout", "-q", "main")
    repo.commit("ours", **{"a.txt": "ours\n", "b.txt": "ours\n"})
    repo.git("merge", "other", check=False)
    assert repo.git("ls-files", "-u")
    change, diff = froze(repo)
    assert b"<<<<<<<" in head_content(git, change, "a.txt")
    assert diff.file("a.txt").status is FileStatus.MODIFIED
    assert note(change, "in conflict") == "in conflict, taken as the work tree has them: a.txt, b.txt"


def test_a_conflict_whose_file_is_gone_is_a_deletion(repo: Repo, froze: Froze) -> None:
    repo.git("checkout", "-qb", "other")
    repo.commit("other", **{"a.txt": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("ours", **{"a.txt": "ours\n"})
    repo.git("merge", "other", check=False)
    repo.remove("a.txt")
    assert states(froze(repo)[1]) == {"a.txt": "deleted"}


def test_files_outside_a_sparse_checkout_are_not_deletions(repo: Repo, froze: Froze) -> None:
    repo.commit("dirs", **{"in/x": "x\n", "out/y": "y\n", "out/deep/z": "z\n"})
    for flags in ((), ("--sparse-index",), ("--no-cone",)):
        repo.git("sparse-checkout", "set", *flags, "in")
        assert not repo.file("out").exists()
        repo.write("in/x", "edited\n")
        change, diff = froze(repo)
        assert states(diff) == {"in/x": "modified"}
        assert change.notes == ()
    repo.write("out/y", "written there all the same\n")
    assert states(froze(repo)[1]) == {"in/x": "modified", "out/y": "modified"}


def test_flags_that_hide_edits_are_respected_and_named(repo: Repo, froze: Froze) -> None:
    repo.git("update-index", "--skip-worktree", "a.txt")
    repo.git("update-index", "--assume-unchanged", "b.txt")
    repo.write("a.txt", "local\n")
    repo.remove("b.txt")
    change, diff = froze(repo)
    assert is_empty(diff)
    assert note(change, "marked assume-unchanged") is not None
    assert "b.txt, a.txt" in (note(change, "marked assume-unchanged") or "")


def test_a_split_index_is_read(repo: Repo, froze: Froze) -> None:
    repo.git("update-index", "--split-index")
    repo.write("c.txt", "c\n")
    repo.git("add", "c.txt")
    repo.write("a.txt", "changed\n")
    assert states(froze(repo)[1]) == {"a.txt": "modified", "c.txt": "added"}


def test_ignore_rules_of_every_level_count(repo: Repo, person_home: Path, froze: Froze) -> None:
    (person_home / ".config" / "git").mkdir(parents=True)
    (person_home / ".config" / "git" / "ignore").write_text("*.global\n")
    (repo.path / ".git" / "info" / "exclude").write_text("*.local\n")
    repo.commit("rules", **{".gitignore": "*.tree\n", "kept.tree": "k\n"})
    repo.git("add", "-f", "kept.tree")
    repo.git("commit", "-qm", "tracked all the same")
    for name in ("a.global", "b.local", "c.tree", "sub/d.tree", "e.seen"):
        repo.write(name, "x\n")
    repo.write("kept.tree", "edited\n")
    assert states(froze(repo)[1]) == {"e.seen": "added", "kept.tree": "modified"}
    excludes = person_home / "excludes"
    excludes.write_text("*.seen\n")
    repo.git("config", "--global", "core.excludesFile", "~/excludes")
    assert states(froze(repo)[1]) == {"a.global": "added", "kept.tree": "modified"}


def test_line_endings_are_converted_as_git_add_would(repo: Repo, git: Git, froze: Froze) -> None:
    repo.commit("rules", **{".gitattributes": "*.txt text\n"})
    repo.write("a.txt", b"one\r\n")
    repo.write("c.txt", b"new\r\n")
    change, diff = froze(repo)
    assert states(diff) == {"c.txt": "added"}
    assert head_content(git, change, "c.txt") == b"new\n"
    repo.commit("none", **{".gitattributes": "\n", "a.txt": "one\n", "c.txt": "new\n"})
    repo.git("config", "core.autocrlf", "true")
    repo.write("b.txt", b"two\r\nmore\r\n")
    change, _ = froze(repo)
    assert head_content(git, change, "b.txt") == b"two\nmore\n"


def test_a_file_mode_the_person_does_not_track_is_no_change(repo: Repo, froze: Froze) -> None:
    repo.git("config", "core.fileMode", "false")
    repo.file("a.txt").chmod(0o755)
    assert is_empty(froze(repo)[1])


def test_nested_repositories_are_reported_and_never_become_gitlinks(
    repo: Repo, person_home: Path, froze: Froze
) -> None:
    new_repo(repo.path / "vendor" / "lib", person_home).commit("inner", x="x\n")
    new_repo(repo.path / "empty", person_home).write("y", "y\n")
    repo.write("half/.git/readme", "no repository\n")
    repo.write("half/code", "c\n")
    change, diff = froze(repo)
    assert states(diff) == {"half/code": "added"}
    assert note(change, "nested repositories") == "nested repositories left out: empty, vendor/lib"


@pytest.fixture
def with_submodule(repo: Repo, tmp_path: Path, person_home: Path) -> Repo:
    lib = new_repo(tmp_path / "lib", person_home)
    lib.commit("one", code="1\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.path), "lib")
    repo.git("commit", "-qm", "submodule")
    return repo


def test_a_clean_submodule_is_no_change(with_submodule: Repo, froze: Froze) -> None:
    inner = Repo(with_submodule.file("lib"), with_submodule.home)
    inner.file("code").touch()
    change, diff = froze(with_submodule)
    assert is_empty(diff)
    assert change.notes == ()


@pytest.mark.parametrize("work", ["edited", "staged", "untracked", "deleted"])
def test_a_dirty_submodule_is_reported(work: str, with_submodule: Repo, froze: Froze) -> None:
    inner = Repo(with_submodule.file("lib"), with_submodule.home)
    if work == "deleted":
        inner.remove("code")
    else:
        inner.write("new" if work == "untracked" else "code", "dirty\n")
    if work == "staged":
        inner.git("add", "-A")
    before = fingerprint(with_submodule.path)
    change, diff = froze(with_submodule)
    assert fingerprint(with_submodule.path) == before
    assert is_empty(diff)
    assert note(change, "submodules") == "submodules with work of their own that is not part of the change: lib"


def test_a_moved_submodule_is_a_change_of_its_commit(with_submodule: Repo, froze: Froze) -> None:
    inner = Repo(with_submodule.file("lib"), with_submodule.home)
    moved = inner.commit("two", code="2\n")
    _, diff = froze(with_submodule)
    assert [(f.path, f.submodule, f.new_oid) for f in diff.files] == [("lib", True, moved)]


def test_a_submodule_removed_or_replaced_is_seen(with_submodule: Repo, froze: Froze) -> None:
    with_submodule.remove("lib")
    assert states(froze(with_submodule)[1]) == {"lib": "deleted"}
    with_submodule.write("lib", "a file now\n")
    assert states(froze(with_submodule)[1]) == {"lib": "typechanged"}


def test_a_submodule_in_conflict_is_taken_as_it_is_checked_out(with_submodule: Repo, froze: Froze) -> None:
    inner = Repo(with_submodule.file("lib"), with_submodule.home)
    first = inner.git("rev-parse", "HEAD")
    for branch, text in (("ours", "2\n"), ("theirs", "3\n")):
        with_submodule.git("checkout", "-qb", branch, "main")
        inner.git("checkout", "-q", "--detach", first)
        inner.commit(branch, code=text)
        with_submodule.git("commit", "-qam", branch)
    theirs = inner.git("rev-parse", "HEAD")
    with_submodule.git("checkout", "-q", "ours")
    with_submodule.git("merge", "theirs", check=False)
    assert with_submodule.git("ls-files", "-u", "lib")
    change, diff = froze(with_submodule, base="ours")
    assert [(f.path, f.submodule, f.new_oid) for f in diff.files] == [("lib", True, theirs)]
    assert note(change, "in conflict") == "in conflict, taken as the work tree has them: lib"


def test_large_files_are_left_out_and_named(repo: Repo, froze: Froze) -> None:
    repo.write("huge", b"x" * 2_000_001)
    repo.write("a.txt", b"y" * 2_000_001)
    repo.write("small", "s\n")
    change, diff = froze(repo, bounds=Bounds(file_bytes=2_000_000))
    assert states(diff) == {"small": "added"}
    assert note(change, "left out, larger") == "left out, larger than 1 MB: a.txt, huge"


def test_a_large_file_in_conflict_keeps_our_side(repo: Repo, git: Git, froze: Froze) -> None:
    repo.git("checkout", "-qb", "other")
    repo.commit("other", **{"a.txt": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("ours", **{"a.txt": "ours\n"})
    repo.git("merge", "other", check=False)
    change, diff = froze(repo, bounds=Bounds(file_bytes=3))
    assert is_empty(diff)
    assert head_content(git, change, "a.txt") == b"ours\n"


def test_too_many_untracked_paths_are_refused_with_both_numbers(repo: Repo, froze: Froze) -> None:
    for n in range(12):
        repo.write(f"many/{n}", "")
    with pytest.raises(RepositoryError, match=r"12 untracked files are more than the 11 moot") as caught:
        froze(repo, bounds=Bounds(untracked=11))
    assert ".gitignore" in (caught.value.next_step or "")
    assert len(froze(repo, bounds=Bounds(untracked=12))[1].files) == 12


def test_what_git_cannot_track_is_named(repo: Repo, froze: Froze) -> None:
    repo.remove("a.txt")
    os.mkfifo(repo.file("a.txt"))
    os.mkfifo(repo.file("pipe"))
    repo.write(".GIT/config", "evil\n")
    change, diff = froze(repo)
    assert states(diff) == {"a.txt": "deleted"}
    assert note(change, "neither file nor link") == "neither file nor link, taken as removed: a.txt"
    assert note(change, "left out, git does not track") == "left out, git does not track such names: .GIT/config"


def test_moots_own_home_inside_the_work_tree_is_none_of_its_files(repo: Repo, git: Git) -> None:
    repo.write("code", "c\n")
    home = repo.path / "my [home]" / "moot"
    change = run(freeze(git, repo.path, WorkTree(), home))
    tree = run(git(Place(home, git_dir=Path(change.store)), "ls-tree", "-r", "--name-only", change.head))
    assert tree.decode().split() == ["a.txt", "b.txt", "code"]


def test_a_linked_worktree_freezes_its_own_work(repo: Repo, tmp_path: Path, froze: Froze) -> None:
    repo.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    repo.write("main-only", "m\n")
    linked = Repo(tmp_path / "linked", repo.home)
    linked.write("topic-only", "t\n")
    change, diff = froze(linked)
    assert states(diff) == {"topic-only": "added"}
    assert change.repo == str(linked.path)
    assert change.subject.endswith("#topic")
    assert change.subject.split("#")[0] == froze(repo)[0].subject.split("#")[0]
    assert change.store == froze(repo)[0].store


def test_a_subdirectory_stands_for_its_whole_repository(repo: Repo, froze: Froze) -> None:
    repo.write("sub/x", "x\n")
    repo.write("a.txt", "changed\n")
    change, diff = froze(Repo(repo.file("sub"), repo.home))
    assert states(diff) == {"a.txt": "modified", "sub/x": "added"}
    assert change.repo == str(repo.path)


def test_a_submodule_can_itself_be_reviewed(with_submodule: Repo, froze: Froze) -> None:
    inner = Repo(with_submodule.file("lib"), with_submodule.home)
    inner.write("code", "2\n")
    change, diff = froze(inner)
    assert states(diff) == {"code": "modified"}
    assert change.repo == str(inner.path)


FREEZE = """
import asyncio, json, pathlib, sys
from moot.git.change import freeze
from moot.git.run import Git
from moot.git.target import WorkTree
from moot.process.local import LocalProcess
repo, home = map(pathlib.Path, sys.argv[1:])
change = asyncio.run(freeze(Git(LocalProcess()), repo, WorkTree(), home))
print(json.dumps([change.head, change.notes]))
"""


def freeze_in_a_cage(repo: Repo, home: Path, *walls: str) -> tuple[str, list[str]]:
    """Freeze where some things really cannot be done, even when root runs the tests."""
    cage = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *walls]
    if shutil.which("bwrap") is None or subprocess.run([*cage, "true"], capture_output=True).returncode:
        if os.environ.get("CI") == "true":
            pytest.fail("bubblewrap is needed")
        pytest.skip("bubblewrap is needed")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(repo.home)}
    argv = [*cage, sys.executable, "-c", FREEZE, str(repo.path), str(home)]
    done = subprocess.run(argv, capture_output=True, env=env, text=True)
    assert done.stderr == ""
    head, notes = json.loads(done.stdout)
    return head, notes


def test_a_read_only_repository_can_be_frozen(repo: Repo, git: Git, moot_home: Path) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("new", "n\n")
    head, _ = freeze_in_a_cage(repo, moot_home, "--ro-bind", str(repo.path), str(repo.path))
    assert head == run(freeze(git, repo.path, WorkTree(), moot_home)).head


def test_unreadable_files_are_left_out_and_named(repo: Repo, moot_home: Path) -> None:
    repo.write("secret", "s\n").chmod(0)
    head, notes = freeze_in_a_cage(repo, moot_home, "--unshare-user", "--uid", "1000", "--cap-drop", "ALL")
    assert head == repo.git("rev-parse", "HEAD")
    assert notes == ["left out, not readable: secret"]


LFS_KEYS = (("filter.lfs.clean", "git-lfs clean -- %f"), ("filter.lfs.smudge", "git-lfs smudge -- %f"))


def lfs_pointer(content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()


def test_lfs_files_freeze_as_pointers_without_running_git_lfs(repo: Repo, git: Git, froze: Froze) -> None:
    repo.commit(
        "lfs", **{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": lfs_pointer(b"same")}
    )
    for key, value in LFS_KEYS:
        repo.git("config", "--global", key, value)
    repo.git("config", "--global", "filter.lfs.required", "true")
    repo.write("a.bin", b"same")  # what a checkout with Git LFS would hold
    change, diff = froze(repo)
    assert is_empty(diff)
    repo.write("a.bin", b"other")
    repo.write("b.bin", b"\0new")
    repo.write("c.bin", lfs_pointer(b"not fetched"))
    repo.write("empty.bin", b"")
    change, diff = froze(repo)
    assert states(diff) == {"a.bin": "modified", "b.bin": "added", "c.bin": "added", "empty.bin": "added"}
    assert head_content(git, change, "a.bin") == lfs_pointer(b"other")
    assert head_content(git, change, "b.bin") == lfs_pointer(b"\0new")
    assert head_content(git, change, "c.bin") == lfs_pointer(b"not fetched")
    assert head_content(git, change, "empty.bin") == b""
    assert change.notes == ()
    assert froze(repo, bounds=Bounds(file_bytes=1))[0].head == change.head  # a pointer is small whatever it points to
    repo.file("b.bin").chmod(0o755)
    assert froze(repo)[1].file("b.bin").new_mode == "100755"


def test_files_under_any_other_configured_filter_are_left_out_and_named(repo: Repo, git: Git, froze: Froze) -> None:
    repo.commit(
        "crypt", **{".gitattributes": "secret* filter=git-crypt\nplain filter=unknown\n", "secret": b"\0GITCRYPT"}
    )
    repo.git("config", "filter.git-crypt.clean", "git-crypt clean")
    repo.write("secret", "the password in clear text\n")
    repo.write("secret2", "another\n")
    repo.write("plain", "p\n")
    change, diff = froze(repo)
    assert states(diff) == {"plain": "added"}
    assert head_content(git, change, "secret") == b"\0GITCRYPT"
    expected = "left out, moot does not run the filter git-crypt: secret, secret2"
    assert note(change, "left out, moot does not run") == expected
