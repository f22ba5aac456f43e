"""Opening a ledger: the connection rules of each database, creation, and the check of its schema revision."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, inspect, make_url, text
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.exc import DatabaseError, InterfaceError, OperationalError

from moot.core.errors import LedgerError
from moot.ledger.address import Address, parse_address
from moot.ledger.revision import REVISION
from moot.ledger.sql_views import create_sql_views
from moot.ledger.tables import metadata

BUSY_TIMEOUT_S = 30.0  # how long a writer waits for others on SQLite
CONNECT_TIMEOUT_S = 10  # how long PostgreSQL may take to answer
OLDEST_SQLITE = (3, 35)  # the first with RETURNING

_POSTGRESQL_SETUP = ("42501", "3F000")  # insufficient privilege, no schema to create in

# As alembic makes it, so that alembic finds its own table when it first migrates the ledger.
_VERSION_TABLE = (
    "CREATE TABLE alembic_version ("
    "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


class Ledger:
    """An open ledger. Query modules take it first; they are the only users of `read`, `write` and `insert`.

    Safe to share between threads. Every call is synchronous and takes about a millisecond; on SQLite a writer waits
    up to `BUSY_TIMEOUT_S` for the others.
    """

    def __init__(self, engine: Engine, address: Address) -> None:
        self._engine = engine
        self._reader = engine if address.url is None else engine.execution_options(isolation_level="REPEATABLE READ")
        self._writer = engine.execution_options(writes=True)
        self.address = address

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection. The ledger can be used again afterwards; it opens new ones."""
        self._engine.dispose()

    def read(self) -> AbstractContextManager[Connection]:
        """Return a context with a connection for reading; all of it sees one state of the ledger."""
        return self._transaction(self._reader)

    @contextmanager
    def write(self, alone: str | None = None) -> Iterator[Connection]:
        """Return a context with a connection in a writing transaction, committed at its end.

        Args:
            alone: a name; transactions that give the same one run one after the other, in all processes. On SQLite
                all writers do, on PostgreSQL an advisory lock sees to it.
        """
        with self._transaction(self._writer) as db:
            if alone is not None and self.address.url is not None:
                _lock(db, alone)
            yield db

    def insert(self, table: Table) -> Insert:
        """Return an INSERT that knows ON CONFLICT, which SQLAlchemy spells per database."""
        if self.address.url is None:
            return Insert(table)
        from sqlalchemy.dialects import postgresql

        statement: Any = postgresql.Insert(table)  # the same methods as SQLite's, without a common type
        typed: Insert = statement
        return typed

    def changes(self) -> Changes:
        """Return a watch that says cheaply whether anything was written since it was last asked."""
        return Changes(self.address.file)

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        with _troubles(self.address), engine.begin() as db:
            yield db


class Changes:
    """Whether anybody wrote to the ledger since the last look. On SQLite that costs microseconds, no query."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._connection = None if file is None else sqlite3.connect(file, check_same_thread=False)
        self._version: int | None = None

    def any(self) -> bool:
        """Return whether something may be new. Always true the first time, and on PostgreSQL."""
        if self._connection is None:
            return True
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        changed: bool = version != self._version
        self._version = version
        return changed

    def close(self) -> None:
        """Close the watch's own connection."""
        if self._connection is not None:
            self._connection.close()


def open_ledger(where: Path | str) -> Ledger:
    """Open the ledger at a path or database URL, creating it where there is none and migrating an older one.

    Any number of processes may do this at once. Use the answer as a context manager, or close it.

    Raises:
        LedgerError: it cannot be opened, belongs to another program, or was written by a newer moot.
    """
    address = parse_address(where)
    with _troubles(address):
        if address.file is not None:
            _reserve(address.file)
        engine = _engine(address)
        try:
            _bring_up_to_date(engine, address)
        except BaseException:
            engine.dispose()
            raise
    return Ledger(engine, address)


def _bring_up_to_date(engine: Engine, address: Address) -> None:
    with engine.begin() as db:
        revision = _revision(db)
    if revision is None:
        revision = _create(engine, address)
    if revision != REVISION:
        from moot.ledger.upgrade import upgrade  # alembic costs 0.2 s and is needed once per release

        upgrade(_engine(address, foreign_keys=False), address)


def _create(engine: Engine, address: Address) -> str:
    """Make all tables in one transaction, unless somebody else just did. Return the revision that is there now."""
    if address.file is not None:
        _switch_to_wal(address.file)
    with engine.execution_options(writes=True).begin() as db:
        lock_schema(db)
        revision = _revision(db)
        if revision is None:
            clash = sorted(set(inspect(db).get_table_names()) & set(metadata.tables))
            if clash:
                raise LedgerError(
                    f"another program's tables are here ({', '.join(clash[:3])}, …)",
                    where=address.shown,
                    next_step="give the ledger a file or a database of its own",
                )
            metadata.create_all(db, checkfirst=False)
            create_sql_views(db)
            db.execute(text(_VERSION_TABLE))
            db.execute(text("INSERT INTO alembic_version (version_num) VALUES (:revision)"), {"revision": REVISION})
            revision = REVISION
    return revision


def _switch_to_wal(file: Path) -> None:
    """Set the journal mode, which stays with the file. Processes that do so at once can block each other, and SQLite
    tells them immediately instead of waiting: tried again for as long as any writer would wait.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    with closing(sqlite3.connect(file, timeout=BUSY_TIMEOUT_S)) as db:
        while True:
            try:
                db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return


def lock_schema(db: Connection) -> None:
    """Keep other processes from creating or migrating until this transaction ends (a SQLite writer is alone)."""
    if db.dialect.name == "postgresql":
        _lock(db, "schema")


def _lock(db: Connection, name: str) -> None:
    key = zlib.crc32(b"moot ledger " + name.encode())
    db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def _revision(db: Connection) -> str | None:
    if not inspect(db).has_table("alembic_version"):
        return None
    revision: str | None = db.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def _reserve(file: Path) -> None:
    """Make the file, readable by its owner alone: it holds what agents wrote about private code."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
    except OSError as error:
        reason = f"cannot be opened: {error.strerror}"
        raise LedgerError(
            reason, where=str(file), next_step="check the folder's permissions, or set MOOT_HOME"
        ) from error


def _engine(address: Address, *, foreign_keys: bool = True) -> Engine:
    if address.file is None:
        return _postgresql(address)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise LedgerError(
            f"this Python has SQLite {sqlite3.sqlite_version}, moot needs {needed} or newer",
            where=address.shown,
            next_step="use a newer Python, or a ledger on PostgreSQL",
        )
    return _sqlite(address.file, foreign_keys=foreign_keys)


def _sqlite(file: Path, *, foreign_keys: bool) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(file)),
        connect_args={"timeout": BUSY_TIMEOUT_S},
        json_serializer=_compact_json,
    )

    # Python's driver begins transactions by itself, too late and never IMMEDIATE: taken over here. A reader that
    # turns writer can be refused at once whatever the timeout, so writers say from the start that they write.
    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")

    @event.listens_for(engine, "begin")
    def begin(db: Connection) -> None:
        db.exec_driver_sql("BEGIN IMMEDIATE" if db.get_execution_options().get("writes") else "BEGIN")

    return engine


def _postgresql(address: Address) -> Engine:
    url = make_url(address.url or "")
    own = " ".join(url.normalized_query.get("options", ()))
    try:
        return create_engine(
            url,
            connect_args={
                "options": f"{own} -c timezone=UTC".strip(),
                "application_name": "moot",
                "connect_timeout": CONNECT_TIMEOUT_S,
            },
            pool_pre_ping=True,
            json_serializer=_compact_json,
        )
    except ModuleNotFoundError as error:
        raise LedgerError(
            "PostgreSQL's driver is not installed", where=address.shown, next_step='pip install "moot[postgres]"'
        ) from error


def _compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@contextmanager
def _troubles(address: Address) -> Iterator[None]:
    """Turn what a person must mend (no space, no permission, no server, not a database) into a `LedgerError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(str(error), where=address.shown, next_step=_mending(address, str(error))) from error
    except (DatabaseError, InterfaceError) as error:
        if not _is_trouble(error):
            raise
        reason = str(error.orig).strip().partition("\n")[0]
        raise LedgerError(reason, where=address.shown, next_step=_mending(address, reason)) from error


def _is_trouble(error: DatabaseError | InterfaceError) -> bool:
    """Whether a person can mend it. Otherwise a statement or value of ours is wrong: a defect, which stays itself."""
    if getattr(error.orig, "sqlstate", None) in _POSTGRESQL_SETUP:
        return True
    return isinstance(error, InterfaceError) or type(error) in (DatabaseError, OperationalError)


def _mending(address: Address, reason: str) -> str:
    if "locked" in reason:
        return "let the other moot process finish, then repeat the command"
    if address.file is not None:
        return "check that the file is a ledger, may be written, and its disk has room"
    return "check that the server runs, that the URL is right and that its user may create tables"
