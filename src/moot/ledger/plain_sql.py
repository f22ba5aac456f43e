"""One query on a ledger with the standard library's sqlite3 alone: no SQLAlchemy, no pydantic, a few milliseconds.

What imports this must not import `core.codec` either: it imports pydantic. The same query runs through SQLAlchemy where
the ledger is on PostgreSQL, or must be migrated first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from moot.core.errors import LedgerError
from moot.ledger.address import parse_address
from moot.ledger.revision import REVISION

Rows = Sequence[Sequence[Any]]

_BUSY_TIMEOUT_S = 10.0
_NONE: Mapping[str, Any] = MappingProxyType({})


def fetch(where: Path | str, query: str, parameters: Mapping[str, Any] = _NONE) -> Rows:
    """Return the rows of one SELECT that both databases understand. No rows where there is no ledger yet.

    Args:
        where: as for `open_ledger`; a SQLite file is opened for reading only.
        query: with `:named` parameters.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    address = parse_address(where)
    if address.file is None:
        return _fetch_by_sqlalchemy(where, query, parameters)
    if not address.file.exists():
        return []
    try:
        uri = f"{address.file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S)) as db:
            revision = _revision(db)
            if revision is None:
                return []
            if revision == REVISION:
                return db.execute(query, dict(parameters)).fetchall()
    except sqlite3.Error as error:
        fix = "check that the file is a ledger and may be read"
        raise LedgerError(str(error), where=address.shown, next_step=fix) from error
    return _fetch_by_sqlalchemy(where, query, parameters)


def moment(value: Any) -> datetime:
    """Return a time that `fetch` brought, SQLite's text or PostgreSQL's value, as an aware time in UTC."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _revision(db: sqlite3.Connection) -> str | None:
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
        return None  # somebody is just about to create it
    revision: str = db.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    return revision


def _fetch_by_sqlalchemy(where: Path | str, query: str, parameters: Mapping[str, Any]) -> Rows:
    from sqlalchemy import text

    from moot.ledger.database import open_ledger

    with open_ledger(where) as ledger, ledger.read() as db:
        return [tuple(row) for row in db.execute(text(query), dict(parameters))]
