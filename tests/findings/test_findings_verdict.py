"""The verdict follows the published table, and no filter, silence or gap ever betters it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from findings_builders import finding
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.change import Side
from moot.core.findings import Category, Disposition, Finding, RulingKind, Severity
from moot.core.runs import (
    Coverage,
    Reads,
    Result,
    ResultChange,
    ResultFinding,
    RunStatus,
    SeatResult,
    SeatStatus,
    Skipped,
    Verdict,
)
from moot.core.turns import FailureKind, Usage
from moot.findings.verdict import PolicyView, exit_code, status, verdict
from moot.findings.verdict_table import CASES, Case, render

BETTER = [Verdict.NOT_REVIEWED, Verdict.REQUEST_CHANGES, Verdict.COMMENT, Verdict.APPROVE]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.happened)
def test_a_published_case_is_ruled_otherwise(case: Case) -> None:
    ruled = verdict(case.findings, case.coverage, case.seats, case.policy)
    assert ruled.verdict is case.verdict, ruled.reasons
    assert status(case.coverage, case.seats, case.policy) is case.status
    result = _result(ruled.verdict, status(case.coverage, case.seats, case.policy), case.findings)
    assert exit_code(result, Severity.HIGH) == case.code
    assert ruled.reasons
    assert all(r.endswith(".") for r in ruled.reasons)


def test_the_published_page_is_not_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "verdict.md"
    assert page.read_text(encoding="utf-8") == render(), "python -m moot.findings.verdict_table > docs/verdict.md"


def test_the_reason_for_analyzers_alone_is_not_named() -> None:
    seat = SeatResult("ruff", "ruff", "analyzer", SeatStatus.OK, Reads.SCAN, optional=True)
    ruled = verdict([], Coverage(1, 0, unread=("a.py",), scanned=("a.py",)), [seat], PolicyView())
    assert ruled.reasons == ("Only analyzers looked; no reviewer read the change.",)


def test_the_deciding_reason_does_not_come_first() -> None:
    seats = [
        SeatResult("reviewer-a", "a", "claude", SeatStatus.OK, Reads.READ, coverage=1.0),
        SeatResult("reviewer-b", "b", "claude", SeatStatus.FAILED, Reads.READ, failure=FailureKind.USAGE_LIMIT),
    ]
    found = [finding(severity=Severity.HIGH, ruling=RulingKind.KEEP)]
    ruled = verdict(found, Coverage(2, 1, unread=("b.py",)), seats, PolicyView())
    assert ruled.reasons == (
        "1 finding is high or worse.",
        "reviewer-b gave no answer (usage limit).",
        "1 of 2 files was not demonstrably read.",
    )


def test_a_stalled_run_does_not_exit_with_4_or_an_incomplete_one_with_3() -> None:
    high = (finding(severity=Severity.HIGH, ruling=RulingKind.KEEP),)
    for state, code in (
        (RunStatus.STALLED, 4), (RunStatus.NOT_REVIEWED, 3), (RunStatus.INCOMPLETE, 3), (RunStatus.FAILED, 3),
        (RunStatus.PARKED, 3), (RunStatus.CANCELLED, 3), (RunStatus.COMPLETE, 1),
    ):  # fmt: skip
        assert exit_code(_result(Verdict.REQUEST_CHANGES, state, high), Severity.HIGH) == code


def test_a_hidden_finding_does_not_fail_the_exit_code() -> None:
    low = _result(Verdict.COMMENT, RunStatus.COMPLETE, (finding(severity=Severity.LOW, ruling=RulingKind.KEEP),))
    hidden = replace(low, findings=tuple(replace(f, shown=False) for f in low.findings))
    assert exit_code(hidden, Severity.LOW) == 1
    assert exit_code(hidden, Severity.MEDIUM) == 0
    assert exit_code(hidden, None) == 0


severities = st.sampled_from(Severity)
findings = st.lists(
    st.builds(
        lambda s, r, d: finding(severity=s, ruling=r, disposition=d),
        severities, st.sampled_from([None, *RulingKind]), st.sampled_from(Disposition),
    ), max_size=4,
)  # fmt: skip
seats = st.lists(
    st.builds(
        lambda n, s, r, f, c, q, o: SeatResult(
            f"s{n}", "a", "k", s, r, failure=f if s is SeatStatus.FAILED else None, coverage=c, required=q, optional=o
        ),
        st.integers(0, 9), st.sampled_from(SeatStatus), st.sampled_from(Reads),
        st.sampled_from([FailureKind.SILENT, FailureKind.USAGE_LIMIT]), st.sampled_from([None, 0.0, 0.5, 1.0]),
        st.booleans(), st.booleans(),
    ), max_size=5,
)  # fmt: skip
coverages = st.sampled_from(
    [Coverage(2, 2), Coverage(2, 1, unread=("b",)), Coverage(0, 0, skipped=(Skipped("x", "binary"),)), Coverage(0, 0)]
)
policies = st.builds(PolicyView, severities, st.sampled_from(["block", "warn"]))


@given(findings, coverages, seats, policies)
@settings(max_examples=150)
def test_something_is_approved_that_was_not_wholly_read_answered_and_ruled_on(
    found: list[Finding], coverage: Coverage, panel: list[SeatResult], policy: PolicyView
) -> None:
    ruled = verdict(found, coverage, panel, policy).verdict
    if ruled is not Verdict.APPROVE:
        return
    readers = [s for s in panel if s.reads is Reads.READ and s.status is SeatStatus.OK]
    assert readers
    assert coverage.files
    assert not coverage.unread
    assert all(s.coverage != 0.0 for s in readers)
    assert all(s.status in (SeatStatus.OK, SeatStatus.SKIPPED) for s in panel if s.reads is not Reads.NONE)
    assert all(s.status is not SeatStatus.FAILED for s in panel)
    assert all(s.status is SeatStatus.OK for s in panel if s.required and s.reads is not Reads.NONE)
    gone = {Disposition.FIXED, Disposition.REFUTED, Disposition.WITHDRAWN}
    assert all(
        f.severity is Severity.NIT or f.ruling is RulingKind.DROP or f.disposition in gone for f in found
    )  # fmt: skip


@given(findings, coverages, seats, policies, findings, seats)
@settings(max_examples=150)
def test_one_more_finding_or_failed_seat_betters_the_verdict(
    found: list[Finding],
    coverage: Coverage,
    panel: list[SeatResult],
    policy: PolicyView,
    more: list[Finding],
    extra: list[SeatResult],
) -> None:
    before = BETTER.index(verdict(found, coverage, panel, policy).verdict)
    failed = [replace(s, status=SeatStatus.FAILED, failure=FailureKind.SILENT) for s in extra]
    after = BETTER.index(verdict([*found, *more], coverage, [*panel, *failed], policy).verdict)
    assert after <= before


@given(findings, coverages, seats, policies)
@settings(max_examples=100)
def test_status_and_verdict_disagree_on_whether_the_change_was_reviewed(
    found: list[Finding], coverage: Coverage, panel: list[SeatResult], policy: PolicyView
) -> None:
    unreviewed = verdict(found, coverage, panel, policy).verdict is Verdict.NOT_REVIEWED
    assert unreviewed == (status(coverage, panel, policy) in (RunStatus.NOT_REVIEWED, RunStatus.STALLED))


def _result(ruled: Verdict, state: RunStatus, found: tuple[Finding, ...]) -> Result:
    shown = tuple(
        ResultFinding(
            f.id, f.path, Side.RIGHT, 1, 1, f.severity, Category.CORRECTNESS, f.title, f.body, f.quote, "", "", (), (),
            f.ruling or RulingKind.UNVERIFIED, "", None, f.disposition, "",
        )
        for f in found if f.ruling is not RulingKind.DROP
    )  # fmt: skip
    change = ResultChange("/r", "b", "h", "b", 1, 1, 0, "branch", "l")
    return Result(
        run="r", proceeding="review", status=state, verdict=ruled, verdict_reasons=(), change=change, findings=shown,
        dropped=(), seats=(), coverage=Coverage(0, 0), usage=Usage(), artifacts="",
    )  # fmt: skip
