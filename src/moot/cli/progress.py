"""Live progress of a run: a few lines that redraw on a terminal, one plain line per change elsewhere."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import Self, TextIO

from moot.cli.console import Console, write
from moot.reports import numbers, safe
from moot.reports.layout import Style, bare, cells, clip, pad, paint

_FRAME_S = 0.1  # never drawn more often
_NARROW_TOOLS, _NARROW_TOKENS = 64, 48  # columns below which a column is left out
_LONGEST_NAME = 24
_LEAST_SAID = 8  # columns; with less, a line says only who and how long


class State(StrEnum):
    """How a seat stands."""

    WAITING = "waiting"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One line of the board.

    Args:
        doing: what it does right now (`reading src/upload/retry.py`).
        tools: tool calls so far. seconds: so far, as of when the board was shown. tokens: so far.
        note: what a person should know instead of `doing`: why it failed, who took over.
    """

    name: str
    state: State
    doing: str = ""
    tools: int = 0
    seconds: float = 0.0
    tokens: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """A run at one moment: `moot review`, `topic → main   12 files`, its id, its seats, and the line below them."""

    title: str
    change: str
    run: str
    seats: tuple[SeatLine, ...]
    footer: str = ""


_GLYPHS: dict[State, tuple[str, tuple[Style, ...]]] = {
    State.WAITING: ("·", (Style.DIM,)),
    State.RUNNING: ("●", (Style.CYAN,)),
    State.OK: ("✓", (Style.GREEN,)),
    State.FAILED: ("✗", (Style.RED,)),
    State.SKIPPED: ("–", (Style.DIM,)),
    State.REPLACED: ("!", (Style.YELLOW,)),
}


class Progress(ABC):
    """Shows boards. Use it as a context manager: leaving it shows the last one and gives the terminal back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def show(self, board: Board) -> None:
        """Take `board` as how things stand. The first one appears at once."""

    @abstractmethod
    def tick(self) -> None:
        """Let time pass: call it as often as you like, ten times a second is plenty."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Print a line of its own."""

    @abstractmethod
    def close(self, *, keep: bool = True) -> None:
        """Stop. The last board stays where it is drawn, without its footer, or is wiped away when not to `keep`."""


def progress(console: Console, clock: Callable[[], float] = time.monotonic) -> Progress:
    """Return progress on standard error, redrawn in place where that is a terminal and in plain lines elsewhere.

    Args:
        clock: monotonic seconds.
    """
    if not console.is_watched:
        return Lines(console.err)
    return Live(console.err, colour=console.err_colour, size=lambda: console.size(console.err), clock=clock)


class Lines(Progress):
    """A header, and then one plain line whenever a seat's state changes: for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._told: dict[str, tuple[State, str]] | None = None

    def show(self, board: Board) -> None:
        if self._told is None:
            self._told = {}
            self.say(_header(board))
        for seat in board.seats:
            now = (seat.state, seat.note)
            if self._told.get(seat.name, (State.WAITING, "")) != now:
                self.say(_plain(seat))
            self._told[seat.name] = now

    def tick(self) -> None:
        pass

    def say(self, text: str) -> None:
        write(self._stream, text + "\n")

    def close(self, *, keep: bool = True) -> None:
        pass


class Live(Progress):
    """A few lines that redraw in place, at most ten times a second.

    The cursor is never hidden, so that nothing has to be repaired when the process is killed.

    Args:
        stream: a terminal.
        size: the terminal's columns and lines, asked before each frame, so that a resize is followed.
    """

    def __init__(
        self, stream: TextIO, *, colour: bool, size: Callable[[], tuple[int, int]], clock: Callable[[], float]
    ) -> None:
        self._stream = stream
        self._colour = colour
        self._size = size
        self._clock = clock
        self._board: Board | None = None
        self._shown_at = 0.0
        self._drawn_at: float | None = None
        self._drawn: list[str] = []  # the lines of the frame on the terminal

    def show(self, board: Board) -> None:
        self._board, self._shown_at = board, self._clock()
        self.tick()

    def tick(self) -> None:
        """Draw if a frame is due; the seconds of running seats go on by themselves."""
        if self._drawn_at is None or self._clock() - self._drawn_at >= _FRAME_S:
            self._draw()

    def say(self, text: str) -> None:
        """Print a line above the board."""
        write(self._stream, f"{self._home()}{text}\x1b[K\n")
        self._drawn = []
        self._draw()

    def close(self, *, keep: bool = True) -> None:
        if self._board is not None and keep:
            self._board = replace(self._board, footer="")
            self._draw()
        elif self._drawn:
            write(self._stream, f"{self._home()}\x1b[J")
        self._board, self._drawn = None, []

    def _draw(self) -> None:
        if self._board is None:
            return
        width, height = self._size()
        board = _later(self._board, self._clock() - self._shown_at)
        frame = list(_frame(board, width, height, colour=self._colour))[: max(1, height - 1)]
        write(self._stream, self._home() + "".join(f"{line}\x1b[K\n" for line in frame) + "\x1b[J")
        self._drawn, self._drawn_at = frame, self._clock()

    def _home(self) -> str:
        """The sequence that takes the cursor to the start of the frame on the terminal.

        A terminal that became narrower has wrapped the old lines, so they may take more rows than they did.
        """
        columns, _ = self._size()
        rows = sum(max(1, -(-cells(bare(line)) // columns)) for line in self._drawn)
        return f"\x1b[{rows}A\r" if rows else "\r"


def _later(board: Board, seconds: float) -> Board:
    """The board as it is `seconds` after it was shown, if nothing but time has passed."""
    seats = (replace(s, seconds=s.seconds + seconds) if s.state is State.RUNNING else s for s in board.seats)
    return replace(board, seats=tuple(seats))


def _header(board: Board) -> str:
    return f"{safe.line(board.title)}  {safe.path(board.change)}   run {safe.line(board.run)}"


def _frame(board: Board, width: int, height: int, *, colour: bool) -> Iterator[str]:
    """The lines to draw, each narrower than the terminal; the cursor stands below them, so one line stays free."""
    room = width - 1  # a full line would wrap on some terminals
    yield paint(clip(_header(board), room), Style.BOLD, colour=colour)
    free = max(1, height - 2 - bool(board.footer))
    seats = _chosen(board.seats, free)
    name_width = min(_LONGEST_NAME, max((cells(safe.line(s.name)) for s in seats), default=0))
    for seat in seats:
        yield _seat(seat, name_width, room, colour)
    if len(seats) < len(board.seats):
        yield clip(f"  … and {len(board.seats) - len(seats)} more", room)
    if board.footer:
        yield paint(clip(f"  {safe.line(board.footer)}", room), Style.DIM, colour=colour)


def _chosen(seats: tuple[SeatLine, ...], free: int) -> tuple[SeatLine, ...]:
    """As many seats as fit, in their order; what runs or went wrong before what is done or waits."""
    if len(seats) <= free:
        return seats
    urgent = {State.RUNNING: 0, State.FAILED: 1, State.REPLACED: 1}
    kept = sorted(range(len(seats)), key=lambda i: (urgent.get(seats[i].state, 2), i))[: max(1, free - 1)]
    return tuple(seats[i] for i in sorted(kept))


def _seat(seat: SeatLine, name_width: int, room: int, colour: bool) -> str:
    glyph, styles = _GLYPHS[seat.state]
    name_width = min(name_width, max(4, room - 13))
    name = pad(clip(safe.line(seat.name), name_width), name_width)
    figures = _figures(seat, room).lstrip()  # set to the right; what they leave free, words may use
    said = safe.line(seat.note or seat.doing or (seat.state.value if seat.state is not State.OK else ""))
    space = room - 4 - name_width - 2 - cells(figures) - 2
    body = f"{pad(clip(said, space), space)}  {figures}" if space >= _LEAST_SAID else _elapsed(seat)
    return f"  {paint(glyph, *styles, colour=colour)} {name}  {body}".rstrip()


def _figures(seat: SeatLine, room: int) -> str:
    """Tool calls, time and tokens in columns; narrow terminals lose the tool calls first, then the tokens."""
    tools = numbers.count(seat.tools, "tool call") if seat.tools else ""
    took = _elapsed(seat)
    burned = f"{numbers.tokens(seat.tokens)} tok" if seat.tokens else ""
    columns = [f"{took:>7}"]
    if room >= _NARROW_TOOLS:
        columns.insert(0, f"{tools:>14}")
    if room >= _NARROW_TOKENS:
        columns.append(f"{burned:>8}")
    return "  ".join(columns)


def _elapsed(seat: SeatLine) -> str:
    if not seat.seconds:
        return ""
    # Whole seconds while it runs: tenths that flicker tell nobody anything.
    return numbers.duration(seat.seconds) if seat.state is not State.RUNNING else _whole(seat.seconds)


def _whole(seconds: float) -> str:
    return f"{int(seconds)}s" if seconds < 60 else numbers.duration(int(seconds))


def _plain(seat: SeatLine) -> str:
    """One line for a log: the seat, its state, and what is known of it by then."""
    facts = [safe.line(seat.note)] if seat.note else []
    facts += [numbers.count(seat.tools, "tool call")] if seat.tools else []
    facts += [_elapsed(seat)] if seat.seconds and seat.state is not State.RUNNING else []
    facts += [f"{numbers.tokens(seat.tokens)} tokens"] if seat.tokens else []
    told = f": {', '.join(facts)}" if facts else ""
    return f"{safe.line(seat.name)} {seat.state.value}{told}"
