"""Whether a turn may begin: the pure rule behind `turns.admit`, and how a turn stands from then on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from moot.core.ledger import Admission, Admitted, Caps, Refused, Wait
from moot.core.runs import RunStatus

_CENT_DUST = 1e-9  # what adding floats may be off by, in dollars


class TurnState(StrEnum):
    """How a turn stands."""

    ADMITTED = "admitted"  # holds its account's place, not seen to run yet
    RUNNING = "running"  # its process was started
    LAPSED = "lapsed"  # nobody alive has it: its place is free, and whoever takes it up asks again
    SETTLED = "settled"  # booked, for good


@dataclass(frozen=True, slots=True)
class Spent:
    """What turns took, within one run, day, or repository and day.

    `turns` counts all of them; `tokens` and `usd` what is booked; `in_flight_usd` what turns that have not settled
    are expected to cost.
    """

    turns: int = 0
    tokens: int = 0
    usd: float = 0.0
    in_flight_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class AccountState:
    """An account as admission sees it.

    Args:
        in_flight: turns that hold a place.
        paused_until: the end of a pause no turn has lifted yet, even if that end is past.
        why: the pause's reason.
        probing: whether the first turn after the pause is in flight.
    """

    name: str
    in_flight: int = 0
    paused_until: datetime | None = None
    why: str = ""
    probing: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything the rule looks at, read in one transaction. A turn that asks is counted nowhere in it.

    `asked_for` is the verb of the newest request nobody has handled yet.
    """

    status: RunStatus
    asked_for: str | None
    account: AccountState
    run: Spent = Spent()
    day: Spent = Spent()
    repo_day: Spent = Spent()


def decide(facts: Facts, caps: Caps, now: datetime) -> Admission:
    """Return whether a turn may begin. What waiting cannot mend is said first, so nobody waits for nothing."""
    return _stopped(facts) or _over_budget(facts, caps) or _must_wait(facts.account, caps, now) or Admitted()


def is_probe(account: AccountState) -> bool:
    """Return whether a turn admitted now is the one that goes first after a pause."""
    return account.paused_until is not None


def _stopped(facts: Facts) -> Refused | None:
    if facts.status is RunStatus.CANCELLED or facts.asked_for == "cancel":
        return Refused("cancelled", "the run is cancelled")
    if facts.status is RunStatus.PARKED or facts.asked_for == "park":
        return Refused("parked", "the run is parked")
    return None


def _over_budget(facts: Facts, caps: Caps) -> Refused | None:
    expected = caps.expected_usd
    return (
        _count("this run's turns", facts.run.turns, caps.run_turns)
        or _count("this run's tokens", facts.run.tokens, caps.run_tokens)
        or _money("this run", facts.run, expected, caps.run_cost_usd)
        or _count("today's tokens", facts.day.tokens, caps.day_tokens)
        or _money("today", facts.day, expected, caps.day_cost_usd)
        or _money("this repository today", facts.repo_day, expected, caps.repo_day_cost_usd)
    )


def _count(what: str, spent: int, cap: int | None) -> Refused | None:
    if cap is None or spent < cap:
        return None
    return Refused("budget", f"{what}: {spent:,} of {cap:,} are used")


def _money(what: str, spent: Spent, expected: float, cap: float | None) -> Refused | None:
    if cap is None:
        return None
    committed = spent.usd + spent.in_flight_usd
    if committed < cap - _CENT_DUST and committed + expected <= cap + _CENT_DUST:
        return None
    parts = [f"${spent.usd:.2f} spent"]
    if spent.in_flight_usd:
        parts.append(f"${spent.in_flight_usd:.2f} in flight")
    if expected:
        parts.append(f"${expected:.2f} expected of the next turn")
    return Refused("budget", f"{what}: {', '.join(parts)}, of ${cap:.2f}")


def _must_wait(account: AccountState, caps: Caps, now: datetime) -> Wait | None:
    if account.paused_until is not None:
        if now < account.paused_until:
            return Wait(f"{account.name} is paused: {account.why}", account.paused_until)
        if account.probing:
            return Wait(f"{account.name} was paused; one turn goes first to see whether it answers again")
    if caps.account_concurrency is not None and account.in_flight >= caps.account_concurrency:
        return Wait(f"{account.name} is at its cap of {caps.account_concurrency} turns at once")
    return None
