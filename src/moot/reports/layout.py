"""Text fitted to the columns of a terminal: widths, wrapping, cutting, and the few styles used on top."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

ELLIPSIS = "…"
_GLUE = "\N{NO-BREAK SPACE}"
_BREAKS = re.compile(r"[ \t\n]+")


def cells(text: str) -> int:
    """Return how many terminal columns `text` takes (East Asian wide characters two, combining ones none)."""
    if text.isascii():
        return len(text)
    return sum(_width(c) for c in text)


def clip(text: str, width: int) -> str:
    """Return `text`, cut with an ellipsis where it is wider than `width` columns."""
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    kept, used = [], 1
    for c in text:
        used += _width(c)
        if used > width:
            break
        kept.append(c)
    return "".join(kept) + ELLIPSIS


def pad(text: str, width: int) -> str:
    """Return `text` filled with spaces to `width` columns."""
    return text + " " * max(0, width - cells(text))


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Return `text` as lines of at most `width` columns, `first` before the first and `rest` before the others.

    Breaks at spaces that are not glued; a word wider than a whole line is broken where it must be. At least one line
    comes back.
    """
    lines: list[str] = []
    prefix, current = first, ""
    for word in _BREAKS.split(text.strip()):
        joined = f"{current} {word}" if current else word
        if cells(prefix) + cells(joined) <= width:
            current = joined
            continue
        if current:
            lines.append(prefix + current)
            prefix, current = rest, ""
        *whole, current = _pieces(word, max(8, width - max(cells(first), cells(rest))))
        for piece in whole:
            lines.append(prefix + piece)
            prefix = rest
    lines.append((prefix + current).rstrip())
    return [line.replace(_GLUE, " ") for line in lines]


def glue(text: str) -> str:
    """Return `text` such that `wrap` keeps it on one line: a command or a path that must survive a paste."""
    return text.replace(" ", _GLUE)


class Style(StrEnum):
    """SGR parameters. A style never says what the text does not."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"
    MAGENTA = "35"
    CYAN = "36"


def paint(text: str, *styles: Style, colour: bool) -> str:
    """Return `text` in the given styles, or unchanged without `colour` (or without text)."""
    if not colour or not styles or not text:
        return text
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m"


_PAINTED = re.compile(r"\x1b\[[0-9;]*m")


def bare(text: str) -> str:
    """Return `text` as it was before `paint`."""
    return _PAINTED.sub("", text)


def _width(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def _pieces(word: str, width: int) -> Iterator[str]:
    """Yield `word` in parts of at most `width` columns; the last part may be empty only if the word is."""
    part, used = "", 0
    for c in word:
        if used + _width(c) > width:
            yield part
            part, used = "", 0
        part += c
        used += _width(c)
    yield part
