"""Consents: the commands of a repository's file that a person allowed to run, by digest (`moot config allow`)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from moot.ledger.database import Ledger
from moot.ledger.tables import consents


def allow(ledger: Ledger, digest: str, what: str, by: str, *, now: datetime) -> None:
    """Record that a person allowed what has that digest. `what` says in words what it was."""
    with ledger.write() as db:
        statement = ledger.insert(consents).values(digest=digest, what=what, by=by, at=now)
        db.execute(statement.on_conflict_do_nothing())


def allowed(ledger: Ledger, digest: str) -> bool:
    """Return whether a person allowed what has that digest."""
    with ledger.read() as db:
        return db.scalar(select(consents.c.digest).where(consents.c.digest == digest)) is not None
