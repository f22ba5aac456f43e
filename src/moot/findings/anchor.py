"""Where a claim stands in the frozen change: the quote decides, the line number is a hint.

The claimed side is searched first, then the other side, then the hunks as the diff shows them, at last what is known
of the whole file. A claim about lines that both versions have is placed in the head, where it can be commented on.
"""

from __future__ import annotations

from collections.abc import Iterable

from moot.core.change import FileDiff, FrozenDiff, Side
from moot.core.findings import Anchor, Claim, Dropped, DropReason, Placed, Severity
from moot.findings import paths
from moot.findings.claims import says_nothing
from moot.findings.quotes import Reading, readings, weight
from moot.findings.searched import Found, Lines, Searched, other

#: A quote with fewer word characters (`});`, `i++`) stands in many places: only the line number tells which is meant.
_TELLING = 3
#: Where a seat gave lines and no quote, so many of them are quoted.
_LINES_QUOTED = 12
#: Outside the hunks only findings at least this bad are kept.
OUTSIDE_FLOOR = Severity.HIGH


class Index:
    """The frozen change, ready to place claims in. Building it costs nothing; files are prepared when asked about.

    Args:
        diff: the change.
        lines: gives the text of whole files, for places outside the hunks.
    """

    def __init__(self, diff: FrozenDiff, lines: Lines = lambda _side, _path: None) -> None:
        self._diff = diff
        self._lines = lines
        self._files: dict[str, Searched] = {}

    def place(self, claim: Claim) -> Placed | Dropped:
        """Return the claim with its place, or why it has none.

        `how` of the anchor tells how the place was found. When the quote stands in several places it says so and
        which one was taken: the nearest to the line given, else the first on changed lines.
        """
        file, note = self._meant(claim)
        found = _in_file(claim, file) if file is not None else None
        if file is not None and found is not None:
            return _accepted(claim, file, *found, note)
        if file is not None and not note:
            return _dropped(claim, DropReason.QUOTE_NOT_FOUND, _not_found(claim))
        why = f"{claim.path} is not part of this change, and its quote tells no other file"
        return _dropped(claim, DropReason.OUTSIDE_CHANGE, why)

    def _meant(self, claim: Claim) -> tuple[Searched | None, str]:
        """Return the file to look in, and a note when it is not the one the claim names."""
        named = paths.named(self._diff, claim.path)
        if named is not None:
            return self._file(named), ""
        path = paths.cleaned(claim.path)
        if self._lines(Side.RIGHT, path) is not None:
            return Searched(path, None, (), self._lines), ""
        note = f"{claim.path} is not in the change"
        same_name = paths.of_that_name(self._diff, claim.path)
        if len(same_name) == 1:
            return self._file(same_name[0]), note
        holding = [f for f in map(self._file, self._diff.files) if _holds(f, claim)]
        return holding[0] if len(holding) == 1 else None, note

    def _file(self, file: FileDiff) -> Searched:
        if file.path not in self._files:
            self._files[file.path] = Searched(file.path, file.old_path, file.hunks, self._lines)
        return self._files[file.path]


def place_all(claims: Iterable[Claim], index: Index) -> tuple[tuple[Placed, ...], tuple[Dropped, ...]]:
    """Place every claim; return those that have a place and those that were dropped, each in the order given.

    A claim whose own title says that there is no defect is dropped too.
    """
    results = [says_nothing(claim) or index.place(claim) for claim in claims]
    return (
        tuple(r for r in results if isinstance(r, Placed)),
        tuple(r for r in results if isinstance(r, Dropped)),
    )


def _in_file(claim: Claim, file: Searched) -> tuple[Found, str] | None:
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


def _accepted(claim: Claim, file: Searched, found: Found, how: str, note: str) -> Placed | Dropped:
    if not found.in_hunk and not claim.severity.at_least(OUTSIDE_FLOOR):
        why = f"line {found.line} of {file.path} is outside the changed parts and the finding is {claim.severity}"
        return _dropped(claim, DropReason.OUTSIDE_CHANGE, why)
    anchor = Anchor(
        file.path, found.side, found.line, found.end_line, found.in_hunk, found.touches,
        symbol=found.symbol, how="; ".join(filter(None, (note, how))),
    )  # fmt: skip
    return Placed(claim, anchor, found.quote)


def _holds(file: Searched, claim: Claim) -> bool:
    return any(weight(r) >= _TELLING and file.search(r, claim.side) for r in readings(claim.quote))


def _everywhere(claim: Claim, file: Searched, reading: Reading) -> list[Found]:
    """Return the places in the hunks; when none is where the claim says, what the rest of the file has there too."""
    found = file.search(reading, claim.side)
    if not found:
        return file.search_whole(reading, claim.side)
    if claim.line is None or any(f.covers(claim.line) for f in found):
        return found
    elsewhere = (f for f in file.search_whole(reading, claim.side) if not f.in_hunk)
    return [*found, *(f for f in elsewhere if f.looked_at[0] == claim.line)]


def _choose(claim: Claim, found: list[Found]) -> tuple[Found, str] | None:
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


def _short(claim: Claim, file: Searched, reading: Reading) -> tuple[Found, str] | None:
    """Place a quote that says too little: only where the line given holds exactly it."""
    if claim.line is None:
        return None
    for side in (claim.side, other(claim.side)):
        found = file.whole_lines(reading, side, claim.line)
        if found is not None:
            return found, "ambiguous: a short quote, taken at the line given"
    return None


def _by_lines(claim: Claim, file: Searched) -> tuple[Found, str] | None:
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
