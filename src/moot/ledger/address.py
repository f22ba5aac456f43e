"""Where a ledger is: a SQLite file or a PostgreSQL database. Imports no database library, light commands use it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from moot.core.errors import LedgerError

_PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^@/]*@")


@dataclass(frozen=True, slots=True)
class Address:
    """A ledger's place: exactly one of `file` (SQLite) and `url` (PostgreSQL, for SQLAlchemy) is set."""

    file: Path | None
    url: str | None

    @property
    def shown(self) -> str:
        """The place as it may be printed: a password is left out."""
        return str(self.file) if self.file is not None else _PASSWORD.sub(r"\1:***@", self.url or "")


def parse_address(where: Path | str) -> Address:
    """Return the place that a path, `sqlite:///path` or `postgresql://…` means.

    Raises:
        LedgerError: a URL of another kind of database.
    """
    text = str(where)
    if isinstance(where, Path) or "://" not in text:
        return Address(file=Path(where), url=None)
    scheme, _, rest = text.partition("://")
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return Address(file=Path(rest[1:]), url=None)
    if scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        return Address(file=None, url=f"postgresql+psycopg://{rest}")
    raise LedgerError(
        "a ledger is a SQLite file or a PostgreSQL database",
        where=_PASSWORD.sub(r"\1:***@", text),
        next_step="give a path, sqlite:///path or postgresql://user@host/database",
    )
