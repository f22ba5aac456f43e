"""Runs that are stopped: killed, parked, interrupted, cancelled; and taken up again without paying twice."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from review_world import DIVISION, LEAK, Ran, World, eventually

from moot.core.process import Ending, Exited
from moot.process.local import LocalProcess

SLOW = f"time.sleep(0.8); review([{DIVISION!r}]) if node == 'review' else rule()"


def begin(world: World, *agents: str) -> subprocess.Popen[str]:
    """Start a review and wait until these agents work on it."""
    child = world.start("review", "--json")
    eventually(lambda: {e.agent for e in world.diary()} >= set(agents) or child.poll() is not None)
    assert child.poll() is None, ended(child)
    return child


def kill(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


def ended(child: subprocess.Popen[str]) -> Ran:
    out, err = child.communicate(timeout=60)
    assert "Traceback" not in err
    return Ran(child.returncode, out, err)


def jobs(world: World) -> list[Path]:
    return [path.parent for path in world.run.rglob("job.json")]


def all_stopped(world: World) -> bool:
    states = [LocalProcess().look(job) for job in jobs(world)]
    return all(isinstance(s, Exited) and s.ending is Ending.STOPPED for s in states)


@pytest.fixture
def slow(world: World) -> World:
    world.agent("one", SLOW)
    world.agent("two", f"time.sleep(0.8); review([{LEAK!r}])")
    world.agent("chief", SLOW)
    world.panel("one", "two", judge="chief", judge_own_pass=False)
    return world


@pytest.mark.parametrize("during", [("one", "two"), ("chief",)])
def test_a_killed_run_is_finished_without_paying_twice(slow: World, during: tuple[str, ...]) -> None:
    kill(begin(slow, *during))
    run = slow.run.name
    shown = slow.moot("show", run).out
    assert shown.startswith("STOPPED")
    assert f"which drove it, is gone; nothing is lost\nnext: moot runs resume {run[-4:]}" in shown
    assert " stopped " in slow.moot("runs", "list").out
    assert [r["id"] for r in slow.moot("runs", "list", "--json", "--unfinished").result] == [run]
    ran = slow.moot("runs", "resume", run[-4:], "--json")
    assert (ran.code, ran.result["status"], ran.result["run"]) == (1, "complete", run)
    assert sorted(ran.titles) == sorted([DIVISION["title"], LEAK["title"]])
    assert sorted(e.agent for e in slow.diary()) == ["chief", "one", "two"]
    assert all(s["turns"] == 1 for s in ran.result["seats"])


def test_a_run_is_parked_from_another_process_and_goes_on_later(slow: World) -> None:
    child = begin(slow, "one", "two")
    run = slow.run.name
    driven = slow.moot("show", run).out
    assert "RUNNING" in driven
    assert f"driven by process {child.pid}" in driven
    refused = slow.moot("runs", "resume", run)
    assert refused.code == 2
    assert f"is being driven by another moot (process {child.pid} on " in refused.err
    assert slow.moot("runs", "rm", run).code == 2
    asked = slow.moot("runs", "park", run)
    assert (asked.code, asked.out) == (0, f"asked run {run[-4:]} to park\n")
    ran = ended(child)
    assert (ran.code, ran.out) == (130, "")
    assert f"parked run {run[-4:]}: nothing is lost" in ran.err
    assert f"next: moot runs resume {run[-4:]}" in ran.err
    assert slow.moot("show", run).out.startswith("PARKED")
    again = slow.moot("runs", "resume", "--json")
    assert (again.code, again.result["status"]) == (1, "complete")
    assert sorted(e.agent for e in slow.diary()) == ["chief", "one", "two"]


def test_ctrl_c_parks_the_run(slow: World) -> None:
    child = begin(slow, "one", "two")
    child.send_signal(signal.SIGINT)
    ran = ended(child)
    assert (ran.code, ran.out) == (130, "")
    assert "parking" in ran.err
    assert f"next: moot runs resume {slow.run.name[-4:]}" in ran.err
    assert slow.moot("runs", "resume", slow.run.name).code == 1
    assert sorted(e.agent for e in slow.diary()) == ["chief", "one", "two"]


def test_ctrl_c_before_anybody_is_asked_leaves_quietly(world: World) -> None:
    world.reviewer("one")
    world.panel("one")
    shim = world.folder / "shim" / "git"
    shim.parent.mkdir()
    once = f"mkdir {world.folder}/typed 2> /dev/null && kill -INT $PPID"
    shim.write_text(f'#!/bin/sh\n{once}\nexec {shutil.which("git")} "$@"\n')
    shim.chmod(0o755)
    ran = ended(world.start("review", env={"PATH": f"{shim.parent}:{os.environ['PATH']}"}))
    assert (ran.code, ran.out, ran.err) == (130, "", "\n")
    assert world.runs() == []


def test_ctrl_c_while_a_patch_is_typed_in_leaves_at_once(world: World) -> None:
    class Typing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("it reads on")

    ran = world.moot("review", "--diff", "-", stdin=Typing())
    assert (ran.code, ran.out, ran.err) == (130, "", "\n")


@pytest.fixture
def endless(world: World) -> World:
    for name in ("one", "two"):
        world.agent(name, "time.sleep(600)")
    world.panel("one", "two", checks=["sleep 600"])
    return world


@pytest.mark.parametrize("driven", [True, False])
def test_cancelling_ends_everything_that_runs(endless: World, driven: bool) -> None:
    child = begin(endless, "one", "two")
    eventually(lambda: len(jobs(endless)) == 3)
    run = endless.run.name
    if not driven:
        kill(child)
    asked = endless.moot("runs", "cancel", run)
    assert asked.code == 0
    if driven:
        ran = ended(child)
        assert (ran.code, ran.out) == (130, "")
        assert f"run {run[-4:]} was cancelled" in ran.err
    eventually(lambda: all_stopped(endless))
    assert [p.name for p in (endless.home / "checkouts").iterdir()] == [".moot"]
    assert endless.moot("show", run).out.startswith("CANCELLED")
    refused = endless.moot("runs", "resume", run)
    assert refused.code == 2
    assert "was cancelled" in refused.err


def test_resuming_an_incomplete_run_asks_only_who_failed(world: World) -> None:
    world.reviewer("good", DIVISION)
    world.agent("flaky", "sys.exit('Not logged in')")
    world.reviewer("chief")
    world.panel("good", "flaky", judge="chief", judge_own_pass=False)
    first = world.review()
    assert (first.code, first.result["status"]) == (3, "incomplete")
    ids = {f["title"]: f["id"] for f in first.result["findings"]}
    unchanged = world.moot("runs", "resume", first.result["run"], "--json")
    assert (unchanged.code, unchanged.result["findings"]) == (3, first.result["findings"])
    world.rewrite("flaky", f"review([{LEAK!r}])")
    again = world.moot("runs", "resume", first.result["run"], "--json")
    assert (again.code, again.result["status"], again.result["run"]) == (1, "complete", first.result["run"])
    assert {n: len(world.diary(n)) for n in ("good", "flaky", "chief")} == {"good": 1, "flaky": 3, "chief": 2}
    now = {f["title"]: f["id"] for f in again.result["findings"]}
    assert now == {**ids, LEAK["title"]: "F2"}
    assert {f["ruling"] for f in again.result["findings"]} == {"keep"}
    complete = world.moot("runs", "resume", first.result["run"])
    assert complete.code == 2
    assert "is complete" in complete.err


def test_a_stalled_run_cannot_be_parked_out_of_its_retry(world: World) -> None:
    world.agent("tired", "sys.exit('You have hit your usage limit, try again at 2033-05-18T03:33:00Z')")
    world.panel("tired")
    ran = world.review()
    assert (ran.code, ran.result["status"]) == (4, "stalled")
    parked = world.moot("runs", "park", ran.result["run"])
    assert parked.code == 2
    assert "is stalled" in parked.err
    assert world.moot("show", ran.result["run"]).out.startswith("STALLED")


def test_resume_without_a_name_takes_up_all_that_is_unfinished_here(world: World) -> None:
    world.agent("one", "time.sleep(0.5); review()")
    world.panel("one")
    for turns in (1, 2):
        child = world.start("review")
        eventually(lambda turns=turns: len(world.diary()) == turns)
        kill(child)
    ran = world.moot("runs", "resume")
    assert ran.code == 0
    assert ran.out.count("APPROVE") == 2
    assert len(world.diary()) == 2
    assert "nothing to resume here" in world.moot("runs", "resume").err


def test_a_removed_run_is_gone_and_its_costs_are_not(world: World) -> None:
    world.claude("opus", f"review([{DIVISION!r}])")
    world.panel("opus")
    ran = world.review()
    run = ran.result["run"]
    folder = world.run
    assert folder.name == run
    removed = world.moot("runs", "rm", run)
    assert (removed.code, removed.out) == (0, f"removed run {run[-4:]}\n")
    assert not folder.exists()
    assert world.moot("show", run).code == 2
    assert world.moot("runs", "list", "--json").result == []
    (booked,) = world.moot("stats", "--json").result
    assert (booked["agent"], booked["turns"], booked["cost_usd"]) == ("opus", 1, 0.25)
    again = world.review()
    assert again.result["findings"][0]["id"] == "F1"
