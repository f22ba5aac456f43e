"""One seat, asked: adopted where it was asked before, decided once, and never taken for more than it said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from review_world import DIVISION, World, eventually

from moot.config.load import load
from moot.config.paths import home
from moot.core.process import Limits
from moot.core.runs import Reads
from moot.core.turns import FailureKind, Prompt
from moot.engine import Suspend
from moot.git.change import freeze
from moot.git.diff import read_diff
from moot.git.target import parse_target
from moot.ledger import accounts, events, turns
from moot.ledger.database import open_ledger
from moot.proceedings.asking import expect_review
from moot.runs import world as worlds
from moot.runs.create import create
from moot.seats import places
from moot.seats.ask import ask
from moot.seats.attempts import write
from moot.seats.run import Answered, Failed, Halt, Run, Seat

PROMPT = Prompt("review", "Review it.\n", "Once more.\n")
CHANGE = "## calc.py\nreceipt: aaaabbbbcccc\n"


class Asking:
    """A run without a proceeding, in which seats are asked one by one."""

    def __init__(self, world: World, run: Run) -> None:
        self.world = world
        self.run = run
        self.change_file = run.folder / "files" / "change.md"
        write(self.change_file, CHANGE)

    def seat(self, name: str, **more: Any) -> Seat:
        agent = self.run.config.agent(name)
        others = tuple(self.run.config.agent(s) for s in agent.substitutes)
        return Seat(f"reviewer-{name}", agent, Limits(30), Reads.READ, others, **more)

    async def ask(self, seat: Seat, prompt: Prompt = PROMPT, key: str = "review-1") -> Answered | Failed:
        at = await places.reading(self.run, seat, self.change_file)
        return await ask(self.run, seat, prompt, expect_review(seat), at, key)

    def again(self, **more: Any) -> Asking:
        """The same run, as another process would have it."""
        return Asking(self.world, replace(self.run, halt=Halt(), **more))


@asynccontextmanager
async def asking(world: World) -> AsyncIterator[Asking]:
    world.configure()
    mine = home(world.environ)
    config = load(mine, world.environ, kinds=("command", "claude")).config
    with open_ledger(f"sqlite:///{mine.data / 'ledger.db'}") as ledger:
        real = worlds.build(mine, world.environ, ledger)
        change = await freeze(real.git, world.repo, parse_target(None), mine.data, base=None)
        row = create("review", change, config, mine, real)
        diff = await read_diff(real.git, change)
        yield Asking(
            world, Run(row.id, mine.runs / row.id, config, change, diff, 0, b"secret", row.created_at, real, Halt())
        )  # fmt: skip


def running(test: Callable[[World], Coroutine[Any, Any, None]]) -> Callable[[World], None]:
    def run(world: World) -> None:
        asyncio.run(test(world))

    run.__name__ = test.__name__
    return run


@running
async def test_a_second_asking_takes_the_answer_on_disk(world: World) -> None:
    world.reviewer("one", DIVISION)
    async with asking(world) as a:
        first = await a.ask(a.seat("one"))
        second = await a.again().ask(a.seat("one"))
        assert isinstance(first, Answered)
        assert second == first
    assert len(world.diary()) == 1


@running
async def test_a_turn_that_runs_is_adopted_by_who_comes_next(world: World) -> None:
    world.agent("slow", "time.sleep(0.6); review()")
    async with asking(world) as a:
        task = asyncio.create_task(a.ask(a.seat("slow")))
        await asyncio.to_thread(eventually, world.diary)
        a.run.halt.why = "parked"
        with pytest.raises(Suspend, match="parked"):
            await task
        answer = await a.again().ask(a.seat("slow"))
        assert isinstance(answer, Answered)
        assert answer.turns == 1
    assert len(world.diary()) == 1


@running
async def test_two_who_ask_at_once_start_one_turn(world: World) -> None:
    world.agent("slow", "time.sleep(0.4); review()")
    async with asking(world) as a:
        b = a.again()
        one, two = await asyncio.gather(a.ask(a.seat("slow")), b.ask(b.seat("slow")))
        assert one == two
    assert len(world.diary()) == 1


@running
async def test_a_replay_after_failures_decides_the_same(world: World) -> None:
    world.agent("tired", "sys.exit('Not logged in')", substitutes=["mute", "fresh"])
    world.agent("mute", "print('{}')", session=True)
    world.reviewer("fresh")
    async with asking(world) as a:
        first = await a.ask(a.seat("tired"))
        assert isinstance(first, Answered)
        assert (first.agent, first.replaced, first.turns) == ("fresh", "tired", 5)
        assert first.attempt == 5
        replayed = await a.again().ask(a.seat("tired"))
        assert replayed == first
    assert [e.agent for e in world.diary()] == ["tired", "mute", "mute", "mute", "fresh"]


@running
async def test_a_refusal_is_written_down_and_stands(world: World) -> None:
    world.reviewer("one")
    async with asking(world) as a:
        far = datetime.now(UTC) + timedelta(hours=3)
        accounts.pause(a.run.world.ledger, "one", far, "a person said so")
        first = await a.ask(a.seat("one"))
        assert isinstance(first, Failed)
        assert (first.failure.kind, first.failure.resets_at, first.limited) == (FailureKind.USAGE_LIMIT, far, True)
        job = a.run.folder / "turns" / "reviewer-one" / "review-1.1"
        assert json.loads((job / "refused.json").read_text())["detail"] == "one is paused: a person said so"
        accounts.resume(a.run.world.ledger, "one")
        assert await a.again().ask(a.seat("one")) == first
        assert turns.of_run(a.run.world.ledger, a.run.id) == ()
        assert isinstance(await a.again(generation=1).ask(a.seat("one")), Answered)
    assert len(world.diary()) == 1


@running
async def test_an_agent_that_was_missing_is_missing_on_a_replay(world: World) -> None:
    world.table("agents.gone", kind="command", command=[str(world.actors / "gone.py")])
    async with asking(world) as a:
        first = await a.ask(a.seat("gone"))
        assert isinstance(first, Failed)
        assert first.failure.kind is FailureKind.NOT_INSTALLED
        world.rewrite("gone", "review()")
        assert await a.again().ask(a.seat("gone")) == first


@running
async def test_an_answer_to_another_question_is_not_reused(world: World) -> None:
    world.reviewer("one")
    async with asking(world) as a:
        await a.ask(a.seat("one"), Prompt("review", "One thing.\n"))
        other = await a.again(generation=1).ask(a.seat("one"), Prompt("review", "Another thing.\n"))
        assert isinstance(other, Answered)
        assert other.attempt == 2
    assert len(world.diary()) == 2


@running
async def test_a_run_taken_up_again_keeps_answers_and_asks_failures_anew(world: World) -> None:
    world.reviewer("good")
    world.agent("bad", "sys.exit('Not logged in')")
    async with asking(world) as a:
        kept = await a.ask(a.seat("good"))
        assert isinstance(await a.ask(a.seat("bad")), Failed)
        world.rewrite("bad", "review()")
        later = a.again(generation=1)
        assert await later.ask(later.seat("good")) == kept
        mended = await later.ask(later.seat("bad"))
        assert isinstance(mended, Answered)
        assert (mended.attempt, mended.trail) == (2, ())
    assert [e.agent for e in world.diary()] == ["good", "bad", "bad"]


@running
async def test_what_is_asked_again_in_another_run_gets_the_short_prompt(world: World) -> None:
    world.reviewer("one", session=True)
    for expected in (PROMPT.full, PROMPT.live):
        async with asking(world) as a:
            await a.ask(a.seat("one"))
            job = a.run.folder / "turns" / "reviewer-one" / "review-1.1"
            assert (job / "prompt.md").read_text() == expected


@running
async def test_a_parked_run_starts_nothing(world: World) -> None:
    world.reviewer("one")
    async with asking(world) as a:
        from moot.ledger import requests

        requests.add(a.run.world.ledger, a.run.id, "park", "test", now=datetime.now(UTC))
        with pytest.raises(Suspend, match="parked"):
            await a.ask(a.seat("one"))
    assert world.diary() == []


@running
async def test_prose_longer_than_a_reply_may_be_is_cut_aloud(world: World) -> None:
    world.agent("long", "print('x' * (5 * 1024 * 1024))", reply="text")
    async with asking(world) as a:
        answer = await a.ask(a.seat("long"))
        assert isinstance(answer, Answered)
        kept, _, note = answer.text.partition("\n\n")
        assert len(kept) == 4 * 1024 * 1024
        assert note == "[moot kept 4,194,304 of 5,242,880 characters]"


@running
async def test_every_failure_on_the_way_is_told(world: World) -> None:
    world.agent("mends", "print('{}') if calls == 1 else review()", session=True)
    async with asking(world) as a:
        answer = await a.ask(a.seat("mends"))
        assert isinstance(answer, Answered)
        (line,) = answer.trail
        assert line.startswith("malformed: summary: field required; findings: field required")
        assert line.endswith(" → asked to mend the reply")
        told = [e.kind for e in events.after(a.run.world.ledger, a.run.id, 0, 100)]
        assert told == ["run.created", "turn.started", "seat.nudged", "turn.started"]
        booked = turns.of_run(a.run.world.ledger, a.run.id)
        assert [t.failure.kind if t.failure else None for t in booked] == [FailureKind.MALFORMED, None]
