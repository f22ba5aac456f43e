"""Progress is true, fits the terminal at any size, and leaves nothing to clean up."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.cli.console import Console
from moot.cli.progress import Board, Lines, Live, Progress, SeatLine, State, progress
from moot.reports.layout import bare, cells

BOARD = Board(
    title="moot review",
    change="topic → main   12 files  +340 −85",
    run="7f3a",
    seats=(
        SeatLine("frozen", State.OK, "a41c9e2..9d07b11", seconds=0.2),
        SeatLine("reviewer-opus", State.RUNNING, "reading src/upload/retry.py", tools=18, seconds=102.4, tokens=31_000),
        SeatLine("reviewer-gpt", State.RUNNING, "writing its report", seconds=100.0, tokens=22_000),
        SeatLine("reviewer-oc", State.REPLACED, note="usage limit until 16:10, handed to sonnet", seconds=12.0),
        SeatLine("judge", State.WAITING, "waits for reviewers"),
    ),
    footer="$1.12 of $20.00 · Ctrl-C parks the run, nothing is lost",
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Screen:
    """As much of a terminal as progress uses: it may move up, return, clear, and start new lines."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def lines(self) -> list[str]:
        rows, row, column = [""], 0, 0
        for sequence, number, verb, character in re.findall(
            r"(\x1b\[([\d;?]*)([A-Za-z]))|([^\x1b])", self.stream.getvalue()
        ):
            if verb == "A":
                row -= int(number)
                assert row >= 0, "moved above the first line"
            elif verb == "J":
                del rows[row + 1 :]
            elif character == "\r":
                column = 0
            elif character == "\n":
                row, column = row + 1, 0
                rows += [""] * (row + 1 - len(rows))
            elif character:
                rows[row] = rows[row][:column].ljust(column) + character + rows[row][column + 1 :]
                column += 1
            if verb in ("J", "K"):
                rows[row] = rows[row][:column]
            assert character or verb in "AJKm", sequence
        return rows


def _live(screen: Screen, clock: Clock, size: tuple[int, int] = (80, 24), *, colour: bool = False) -> Live:
    return Live(screen.stream, colour=colour, size=lambda: size, clock=clock)


def test_the_board_is_drawn_at_once_as_agreed() -> None:
    screen = Screen()
    _live(screen, Clock()).show(BOARD)
    assert screen.lines == [
        "moot review  topic → main   12 files  +340 −85   run 7f3a",
        "  ✓ frozen         a41c9e2..9d07b11                              0.2s",
        "  ● reviewer-opus  reading src/upload/retry.…  18 tool calls   1m 42s   31k tok",
        "  ● reviewer-gpt   writing its report                          1m 40s   22k tok",
        "  ! reviewer-oc    usage limit until 16:10, handed to sonnet      12s",
        "  · judge          waits for reviewers",
        "  $1.12 of $20.00 · Ctrl-C parks the run, nothing is lost",
        "",
    ]


def test_at_most_ten_frames_a_second_and_the_last_state_is_never_lost() -> None:
    screen, clock = Screen(), Clock()
    live = _live(screen, clock)
    live.show(BOARD)
    drawn = screen.stream.getvalue()
    clock.now += 0.05
    live.show(replace(BOARD, seats=(SeatLine("judge", State.RUNNING, "ruling"),)))
    assert screen.stream.getvalue() == drawn
    clock.now += 0.06
    live.tick()
    assert "ruling" in screen.lines[1]
    clock.now += 0.01
    live.show(replace(BOARD, seats=(SeatLine("judge", State.OK, "done"),)))
    live.close()
    assert screen.lines == ["moot review  topic → main   12 files  +340 −85   run 7f3a", "  ✓ judge  done", ""]


def test_the_seconds_of_running_seats_go_on_between_boards() -> None:
    screen, clock = Screen(), Clock()
    live = _live(screen, clock)
    live.show(BOARD)
    clock.now += 30
    live.tick()
    assert "2m 12s" in screen.lines[2]
    assert "0.2s" in screen.lines[1]
    assert "12s" in screen.lines[4]


def test_closing_can_wipe_the_board_and_closing_twice_is_nothing() -> None:
    screen = Screen()
    live = _live(screen, Clock())
    live.show(BOARD)
    live.close(keep=False)
    assert screen.lines == [""]
    done = screen.stream.getvalue()
    live.close()
    live.tick()
    assert screen.stream.getvalue() == done


def test_a_line_said_stands_above_the_board() -> None:
    screen = Screen()
    live = _live(screen, Clock())
    live.show(BOARD)
    live.say("warning: the working copy differs")
    assert screen.lines[0] == "warning: the working copy differs"
    assert screen.lines[1].startswith("moot review")
    assert len(screen.lines) == 9


def test_the_cursor_is_never_hidden() -> None:
    screen = Screen()
    with _live(screen, Clock(), colour=True) as live:
        live.show(BOARD)
    assert "\x1b[?" not in screen.stream.getvalue()


def test_an_error_inside_leaves_the_last_board_without_its_footer() -> None:
    screen = Screen()
    with pytest.raises(KeyboardInterrupt), _live(screen, Clock()) as live:
        live.show(BOARD)
        raise KeyboardInterrupt
    assert screen.lines[-2].startswith("  · judge")


def test_colour_says_nothing_that_the_text_does_not() -> None:
    plain, coloured = Screen(), Screen()
    _live(plain, Clock()).show(BOARD)
    _live(coloured, Clock(), colour=True).show(BOARD)
    assert "\x1b[36m" in coloured.stream.getvalue()
    assert bare(coloured.stream.getvalue()) == plain.stream.getvalue()


@given(
    st.integers(20, 200),
    st.integers(2, 30),
    st.lists(
        st.builds(
            SeatLine,
            st.text(max_size=40),
            st.sampled_from(State),
            st.text(max_size=80),
            st.integers(0, 9999),
            st.floats(0, 1e6),
            st.integers(0, 10**8),
            st.sampled_from(["", "usage limit", "漢字" * 30]),
        ),
        max_size=40,
    ),
)
@settings(max_examples=100, deadline=None)
def test_any_board_fits_any_terminal(width: int, height: int, seats: list[SeatLine]) -> None:
    screen = Screen()
    _live(screen, Clock(), (width, height)).show(replace(BOARD, seats=tuple(seats)))
    assert len(screen.lines) <= max(2, height)
    assert all(cells(line) < width for line in screen.lines)


def test_what_runs_or_failed_is_kept_where_not_all_seats_fit() -> None:
    done = tuple(SeatLine(f"ok-{n}", State.OK) for n in range(20))
    seats = (*done, SeatLine("broken", State.FAILED, note="timeout"), SeatLine("busy", State.RUNNING))
    screen = Screen()
    _live(screen, Clock(), (80, 8)).show(replace(BOARD, seats=seats))
    assert [line.split()[1] for line in screen.lines[1:-3]] == ["ok-0", "ok-1", "broken", "busy"]
    assert screen.lines[-3] == "  … and 18 more"


def test_a_pipe_gets_one_plain_line_per_change_of_state() -> None:
    stream = io.StringIO()
    lines = Lines(stream)
    lines.show(BOARD)
    lines.show(replace(BOARD, seats=tuple(replace(s, doing="something else") for s in BOARD.seats)))
    done = replace(BOARD.seats[2], state=State.OK, seconds=120.4)
    lines.show(replace(BOARD, seats=(*BOARD.seats[:2], done, *BOARD.seats[3:])))
    lines.tick()
    lines.close()
    assert stream.getvalue().splitlines() == [
        "moot review  topic → main   12 files  +340 −85   run 7f3a",
        "frozen ok: 0.2s",
        "reviewer-opus running: 18 tool calls, 31k tokens",
        "reviewer-gpt running: 22k tokens",
        "reviewer-oc replaced: usage limit until 16:10, handed to sonnet, 12s",
        "reviewer-gpt ok: 2m 00s, 22k tokens",
    ]


def test_progress_is_plain_unless_standard_error_is_a_terminal() -> None:
    console = Console(io.StringIO(), io.StringIO(), {"TERM": "xterm"})
    assert isinstance(progress(console), Lines)


def test_hostile_text_moves_no_cursor() -> None:
    evil = "\x1b[2J\x1b]0;x\x07\r\n\u202e"
    board = Board(evil, evil, evil, (SeatLine(evil, State.FAILED, evil, note=evil),), evil)
    for make in (lambda s: Lines(s.stream), lambda s: _live(s, Clock())):
        screen = Screen()
        shown: Progress = make(screen)
        shown.show(board)
        text = screen.stream.getvalue().replace("\x1b[J", "").replace("\x1b[K", "").lstrip("\r")
        assert not set("\x1b\x07\r\u202e") & set(text)


#: Draws a frame for every width it is told, once the terminal has it: some terminals tell a program of a resize late.
PROGRAM = """
import sys, time
sys.path.insert(0, {here!r})
from test_cli_progress import BOARD
from moot.cli.console import Console
from moot.cli.progress import progress
print("before", flush=True)
console = Console.standard()
with progress(console, clock=iter(range(100, 999)).__next__) as shown:
    shown.show(BOARD)
    while (width := sys.stdin.readline().strip()) != "stop":
        while console.size(console.err)[0] != int(width):
            time.sleep(0.02)
        shown.tick()
        shown.say("at " + width)
print("after", flush=True)
time.sleep(60)
"""


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Callable[..., str]]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    name = f"moot-{tmp_path.name}-{time.monotonic_ns()}"

    def run(*args: str) -> str:
        done = subprocess.run(["tmux", "-L", name, *args], capture_output=True, text=True, check=True)
        return done.stdout

    yield run
    subprocess.run(["tmux", "-L", name, "kill-server"], capture_output=True, check=False)


def _until(look: Callable[[], str], fits: Callable[[str], bool]) -> str:
    deadline = time.monotonic() + 20
    while True:
        seen = look()
        if fits(seen):
            return seen
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)


def test_a_real_terminal_shows_one_board_through_resizes_and_gets_its_cursor_back(
    tmux: Callable[..., str], tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(here=str(Path(__file__).parent)), encoding="utf-8")
    command = f"stty -echo; exec {shlex.join([sys.executable, str(program)])}"
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20", command)

    def screen() -> str:
        return tmux("capture-pane", "-p")

    _until(screen, lambda s: "nothing is lost" in s)
    for width in ("60", "44", "100"):
        tmux("resize-window", "-x", width, "-y", "20")
        tmux("send-keys", width, "Enter")
        seen = _until(screen, lambda s, width=width: f"at {width}" in s)  # type: ignore[misc]
        assert seen.count("moot review") == 1, seen
        assert seen.count("reviewer-opus") == 1, seen
    tmux("send-keys", "stop", "Enter")
    ended = _until(screen, lambda s: "after" in s)
    assert ended.count("moot review") == 1, ended
    assert "nothing is lost" not in ended
    assert tmux("display-message", "-p", "#{cursor_flag}").strip() == "1"
