"""Events: the numbered story of every run, which surfaces follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from moot.core.data import JSON
from moot.core.ledger import LedgerEvent
from moot.ledger.database import Ledger
from moot.ledger.tables import events

_ORDER = "events"  # PostgreSQL's numbers are drawn before commit: appended one after the other, none is overtaken


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event before it has its number. As `core.ledger.LedgerEvent`."""

    run: str
    at: datetime
    kind: str
    text: str
    seat: str | None = None
    data: JSON = None


def append(ledger: Ledger, new: NewEvent) -> int:
    """Append one event and return its number."""
    return append_all(ledger, [new])


def append_all(ledger: Ledger, new: Sequence[NewEvent]) -> int:
    """Append events in one transaction and return the last one's number (0 for none). Many at once cost little more.

    A number is visible to readers only after every smaller one is.
    """
    if not new:
        return 0
    rows = [{"run": e.run, "at": e.at, "kind": e.kind, "seat": e.seat, "text": e.text, "data": e.data} for e in new]
    with ledger.write(alone=_ORDER) as db:
        numbers = db.scalars(events.insert().returning(events.c.number, sort_by_parameter_order=True), rows)
        return int(numbers.all()[-1])


def after(ledger: Ledger, run: str | None, number: int = 0, limit: int = 1000) -> tuple[LedgerEvent, ...]:
    """Return the events of a run (of all runs for None) with greater numbers, in order, at most `limit`."""
    query = select(events).where(events.c.number > number).order_by(events.c.number).limit(limit)
    if run is not None:
        query = query.where(events.c.run == run)
    with ledger.read() as db:
        return tuple(
            LedgerEvent(row.number, row.run, row.at, row.kind, row.seat, row.text, row.data)
            for row in db.execute(query)
        )


class Tail:
    """A reader that stays at the end of the story. Polling it while nothing happens costs microseconds on SQLite."""

    def __init__(self, ledger: Ledger, run: str | None, number: int = 0) -> None:
        self._ledger = ledger
        self._run = run
        self._changes = ledger.changes()
        self._behind = True
        self.number = number

    def poll(self, limit: int = 1000) -> tuple[LedgerEvent, ...]:
        """Return what came since the last poll, in order, at most `limit`; the next poll goes on after it."""
        if not (self._changes.any() or self._behind):
            return ()
        new = after(self._ledger, self._run, self.number, limit)
        self._behind = len(new) == limit
        if new:
            self.number = new[-1].number
        return new

    def close(self) -> None:
        """Close the connection that watches for changes."""
        self._changes.close()
