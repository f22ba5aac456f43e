"""Requests: what people and surfaces want of a run. Its driver handles them; admission heeds them at once."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import select, update

from moot.core.errors import NotFoundError
from moot.core.ledger import Request
from moot.ledger.database import Ledger
from moot.ledger.tables import requests, runs

Verb = Literal["park", "cancel", "resume"]


def add(ledger: Ledger, run: str, verb: Verb, by: str, *, now: datetime) -> Request:
    """File a request. From here on nothing new is admitted in a run that is to be parked or cancelled.

    Raises:
        NotFoundError: there is no such run.
    """
    with ledger.write() as db:
        if db.scalar(select(runs.c.id).where(runs.c.id == run)) is None:
            raise NotFoundError(f"no run {run}", next_step="moot runs list")
        new = requests.insert().values(run=run, verb=verb, by=by, at=now).returning(requests.c.id)
        id_ = db.scalars(new).one()
    return Request(id_, run, verb, by, now)


def pending(ledger: Ledger, run: str | None = None) -> tuple[Request, ...]:
    """Return the requests nobody has handled yet, oldest first: of one run, or of all."""
    query = select(requests).where(requests.c.handled_at.is_(None)).order_by(requests.c.id)
    if run is not None:
        query = query.where(requests.c.run == run)
    with ledger.read() as db:
        return tuple(Request(row.id, row.run, row.verb, row.by, row.at) for row in db.execute(query))


def mark_handled(ledger: Ledger, request: int, *, now: datetime) -> bool:
    """Record that a request was carried out. Return False where somebody did so before."""
    with ledger.write() as db:
        open_ = requests.c.handled_at.is_(None)
        done = db.execute(update(requests).where(requests.c.id == request, open_).values(handled_at=now))
        return done.rowcount > 0
