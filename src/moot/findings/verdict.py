"""The verdict, the status and the exit code of a review: pure, and published case by case in `docs/verdict.md`.

Only findings make it worse than `comment`; everything that was not read, not answered or not ruled on keeps it from
being better. What is hidden from a report still counts here, so no filter can better a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.core.findings import Disposition, Finding, RulingKind, Severity
from moot.core.runs import Coverage, Reads, Result, Ruled, RunStatus, SeatResult, SeatStatus, Verdict
from moot.core.turns import LIMITS

_SETTLED = frozenset({Disposition.FIXED, Disposition.REFUTED, Disposition.WITHDRAWN})
_UNRULED = frozenset({None, RulingKind.UNVERIFIED})


@dataclass(frozen=True, slots=True)
class PolicyView:
    """What of `[policy]` decides a verdict; which seats are required or optional stands in their results.

    Args:
        blocking: findings at least this bad request changes.
        incomplete: whether a seat that is neither required nor optional leaves the review incomplete when it gives no
            answer ("block"), or only keeps it from approving ("warn").
    """

    blocking: Severity = Severity.HIGH
    incomplete: Literal["block", "warn"] = "block"


def verdict(findings: Sequence[Finding], coverage: Coverage, seats: Sequence[SeatResult], policy: PolicyView) -> Ruled:
    """Return the verdict with its reasons, the deciding one first.

    Args:
        findings: all of the run, hidden and ignored ones too.
        coverage: what the panel read together (`coverage.total`).
        seats: everyone who was to look or to judge.
    """
    unreviewed = _unreviewed(coverage, seats)
    if unreviewed:
        return Ruled(Verdict.NOT_REVIEWED, tuple(unreviewed))
    blocking, others, unverified = _sorted(findings, policy)
    told: list[str] = []
    if blocking:
        told.append(f"{_count(len(blocking), 'finding')} {_are(blocking)} {_or_worse(policy.blocking)}.")
    if others:
        told.append(f"{_count(len(others), 'finding')} {_are(others)} worth a comment.")
    if unverified:
        told.append(f"{_count(len(unverified), 'finding')} {_are(unverified)} unverified: no judge has ruled on them.")
    told += _reservations(coverage, seats)
    if blocking:
        return Ruled(Verdict.REQUEST_CHANGES, tuple(told))
    if told:
        return Ruled(Verdict.COMMENT, tuple(told))
    readers = sum(s.reads is Reads.READ and _looked(s, coverage) for s in seats)
    read = f"{coverage.read} of {_count(coverage.files, 'file')} read"
    return Ruled(Verdict.APPROVE, (f"{read}, {_count(readers, 'reviewer')}, nothing worth a comment.",))


def status(coverage: Coverage, seats: Sequence[SeatResult], policy: PolicyView) -> RunStatus:
    """Return how a run that is over stands: stalled is for what a limit prevented and a later resume may cure."""
    if _unreviewed(coverage, seats):
        absent = [s for s in seats if _absent(s, coverage)]
        lost = [s for s in absent if s.failure in LIMITS]
        required = [s for s in absent if s.required]
        stalled = any(s.required for s in lost) if required else bool(lost)
        return RunStatus.STALLED if stalled else RunStatus.NOT_REVIEWED
    if any(s.reads is Reads.NONE and s.status is SeatStatus.FAILED for s in seats):
        return RunStatus.INCOMPLETE
    if policy.incomplete == "block" and any(not s.optional for s in _silent(coverage, seats)):
        return RunStatus.INCOMPLETE
    return RunStatus.COMPLETE


def exit_code(result: Result, fail_on: Severity | None) -> int:
    """Return the exit code of a review that was neither interrupted nor misused.

    4 stalled, 3 not reviewed or incomplete (or parked, cancelled, failed), 1 findings at least as bad as `fail_on`
    (None: findings never fail), 0 otherwise. A finding that the report hides counts too.
    """
    if result.status is RunStatus.STALLED:
        return 4
    if result.status is not RunStatus.COMPLETE or result.verdict is Verdict.NOT_REVIEWED:
        return 3
    if fail_on is not None and any(
        f.severity.at_least(fail_on) and f.disposition not in {*_SETTLED, Disposition.DEFERRED} for f in result.findings
    ):
        return 1
    return 0


def read_nothing(seat: SeatResult, coverage: Coverage) -> bool:
    """Whether a reviewer answered without having demonstrably read anything: it counts as failed."""
    return seat.reads is Reads.READ and seat.status is SeatStatus.OK and seat.coverage == 0.0 and coverage.files > 0


def _panel(seats: Iterable[SeatResult]) -> list[SeatResult]:
    return [s for s in seats if s.reads is not Reads.NONE]


def _looked(seat: SeatResult, coverage: Coverage) -> bool:
    return seat.status is SeatStatus.OK and not read_nothing(seat, coverage)


def _absent(seat: SeatResult, coverage: Coverage) -> bool:
    """Whether a seat brought nothing. A judge that was not asked had nothing to rule on."""
    if seat.reads is Reads.NONE:
        return seat.status is SeatStatus.FAILED
    return not _looked(seat, coverage)


def _silent(coverage: Coverage, seats: Sequence[SeatResult]) -> list[SeatResult]:
    """Return who was asked and brought nothing; a skipped seat was not asked."""
    return [s for s in _panel(seats) if s.status is not SeatStatus.SKIPPED and not _looked(s, coverage)]


def _unreviewed(coverage: Coverage, seats: Sequence[SeatResult]) -> list[str]:
    """Return why nothing at all can be said, [] when something can."""
    panel = _panel(seats)
    left_out = _left_out(coverage)
    lost = [s for s in seats if s.required and _absent(s, coverage)]
    lost = [s for s in lost if not (left_out and s.status is SeatStatus.SKIPPED)]  # who had nothing to read
    if lost:
        return [f"{s.seat} is required and {_did(s, coverage)}." for s in lost]
    if left_out:
        return []
    if not any(_looked(s, coverage) for s in panel):
        silent = [f"{s.seat} {_did(s, coverage)}." for s in _silent(coverage, seats)]
        return ["Nobody has reviewed the change.", *silent]
    if not coverage.files and not coverage.skipped:
        return ["The change is empty."]
    return []


def _reservations(coverage: Coverage, seats: Sequence[SeatResult]) -> list[str]:
    """Return what keeps a verdict from being better than `comment`."""
    told: list[str] = []
    told += [
        f"The judge {_did(s, coverage)}; the findings stand unverified."
        for s in seats
        if s.reads is Reads.NONE and s.status is SeatStatus.FAILED
    ]
    told += [f"{s.seat} {_did(s, coverage)}." for s in _silent(coverage, seats)]
    if _left_out(coverage):
        told.append(f"Nothing could be read: {_count(len(coverage.skipped), 'file')} skipped.")
    elif not any(s.reads is Reads.READ and _looked(s, coverage) for s in seats):
        told.append("Only analyzers looked; no reviewer read the change.")
    elif coverage.unread:
        files = _count(coverage.files, "file")
        told.append(f"{len(coverage.unread)} of {files} {_were(coverage.unread)} not demonstrably read.")
    return told


def _left_out(coverage: Coverage) -> bool:
    """Whether the whole change is of files that nobody is asked to read."""
    return not coverage.files and bool(coverage.skipped)


def _sorted(findings: Sequence[Finding], policy: PolicyView) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """Part what counts: blocking, worth a comment, unverified. Nits do not count unless they block."""
    blocking: list[Finding] = []
    others: list[Finding] = []
    unverified: list[Finding] = []
    for f in findings:
        settled = f.ruling is RulingKind.DROP or f.disposition in _SETTLED
        if settled or (f.severity is Severity.NIT and policy.blocking is not Severity.NIT):
            continue
        if f.ruling in _UNRULED or f.disposition is Disposition.UNVERIFIED:
            unverified.append(f)
        elif f.severity.at_least(policy.blocking) and f.disposition is not Disposition.DEFERRED:
            blocking.append(f)
        else:
            others.append(f)
    return blocking, others, unverified


def _did(seat: SeatResult, coverage: Coverage) -> str:
    if read_nothing(seat, coverage):
        return "read none of the change"
    if seat.status is SeatStatus.WAITING:
        return "was not asked"
    if seat.status is SeatStatus.SKIPPED:
        return f"was skipped ({seat.note})" if seat.note else "was skipped"
    return f"gave no answer ({seat.failure.replace('_', ' ')})" if seat.failure else "gave no answer"


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'s' * (number != 1)}"


def _are(things: Sequence[object]) -> str:
    return "is" if len(things) == 1 else "are"


def _were(things: Sequence[object]) -> str:
    return "was" if len(things) == 1 else "were"


def _or_worse(severity: Severity) -> str:
    return severity.value if severity is Severity.CRITICAL else f"{severity} or worse"
