"""What the reviewers said, made into findings: parsed, placed in the change, matched with each other and the past."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from moot.core import codec
from moot.core.change import Side
from moot.core.findings import Claim, Dropped, Finding, Placed
from moot.core.replies import ReviewReply
from moot.findings.anchor import Index, place_all
from moot.findings.claims import claims_of, says_nothing
from moot.findings.gather import gather
from moot.findings.searched import Lines
from moot.git import store as stores
from moot.git import trees
from moot.ledger import drops
from moot.ledger import findings as finding_rows
from moot.seats.panel import Answer
from moot.seats.run import Answered, Run

ROUND = 1


@dataclass(frozen=True, slots=True)
class Readings:
    """What came of the reviewers' answers.

    Args:
        findings: everything that has a place in the change, one finding per defect, with ids of the subject.
        dropped: claims that code rejected before any judge saw them.
        prose: seat to the text of reviewers that answer in prose.
        claims: how many claims each seat made.
    """

    findings: tuple[Finding, ...]
    dropped: tuple[Dropped, ...]
    prose: dict[str, str]
    claims: dict[str, int]


async def read(run: Run, answers: list[Answer]) -> Readings:
    """Make findings of the reviewers' answers and record them with the claims they are made of."""
    claims: list[Claim] = []
    prose: dict[str, str] = {}
    for answer in answers:
        if not isinstance(answer, Answered):
            continue
        if answer.data is None:
            prose[answer.seat] = "\n\n".join(filter(None, (prose.get(answer.seat), answer.text)))
        else:
            reply: ReviewReply = codec.load(ReviewReply, answer.data)
            earlier = sum(c.seat == answer.seat for c in claims)
            claims += claims_of(reply, answer.seat, ROUND, first=earlier + 1)
    empty = [d for c in claims if (d := says_nothing(c)) is not None]
    placed, dropped = await place(run, [c for c in claims if says_nothing(c) is None])
    dropped = (*empty, *dropped)
    ledger = run.world.ledger
    findings = identified(run, placed)
    finding_rows.record_claims(ledger, run.id, claims)
    finding_rows.save(ledger, run.id, findings, now=run.world.now())
    drops.record(ledger, run.id, dropped)
    return Readings(findings, dropped, prose, _counts(claims))


async def place(run: Run, claims: Sequence[Claim]) -> tuple[tuple[Placed, ...], tuple[Dropped, ...]]:
    """Place claims in the change. Whole files are read only for claims that the hunks do not hold."""
    index = Index(run.diff)
    outside = {c.path for c in claims if isinstance(index.place(c), Dropped)}
    return place_all(claims, Index(run.diff, await whole_files(run, outside)))


async def whole_files(run: Run, wanted: set[str]) -> Lines:
    """Return the text of whole files on both sides, for places outside the hunks."""
    texts: dict[tuple[Side, str], list[str]] = {}
    store = stores.at(run.change.store)
    for path in wanted:
        file = run.diff.file(path)
        sides = {
            Side.RIGHT: (run.change.head, file.new_raw if file else path.encode()),
            Side.LEFT: (run.change.merge_base, file.old_raw if file else None),
        }
        for side, (commit, raw) in sides.items():
            if raw is None:
                continue
            data = await trees.read_path(run.world.git, store, commit, raw)
            if data is not None and b"\0" not in data[:8000]:
                texts[side, path] = data.decode("utf-8", "replace").split("\n")
    return lambda side, path: texts.get((side, path))


def identified(run: Run, placed: Sequence[Placed], apart: Collection[str] = ()) -> tuple[Finding, ...]:
    """Return the findings that this run's claims make, with ids of the subject.

    What a finding says is this run's alone; only who it is comes from the past. A defect that an earlier run found
    keeps its id and its disposition. Ids that this very run gave out before it was killed or reopened are found
    again by its claims.

    Args:
        apart: ids of findings that these claims do not speak of.
    """
    ledger, subject = run.world.ledger, run.change.subject
    said = {p.claim.id for p in placed}
    every = [f for f in finding_rows.of_subject(ledger, subject, run=run.id) if f.id not in apart]
    past = [f for f in every if not _is_said_again(f, said)]
    known = [replace(f, claims=tuple(c for c in f.claims if ":" in c.id)) for f in past]
    highest = max((int(f.id[1:]) for f in known), default=0)
    names = {f.id: f for f in known}
    recognised = {c.id: f for f in gather(placed, known, highest + 1) if f.id in names for c in f.claims}
    given = {c.id: f.id for f in finding_rows.of_run(ledger, run.id) for c in f.claims}
    findings: list[Finding] = []
    used: set[str] = set()
    for finding in gather(placed, (), highest + 1):
        claims = [c.id for c in finding.claims]
        old = next((f for c in claims if (f := recognised.get(c)) is not None and f.id not in used), None)
        id_ = old.id if old is not None else next((given[c] for c in claims if c in given and given[c] not in used), "")
        used.add(id_)
        findings.append(replace(finding, id=id_, disposition=old.disposition if old else finding.disposition))
    fresh = iter(finding_rows.reserve(ledger, subject, sum(not f.id for f in findings)))
    return tuple(f if f.id else replace(f, id=next(fresh)) for f in findings)


def _is_said_again(finding: Finding, said: set[str]) -> bool:
    """Whether it is made of these very claims. Of a run that was removed, findings stay known without their claims."""
    return bool(finding.claims) and all(c.id in said for c in finding.claims)


def _counts(claims: Sequence[Claim]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for claim in claims:
        counts[claim.seat] = counts.get(claim.seat, 0) + 1
    return counts
