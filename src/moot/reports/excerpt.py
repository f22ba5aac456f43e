"""The code around a finding: the lines of its hunk with both sides' numbers, the finding's own lines marked."""

from __future__ import annotations

from dataclasses import dataclass

from moot.core.change import FileDiff, FrozenDiff, Hunk, Line, LineKind, Side
from moot.core.runs import ResultFinding

AROUND = 4  # lines shown before and after the finding
LONGEST = 60  # lines of one excerpt; the rest is counted, not shown


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an excerpt. Numbers are None on the side where the line is not."""

    kind: LineKind
    old: int | None
    new: int | None
    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring lines of one hunk.

    Args:
        section: the function git names for the hunk, untrusted text.
        left_out: how many further lines of the finding are not shown.
    """

    section: str
    rows: tuple[Row, ...]
    left_out: int = 0


def around(finding: ResultFinding, diff: FrozenDiff | None) -> Excerpt | None:
    """Return the lines around `finding`; None where the diff does not hold them."""
    file = _file(finding, diff)
    for hunk in file.hunks if file else ():
        marked = [i for i, line in enumerate(hunk.lines) if _stands_in(line, finding)]
        if marked:
            return _cut(hunk, marked)
    return None


def quoted(finding: ResultFinding) -> Excerpt:
    """Return the finding's own quote as an excerpt, for findings whose code the diff does not hold."""
    left = finding.side is Side.LEFT
    rows = [
        Row(LineKind.CONTEXT, n if left else None, None if left else n, text, marked=True)
        for n, text in enumerate(finding.quote.split("\n"), start=finding.line)
    ]
    return Excerpt("", tuple(rows[:LONGEST]), max(0, len(rows) - LONGEST))


def _file(finding: ResultFinding, diff: FrozenDiff | None) -> FileDiff | None:
    if diff is None:
        return None
    if finding.side is Side.LEFT:
        return next((f for f in diff.files if f.old_path == finding.path), None) or diff.file(finding.path)
    return diff.file(finding.path)


def _stands_in(line: Line, finding: ResultFinding) -> bool:
    number = line.old if finding.side is Side.LEFT else line.new
    return number is not None and finding.line <= number <= finding.end_line


def _cut(hunk: Hunk, marked: list[int]) -> Excerpt:
    start = max(0, marked[0] - AROUND)
    end = min(len(hunk.lines), marked[-1] + AROUND + 1)
    shown = min(end, start + LONGEST)
    own = set(marked)
    rows = tuple(
        Row(line.kind, line.old, line.new, line.text, marked=i in own)
        for i, line in enumerate(hunk.lines[start:shown], start=start)
    )
    return Excerpt(hunk.section, rows, sum(i >= shown for i in marked))
