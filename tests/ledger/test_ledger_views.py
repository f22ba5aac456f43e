"""Light reading tells the same as the query modules, on both databases."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from ledger_samples import NOW, RESULT, SEAT, claim, finding, later

from moot.core.errors import NotFoundError, UsageError
from moot.core.findings import Dropped, DropReason, RulingKind
from moot.core.ledger import Caps, TurnId
from moot.core.runs import RunStatus
from moot.core.turns import Failure, FailureKind, Reply, Usage
from moot.ledger import drops, findings, runs, seats, stats, turns, views
from moot.ledger.database import Ledger

NewRun = Callable[..., runs.Run]


def take(ledger: Ledger, run: str, seat: str, outcome: Reply | Failure, usage: Usage, day: int = 0) -> None:
    at = NOW + timedelta(days=day)
    t = TurnId(run, seat, f"review.{day}", 1)
    turns.admit(ledger, t, "main", Caps(), at, repo="/repo", node="review", agent=seat, model=None, conversation=None)
    turns.settle(ledger, t, outcome, usage, at)


def test_where_no_ledger_is_there_is_nothing_in_it(tmp_path: Path) -> None:
    where = tmp_path / "ledger.db"
    assert views.list_runs(where) == views.complete_run(where, "") == views.complete_seat(where, "x", "") == ()
    assert views.latest_run(where, "/repo") is views.result_text(where, "x") is None
    assert stats.by_agent(where) == stats.by_day(where) == ()
    with pytest.raises(NotFoundError, match="nothing has been run yet") as missing:
        views.find_run(where, "7f3a")
    assert missing.value.next_step == "moot review"
    assert not where.exists()
    where.touch()  # somebody is just about to create it
    assert views.list_runs(where) == ()


def test_a_line_of_the_list_says_what_the_run_is_and_took(where: Path | str, ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    take(ledger, run.id, "a", Reply("x"), Usage(100, 10, 5, 0.25))
    take(ledger, run.id, "b", Failure(FailureKind.EMPTY, ""), Usage(1, 1, 0, None))
    findings.save(
        ledger,
        run.id,
        [
            finding("F1", claim("a.1.1"), ruling=RulingKind.KEEP),
            finding("F2", claim("a.1.2"), ruling=RulingKind.DROP),
            finding("F3", claim("a.1.3")),
        ],
        now=NOW,
    )
    runs.set_result(ledger, run.id, RESULT, now=later(31))
    now = runs.get(ledger, run.id)
    assert views.list_runs(where) == (
        views.RunLine(
            id=now.id,
            short=now.short,
            proceeding="review",
            subject=now.subject,
            repo="/repo",
            label="topic → main",
            status="complete",
            verdict="comment",
            created_at=now.created_at,
            updated_at=now.updated_at,
            finished_at=now.finished_at,
            turns=2,
            tokens=112,
            cost_usd=0.25,
            findings=1,
        ),
    )


def test_lists_are_newest_first_and_can_be_narrowed(where: Path | str, ledger: Ledger, new_run: NewRun) -> None:
    done, parked, other = (
        new_run(),
        new_run(now=later(1)),
        new_run(now=later(2), repo="/other"),
    )
    runs.set_status(ledger, done.id, RunStatus.COMPLETE, now=later(3))
    runs.set_status(ledger, parked.id, RunStatus.PARKED, now=later(3))

    def ids(**how: object) -> list[str]:
        return [line.id for line in views.list_runs(where, **how)]

    assert ids() == [other.id, parked.id, done.id]
    assert ids(limit=2) == [other.id, parked.id]
    assert ids(repo="/repo") == [parked.id, done.id]
    assert ids(unfinished=True) == [other.id, parked.id]
    assert ids(unfinished=True, repo="/repo", limit=1) == [parked.id]
    assert views.latest_run(where, "/repo").id == parked.id
    assert views.latest_run(where, "/nowhere") is None


def test_the_light_list_knows_which_statuses_are_unfinished() -> None:
    named = {f"'{status}'" for status in RunStatus if not status.unfinished}
    assert set(views._ENDED.strip("()").split(", ")) == named


def test_a_run_is_found_lightly_by_the_same_names(where: Path | str, ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    assert views.find_run(where, run.short[:3]).id == run.id
    new_run()
    with pytest.raises(UsageError):
        views.find_run(where, "2026")
    with pytest.raises(NotFoundError, match=run.short):
        views.find_run(where, "nope")


def test_the_text_of_a_result_is_what_was_stored_key_by_key(where: Path | str, ledger: Ledger, new_run: NewRun) -> None:
    run = new_run()
    assert views.result_text(where, run.id) is None
    runs.set_result(ledger, run.id, RESULT, now=NOW)
    told = json.loads(views.result_text(where, run.id))
    assert list(told)[:3] == ["run", "proceeding", "status"]
    assert told["change"]["label"] == "topic → main"
    assert told["seats"][0]["failure"] == "usage_limit"


def test_completion_offers_short_ids_whole_ids_and_seats(where: Path | str, ledger: Ledger, new_run: NewRun) -> None:
    old, new = new_run(), new_run(now=later(1), label="hotfix → main")
    seats.save(ledger, new.id, [SEAT, replace(SEAT, seat="judge")])
    assert views.complete_run(where, "") == (
        (new.short, "review hotfix → main, created"),
        (old.short, "review topic → main, created"),
    )
    assert views.complete_run(where, new.short[:3])[0][0] == new.short
    assert views.complete_run(where, "20261130-153012") == ((old.id, "review topic → main, created"),)
    assert views.complete_run(where, "", limit=1) == views.complete_run(where, "")[:1]
    assert views.complete_run(where, "zzz") == ()
    assert views.complete_seat(where, new.id, "") == ("reviewer-opus", "judge")
    assert views.complete_seat(where, new.id, "j") == ("judge",)


def test_statistics_say_what_every_agent_did_burned_and_was_right_about(
    where: Path | str, ledger: Ledger, new_run: NewRun
) -> None:
    run = new_run()
    at_seats = [replace(SEAT, seat=seat, agent=agent) for seat, agent in (("a", "a"), ("b", "b"), ("b2", "b"))]
    seats.save(ledger, run.id, [*at_seats, replace(SEAT, seat="ruff", agent="ruff", kind="analyzer")])
    take(ledger, run.id, "a", Reply("x"), Usage(100, 10, 5, 0.25))
    take(ledger, run.id, "a", Failure(FailureKind.EMPTY, ""), Usage(10, 1, 0, 0.5), day=1)
    take(ledger, run.id, "a", Failure(FailureKind.EMPTY, ""), Usage(), day=2)
    take(ledger, run.id, "a", Failure(FailureKind.TIMEOUT, ""), Usage(), day=3)
    take(ledger, run.id, "b", Reply("x"), Usage(7, 7))
    turns.admit(
        ledger,
        TurnId(run.id, "a", "open", 1),
        "main",
        Caps(),
        NOW,
        repo="/repo",
        node="review",
        agent="a",
        model=None,
        conversation=None,
    )
    findings.save(
        ledger,
        run.id,
        [
            finding("F1", claim("a.1.1"), claim("b.1.1"), claim("b2.1.1"), ruling=RulingKind.KEEP),
            finding("F2", claim("a.1.2"), ruling=RulingKind.NEW),
            finding("F3", claim("a.1.3"), ruling=RulingKind.UNVERIFIED),
            finding("F4", claim("b.1.4"), ruling=RulingKind.DROP),
            finding("F5", claim("ruff.1.1"), ruling=RulingKind.REWRITE),
            finding("F6", claim("stranger.1.1"), ruling=RulingKind.KEEP),
        ],
        now=NOW,
    )
    said = Dropped("t", "p", 1, ("b", "b2"), DropReason.FALSE_CLAIM, "no", finding="F4")
    drops.record(ledger, run.id, [said, replace(said, raised_by=("a",), reason=DropReason.QUOTE_NOT_FOUND)])

    a, b, ruff = stats.by_agent(where)
    assert a == stats.AgentStats(
        agent="a",
        turns=4,
        failures={"empty": 2, "timeout": 1},
        input_tokens=110,
        output_tokens=11,
        cached_tokens=5,
        cost_usd=0.75,
        kept=2,
        dropped=1,
        unverified=1,
    )
    assert (b.agent, b.turns, b.cost_usd, b.kept, b.dropped, b.unverified) == ("b", 1, None, 1, 1, 0)
    assert ruff == stats.AgentStats("ruff", kept=1)

    first = date(2026, 11, 30)
    assert stats.by_day(where)[:2] == (
        stats.DayStats(first, turns=2, failed=0, tokens=124, cost_usd=0.25),
        stats.DayStats(first + timedelta(days=1), turns=1, failed=1, tokens=11, cost_usd=0.5),
    )
    since = first + timedelta(days=2)
    assert [day.day for day in stats.by_day(where, since)] == [since, since + timedelta(days=1)]
    [late] = stats.by_agent(where, since)
    assert (late.turns, late.kept, late.dropped) == (2, 0, 0)
