"""The sentences every report shares: names stay unambiguous, counts true, nothing unknown is claimed."""

from __future__ import annotations

from dataclasses import replace

from report_samples import BLOCKING, CLEAN, GPT, JUDGE, NOT_REVIEWED, OPUS, RUFF, RULES

from moot.core.findings import DropReason, RulingKind
from moot.core.runs import Coverage, SeatStatus, Skipped
from moot.core.turns import FailureKind
from moot.reports import turnout, wording


def test_every_reason_and_failure_has_words() -> None:
    assert set(wording.DROPPED) == set(DropReason)
    assert set(turnout.FAILED) == set(FailureKind)


def test_seats_lose_their_prefix_only_while_that_is_unambiguous() -> None:
    twice = replace(BLOCKING, seats=(OPUS, replace(OPUS, seat="opus"), GPT))
    assert turnout.seat_names(twice) == {
        "reviewer-opus": "reviewer-opus",
        "opus": "opus",
        "reviewer-gpt": "gpt",
    }


def test_by_how_many_seats_is_said_only_when_it_is_known_of_every_file() -> None:
    assert turnout.coverage(CLEAN)[0] == "3 of 3 files read by at least two seats"
    vague = replace(CLEAN, seats=(replace(OPUS, read=()), GPT))
    assert turnout.coverage(vague)[0] == "3 of 3 files read"
    assert turnout.coverage(NOT_REVIEWED)[0] == "2 of 3 files read"


def test_skipped_files_are_grouped_by_reason_and_long_lists_counted() -> None:
    skipped = (*(Skipped(f"gen/{n}.js", "generated") for n in range(9)), Skipped("a.bin", "binary"))
    assert turnout.skipped(Coverage(10, 0, skipped=skipped)) == (
        "gen/0.js, gen/1.js, gen/2.js and 6 more skipped (generated)",
        "a.bin skipped (binary)",
    )


def test_analyzers_parse_and_do_not_read() -> None:
    clean = replace(RULES, findings=())
    assert wording.outcome(clean) == "nothing to report: 3 of 3 files parsed by ruff and shellcheck, read by nobody"
    nobody = replace(clean, seats=(), coverage=Coverage(3, 0))
    assert wording.outcome(nobody) == "nothing to report: 3 files, read by nobody"


def test_a_failed_seat_says_how_and_a_replaced_one_by_whom() -> None:
    failed = replace(GPT, status=SeatStatus.FAILED, failure=FailureKind.TIMEOUT, note="20m", replaced="gpt", agent="oc")
    words = turnout.seat(failed, {"reviewer-gpt": "gpt"})
    assert (words.name, words.status, words.detail) == ("gpt (gpt → oc)", "failed", "ran out of time: 20m")


def test_seats_that_did_well_share_a_clause() -> None:
    seats = (OPUS, replace(GPT, note="late"), RUFF, JUDGE)
    assert turnout.seats(replace(BLOCKING, seats=seats)) == ("opus, ruff, judge ok", "gpt ok (late)")


def test_what_the_judge_raised_is_not_said_twice() -> None:
    new = replace(BLOCKING.findings[0], ruling=RulingKind.NEW, raised_by=("judge",))
    assert wording.provenance(new, BLOCKING) == ("raised by the judge",)


def test_the_rules_are_not_called_a_judge() -> None:
    assert "kept by the rules" in wording.provenance(RULES.findings[0], RULES)


def test_money_is_shown_only_where_a_cli_reports_it() -> None:
    assert "$1.87" in wording.facts(BLOCKING, None)
    tokens_only = replace(BLOCKING, usage=replace(BLOCKING.usage, cost_usd=None))
    assert "115k tokens" in wording.facts(tokens_only, None)
    assert not any("$" in fact for fact in (*wording.facts(tokens_only, None), *turnout.usage(tokens_only)))
    assert turnout.usage(RULES) == ()


def test_what_was_dropped_is_counted_by_reason_commonest_first() -> None:
    dropped = (*BLOCKING.dropped, replace(BLOCKING.dropped[0], reason=DropReason.FALSE_CLAIM))
    assert wording.dropped(replace(BLOCKING, dropped=dropped)).startswith("2 refuted, 1 ")
