"""Light reading for commands that must answer at once: lists of runs, names to complete, a result's text.

Stands on `plain_sql`, so the words of enums stay words. Where there is no ledger yet, lists are empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from moot.ledger.lookup import resolve_run
from moot.ledger.plain_sql import fetch, moment

_ENDED = "('complete', 'incomplete', 'not_reviewed', 'cancelled')"  # not `core.runs.RunStatus.unfinished`
_COMPLETED_FROM = 1000  # newest runs that shell completion looks at


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list. `tokens` and `cost_usd` are its turns' so far, `findings` those the judge let stand."""

    id: str
    short: str
    proceeding: str
    subject: str
    repo: str
    label: str
    status: str
    verdict: str | None
    turns: int
    tokens: int
    cost_usd: float | None
    findings: int
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


_COLUMNS = tuple(field.name for field in fields(RunLine))
_SELECT_LINE = f"SELECT {', '.join(_COLUMNS)} FROM run_overview"  # noqa: S608  our own columns


def list_runs(
    where: Path | str, *, repo: str | None = None, unfinished: bool = False, limit: int = 50
) -> tuple[RunLine, ...]:
    """Return runs, newest first: of one repository, or only those not finished, where asked for.

    Raises (as every function here):
        LedgerError: the ledger cannot be read.
    """
    conditions = ["1 = 1"]
    parameters: dict[str, object] = {"limit": limit}
    if repo is not None:
        conditions.append("repo = :repo")
        parameters["repo"] = repo
    if unfinished:
        conditions.append(f"status NOT IN {_ENDED}")
    query = f"{_SELECT_LINE} WHERE {' AND '.join(conditions)} ORDER BY created_at DESC, id DESC LIMIT :limit"
    return tuple(_run_line(row) for row in fetch(where, query, parameters))


def latest_run(where: Path | str, repo: str) -> RunLine | None:
    """Return the newest run of a repository."""
    return next(iter(list_runs(where, repo=repo, limit=1)), None)


def find_run(where: Path | str, name: str) -> RunLine:
    """Return the run a person means by an id, short id or prefix.

    Raises:
        NotFoundError: there is none; near ids are listed.
        UsageError: several runs begin like that.
    """
    names = fetch(where, "SELECT id, short FROM runs ORDER BY created_at DESC")
    id_ = resolve_run(name, [(known, short) for known, short in names])
    return _run_line(fetch(where, f"{_SELECT_LINE} WHERE id = :id", {"id": id_})[0])


def result_text(where: Path | str, run: str) -> str | None:
    """Return a run's result as the JSON text that was stored; None while it has none. `run` is a whole id."""
    rows = fetch(where, "SELECT CAST(result AS TEXT) FROM runs WHERE id = :run", {"run": run})
    return rows[0][0] if rows else None


def complete_run(where: Path | str, typed: str, limit: int = 50) -> tuple[tuple[str, str], ...]:
    """Return (short id, what it was) of the newest runs that what was typed may become, for shell completion.

    Whoever types a whole id is completed to the whole id.
    """
    query = "SELECT id, short, proceeding, label, status FROM runs ORDER BY created_at DESC LIMIT :limit"
    fitting = []
    for id_, short, proceeding, label, status in fetch(where, query, {"limit": _COMPLETED_FROM}):
        name = next((n for n in (short, id_) if n.startswith(typed)), None)
        if name is not None:
            fitting.append((name, f"{proceeding} {label}, {status}"))
    return tuple(fitting[:limit])


def complete_seat(where: Path | str, run: str, typed: str) -> tuple[str, ...]:
    """Return the seats of a run (a whole id) that what was typed may become."""
    rows = fetch(where, "SELECT seat FROM seats WHERE run = :run ORDER BY position", {"run": run})
    return tuple(seat for (seat,) in rows if seat.startswith(typed))


def _run_line(row: Sequence[Any]) -> RunLine:
    values = dict(zip(_COLUMNS, row, strict=True))
    times = {name: moment(at) for name, at in values.items() if name.endswith("_at") and at is not None}
    return RunLine(**values | times)
