"""Checkouts: which directory of moot's is whose, so that two runs never share one and a crash loses track of none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, or_, select

from moot.core.runs import RunStatus
from moot.ledger.database import Ledger
from moot.ledger.tables import checkouts, runs

_FINISHED = [status for status in RunStatus if status.finished]


@dataclass(frozen=True, slots=True)
class Held:
    """A directory in use. `holder` is its name over crashes, from which its path follows; `commit` is what it holds."""

    holder: str
    run: str
    commit: str
    machine: str
    taken_at: datetime


def claim(ledger: Ledger, holder: str, run: str, commit: str, machine: str, now: datetime) -> bool:
    """Take a directory for a run. Return False where a run that is not finished has it. Idempotent for its run."""
    values = {"run": run, "commit": commit, "machine": machine, "taken_at": now}
    unfinished = select(runs.c.id).where(runs.c.status.not_in(_FINISHED))
    free = or_(checkouts.c.run == run, checkouts.c.run.not_in(unfinished))
    mine = ledger.insert(checkouts).values(holder=holder, **values)
    taken = mine.on_conflict_do_update(index_elements=["holder"], set_=values, where=free)
    with ledger.write() as db:
        return db.scalar(taken.returning(checkouts.c.holder)) is not None


def of_run(ledger: Ledger, run: str) -> tuple[str, ...]:
    """Return the holders of the directories that a run has, in the order they were taken."""
    return tuple(held.holder for held in list_held(ledger) if held.run == run)


def list_held(ledger: Ledger, *, machine: str | None = None) -> tuple[Held, ...]:
    """Return the directories in use, in the order they were taken: of one machine where given."""
    query = select(checkouts).order_by(checkouts.c.taken_at, checkouts.c.holder)
    if machine is not None:
        query = query.where(checkouts.c.machine == machine)
    with ledger.read() as db:
        return tuple(Held(r.holder, r.run, r.commit, r.machine, r.taken_at) for r in db.execute(query))


def release(ledger: Ledger, holder: str, run: str | None = None) -> bool:
    """Record that a directory was given back. Return whether somebody had it.

    Args:
        run: give it back only if this run has it.
    """
    mine = and_(checkouts.c.holder == holder, *([checkouts.c.run == run] if run is not None else []))
    with ledger.write() as db:
        return db.execute(delete(checkouts).where(mine)).rowcount > 0
