"""The project's own checks: run once per head, behind the boundary, told to the judge and in the report."""

from __future__ import annotations

import shutil

import pytest
from review_world import DIVISION, Ran, World

FAILS = "echo $((3 - 2)) failed, 2 passed; exit 1"
SLOW = "echo begun; sleep 60"


@pytest.fixture(scope="module")
def checks() -> dict[str, str]:
    """The commands, by what comes of them."""
    passes = "test -f calc.py && echo all good && echo more >> calc.py && git log -1 --format=%s"
    return {"passed": passes, "failed": FAILS, "could not be run": SLOW}


@pytest.fixture(scope="module")
def ran(shared: World, checks: dict[str, str]) -> Ran:
    shared.reviewer("one", DIVISION)
    shared.reviewer("chief")
    shared.table("roles.late", agent="one", after=["one"])
    shared.panel("one", "late", judge="chief", judge_own_pass=False, checks=list(checks.values()), check_timeout="0.5s")
    return shared.review()


def test_every_check_is_told_with_its_outcome_and_output(ran: Ran, checks: dict[str, str]) -> None:
    passed, failed, slow = ran.result["checks"]
    assert [c["command"] for c in (passed, failed, slow)] == list(checks.values())
    assert (passed["ok"], failed["ok"], slow["ok"]) == (True, False, None)
    assert passed["tail"] == "all good\nadd division and saving"
    assert failed["tail"] == "1 failed, 2 passed"
    assert slow["tail"].startswith("timed out after ")
    assert "begun" in slow["tail"]


def test_checks_reach_the_judge_and_later_readers_as_a_file(ran: Ran, shared: World, checks: dict[str, str]) -> None:
    path = shared.run / "files" / "checks.md"
    told = path.read_text()
    for word, command in checks.items():
        assert f"## `{command}`: {word}\n" in told
    assert "1 failed, 2 passed" in told
    assert f"`{path}`" in shared.prompt("judge", "rule-")
    assert f"`{path}`" in shared.prompt("reviewer-late")
    assert str(path) not in shared.prompt("reviewer-one")


def test_checks_are_in_the_report(ran: Ran, shared: World) -> None:
    for form in ("text", "md", "html"):
        assert "1 failed, 2 passed" in shared.moot("show", ran.result["run"], "--format", form).out


def test_what_a_check_writes_stays_in_its_checkout(ran: Ran, shared: World) -> None:
    assert shared.git("status", "--porcelain") == ""


def test_a_check_that_passed_is_run_once_per_head(ran: Ran, shared: World, checks: dict[str, str]) -> None:
    again = shared.review()
    job = shared.run / "checks"
    assert sorted(p.name for p in job.iterdir()) == ["2", "3"]  # what failed may have been mended outside the change
    assert [c["ok"] for c in again.result["checks"]] == [True, False, None]
    assert again.result["checks"][0] == ran.result["checks"][0]
    assert f"## `{FAILS}`: failed" in (shared.run / "files" / "checks.md").read_text()
    shared.commit({"calc.py": "def add(a, b):\n    return b + a\n"})
    shared.table("review", checks=[FAILS])
    shared.review("--judge", "rules", "--reviewers", "one")
    assert sorted(p.name for p in (shared.run / "checks").iterdir()) == ["1"]


def test_a_check_sees_neither_the_home_nor_the_persons_secrets(world: World, cage: None) -> None:
    (world.person / "diary.txt").write_text("dear diary")
    world.reviewer("one")
    reads = f"cat {world.person}/diary.txt {world.home}/ledger.db; env"
    world.panel("one", checks=[reads, f"touch {world.repo}/planted"])
    ran = world.review(env={"GH_TOKEN": "gho_secret"})
    looked, _ = ran.result["checks"]
    assert "dear diary" not in looked["tail"]
    assert "SQLite" not in looked["tail"]
    assert "gho_secret" not in looked["tail"]
    assert "CI=true" in looked["tail"]
    assert not (world.repo / "planted").exists()


def test_a_check_whose_program_is_missing_fails(world: World) -> None:
    world.reviewer("one")
    world.panel("one", checks=["no-such-program --check"])
    (check,) = world.review().result["checks"]
    assert check["ok"] is False
    assert "not found" in check["tail"]
    assert shutil.which("no-such-program") is None
