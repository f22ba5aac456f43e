"""Conversations: what a CLI remembers, found again by subject and seat. They outlive runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy import Row, delete, select, update

from moot.core.turns import Conversation, Usage
from moot.ledger.database import Ledger
from moot.ledger.tables import conversations


def find(
    ledger: Ledger,
    subject: str,
    seat: str,
    *,
    kind: str | None = None,
    account: str | None = None,
    machine: str | None = None,
) -> Conversation | None:
    """Return a seat's latest conversation about a subject: of one kind, account or machine where given."""
    c = conversations.c
    query = select(conversations).where(c.subject == subject, c.seat == seat)
    for column, wanted in ((c.kind, kind), (c.account, account), (c.machine, machine)):
        if wanted is not None:
            query = query.where(column == wanted)
    with ledger.read() as db:
        row = db.execute(query.order_by(c.used_at.desc(), c.created_at.desc()).limit(1)).one_or_none()
    return None if row is None else _conversation(row)


def get(ledger: Ledger, id_: str) -> Conversation | None:
    """Return the conversation of that id."""
    with ledger.read() as db:
        row = db.execute(select(conversations).where(conversations.c.id == id_)).one_or_none()
    return None if row is None else _conversation(row)


def save(ledger: Ledger, c: Conversation, *, now: datetime) -> None:
    """Record a conversation as used now, over what was recorded of it."""
    values = {
        "kind": c.kind,
        "native": c.native,
        "account": c.account,
        "machine": c.machine,
        "cwd": str(c.cwd),
        "subject": c.subject,
        "seat": c.seat,
        "input_tokens": c.cumulative.input_tokens,
        "output_tokens": c.cumulative.output_tokens,
        "cached_tokens": c.cumulative.cached_tokens,
        "cost_usd": c.cumulative.cost_usd,
        "touched_by_person": c.touched_by_person,
        "used_at": now,
    }
    with ledger.write() as db:
        statement = ledger.insert(conversations).values(id=c.id, created_at=now, **values)
        db.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))


def touch(ledger: Ledger, id_: str) -> None:
    """Record that a person took part in a conversation: its agent may know, or have been told, other things."""
    with ledger.write() as db:
        db.execute(update(conversations).where(conversations.c.id == id_).values(touched_by_person=True))


def forget(ledger: Ledger, id_: str) -> None:
    """Remove a conversation that its CLI no longer knows, so that no turn tries to continue it."""
    with ledger.write() as db:
        db.execute(delete(conversations).where(conversations.c.id == id_))


def _conversation(row: Row[tuple[object, ...]]) -> Conversation:
    return Conversation(
        id=row.id,
        kind=row.kind,
        native=row.native,
        account=row.account,
        machine=row.machine,
        cwd=Path(row.cwd),
        subject=row.subject,
        seat=row.seat,
        cumulative=Usage(row.input_tokens, row.output_tokens, row.cached_tokens, row.cost_usd),
        touched_by_person=row.touched_by_person,
    )
