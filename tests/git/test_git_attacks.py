"""What a hostile repository can say, and that none of it runs: every test first shows that plain git would obey."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from git_support import Repo, new_repo, person_environment, run

from moot.checkouts.worktrees import Worktrees
from moot.core.change import Change, FrozenDiff
from moot.core.errors import RepositoryError
from moot.git import store as stores
from moot.git.run import Git, plain
from moot.git.target import Patch, Range, Revision, WorkTree
from moot.process.local import LocalProcess

Froze = Callable[..., tuple[Change, FrozenDiff]]

PATCH = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+patched\n"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def program(tmp_path: Path, canary: Path) -> str:
    """A program that leaves a trace of who started it, and otherwise behaves like `cat`."""
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\n[ $# -gt 5 ] || cat\n')
    script.chmod(0o755)
    return str(script)


@pytest.fixture
def looked_at(git: Git, froze: Froze, tmp_path: Path) -> Callable[[Repo], None]:
    """Do all that moot does with a repository: every kind of target, its diff, a checkout and what is written there."""

    def looked_at(repo: Repo) -> None:
        for target in (WorkTree(), Revision("topic"), Range("main", "topic", ".."), Patch("p", PATCH)):
            change, _ = froze(repo, target)
        change, diff = froze(repo)
        worktrees = Worktrees(git, tmp_path / "checkouts")

        async def sit() -> None:
            touched = [f.new_raw or f.old_raw or b"" for f in diff.files]
            checkout = await worktrees.take(stores.at(change.store), change.head, "seat", paths=touched)
            (checkout.path / "a.txt").write_text("a seat wrote this\n")
            assert "a.txt" in await worktrees.written(checkout)
            await worktrees.undo(checkout)
            await worktrees.give_back("seat")

        run(sit())

    return looked_at


@pytest.fixture
def hostile(repo: Repo) -> Repo:
    """On `topic`, with committed, staged, edited and untracked files."""
    repo.git("checkout", "-qb", "topic")
    repo.commit("work", **{"c.txt": "c\n", "x.evil": "x\n"})
    repo.write("a.txt", "edited\n")
    repo.write("x.evil", "edited\n")
    repo.write("new.evil", "new\n")
    repo.write("staged.evil", "s\n")
    repo.git("add", "staged.evil")
    return repo


def config(repo: Repo, program: str, *keys: str) -> None:
    for key in keys:
        repo.git("config", key, program)


def test_a_file_system_monitor_does_not_run(hostile: Repo, program: str, canary: Path, looked_at: Callable) -> None:
    config(hostile, program, "core.fsmonitor")
    hostile.git("status")
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


def test_hooks_do_not_run(hostile: Repo, program: str, canary: Path, looked_at: Callable, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    for folder in (hooks, hostile.path / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in (
            "post-index-change",
            "reference-transaction",
            "post-checkout",
            "pre-auto-gc",
            "fsmonitor-watchman",
        ):
            (folder / hook).symlink_to(program)
    hostile.git("config", "core.hooksPath", str(hooks))
    hostile.git("update-ref", "refs/heads/other", "HEAD")
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


@pytest.mark.parametrize("kind", ["clean", "process"])
def test_filters_do_not_run(kind: str, hostile: Repo, program: str, canary: Path, looked_at: Callable) -> None:
    hostile.write(".gitattributes", "* filter=evil\n")
    hostile.write(".git/info/attributes", "* filter=evil\n")
    config(hostile, program, f"filter.evil.{kind}", "filter.evil.smudge")
    hostile.git("hash-object", "a.txt", check=False)
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


def test_text_conversion_and_external_diffs_do_not_run(
    hostile: Repo, program: str, canary: Path, looked_at: Callable
) -> None:
    hostile.write(".gitattributes", "* diff=evil\n")
    config(hostile, program, "diff.evil.textconv")
    hostile.git("diff")
    assert canary.exists()
    canary.unlink()
    config(hostile, program, "diff.evil.command", "diff.external")
    hostile.git("diff")
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


def test_included_configuration_counts_no_more_than_the_rest(
    hostile: Repo, program: str, canary: Path, looked_at: Callable, tmp_path: Path
) -> None:
    (tmp_path / "included").write_text(f'[core]\n\tfsmonitor = {program}\n[filter "x"]\n\tclean = {program}\n')
    hostile.git("config", "include.path", str(tmp_path / "included"))
    hostile.git("status")
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


def test_signature_checks_pagers_editors_and_helpers_do_not_run(
    hostile: Repo, program: str, canary: Path, looked_at: Callable
) -> None:
    hostile.git("config", "log.showSignature", "true")
    keys = ("gpg.program", "gpg.ssh.program", "core.pager", "core.editor", "core.askPass", "core.sshCommand")
    config(hostile, program, *keys, "credential.helper", "sequence.editor", "core.alternateRefsCommand")
    commit = hostile.git("cat-file", "commit", "HEAD")
    headers, _, message = commit.partition("\n\n")
    signed = f"{headers}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}\n"
    made = hostile.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode())
    hostile.git("update-ref", "HEAD", made)
    hostile.git("log", "-1")
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


def test_a_submodules_own_configuration_does_not_run(
    hostile: Repo, program: str, canary: Path, looked_at: Callable, person_home: Path, tmp_path: Path
) -> None:
    lib = new_repo(tmp_path / "lib", person_home)
    lib.commit("one", **{"code": "1\n", ".gitattributes": "* filter=evil\n"})
    hostile.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.path), "lib")
    hostile.git("commit", "-qm", "submodule")
    inner = Repo(hostile.file("lib"), person_home)
    config(inner, program, "core.fsmonitor", "filter.evil.clean")
    inner.write("code", "2\n")
    hostile.git("status")
    assert canary.exists()
    canary.unlink()
    looked_at(hostile)
    assert not canary.exists()


def test_missing_objects_of_a_partial_clone_are_not_fetched_through_a_hostile_remote(
    hostile: Repo, canary: Path, froze: Froze
) -> None:
    oid = hostile.git("rev-parse", "HEAD:c.txt")
    (hostile.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    hostile.git("config", "core.repositoryFormatVersion", "1")
    hostile.git("config", "extensions.partialClone", "origin")
    hostile.git("config", "remote.origin.promisor", "true")
    hostile.git("config", "remote.origin.url", f"ext::touch {canary}")
    hostile.git("config", "protocol.ext.allow", "always")
    hostile.git("cat-file", "-p", oid, check=False)
    assert canary.exists()
    canary.unlink()
    with pytest.raises(RepositoryError, match="missing"):
        froze(hostile, Revision("topic"))
    with pytest.raises(RepositoryError, match="unknown revision"):
        froze(hostile, Revision(oid))
    assert not canary.exists()


def test_attributes_cannot_hide_text_from_the_diff(hostile: Repo, froze: Froze) -> None:
    hostile.write(".gitattributes", "* binary -diff\n")
    hostile.write(".git/info/attributes", "* -diff\n")
    _, diff = froze(hostile)
    assert [f.path for f in diff.files if f.binary or not f.hunks] == []


def test_a_git_in_the_repository_is_not_taken_for_git(
    repo: Repo, program: str, canary: Path, person_home: Path
) -> None:
    (repo.path / "git").symlink_to(program)
    env = {**person_environment(person_home), "PATH": os.pathsep.join([".", "", os.environ["PATH"]])}
    assert run(Git(LocalProcess(), env)(repo.path, "rev-parse", "--is-inside-work-tree")) == b"true\n"
    assert not canary.exists()


def test_the_persons_git_variables_do_not_reach_git(repo: Repo, person_home: Path, tmp_path: Path) -> None:
    other = new_repo(tmp_path / "other", person_home)
    env = {
        **person_environment(person_home),
        "GIT_DIR": str(other.path / ".git"),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "alias.x",
        "GIT_CONFIG_VALUE_0": "!false",
    }
    printed = run(Git(LocalProcess(), env)(repo.path, "rev-parse", "--show-toplevel"))
    assert printed.decode().strip() == str(repo.path)
    assert not (tmp_path / "trace").exists()


def test_an_error_is_one_plain_line(repo: Repo, git: Git) -> None:
    with pytest.raises(RepositoryError) as caught:
        run(git(repo.path, "rev-parse", "--verify", "\x1b[2Jno\nsuch"))
    assert caught.value.message == "git rev-parse: Needed a single revision"
    assert caught.value.where == str(repo.path)
    with pytest.raises(RepositoryError) as caught:
        run(git(repo.path, "cat-file", "blob", "\x1b[2Jevil\x07"))
    assert caught.value.message.isprintable()
    assert plain("a\x1b[2J\tb\nc") == "a\ufffd[2J b\ufffdc"


def test_a_missing_git_says_what_to_install(repo: Repo) -> None:
    with pytest.raises(RepositoryError, match="git is not installed") as caught:
        run(Git(LocalProcess(), {"PATH": "/nonexistent"})(repo.path, "version"))
    assert caught.value.next_step


def test_more_output_than_is_read_is_an_error_not_a_part(repo: Repo, person_home: Path) -> None:
    git = Git(LocalProcess(output_limit=100), person_environment(person_home))
    with pytest.raises(RepositoryError, match="git cat-file printed more than 100 bytes"):
        run(git(repo.path, "cat-file", "-p", repo.git("hash-object", "-w", "--stdin", stdin=b"x" * 101)))
