"""Runs: making them, finding them by the few characters a person types, and who drives them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from sqlalchemy import Connection, Row, delete, func, literal, select, update

import moot
from moot.core import codec
from moot.core.change import Change
from moot.core.data import JSON
from moot.core.errors import BusyError, NotFoundError
from moot.core.runs import Result, RunStatus, Verdict
from moot.ledger import seats
from moot.ledger.admission import TurnState
from moot.ledger.database import Ledger
from moot.ledger.lookup import resolve_run
from moot.ledger.tables import runs, turns

_SHORT = 4  # hexadecimal digits of a short id, as long as that many are free
_TRIES = 8  # draws before a short id gets a digit more


@dataclass(frozen=True, slots=True)
class Driver:
    """The process that executes a run. `started` is its start as a Unix time, because process ids come again."""

    machine: str
    pid: int
    started: float


@dataclass(frozen=True, slots=True)
class Run:
    """A run as recorded, without its result.

    `config` is the snapshot it was created with, `label` what a person calls its change, `fence` the number of the
    driver that may write, `budget_usd` its limit of money if it has one. Times are aware UTC.
    """

    id: str
    short: str
    proceeding: str
    subject: str
    repo: str
    label: str
    status: RunStatus
    verdict: Verdict | None
    seed: int
    parent: str | None
    budget_usd: float | None
    config: JSON
    change: Change | None
    driver: Driver | None
    fence: int
    moot_version: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


def create(
    ledger: Ledger,
    *,
    proceeding: str,
    subject: str,
    repo: str,
    label: str,
    change: Change | None,
    config: JSON,
    seed: int,
    now: datetime,
    random: Random,
    parent: str | None = None,
    budget_usd: float | None = None,
) -> Run:
    """Record a new run under a new id, `20261130-153012-7f3a`; its last part is its short id, unique in the ledger."""
    values = {
        "proceeding": proceeding,
        "subject": subject,
        "repo": repo,
        "label": label,
        "change": codec.dump(Change, change) if change is not None else None,
        "config": config,
        "seed": seed,
        "parent": parent,
        "budget_usd": budget_usd,
        "status": RunStatus.CREATED,
        "fence": 0,
        "moot_version": moot.__version__,
        "created_at": now,
        "updated_at": now,
    }
    with ledger.write() as db:
        row = None
        tries = 0
        while row is None:
            digits = _SHORT + tries // _TRIES
            short = f"{random.getrandbits(4 * digits):0{digits}x}"
            values |= {"short": short, "id": f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{short}"}
            new = ledger.insert(runs).values(**values).on_conflict_do_nothing().returning(*runs.c)
            row = db.execute(new).one_or_none()
            tries += 1
    return _run(row)


def get(ledger: Ledger, name: str) -> Run:
    """Return the run called `name`: its id, short id, or a prefix of either that fits no other run.

    Raises:
        NotFoundError: there is none; near ids are listed.
        UsageError: several runs begin like that.
    """
    with ledger.read() as db:
        row = db.execute(select(runs).where(runs.c.id == name)).one_or_none()
        if row is None:
            names = db.execute(select(runs.c.id, runs.c.short).order_by(runs.c.created_at.desc())).all()
            id_ = resolve_run(name, [(known, short) for known, short in names])
            row = db.execute(select(runs).where(runs.c.id == id_)).one()
    return _run(row)


def list_runs(
    ledger: Ledger,
    *,
    repo: str | None = None,
    subject: str | None = None,
    statuses: Collection[RunStatus] | None = None,
    limit: int = 100,
) -> tuple[Run, ...]:
    """Return runs, newest first: of one repository, subject or status where given."""
    query = select(runs).order_by(runs.c.created_at.desc(), runs.c.id.desc()).limit(limit)
    if repo is not None:
        query = query.where(runs.c.repo == repo)
    if subject is not None:
        query = query.where(runs.c.subject == subject)
    if statuses is not None:
        query = query.where(runs.c.status.in_(statuses))
    with ledger.read() as db:
        return tuple(_run(row) for row in db.execute(query))


def claim_driver(ledger: Ledger, run: str, driver: Driver, *, now: datetime, seen: int) -> int:
    """Make `driver` the run's driver and return its fence, a number that only ever grows.

    Whether the driver before is dead is the caller's to find out. Of several that find so at once one gets the run.

    Args:
        seen: the fence the run had when the caller looked (`Run.fence`).

    Raises:
        BusyError: another process took the run since.
        NotFoundError: there is no such run.
    """
    with ledger.write() as db:
        fence = db.scalar(
            update(runs)
            .where(runs.c.id == run, runs.c.fence == seen)
            .values(
                driver_machine=driver.machine,
                driver_pid=driver.pid,
                driver_started=driver.started,
                fence=runs.c.fence + 1,
                updated_at=now,
            )
            .returning(runs.c.fence)
        )
    if fence is None:
        holder = get(ledger, run).driver
        by = f"by process {holder.pid} on {holder.machine}" if holder else "meanwhile"
        raise BusyError(f"run {run} was taken {by}", next_step=f"moot runs show {run}")
    return int(fence)


def release_driver(ledger: Ledger, run: str, fence: int) -> None:
    """Record that the driver of that fence has let go of the run. One that was superseded changes nothing."""
    nobody = {"driver_machine": None, "driver_pid": None, "driver_started": None}
    with ledger.write() as db:
        db.execute(update(runs).where(runs.c.id == run, runs.c.fence == fence).values(**nobody))


def is_current(ledger: Ledger, run: str, fence: int) -> bool:
    """Return whether the driver of that fence is still the run's driver."""
    with ledger.read() as db:
        return db.scalar(select(runs.c.fence).where(runs.c.id == run)) == fence


def set_status(ledger: Ledger, run: str, status: RunStatus, *, now: datetime, fence: int | None = None) -> bool:
    """Record how a run stands. Return False, changing nothing, where `fence` is given and another driver has the run.

    Raises:
        NotFoundError: there is no such run.
    """
    finished = func.coalesce(runs.c.finished_at, literal(now, runs.c.finished_at.type)) if status.finished else None
    values = {"status": status, "finished_at": finished, "updated_at": now}
    with ledger.write() as db:
        return _update(db, run, fence, values)


def set_result(ledger: Ledger, run: str, result: Result, *, now: datetime, fence: int | None = None) -> bool:
    """Record a run's result, and with it its status, verdict and seats. As `set_status` with `fence`.

    Raises:
        NotFoundError: there is no such run.
    """
    values = {
        "result": codec.dump(Result, result),
        "verdict": result.verdict,
        "status": result.status,
        "finished_at": (result.finished_at or now) if result.status.finished else None,
        "updated_at": now,
    }
    with ledger.write() as db:
        written = _update(db, run, fence, values)
        if written:
            seats.save_in(ledger, db, run, result.seats)
    return written


def result(ledger: Ledger, run: str) -> Result | None:
    """Return a run's result; None while it has none."""
    with ledger.read() as db:
        data = db.scalar(select(runs.c.result).where(runs.c.id == run))
    return None if data is None else codec.load(Result, data)


def delete_run(ledger: Ledger, run: str) -> None:
    """Forget a run, except what outlives it: its turns' cost (a day's budget stays spent) and its subject's findings.

    Raises:
        NotFoundError: there is no such run.
    """
    with ledger.write() as db:
        if not db.execute(delete(runs).where(runs.c.id == run)).rowcount:
            raise NotFoundError(f"no run {run}", next_step="moot runs list")
        db.execute(delete(turns).where(turns.c.run == run, turns.c.state != TurnState.SETTLED))
        db.execute(update(turns).where(turns.c.run == run).values(failure_detail=None))


def _update(db: Connection, run: str, fence: int | None, values: Mapping[str, object]) -> bool:
    statement = update(runs).where(runs.c.id == run).values(**values)
    if fence is not None:
        statement = statement.where(runs.c.fence == fence)
    if db.execute(statement).rowcount:
        return True
    if db.scalar(select(runs.c.id).where(runs.c.id == run)) is None:
        raise NotFoundError(f"no run {run}", next_step="moot runs list")
    return False


def _run(row: Row[tuple[object, ...]]) -> Run:
    driver = None
    if row.driver_pid is not None:
        driver = Driver(row.driver_machine, row.driver_pid, row.driver_started)
    return Run(
        id=row.id,
        short=row.short,
        proceeding=row.proceeding,
        subject=row.subject,
        repo=row.repo,
        label=row.label,
        status=row.status,
        verdict=row.verdict,
        seed=row.seed,
        parent=row.parent,
        budget_usd=row.budget_usd,
        config=row.config,
        change=codec.load(Change, row.change) if row.change is not None else None,
        driver=driver,
        fence=row.fence,
        moot_version=row.moot_version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        finished_at=row.finished_at,
    )
