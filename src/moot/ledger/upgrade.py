"""Bringing an older ledger to this program's schema revision. Imports alembic, so it is imported only when needed."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, text

from moot.core.errors import LedgerError
from moot.ledger.address import Address
from moot.ledger.sql_views import create_sql_views, drop_sql_views

MIGRATIONS = Path(__file__).parent / "migrations"  # alembic's script directory


def upgrade(engine: Engine, address: Address) -> None:
    """Migrate to the newest revision in one transaction: all of it happens, or nothing.

    Args:
        engine: one that writes without foreign keys on SQLite, where changing a table means copying it. Disposed.
        address: for messages.

    Raises:
        LedgerError: the ledger has a revision this program does not know: a newer moot wrote it.
    """
    from moot.ledger.database import lock_schema

    try:
        with engine.execution_options(writes=True).begin() as db:
            lock_schema(db)
            _check_known(db, address)
            drop_sql_views(db)
            command.upgrade(_config(db), "head")
            create_sql_views(db)
    finally:
        engine.dispose()


def _config(db: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = db
    return config


def _check_known(db: Connection, address: Address) -> None:
    revision = db.scalar(text("SELECT version_num FROM alembic_version"))
    try:
        ScriptDirectory(str(MIGRATIONS)).get_revision(revision)
    except CommandError as error:
        raise LedgerError(
            f"written by a newer moot (schema {revision})",
            where=address.shown,
            next_step="upgrade moot, or set MOOT_HOME to another folder",
        ) from error
