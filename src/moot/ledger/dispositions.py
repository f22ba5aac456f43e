"""Dispositions: what became of a subject's findings. Rows are only ever appended; the newest one holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from moot.core.errors import NotFoundError
from moot.core.findings import Disposition
from moot.ledger.database import Ledger
from moot.ledger.tables import dispositions, findings


@dataclass(frozen=True, slots=True)
class Disposed:
    """One entry of a finding's history.

    `by` is a person, a seat or the program, `head` the commit it was said of (or ""), `run` where it happened.
    """

    finding: str
    disposition: Disposition
    by: str
    why: str
    at: datetime
    evidence: str = ""
    head: str = ""
    run: str | None = None


def append(ledger: Ledger, subject: str, entry: Disposed) -> None:
    """Append to a finding's history.

    Raises:
        NotFoundError: the subject has no such finding.
    """
    with ledger.write() as db:
        known = select(findings.c.id).where(findings.c.subject == subject, findings.c.id == entry.finding)
        if db.scalar(known) is None:
            raise NotFoundError(f"no finding {entry.finding} of {subject}", next_step="moot findings")
        db.execute(
            dispositions.insert().values(
                subject=subject,
                finding=entry.finding,
                disposition=entry.disposition,
                by=entry.by,
                why=entry.why,
                evidence=entry.evidence,
                head=entry.head,
                run=entry.run,
                at=entry.at,
            )
        )


def current(ledger: Ledger, subject: str) -> dict[str, Disposition]:
    """Return finding to disposition, for every finding of a subject that has a history; the others are open."""
    with ledger.read() as db:
        return current_in(db, subject)


def current_in(db: Connection, subject: str) -> dict[str, Disposition]:
    """Return what `current` does, within a transaction that reads more."""
    newest = select(func.max(dispositions.c.id)).where(dispositions.c.subject == subject)
    rows = db.execute(
        select(dispositions.c.finding, dispositions.c.disposition).where(
            dispositions.c.id.in_(newest.group_by(dispositions.c.finding))
        )
    )
    return {row.finding: row.disposition for row in rows}


def history(ledger: Ledger, subject: str, finding: str) -> tuple[Disposed, ...]:
    """Return all that was appended about a finding, oldest first."""
    d = dispositions.c
    query = select(dispositions).where(d.subject == subject, d.finding == finding).order_by(d.id)
    with ledger.read() as db:
        return tuple(
            Disposed(row.finding, row.disposition, row.by, row.why, row.at, row.evidence, row.head, row.run)
            for row in db.execute(query)
        )
