"""One file of the change, and the places in it where a quote stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from moot.core.change import Hunk, Line, LineKind, Side
from moot.findings.quotes import Reading
from moot.findings.stretch import Span, Stretch, left_of, right_of
from moot.findings.symbols import enclosing

#: The lines of a whole file on one side by its path there, without line feeds; None where they are not to be had.
Lines = Callable[[Side, str], Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class Found:
    """A place where a quote stands. `looked_at` are its first and last line as counted on the side searched."""

    stretch: Stretch
    span: Span
    side: Side
    line: int
    end_line: int
    in_hunk: bool
    touches: bool
    looked_at: tuple[int, int]

    def covers(self, number: int | None) -> bool:
        return number is not None and self.distance(number) == 0

    def distance(self, number: int) -> int:
        first, last = self.looked_at
        return max(first - number, number - last, 0)

    @property
    def quote(self) -> str:
        return "\n".join(line.text for line in self.stretch.lines[self.span.first : self.span.last + 1])

    @property
    def symbol(self) -> str:
        """The function or class around it, "" where none is to be seen."""
        seen = [i for i, x in enumerate(self.stretch.lines) if _number(x, self.side) is not None]
        at = next(n for n, i in enumerate(seen) if i >= self.span.first)
        return enclosing([self.stretch.lines[i] for i in seen], at, self.stretch.section)


class Searched:
    """One file with the stretches in which quotes are looked for, each made when it is first needed."""

    def __init__(self, path: str, old_path: str | None, hunks: Sequence[Hunk], lines: Lines) -> None:
        self.path = path
        self._names = {Side.RIGHT: path, Side.LEFT: old_path if old_path is not None else path}
        self._hunks = hunks
        self._lines = lines

    @cached_property
    def right(self) -> tuple[Stretch, ...]:
        return tuple(right_of(h.lines, h.section) for h in self._hunks)

    @cached_property
    def left(self) -> tuple[Stretch, ...]:
        return tuple(left_of(h.lines, h.section) for h in self._hunks)

    @cached_property
    def shown(self) -> tuple[Stretch, ...]:
        return tuple(Stretch(h.lines, h.section) for h in self._hunks)

    @cached_property
    def whole_right(self) -> Stretch | None:
        return self._whole(Side.RIGHT)

    @cached_property
    def whole_left(self) -> Stretch | None:
        return self._whole(Side.LEFT)

    def hunks(self, side: Side) -> tuple[Stretch, ...]:
        return self.right if side is Side.RIGHT else self.left

    def whole(self, side: Side) -> Stretch | None:
        return self.whole_right if side is Side.RIGHT else self.whole_left

    def _whole(self, side: Side) -> Stretch | None:
        texts = self._lines(side, self._names[side])
        if texts is None:
            return None
        changed = {_number(line, side): line for h in self._hunks for line in h.lines}
        return Stretch(tuple(changed.get(n) or _plain(side, n, text) for n, text in enumerate(texts, 1)))

    @cached_property
    def _in_hunks(self) -> dict[Side, set[int]]:
        return {s: {n for h in self._hunks for x in h.lines if (n := _number(x, s)) is not None} for s in Side}

    def found(self, stretch: Stretch, span: Span, side: Side) -> Found:
        """Turn a span into a place, counted in the head where the head has all its lines."""
        every = stretch.lines[span.first : span.last + 1]
        lines = [x for x in every if _number(x, side) is not None]
        looked_at = _ends(lines, side)
        if side is Side.LEFT and all(x.new is not None for x in lines):
            side = Side.RIGHT
        first, last = _ends(lines, side)
        inside = all(_number(x, side) in self._in_hunks[side] for x in lines)
        touches = any(x.kind is not LineKind.CONTEXT for x in every)
        return Found(stretch, span, side, first, last, inside, touches, looked_at)

    def search(self, reading: Reading, side: Side) -> list[Found]:
        """Return the places of a reading in the hunks: on a side, else the other, else as the diff shows them."""
        for each in (side, other(side)):
            if found := [self.found(s, span, each) for s in self.hunks(each) for span in s.find(reading)]:
                return found
        mixed = [(s, span) for s in self.shown for span in s.find(reading)]
        return [self.found(s, span, Side.RIGHT if _has_new(s, span) else Side.LEFT) for s, span in mixed]

    def search_whole(self, reading: Reading, side: Side) -> list[Found]:
        """Return the places of a reading in the whole file, as far as its text is to be had."""
        for each in (side, other(side)):
            stretch = self.whole(each)
            if stretch is not None and (found := [self.found(stretch, s, each) for s in stretch.find(reading)]):
                return found
        return []

    def whole_lines(self, reading: Reading, side: Side, number: int) -> Found | None:
        """Return the place on a side where a reading makes up whole lines and begins at a line number."""
        whole = self.whole(side)
        for stretch in [*self.hunks(side), *([whole] if whole is not None else [])]:
            for span in stretch.find(reading):
                if span.whole and _number(stretch.lines[span.first], side) == number:
                    return self.found(stretch, span, side)
        return None

    def at_lines(self, side: Side, first: int, last: int) -> Found | None:
        """Return the lines with these numbers on a side, cut where a hunk or the file ends."""
        whole = self.whole(side)
        for stretch in [*self.hunks(side), *([whole] if whole is not None else [])]:
            within = [i for i, x in enumerate(stretch.lines) if first <= (_number(x, side) or 0) <= last]
            if within and _number(stretch.lines[within[0]], side) == first:
                return self.found(stretch, Span(within[0], within[-1], whole=True), side)
        return None


def other(side: Side) -> Side:
    """Return the other version of the file."""
    return Side.LEFT if side is Side.RIGHT else Side.RIGHT


def _number(line: Line, side: Side) -> int | None:
    return line.new if side is Side.RIGHT else line.old


def _ends(lines: Sequence[Line], side: Side) -> tuple[int, int]:
    numbers = [n for x in lines if (n := _number(x, side)) is not None]
    return numbers[0], numbers[-1]


def _has_new(stretch: Stretch, span: Span) -> bool:
    return any(x.new is not None for x in stretch.lines[span.first : span.last + 1])


def _plain(side: Side, number: int, text: str) -> Line:
    old, new = (None, number) if side is Side.RIGHT else (number, None)
    return Line(LineKind.CONTEXT, old, new, text)
