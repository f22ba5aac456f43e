"""Claims become findings: those about one defect are joined, each join with its score and reason. Pure.

The procedure is the matcher's (`match.affinities`) over everything said in the run, grown into groups by average
linkage. Known findings stay what they are and never merge with each other; claims join them or form new ones.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.core.findings import Disposition, Finding, Join, Placed
from moot.findings import linkage
from moot.findings.linkage import APART, Matrix
from moot.findings.match import THRESHOLD, Statement, affinities, known_statements, share, statement, why

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Member:
    """One statement of a group: a placed claim, or what a known finding says (`placed` is None)."""

    said: Statement
    placed: Placed | None


def gather(placed: Sequence[Placed], known: Sequence[Finding], first_number: int) -> tuple[Finding, ...]:
    """Return the known findings, as far as somebody spoke of them, and the new ones, in the order of their places.

    Args:
        placed: what was said in this round, in a fixed order: the result depends on nothing else.
        known: findings of earlier rounds or runs. One that a claim joins takes the claim's place in the change and
            keeps its id; one that nobody spoke of is not returned.
        first_number: new findings are called `F<n>` from here on.
    """
    members = [_Member(statement(p), p) for p in placed]
    groups: list[list[int]] = [[i] for i in range(len(placed))]
    owner: dict[int, Finding] = {}
    for finding in known:
        said = known_statements(finding)
        owner[len(members)] = finding
        groups.append(list(range(len(members), len(members) + len(said))))
        members += [_Member(s, None) for s in said]
    affinity = _with_known_apart(affinities([m.said for m in members]), groups[len(placed) :])
    built: list[Finding] = []
    fresh: list[Finding] = []
    for group in _grown(affinity, groups):
        claims = [i for i in group if members[i].placed is not None]
        if not claims:
            continue
        earlier = next((owner[i] for i in group if i in owner), None)
        finding = _finding(members, affinity, claims, group, earlier)
        (fresh if earlier is None else built).append(finding)
    fresh.sort(key=_position)
    numbered = [replace(f, id=f"F{n}") for n, f in enumerate(fresh, first_number)]
    return tuple(sorted([*built, *numbered], key=_position))


def fingerprint(path: str, symbol: str, quote: str) -> str:
    """Return what a finding is looked up by across runs: no line number is in it, so moved code keeps it."""
    text = "\0".join((path, symbol, _SPACE.sub("", quote)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _with_known_apart(affinity: list[list[float]], known: Sequence[Sequence[int]]) -> list[list[float]]:
    for n, group in enumerate(known):
        for other in known[:n]:
            for i in group:
                for j in other:
                    affinity[i][j] = affinity[j][i] = APART
    return affinity


def _grown(affinity: Matrix, groups: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    left = {tuple(g) for g in groups}
    for merge in linkage.merges(affinity, groups, THRESHOLD):
        left -= {merge.left, merge.right}
        left.add(merge.left + merge.right)
    return sorted(left, key=min)


def _finding(
    members: Sequence[_Member], affinity: Matrix, claims: Sequence[int], group: Sequence[int], earlier: Finding | None
) -> Finding:
    """Build one finding of the claims at `claims`; `group` also holds the statements of the earlier one."""
    everyone = {i: p for i in claims if (p := members[i].placed) is not None}
    speaker = min(everyone, key=lambda i: (_rank(everyone[i]), i))
    best = everyone[speaker]
    claim, anchor = best.claim, best.anchor
    joined = sorted(i for i in everyone if earlier is not None or i != speaker)
    joins = tuple(_join(members, affinity, i, [j for j in group if j != i], everyone[i].claim.id) for i in joined)
    severity = min((p.claim.severity for p in everyone.values()), key=lambda s: s.rank)
    placed = Finding(
        id="", path=anchor.path, side=anchor.side, line=anchor.line, end_line=anchor.end_line,
        severity=severity, category=claim.category, title=claim.title, body=claim.body, quote=best.quote,
        scenario=claim.scenario, suggestion=claim.suggestion,
        claims=tuple(everyone[i].claim for i in sorted(everyone)), joins=joins,
        fingerprint=fingerprint(anchor.path, anchor.symbol, best.quote),
        in_hunk=anchor.in_hunk, touches=anchor.touches, symbol=anchor.symbol,
    )  # fmt: skip
    return placed if earlier is None else _updated(earlier, placed)


def _updated(earlier: Finding, seen: Finding) -> Finding:
    """The known finding as it was seen again: its name and history, today's place and words.

    Seen again, it is open again, unless somebody has refuted or deferred it.
    """
    settled = earlier.disposition in (Disposition.REFUTED, Disposition.DEFERRED)
    return replace(
        seen,
        id=earlier.id,
        severity=min(earlier.severity, seen.severity, key=lambda s: s.rank),
        claims=(*earlier.claims, *seen.claims),
        joins=(*earlier.joins, *seen.joins),
        agreed_by=earlier.agreed_by,
        disposition=earlier.disposition if settled else Disposition.OPEN,
        proof=earlier.proof,
    )


def _join(members: Sequence[_Member], affinity: Matrix, claim: int, to: Sequence[int], name: str) -> Join:
    nearest = max(to, key=lambda j: affinity[claim][j])
    return Join(name, share(affinity[claim][nearest]), why(members[claim].said, members[nearest].said))


def _rank(p: Placed) -> tuple[bool, bool, int, bool, int]:
    """Whose words the finding takes, smallest first: on changed lines, worst, with a scenario, told at some length."""
    c = p.claim
    return (not p.anchor.touches, not p.anchor.in_hunk, c.severity.rank, not c.scenario, -min(len(c.body), 600))


def _position(f: Finding) -> tuple[str, int, int, int, str]:
    return f.path, f.line, f.end_line, f.severity.rank, f.title
