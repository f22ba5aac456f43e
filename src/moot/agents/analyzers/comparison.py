"""What of the head's diagnostics the change introduced: the base's are subtracted, wherever their lines have moved to.

A diagnostic is recognised by its rule and the text of its first line without white space, never by its line number.
Lines the change did not touch are paired first. A diagnostic on an added line is an old one that moved when the same
rule vanished from the same text and either that text is long enough to be telling or a neighbouring line came along;
so a swallowed exception that is removed here does not excuse a new one there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moot.agents.analyzers.changed_files import ChangedFile, Tree
from moot.agents.analyzers.diagnostic import Diagnostic

#: A text of so many characters, white space not counted, hardly stands twice in a repository by chance.
_TELLING = 25
#: A neighbour shorter than this (`}`, `pass`, `else:`) says nothing about the place.
_NEIGHBOUR = 8
#: A region longer than this is a whole block: only its beginning is what the tool points at.
REGION_LINES = 8


@dataclass(frozen=True, slots=True)
class Introduced:
    """A diagnostic the change brought. `on_added` is False when the line it stands on is an old one."""

    diagnostic: Diagnostic
    on_added: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A diagnostic with what is needed to recognise it elsewhere."""

    diagnostic: Diagnostic
    text: str
    above: str
    below: str

    @property
    def key(self) -> tuple[str, str]:
        return self.diagnostic.rule, self.text or self.diagnostic.message

    def moved_from(self, other: _Place) -> bool:
        if len(self.text) >= _TELLING:
            return True
        return (self.above != "" and self.above == other.above) or (self.below != "" and self.below == other.below)


def introduced(
    head: Iterable[Diagnostic],
    base: Iterable[Diagnostic],
    files: Sequence[ChangedFile],
    head_tree: Tree,
    base_tree: Tree,
    base_read: frozenset[str],
) -> list[Introduced]:
    """Return the head diagnostics that the base has no counterpart of, file by file.

    `base_read` are the base files the tool could read. Where it could not, nothing is known about the old lines, so
    only what stands on added ones is kept.
    """
    heads, bases = _by_path(head, head_tree), _by_path(base, base_tree)
    new: list[tuple[ChangedFile, _Place]] = []
    explained: set[int] = set()
    for file in files:
        if file.head is not None:
            old = bases.get(file.base, []) if file.base is not None else []
            new += ((file, place) for place in _unexplained(heads.get(file.head, []), old, file, explained))
    vanished = [place for places in bases.values() for place in places if id(place) not in explained]
    kept = []
    for file, place in new:
        on_added = _touches(place.diagnostic, file)
        known = file.base is None or file.base in base_read
        from_elsewhere = _first_is_added(place, file) and _take(vanished, place)
        if (on_added or known) and not from_elsewhere:
            kept.append(Introduced(place.diagnostic, on_added))
    return kept


def _unexplained(head: list[_Place], base: list[_Place], file: ChangedFile, explained: set[int]) -> list[_Place]:
    left: dict[tuple[str, str], list[_Place]] = defaultdict(list)
    for place in base:
        left[place.key].append(place)
    new: list[_Place] = []
    for place in sorted(head, key=lambda p: _first_is_added(p, file)):
        old = left[place.key]
        match = next(filter(place.moved_from, old), None)
        if match is None and old and not _first_is_added(place, file):
            match = old[0]
        if match is None:
            new.append(place)
        else:
            old.remove(match)
            explained.add(id(match))
    return new


def _take(vanished: list[_Place], place: _Place) -> bool:
    """Take the place that `place` moved from out of `vanished`; False when there is none."""
    match = next((v for v in vanished if v.key == place.key and place.moved_from(v)), None)
    if match is not None:
        vanished.remove(match)
    return match is not None


def _by_path(diagnostics: Iterable[Diagnostic], tree: Tree) -> dict[str, list[_Place]]:
    places: dict[str, list[_Place]] = defaultdict(list)
    for diagnostic in diagnostics:
        lines = tree.lines(diagnostic.path)
        first, last = diagnostic.line or 0, diagnostic.last_line or 0
        text = _squeeze(lines[first - 1]) if 0 < first <= len(lines) else ""
        above = _neighbour(lines[: max(first - 1, 0)][::-1])
        below = _neighbour(lines[last:]) if first else ""
        places[diagnostic.path].append(_Place(diagnostic, text, above, below))
    return places


def _neighbour(lines: Sequence[str]) -> str:
    return next((text for line in lines if len(text := _squeeze(line)) >= _NEIGHBOUR), "")


def _squeeze(line: str) -> str:
    return "".join(line.split())


def _first_is_added(place: _Place, file: ChangedFile) -> bool:
    return file.base is None or place.diagnostic.line in file.added


def _touches(diagnostic: Diagnostic, file: ChangedFile) -> bool:
    if file.base is None:
        return True
    first = diagnostic.line
    if first is None:
        return False
    last = min(diagnostic.last_line or first, first + REGION_LINES - 1)
    return any(line in file.added for line in range(first, last + 1))
