"""What of a change a seat demonstrably read, and what the panel read together.

Proof is strict, because an unread change looks exactly like a clean one:

- A path of the change file is read when every receipt of it came back. A returned token that is none is counted as
  invalid and proves nothing.
- That a tool opened the change file proves nothing either: the tool may have refused, or shown the first page only.
- A file that a tool opened in the checkout counts as read when the seat has shown by a receipt that it has the change
  at all (or its form of reply has no receipts), when the file exists after the change, and when its changed lines lie
  on the first page such a tool shows. A removed line is not seen there, so what removes lines needs its receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from moot.core.change import FileDiff, FrozenDiff
from moot.core.runs import Coverage, Reads, SeatResult, SeatStatus
from moot.findings.material import Material
from moot.findings.receipts import check

#: Lines that reading tools show at once; what lies beyond may never have been on the seat's screen.
PAGE_LINES = 2000


@dataclass(frozen=True, slots=True)
class SeatCoverage:
    """What one seat read.

    Args:
        fraction: 0..1 of the paths there were to read; 1 when there were none.
        read: these paths, in the order of the change file.
        begun: paths of which some receipts came back and others did not.
        invalid: what was returned and is no receipt of this change.
    """

    fraction: float
    read: tuple[str, ...]
    begun: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


def seat_coverage(
    returned: Iterable[str] | None,
    material: Material,
    diff: FrozenDiff,
    opened: Sequence[str] = (),
    root: str = "",
) -> SeatCoverage:
    """Return what a seat read.

    Args:
        returned: the receipts it returned; None when its form of reply has none (Codex's own review).
        opened: paths its tools opened, absolute or relative to `root`, as far as its CLI reports tool calls.
        root: its checkout.
    """
    sorted_ = check(returned or (), material.receipts)
    read = set(material.read_with(sorted_.valid))
    if sorted_.valid or returned is None:
        inside = {p for text in opened if (p := _below(text, root)) is not None}
        read |= {f.path for f in diff.files if f.new_path in inside and _shown_by_tools(f)}
    paths = material.paths
    touched = {material.receipts[token] for token in sorted_.valid}
    done = tuple(p for p in paths if p in read)
    return SeatCoverage(
        fraction=len(done) / len(paths) if paths else 1.0,
        read=done,
        begun=tuple(p for p in paths if p in touched and p not in read),
        invalid=sorted_.invalid,
    )


def total(seats: Iterable[SeatResult], material: Material) -> Coverage:
    """Return what the seats that answered read together.

    `files` counts the paths there were to read, skipped ones not among them. `unread` holds everything no reviewer
    read, `scanned` what of that at least an analyzer parsed.
    """
    answered = [s for s in seats if s.status is SeatStatus.OK]
    read = {p for s in answered if s.reads is Reads.READ for p in s.read}
    parsed = {p for s in answered if s.reads is Reads.SCAN for p in s.read}
    paths = material.paths
    unread = tuple(p for p in paths if p not in read)
    return Coverage(
        files=len(paths),
        read=len(paths) - len(unread),
        unread=unread,
        scanned=tuple(p for p in unread if p in parsed),
        skipped=material.skipped,
    )


def _below(text: str, root: str) -> str | None:
    """Return a path relative to the checkout, None when it lies elsewhere."""
    path = PurePosixPath(text)
    if ".." in path.parts:
        return None
    if not path.is_absolute():
        return str(path)
    return str(path.relative_to(root)) if root and path.is_relative_to(root) else None


def _shown_by_tools(file: FileDiff) -> bool:
    if file.binary or file.submodule or not file.hunks or file.removed:
        return False
    return file.hunks[-1].new_start + file.hunks[-1].new_count - 1 <= PAGE_LINES
