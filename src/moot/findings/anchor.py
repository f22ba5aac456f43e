"""Where a claim stands in the frozen change: the quote decides, the line number is a hint.

The claimed side is searched first, then the other side, then the hunks as the diff shows them, at last what is known
of the whole file. A claim about lines that both versions have is placed in the head, where it can be commented on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from moot.core.change import FileDiff, FrozenDiff, Hunk, Line, LineKind, Side
from moot.core.findings import Anchor, Claim, Dropped, DropReason, Placed, Severity
from moot.findings import paths
from moot.findings.claims import says_nothing
from moot.findings.quotes import Reading, readings, weight
from moot.findings.stretch import Span, Stretch, left_of, right_of
from moot.findings.symbols import enclosing

#: The lines of a whole file on one side by its path there, without line feeds; None where they are not to be had.
Lines = Callable[[Side, str], Sequence[str] | None]

#: A quote with fewer word characters (`});`, `i++`) stands in many places: only the line number tells which is meant.
_TELLING = 3
#: Where a seat gave lines and no quote, so many of them are quoted.
_LINES_QUOTED = 12
#: Outside the hunks only findings at least this bad are kept.
OUTSIDE_FLOOR = Severity.HIGH


@dataclass(frozen=True, slots=True)
class _Found:
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


class _File:
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

    def found(self, stretch: Stretch, span: Span, side: Side) -> _Found:
        """Turn a span into a place, counted in the head where the head has all its lines."""
        every = stretch.lines[span.first : span.last + 1]
        lines = [x for x in every if _number(x, side) is not None]
        looked_at = _ends(lines, side)
        if side is Side.LEFT and all(x.new is not None for x in lines):
            side = Side.RIGHT
        first, last = _ends(lines, side)
        inside = all(_number(x, side) in self._in_hunks[side] for x in lines)
        touches = any(x.kind is not LineKind.CONTEXT for x in every)
        return _Found(stretch, span, side, first, last, inside, touches, looked_at)

    def search(self, reading: Reading, side: Side) -> list[_Found]:
        """Return the places of a reading in the hunks: on a side, else the other, else as the diff shows them."""
        for each in (side, _other(side)):
            if found := [self.found(s, span, each) for s in self.hunks(each) for span in s.find(reading)]:
                return found
        mixed = [(s, span) for s in self.shown for span in s.find(reading)]
        return [self.found(s, span, Side.RIGHT if _has_new(s, span) else Side.LEFT) for s, span in mixed]

    def search_whole(self, reading: Reading, side: Side) -> list[_Found]:
        """Return the places of a reading in the whole file, as far as its text is to be had."""
        for each in (side, _other(side)):
            stretch = self.whole(each)
            if stretch is not None and (found := [self.found(stretch, s, each) for s in stretch.find(reading)]):
                return found
        return []

    def whole_lines(self, reading: Reading, side: Side, number: int) -> _Found | None:
        """Return the place on a side where a reading makes up whole lines and begins at a line number."""
        whole = self.whole(side)
        for stretch in [*self.hunks(side), *([whole] if whole is not None else [])]:
            for span in stretch.find(reading):
                if span.whole and _number(stretch.lines[span.first], side) == number:
                    return self.found(stretch, span, side)
        return None

    def at_lines(self, side: Side, first: int, last: int) -> _Found | None:
        """Return the lines with these numbers on a side, cut where a hunk or the file ends."""
        whole = self.whole(side)
        for stretch in [*self.hunks(side), *([whole] if whole is not None else [])]:
            within = [i for i, x in enumerate(stretch.lines) if first <= (_number(x, side) or 0) <= last]
            if within and _number(stretch.lines[within[0]], side) == first:
                return self.found(stretch, Span(within[0], within[-1], whole=True), side)
        return None


class Index:
    """The frozen change, ready to place claims in. Building it costs nothing; files are prepared when asked about.

    Args:
        diff: the change.
        lines: gives the text of whole files, for places outside the hunks.
    """

    def __init__(self, diff: FrozenDiff, lines: Lines = lambda _side, _path: None) -> None:
        self._diff = diff
        self._lines = lines
        self._files: dict[str, _File] = {}

    def place(self, claim: Claim) -> Placed | Dropped:
        """Return the claim with its place, or why it has none.

        `how` of the anchor tells how the place was found. When the quote stands in several places it says so and
        which one was taken: the nearest to the line given, else the first on changed lines.
        """
        files, note = self._candidates(claim)
        if not files:
            return _dropped(claim, DropReason.OUTSIDE_CHANGE, f"{claim.path} is not part of this change")
        for file in files:
            found = self._in_file(claim, file)
            if found is not None:
                return self._accepted(claim, file, *found, note)
        if note:
            why = f"{claim.path} is not part of this change, and no changed file holds the quote"
            return _dropped(claim, DropReason.OUTSIDE_CHANGE, why)
        return _dropped(claim, DropReason.QUOTE_NOT_FOUND, _not_found(claim))

    def _candidates(self, claim: Claim) -> tuple[list[_File], str]:
        """Return the files to look in, and a note when the path given is not one of the change's."""
        named = paths.named(self._diff, claim.path)
        if named is not None:
            return [self._file(named)], ""
        path = paths.cleaned(claim.path)
        if self._lines(Side.RIGHT, path) is not None:
            return [_File(path, None, (), self._lines)], ""
        same_name = paths.of_that_name(self._diff, claim.path)
        if len(same_name) == 1:
            return [self._file(same_name[0])], f"{claim.path} is not in the change"
        holding = [f for f in map(self._file, self._diff.files) if self._holds(f, claim)]
        return (holding, f"{claim.path} is not in the change") if len(holding) == 1 else ([], "")

    def _holds(self, file: _File, claim: Claim) -> bool:
        return any(weight(r) >= _TELLING and file.search(r, claim.side) for r in readings(claim.quote))

    def _file(self, file: FileDiff) -> _File:
        if file.path not in self._files:
            self._files[file.path] = _File(file.path, file.old_path, file.hunks, self._lines)
        return self._files[file.path]

    def _in_file(self, claim: Claim, file: _File) -> tuple[_Found, str] | None:
        if not claim.quote.strip():
            return _by_lines(claim, file)
        for reading in readings(claim.quote):
            if weight(reading) < _TELLING:
                chosen = _short(claim, file, reading)
            else:
                chosen = _choose(claim, _everywhere(claim, file, reading))
            if chosen is not None:
                return chosen
        return None

    def _accepted(self, claim: Claim, file: _File, found: _Found, how: str, note: str) -> Placed | Dropped:
        if not found.in_hunk and not claim.severity.at_least(OUTSIDE_FLOOR):
            why = f"line {found.line} of {file.path} is outside the changed parts and the finding is {claim.severity}"
            return _dropped(claim, DropReason.OUTSIDE_CHANGE, why)
        visible = [i for i, x in enumerate(found.stretch.lines) if _number(x, found.side) is not None]
        lines = [found.stretch.lines[i] for i in visible]
        at = next(n for n, i in enumerate(visible) if i >= found.span.first)
        anchor = Anchor(
            file.path, found.side, found.line, found.end_line, found.in_hunk, found.touches,
            symbol=enclosing(lines, at, found.stretch.section), how="; ".join(filter(None, (note, how))),
        )  # fmt: skip
        return Placed(claim, anchor, found.quote)


def place_all(claims: Iterable[Claim], index: Index) -> tuple[tuple[Placed, ...], tuple[Dropped, ...]]:
    """Place every claim; return those that have a place and those that were dropped, each in the order given.

    A claim whose own title says that there is no defect is dropped too.
    """
    results = [says_nothing(claim) or index.place(claim) for claim in claims]
    return (
        tuple(r for r in results if isinstance(r, Placed)),
        tuple(r for r in results if isinstance(r, Dropped)),
    )


def _everywhere(claim: Claim, file: _File, reading: Reading) -> list[_Found]:
    """Return the places in the hunks; when none is where the claim says, what the rest of the file has there too."""
    found = file.search(reading, claim.side)
    if not found:
        return file.search_whole(reading, claim.side)
    if claim.line is None or any(f.covers(claim.line) for f in found):
        return found
    elsewhere = (f for f in file.search_whole(reading, claim.side) if not f.in_hunk)
    return [*found, *(f for f in elsewhere if f.looked_at[0] == claim.line)]


def _choose(claim: Claim, found: list[_Found]) -> tuple[_Found, str] | None:
    hint = claim.line
    whole = [f for f in found if f.span.whole]
    if whole and (any(f.covers(hint) for f in whole) or not any(f.covers(hint) for f in found)):
        found = whole
    if not found:
        return None
    if len(found) == 1:
        only = found[0]
        if hint is None or only.covers(hint):
            return only, "the quote stands at the line given" if hint is not None else "the quote stands in one place"
        return only, f"line {hint} was given, the quote stands at {only.line}"
    if hint is None:
        first = min(found, key=lambda f: (not f.touches, not f.in_hunk, f.line))
        where = "changed lines" if first.touches else "unchanged lines"
        return first, f"ambiguous: the quote stands in {len(found)} places, the first on {where} was taken"
    nearest = min(found, key=lambda f: (f.distance(hint), not f.touches, f.line))
    return nearest, f"ambiguous: the quote stands in {len(found)} places, the nearest to line {hint} was taken"


def _short(claim: Claim, file: _File, reading: Reading) -> tuple[_Found, str] | None:
    """Place a quote that says too little: only where the line given holds exactly it."""
    if claim.line is None:
        return None
    for side in (claim.side, _other(claim.side)):
        found = file.whole_lines(reading, side, claim.line)
        if found is not None:
            return found, "ambiguous: a short quote, taken at the line given"
    return None


def _by_lines(claim: Claim, file: _File) -> tuple[_Found, str] | None:
    if not claim.line:
        return None
    last = min(max(claim.line, claim.end_line or claim.line), claim.line + _LINES_QUOTED - 1)
    found = file.at_lines(claim.side, claim.line, last)
    return (found, "given by line, without a quote") if found is not None else None


def _not_found(claim: Claim) -> str:
    if not claim.quote.strip():
        return f"there is no quote, and line {claim.line} of {claim.path} is not to be had"
    if any(weight(r) < _TELLING for r in readings(claim.quote)):
        return "the quote is too short to tell a place, and the line given does not hold it"
    return f"the quote does not stand in {claim.path}, neither in what the change shows nor around it"


def _dropped(claim: Claim, reason: DropReason, explanation: str) -> Dropped:
    return Dropped(claim.title, claim.path, claim.line, (claim.seat,), reason, explanation)


def _other(side: Side) -> Side:
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
