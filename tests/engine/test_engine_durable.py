"""The engine: recorded steps are never repeated, and nothing but a finished run is final."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from moot.core.data import JSON
from moot.core.errors import BusyError, EngineError
from moot.engine import Broken, Expired, Finished, Outcome, Suspend, Suspended, durable


@dataclass(frozen=True)
class Point:
    x: int
    y: int


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "run" / "engine.db"
    durable.close()


@pytest.fixture
def log() -> list[str]:
    return []


def drive(file: Path, body: Callable[[], Awaitable[JSON]], run: str = "r") -> Outcome:
    """One life of a driver: execute, then put the engine away."""
    try:
        return asyncio.run(durable.execute(file, run, body))
    finally:
        durable.close()


def test_a_finished_run_is_answered_from_its_record_without_doing_anything_again(file, log):
    async def work() -> Point:
        log.append("work")
        return Point(1, 2)

    async def body() -> JSON:
        p = await durable.step("work", work)
        assert isinstance(p, Point)
        return p.x + p.y

    assert drive(file, body) == Finished(3)
    assert drive(file, body) == Finished(3)
    assert log == ["work"]


def test_a_suspended_run_replays_its_steps_as_values_and_goes_on_where_it_stopped(file, log):
    answers: list[str] = []

    async def before() -> Point:
        log.append("before")
        return Point(3, 4)

    async def asked() -> str:
        if not answers:
            raise Suspend("waits for an answer")
        return answers[0]

    async def body() -> JSON:
        p = await durable.step("before", before)
        return f"{p.x}{p.y}{await durable.step('asked', asked)}"

    assert drive(file, body) == Suspended("waits for an answer")
    assert drive(file, body) == Suspended("waits for an answer")
    answers.append("yes")
    assert drive(file, body) == Finished("34yes")
    assert log == ["before"]


def test_an_unexpected_error_costs_a_restart_and_not_the_run(file, log):
    full = [True]

    async def first() -> int:
        log.append("first")
        return 1

    async def write() -> int:
        if full[0]:
            raise OSError("disk full")
        return 2

    async def body() -> JSON:
        return [await durable.step("first", first), await durable.step("write", write)]

    outcome = drive(file, body)
    assert isinstance(outcome, Broken)
    assert isinstance(outcome.error, OSError)
    full[0] = False
    assert drive(file, body) == Finished([1, 2])
    assert log == ["first"]


def test_steps_awaited_together_keep_their_places_whoever_finishes_first(file):
    delays = [0.05, 0.0]

    async def ask(who: str, delay: float) -> str:
        await asyncio.sleep(delay)
        return who

    async def stop() -> int:
        if delays[0]:
            raise Suspend("")
        return 0

    async def body() -> JSON:
        names = await durable.gather(
            durable.step("ask a", ask, "a", delays[0]), durable.step("ask b", ask, "b", delays[1])
        )
        await durable.step("stop", stop)
        return [*names]

    assert isinstance(drive(file, body), Suspended)
    delays[:] = [0.0, 0.05]
    assert drive(file, body) == Finished(["a", "b"])


def test_one_suspending_step_lets_go_of_its_neighbours_and_records_nothing_of_them(file, log):
    parked = [True]
    begun = asyncio.Event()

    async def long() -> str:
        log.append("long begins")
        begun.set()
        if parked[0]:
            await asyncio.Event().wait()
        return "long"

    async def park() -> str:
        await begun.wait()
        if parked[0]:
            raise Suspend("parked")
        return "park"

    async def body() -> JSON:
        return [*await durable.gather(durable.step("long", long), durable.step("park", park))]

    assert drive(file, body) == Suspended("parked")
    parked[0] = False
    assert drive(file, body) == Finished(["long", "park"])
    assert log == ["long begins", "long begins"]


def test_another_step_at_a_recorded_place_is_an_error_and_not_a_swap(file):
    key = ["old"]

    async def value() -> int:
        return 1

    async def stop() -> int:
        raise Suspend("")

    async def body() -> JSON:
        await durable.step(key[0], value)
        return await durable.step("stop", stop)

    assert isinstance(drive(file, body), Suspended)
    key[0] = "new"
    outcome = drive(file, body)
    assert isinstance(outcome, Broken)
    assert isinstance(outcome.error, EngineError)
    key[0] = "old"
    assert isinstance(drive(file, body), Suspended)


def test_a_key_used_twice_is_refused(file):
    async def value() -> int:
        return 1

    async def body() -> JSON:
        return [await durable.step("k", value), await durable.step("k", value)]

    outcome = drive(file, body)
    assert isinstance(outcome, Broken)
    assert "'k'" in str(outcome.error)


def test_a_wait_ends_by_answer_or_by_the_clock_it_was_given(file):
    from datetime import UTC, datetime, timedelta

    start = datetime(2026, 1, 1, tzinfo=UTC)
    now, answer = [start], [None]

    async def body() -> JSON:
        got = await durable.wait("w", lambda: answer[0], kind=int, now=now[0], until=start + timedelta(days=2))
        return "expired" if isinstance(got, Expired) else got

    assert drive(file, body, "one") == Suspended("w")
    answer[0] = 7
    assert drive(file, body, "one") == Finished(7)
    answer[0] = None
    now[0] = start + timedelta(days=3)
    assert drive(file, body, "two") == Finished("expired")


def test_a_second_driver_of_the_same_file_is_refused_while_the_first_lives(file, tmp_path):
    script = tmp_path / "holder.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import asyncio
            from pathlib import Path
            from moot.engine import durable
            async def hold() -> int:
                print("held", flush=True)
                await asyncio.Event().wait()
                return 1
            async def body():
                return await durable.step("hold", hold)
            asyncio.run(durable.execute(Path({str(file)!r}), "r", body))
            """
        )
    )
    holder = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BusyError):
            asyncio.run(durable.execute(file, "r", lambda: asyncio.sleep(0)))
    finally:
        holder.kill()
        holder.wait()


def test_killed_between_any_two_steps_every_step_is_done_exactly_once(tmp_path):
    """Each life does one step and dies by SIGKILL in the next one's beginning."""
    script = tmp_path / "life.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import asyncio, json, os, signal
            from pathlib import Path
            from moot.engine import Finished, durable
            log = Path({str(tmp_path / "log")!r})
            lives = int(os.environ["LIFE"])
            async def work(i: int) -> int:
                if i == lives:
                    os.kill(os.getpid(), signal.SIGKILL)
                with log.open("a") as f:
                    f.write(f"{{i}}\\n")
                return i * i
            async def body():
                return [await durable.step(f"s{{i}}", work, i) for i in range(4)]
            outcome = asyncio.run(durable.execute(Path({str(tmp_path / "engine.db")!r}), "r", body))
            assert isinstance(outcome, Finished)
            print(json.dumps(outcome.value), flush=True)
            durable.close()
            """
        )
    )
    for life in range(1, 4):
        killed = subprocess.run([sys.executable, script], env={**os.environ, "LIFE": str(life)}, capture_output=True)
        assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    last = subprocess.run(
        [sys.executable, script], env={**os.environ, "LIFE": "99"}, capture_output=True, text=True, check=True
    )
    assert json.loads(last.stdout) == [0, 1, 4, 9]
    assert (tmp_path / "log").read_text().split() == ["0", "1", "2", "3"]
