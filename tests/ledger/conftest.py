"""A ledger on each database, and values to put in it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import psycopg
import pytest
from ledger_samples import NOW

from moot.ledger import runs
from moot.ledger.database import Ledger, open_ledger
from moot.ledger.tables import metadata


class Postgres:
    """A private server on a socket in a folder of its own: no TCP, no root, nothing kept."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # Not pytest's folder: the server's user must be able to enter it, and socket paths must be short.
        self._folder = Path(tempfile.mkdtemp(prefix="moot-pg-"))
        self._user = self._unprivileged() if os.geteuid() == 0 else None
        self._server: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._shared: str | None = None

    def start(self) -> None:
        if self._user:
            shutil.chown(self._folder, self._user)
        data, log = self._folder / "data", self._folder / "log"
        self._run("initdb", "-D", data, "-U", "moot", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = ["-F", "-c", "listen_addresses=", "-c", "max_connections=100", "-c", "shared_buffers=32MB"]
        with log.open("wb") as out:
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", data, "-k", self._folder, *settings],
                user=self._user,
                cwd=self._folder,
                stdout=out,
                stderr=out,
            )
        self._wait_until_it_answers()
        with open_ledger(self.new_database()):
            self._blank_ledger = f"d{self._databases}"

    def new_ledger(self) -> str:
        """The URL of a database with an empty ledger in it."""
        return self.new_database(template=self._blank_ledger)

    def emptied_ledger(self) -> str:
        """The same, much faster: always the same one, for tests that leave its tables as they are."""
        self._shared = self._shared or self.new_ledger()
        with psycopg.connect(self._shared, autocommit=True) as db:
            db.execute(f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY")
        return self._shared

    def new_database(self, template: str = "template0") -> str:
        self._databases += 1
        name = f"d{self._databases}"
        with self._connect() as db:
            db.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"postgresql://moot@/{name}?host={self._folder}"

    def stop(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)  # at once, whoever is still connected
            self._server.wait(timeout=30)
        shutil.rmtree(self._folder)

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(f"host={self._folder} user=moot dbname=postgres", autocommit=True)

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [self._programs / program, *map(str, arguments)],
            user=self._user,
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + 30
        while True:
            try:
                self._connect().close()
                return
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    @staticmethod
    def _unprivileged() -> str:
        known = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in known else "nobody"


def _server_programs() -> Path | None:
    folders = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/opt/homebrew/opt").glob("postgresql*/bin")]
    if on_path := shutil.which("initdb"):
        folders.append(Path(on_path).resolve().parent)
    usable = [folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()]
    return max(usable, default=None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    programs = _server_programs()
    if programs is None:
        reason = "PostgreSQL's server programs (initdb, postgres) are not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    server = Postgres(programs)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def where(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """The place of a ledger with nothing in it."""
    if database == "postgres":
        return request.getfixturevalue("postgres").emptied_ledger()
    return tmp_path / "ledger.db"


@pytest.fixture
def blank(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """The place of a database in which nobody has made anything yet."""
    if database == "postgres":
        return request.getfixturevalue("postgres").new_database()
    return tmp_path / "blank" / "ledger.db"


@pytest.fixture
def ledger(where: Path | str) -> Iterator[Ledger]:
    with open_ledger(where) as ledger:
        yield ledger


@pytest.fixture
def new_run(ledger: Ledger) -> Callable[..., runs.Run]:
    """Makes runs in the test's ledger; what matters to the test is said by keyword."""
    random = Random(7)

    def make(**matters: object) -> runs.Run:
        usual: dict[str, object] = {
            "proceeding": "review",
            "subject": "/repo#topic",
            "repo": "/repo",
            "label": "topic → main",
            "change": None,
            "config": {"budget": {"run_cost_usd": 20}},
            "seed": 1,
            "now": NOW,
            "random": random,
        }
        return runs.create(ledger, **usual | matters)

    return make
