"""Watching a run: its events from the ledger and its turns' output, drawn as live progress."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from moot.agents.registry import adapter
from moot.cli.progress import Board, Progress, SeatLine, State
from moot.core.change import FrozenDiff
from moot.core.ledger import LedgerEvent
from moot.ledger.database import Ledger
from moot.ledger.events import Tail
from moot.ledger.runs import Run
from moot.process.output import Follower

FRAME_S = 0.1


@dataclass
class _Watched:
    """What is known of one seat."""

    name: str
    state: State = State.WAITING
    doing: str = ""
    note: str = ""
    tools: int = 0
    tokens: int = 0
    started: float | None = None
    took: float = 0.0
    job: Follower | None = None
    kind: str = ""

    def line(self) -> SeatLine:
        seconds = time.monotonic() - self.started if self.started is not None else self.took
        return SeatLine(self.name, self.state, self.doing, self.tools, seconds, self.tokens, self.note)


@dataclass
class Watch:
    """The board of one run, kept up to date by its events."""

    run: Run
    diff: FrozenDiff
    footer: str = ""
    seats: dict[str, _Watched] = field(default_factory=dict)

    def board(self) -> Board:
        """Return how things stand."""
        files = len(self.diff.files)
        change = f"{self.run.label}   {files} file{'s' if files != 1 else ''}  +{self.diff.added} −{self.diff.removed}"
        lines = tuple(s.line() for s in self.seats.values())
        return Board(f"moot {self.run.proceeding}", change, self.run.short, lines, self.footer)

    def take(self, event: LedgerEvent) -> None:
        """Account for an event."""
        if event.kind == "run.seated" and isinstance(event.data, dict):
            for name in event.data.get("seats") or []:
                self.seats.setdefault(str(name), _Watched(str(name)))
            for name, why in (event.data.get("skipped") or {}).items():
                self.seats.setdefault(str(name), _Watched(str(name), State.SKIPPED, note=str(why)))
        if event.seat is None:
            return
        seat = self.seats.setdefault(event.seat, _Watched(event.seat))
        match event.kind:
            case "turn.started" if isinstance(event.data, dict):
                seat.state, seat.doing, seat.note = State.RUNNING, "is asked", seat.note
                seat.kind = str(event.data.get("kind", ""))
                seat.job = Follower(Path(str(event.data["job"])))
                seat.started = seat.started if seat.started is not None else time.monotonic()
            case "seat.waits":
                seat.doing = event.text
            case "seat.nudged" | "seat.again":
                seat.doing = event.text
            case "seat.handed":
                seat.note = event.text
            case "seat.answered":
                self._end(seat, State.REPLACED if seat.note else State.OK)
            case "seat.failed":
                seat.note = event.text
                self._end(seat, State.FAILED)
            case "judge.ruled":
                seat.doing = event.text

    def look(self) -> None:
        """Read on in the output of running turns."""
        for seat in self.seats.values():
            if seat.job is None or seat.state is not State.RUNNING:
                continue
            for event in adapter(seat.kind).events(seat.job.lines()):
                if event.kind == "tool":
                    seat.tools += 1
                    seat.doing = f"reading {event.path}" if event.path else event.text
                elif event.kind == "usage":
                    burned = event.text.split()[0]
                    seat.tokens = int(burned) if burned.isdecimal() else seat.tokens
                elif event.kind in ("retry", "notice"):
                    seat.doing = event.text
                elif event.kind == "text" and event.text:
                    seat.doing = "writing"

    @staticmethod
    def _end(seat: _Watched, state: State) -> None:
        seat.state, seat.doing, seat.job = state, "", None
        if seat.started is not None:
            seat.took, seat.started = time.monotonic() - seat.started, None


async def watch(ledger: Ledger, run: Run, diff: FrozenDiff, shown: Progress, footer: str) -> None:
    """Show a run's progress until cancelled."""
    seen = Watch(run, diff, footer)
    tail = Tail(ledger, run.id)
    try:
        shown.show(seen.board())
        while True:
            _catch_up(seen, tail, shown)
            await asyncio.sleep(FRAME_S)
    finally:
        _catch_up(seen, tail, shown)
        tail.close()


def _catch_up(seen: Watch, tail: Tail, shown: Progress) -> None:
    for event in tail.poll():
        seen.take(event)
    seen.look()
    shown.show(seen.board())
