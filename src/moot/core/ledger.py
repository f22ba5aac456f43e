"""What rooms hand to and get from the ledger, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moot.core.data import JSON


@dataclass(frozen=True, slots=True)
class TurnId:
    """A turn's name: its run, its seat, its key in the run, and which attempt at it this is (from 1)."""

    run: str
    seat: str
    key: str
    attempt: int

    @property
    def folder(self) -> str:
        """The job directory below `turns/<seat>/`."""
        return f"{self.key}.{self.attempt}"


@dataclass(frozen=True, slots=True)
class Caps:
    """What admission checks, counting turns in flight. None means no limit.

    Money counts what is booked; a turn in flight whose cost is unknown counts as `expected_usd`.
    """

    account_concurrency: int | None = None
    run_turns: int | None = None
    run_tokens: int | None = None
    run_cost_usd: float | None = None
    day_cost_usd: float | None = None
    day_tokens: int | None = None
    repo_day_cost_usd: float | None = None
    expected_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Admitted:
    """The turn may begin (or had begun already: admission is idempotent)."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Not now: the account is at its cap, or paused until `until`."""

    why: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Not in this run: it is parked or cancelled, or a budget is spent. `what` is `parked`, `cancelled` or `budget`."""

    what: str
    why: str


Admission = Admitted | Wait | Refused


@dataclass(frozen=True, slots=True)
class LedgerEvent:
    """One numbered row of a run's story. `kind` is dotted (`seat.failed`, `run.parked`), `at` aware UTC."""

    number: int
    run: str
    at: datetime
    kind: str
    seat: str | None
    text: str
    data: JSON = None


@dataclass(frozen=True, slots=True)
class Request:
    """Something a person or a surface wants of a run: `park`, `cancel` or `resume`."""

    id: int
    run: str
    verb: str
    by: str
    at: datetime
