"""Consecutive lines in which quotes are looked for: one side of a hunk, a hunk as the diff shows it, a whole file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from moot.core.change import Line, LineKind
from moot.findings.quotes import Reading, bare

#: A quote that stands more often tells no place; the search ends there.
_MOST_PLACES = 2000
#: Lines that a gap in a quote may stand for.
_WIDEST_GAP = 40


@dataclass(frozen=True, slots=True)
class Span:
    """Where a reading stands: positions of its first and last line in the stretch.

    `whole`: it covers these lines from their beginnings to their ends.
    """

    first: int
    last: int
    whole: bool


@dataclass(frozen=True)
class Stretch:
    """Lines that follow each other. `section` is what git calls the place, "" where unknown."""

    lines: tuple[Line, ...]
    section: str = ""

    @cached_property
    def _searchable(self) -> tuple[str, list[int], list[int]]:
        """The bare lines that hold text, one below the other; where each begins; which line each is."""
        texts: list[str] = []
        begins: list[int] = []
        which: list[int] = []
        at = 0
        for i, line in enumerate(self.lines):
            if text := bare(line.text):
                texts.append(text)
                begins.append(at)
                which.append(i)
                at += len(text) + 1
        return "\n".join(texts), begins, which

    def find(self, reading: Reading) -> list[Span]:
        """Return the places where the reading stands, from top to bottom, up to a number that is enough for anybody."""
        text, begins, which = self._searchable
        found: list[Span] = []
        for start, end in islice(self._chains(reading), _MOST_PLACES):
            first, last = bisect_right(begins, start) - 1, bisect_right(begins, end - 1) - 1
            whole = begins[first] == start and (end == len(text) or text[end] == "\n")
            found.append(Span(which[first], which[last], whole and len(reading.parts) == 1))
        return found

    def _chains(self, reading: Reading) -> Iterator[tuple[int, int]]:
        """Yield begin and end of every place where the parts follow each other closely enough."""
        head, *rest = ["\n".join(part) for part in reading.parts]
        for start, end in self._occurrences(head, cut=reading.cut):
            ends = end
            for part in rest:
                following = self._follows(part, ends)
                if following is None:
                    break
                ends = following
            else:
                yield start, ends

    def _follows(self, part: str, after: int) -> int | None:
        """Return where the next occurrence of a part ends, if it begins within a gap's reach."""
        text, begins, _ = self._searchable
        limit = bisect_right(begins, after - 1) + _WIDEST_GAP
        reach = begins[limit] if limit < len(begins) else len(text)
        at = text.find(part, after, reach + len(part))
        return at + len(part) if at >= 0 else None

    def _occurrences(self, needle: str, *, cut: bool) -> Iterator[tuple[int, int]]:
        text = self._searchable[0]
        at = text.find(needle)
        while at >= 0:
            end = at + len(needle)
            if cut or not (_splits_word(text, at) or _splits_word(text, end)):
                yield at, end
            at = text.find(needle, at + 1)


def _splits_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _in_word(text[at - 1]) and _in_word(text[at])


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def right_of(lines: Iterable[Line], section: str = "") -> Stretch:
    """Return the lines that the head has."""
    return Stretch(tuple(line for line in lines if line.kind is not LineKind.REMOVED), section)


def left_of(lines: Iterable[Line], section: str = "") -> Stretch:
    """Return the lines that the base has."""
    return Stretch(tuple(line for line in lines if line.kind is not LineKind.ADDED), section)
