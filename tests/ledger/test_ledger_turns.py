"""Admission and settling as the database keeps them, on both databases."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from ledger_samples import NOW, later

import moot
from moot.core.errors import LedgerError, NotFoundError
from moot.core.ledger import Admission, Admitted, Caps, Refused, TurnId, Wait
from moot.core.runs import RunStatus
from moot.core.turns import Conversation, Failure, FailureKind, Reply, Usage
from moot.ledger import accounts, conversations, requests, runs, turns
from moot.ledger.admission import TurnState
from moot.ledger.database import Ledger, open_ledger

FORK = multiprocessing.get_context("fork")
ONE = Caps(account_concurrency=1)
OK = Reply("fine")
LIMIT = Failure(FailureKind.USAGE_LIMIT, "resets at 16:10", resets_at=later(60))
CRASH = Failure(FailureKind.TIMEOUT, "no end after 40 minutes")

NewRun = Callable[..., runs.Run]


def turn(run: str, key: str = "review.1", seat: str = "reviewer-a", attempt: int = 1) -> TurnId:
    return TurnId(run, seat, key, attempt)


def ask(
    ledger: Ledger,
    t: TurnId,
    caps: Caps = ONE,
    now: datetime = NOW,
    account: str = "main",
    repo: str = "/repo",
    conversation: Conversation | None = None,
) -> Admission:
    return turns.admit(
        ledger, t, account, caps, now, repo=repo, node="review", agent="opus", model="m", conversation=conversation
    )


def test_an_admitted_turn_is_recorded_with_who_is_asked_what(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    runs.claim_driver(ledger, run.id, runs.Driver("host", 7, 1.5), now=NOW, seen=0)
    t = turn(run.id)
    assert ask(ledger, t) == Admitted()
    [recorded] = turns.unsettled(ledger, run.id)
    assert recorded == turns.Turn(
        id=t,
        node="review",
        account="main",
        agent="opus",
        model="m",
        machine="host",
        state=TurnState.ADMITTED,
        conversation=None,
        failure=None,
        usage=Usage(),
        admitted_at=NOW,
        started_at=None,
        ended_at=None,
        moot_version=moot.__version__,
    )


def test_a_turn_in_a_run_that_is_not_there_is_an_error(ledger: Ledger) -> None:
    with pytest.raises(NotFoundError):
        ask(ledger, turn("20261130-153012-ffff"))


def test_an_account_at_its_cap_waits_until_a_turn_settles(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    first, second = turn(run.id, "a"), turn(run.id, "b")
    assert ask(ledger, first) == Admitted()
    assert isinstance(ask(ledger, second), Wait)
    assert ask(ledger, second, account="other") == Admitted()
    turns.settle(ledger, first, OK, Usage(), later(1))
    assert ask(ledger, turn(run.id, "c")) == Admitted()


def test_admission_again_takes_no_second_place_and_needs_none(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    t = turn(run.id)
    assert [ask(ledger, t) for _ in range(3)] == [Admitted()] * 3
    assert len(turns.of_run(ledger, run.id)) == 1
    requests.add(ledger, run.id, "park", "ann", now=NOW)
    accounts.pause(ledger, "main", later(60), "limit")
    assert ask(ledger, t, Caps(account_concurrency=0, run_turns=0)) == Admitted()
    turns.settle(ledger, t, OK, Usage(1, 2), later(5))
    assert ask(ledger, t, now=later(6)) == Admitted()
    assert turns.unsettled(ledger, run.id) == ()


@pytest.mark.parametrize("verb", ["park", "cancel"])
def test_a_request_stops_admission_before_anybody_handles_it(ledger: Ledger, new_run: NewRun, verb: str) -> None:
    run = new_run()
    asked = requests.add(ledger, run.id, verb, "ann", now=NOW)
    refused = ask(ledger, turn(run.id))
    assert isinstance(refused, Refused)
    assert refused.what == {"park": "parked", "cancel": "cancelled"}[verb]
    assert turns.of_run(ledger, run.id) == ()
    requests.add(ledger, run.id, "resume", "ann", now=NOW)
    assert ask(ledger, turn(run.id)) == Admitted()
    requests.mark_handled(ledger, asked.id, now=NOW)


def test_a_parked_run_gets_no_turn_until_it_runs_again(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    runs.set_status(ledger, run.id, RunStatus.PARKED, now=NOW)
    assert isinstance(ask(ledger, turn(run.id)), Refused)
    runs.set_status(ledger, run.id, RunStatus.RUNNING, now=NOW)
    assert ask(ledger, turn(run.id)) == Admitted()


def test_settling_books_usage_and_outcome_once(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    t = turn(run.id)
    ask(ledger, t)
    turns.mark_running(ledger, t, later(1))
    turns.mark_running(ledger, t, later(2))
    usage = Usage(1000, 200, 50, 0.25)
    assert turns.settle(ledger, t, LIMIT, usage, later(9)) == usage
    assert turns.settle(ledger, t, OK, Usage(5, 5, 5, 5.0), later(99), later(999)) == usage
    turns.mark_running(ledger, t, later(100))
    [settled] = turns.of_run(ledger, run.id)
    assert (settled.state, settled.failure, settled.usage) == (TurnState.SETTLED, LIMIT, usage)
    assert (settled.started_at, settled.ended_at) == (later(1), later(9))
    assert accounts.paused(ledger, "main") is None


def test_a_turn_that_was_never_admitted_cannot_be_settled(ledger: Ledger, new_run: NewRun) -> None:
    with pytest.raises(LedgerError, match="never admitted"):
        turns.settle(ledger, turn(new_run().id), OK, Usage(), NOW)


def test_a_running_total_is_booked_as_this_turns_part_whatever_is_saved_meanwhile(
    ledger: Ledger, new_run: NewRun
) -> None:
    run = new_run()
    so_far = Conversation(
        "c1", "codex", "native", "main", "host", Path("/x"), run.subject, "reviewer-a", cumulative=Usage(100, 10, 5, 1)
    )
    total = Usage(150, 30, 25, 1.5)
    for key, save_first in (("a", True), ("b", False)):
        t = turn(run.id, key)
        ask(ledger, t, Caps(), conversation=so_far)
        if save_first:
            conversations.save(ledger, replace(so_far, cumulative=total), now=NOW)
        reply = Reply("x", conversation="native", usage=total, cumulative=True)
        assert turns.settle(ledger, t, reply, total, later(1)) == Usage(50, 20, 20, 0.5)
    failed = turn(run.id, "failed")
    ask(ledger, failed, Caps(), conversation=so_far)
    trouble = replace(CRASH, usage=total, cumulative=True)
    assert turns.settle(ledger, failed, trouble, total, later(1)) == Usage(50, 20, 20, 0.5)
    first = turn(run.id, "c")
    ask(ledger, first, Caps())
    assert turns.settle(ledger, first, Reply("x", cumulative=True), total, later(1)) == total
    only = turn(run.id, "d")
    ask(ledger, only, Caps(), conversation=so_far)
    assert turns.settle(ledger, only, Reply("x"), total, later(1)) == total


class TestBudgets:
    """Sums are made in SQL; the rule has its own tests."""

    def test_a_run_is_refused_by_what_its_own_turns_cost(self, ledger: Ledger, new_run: NewRun) -> None:
        run, other = new_run(), new_run()
        caps = Caps(run_cost_usd=2.0, expected_usd=0.5)
        for key, cost in (("a", 0.75), ("b", 0.25)):
            ask(ledger, turn(run.id, key), caps)
            turns.settle(ledger, turn(run.id, key), OK, Usage(cost_usd=cost), NOW)
        assert ask(ledger, turn(run.id, "c"), caps) == Admitted()  # 1.00 + 0.50 in flight
        assert ask(ledger, turn(run.id, "d"), caps) == Admitted()  # 1.00 + 1.00 in flight
        refused = ask(ledger, turn(run.id, "e"), caps)
        assert refused == Refused(
            "budget", "this run: $1.00 spent, $1.00 in flight, $0.50 expected of the next turn, of $2.00"
        )
        assert ask(ledger, turn(other.id), caps) == Admitted()

    def test_turns_and_tokens_of_a_run_are_counted_with_those_in_flight(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run()
        ask(ledger, turn(run.id, "a"), Caps())
        assert ask(ledger, turn(run.id, "b"), Caps(run_turns=2)) == Admitted()
        assert isinstance(ask(ledger, turn(run.id, "c"), Caps(run_turns=2)), Refused)
        turns.settle(ledger, turn(run.id, "a"), OK, Usage(700, 300, 9999), NOW)
        assert isinstance(ask(ledger, turn(run.id, "c"), Caps(run_tokens=1000)), Refused)
        assert ask(ledger, turn(run.id, "c"), Caps(run_tokens=1001)) == Admitted()

    def test_a_day_ends_at_midnight_utc_and_counts_every_run(self, ledger: Ledger, new_run: NewRun) -> None:
        yesterday, now = NOW - timedelta(days=1), NOW
        for run, at in ((new_run(), yesterday), (new_run(), now)):
            ask(ledger, turn(run.id), Caps(), at)
            turns.settle(ledger, turn(run.id), OK, Usage(10, cost_usd=1.0), at)
        run = new_run().id
        assert ask(ledger, turn(run, "a"), Caps(day_cost_usd=1.01, day_tokens=11)) == Admitted()
        assert isinstance(ask(ledger, turn(run, "b"), Caps(day_cost_usd=1.0)), Refused)
        assert isinstance(ask(ledger, turn(run, "b"), Caps(day_tokens=10)), Refused)
        assert ask(ledger, turn(run, "b"), Caps(day_cost_usd=1.0), NOW + timedelta(days=1)) == Admitted()

    def test_a_repository_has_a_day_of_its_own(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        ask(ledger, turn(run, "a"), Caps())
        turns.settle(ledger, turn(run, "a"), OK, Usage(cost_usd=1.0), NOW)
        caps = Caps(repo_day_cost_usd=1.0)
        assert isinstance(ask(ledger, turn(run, "b"), caps), Refused)
        assert ask(ledger, turn(run, "b"), caps, repo="/other") == Admitted()

    def test_deleting_a_run_gives_no_money_back(self, ledger: Ledger, new_run: NewRun) -> None:
        spent, left = new_run(), new_run()
        ask(ledger, turn(spent.id, "a"), Caps())
        turns.settle(ledger, turn(spent.id, "a"), OK, Usage(cost_usd=1.0), NOW)
        ask(ledger, turn(spent.id, "b"))
        runs.delete_run(ledger, spent.id)
        assert isinstance(ask(ledger, turn(left.id), Caps(day_cost_usd=1.0)), Refused)
        assert ask(ledger, turn(left.id)) == Admitted()  # the deleted run's turn in flight holds no place


class TestPauses:
    def test_a_limit_pauses_the_account_until_its_reset_for_every_run(self, ledger: Ledger, new_run: NewRun) -> None:
        run, other = new_run().id, new_run().id
        ask(ledger, turn(run))
        turns.settle(ledger, turn(run), LIMIT, Usage(), later(1), later(60))
        assert ask(ledger, turn(other), now=later(59)) == Wait(
            "main is paused: usage_limit: resets at 16:10", later(60)
        )
        assert ask(ledger, turn(other), account="second", now=later(59)) == Admitted()

    def paused(self, ledger: Ledger, run: str) -> None:
        ask(ledger, turn(run, "limited"), Caps(), NOW)
        turns.settle(ledger, turn(run, "limited"), LIMIT, Usage(), NOW, later(60))

    def test_after_a_pause_one_turn_goes_first_and_its_success_lets_the_others_in(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        self.paused(ledger, run)
        assert ask(ledger, turn(run, "a"), Caps(), later(61)) == Admitted()
        assert accounts.paused(ledger, "main").probing
        assert isinstance(ask(ledger, turn(run, "b"), Caps(), later(62)), Wait)
        assert ask(ledger, turn(run, "a"), Caps(), later(62)) == Admitted()
        turns.settle(ledger, turn(run, "a"), OK, Usage(), later(63))
        assert accounts.paused(ledger, "main") is None
        for key in "bcd":
            assert ask(ledger, turn(run, key), Caps(), later(64)) == Admitted()

    def test_a_first_turn_that_hits_the_limit_again_pauses_the_account_again(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        self.paused(ledger, run)
        ask(ledger, turn(run, "a"), Caps(), later(61))
        turns.settle(ledger, turn(run, "a"), LIMIT, Usage(), later(62), later(600))
        assert ask(ledger, turn(run, "b"), Caps(), later(599)) == Wait(
            "main is paused: usage_limit: resets at 16:10", later(600)
        )
        assert ask(ledger, turn(run, "b"), Caps(), later(601)) == Admitted()
        assert isinstance(ask(ledger, turn(run, "c"), Caps(), later(601)), Wait)

    def test_a_first_turn_that_fails_otherwise_proves_nothing_so_another_goes_first(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        self.paused(ledger, run)
        ask(ledger, turn(run, "a"), Caps(), later(61))
        turns.settle(ledger, turn(run, "a"), CRASH, Usage(), later(62))
        assert ask(ledger, turn(run, "b"), Caps(), later(63)) == Admitted()
        assert isinstance(ask(ledger, turn(run, "c"), Caps(), later(63)), Wait)

    def test_a_turn_from_before_the_pause_neither_lifts_nor_shortens_it(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        for key in ("early", "early2"):
            ask(ledger, turn(run, key), Caps(), NOW)
        self.paused(ledger, run)
        turns.settle(ledger, turn(run, "early"), OK, Usage(), later(5))
        turns.settle(ledger, turn(run, "early2"), LIMIT, Usage(), later(6), later(30))
        assert accounts.paused(ledger, "main").until == later(60)

    def test_a_first_turn_whose_process_died_does_not_keep_the_others_waiting(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        self.paused(ledger, run)
        ask(ledger, turn(run, "a"), Caps(), later(61))
        turns.reap(ledger, lambda _: False, machine="host", now=later(90))
        assert ask(ledger, turn(run, "b"), Caps(), later(91)) == Admitted()

    def test_a_person_can_pause_and_resume_an_account(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        accounts.pause(ledger, "main", later(600), "ann asked")
        accounts.pause(ledger, "main", later(60), "ann asked for less")
        assert accounts.pauses(ledger) == (accounts.Pause("main", later(60), "ann asked for less", False),)
        assert isinstance(ask(ledger, turn(run)), Wait)
        assert accounts.resume(ledger, "main")
        assert not accounts.resume(ledger, "main")
        assert accounts.pauses(ledger) == ()
        assert ask(ledger, turn(run)) == Admitted()


class TestReaping:
    def test_the_place_of_a_turn_whose_process_is_gone_is_freed(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        dead, living, waiting = turn(run, "dead"), turn(run, "living"), turn(run, "waiting")
        two = Caps(account_concurrency=2)
        ask(ledger, dead, two)
        ask(ledger, living, two)
        turns.mark_running(ledger, dead, NOW)
        assert isinstance(ask(ledger, waiting, two, later(10)), Wait)
        assert turns.reap(ledger, lambda t: t == living, machine="host", now=later(10)) == (dead,)
        assert ask(ledger, waiting, two, later(10)) == Admitted()
        assert [t.state for t in turns.unsettled(ledger, run)] == ["lapsed", "admitted", "admitted"]

    def test_a_lapsed_turn_that_is_taken_up_again_asks_like_any_other(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        t = turn(run, "a")
        ask(ledger, t)
        turns.reap(ledger, lambda _: False, machine="host", now=later(10))
        ask(ledger, turn(run, "b"), now=later(11))
        assert isinstance(ask(ledger, t, now=later(12)), Wait)
        turns.settle(ledger, turn(run, "b"), OK, Usage(), later(13))
        assert ask(ledger, t, now=later(14)) == Admitted()
        assert [x.admitted_at for x in turns.unsettled(ledger, run)] == [later(14)]

    def test_a_lapsed_turn_whose_reply_turns_up_is_booked(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        ask(ledger, turn(run))
        turns.reap(ledger, lambda _: False, machine="host", now=later(10))
        turns.settle(ledger, turn(run), OK, Usage(7), later(11))
        assert turns.of_run(ledger, run)[0].usage == Usage(7)

    def test_young_turns_and_those_of_other_machines_are_left_alone(self, ledger: Ledger, new_run: NewRun) -> None:
        here, elsewhere = new_run().id, new_run().id
        for run, machine in ((here, "host"), (elsewhere, "other")):
            runs.claim_driver(ledger, run, runs.Driver(machine, 1, 1.0), now=NOW, seen=0)
            ask(ledger, turn(run), Caps())
        reap = {"machine": "host", "now": later(turns.GRACE.total_seconds())}
        assert turns.reap(ledger, lambda _: False, **reap) == ()
        reap["now"] += timedelta(seconds=1)
        assert turns.reap(ledger, lambda _: False, account="second", **reap) == ()
        assert turns.reap(ledger, lambda _: False, **reap) == (turn(here),)

    def test_a_turn_that_a_new_driver_took_up_is_young_again_and_on_its_machine(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        for seen, machine in enumerate(("host", "other")):
            runs.claim_driver(ledger, run, runs.Driver(machine, 1, 1.0), now=NOW, seen=seen)
            assert ask(ledger, turn(run), now=later(100 * seen)) == Admitted()
        [taken] = turns.unsettled(ledger, run)
        assert (taken.machine, taken.admitted_at) == ("other", NOW)
        assert turns.reap(ledger, lambda _: False, machine="host", now=later(200)) == ()
        assert turns.reap(ledger, lambda _: False, machine="other", now=later(103)) == ()
        assert turns.reap(ledger, lambda _: False, machine="other", now=later(106)) == (turn(run),)

    def test_a_turn_taken_up_while_its_life_was_checked_is_not_reaped(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        ask(ledger, turn(run))

        def dead_until_a_moment_ago(t: TurnId) -> bool:
            assert ask(ledger, t, now=later(10)) == Admitted()
            return False

        assert turns.reap(ledger, dead_until_a_moment_ago, machine="host", now=later(10)) == ()

    def test_a_lapsed_turn_that_turns_out_to_run_holds_its_place_again(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        ask(ledger, turn(run, "a"))
        turns.reap(ledger, lambda _: False, machine="host", now=later(10))
        turns.mark_running(ledger, turn(run, "a"), later(11))
        assert isinstance(ask(ledger, turn(run, "b"), now=later(12)), Wait)

    def test_a_turn_settled_or_admitted_anew_while_its_life_was_checked_is_not_reaped(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        ask(ledger, turn(run, "a"), Caps())
        ask(ledger, turn(run, "b"), Caps())

        def dead_but_busy(t: TurnId) -> bool:
            if t.key == "a":
                turns.settle(ledger, t, OK, Usage(), later(10))
            else:
                turns.reap(ledger, lambda other: other != t, machine="host", now=later(10))
                ask(ledger, t, Caps(), later(11))
            return False

        assert turns.reap(ledger, dead_but_busy, machine="host", now=later(10)) == ()
        assert [t.state for t in turns.of_run(ledger, run)] == ["settled", "admitted"]


def take_turns(start: Barrier, where: Path | str, run: str, number: int, in_flight: object, most: object) -> None:
    """Take ten turns one after the other, and keep count of how many are in flight everywhere."""
    with open_ledger(where) as ledger:
        start.wait(30)
        for key in range(10):
            t = turn(run, f"k{key}", seat=f"seat-{number}")
            deadline = time.monotonic() + 60
            while not isinstance(ask(ledger, t, Caps(account_concurrency=2)), Admitted):
                assert time.monotonic() < deadline
                time.sleep(0.001)
            with in_flight.get_lock():
                in_flight.value += 1
                most.value = max(most.value, in_flight.value)
            turns.mark_running(ledger, t, NOW)
            time.sleep(0.005)  # what the turn does
            with in_flight.get_lock():
                in_flight.value -= 1
            turns.settle(ledger, t, OK, Usage(1), later(1))


def test_six_processes_never_have_more_turns_in_flight_than_the_cap(
    where: Path | str, ledger: Ledger, new_run: NewRun
) -> None:
    run = new_run().id
    ledger.close()
    start, in_flight, most = FORK.Barrier(6), FORK.Value("i", 0), FORK.Value("i", 0)
    processes = [
        FORK.Process(target=take_turns, args=(start, where, run, number, in_flight, most)) for number in range(6)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(90)
    assert [process.exitcode for process in processes] == [0] * 6
    assert most.value <= 2  # that two can be in flight is for other tests to show: here they need not meet
    done = turns.of_run(ledger, run)
    assert len(done) == len({t.id for t in done}) == 60
    assert {t.state for t in done} == {TurnState.SETTLED}
    assert sum(t.usage.input_tokens for t in done) == 60
