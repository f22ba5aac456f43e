"""What happened in a run: from the agents' own log, the ledger and the report. Says which promises were broken."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.crash.blows import Blow

from moot.core.turns import Failure
from moot.ledger import turns, views
from moot.ledger.admission import TurnState
from moot.ledger.database import open_ledger

Turn = tuple[str, str]  # seat and MOOT_TURN
DONE = ("complete", "incomplete", "not_reviewed", "stalled", "cancelled")


@dataclass(frozen=True, slots=True)
class Logged:
    """A turn as its agent logged it. Times are Unix times; `ended` is None for a reply that was never finished."""

    turn: Turn
    began: float
    ended: float | None
    usable: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """A turn as the ledger has it. `at` is when moot booked it, a Unix time."""

    at: float | None
    failure: Failure | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that is held against the promises."""

    runs: tuple[tuple[str, str], ...]  # id and status
    findings: tuple[tuple[object, ...], ...]
    begun: tuple[Logged, ...]  # one for each time an agent began
    settled: dict[Turn, Settled]

    @property
    def twice(self) -> list[Turn]:
        """Turns that were paid more than once."""
        return [turn for turn, count in Counter(b.turn for b in self.begun).items() if count > 1]

    @property
    def paid(self) -> Counter[Turn]:
        """How often each question was put to its seat. The judge's names what it is asked: that part is left out."""
        return Counter((seat, turn.partition("-")[0]) for seat, turn in (b.turn for b in self.begun))

    def lost(self, usual: Counter[Turn]) -> list[str]:
        """Turns that were paid for nothing, each with why.

        Args:
            usual: what an undisturbed run pays for; anything more is asking again for what had been answered.
        """
        told = [f"{_name(turn)} was asked {n} more than undisturbed" for turn, n in (self.paid - usual).items()]
        for b in self.begun:
            booked = self.settled.get(b.turn)
            if b.ended is None:
                told.append(f"{_name(b.turn)} was never finished")
            elif booked is None or booked.at is None:
                told.append(f"{_name(b.turn)} was never settled")
            elif b.usable and booked.failure is not None:
                told.append(f"{_name(b.turn)} answered, and was settled as {booked.failure.kind}")
        return told

    def adopted(self, blows: Sequence[Blow]) -> int:
        """Return how many turns outlived a blow at those who cared for them.

        The next moot takes over what the last one had not booked, new runners what was still running.
        """
        over = 0
        for b in self.begun:
            booked = self.settled.get(b.turn)
            settled = booked.at if booked is not None and booked.at is not None else float("inf")
            ended = b.ended if b.ended is not None else float("inf")
            over += any(b.began < blow.at < (settled if blow.hit_moot else ended) for blow in blows)
        return over


def gather(home: Path, log: Path) -> Evidence:
    """Collect what a `MOOT_HOME` and its agents' log tell. Nobody may be working in it any more."""
    found = rows(home)
    findings: list[tuple[object, ...]] = []
    settled: dict[Turn, Settled] = {}
    for run, _ in found:
        result = json.loads(views.result_text(home / "ledger.db", run) or "{}")
        findings += [
            (f["path"], f["line"], f["title"], f["severity"], *sorted(f["raised_by"]), f["ruling"])
            for f in result.get("findings", ())
        ]
        with open_ledger(home / "ledger.db") as ledger:
            for t in turns.of_run(ledger, run):
                at = t.ended_at.timestamp() if t.state == TurnState.SETTLED and t.ended_at else None
                settled[t.id.seat, t.id.folder] = Settled(at, t.failure)
    return Evidence(found, tuple(sorted(findings, key=repr)), _logged(log), settled)


def rows(home: Path) -> tuple[tuple[str, str], ...]:
    """Return id and status of every run there is, read without disturbing anybody."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'ledger.db'}?mode=ro", uri=True, timeout=10)) as db:
            return tuple(db.execute("SELECT id, status FROM runs ORDER BY id").fetchall())
    except sqlite3.OperationalError:  # no ledger yet, or one that was only just begun
        return ()


def _logged(log: Path) -> tuple[Logged, ...]:
    begun: list[Logged] = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
        said = json.loads(line)
        turn = (said["seat"], said["turn"])
        if said["event"] == "begin":
            begun.append(Logged(turn, said["at"], None, usable=False))
        else:
            last = max(i for i, b in enumerate(begun) if b.turn == turn and b.ended is None)
            begun[last] = Logged(turn, begun[last].began, said["at"], said["usable"])
    return tuple(begun)


def _name(turn: Turn) -> str:
    return "/".join(turn)
