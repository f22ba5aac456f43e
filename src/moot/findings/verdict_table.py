"""The published table of cases: what a panel did, and what the verdict, status and exit code are then.

`docs/verdict.md` is this table (`python -m moot.findings.verdict_table > docs/verdict.md`); the tests hold the rules
to it and the file to the table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.change import Side
from moot.core.findings import Category, Disposition, Finding, RulingKind, Severity
from moot.core.runs import Coverage, Reads, RunStatus, SeatResult, SeatStatus, Skipped, Verdict
from moot.core.turns import FailureKind
from moot.findings.verdict import PolicyView

V, S = Verdict, RunStatus
_BOTH_READ = Coverage(2, 2)
_DEFAULT = PolicyView()


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what happened in words, the same as values, and what follows from it (`code` with fail_on high)."""

    happened: str
    verdict: Verdict
    status: RunStatus
    code: int
    findings: tuple[Finding, ...] = ()
    seats: tuple[SeatResult, ...] = ()
    coverage: Coverage = _BOTH_READ
    policy: PolicyView = _DEFAULT


def _finding(
    severity: Severity, ruling: RulingKind | None = RulingKind.KEEP, disposition: Disposition = Disposition.OPEN
) -> Finding:
    return Finding(
        id="F1", path="a.py", side=Side.RIGHT, line=1, end_line=1, severity=severity, category=Category.CORRECTNESS,
        title="t", body="b", quote="q", scenario="", suggestion="", claims=(), ruling=ruling, disposition=disposition,
    )  # fmt: skip


def _reader(
    name: str = "opus",
    status: SeatStatus = SeatStatus.OK,
    failure: FailureKind | None = None,
    coverage: float | None = 1.0,
    *,
    required: bool = False,
    optional: bool = False,
) -> SeatResult:
    return SeatResult(
        f"reviewer-{name}", name, "claude", status, Reads.READ, failure=failure, coverage=coverage,
        required=required, optional=optional,
    )  # fmt: skip


def _analyzer(status: SeatStatus = SeatStatus.OK, failure: FailureKind | None = None) -> SeatResult:
    return SeatResult("ruff", "ruff", "analyzer", status, Reads.SCAN, failure=failure, optional=True)


def _judge(
    status: SeatStatus = SeatStatus.OK, failure: FailureKind | None = None, *, required: bool = False
) -> SeatResult:
    return SeatResult("judge", "opus", "claude", status, Reads.NONE, failure=failure, required=required)


_FAILED, _SKIPPED = SeatStatus.FAILED, SeatStatus.SKIPPED
_WELL = (_reader(), _reader("gpt"), _judge())
_ONE_UNREAD = Coverage(2, 1, unread=("b.py",))
_ALL_UNREAD = Coverage(2, 0, unread=("a.py", "b.py"))

CASES: tuple[Case, ...] = (
    Case("everything read, nothing found", V.APPROVE, S.COMPLETE, 0, seats=_WELL),
    Case(
        "a nit, nothing else (nits are hidden)", V.APPROVE, S.COMPLETE, 0,
        findings=(_finding(Severity.NIT),), seats=_WELL,
    ),
    Case("a low finding", V.COMMENT, S.COMPLETE, 0, findings=(_finding(Severity.LOW),), seats=_WELL),
    Case("a medium finding", V.COMMENT, S.COMPLETE, 0, findings=(_finding(Severity.MEDIUM),), seats=_WELL),
    Case("a high finding", V.REQUEST_CHANGES, S.COMPLETE, 1, findings=(_finding(Severity.HIGH),), seats=_WELL),
    Case("a critical finding", V.REQUEST_CHANGES, S.COMPLETE, 1, findings=(_finding(Severity.CRITICAL),), seats=_WELL),
    Case(
        "a high finding, blocking = critical", V.COMMENT, S.COMPLETE, 1,
        findings=(_finding(Severity.HIGH),), seats=_WELL, policy=PolicyView(blocking=Severity.CRITICAL),
    ),
    Case(
        "a medium finding, blocking = medium", V.REQUEST_CHANGES, S.COMPLETE, 0,
        findings=(_finding(Severity.MEDIUM),), seats=_WELL, policy=PolicyView(blocking=Severity.MEDIUM),
    ),
    Case(
        "a high finding that is fixed, refuted or withdrawn", V.APPROVE, S.COMPLETE, 0,
        findings=(
            _finding(Severity.HIGH, disposition=Disposition.FIXED),
            _finding(Severity.HIGH, disposition=Disposition.REFUTED),
            _finding(Severity.HIGH, disposition=Disposition.WITHDRAWN),
        ), seats=_WELL,
    ),
    Case(
        "a high finding that was deferred", V.COMMENT, S.COMPLETE, 0,
        findings=(_finding(Severity.HIGH, disposition=Disposition.DEFERRED),), seats=_WELL,
    ),
    Case(
        "a high finding the judge left out, twice", V.COMMENT, S.COMPLETE, 1,
        findings=(_finding(Severity.HIGH, RulingKind.UNVERIFIED, Disposition.UNVERIFIED),), seats=_WELL,
    ),
    Case(
        "the judge failed; a high finding stands unverified", V.COMMENT, S.INCOMPLETE, 3,
        findings=(_finding(Severity.HIGH, RulingKind.UNVERIFIED, Disposition.UNVERIFIED),),
        seats=(_reader(), _judge(_FAILED, FailureKind.TIMEOUT)),
    ),
    Case(
        "the judge failed, nothing was found", V.COMMENT, S.INCOMPLETE, 3,
        seats=(_reader(), _judge(_FAILED, FailureKind.TIMEOUT)),
    ),
    Case(
        "the judge is required and failed", V.NOT_REVIEWED, S.NOT_REVIEWED, 3,
        findings=(_finding(Severity.HIGH, RulingKind.UNVERIFIED, Disposition.UNVERIFIED),),
        seats=(_reader(), _judge(_FAILED, FailureKind.TIMEOUT, required=True)),
    ),
    Case(
        "the judge is required and hit its usage limit", V.NOT_REVIEWED, S.STALLED, 4,
        seats=(_reader(), _judge(_FAILED, FailureKind.USAGE_LIMIT, required=True)),
    ),
    Case(
        "a file was read by no reviewer", V.COMMENT, S.COMPLETE, 0, seats=_WELL, coverage=_ONE_UNREAD,
    ),
    Case(
        "a file was parsed by an analyzer and read by no reviewer", V.COMMENT, S.COMPLETE, 0,
        seats=(*_WELL, _analyzer()), coverage=Coverage(2, 1, unread=("b.py",), scanned=("b.py",)),
    ),
    Case(
        "a file was skipped, the others read", V.APPROVE, S.COMPLETE, 0,
        seats=_WELL, coverage=Coverage(2, 2, skipped=(Skipped("uv.lock", "generated"),)),
    ),
    Case(
        "every file was skipped", V.COMMENT, S.COMPLETE, 0,
        seats=_WELL, coverage=Coverage(0, 0, skipped=(Skipped("logo.png", "binary"),)),
    ),
    Case(
        "every file was skipped, so nobody was asked", V.COMMENT, S.COMPLETE, 0,
        seats=(_reader(status=_SKIPPED, required=True), _judge(_SKIPPED)),
        coverage=Coverage(0, 0, skipped=(Skipped("uv.lock", "generated"),)),
    ),
    Case("the change is empty", V.NOT_REVIEWED, S.NOT_REVIEWED, 3, seats=_WELL, coverage=Coverage(0, 0)),
    Case(
        "only prose reviewers, whose coverage nobody knows", V.COMMENT, S.COMPLETE, 0,
        seats=(_reader(coverage=None), _judge()), coverage=_ALL_UNREAD,
    ),
    Case(
        "only analyzers looked, nothing found", V.COMMENT, S.COMPLETE, 0,
        seats=(_analyzer(),), coverage=Coverage(2, 0, unread=("a.py", "b.py"), scanned=("a.py", "b.py")),
    ),
    Case(
        "only analyzers looked, a high finding", V.REQUEST_CHANGES, S.COMPLETE, 1,
        findings=(_finding(Severity.HIGH),), seats=(_analyzer(),), coverage=_ALL_UNREAD,
    ),
    Case(
        "one of two reviewers failed, the other found nothing", V.COMMENT, S.INCOMPLETE, 3,
        seats=(_reader(), _reader("gpt", _FAILED, FailureKind.SILENT), _judge()),
    ),
    Case(
        "the same with incomplete = warn", V.COMMENT, S.COMPLETE, 0,
        seats=(_reader(), _reader("gpt", _FAILED, FailureKind.SILENT), _judge()), policy=PolicyView(incomplete="warn"),
    ),
    Case(
        "one of two reviewers failed, the other found a high defect", V.REQUEST_CHANGES, S.INCOMPLETE, 3,
        findings=(_finding(Severity.HIGH),),
        seats=(_reader(), _reader("gpt", _FAILED, FailureKind.SILENT), _judge()),
    ),
    Case(
        "an optional reviewer failed", V.COMMENT, S.COMPLETE, 0,
        seats=(_reader(), _reader("gpt", _FAILED, FailureKind.SILENT, optional=True), _judge()),
    ),
    Case(
        "an analyzer failed", V.COMMENT, S.COMPLETE, 0,
        seats=(*_WELL, _analyzer(_FAILED, FailureKind.MALFORMED)),
    ),
    Case(
        "a seat was skipped (not installed, not its turn), the others answered", V.APPROVE, S.COMPLETE, 0,
        seats=(*_WELL, _reader("security", _SKIPPED), _analyzer(_SKIPPED)),
    ),
    Case(
        "a reviewer answered and read none of the change (guessed receipts)", V.COMMENT, S.INCOMPLETE, 3,
        seats=(_reader(), _reader("gpt", coverage=0.0), _judge()),
    ),
    Case(
        "a reviewer read half of the change, nobody the rest", V.COMMENT, S.COMPLETE, 0,
        seats=(_reader(coverage=0.5), _judge()), coverage=_ONE_UNREAD,
    ),
    Case(
        "the only reviewer read none of the change", V.NOT_REVIEWED, S.NOT_REVIEWED, 3,
        seats=(_reader(coverage=0.0), _judge()), coverage=_ALL_UNREAD,
    ),
    Case(
        "a panel in which one hangs, one replies {}, one guesses receipts, one reads half, one is good",
        V.COMMENT, S.INCOMPLETE, 3, findings=(_finding(Severity.MEDIUM),),
        seats=(
            _reader("hangs", _FAILED, FailureKind.SILENT), _reader("empty", _FAILED, FailureKind.MALFORMED),
            _reader("guesses", coverage=0.0), _reader("half", coverage=0.5), _reader("good"), _judge(),
        ),
    ),
    Case(
        "the same, and the seat that hangs is required", V.NOT_REVIEWED, S.NOT_REVIEWED, 3,
        findings=(_finding(Severity.MEDIUM),),
        seats=(
            _reader("hangs", _FAILED, FailureKind.SILENT, required=True), _reader("guesses", coverage=0.0),
            _reader("half", coverage=0.5), _reader("good"), _judge(),
        ),
    ),
    Case(
        "a required reviewer was skipped", V.NOT_REVIEWED, S.NOT_REVIEWED, 3,
        seats=(_reader(), _reader("gpt", _SKIPPED, required=True), _judge()),
    ),
    Case(
        "a required reviewer read none of the change", V.NOT_REVIEWED, S.NOT_REVIEWED, 3,
        seats=(_reader(), _reader("gpt", coverage=0.0, required=True), _judge()),
    ),
    Case(
        "a required reviewer hit its usage limit", V.NOT_REVIEWED, S.STALLED, 4,
        seats=(_reader(), _reader("gpt", _FAILED, FailureKind.USAGE_LIMIT, required=True), _judge()),
    ),
    Case(
        "every reviewer failed, one of them at a limit", V.NOT_REVIEWED, S.STALLED, 4,
        seats=(_reader("opus", _FAILED, FailureKind.SILENT), _reader("gpt", _FAILED, FailureKind.RATE_LIMITED)),
        coverage=_ALL_UNREAD,
    ),
    Case(
        "every reviewer and analyzer failed", V.NOT_REVIEWED, S.NOT_REVIEWED, 3,
        seats=(_reader("opus", _FAILED, FailureKind.EMPTY), _analyzer(_FAILED, FailureKind.MALFORMED)),
        coverage=_ALL_UNREAD,
    ),
    Case("nobody was asked", V.NOT_REVIEWED, S.NOT_REVIEWED, 3, coverage=_ALL_UNREAD),
)  # fmt: skip


def render(cases: Sequence[Case] = CASES) -> str:
    """Return the table as the Markdown page `docs/verdict.md`."""
    rows = [
        f"| {c.happened} | `{c.verdict}` | `{c.status}` | {c.code} |"
        for c in cases
    ]  # fmt: skip
    return "\n".join([_INTRODUCTION.strip(), "", *_HEAD, *rows, ""])


_HEAD = ("| what happened | verdict | status | exit code |", "|---|---|---|---|")
_INTRODUCTION = """
# What the verdict is, case by case

No agent sets the verdict; a pure function computes it from the findings, the seats and what was demonstrably read.
`request_changes` needs a ruled finding at or above `policy.blocking`. `approve` needs that everything was read by a
reviewer, that every seat asked has answered, that a judge has ruled, and that nothing worth a comment is left.
Everything between is `comment`; where a required seat or everybody is missing, the change is `not_reviewed`. A filter
(`policy.show`, nits, ignored categories) hides findings from the report; it never betters a verdict.

A finding that no judge has ruled on is shown as unverified: it keeps a verdict from being better than `comment`, and
does not request changes by itself. A reviewer that answers without having demonstrably read anything counts as failed.

The exit code is that of `--fail-on high`: 4 stalled (a limit was in the way; resume later), 3 not reviewed or
incomplete, 1 findings at or above the floor, 0 otherwise. 2 (usage) and 130 (interrupted) come before all of these.

This page is generated from `src/moot/findings/verdict_table.py`, which is also the test of the function.
"""

if __name__ == "__main__":
    sys.stdout.write(render())
