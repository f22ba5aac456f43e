"""The one console: where everything a person reads is printed, plain when piped."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from moot.core.errors import MootError
from moot.reports import safe
from moot.reports.layout import Style, paint

_NARROWEST = 20


@dataclass(frozen=True, slots=True)
class Console:
    """Standard output for results, standard error for progress and trouble.

    Args:
        out, err: where to print.
        environ: decides on colour (NO_COLOR, TERM), and on the width of what is piped (COLUMNS).
    """

    out: TextIO
    err: TextIO
    environ: Mapping[str, str]

    @classmethod
    def standard(cls) -> Console:
        """Return the console of this process, as its streams and environment are now."""
        return cls(sys.stdout, sys.stderr, os.environ)

    @property
    def is_terminal(self) -> bool:
        """Whether results go to a terminal."""
        return _is_terminal(self.out)

    @property
    def is_watched(self) -> bool:
        """Whether standard error is a terminal that can redraw lines, so that live progress makes sense."""
        return _is_terminal(self.err) and self.environ.get("TERM", "dumb") != "dumb"

    @property
    def colour(self) -> bool:
        """Whether results are coloured: on a terminal, unless NO_COLOR or TERM=dumb say no."""
        return self._paints(self.out)

    @property
    def err_colour(self) -> bool:
        """The same for progress and errors."""
        return self._paints(self.err)

    @property
    def width(self) -> int:
        """Columns of the terminal; 80 when there is none."""
        return self.size(self.out)[0]

    def size(self, stream: TextIO) -> tuple[int, int]:
        """Return the columns and lines of `stream`'s terminal, now: it may be resized at any time.

        Without a terminal it is 80 by 24, or as wide as COLUMNS says.
        """
        said = self.environ.get("COLUMNS", "")
        columns, lines = int(said) if said.isdecimal() and int(said) > 0 else 80, 24
        with suppress(OSError, ValueError):  # not a terminal, or not even a file
            columns, lines = os.get_terminal_size(stream.fileno())
        return max(_NARROWEST, columns or 80), lines or 24  # a terminal nobody sized says 0

    def echo(self, text: str = "", *, end: str = "\n") -> None:
        """Print a result. Whatever is untrusted in `text` was made safe by whoever composed it."""
        write(self.out, text + end)

    def note(self, text: str) -> None:
        """Print a line beside the result, on standard error."""
        write(self.err, text + "\n")

    def error(self, error: MootError) -> None:
        """Print what happened, where, and what to do next, on standard error."""
        message = f"{error.where}: {error.message}" if error.where else error.message
        word = paint("error:", Style.BOLD, Style.RED, colour=self.err_colour)
        first, *more = message.split("\n")  # a configuration tells all its mistakes at once
        self.note(f"{word} {safe.line(first)}")
        for line in more:
            self.note(f"       {safe.line(line)}")
        if error.next_step:
            self.note(f"{paint('next:', Style.BOLD, colour=self.err_colour)} {safe.line(error.next_step)}")

    def _paints(self, stream: TextIO) -> bool:
        return _is_terminal(stream) and not self.environ.get("NO_COLOR") and self.environ.get("TERM", "dumb") != "dumb"


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def write(stream: TextIO, text: str) -> None:
    """Write and flush. What the stream's encoding cannot hold is written as an escape, never an error.

    Where the reader of a pipe has gone (`moot review | head`), this and all that follows is written nowhere.
    """
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
