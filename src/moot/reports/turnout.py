"""Who answered, who read what of the change, and what it took, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from moot.core.runs import Coverage, Reads, Result, SeatResult, SeatStatus
from moot.core.turns import FailureKind
from moot.reports import numbers, safe

FAILED: Mapping[FailureKind, str] = {
    FailureKind.LOGIN: "is not logged in",
    FailureKind.BILLING: "has no credit",
    FailureKind.USAGE_LIMIT: "hit its usage limit",
    FailureKind.MODEL_LIMIT: "hit its model's limit",
    FailureKind.RATE_LIMITED: "was rate limited",
    FailureKind.OVERLOADED: "met an overloaded provider",
    FailureKind.CONTEXT_TOO_LONG: "could not hold the change in its context",
    FailureKind.MODEL_UNAVAILABLE: "asked for a model that is not available",
    FailureKind.REFUSED: "refused to answer",
    FailureKind.NETWORK: "could not reach its provider",
    FailureKind.MALFORMED: "gave no structured reply",
    FailureKind.SILENT: "went silent",
    FailureKind.TIMEOUT: "ran out of time",
    FailureKind.KILLED: "was killed",
    FailureKind.EMPTY: "answered nothing",
    FailureKind.LOST: "was lost while it ran",
    FailureKind.CONVERSATION_LOST: "lost its conversation",
    FailureKind.NOT_INSTALLED: "is not installed",
}

_MISSING = (SeatStatus.FAILED, SeatStatus.WAITING)
_UNTOLD: Mapping[str, str] = {SeatStatus.FAILED: "failed", SeatStatus.WAITING: "was not asked yet"}


@dataclass(frozen=True, slots=True)
class SeatWords:
    """A seat in words: its own name, what to call it and who sits there, how it did, and what else to know."""

    seat: str
    name: str
    status: str
    detail: str


def coverage(result: Result) -> tuple[str, ...]:
    """Return what was read, what was only parsed, what nobody read and what was skipped, one clause each."""
    c = result.coverage
    clauses = [f"{c.read} of {numbers.count(c.files, 'file')} read{_by_how_many(result)}"]
    if c.scanned:
        clauses.append(f"{len(c.scanned)} only parsed by analyzers")
    unseen = [path for path in c.unread if path not in set(c.scanned)]
    if unseen:
        clauses.append(f"unread: {some(unseen)}")
    return (*clauses, *skipped(c))


def skipped(c: Coverage) -> tuple[str, ...]:
    """Return `package-lock.json skipped (generated)`, one clause per reason."""
    reasons: dict[str, list[str]] = {}
    for s in c.skipped:
        reasons.setdefault(safe.line(s.reason), []).append(s.path)
    return tuple(f"{some(paths)} skipped ({reason})" for reason, paths in reasons.items())


def who_read(result: Result) -> str:
    """Return `12 of 12 files read by opus and gpt`, or who parsed them when nobody read."""
    short = seat_names(result)
    c = result.coverage
    readers = [s.seat for s in result.seats if s.reads is Reads.READ and s.status is SeatStatus.OK]
    if readers and (c.read or not c.scanned):
        return f"{c.read} of {numbers.count(c.files, 'file')} read by {names(readers, short)}"
    scanners = [s.seat for s in result.seats if s.reads is Reads.SCAN and s.status is SeatStatus.OK]
    parsed = f"{len(c.scanned)} of {numbers.count(c.files, 'file')} parsed by {names(scanners, short)}"
    return f"{parsed}, read by nobody" if scanners else f"{numbers.count(c.files, 'file')}, read by nobody"


def seat_names(result: Result) -> Mapping[str, str]:
    """Return what to call each seat: its name, without `reviewer-` where that stays unambiguous."""
    bare = {s.seat: safe.line(s.seat.removeprefix("reviewer-")) for s in result.seats}
    counted = Counter(bare.values())
    return {seat: name if counted[name] == 1 else safe.line(seat) for seat, name in bare.items()}


def seat(seat: SeatResult, short: Mapping[str, str]) -> SeatWords:
    """Return one seat in words."""
    name = short[seat.seat]
    if seat.replaced:
        name = f"{name} ({safe.line(seat.replaced)} → {safe.line(seat.agent)})"
    note = safe.line(seat.note)
    if seat.failure is FailureKind.BILLING and note.startswith("budget: "):
        note = f"was not asked: {note.removeprefix('budget: ')}"
    elif seat.status is SeatStatus.FAILED and seat.failure is not None:
        note = f"{FAILED[seat.failure]}: {note}" if note else FAILED[seat.failure]
    return SeatWords(seat.seat, name, seat.status.value, note)


def seats(result: Result, told: Iterable[SeatResult] = ()) -> tuple[str, ...]:
    """Return the seats but those already `told`: clauses of those that fared alike, those that did well first."""
    short = seat_names(result)
    leave_out = set(told)
    words = [seat(s, short) for s in result.seats if s not in leave_out]
    alike: dict[tuple[str, str], list[str]] = {(SeatStatus.OK, ""): []}
    for w in words:
        alike.setdefault((w.status, w.detail), []).append(w.name)
    return tuple(
        f"{', '.join(named)} {status}" + (f" ({detail})" if detail else "")
        for (status, detail), named in alike.items()
        if named
    )


def answered(result: Result) -> tuple[int, int]:
    """Return how many seats answered and how many were to be asked."""
    asked = [s for s in result.seats if s.status is not SeatStatus.SKIPPED]
    return sum(s.status is SeatStatus.OK for s in asked), len(asked)


def missing(result: Result) -> tuple[SeatWords, ...]:
    """Return the seats whose answer is lacking, each with what happened to it."""
    short = seat_names(result)
    words = [seat(s, short) for s in result.seats if s.status in _MISSING]
    return tuple(w if w.detail else replace(w, detail=_UNTOLD[w.status]) for w in words)


def usage(result: Result) -> tuple[str, ...]:
    """Return turns, tokens and money against the budget; nothing when nothing was burned."""
    turns = sum(s.turns for s in result.seats)
    u = result.usage
    if not u.tokens and u.cost_usd is None:
        return ()
    parts = [numbers.count(turns, "turn")]
    if u.tokens:
        cached = f", {numbers.tokens(u.cached_tokens)} of them cached" if u.cached_tokens else ""
        parts.append(f"{numbers.tokens(u.tokens)} tokens{cached}")
    if u.cost_usd is not None:
        limit = f" of {numbers.money(result.budget_usd)}" if result.budget_usd is not None else ""
        parts.append(numbers.money(u.cost_usd) + limit)
    return tuple(parts)


def prose(result: Result) -> tuple[str, ...]:
    """Return one clause per reviewer that wrote prose instead of findings."""
    short = seat_names(result)
    return tuple(
        f"{short.get(name, safe.line(name))} wrote {numbers.count(len(text.strip().splitlines()), 'line')}"
        for name, text in result.prose.items()
    )


def some(paths: Iterable[str], limit: int = 3) -> str:
    """Return up to `limit` paths and how many more there are."""
    shown = [safe.path(p) for p in paths]
    if len(shown) <= limit + 1:
        return ", ".join(shown)
    return f"{', '.join(shown[:limit])} and {len(shown) - limit} more"


def names(seats: Iterable[str], short: Mapping[str, str]) -> str:
    """Return `opus, gpt and oc`."""
    return numbers.commas([short.get(s, safe.line(s)) for s in seats])


def _by_how_many(result: Result) -> str:
    """Return how many seats read each file, where the seats' own lists can say."""
    c = result.coverage
    if not c.read or c.read < c.files:
        return ""
    readers: Counter[str] = Counter()
    for s in result.seats:
        if s.reads is Reads.READ and s.status is SeatStatus.OK:
            readers.update(set(s.read))
    if len(readers) < c.files:
        return ""
    least = min(readers.values())
    words = {1: "", 2: " by at least two seats", 3: " by at least three seats"}
    return words.get(least, f" by at least {least} seats")
