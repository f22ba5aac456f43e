"""Drops: what is not reported, with the reason a person can check."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import func, select

from moot.core.findings import Dropped
from moot.ledger.database import Ledger
from moot.ledger.tables import drops


def record(ledger: Ledger, run: str, dropped: Sequence[Dropped]) -> None:
    """Record what a run does not report. Idempotent: what was recorded already is not recorded again."""
    with ledger.write() as db:
        position = db.scalar(select(func.count()).where(drops.c.run == run)) or 0
        rows = [
            {
                "run": run,
                "digest": _digest(d),
                "position": position + offset,
                "title": d.title,
                "path": d.path,
                "line": d.line,
                "raised_by": list(d.raised_by),
                "reason": d.reason,
                "explanation": d.explanation,
                "finding": d.finding,
            }
            for offset, d in enumerate(dropped)
        ]
        if rows:
            db.execute(ledger.insert(drops).on_conflict_do_nothing(), rows)


def of_run(ledger: Ledger, run: str) -> tuple[Dropped, ...]:
    """Return what a run does not report, in the order it was recorded."""
    with ledger.read() as db:
        rows = db.execute(select(drops).where(drops.c.run == run).order_by(drops.c.position)).all()
    return tuple(
        Dropped(row.title, row.path, row.line, tuple(row.raised_by), row.reason, row.explanation, row.finding)
        for row in rows
    )


def _digest(d: Dropped) -> str:
    """What makes two drops the same: everything but the words of the explanation, which a judge may vary."""
    same = json.dumps([d.title, d.path, d.line, d.raised_by, d.reason, d.finding])
    return sha256(same.encode()).hexdigest()[:32]
