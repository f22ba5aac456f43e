"""Seats of a run: who sat there, how they did, what they burned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlalchemy import Connection, Row, func, select

from moot.core.runs import SeatResult, SeatStatus
from moot.core.turns import Usage
from moot.ledger.database import Ledger
from moot.ledger.tables import runs, seats

_NO_ROLES: Mapping[str, str] = MappingProxyType({})


def save(ledger: Ledger, run: str, results: Sequence[SeatResult], roles: Mapping[str, str] = _NO_ROLES) -> None:
    """Record how seats stand, over what was recorded of them. Seats keep the order in which they first came.

    Args:
        roles: seat to role, for seats filled from one. A seat keeps the role it was first recorded with.
    """
    with ledger.write() as db:
        save_in(ledger, db, run, results, roles)


def save_in(
    ledger: Ledger, db: Connection, run: str, results: Sequence[SeatResult], roles: Mapping[str, str] = _NO_ROLES
) -> None:
    """Do what `save` does, within a transaction that writes more."""
    position = db.scalar(select(func.count()).where(seats.c.run == run)) or 0
    for offset, seat in enumerate(results):
        values = _values(seat)
        names = {"run": run, "seat": seat.seat, "role": roles.get(seat.seat, "")}
        new = ledger.insert(seats).values(position=position + offset, **names, **values)
        db.execute(new.on_conflict_do_update(index_elements=["run", "seat"], set_=values))


def of_run(ledger: Ledger, run: str) -> tuple[SeatResult, ...]:
    """Return a run's seats as last recorded."""
    with ledger.read() as db:
        rows = db.execute(select(seats).where(seats.c.run == run).order_by(seats.c.position)).all()
    return tuple(_seat(row) for row in rows)


def roles(ledger: Ledger, run: str) -> dict[str, str]:
    """Return seat to role, of a run's seats that were filled from a role."""
    with ledger.read() as db:
        rows = db.execute(select(seats.c.seat, seats.c.role).where(seats.c.run == run, seats.c.role != "")).all()
    return {row.seat: row.role for row in rows}


def that_answered(ledger: Ledger, subject: str, *, before: str | None = None) -> tuple[str, ...]:
    """Return the seats that have answered about a subject, in any of its runs but `before`."""
    query = (
        select(seats.c.seat)
        .join(runs, runs.c.id == seats.c.run)
        .where(runs.c.subject == subject, seats.c.status == SeatStatus.OK)
        .distinct()
        .order_by(seats.c.seat)
    )
    if before is not None:
        query = query.where(runs.c.id != before)
    with ledger.read() as db:
        return tuple(db.scalars(query))


def _values(seat: SeatResult) -> dict[str, object]:
    return {
        "agent": seat.agent,
        "kind": seat.kind,
        "status": seat.status,
        "reads": seat.reads,
        "failure": seat.failure,
        "note": seat.note,
        "turns": seat.turns,
        "input_tokens": seat.usage.input_tokens,
        "output_tokens": seat.usage.output_tokens,
        "cached_tokens": seat.usage.cached_tokens,
        "cost_usd": seat.usage.cost_usd,
        "coverage": seat.coverage,
        "read_paths": list(seat.read),
        "seconds": seat.seconds,
        "findings": seat.findings,
        "required": seat.required,
        "optional": seat.optional,
        "replaced": seat.replaced,
        "trail": list(seat.trail),
    }


def _seat(row: Row[tuple[object, ...]]) -> SeatResult:
    return SeatResult(
        seat=row.seat,
        agent=row.agent,
        kind=row.kind,
        status=row.status,
        reads=row.reads,
        failure=row.failure,
        note=row.note,
        turns=row.turns,
        usage=Usage(row.input_tokens, row.output_tokens, row.cached_tokens, row.cost_usd),
        coverage=row.coverage,
        read=tuple(row.read_paths),
        seconds=row.seconds,
        findings=row.findings,
        required=row.required,
        optional=row.optional,
        replaced=row.replaced,
        trail=tuple(row.trail),
    )
