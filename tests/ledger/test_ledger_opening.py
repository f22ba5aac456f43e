"""Creating, migrating and refusing ledgers."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path
from textwrap import indent

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from ledger_samples import NOW, SEAT
from sqlalchemy import create_engine, inspect, text

from moot.core.errors import LedgerError
from moot.ledger import consent, runs, seats, views
from moot.ledger import database as ledger_database
from moot.ledger.address import parse_address
from moot.ledger.database import Ledger, open_ledger
from moot.ledger.revision import REVISION
from moot.ledger.sql_views import SQL_VIEWS
from moot.ledger.tables import metadata
from moot.ledger.upgrade import MIGRATIONS, upgrade

FORK = multiprocessing.get_context("fork")  # processes that need not import everything again
VERSION_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


@pytest.fixture
def where(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A ledger whose tables these tests may change."""
    if database == "postgres":
        return request.getfixturevalue("postgres").new_ledger()
    return tmp_path / "ledger.db"


def engine_of(where: Path | str):
    address = parse_address(where)
    if address.file is not None:
        address.file.parent.mkdir(parents=True, exist_ok=True)
        return create_engine(f"sqlite:///{address.file}")
    return create_engine(address.url)


def shape(where: Path | str) -> dict[str, object]:
    """Everything a database says about its tables and views, in an order that compares."""
    engine = engine_of(where)
    seen = inspect(engine)
    tables = {
        name: {
            "columns": [
                (c["name"], str(c["type"]), c["nullable"], c["default"], c.get("autoincrement"))
                for c in seen.get_columns(name)
            ],
            "key": seen.get_pk_constraint(name),
            "foreign": sorted(map(repr, seen.get_foreign_keys(name))),
            "unique": sorted(map(repr, seen.get_unique_constraints(name))),
            "indexes": sorted(map(repr, seen.get_indexes(name))),
        }
        for name in seen.get_table_names()
    }
    definitions = {name: seen.get_view_definition(name) for name in seen.get_view_names()}
    engine.dispose()
    return {"tables": tables, "views": definitions}


def execute(where: Path | str, *statements: str) -> None:
    engine = engine_of(where)
    with engine.begin() as db:
        for statement in statements:
            db.execute(text(statement))
    engine.dispose()


def migrate(where: Path | str) -> None:
    address = parse_address(where)
    upgrade(ledger_database._engine(address, foreign_keys=False), address)


@pytest.fixture
def next_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets this program be a later one, with one more migration."""

    def release(body: str) -> None:
        migrations = tmp_path / "migrations"
        shutil.copytree(MIGRATIONS, migrations)
        head = f"import sqlalchemy as sa\nfrom alembic import op\nrevision = '9000'\ndown_revision = '{REVISION}'\n"
        (migrations / "versions" / "v9000_later.py").write_text(head + "def upgrade():\n" + indent(body, "    "))
        monkeypatch.setattr("moot.ledger.upgrade.MIGRATIONS", migrations)
        for module in ("database", "plain_sql"):
            monkeypatch.setattr(f"moot.ledger.{module}.REVISION", "9000")

    return release


def test_a_migrated_ledger_is_the_same_as_a_created_one(where: Path | str, blank: Path | str) -> None:
    open_ledger(where).close()
    execute(blank, VERSION_TABLE)
    migrate(blank)
    assert shape(blank) == shape(where)
    assert set(shape(where)["tables"]) == {*metadata.tables, "alembic_version"}


def test_the_migrations_leave_nothing_for_alembic_to_do(blank: Path | str) -> None:
    execute(blank, VERSION_TABLE)
    migrate(blank)
    engine = engine_of(blank)
    with engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    engine.dispose()


def test_the_revision_a_new_ledger_is_stamped_with_is_the_newest_migration(where: Path | str) -> None:
    open_ledger(where).close()
    engine = engine_of(where)
    with engine.connect() as db:
        assert db.scalar(text("SELECT version_num FROM alembic_version")) == REVISION
    engine.dispose()
    assert ScriptDirectory(str(MIGRATIONS)).get_heads() == [REVISION]


@pytest.mark.parametrize("door", ["open", "read lightly"])
def test_an_older_ledger_is_migrated_with_everything_in_it(
    door: str,
    where: Path | str,
    new_run: Callable[..., runs.Run],
    ledger: Ledger,
    next_release: Callable[[str], None],
) -> None:
    run = new_run()
    seats.save(ledger, run.id, [SEAT])
    ledger.close()
    next_release(
        "with op.batch_alter_table('runs') as table:\n"
        "    table.add_column(sa.Column('mood', sa.String()))\n"
        "    table.alter_column('label', nullable=True, existing_type=sa.Text())\n"
    )
    if door == "open":
        open_ledger(where).close()
    else:
        assert views.find_run(where, run.short).id == run.id
    after = shape(where)
    assert ("mood", "VARCHAR", True, None) in [column[:4] for column in after["tables"]["runs"]["columns"]]
    assert set(after["views"]) == set(SQL_VIEWS)
    with open_ledger(where) as migrated:
        assert runs.get(migrated, run.short) == run
        assert seats.of_run(migrated, run.id) == (SEAT,)


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(
    where: Path | str, next_release: Callable[[str], None]
) -> None:
    open_ledger(where).close()
    before = shape(where)
    next_release("op.drop_table('consents')\nraise ZeroDivisionError")
    with pytest.raises(ZeroDivisionError):
        open_ledger(where)
    assert shape(where) == before


def test_a_ledger_of_a_newer_moot_is_refused_with_the_way_out(where: Path | str) -> None:
    open_ledger(where).close()
    execute(where, "UPDATE alembic_version SET version_num = '9999'")
    for door in (open_ledger, views.list_runs):
        with pytest.raises(LedgerError, match="newer moot") as refused:
            door(where)
        assert "9999" in refused.value.message
        assert "upgrade moot" in refused.value.next_step
    assert "password" not in str(refused.value)


def test_tables_of_another_program_are_not_taken_over(blank: Path | str) -> None:
    execute(blank, "CREATE TABLE events (id INTEGER)")
    with pytest.raises(LedgerError, match="another program's tables"):
        open_ledger(blank)


def create_and_write(start: Barrier, where: Path | str, number: int) -> None:
    start.wait(30)
    with open_ledger(where) as ledger:
        consent.allow(ledger, f"process {number}", "", "", now=NOW)


def test_processes_that_create_a_ledger_at_once_all_get_it(blank: Path | str) -> None:
    start = FORK.Barrier(4)
    processes = [FORK.Process(target=create_and_write, args=(start, blank, number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    engine = engine_of(blank)
    with engine.connect() as db:
        assert db.scalar(text("SELECT count(*) FROM consents")) == 4
        assert db.scalar(text("SELECT count(*) FROM alembic_version")) == 1
    engine.dispose()


def test_all_of_one_reading_sees_one_state(ledger: Ledger) -> None:
    count = text("SELECT count(*) FROM consents")
    with ledger.read() as db:
        assert db.scalar(count) == 0
        consent.allow(ledger, "d", "", "", now=NOW)
        assert db.scalar(count) == 0
    with ledger.read() as db:
        assert db.scalar(count) == 1


def test_a_sqlite_ledger_is_in_wal_mode_and_for_its_owner_alone(tmp_path: Path) -> None:
    where = tmp_path / "deep" / "down" / "ledger.db"
    open_ledger(where).close()
    assert sqlite3.connect(where).execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert stat.S_IMODE(where.stat().st_mode) == 0o600


def test_a_path_and_its_url_mean_the_same_ledger(tmp_path: Path) -> None:
    where = tmp_path / "with space and %.db"
    assert parse_address(f"sqlite:///{where}") == parse_address(where) == parse_address(str(where))
    open_ledger(where).close()
    assert where.exists()


@pytest.mark.parametrize("given", ["postgres://ann:s3cret@host/db", "postgresql://ann:s3cret@host/db"])
def test_a_password_in_the_url_is_never_shown(given: str) -> None:
    address = parse_address(given)
    assert address.url == "postgresql+psycopg://ann:s3cret@host/db"
    assert address.shown == "postgresql+psycopg://ann:***@host/db"
    with pytest.raises(LedgerError) as refused:
        parse_address("mysql://ann:s3cret@host/db")
    assert "s3cret" not in str(refused.value)


def test_what_is_no_database_is_refused_in_one_line(tmp_path: Path) -> None:
    where = tmp_path / "notes.txt"
    where.write_text("shopping list\n" * 500)
    for door in (open_ledger, views.list_runs):
        with pytest.raises(LedgerError, match="not a database") as refused:
            door(where)
        assert refused.value.where == str(where)
        assert refused.value.next_step


def test_a_server_that_is_not_there_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LedgerError) as refused:
        open_ledger(f"postgresql://ann:s3cret@/db?host={tmp_path}")
    assert "\n" not in refused.value.message
    assert "s3cret" not in str(refused.value)
    assert "server runs" in refused.value.next_step


@pytest.mark.postgres
def test_the_urls_own_options_stay_and_times_are_utc(postgres) -> None:
    where = postgres.new_database() + "&options=-c%20search_path%3Dpublic%20-c%20statement_timeout%3D4321"
    with open_ledger(where) as ledger, ledger.read() as db:
        assert db.scalar(text("SHOW statement_timeout")) == "4321ms"
        assert db.scalar(text("SHOW timezone")) == "UTC"


@pytest.mark.postgres
def test_a_user_who_may_not_create_tables_is_told_so(postgres) -> None:
    where = postgres.new_database()
    execute(where, "CREATE ROLE guest LOGIN")
    for missing in ("CREATE", "USAGE"):
        execute(where, f"REVOKE {missing} ON SCHEMA public FROM PUBLIC")
        with pytest.raises(LedgerError, match=r"permission denied|no schema") as refused:
            open_ledger(where.replace("moot@", "guest@"))
        assert "may create tables" in refused.value.next_step


def test_a_python_with_an_ancient_sqlite_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 26, 0))
    with pytest.raises(LedgerError, match=r"needs 3\.35"):
        open_ledger(tmp_path / "ledger.db")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerError, match="cannot be opened") as refused:
        open_ledger(tmp_path / "file" / "ledger.db")
    assert refused.value.where == str(tmp_path / "file" / "ledger.db")


LIGHT = (
    "import moot.ledger.views, moot.ledger.stats; moot.ledger.views.list_runs(r'{}'); moot.ledger.stats.by_agent(r'{}')"
)


def test_light_reading_imports_nothing_heavy(tmp_path: Path) -> None:
    where = tmp_path / "ledger.db"
    open_ledger(where).close()
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", LIGHT.format(where, where)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "moot.ledger.views" in imported
    assert not imported & {"sqlalchemy", "alembic", "pydantic", "pydantic_core", "asyncio", "psycopg", "difflib"}
