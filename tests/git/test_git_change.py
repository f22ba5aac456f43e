"""What a person asks for becomes the right two ends; what cannot be asked for is a clear error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from git_support import Repo, new_repo, person_environment, run

from moot.core.change import Change, FrozenDiff, Source
from moot.core.errors import RepositoryError, UsageError
from moot.git.change import freeze, is_empty
from moot.git.run import Git
from moot.git.target import Patch, Range, Revision, Target, WorkTree
from moot.process.local import LocalProcess

Froze = Callable[..., tuple[Change, FrozenDiff]]


def paths(diff: FrozenDiff) -> set[str]:
    return {f.path for f in diff.files}


@pytest.fixture
def topic(repo: Repo) -> Repo:
    """On `topic`, two commits after `main`, which has moved on by one."""
    repo.git("checkout", "-qb", "topic")
    repo.commit("Add c", **{"c.txt": "c\n"})
    repo.commit("Change a\n\nBecause it was wrong.", **{"a.txt": "topic\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("meanwhile", **{"m.txt": "m\n"})
    repo.git("checkout", "-q", "topic")
    return repo


@pytest.fixture
def cloned(repo: Repo, tmp_path: Path) -> Repo:
    """A clone of a repository whose default branch is main, on a pushed branch `topic` with one commit."""
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone", repo.home)
    clone.git("checkout", "-qb", "topic")
    clone.commit("work", **{"c.txt": "c\n"})
    clone.git("push", "-q", "-u", "origin", "topic")
    return clone


def test_a_branch_is_compared_from_where_it_left_its_base(topic: Repo, froze: Froze) -> None:
    change, diff = froze(topic)
    assert paths(diff) == {"a.txt", "c.txt"}
    assert change.label == "topic → main"
    assert change.base == topic.git("rev-parse", "main")
    assert change.merge_base == topic.git("rev-parse", "main~1")
    assert change.head == topic.git("rev-parse", "topic")


def test_uncommitted_work_lies_on_top_of_the_branch(topic: Repo, froze: Froze) -> None:
    topic.write("u.txt", "u\n")
    change, diff = froze(topic)
    assert paths(diff) == {"a.txt", "c.txt", "u.txt"}
    assert change.label == "topic + working tree → main"
    assert change.head_tip == topic.git("rev-parse", "topic")


def test_on_the_base_itself_only_uncommitted_work_is_looked_at(topic: Repo, froze: Froze) -> None:
    topic.git("checkout", "-q", "main")
    assert is_empty(froze(topic)[1])
    topic.write("u.txt", "u\n")
    change, diff = froze(topic)
    assert paths(diff) == {"u.txt"}
    assert change.label == "working tree → main"


def test_messages_of_the_commits_tell_what_the_change_is_for(topic: Repo, froze: Froze) -> None:
    change, _ = froze(topic)
    assert (change.title, change.body) == ("", "Change a\n\nBecause it was wrong.\n\nAdd c")
    assert froze(topic, Range("topic~1", "topic", ".."))[0].title == "Change a"


def test_an_upstream_of_the_same_name_is_where_a_branch_is_pushed_not_its_base(cloned: Repo, froze: Froze) -> None:
    change, diff = froze(cloned)
    assert paths(diff) == {"c.txt"}
    assert change.label == "topic → origin/main"


def test_an_upstream_of_another_name_is_the_base(cloned: Repo, froze: Froze) -> None:
    cloned.git("checkout", "-qb", "next")
    cloned.commit("next", **{"d.txt": "d\n"})
    cloned.git("branch", "-q", "--set-upstream-to", "origin/topic")
    change, diff = froze(cloned)
    assert paths(diff) == {"d.txt"}
    assert change.label == "next → origin/topic"


def test_an_upstream_that_is_gone_is_passed_over(cloned: Repo, froze: Froze) -> None:
    cloned.git("branch", "-q", "--set-upstream-to", "origin/topic")
    cloned.git("branch", "-qm", "renamed")
    cloned.git("update-ref", "-d", "refs/remotes/origin/topic")
    assert froze(cloned)[0].label == "renamed → origin/main"


def test_an_unpushed_main_is_compared_with_its_remote(cloned: Repo, froze: Froze) -> None:
    cloned.git("checkout", "-q", "main")
    cloned.commit("unpushed", **{"e.txt": "e\n"})
    change, diff = froze(cloned)
    assert paths(diff) == {"e.txt"}
    assert change.label == "main → origin/main"


def test_without_any_base_only_uncommitted_work_is_looked_at_and_that_is_said(repo: Repo, froze: Froze) -> None:
    repo.git("branch", "-qm", "trunk")
    repo.write("u.txt", "u\n")
    change, diff = froze(repo)
    assert paths(diff) == {"u.txt"}
    assert change.notes == ("no branch to compare with was found, only uncommitted work is looked at (--base)",)
    with pytest.raises(RepositoryError, match="no branch to compare trunk with") as caught:
        froze(repo, Revision("trunk"))
    assert "--base" in (caught.value.next_step or "")


def test_a_named_base_wins(topic: Repo, froze: Froze) -> None:
    change, diff = froze(topic, base="topic~1")
    assert paths(diff) == {"a.txt"}
    assert change.label == "topic → topic~1"
    topic.git("checkout", "-q", "main")
    assert paths(froze(topic, base="main~1")[1]) == {"m.txt"}


def test_a_detached_head_is_compared_like_a_branch_without_upstream(topic: Repo, froze: Froze) -> None:
    tip = topic.git("rev-parse", "topic")
    topic.git("checkout", "-q", "--detach")
    change, diff = froze(topic)
    assert paths(diff) == {"a.txt", "c.txt"}
    assert change.label == f"{tip[:12]} → main"


def test_a_branch_elsewhere_is_looked_at_without_the_work_tree(topic: Repo, froze: Froze) -> None:
    topic.git("checkout", "-q", "main")
    topic.write("u.txt", "u\n")
    for name in ("topic", "refs/heads/topic", "heads/topic"):
        change, diff = froze(topic, Revision(name))
        assert paths(diff) == {"a.txt", "c.txt"}
        assert (change.label, change.source, change.head_tip) == ("topic → main", Source.BRANCH, None)
        assert change.subject.endswith("#topic")


def test_the_base_branch_named_as_the_target_is_an_empty_change(topic: Repo, froze: Froze) -> None:
    assert is_empty(froze(topic, Revision("main"))[1])


def test_a_commit_that_is_in_the_base_already_is_empty_and_says_how_to_name_it(topic: Repo, froze: Froze) -> None:
    change, diff = froze(topic, Revision("main~1"))
    assert is_empty(diff)
    assert change.notes == ("main~1 is part of main; a range names commits in it: A..B",)


@pytest.mark.parametrize("dots", ["..", "..."])
def test_a_range_is_what_its_head_has_that_its_base_has_not(dots: str, topic: Repo, froze: Froze) -> None:
    change, diff = froze(topic, Range("main", "topic", dots))
    assert paths(diff) == {"a.txt", "c.txt"}
    assert change.source is Source.RANGE
    said = (f"main is not part of topic, compared from their merge base {change.merge_base[:12]}",)
    assert change.notes == (said if dots == ".." else ())


def test_a_range_of_one_commit_is_that_commit(topic: Repo, froze: Froze) -> None:
    change, diff = froze(topic, Range("topic~2", "topic~1", ".."))
    assert paths(diff) == {"c.txt"}
    assert change.notes == ()
    assert change.subject.endswith("#topic~1")


def test_tags_and_short_ids_name_commits(topic: Repo, froze: Froze) -> None:
    topic.git("tag", "-a", "v1", "-m", "v1", "topic~1")
    assert paths(froze(topic, Range("v1", topic.git("rev-parse", "--short", "topic"), ".."))[1]) == {"a.txt"}


def test_a_branch_is_meant_where_a_tag_has_its_name(topic: Repo, froze: Froze) -> None:
    for name in ("topic", "main"):
        topic.git("tag", name, "topic~1")
    change, diff = froze(topic, Revision("topic"), base="main")
    assert paths(diff) == {"a.txt", "c.txt"}
    assert (change.base, change.head) == (topic.git("rev-parse", "heads/main"), topic.git("rev-parse", "heads/topic"))
    assert froze(topic, base="tags/main")[0].base == topic.git("rev-parse", "topic~1^{commit}")


PATCH = b"""\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+patched
diff --git a/new.txt b/new.txt
new file mode 100755
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
"""


def test_a_patch_is_applied_to_head_whatever_the_work_tree_holds(repo: Repo, froze: Froze) -> None:
    repo.write("a.txt", "dirty\n")
    repo.git("add", "a.txt")
    change, diff = froze(repo, Patch("fixes/one.patch", PATCH))
    assert paths(diff) == {"a.txt", "new.txt"}
    assert (change.label, change.source) == ("one.patch → main", Source.PATCH)
    assert change.head_tip == change.base == change.merge_base == repo.git("rev-parse", "HEAD")
    assert change.subject.endswith("#patch/one.patch")
    assert froze(repo, Patch("-", PATCH))[0].head_name == "standard input"


def test_a_patch_is_applied_to_a_named_base(topic: Repo, froze: Froze) -> None:
    change, _ = froze(topic, Patch("p", PATCH), base="main")
    assert change.label == "p → main"
    assert change.base == topic.git("rev-parse", "main")


def test_a_patch_that_git_made_of_a_mail_or_with_binaries_applies(topic: Repo, froze: Froze) -> None:
    topic.git("checkout", "-qb", "binary", "main")
    topic.commit("binary", **{"b.bin": b"\0\1"})
    patch = topic.raw("format-patch", "--stdout", "main..binary")
    assert paths(froze(topic, Patch("m", patch), base="main")[1]) == {"b.bin"}


def test_a_patch_in_a_repository_without_commits_applies_to_nothing(
    tmp_path: Path, person_home: Path, froze: Froze
) -> None:
    repo = new_repo(tmp_path / "r", person_home)
    assert paths(froze(repo, Patch("p", PATCH[PATCH.index(b"diff --git a/new") :]))[1]) == {"new.txt"}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (PATCH.replace(b"-one", b"-other"), "does not apply to main: patch failed: a.txt:1"),
        (PATCH.replace(b"a.txt", b"../a.txt"), "does not apply to main: ../a.txt: does not exist in index"),
        (PATCH.replace(b"new.txt", b".git/config"), "does not apply to main: invalid path"),
        (b"no patch at all\n", "does not apply to main: No valid patches"),
        (PATCH[:-6], "does not apply to main: corrupt patch"),
    ],
)
def test_a_patch_that_does_not_apply_is_a_clear_error(patch: bytes, reason: str, repo: Repo, froze: Froze) -> None:
    with pytest.raises(RepositoryError, match=reason) as caught:
        froze(repo, Patch("p", patch))
    assert (caught.value.where, caught.value.exit_code) == ("p", 2)


def test_an_empty_patch_is_an_empty_change(repo: Repo, froze: Froze) -> None:
    assert is_empty(froze(repo, Patch("p", b"\n"))[1])


def test_a_bare_repository_is_reviewed_by_its_branches(topic: Repo, tmp_path: Path, froze: Froze) -> None:
    topic.git("clone", "-q", "--bare", str(topic.path), str(tmp_path / "bare.git"))
    bare = Repo(tmp_path / "bare.git", topic.home)
    change, diff = froze(bare, Revision("topic"))
    assert paths(diff) == {"a.txt", "c.txt"}
    assert change.repo == str(bare.path)
    bare.git("symbolic-ref", "HEAD", "refs/heads/topic")
    assert paths(froze(bare)[1]) == {"a.txt", "c.txt"}


def test_a_bare_repository_found_around_a_directory_is_not_obeyed(topic: Repo, tmp_path: Path, froze: Froze) -> None:
    topic.git("clone", "-q", "--bare", str(topic.path), str(topic.file("bare.git")))
    with pytest.raises(RepositoryError, match="bare repository"):
        froze(Repo(topic.file("bare.git/refs"), topic.home))


@pytest.mark.parametrize(
    ("target", "base", "unknown"),
    [
        (Revision("nope"), None, "'nope'"),
        (Range("main", "nope", ".."), None, "'nope'"),
        (Range("nope", "main", ".."), None, "'nope'"),
        (WorkTree(), "nope", "'nope'"),
        (Revision("HEAD:a.txt"), None, "'HEAD:a.txt'"),
        (Patch("p", PATCH), "nope", "'nope'"),
    ],
)
def test_an_unknown_revision_is_named(target: Target, base: str | None, unknown: str, repo: Repo, froze: Froze) -> None:
    with pytest.raises(RepositoryError, match=f"unknown revision {unknown}") as caught:
        froze(repo, target, base=base)
    assert caught.value.exit_code == 2


def test_a_mistyped_revision_comes_with_the_nearest_one(cloned: Repo, froze: Froze) -> None:
    for typed, meant in (("topci", "topic"), ("origin/man", "origin/main")):
        with pytest.raises(RepositoryError) as caught:
            froze(cloned, Revision(typed))
        assert caught.value.next_step == f"did you mean {meant!r}?"


def test_a_base_that_git_would_take_for_an_option_is_refused(repo: Repo, froze: Froze) -> None:
    with pytest.raises(UsageError):
        froze(repo, base="--output=/tmp/x")


def test_a_directory_without_a_repository_says_so(tmp_path: Path, person_home: Path, froze: Froze) -> None:
    with pytest.raises(RepositoryError, match="not a git repository") as caught:
        froze(Repo(tmp_path, person_home))
    assert caught.value.next_step
    with pytest.raises(RepositoryError, match="no such directory"):
        froze(Repo(tmp_path / "missing", person_home))


def test_unrelated_histories_are_an_error_that_suggests_a_base(repo: Repo, froze: Froze) -> None:
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("unrelated", x="x\n")
    with pytest.raises(RepositoryError, match="no merge base between other and main: their histories") as caught:
        froze(repo)
    assert "--base" in (caught.value.next_step or "")


def test_a_shallow_clone_without_the_merge_base_says_how_to_get_it(topic: Repo, tmp_path: Path, froze: Froze) -> None:
    source = f"file://{topic.path}"
    topic.git("clone", "-q", "--depth=1", "--no-single-branch", source, str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow", topic.home)
    with pytest.raises(
        RepositoryError, match=r"no merge base between topic and origin/main \(shallow clone\)"
    ) as caught:
        froze(shallow, Revision("topic"), base="origin/main")
    assert caught.value.next_step == "git fetch --unshallow"
    shallow.git("fetch", "-q", "--unshallow")
    assert paths(froze(shallow, Revision("topic"), base="origin/main")[1]) == {"a.txt", "c.txt"}


def test_a_shallow_clone_with_the_merge_base_is_fine(topic: Repo, tmp_path: Path, froze: Froze) -> None:
    topic.git("clone", "-q", "--depth=3", "--no-single-branch", f"file://{topic.path}", str(tmp_path / "shallow"))
    assert paths(froze(Repo(tmp_path / "shallow", topic.home), base="origin/main")[1]) == {"a.txt", "c.txt"}


def test_an_unborn_branch_cannot_be_compared_with_a_named_base(repo: Repo, froze: Froze) -> None:
    repo.git("checkout", "-q", "--orphan", "fresh")
    repo.write("x", "x\n")
    assert "x" in paths(froze(repo)[1])
    with pytest.raises(RepositoryError, match="no commit yet to compare with main"):
        froze(repo, base="main")


def test_a_partial_clone_without_the_objects_fetches_nothing_and_says_how(
    topic: Repo, tmp_path: Path, froze: Froze
) -> None:
    topic.git("config", "uploadpack.allowFilter", "true")
    topic.git("clone", "-q", "--filter=blob:none", f"file://{topic.path}", str(tmp_path / "partial"))
    partial = Repo(tmp_path / "partial", topic.home)
    with pytest.raises(RepositoryError, match="an object is missing") as caught:
        froze(partial, Range("origin/topic", "origin/main", "..."))
    hint = (caught.value.next_step or "").split(" in the repository")[0]
    partial.git(*hint.split(" ")[1:])
    assert paths(froze(partial, Range("origin/topic", "origin/main", "..."))[1]) == {"m.txt"}


def test_a_configured_work_tree_elsewhere_is_refused(repo: Repo, tmp_path: Path, froze: Froze) -> None:
    repo.git("config", "core.worktree", str(tmp_path))
    with pytest.raises(RepositoryError, match="as its work tree, which is not where it lies"):
        froze(repo)


def test_a_repository_of_somebody_else_is_trusted_only_where_the_person_says_so(
    repo: Repo, moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Foreign(LocalProcess):
        """Makes git take every repository for somebody else's, as its own tests do."""

        async def run(self, command, input=None):  # noqa: A002
            env = {**command.env, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
            return await super().run(type(command)(command.argv, command.cwd, env, None, command.limits), input)

    git = Git(Foreign(), person_environment(repo.home))
    with pytest.raises(RepositoryError, match="dubious ownership") as caught:
        run(freeze(git, repo.path, WorkTree(), moot_home))
    assert caught.value.next_step == f"git config --global --add safe.directory {repo.path}"
    repo.git("config", "--global", "--add", "safe.directory", str(repo.path))
    assert run(freeze(git, repo.path, WorkTree(), moot_home)).head == repo.git("rev-parse", "HEAD")


def test_many_moots_may_freeze_at_once(topic: Repo, git: Git, moot_home: Path) -> None:
    topic.write("u.txt", "u\n")

    async def at_once() -> list[Change]:
        return await asyncio.gather(*(freeze(git, topic.path, WorkTree(), moot_home) for _ in range(6)))

    assert len(set(run(at_once()))) == 1


def test_a_frozen_commit_survives_collection_of_the_store(topic: Repo, froze: Froze) -> None:
    topic.write("u.txt", "u\n")
    change, _ = froze(topic)
    store = Repo(Path(change.store), topic.home)
    store.git("gc", "-q", "--prune=now")
    assert store.git("cat-file", "-t", f"{change.head}:u.txt") == "blob"
    assert froze(topic)[0] == change


def test_borrowed_objects_of_borrowed_objects_are_found(topic: Repo, tmp_path: Path, froze: Froze) -> None:
    topic.git("clone", "-q", "--shared", str(topic.path), str(tmp_path / "shared"))
    assert paths(froze(Repo(tmp_path / "shared", topic.home), base="origin/main")[1]) == {"a.txt", "c.txt"}


def test_replaced_objects_are_not_believed(topic: Repo, froze: Froze) -> None:
    topic.git("replace", topic.git("rev-parse", "topic"), topic.git("rev-parse", "main"))
    assert paths(froze(topic)[1]) >= {"c.txt"}


def test_odd_directory_names_are_no_obstacle(tmp_path: Path, person_home: Path, froze: Froze) -> None:
    for name in ('quo"te', "#hash", "sp ace", "ünï", '"#'):
        repo = new_repo(tmp_path / name, person_home)
        repo.commit("one", a="1\n")
        repo.write("a", "2\n")
        change, diff = froze(repo)
        assert paths(diff) == {"a"}
        assert Path(change.store).name.isascii()
