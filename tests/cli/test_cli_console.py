"""The console is plain where it is piped, never fails on a character, and says what to do next."""

from __future__ import annotations

import io
import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest

from moot.cli.console import Console
from moot.core.errors import ConfigError, MootError


def _text(stream: TextIO) -> str:
    stream.seek(0)
    return stream.read()


def _piped(**environ: str) -> Console:
    return Console(io.StringIO(), io.StringIO(), {"TERM": "xterm", **environ})


@contextmanager
def _terminal(**environ: str) -> Iterator[Console]:
    """A console on a real terminal of 93 columns."""
    main, sub = pty.openpty()
    os.set_blocking(main, False)
    with open(main, "rb", buffering=0), open(sub, "w", encoding="utf-8") as stream:
        _resize(sub, 93, 31)
        yield Console(stream, stream, {"TERM": "xterm", **environ})


def _resize(terminal: int, columns: int, lines: int) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def test_a_pipe_gets_eighty_plain_columns() -> None:
    console = _piped()
    assert (console.width, console.colour, console.is_terminal, console.is_watched) == (80, False, False, False)


def test_a_terminal_gets_colour_its_own_width_and_live_progress() -> None:
    with _terminal() as console:
        assert (console.width, console.colour, console.is_terminal, console.is_watched) == (93, True, True, True)
        assert console.size(console.err) == (93, 31)
        _resize(console.out.fileno(), 61, 20)
        assert console.width == 61


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(environ: dict[str, str]) -> None:
    with _terminal(**environ) as console:
        assert not console.colour
        assert not console.err_colour


def test_an_empty_no_color_means_nothing() -> None:
    with _terminal(NO_COLOR="") as console:
        assert console.colour


def test_a_dumb_terminal_gets_no_live_progress() -> None:
    with _terminal(TERM="dumb") as console:
        assert not console.is_watched


@pytest.mark.parametrize(("said", "width"), [("132", 132), ("0", 80), ("wide", 80), ("-5", 80), ("3", 20)])
def test_columns_decide_the_width_of_a_pipe_where_they_make_sense(said: str, width: int) -> None:
    assert _piped(COLUMNS=said).width == width


def test_a_terminal_knows_its_width_better_than_the_environment() -> None:
    with _terminal(COLUMNS="200") as console:
        assert console.width == 93


def test_results_and_remarks_go_to_their_own_stream() -> None:
    console = _piped()
    console.echo("result")
    console.echo("no line feed", end="")
    console.note("remark")
    assert _text(console.out) == "result\nno line feed"
    assert _text(console.err) == "remark\n"


@pytest.mark.parametrize(
    ("error", "printed"),
    [
        (MootError("it broke"), "error: it broke\n"),
        (
            ConfigError('unknown key "reveiwers"', where=".moot.toml:7", next_step="moot config check"),
            'error: .moot.toml:7: unknown key "reveiwers"\nnext: moot config check\n',
        ),
        (MootError("two\nlines \x1b[31mred", next_step="a\x07b"), "error: two\n       lines red\nnext: ab\n"),
    ],
)
def test_errors_name_the_place_and_the_next_step_on_standard_error(error: MootError, printed: str) -> None:
    console = _piped()
    console.error(error)
    assert _text(console.err) == printed
    assert _text(console.out) == ""


def test_what_the_streams_encoding_cannot_hold_is_written_as_an_escape() -> None:
    raw = io.BytesIO()
    console = Console(io.TextIOWrapper(raw, encoding="ascii"), io.StringIO(), {})
    console.echo("✓ done")
    assert raw.getvalue() == b"\\u2713 done\n"
