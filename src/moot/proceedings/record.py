"""The end of a review: seats and coverage summed up, the verdict computed, everything in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add

from moot.config.names import JUDGE
from moot.core import codec
from moot.core.data import JSON
from moot.core.findings import Dropped, Finding, RulingKind, Severity
from moot.core.replies import ReviewReply
from moot.core.runs import (
    Check,
    Coverage,
    Reads,
    Result,
    ResultChange,
    ResultDropped,
    ResultFinding,
    Round,
    RunStatus,
    SeatResult,
    SeatStatus,
    Verdict,
)
from moot.core.turns import Usage
from moot.findings import coverage
from moot.findings.material import Material
from moot.findings.verdict import PolicyView, read_nothing, status, verdict
from moot.ledger import drops, turns
from moot.ledger import findings as finding_rows
from moot.ledger import seats as seat_rows
from moot.ledger.admission import TurnState
from moot.proceedings.judging import Judged
from moot.proceedings.readings import Readings
from moot.proceedings.seating import Panel
from moot.seats import places
from moot.seats.panel import Answer
from moot.seats.run import Answered, Failed, Run, Seat


async def record(
    run: Run,
    seated: Panel,
    material: Material,
    sparse: bool,
    answers: list[Answer],
    checks: tuple[Check, ...],
    read: Readings,
    judged: Judged,
) -> Result:
    """Sum the run up, write it to the ledger, give the checkouts back, and return the result."""
    seats = [_seat(run, s, material, [a for a in answers if a.seat == s.name], read) for s in seated.reviewers]
    if seated.judge is not None:
        seats.append(_judge(run, seated, material, answers, read, judged))
    seats = [_booked(run, s) for s in seats] + list(seated.skipped)
    read_together = coverage.total(seats, material)
    seats = [
        replace(s, note=s.note or "read none of the change") if read_nothing(s, read_together) else s for s in seats
    ]
    policy = PolicyView(run.config.policy.blocking, run.config.policy.incomplete.value)
    ruled = verdict(judged.findings, read_together, seats, policy)
    notices = (*_notices(run, seated, sparse), *await _put_back(run))
    result = _result(
        run, seats, read_together, [*read.dropped, *judged.dropped], judged, checks, read,
        status(read_together, seats, policy), ruled.verdict, ruled.reasons, notices,
    )  # fmt: skip
    ledger = run.world.ledger
    finding_rows.save(ledger, run.id, judged.findings, now=run.world.now())
    drops.record(ledger, run.id, judged.dropped)
    seat_rows.save(ledger, run.id, seats)
    await places.give_back(run.world, run.id)
    return result


def _booked(run: Run, seat: SeatResult) -> SeatResult:
    """Return the seat with everything its turns took in this run, those before it was taken up again included."""
    took = [
        t for t in turns.of_run(run.world.ledger, run.id) if t.id.seat == seat.seat and t.state is TurnState.SETTLED
    ]
    return replace(seat, turns=len(took), usage=reduce(add, (t.usage for t in took), Usage()))


def _seat(run: Run, seat: Seat, material: Material, answers: Sequence[Answer], read: Readings) -> SeatResult:
    """Sum a reviewer's answers up; a large change has several, one per batch."""
    if not answers:
        return SeatResult(
            seat.name, seat.agent.name, seat.agent.kind, SeatStatus.SKIPPED, seat.reads,
            note="nothing of the change is to be read", required=seat.required, optional=seat.optional,
        )  # fmt: skip
    failed = next((a for a in answers if isinstance(a, Failed)), None)
    good = [a for a in answers if isinstance(a, Answered)]
    last = answers[-1]
    seen = _seen(run, seat, material, good)
    return SeatResult(
        seat=seat.name,
        agent=last.agent,
        kind=last.kind,
        status=SeatStatus.FAILED if failed else SeatStatus.OK,
        reads=seat.reads,
        failure=failed.failure.kind if failed else None,
        note=failed.failure.detail if failed else _note(seen),
        turns=sum(a.turns for a in answers),
        usage=_burned(answers),
        coverage=seen.fraction if seen is not None else None,
        read=seen.read if seen is not None else (),
        seconds=sum(a.seconds for a in answers),
        findings=read.claims.get(seat.name, 0),
        required=seat.required,
        optional=seat.optional,
        replaced=last.replaced,
        trail=tuple(line for a in answers for line in a.trail),
    )


def _seen(run: Run, seat: Seat, material: Material, answers: Sequence[Answered]) -> coverage.SeatCoverage | None:
    """What the seat demonstrably read; None where nobody can tell (prose, or no answer at all)."""
    told = [a.data for a in answers if isinstance(a.data, dict)]
    if not told:
        return None
    if seat.reads is Reads.SCAN:
        scanned = {str(p) for data in told for p in _list(data.get("scanned"))}
        paths = tuple(p for p in material.paths if p in scanned)
        return coverage.SeatCoverage(len(paths) / len(material.paths) if material.paths else 1.0, paths)
    replies: list[ReviewReply] = [codec.load(ReviewReply, data) for data in told]
    receipts = [r for reply in replies for r in reply.receipts]
    opened = [p for a in answers for p in a.touched]
    root = answers[0].cwd
    return coverage.seat_coverage(receipts, material, run.diff, opened, root)


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _note(seen: coverage.SeatCoverage | None) -> str:
    if seen is None or not seen.invalid:
        return ""
    count = len(seen.invalid)
    return f"returned {count} receipt{'s' if count > 1 else ''} that {'were' if count > 1 else 'was'} never issued"


def _judge(
    run: Run, seated: Panel, material: Material, answers: Sequence[Answer], read: Readings, judged: Judged
) -> SeatResult:
    """The judge's line: how its ruling went, and its own pass, which counts as reading."""
    assert seated.judge is not None
    own = [a for a in answers if a.seat == JUDGE]
    every = [*own, *judged.answers]
    if own:
        line = _seat(run, replace(seated.judge, reads=Reads.READ), material, own, read)
    else:
        agent = every[-1] if every else None
        line = SeatResult(
            seat=JUDGE,
            agent=agent.agent if agent else seated.judge.agent.name,
            kind=agent.kind if agent else seated.judge.agent.kind,
            status=SeatStatus.OK if every else SeatStatus.SKIPPED,
            reads=Reads.NONE,
            note="" if every else "nothing to rule on",
            required=seated.judge.required,
            replaced=agent.replaced if agent else None,
        )
    line = replace(
        line,
        turns=sum(a.turns for a in every),
        usage=_burned(every),
        seconds=_took(every),
        trail=tuple(text for a in every for text in a.trail),
    )
    failed = next((a for a in judged.answers if isinstance(a, Failed)), None)
    if failed is None:
        return line
    return replace(
        line, reads=Reads.NONE, status=SeatStatus.FAILED, failure=failed.failure.kind, note=failed.failure.detail
    )


def _burned(answers: Iterable[Answer]) -> Usage:
    return reduce(add, (a.usage for a in answers), Usage())


def _took(answers: Iterable[Answer]) -> float:
    return sum(a.seconds for a in answers)


def _notices(run: Run, seated: Panel, sparse: bool) -> list[str]:
    """What a person should know before trusting the verdict."""
    told: list[str] = []
    if seated.judge is None:
        told.append("No model judged: rules checked anchors, quotes, novelty and severity.")
    agents = [s for s in seated.reviewers if s.agent.kind != "analyzer"]
    if not agents and seated.judge is None:
        told.append("No model reviewed: only analyzers looked at the change.")
    if not run.caged and (agents or seated.judge is not None):
        why = "switched off" if run.config.sandbox.mode == "off" else run.world.boundary.why
        told.append(f"There was no boundary around the agents ({why}).")
    if sparse and agents:
        told.append("The repository is large: seats saw the changed files and their surroundings, not the whole tree.")
    return told


async def _put_back(run: Run) -> list[str]:
    """Undo what reading seats wrote in their checkouts all the same, and say so."""
    told = []
    for checkout in await places.read_only_checkouts(run):
        wrote = await run.world.worktrees.written(checkout)
        if wrote:
            await run.world.worktrees.undo(checkout)
            shown = ", ".join(wrote[:5]) + (f" and {len(wrote) - 5} more" if len(wrote) > 5 else "")
            told.append(f"A seat that was only to read wrote in its checkout: {shown}. It was undone.")
    return told


def _result(
    run: Run,
    seats: Sequence[SeatResult],
    read_together: Coverage,
    dropped: Sequence[Dropped],
    judged: Judged,
    checks: tuple[Check, ...],
    read: Readings,
    standing: RunStatus,
    decided: Verdict,
    reasons: tuple[str, ...],
    notices: tuple[str, ...],
) -> Result:
    change, diff = run.change, run.diff
    asked = [s for s in seats if s.reads is not Reads.NONE and s.status is not SeatStatus.SKIPPED]
    created = run.created_at
    return Result(
        run=run.id,
        proceeding="review",
        status=standing,
        verdict=decided,
        verdict_reasons=reasons,
        change=ResultChange(
            repo=change.repo,
            base=change.base,
            head=change.head,
            merge_base=change.merge_base,
            files=len(diff.files),
            added=diff.added,
            removed=diff.removed,
            source=change.source.value,
            label=change.label,
            base_name=change.base_name,
            head_name=change.head_name,
            notes=change.notes,
        ),
        findings=tuple(_finding(f, run.config.policy.show) for f in judged.findings),
        dropped=tuple(ResultDropped(d.title, d.path, d.line, d.raised_by, d.reason, d.explanation) for d in dropped),
        seats=tuple(seats),
        coverage=read_together,
        usage=reduce(add, (s.usage for s in seats), Usage()),
        artifacts=str(run.folder),
        rounds=(Round(1, tuple(s.seat for s in asked), tuple(s.seat for s in asked if s.status is SeatStatus.FAILED)),),
        checks=checks,
        prose=read.prose,
        notices=notices,
        judge=judged.by,
        seconds=(run.world.now() - created).total_seconds(),
        finished_at=run.world.now(),
        budget_usd=run.config.budget.run_cost_usd,
    )


def _finding(f: Finding, floor: Severity) -> ResultFinding:
    return ResultFinding(
        id=f.id,
        path=f.path,
        side=f.side,
        line=f.line,
        end_line=f.end_line,
        severity=f.severity,
        category=f.category,
        title=f.title,
        body=f.body,
        quote=f.quote,
        scenario=f.scenario,
        suggestion=f.suggestion,
        raised_by=f.raised_by,
        agreed_by=f.agreed_by,
        ruling=f.ruling or RulingKind.UNVERIFIED,
        evidence=f.evidence,
        proof=f.proof,
        disposition=f.disposition,
        fingerprint=f.fingerprint,
        in_hunk=f.in_hunk,
        shown=f.severity.at_least(floor),
    )
