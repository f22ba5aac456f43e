"""What is reviewed: every form of a change through the command line, and nothing of the person's touched by any."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from review_world import HEAD, Ran, World


def everything(top: Path) -> dict[str, tuple[str, int, int]]:
    """Every file below a folder: its content, mode and time, git's own included."""
    return {
        str(path.relative_to(top)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else "",
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
        )
        for path in sorted(top.rglob("*"))
    }


@pytest.fixture
def looking(world: World) -> World:
    """A world with one reviewer, whose change file tells what it was shown."""
    world.reviewer("one")
    world.panel("one")
    return world


def shown(world: World) -> str:
    return (world.run / "files" / "change.md").read_text()


def test_a_whole_review_leaves_the_persons_repository_byte_identical(world: World) -> None:
    world.agent("one", "os.popen('git status; git log -1').read(); review()")
    world.reviewer("two")
    world.panel("one", "two", judge="two", checks=["git status", "rm -rf store.py"])
    world.write({"calc.py": HEAD["calc.py"] + "\n# staged\n", "new file.txt": "untracked\n", "ignored.log": "x"})
    world.git("add", "calc.py")
    world.write({"store.py": HEAD["store.py"] + "# unstaged\n", ".gitignore": "*.log\n"})
    (world.repo / "link").symlink_to("calc.py")
    (world.repo / "README.md").unlink()
    before = everything(world.repo)
    ran = world.review()
    assert (ran.code, ran.result["status"]) == (0, "complete")
    assert everything(world.repo) == before
    text = shown(world)
    for line in ("# staged", "# unstaged", "## new file.txt (added", "## README.md (deleted", "## link (added"):
        assert line in text
    assert "ignored.log" not in text.replace("*.log", "")
    assert (ran.result["change"]["source"], ran.result["change"]["head_name"]) == ("worktree", "topic + working tree")


def test_a_clean_branch_is_reviewed_against_its_base(looking: World) -> None:
    ran = looking.review()
    change = ran.result["change"]
    assert (change["files"], change["base_name"], change["merge_base"]) == (2, "main", looking.git("rev-parse", "main"))


def test_a_branch_that_is_not_checked_out(looking: World) -> None:
    looking.git("switch", "-q", "main")
    ran = looking.review("topic")
    change = ran.result["change"]
    assert (change["source"], change["head_name"], change["head"]) == (
        "branch",
        "topic",
        looking.git("rev-parse", "topic"),
    )


def test_a_range(looking: World) -> None:
    looking.commit({"later.py": "x = 1\n"})
    ran = looking.review("HEAD~1..HEAD")
    assert (ran.result["change"]["source"], ran.result["change"]["files"]) == ("range", 1)
    assert "## later.py (added" in shown(looking)


def test_another_base(looking: World) -> None:
    looking.commit({"later.py": "x = 1\n"})
    ran = looking.review("--base", "HEAD~1")
    assert (ran.result["change"]["files"], ran.result["change"]["base_name"]) == (1, "HEAD~1")


PATCH = """\
--- a/calc.py
+++ b/calc.py
@@ -4,3 +4,4 @@

 def div(a, b):
     return a / b
+# patched
"""


@pytest.mark.parametrize("given", ["file", "-"])
def test_a_patch_from_a_file_or_standard_input(looking: World, given: str) -> None:
    path = looking.folder / "some.diff"
    path.write_text(PATCH)
    ran = looking.review("--diff", str(path) if given == "file" else "-", stdin=PATCH.encode())
    assert (ran.result["change"]["source"], ran.result["change"]["added"]) == ("patch", 1)
    assert "+|# patched" in shown(looking)
    assert looking.git("status", "--porcelain") == ""


def test_another_repository(looking: World, tmp_path: Path) -> None:
    there = tmp_path / "elsewhere"
    looking.git("clone", "-q", str(looking.repo), str(there))
    (there / "calc.py").write_text("# changed there\n")
    ran = looking.review("-C", str(there))
    assert ran.result["change"]["repo"] == os.path.realpath(there)
    assert "+|# changed there" in shown(looking)


@pytest.mark.parametrize("arguments", [(), ("HEAD..HEAD",)])
def test_an_empty_change_asks_nobody(looking: World, arguments: tuple[str, ...]) -> None:
    looking.git("switch", "-q", "main")
    ran = looking.moot("review", *arguments)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("nothing to review: ")
    assert looking.diary() == []
    assert not list((looking.home / "runs").glob("*"))


def errors(ran: Ran) -> str:
    assert (ran.code, ran.out) == (2, "")
    assert "next: " in ran.err
    return ran.err


def test_outside_a_repository(looking: World, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert "git repository" in errors(looking.moot("review", "-C", str(tmp_path / "plain")))


@pytest.mark.parametrize("arguments", [("nosuch",), ("main..nosuch",), ("--base", "nosuch")])
def test_an_unknown_revision(looking: World, arguments: tuple[str, ...]) -> None:
    assert "nosuch" in errors(looking.moot("review", *arguments))


def test_a_shallow_clone_without_the_merge_base(looking: World, tmp_path: Path) -> None:
    looking.git("switch", "-q", "main")
    looking.commit({"other.py": "y = 1\n"})
    looking.git("switch", "-q", "topic")
    there = tmp_path / "shallow"
    looking.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{looking.repo}", str(there))
    assert "git fetch --unshallow" in errors(looking.moot("review", "-C", str(there), "--base", "origin/main"))


def test_a_patch_that_does_not_apply(looking: World) -> None:
    bad = PATCH.replace("def div(a, b):", "def divide(a, b):")
    assert "-" in errors(looking.moot("review", "--diff", "-", stdin=bad.encode()))


def test_a_patch_and_a_target_are_two_changes(looking: World) -> None:
    assert "--diff names the change itself" in errors(looking.moot("review", "topic", "--diff", "-"))


def test_a_large_change_is_read_in_batches(world: World) -> None:
    world.commit(
        {f"part{n}/code.py": f"x = {n}  # {'y' * 700}\n" for n in range(3)} | {"uv.lock": "a\n", "x.min.js": "b"}
    )
    world.reviewer("one", session=True)
    world.reviewer("chief")
    world.table("change", batch="1KB")
    world.panel("one", judge="chief")
    ran = world.review()
    files = sorted((world.run / "files").glob("change-*"))
    assert len(files) >= 3
    for agent, seat in (("one", "reviewer-one"), ("chief", "judge")):
        asked = [e.turn for e in world.diary(agent)]
        assert asked == [f"review-{n}.1" for n in range(1, len(files) + 1)]
        assert ran.seat(seat)["turns"] == len(files)
        assert ran.seat(seat)["coverage"] == 1.0
    for n, file in enumerate(files, 1):
        prompt = world.prompt("reviewer-one", f"review-{n}")
        assert f"`{file}`" in prompt
        assert f"part {n} of {len(files)}" in prompt
    assert {s["path"] for s in ran.result["coverage"]["skipped"]} == {"uv.lock", "x.min.js"}
    assert (ran.code, ran.result["verdict"], ran.result["coverage"]["read"]) == (0, "approve", 5)
    assert "uv.lock" in world.moot("show", ran.result["run"]).out


def test_a_reviewer_that_fails_in_one_batch_has_failed(world: World) -> None:
    world.commit({f"part{n}/code.py": f"x = {n}  # {'y' * 700}\n" for n in range(2)})
    world.agent("one", "review() if turn.startswith('review-1') else sys.exit('Not logged in')")
    world.table("change", batch="1KB")
    world.panel("one")
    ran = world.review()
    seat = ran.seat("reviewer-one")
    assert (ran.code, seat["status"], seat["failure"]) == (3, "failed", "login")


def test_a_change_of_lock_files_alone_is_read_by_nobody(world: World) -> None:
    world.git("switch", "-q", "main")
    world.write({"package-lock.json": "{}\n"})
    world.reviewer("one")
    world.reviewer("chief")
    world.panel("one", judge="chief")
    ran = world.review()
    assert world.diary() == []
    assert ran.result["coverage"]["skipped"][0]["path"] == "package-lock.json"
    assert ran.seat("reviewer-one")["status"] == "skipped"
    assert ran.seat("reviewer-one")["note"] == "nothing of the change is to be read"
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (0, "complete", "comment")
    assert ran.result["verdict_reasons"] == ["Nothing could be read: 1 file skipped."]
    shown = world.moot("show", ran.result["run"]).out
    assert shown.startswith("COMMENT")
    assert "package-lock.json skipped" in shown
