"""Accounts: whose quota turns burn, and the pauses a limit or a person puts on one.

A pause ends in two stages. Until `paused_until` nothing is admitted; after it one turn goes first, the *probe*, and
only its success lets the others in (`turns.settle`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, select

from moot.ledger.admission import TurnState
from moot.ledger.database import Ledger
from moot.ledger.tables import accounts, turns


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause not lifted yet. `until` may be past; `probing`: the turn that is to lift it is in flight."""

    account: str
    until: datetime
    why: str
    probing: bool


def pause(ledger: Ledger, account: str, until: datetime, why: str) -> None:
    """Let an account take no turns until a time, whatever pause it had before. Turns in flight go on."""
    new = {"paused_until": until, "why": why, "probe": None}
    with ledger.write() as db:
        statement = ledger.insert(accounts).values(name=account, **new)
        db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=new))


def resume(ledger: Ledger, account: str) -> bool:
    """Lift an account's pause at once. Return whether there was one."""
    with ledger.write() as db:
        return db.execute(delete(accounts).where(accounts.c.name == account)).rowcount > 0


def paused(ledger: Ledger, account: str) -> Pause | None:
    """Return an account's pause, if one was not lifted yet."""
    return next((p for p in pauses(ledger) if p.account == account), None)


def pauses(ledger: Ledger) -> tuple[Pause, ...]:
    """Return every pause that was not lifted yet, by account."""
    in_flight = and_(turns.c.id == accounts.c.probe, turns.c.state.in_((TurnState.ADMITTED, TurnState.RUNNING)))
    query = (
        select(accounts, turns.c.id.label("turn"))
        .outerjoin(turns, in_flight)
        .where(accounts.c.paused_until.is_not(None))
        .order_by(accounts.c.name)
    )
    with ledger.read() as db:
        return tuple(Pause(r.name, r.paused_until, r.why, r.turn is not None) for r in db.execute(query))
