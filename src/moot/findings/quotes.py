"""How a quoted piece of code may be read: as it is, without line numbers, without diff markers, with gaps.

Seats copy from a change file, a diff, a numbered listing or from memory. Each way of copying leaves traces that are
not part of the code; a reading is the quote without one kind of trace. White space never counts, except between two
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NEWLINE = re.compile(r"\r\n|\n|\r")
_AROUND_SIGNS = re.compile(r" ?([^\w\s]) ?")
_WORD_CHARACTER = re.compile(r"\w")
_NO_LINE_FEED = re.compile(r"\\ no (?:newline|line feed) at ", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*[\w+#-]*\s*$")
#: `  12  14  |`, `15 +|`, `88:`, `L88:`, `88)`, `88→`, `+88:` and a number before a tab.
_NUMBERED = re.compile(r"[ \t]*[+-]?[ \t]*L?(?:\d+[ \t]+)?\d+(?:[ \t]*[+-]?[ \t]*[|│]|[ \t]*[:→)]|\t)")
_NUMBER_AND_SPACE = re.compile(r"[ \t]*\d+[ \t]+")
_MARKED = re.compile(r"[ +-]")
_HUNK_HEADER = re.compile(r"@@ ")
#: `...`, `…`, `[…]`, and how a change file marks a line it cut.
_GAP = re.compile(r"\[\s*(?:\.{3,}|…)\s*\]|…(?:\s*\[[^\]\n]*\])?|\.{3,}")
_SHORTEST_PART = 4  # word characters


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a quote.

    Args:
        parts: pieces that must follow each other, each the bare lines that must stand directly below each other.
        cut: whether words at the edges of a part may be cut.
    """

    parts: tuple[tuple[str, ...], ...]
    cut: bool = False


def bare(line: str) -> str:
    """Return a line without the white space that does not matter: single spaces between words are left."""
    return _AROUND_SIGNS.sub(r"\1", " ".join(line.split()))


def weight(reading: Reading) -> int:
    """Return how many word characters a reading holds: what makes it say something."""
    return sum(len(_WORD_CHARACTER.findall(line)) for part in reading.parts for line in part)


def readings(quote: str) -> Iterator[Reading]:
    """Yield the ways to read a quote, the most literal first; nothing for a quote without any text."""
    lines = _unfenced(_NEWLINE.split(quote))
    seen: set[Reading] = set()
    versions = list(_versions(lines))
    for literal in (True, False):
        for version in versions:
            reading = _literal(version) if literal else _with_gaps(version)
            if reading is not None and reading not in seen:
                seen.add(reading)
                yield reading


def _versions(lines: list[str]) -> Iterator[list[str]]:
    yield lines
    unmarked = _without(_MARKED, [line for line in lines if not _HUNK_HEADER.match(line)])
    for numbers in (_NUMBERED, _NUMBER_AND_SPACE):
        unnumbered = _without(numbers, lines)
        if unnumbered is not None:
            yield unnumbered
            if (both := _without(_MARKED, unnumbered)) is not None:
                yield both
    if unmarked is not None:
        yield unmarked
        if (both := _without(_NUMBERED, unmarked)) is not None:
            yield both


def _without(trace: re.Pattern[str], lines: list[str]) -> list[str] | None:
    """Remove a trace that stands before every line with text; None when it does not."""
    found = [(line, trace.match(line)) for line in lines if line.strip()]
    if not found or any(match is None for _, match in found):
        return None
    return [line[match.end() :] for line, match in found if match is not None]


def _literal(lines: list[str]) -> Reading | None:
    part = tuple(b for line in lines if (b := bare(line)))
    return Reading((part,)) if part else None


def _with_gaps(lines: list[str]) -> Reading | None:
    pieces = _GAP.split("\n".join(lines))
    if len(pieces) < 2:
        return None
    parts = [tuple(b for line in piece.split("\n") if (b := bare(line))) for piece in pieces]
    kept = tuple(p for p in parts if sum(len(_WORD_CHARACTER.findall(line)) for line in p) >= _SHORTEST_PART)
    return Reading(kept, cut=True) if kept else None


def _unfenced(lines: list[str]) -> list[str]:
    texts = [line for line in lines if line.strip() and not _NO_LINE_FEED.match(line)]
    if len(texts) > 2 and _FENCE.match(texts[0]) and _FENCE.match(texts[-1]):
        return texts[1:-1]
    if len(texts) == 1:
        only = texts[0].strip()
        if len(only) > 2 and only[0] == only[-1] == "`" and "`" not in only[1:-1]:
            return [only[1:-1]]
    return texts
