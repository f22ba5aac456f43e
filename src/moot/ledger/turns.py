"""Turns: the one door to paid work, and the record of what each turn brought and burned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, literal, or_, select, update

import moot
from moot.core import codec
from moot.core.errors import LedgerError, NotFoundError
from moot.core.ledger import Admission, Admitted, Caps, TurnId
from moot.core.runs import RunStatus
from moot.core.turns import SCAN, Conversation, Failure, Reply, Usage
from moot.ledger.admission import AccountState, Facts, Spent, TurnState, decide, is_probe
from moot.ledger.database import Ledger
from moot.ledger.tables import accounts, requests, runs, turns

GRACE = timedelta(seconds=5)  # how long after it was taken up nobody asks whether a turn's process lives

_DOOR = "turns"  # transactions that count turns and then act on the count run alone
_HOLDS_PLACE = turns.c.state.in_((TurnState.ADMITTED, TurnState.RUNNING))


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as recorded. `usage` is this turn's own; times are aware UTC; `conversation` is moot's id of it."""

    id: TurnId
    node: str
    account: str
    agent: str
    model: str | None
    machine: str | None
    state: TurnState
    conversation: str | None
    failure: Failure | None
    usage: Usage
    admitted_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    moot_version: str


def admit(
    ledger: Ledger,
    t: TurnId,
    account: str,
    caps: Caps,
    now: datetime,
    *,
    repo: str,
    node: str,
    agent: str,
    model: str | None,
    conversation: Conversation | None,
) -> Admission:
    """Ask whether a turn may begin, and if so take its account's place: one transaction across all processes.

    Idempotent: a turn that was admitted stays admitted, also after a crash and when the run was parked meanwhile;
    only one whose place `reap` freed asks again. A `Wait` for the account's cap is the moment to call `reap`.

    Args:
        account: whose quota the turn burns.
        caps: the limits; days are those of UTC, and a turn belongs to the day of its admission.
        conversation: the conversation the turn continues, None for a first turn. Its usage so far is what `settle`
            subtracts from a cumulative count.

    Raises:
        NotFoundError: there is no such run.
    """
    with ledger.write(alone=_DOOR) as db:
        known = db.execute(select(turns.c.id, turns.c.state).where(_is(t))).one_or_none()
        if known is not None and known.state == TurnState.SETTLED:
            return Admitted()
        status, machine = _run(db, t.run)
        if known is not None and known.state != TurnState.LAPSED:
            db.execute(update(turns).where(turns.c.id == known.id).values(machine=machine, held_at=now))
            return Admitted()
        facts = _facts(db, t.run, status, account, caps, repo, now)
        answer = decide(facts, caps, now)
        if not isinstance(answer, Admitted):
            return answer
        values = {
            "repo": repo,
            "node": node,
            "account": account,
            "agent": agent,
            "model": model,
            "machine": machine,
            "state": TurnState.ADMITTED,
            "expected_usd": caps.expected_usd,
            "conversation": conversation.id if conversation else None,
            "earlier_usage": codec.dump(Usage, conversation.cumulative) if conversation else None,
            "admitted_at": now,
            "held_at": now,
            "moot_version": moot.__version__,
        }
        if known is None:
            names = {"run": t.run, "seat": t.seat, "key": t.key, "attempt": t.attempt}
            nothing = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}
            row = db.scalar(turns.insert().values(**names, **nothing, **values).returning(turns.c.id))
        else:
            row = known.id
            db.execute(update(turns).where(turns.c.id == row).values(**values))
        if is_probe(facts.account):
            db.execute(update(accounts).where(accounts.c.name == account).values(probe=row))
        return answer


def mark_running(ledger: Ledger, t: TurnId, now: datetime) -> None:
    """Record that a turn's process was started, or was found running. Idempotent; a settled turn stays settled.

    A lapsed turn takes its place again: what runs is counted.
    """
    with ledger.write() as db:
        started = func.coalesce(turns.c.started_at, literal(now, turns.c.started_at.type))
        db.execute(
            update(turns)
            .where(_is(t), turns.c.state != TurnState.SETTLED)
            .values(state=TurnState.RUNNING, started_at=started)
        )


def settle(
    ledger: Ledger,
    t: TurnId,
    outcome: Reply | Failure,
    usage: Usage,
    now: datetime,
    pause_until: datetime | None = None,
) -> Usage:
    """Free a turn's place, book its usage, and pause its account when told to. Idempotent: the first settling counts.

    Where the turn was the first after a pause, a reply lifts the pause; a failure leaves the account on probation
    (again one turn goes first), or pauses it anew when `pause_until` says so.

    Args:
        outcome: what the turn brought.
        usage: as the CLI reported it: the conversation's running total when the outcome says `cumulative`.
        pause_until: until when the account takes no turns; a pause already in force is only ever made longer.

    Returns: the usage booked, this turn's own.

    Raises:
        LedgerError: the turn was never admitted.
    """
    with ledger.write(alone=_DOOR) as db:
        row = db.execute(select(turns).where(_is(t))).one_or_none()
        if row is None:
            raise LedgerError(f"turn {t.seat}/{t.folder} of run {t.run} was never admitted")
        if row.state == TurnState.SETTLED:
            return _usage(row)
        own = usage
        if outcome.cumulative and row.earlier_usage is not None:
            own = usage - codec.load(Usage, row.earlier_usage)
        failure = outcome if isinstance(outcome, Failure) else None
        db.execute(
            update(turns)
            .where(turns.c.id == row.id)
            .values(
                state=TurnState.SETTLED,
                ended_at=now,
                failure=failure.kind if failure else None,
                failure_detail=failure.detail if failure else None,
                resets_at=failure.resets_at if failure else None,
                input_tokens=own.input_tokens,
                output_tokens=own.output_tokens,
                cached_tokens=own.cached_tokens,
                cost_usd=own.cost_usd,
            )
        )
        _answer_account(ledger, db, row, failure, pause_until)
        return own


def reap(
    ledger: Ledger, alive: Callable[[TurnId], bool], *, machine: str, now: datetime, account: str | None = None
) -> tuple[TurnId, ...]:
    """Free the places of turns whose processes are gone, so that a crash does not hold an account for ever.

    `alive` does I/O and is called outside any transaction. It must be true while the turn's job runs *or* the run's
    driver lives; false makes the turn lapse, and its run, when resumed, asks for admission again before it starts
    anything. Turns of other machines are left alone, and those that a driver took up within `GRACE`.

    Args:
        alive: whether anything of a turn still lives on this machine.
        machine: this machine's name, as given to `runs.claim_driver`.
        account: only turns of this account; all when None.

    Returns: the turns that lapsed.
    """
    with ledger.read() as db:
        suspects = db.execute(
            select(turns).where(
                _HOLDS_PLACE,
                turns.c.held_at < now - GRACE,
                or_(turns.c.machine == machine, turns.c.machine.is_(None)),
                *([turns.c.account == account] if account is not None else []),
            )
        ).all()
    dead = [row for row in suspects if not alive(_id(row))]
    lapsed = []
    if dead:
        with ledger.write(alone=_DOOR) as db:
            for row in dead:
                unchanged = and_(turns.c.id == row.id, _HOLDS_PLACE, turns.c.held_at == row.held_at)
                if db.execute(update(turns).where(unchanged).values(state=TurnState.LAPSED)).rowcount:
                    lapsed.append(_id(row))
    return tuple(lapsed)


def continued_elsewhere(ledger: Ledger, conversation: str, run: str) -> bool:
    """Return whether a turn of another run is under way in that conversation."""
    busy = select(turns.c.id).where(turns.c.conversation == conversation, turns.c.run != run, _HOLDS_PLACE).limit(1)
    with ledger.read() as db:
        return db.scalar(busy) is not None


def unsettled(ledger: Ledger, run: str) -> tuple[Turn, ...]:
    """Return a run's turns that began and were not settled, in the order of their admission."""
    return tuple(turn for turn in of_run(ledger, run) if turn.state != TurnState.SETTLED)


def of_run(ledger: Ledger, run: str) -> tuple[Turn, ...]:
    """Return a run's turns in the order of their admission."""
    with ledger.read() as db:
        rows = db.execute(select(turns).where(turns.c.run == run).order_by(turns.c.id)).all()
    return tuple(_turn(row) for row in rows)


def _run(db: Connection, run: str) -> tuple[RunStatus, str | None]:
    """Return a run's status and its driver's machine."""
    row = db.execute(select(runs.c.status, runs.c.driver_machine).where(runs.c.id == run)).one_or_none()
    if row is None:
        raise NotFoundError(f"no run {run}", next_step="moot runs list")
    return row.status, row.driver_machine


def _facts(db: Connection, run: str, status: RunStatus, account: str, caps: Caps, repo: str, now: datetime) -> Facts:
    """Return all that the rule needs; sums nobody asked for are not made."""
    pending = select(requests.c.verb).where(requests.c.run == run, requests.c.handled_at.is_(None))
    today = turns.c.admitted_at >= now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    run_capped = (caps.run_turns, caps.run_tokens, caps.run_cost_usd) != (None, None, None)
    day_capped = (caps.day_tokens, caps.day_cost_usd) != (None, None)
    return Facts(
        status=status,
        asked_for=db.scalar(pending.order_by(requests.c.id.desc()).limit(1)),
        account=_account(db, account),
        run=_spent(db, turns.c.run == run) if run_capped else Spent(),
        day=_spent(db, today) if day_capped else Spent(),
        repo_day=_spent(db, and_(today, turns.c.repo == repo)) if caps.repo_day_cost_usd is not None else Spent(),
    )


def _account(db: Connection, name: str) -> AccountState:
    in_flight = db.scalar(select(func.count()).where(turns.c.account == name, _HOLDS_PLACE))
    row = db.execute(
        select(accounts.c.paused_until, accounts.c.why, turns.c.id.label("probe"))
        .outerjoin(turns, and_(turns.c.id == accounts.c.probe, _HOLDS_PLACE))
        .where(accounts.c.name == name)
    ).one_or_none()
    if row is None:
        return AccountState(name, in_flight or 0)
    return AccountState(name, in_flight or 0, row.paused_until, row.why, row.probe is not None)


def _spent(db: Connection, which: ColumnElement[bool]) -> Spent:
    waiting = case((and_(_HOLDS_PLACE, turns.c.cost_usd.is_(None)), turns.c.expected_usd), else_=0.0)
    row = db.execute(
        select(
            func.count(),
            func.coalesce(func.sum(turns.c.input_tokens + turns.c.output_tokens), 0),
            func.coalesce(func.sum(turns.c.cost_usd), 0.0),
            func.coalesce(func.sum(waiting), 0.0),
        ).where(which, turns.c.state != TurnState.LAPSED, turns.c.node != SCAN)
    ).one()
    return Spent(row[0], int(row[1]), float(row[2]), float(row[3]))


def _answer_account(
    ledger: Ledger, db: Connection, turn: Row[tuple[object, ...]], failure: Failure | None, pause_until: datetime | None
) -> None:
    """Pause the account when told to; let the outcome of a first turn after a pause lift it or leave it."""
    mine = accounts.c.name == turn.account
    row = db.execute(select(accounts).where(mine)).one_or_none()
    if pause_until is not None:
        until = max(pause_until, row.paused_until) if row is not None and row.paused_until else pause_until
        why = f"{failure.kind}: {failure.detail}" if failure else "its last turn asked for it"
        new = {"paused_until": until, "why": why, "probe": None}
        statement = ledger.insert(accounts).values(name=turn.account, **new)
        db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=new))
    elif row is not None and row.probe == turn.id:
        lifted = {} if failure else {"paused_until": None, "why": ""}
        db.execute(update(accounts).where(mine).values(probe=None, **lifted))


def _is(t: TurnId) -> ColumnElement[bool]:
    c = turns.c
    return and_(c.run == t.run, c.seat == t.seat, c.key == t.key, c.attempt == t.attempt)


def _id(row: Row[tuple[object, ...]]) -> TurnId:
    return TurnId(row.run, row.seat, row.key, row.attempt)


def _usage(row: Row[tuple[object, ...]]) -> Usage:
    return Usage(row.input_tokens, row.output_tokens, row.cached_tokens, row.cost_usd)


def _turn(row: Row[tuple[object, ...]]) -> Turn:
    return Turn(
        id=_id(row),
        node=row.node,
        account=row.account,
        agent=row.agent,
        model=row.model,
        machine=row.machine,
        state=row.state,
        conversation=row.conversation,
        failure=Failure(row.failure, row.failure_detail or "", row.resets_at) if row.failure else None,
        usage=_usage(row),
        admitted_at=row.admitted_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        moot_version=row.moot_version,
    )
