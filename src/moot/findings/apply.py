"""A judge's rulings become facts: findings kept, rewritten, dropped with a reason, or new. Pure.

The judge is not trusted either: ids nobody knows are ignored, a rewritten or new finding must stand on a quote that is
there, and a finding that is called a duplicate must be the duplicate of something that stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.core.findings import Disposition, Dropped, DropReason, Finding, Join, Placed, RulingKind
from moot.core.replies import JudgeReply, RulingReply
from moot.findings.anchor import Index
from moot.findings.claims import claim_of
from moot.findings.gather import gather
from moot.findings.match import match

_ID = re.compile(r"\bF\d+\b")


@dataclass(frozen=True, slots=True)
class Applied:
    """What the rulings came to.

    Args:
        findings: all that stay, in their order, new ones last; the unruled ones among them have no ruling.
        unruled: ids to ask the judge about once more: left out, or ruled on in a way that cannot be.
        unknown: ids in the reply that are nobody's.
    """

    findings: tuple[Finding, ...]
    dropped: tuple[Dropped, ...]
    unruled: tuple[str, ...]
    unknown: tuple[str, ...]


def apply(reply: JudgeReply, findings: Sequence[Finding], index: Index, ruled_by: str, first_number: int) -> Applied:
    """Apply a judge's reply. A finding that has a ruling already keeps it, so a second reply fills the gaps.

    Args:
        ruled_by: the judge's seat.
        first_number: new findings are called `F<n>` from here on.
    """
    rulings = _rulings(reply)
    open_ = {f.id: f for f in findings if f.ruling is None}
    outcome: dict[str, Finding | Dropped] = {}
    for f in open_.values():
        ruling = rulings.get(f.id)
        if ruling is not None:
            outcome[f.id] = _ruled(f, ruling, index, ruled_by)
    stays = {f.id: f for f in findings if not isinstance(outcome.get(f.id), Dropped)}
    stays |= {i: f for i, f in outcome.items() if isinstance(f, Finding)}
    dropped: list[Dropped] = []
    for f in open_.values():
        gone = outcome.get(f.id)
        if not isinstance(gone, Dropped):
            continue
        if gone.reason is not DropReason.DUPLICATE:
            dropped.append(gone)
            continue
        original = _original(f.id, rulings, outcome, stays)
        if original is None:
            stays[f.id] = f
        else:
            dropped.append(gone)
            if original in stays:
                stays[original] = _joined(stays[original], f)
    kept = [stays[f.id] for f in findings if f.id in stays]
    new, refused = _new(reply, kept, index, ruled_by, first_number)
    return Applied(
        findings=(*kept, *new),
        dropped=(*dropped, *refused),
        unruled=tuple(f.id for f in kept if f.ruling is None),
        unknown=tuple(dict.fromkeys(r.id for r in reply.rulings if r.id not in {f.id for f in findings})),
    )


def unverified(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Mark what no judge has ruled on, in the second asking neither or because there was no judge."""
    return tuple(_unverified(f) if f.ruling is None else f for f in findings)


def _unverified(f: Finding) -> Finding:
    open_ = f.disposition is Disposition.OPEN
    return replace(
        f, ruling=RulingKind.UNVERIFIED, disposition=Disposition.UNVERIFIED if open_ else f.disposition
    )  # fmt: skip


def _rulings(reply: JudgeReply) -> dict[str, RulingReply]:
    """Return the ruling on each id; none where the reply contradicts itself."""
    found: dict[str, RulingReply] = {}
    contradicted: set[str] = set()
    for ruling in reply.rulings:
        first = found.setdefault(ruling.id, ruling)
        if (first.ruling, first.reason) != (ruling.ruling, ruling.reason):
            contradicted.add(ruling.id)
    return {i: r for i, r in found.items() if i not in contradicted}


def _ruled(f: Finding, r: RulingReply, index: Index, by: str) -> Finding | Dropped:
    if r.ruling == "drop":
        assert r.reason is not None  # the schema refuses a drop without one
        return Dropped(f.title, f.path, f.line, f.raised_by, r.reason, r.evidence, f.id)
    kept = replace(f, ruling=RulingKind.KEEP, evidence=r.evidence, ruled_by=by)
    if r.ruling == "keep":
        return kept
    assert r.finding is not None  # the schema refuses a rewrite without one
    placed = index.place(claim_of(r.finding, f.id, by, 0))
    if isinstance(placed, Placed):
        return _rewritten(kept, placed)
    if placed.reason is DropReason.OUTSIDE_CHANGE and not f.in_hunk:
        return Dropped(f.title, f.path, f.line, f.raised_by, placed.reason, placed.explanation, f.id)
    note = f"(Kept as it was: of the judge's own wording, {placed.explanation}.)"
    return replace(kept, evidence=f"{r.evidence} {note}")


def _rewritten(f: Finding, p: Placed) -> Finding:
    c, a = p.claim, p.anchor
    return replace(
        f, ruling=RulingKind.REWRITE, path=a.path, side=a.side, line=a.line, end_line=a.end_line,
        severity=c.severity, category=c.category, title=c.title, body=c.body, quote=p.quote,
        scenario=c.scenario or f.scenario, suggestion=c.suggestion or f.suggestion,
        in_hunk=a.in_hunk, touches=a.touches, symbol=a.symbol,
    )  # fmt: skip


def _original(
    id_: str, rulings: dict[str, RulingReply], outcome: dict[str, Finding | Dropped], stays: dict[str, Finding]
) -> str | None:
    """Follow "duplicate of" to a finding that stays, or to one that was dropped for what it says.

    None when no other finding is named, or only one that is called a duplicate in turn, round in a circle.
    """
    seen = {id_}
    while True:
        named: list[str] = _ID.findall(rulings[id_].evidence)
        other = next((i for i in named if i not in seen and (i in stays or i in outcome)), None)
        if other is None:
            return None
        gone = outcome.get(other)
        if other in stays or (isinstance(gone, Dropped) and gone.reason is not DropReason.DUPLICATE):
            return other
        seen.add(other)
        id_ = other


def _joined(into: Finding, duplicate: Finding) -> Finding:
    joins = tuple(
        Join(c.id, 1.0, f"the judge called {duplicate.id} a duplicate of {into.id}") for c in duplicate.claims
    )
    return replace(into, claims=(*into.claims, *duplicate.claims), joins=(*into.joins, *duplicate.joins, *joins))


def _new(
    reply: JudgeReply, kept: Sequence[Finding], index: Index, by: str, number: int
) -> tuple[list[Finding], list[Dropped]]:
    """Hold what the judge adds to the checks everybody's findings pass."""
    new: list[Finding] = []
    refused: list[Dropped] = []
    for reported in reply.new:
        id_ = f"F{number + len(new)}"
        placed = index.place(claim_of(reported, f"{by}.new.{id_}", by, 0))
        if isinstance(placed, Dropped):
            refused.append(placed)
            continue
        same = match(placed, [*kept, *new])
        if same is not None:
            c = placed.claim
            why = f"{same.finding} is the same: {same.why}"
            refused.append(Dropped(c.title, c.path, c.line, (by,), DropReason.DUPLICATE, why))
            continue
        (finding,) = gather([placed], (), number + len(new))
        new.append(
            replace(finding, ruling=RulingKind.NEW, evidence=f"Found by {by} while ruling.", ruled_by=by)
        )  # fmt: skip
    return new, refused
