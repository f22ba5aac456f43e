"""What is asked again, and what is not: after a stop, in a reopened run, in another run of the same branch."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from review_world import DIVISION, LEAK, World, eventually
from test_review_ask import asking, running

from moot.engine import Suspend
from moot.seats.run import Answered

ONCE_LOGGED_OUT = "if calls == 1: sys.exit('Not logged in')\n"


@running
async def test_an_answer_that_was_given_counts_although_its_program_has_gone_since(world: World) -> None:
    world.agent("one", "time.sleep(0.5); review()")
    async with asking(world) as asked:
        turn = asyncio.create_task(asked.ask(asked.seat("one")))
        await asyncio.to_thread(eventually, world.diary)
        asked.run.halt.why = "parked"
        with pytest.raises(Suspend):
            await turn
        job = asked.run.folder / "turns" / "reviewer-one" / "review-1.1"
        await asyncio.to_thread(eventually, (job / "exit.json").exists)
        seat = asked.seat("one")
        gone = replace(seat, agent=replace(seat.agent, command=("no-such-program", *seat.agent.command[1:])))
        assert isinstance(await asked.again().ask(gone), Answered)
    assert len(world.diary("one")) == 1


@running
async def test_what_was_decided_about_a_failure_stays_decided_when_it_is_looked_at_later(world: World) -> None:
    """A reset that was far off is near by now; the substitute that was asked for it is still the one who answers."""
    world.table("limits", retry_after="0.2s")
    world.agent(
        "busy",
        "sys.exit('rate limit exceeded, retry-after: 3') if calls == 1 else review()",
        substitutes=["spare"],
    )
    world.agent("spare", "time.sleep(0.6)\nprint('{}') if calls == 1 else review()", session=True)
    async with asking(world) as asked:
        turn = asyncio.create_task(asked.ask(asked.seat("busy")))
        await asyncio.to_thread(eventually, lambda: world.diary("spare"))
        asked.run.halt.why = "parked"
        with pytest.raises(Suspend):
            await turn
        await asyncio.sleep(3)
        later = asked.again()
        await later.ask(later.seat("busy"))
    assert [turn.agent for turn in world.diary()] == ["busy", "spare", "spare"]


def test_prose_that_came_later_is_judged_although_the_judge_has_ruled_before(world: World) -> None:
    world.agent("p1", "print('all good')", reply="text")
    world.agent("p2", f"{ONCE_LOGGED_OUT}print('calc.py line 6: division by zero')", reply="text")
    world.reviewer("chief")
    world.panel("p1", "p2", judge="chief", judge_own_pass=False)
    first = world.review()
    before = len(world.diary("chief"))
    world.moot("runs", "resume", first.result["run"])
    assert len(world.diary("chief")) == before + 1


def test_who_reads_reports_reads_again_when_one_more_comes_in(world: World) -> None:
    world.reviewer("a", DIVISION)
    world.agent("b", f"{ONCE_LOGGED_OUT}review([{LEAK!r}])")
    world.agent("c", "review()")
    world.table("roles.last", agent="c", after=["a", "b"])
    world.panel("a", "b", "last")
    world.moot("runs", "resume", world.review().result["run"])
    assert len(world.diary("a")) == 1
    assert len(world.diary("c")) == 2


def test_the_books_count_every_turn_of_a_reopened_run(world: World) -> None:
    world.claude("chief", "review() if node == 'review' else rule()")
    world.agent("bad", f"{ONCE_LOGGED_OUT}review([{LEAK!r}])")
    world.reviewer("one", DIVISION)
    world.panel("one", "bad", judge="chief", judge_own_pass=False)
    first = world.review()
    second = world.moot("runs", "resume", first.result["run"], "--json")
    assert second.seat("judge")["turns"] == len(world.diary("chief")) == 2


def test_a_check_that_failed_is_tried_again_in_the_next_run(world: World) -> None:
    flag = world.folder / "flag"
    world.reviewer("one", DIVISION)
    world.panel("one", checks=[f"test -e {flag}"])
    world.table("sandbox", mode="off")
    first = world.review()
    flag.touch()
    second = world.review()
    assert [check["ok"] for check in first.result["checks"] + second.result["checks"]] == [False, True]


def test_a_substitute_that_writes_does_not_write_where_others_read(world: World) -> None:
    world.claude("opus", "sys.exit('Not logged in')", substitutes=["vandal"])
    world.agent("vandal", "open('calc.py', 'a').write('planted')\nreview()")
    world.claude("honest", "meet('vandal'); time.sleep(0.3); note('SEEN', text=open('calc.py').read()); review()")
    world.table("sandbox", mode="off")
    world.panel("opus", "honest")
    world.review()
    (seen,) = world.noted("honest", "SEEN")
    assert "planted" not in seen["text"]
