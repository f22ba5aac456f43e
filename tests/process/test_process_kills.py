"""SIGKILL to runners, programs and both, at any moment: nothing is started twice, no end that anybody saw is lost."""

from __future__ import annotations

import json
import random
import threading
import time

import pytest
from process_support import LEAVE_STRAY, Jobs, eventually, gone, kill, number_in

from moot.core.process import Ending, Exited, Fresh, Lost, Running
from moot.process import tree
from moot.process.local import LocalProcess, runners, salvage

PROGRAM = "echo ran >>log; echo before; while [ ! -e go ]; do sleep 0.01; done; echo after; exit 7"


def let_go(jobs: Jobs) -> None:
    (jobs.folder / "go").touch()


def test_a_killed_leader_costs_nothing_not_even_the_exit_code(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    leader, watcher = jobs.pair(job)
    kill(leader)
    eventually(lambda: runners(job)[:1] == (watcher,) and len(runners(job)) == 2, "the watcher leads a new pair")
    let_go(jobs)
    exited = jobs.exited(job)
    assert (exited.ending, exited.code) == (Ending.EXITED, 7)
    assert (job / "stdout").read_text() == "before\nafter\n"
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_a_killed_watcher_is_replaced_and_its_successor_can_lead(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    leader, watcher = jobs.pair(job)
    kill(watcher)
    eventually(lambda: runners(job)[0] == leader and watcher not in runners(job) and len(runners(job)) == 2, "a pair")
    kill(leader)
    jobs.pair(job)
    let_go(jobs)
    exited = jobs.exited(job)
    assert exited.ending is Ending.EXITED
    assert exited.code is None  # the program was the killed leader's child, and its next of kin is init
    assert "unknown" in exited.detail
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_runners_killed_one_after_the_other_are_always_replaced(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    for position in (0, 1, 0, 0, 1, 0):
        kill(jobs.pair(job)[position])
    jobs.pair(job)
    let_go(jobs)
    assert jobs.exited(job).ending is Ending.EXITED
    assert (jobs.folder / "log").read_text() == "ran\n"


@pytest.mark.parametrize(
    ("limits", "ending"),
    [({"wall_s": 1.0}, Ending.TIMEOUT), ({"silence_s": 0.7}, Ending.SILENT)],
    ids=["wall", "silence"],
)
@pytest.mark.parametrize("killed", ["leader", "both"])
def test_limits_hold_after_a_kill(jobs: Jobs, limits: dict[str, float], ending: Ending, killed: str) -> None:
    job = jobs.start(jobs.command(LEAVE_STRAY + PROGRAM, **limits))
    stray = number_in(jobs.folder / "stray")
    pair = jobs.pair(job)
    kill(*(pair[:1] if killed == "leader" else pair))
    assert jobs.exited(job).ending is ending
    assert gone(stray)


def test_a_stop_asked_for_while_nobody_supervises_is_obeyed(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    kill(*jobs.pair(job))
    jobs.process.stop(job)
    assert jobs.exited(job).ending is Ending.STOPPED
    assert gone(jobs.program(job))


def test_with_both_runners_killed_the_program_goes_on_and_another_driver_adopts_it(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    program = jobs.program(job)
    kill(*jobs.pair(job))
    another = LocalProcess()
    assert isinstance(another.look(job), Running)
    another.start(job, jobs.command(PROGRAM))
    jobs.pair(job)
    assert tree.is_alive(program)
    let_go(jobs)
    exited = jobs.exited(job)
    assert (exited.ending, exited.code) == (Ending.EXITED, None)
    assert (job / "stdout").read_text() == "before\nafter\n"
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_an_end_that_nobody_saw_is_lost_and_the_job_is_not_started_again(jobs: Jobs) -> None:
    job = jobs.start(jobs.command("echo ran >>log; exec sleep 600"))
    program = jobs.program(job)
    eventually((jobs.folder / "log").exists, "it runs")
    kill(*jobs.pair(job))
    kill(program)
    assert jobs.process.look(job) == Lost()
    jobs.process.start(job, jobs.command("echo ran >>log"))
    assert jobs.process.look(job) == Lost()
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_a_lost_job_can_be_salvaged_unless_the_machine_was_restarted(jobs: Jobs) -> None:
    job = jobs.start(jobs.command("echo reply; exec sleep 600"))
    eventually(lambda: (job / "stdout").exists() and (job / "stdout").read_bytes(), "a reply")
    program = jobs.program(job)
    kill(*jobs.pair(job))
    kill(program)
    assert jobs.process.look(job) == Lost()
    known = salvage(job)
    assert known is not None
    assert (known.ending, known.code) == (Ending.EXITED, None)
    assert known.seconds >= 0
    claim = json.loads((job / "started").read_text())
    (job / "started").write_text(json.dumps({**claim, "stamp": "another-boot/1"}))
    assert jobs.process.look(job) == Lost()
    assert salvage(job) is None


def test_what_a_lost_program_left_running_is_ended_before_the_job_counts_as_lost(jobs: Jobs) -> None:
    job = jobs.start(jobs.command("sleep 600 & echo $! >child; wait"))
    child = number_in(jobs.folder / "child")
    program = jobs.program(job)
    kill(*jobs.pair(job))
    kill(program)
    assert isinstance(jobs.process.look(job), Running)
    assert jobs.over(job) == Lost()
    assert not tree.is_alive(child)


def test_a_request_to_terminate_a_runner_stops_the_job(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    leader, watcher = jobs.pair(job)
    tree.send(watcher, 15)
    assert jobs.exited(job).ending is Ending.STOPPED
    assert gone(leader)


def test_a_live_job_is_never_said_to_be_fresh_or_lost(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(PROGRAM))
    jobs.pair(job)
    seen: set[type] = set()
    enough = threading.Event()

    def keep_looking() -> None:
        driver = LocalProcess()
        while not enough.is_set():
            seen.add(type(driver.look(job)))

    watchers = [threading.Thread(target=keep_looking) for _ in range(3)]
    for watcher in watchers:
        watcher.start()
    for number in range(6):
        pair = jobs.pair(job)
        kill(*(pair[:1] if number % 2 else pair))
    jobs.pair(job)
    let_go(jobs)
    jobs.exited(job)
    enough.set()
    for watcher in watchers:
        watcher.join()
    assert seen <= {Running, Exited}


@pytest.mark.parametrize("seed", range(4))
def test_runners_killed_at_random_from_the_first_moment_never_start_a_program_twice(jobs: Jobs, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(6):
        job = jobs.new()
        script = f"echo {job.name} >>log; echo reply; exit 3"
        driver = LocalProcess()
        driver.start(job, jobs.command(script))
        time.sleep(chance.uniform(0, 0.06))  # not waiting for anything: the moment of the kill is what varies
        newborn = [runner.pid for runner in driver._runners]
        kill(chance.choice([*runners(job)[:2], *newborn]))

        def settled(job=job, script=script, driver=driver) -> Exited | None:
            state = driver.look(job)
            if isinstance(state, Fresh):  # killed before anything began: start it again
                driver.start(job, jobs.command(script))
            assert not isinstance(state, Lost)
            return state if isinstance(state, Exited) else None

        exited = eventually(settled, f"{job.name} exited")
        assert exited.ending is Ending.EXITED
        assert exited.code in (3, None)
        assert (job / "stdout").read_text() == "reply\n"
    names = (jobs.folder / "log").read_text().split()
    assert sorted(names) == sorted(job.name for job in jobs.made)
