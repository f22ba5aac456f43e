"""A turn whose runners were killed: it is started all the same, and what it answered is not lost."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from moot.agents.command import CommandLine
from moot.core.errors import MootError
from moot.core.process import Command, Exited, Limits, Lost
from moot.core.turns import Agent, Failure, FailureKind, Reply, TurnSpec
from moot.process import jobfiles, tree
from moot.process.local import LocalProcess
from moot.seats import turn
from moot.seats.run import Expect, Halt, Problem


def structured(reply: Reply) -> Any:
    try:
        return json.loads(reply.text)
    except ValueError:
        return Problem(FailureKind.MALFORMED, "not JSON")


def prose(reply: Reply) -> None:
    return None


@pytest.fixture
def job(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    folder.mkdir()
    return folder


def spec(job: Path) -> TurnSpec:
    nowhere = job / "nowhere"
    return TurnSpec(
        run="r", seat="s", key="review-1.1", node="review", agent=Agent("a", "command", command=("true",)), job=job,
        cwd=job, prompt_file=nowhere, change_file=nowhere, schema_file=None, schema=None, conversation=None,
        write=False, limits=Limits(60), env={}, home=job, base="b", head="h",
    )  # fmt: skip


def lose(job: Path, printed: str, stamp: str | None = None) -> None:
    """Leave a job as one whose program ended while nobody watched."""
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    jobfiles.claim_job(str(job), jobfiles.Claim(gone, stamp or tree.stamp(os.getpid()), time.time(), time.monotonic()))
    (job / "stdout").write_text(printed, encoding="utf-8")
    assert isinstance(LocalProcess().look(job), Lost)


def outcome(job: Path, expect: Expect) -> turn.Told | Failure:
    return turn.outcome(CommandLine(), spec(job), Lost(), expect)


def test_a_whole_answer_is_thrown_away_because_nobody_saw_its_agent_end(job: Path) -> None:
    lose(job, '{"summary": "Read it."}\n')
    told = outcome(job, Expect(structured))
    assert isinstance(told, turn.Told)
    assert told.data == {"summary": "Read it."}


@pytest.mark.parametrize("printed", ["", '{"summary": "Rea'])
def test_half_an_answer_passes_for_one(job: Path, printed: str) -> None:
    lose(job, printed)
    told = outcome(job, Expect(structured))
    assert isinstance(told, Failure)
    assert told.kind is FailureKind.LOST


def test_prose_that_may_have_been_cut_off_passes_for_a_review(job: Path) -> None:
    lose(job, "I have found one defect, namely")
    told = outcome(job, Expect(prose))
    assert isinstance(told, Failure)
    assert told.kind is FailureKind.LOST


def test_output_from_before_a_power_cut_is_trusted(job: Path) -> None:
    lose(job, '{"summary": "Read it."}\n', stamp="another boot/1")
    assert isinstance(outcome(job, Expect(structured)), Failure)


def see_through(job: Path, deaf: int) -> tuple[Exited | Lost | Failure, int]:
    """Run a job whose runners die before they have begun, `deaf` times. Return how it ended and how often it began."""
    process = LocalProcess()
    run: Any = SimpleNamespace(world=SimpleNamespace(process=process, sleep=asyncio.sleep), halt=Halt())
    starts = 0

    async def start() -> None:
        nonlocal starts
        starts += 1
        if starts > deaf:
            process.start(job, Command(("true",), job, {"PATH": os.environ["PATH"]}))

    return asyncio.run(turn.see_through(run, job, start)), starts


def test_a_job_whose_runners_died_before_they_began_is_waited_for_in_vain(job: Path) -> None:
    ended, starts = see_through(job, deaf=2)
    assert isinstance(ended, Exited)
    assert (ended.code, starts) == (0, 3)


def test_a_job_that_never_starts_is_tried_for_ever(job: Path) -> None:
    with pytest.raises(MootError, match="does not start"):
        see_through(job, deaf=turn.MOST_STARTS)
