"""Runs, seats, conversations, requests, checkouts and consents come back as they went in, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from random import Random

import pytest
from ledger_samples import CHANGE, NOW, RESULT, SEAT, later

import moot
from moot.core.errors import BusyError, NotFoundError, UsageError
from moot.core.runs import RunStatus, SeatStatus, Verdict
from moot.core.turns import Conversation, Usage
from moot.ledger import checkouts, consent, conversations, events, requests, runs, seats, turns
from moot.ledger.database import Ledger, open_ledger
from moot.ledger.runs import Driver

NewRun = Callable[..., runs.Run]


class TestRuns:
    def test_a_run_comes_back_with_everything_it_was_created_with(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run(change=CHANGE, seed=2**40, parent="p", budget_usd=20.0, config={"a": [1, None, "ü\u2028"]})
        assert run == runs.get(ledger, run.id)
        assert run == runs.Run(
            id=f"20261130-153012-{run.short}",
            short=run.short,
            proceeding="review",
            subject="/repo#topic",
            repo="/repo",
            label="topic → main",
            status=RunStatus.CREATED,
            verdict=None,
            seed=2**40,
            parent="p",
            budget_usd=20.0,
            config={"a": [1, None, "ü\u2028"]},
            change=CHANGE,
            driver=None,
            fence=0,
            moot_version=moot.__version__,
            created_at=NOW,
            updated_at=NOW,
            finished_at=None,
        )

    def test_times_come_back_as_the_same_moment_in_utc(self, ledger: Ledger, new_run: NewRun) -> None:
        tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
        run = new_run(now=tokyo)
        assert run.created_at == NOW
        assert run.created_at.utcoffset() == timedelta(0)
        assert run.id.startswith("20261130-153012-")
        with pytest.raises(Exception, match="aware times"):
            new_run(now=NOW.replace(tzinfo=None))

    def test_short_ids_are_unique_and_grow_when_they_run_out(self, ledger: Ledger, new_run: NewRun) -> None:
        class Stuck(Random):
            def getrandbits(self, bits: int) -> int:
                return 0x7F3A

        drawn = [new_run(random=Stuck()).short for _ in range(3)]
        assert drawn == ["7f3a", "07f3a", "007f3a"]
        assert runs.get(ledger, "7f3a").short == "7f3a"

    def test_a_run_is_found_by_any_prefix_that_fits_no_other(self, ledger: Ledger, new_run: NewRun) -> None:
        class Draws(Random):
            def __init__(self, *drawn: int) -> None:
                super().__init__()
                self.drawn = list(drawn)

            def getrandbits(self, bits: int) -> int:
                return self.drawn.pop(0)

        random = Draws(0x7F3A, 0x7FFF, 0x1234)
        first, second, third = (new_run(random=random, now=later(n)) for n in range(3))
        for name, found in (
            ("7f3a", first),
            ("7f3", first),
            (" 7F3A ", first),
            (first.id, first),
            (second.id[:-1], second),
            ("1", third),
            ("20261130-153014", third),
        ):
            assert runs.get(ledger, name).id == found.id, name
        with pytest.raises(UsageError, match="fits 2 runs: 7fff, 7f3a"):
            runs.get(ledger, "7f")
        with pytest.raises(NotFoundError, match="near: 7f3a") as missing:
            runs.get(ledger, "7e3a")
        assert missing.value.next_step == "moot runs list"
        with pytest.raises(NotFoundError, match="the latest: 1234, 7fff, 7f3a"):
            runs.get(ledger, "zz")
        with pytest.raises(NotFoundError):
            runs.get(ledger, "7%")
        with pytest.raises(NotFoundError):
            runs.get(ledger, "")

    def test_runs_are_listed_newest_first_and_by_what_they_are(self, ledger: Ledger, new_run: NewRun) -> None:
        old = new_run()
        new = new_run(now=later(1), repo="/other", subject="s")
        runs.set_status(ledger, new.id, RunStatus.PARKED, now=later(2))
        assert [r.id for r in runs.list_runs(ledger)] == [new.id, old.id]
        assert [r.id for r in runs.list_runs(ledger, limit=1)] == [new.id]
        assert [r.id for r in runs.list_runs(ledger, repo="/repo")] == [old.id]
        assert [r.id for r in runs.list_runs(ledger, subject="s")] == [new.id]
        assert [r.id for r in runs.list_runs(ledger, statuses={RunStatus.PARKED, RunStatus.STALLED})] == [new.id]

    def test_a_run_that_is_taken_up_again_is_not_finished(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        for status, at, finished in (
            (RunStatus.RUNNING, 1, None),
            (RunStatus.INCOMPLETE, 2, later(2)),
            (RunStatus.FAILED, 3, later(2)),
            (RunStatus.RUNNING, 4, None),
        ):
            assert runs.set_status(ledger, run, status, now=later(at))
            now = runs.get(ledger, run)
            assert (now.status, now.updated_at, now.finished_at) == (status, later(at), finished)
        with pytest.raises(NotFoundError):
            runs.set_status(ledger, "nope", RunStatus.FAILED, now=NOW)

    def test_a_result_sets_status_verdict_and_seats(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        assert runs.result(ledger, run) is None
        assert runs.set_result(ledger, run, RESULT, now=later(31))
        assert runs.result(ledger, run) == RESULT
        now = runs.get(ledger, run)
        assert (now.status, now.verdict, now.finished_at) == (RunStatus.COMPLETE, Verdict.COMMENT, later(30))
        assert seats.of_run(ledger, run) == RESULT.seats

    def test_only_one_process_takes_a_run_over(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        first, second, third = (Driver("host", pid, pid / 7) for pid in (1, 2, 3))
        fence = runs.claim_driver(ledger, run, first, now=NOW, seen=0)
        assert runs.get(ledger, run).driver == first
        later_fence = runs.claim_driver(ledger, run, second, now=NOW, seen=fence)
        assert later_fence > fence
        with pytest.raises(BusyError, match="by process 2 on host"):
            runs.claim_driver(ledger, run, third, now=NOW, seen=fence)
        assert [runs.is_current(ledger, run, f) for f in (fence, later_fence)] == [False, True]
        with pytest.raises(NotFoundError):
            runs.claim_driver(ledger, "nope", third, now=NOW, seen=0)

    def test_a_superseded_driver_changes_nothing(self, ledger: Ledger, new_run: NewRun) -> None:
        run = new_run().id
        old = runs.claim_driver(ledger, run, Driver("host", 1, 1.0), now=NOW, seen=0)
        new = runs.claim_driver(ledger, run, Driver("host", 2, 2.0), now=NOW, seen=old)
        before = runs.get(ledger, run)
        assert not runs.set_status(ledger, run, RunStatus.PARKED, now=later(1), fence=old)
        assert not runs.set_result(ledger, run, RESULT, now=later(1), fence=old)
        runs.release_driver(ledger, run, old)
        assert runs.get(ledger, run) == before
        assert seats.of_run(ledger, run) == ()
        assert runs.set_status(ledger, run, RunStatus.PARKED, now=later(1), fence=new)
        runs.release_driver(ledger, run, new)
        assert runs.get(ledger, run).driver is None

    def test_deleting_a_run_leaves_nothing_of_it_but_its_turns_cost(self, ledger: Ledger, new_run: NewRun) -> None:
        run, other = new_run().id, new_run().id
        for one in (run, other):
            seats.save(ledger, one, [SEAT])
            requests.add(ledger, one, "park", "ann", now=NOW)
            events.append(ledger, events.NewEvent(one, NOW, "run.started", "x"))
        runs.delete_run(ledger, run)
        assert [r.id for r in runs.list_runs(ledger)] == [other]
        assert seats.of_run(ledger, run) == requests.pending(ledger, run) == events.after(ledger, run) == ()
        assert seats.of_run(ledger, other) == (SEAT,)
        assert len(requests.pending(ledger)) == len(events.after(ledger, None)) == 1
        assert turns.of_run(ledger, run) == ()
        with pytest.raises(NotFoundError):
            runs.delete_run(ledger, run)


class TestSeats:
    def test_seats_keep_their_order_and_role_when_they_are_recorded_again(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        run = new_run().id
        waiting = replace(SEAT, status=SeatStatus.WAITING, failure=None)
        judge = replace(waiting, seat="judge")
        seats.save(ledger, run, [waiting, judge], roles={"reviewer-opus": "security"})
        seats.save(ledger, run, [SEAT])
        extra = replace(waiting, seat="extra", coverage=None, usage=Usage(), replaced=None)
        seats.save(ledger, run, [extra])
        assert seats.of_run(ledger, run) == (SEAT, judge, extra)
        assert seats.roles(ledger, run) == {"reviewer-opus": "security"}


class TestConversations:
    TALK = Conversation(
        "c1", "claude", "native-1", "main", "host", Path("/checkout"), "/repo#topic", "opus", Usage(1, 2, 3, 0.5)
    )

    def test_a_seat_finds_its_latest_conversation_about_the_subject(self, ledger: Ledger) -> None:
        talk = self.TALK
        conversations.save(ledger, talk, now=NOW)
        conversations.save(ledger, replace(talk, id="c2", kind="codex", account="other"), now=later(1))
        assert conversations.find(ledger, talk.subject, talk.seat).id == "c2"
        assert conversations.find(ledger, talk.subject, talk.seat, kind="claude") == talk
        assert conversations.find(ledger, talk.subject, talk.seat, account="main") == talk
        conversations.save(ledger, talk, now=later(2))
        assert conversations.find(ledger, talk.subject, talk.seat) == talk
        for stranger in ({"subject": "other", "seat": talk.seat}, {"subject": talk.subject, "seat": "judge"}):
            assert conversations.find(ledger, **stranger) is None
        assert conversations.find(ledger, talk.subject, talk.seat, machine="elsewhere") is None

    def test_what_a_person_touched_stays_marked_and_what_is_lost_is_forgotten(self, ledger: Ledger) -> None:
        conversations.save(ledger, self.TALK, now=NOW)
        conversations.touch(ledger, "c1")
        assert conversations.get(ledger, "c1") == replace(self.TALK, touched_by_person=True)
        conversations.save(ledger, replace(self.TALK, native=None, cumulative=Usage(9)), now=later(1))
        assert conversations.get(ledger, "c1") == replace(self.TALK, native=None, cumulative=Usage(9))
        conversations.forget(ledger, "c1")
        assert conversations.get(ledger, "c1") is None


class TestRequests:
    def test_a_request_is_pending_until_somebody_handles_it_once(self, ledger: Ledger, new_run: NewRun) -> None:
        run, other = new_run().id, new_run().id
        park = requests.add(ledger, run, "park", "ann", now=NOW)
        cancel = requests.add(ledger, other, "cancel", "bob", now=later(1))
        assert requests.pending(ledger) == (park, cancel)
        assert requests.pending(ledger, run) == (park,)
        assert requests.mark_handled(ledger, park.id, now=later(2))
        assert not requests.mark_handled(ledger, park.id, now=later(3))
        assert requests.pending(ledger) == (cancel,)
        with pytest.raises(NotFoundError):
            requests.add(ledger, "nope", "park", "ann", now=NOW)


class TestCheckouts:
    def test_a_directory_is_one_runs_until_given_back(self, ledger: Ledger, new_run: NewRun) -> None:
        run, other = new_run().id, new_run().id
        assert checkouts.claim(ledger, "k/tree", run, "c" * 40, "host", NOW)
        assert not checkouts.claim(ledger, "k/tree", other, "d" * 40, "host", later(1))
        assert checkouts.claim(ledger, "k/tree", run, "e" * 40, "host", later(2))
        assert checkouts.claim(ledger, "k/checks", run, "e" * 40, "elsewhere", later(1))
        assert checkouts.list_held(ledger, machine="host") == (
            checkouts.Held("k/tree", run, "e" * 40, "host", later(2)),
        )
        assert checkouts.of_run(ledger, run) == ("k/checks", "k/tree")
        assert not checkouts.release(ledger, "k/tree", other)
        assert checkouts.release(ledger, "k/tree")
        assert not checkouts.release(ledger, "k/tree")
        assert checkouts.claim(ledger, "k/tree", other, "d" * 40, "host", later(3))
        assert checkouts.of_run(ledger, other) == ("k/tree",)

    def test_a_run_that_is_over_or_deleted_keeps_no_directory_from_others(
        self, ledger: Ledger, new_run: NewRun
    ) -> None:
        over, gone, other = new_run().id, new_run().id, new_run().id
        for holder, run in (("a", over), ("b", gone)):
            assert checkouts.claim(ledger, holder, run, "c" * 40, "host", NOW)
        runs.set_status(ledger, over, RunStatus.FAILED, now=NOW)
        runs.delete_run(ledger, gone)
        assert [h.holder for h in checkouts.list_held(ledger)] == ["a", "b"]
        for holder in "ab":
            assert checkouts.claim(ledger, holder, other, "d" * 40, "host", later(1))
        assert checkouts.of_run(ledger, other) == ("a", "b")
        assert checkouts.of_run(ledger, over) == ()


def test_a_consent_is_for_one_digest_alone_and_can_be_given_twice(ledger: Ledger) -> None:
    assert not consent.allowed(ledger, "d1")
    consent.allow(ledger, "d1", "[review] checks: make check", "ann", now=NOW)
    consent.allow(ledger, "d1", "[review] checks: make check", "ann", now=later(1))
    assert consent.allowed(ledger, "d1")
    assert not consent.allowed(ledger, "d2")


def test_what_one_process_wrote_is_there_when_the_ledger_is_opened_again(
    where: Path | str, ledger: Ledger, new_run: NewRun
) -> None:
    run = new_run(change=CHANGE)
    with open_ledger(where) as again:
        assert runs.get(again, run.short) == run
