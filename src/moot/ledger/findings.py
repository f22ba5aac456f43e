"""Claims and the findings made of them: what was said, what was taken for the same defect, how it was ruled.

A finding has one row per subject, with the text and place of its latest sighting; what a run reported in its time
stands in the run's result. Claims, joins and rulings are kept per run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, Row, Select, select

from moot.core import codec
from moot.core.errors import NotFoundError
from moot.core.findings import Claim, Disposition, Finding, Join, Proof
from moot.ledger import dispositions
from moot.ledger.database import Ledger
from moot.ledger.tables import claims, finding_claims, findings, rulings, runs, subjects

_EARLIER = re.compile(r"\d{8}-\d{6}-[0-9a-f]+:")  # how `of_subject` marks the claims of other runs


def reserve(ledger: Ledger, subject: str, count: int) -> tuple[str, ...]:
    """Return that many new finding ids of a subject (`F7`, `F8`). They are never given out again, used or not."""
    if count == 0:
        return ()
    new = ledger.insert(subjects).values(name=subject, findings=count)
    counted = new.on_conflict_do_update(index_elements=["name"], set_={"findings": subjects.c.findings + count})
    with ledger.write() as db:
        last = db.scalars(counted.returning(subjects.c.findings)).one()
    return tuple(f"F{number}" for number in range(last - count + 1, last + 1))


def record_claims(ledger: Ledger, run: str, said: Iterable[Claim]) -> None:
    """Record what seats said. Claims are immutable: one that is recorded already stays as it is."""
    with ledger.write() as db:
        _insert_claims(ledger, db, run, said)


def save(ledger: Ledger, run: str, seen: Sequence[Finding], *, now: datetime) -> None:
    """Record findings of a run as they stand, with their claims, joins and rulings, over what was recorded of them.

    Ids are those that `reserve` gave. Dispositions are not touched, they have their own history
    (`dispositions.append`). Claims of earlier runs that `of_subject` handed out are known by their ids and stay there.

    Raises:
        NotFoundError: there is no such run.
    """
    with ledger.write() as db:
        subject = db.scalar(select(runs.c.subject).where(runs.c.id == run))
        if subject is None:
            raise NotFoundError(f"no run {run}", next_step="moot runs list")
        for finding in seen:
            values = _finding_values(finding) | {"last_run": run, "updated_at": now}
            names = {"subject": subject, "id": finding.id, "number": int(finding.id.removeprefix("F"))}
            new = ledger.insert(findings).values(first_run=run, **names, **values)
            db.execute(new.on_conflict_do_update(index_elements=["subject", "id"], set_=values))
            own = [claim for claim in finding.claims if not _EARLIER.match(claim.id)]
            _insert_claims(ledger, db, run, own)
            _insert_joins(ledger, db, run, subject, finding, own)
            if finding.ruling is not None:
                ruled = {
                    "ruling": finding.ruling,
                    "evidence": finding.evidence,
                    "ruled_by": finding.ruled_by,
                    "ruled_at": now,
                }
                ruling = ledger.insert(rulings).values(run=run, subject=subject, finding=finding.id, **ruled)
                db.execute(ruling.on_conflict_do_update(index_elements=["run", "subject", "finding"], set_=ruled))


def claims_of_run(ledger: Ledger, run: str) -> tuple[Claim, ...]:
    """Return everything the seats of a run said, by round and seat."""
    with ledger.read() as db:
        rows = db.execute(
            select(claims).where(claims.c.run == run).order_by(claims.c.round, claims.c.seat, claims.c.id)
        ).all()
    return tuple(_claim(row, row.id) for row in rows)


def of_run(ledger: Ledger, run: str) -> tuple[Finding, ...]:
    """Return the findings that claims of a run belong to, by number, with this run's claims and rulings."""
    joined = _joined().where(finding_claims.c.run == run)
    ruled = select(rulings).where(rulings.c.run == run)
    with ledger.read() as db:
        subject = db.scalar(select(runs.c.subject).where(runs.c.id == run))
        wanted = select(finding_claims.c.finding).where(finding_claims.c.run == run)
        rows = select(findings).where(findings.c.subject == subject, findings.c.id.in_(wanted))
        return _assemble(db, subject or "", rows, joined, ruled, run)


def of_subject(ledger: Ledger, subject: str, *, run: str | None = None) -> tuple[Finding, ...]:
    """Return all findings a subject ever had, by number, with all claims, latest rulings and dispositions.

    Claim ids are unique in one run only, so those of other runs than `run` come with their run in front
    (`20261130-153012-7f3a:reviewer-opus.1.3`).
    """
    joined = _joined().where(finding_claims.c.subject == subject)
    ruled = select(rulings).where(rulings.c.subject == subject).order_by(rulings.c.ruled_at, rulings.c.run)
    with ledger.read() as db:
        rows = select(findings).where(findings.c.subject == subject)
        return _assemble(db, subject, rows, joined, ruled, run)


def _joined() -> Select[tuple[object, ...]]:
    same = (claims.c.run == finding_claims.c.run) & (claims.c.id == finding_claims.c.claim)
    columns = (finding_claims.c.finding, finding_claims.c.score, finding_claims.c.why)
    return (
        select(claims, *columns)
        .join(finding_claims, same)
        .order_by(finding_claims.c.run, finding_claims.c.position, finding_claims.c.claim)
    )


def _assemble(
    db: Connection,
    subject: str,
    rows: Select[tuple[object, ...]],
    joined: Select[tuple[object, ...]],
    ruled: Select[tuple[object, ...]],
    run: str | None,
) -> tuple[Finding, ...]:
    said: defaultdict[str, list[Claim]] = defaultdict(list)
    joins: defaultdict[str, list[Join]] = defaultdict(list)
    for row in db.execute(joined):
        id_ = row.id if row.run == run else f"{row.run}:{row.id}"
        said[row.finding].append(_claim(row, id_))
        if row.score is not None:
            joins[row.finding].append(Join(id_, row.score, row.why))
    latest = {row.finding: row for row in db.execute(ruled)}
    now = dispositions.current_in(db, subject)
    return tuple(
        _finding(row, said[row.id], joins[row.id], latest.get(row.id), now)
        for row in db.execute(rows.order_by(findings.c.number))
    )


def _insert_claims(ledger: Ledger, db: Connection, run: str, said: Iterable[Claim]) -> None:
    rows = [
        {
            "run": run,
            "id": c.id,
            "seat": c.seat,
            "round": c.round,
            "path": c.path,
            "side": c.side,
            "line": c.line,
            "end_line": c.end_line,
            "severity": c.severity,
            "category": c.category,
            "title": c.title,
            "body": c.body,
            "quote": c.quote,
            "scenario": c.scenario,
            "suggestion": c.suggestion,
            "confidence": c.confidence,
            "proof": c.proof,
        }
        for c in said
    ]
    if rows:
        db.execute(ledger.insert(claims).on_conflict_do_nothing(), rows)


def _insert_joins(
    ledger: Ledger, db: Connection, run: str, subject: str, finding: Finding, own: Sequence[Claim]
) -> None:
    reasons = {join.claim: join for join in finding.joins}
    for position, claim in enumerate(own):
        join = reasons.get(claim.id)
        values = {
            "subject": subject,
            "finding": finding.id,
            "position": position,
            "score": join.score if join else None,
            "why": join.why if join else "",
        }
        new = ledger.insert(finding_claims).values(run=run, claim=claim.id, **values)
        db.execute(new.on_conflict_do_update(index_elements=["run", "claim"], set_=values))


def _finding_values(f: Finding) -> dict[str, object]:
    return {
        "path": f.path,
        "side": f.side,
        "line": f.line,
        "end_line": f.end_line,
        "severity": f.severity,
        "category": f.category,
        "title": f.title,
        "body": f.body,
        "quote": f.quote,
        "scenario": f.scenario,
        "suggestion": f.suggestion,
        "agreed_by": list(f.agreed_by),
        "proof": codec.dump(Proof, f.proof) if f.proof is not None else None,
        "fingerprint": f.fingerprint,
        "in_hunk": f.in_hunk,
        "touches": f.touches,
        "symbol": f.symbol,
    }


def _claim(row: Row[tuple[object, ...]], id_: str) -> Claim:
    return Claim(
        id=id_,
        seat=row.seat,
        round=row.round,
        path=row.path,
        side=row.side,
        line=row.line,
        end_line=row.end_line,
        severity=row.severity,
        category=row.category,
        title=row.title,
        body=row.body,
        quote=row.quote,
        scenario=row.scenario,
        suggestion=row.suggestion,
        confidence=row.confidence,
        proof=row.proof,
    )


def _finding(
    row: Row[tuple[object, ...]],
    said: Sequence[Claim],
    joins: Sequence[Join],
    ruling: Row[tuple[object, ...]] | None,
    now: Mapping[str, Disposition],
) -> Finding:
    return Finding(
        id=row.id,
        path=row.path,
        side=row.side,
        line=row.line,
        end_line=row.end_line,
        severity=row.severity,
        category=row.category,
        title=row.title,
        body=row.body,
        quote=row.quote,
        scenario=row.scenario,
        suggestion=row.suggestion,
        claims=tuple(said),
        joins=tuple(joins),
        agreed_by=tuple(row.agreed_by),
        ruling=ruling.ruling if ruling else None,
        evidence=ruling.evidence if ruling else "",
        ruled_by=ruling.ruled_by if ruling else "",
        proof=codec.load(Proof, row.proof) if row.proof is not None else None,
        disposition=now.get(row.id, Disposition.OPEN),
        fingerprint=row.fingerprint,
        in_hunk=row.in_hunk,
        touches=row.touches,
        symbol=row.symbol,
    )
