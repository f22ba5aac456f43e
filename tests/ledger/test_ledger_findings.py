"""Claims, findings, rulings, drops and dispositions are remembered per subject, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from ledger_samples import NOW, claim, finding, later

from moot.core.errors import NotFoundError
from moot.core.findings import Disposition, Dropped, DropReason, Join, Proof, RulingKind, Severity
from moot.ledger import dispositions, drops, findings, runs
from moot.ledger.database import Ledger
from moot.ledger.dispositions import Disposed

NewRun = Callable[..., runs.Run]
SUBJECT = "/repo#topic"


def test_finding_ids_are_counted_per_subject_and_never_given_twice(ledger: Ledger) -> None:
    assert findings.reserve(ledger, SUBJECT, 2) == ("F1", "F2")
    assert findings.reserve(ledger, SUBJECT, 0) == ()
    assert findings.reserve(ledger, SUBJECT, 1) == ("F3",)
    assert findings.reserve(ledger, "/repo#other", 1) == ("F1",)


def test_a_finding_comes_back_with_its_claims_joins_and_ruling(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    first, second = claim("reviewer-a.1.1"), claim("reviewer-b.1.1", line=None, confidence=None, proof="{}")
    whole = finding(
        "F1",
        first,
        second,
        joins=(Join("reviewer-b.1.1", 0.9, "same symbol and quote"),),
        proof=Proof("proved", "pytest -q", "1 failed", "1 passed"),
    )
    findings.record_claims(ledger, run, [first, second])
    findings.save(ledger, run, [whole], now=NOW)
    assert findings.of_run(ledger, run) == (whole,)
    ruled = replace(
        whole,
        severity=Severity.LOW,
        ruling=RulingKind.REWRITE,
        evidence="read retry.py",
        ruled_by="judge",
        in_hunk=False,
    )
    findings.save(ledger, run, [ruled], now=later(1))
    findings.save(ledger, run, [ruled], now=later(2))
    assert findings.of_run(ledger, run) == (ruled,)
    assert findings.claims_of_run(ledger, run) == (first, second)
    assert findings.of_run(ledger, new_run().id) == ()


def test_a_claim_is_immutable(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    findings.record_claims(ledger, run, [claim()])
    findings.record_claims(ledger, run, [claim(title="second thoughts")])
    assert findings.claims_of_run(ledger, run) == (claim(),)


def test_findings_are_in_the_order_of_their_numbers(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    ids = [f"F{n}" for n in (2, 10, 1)]
    findings.save(ledger, run, [finding(id_, claim(f"a.1.{n}")) for n, id_ in enumerate(ids)], now=NOW)
    assert [f.id for f in findings.of_run(ledger, run)] == ["F1", "F2", "F10"]


def test_a_claim_that_is_matched_anew_belongs_to_one_finding(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    a, b = claim("a.1.1"), claim("b.1.1")
    findings.save(ledger, run, [finding("F1", a), finding("F2", b)], now=NOW)
    findings.save(ledger, run, [finding("F1", a, b, joins=(Join("b.1.1", 0.8, "same"),))], now=NOW)
    assert [[c.id for c in f.claims] for f in findings.of_run(ledger, run)] == [["a.1.1", "b.1.1"]]


def test_a_subject_remembers_findings_over_runs_without_mixing_up_their_claims(ledger: Ledger, new_run: NewRun) -> None:
    first, second = new_run().id, new_run(now=later(60)).id
    old = claim("reviewer-a.1.1", body="said first")
    findings.save(ledger, first, [finding("F1", old, ruling=RulingKind.DROP, evidence="no", ruled_by="judge")], now=NOW)
    [known] = findings.of_subject(ledger, SUBJECT, run=second)
    assert [c.id for c in known.claims] == [f"{first}:reviewer-a.1.1"]
    assert known.ruling is RulingKind.DROP

    again = claim("reviewer-a.1.1", body="said again")  # the same id, in another run
    seen = replace(known, line=99, claims=(*known.claims, again), ruling=RulingKind.KEEP, evidence="yes")
    findings.save(ledger, second, [seen], now=later(61))
    [remembered] = findings.of_subject(ledger, SUBJECT)
    assert [c.body for c in remembered.claims] == ["said first", "said again"]
    assert (remembered.line, remembered.ruling, remembered.evidence) == (99, RulingKind.KEEP, "yes")
    assert [c.body for c in findings.of_run(ledger, first)[0].claims] == ["said first"]
    assert findings.of_run(ledger, first)[0].ruling is RulingKind.DROP
    assert findings.of_run(ledger, second)[0].claims == (again,)
    assert findings.of_subject(ledger, "/repo#other") == ()


def test_a_subject_remembers_its_findings_when_their_run_is_deleted(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    findings.save(ledger, run, [finding("F1", claim())], now=NOW)
    dispositions.append(ledger, SUBJECT, Disposed("F1", Disposition.REFUTED, "judge", "no", NOW))
    runs.delete_run(ledger, run)
    [known] = findings.of_subject(ledger, SUBJECT)
    assert known == finding("F1", disposition=Disposition.REFUTED)
    assert findings.reserve(ledger, SUBJECT, 1)  # its number is not given out again: see reserve


def test_findings_of_a_run_that_is_not_there_are_an_error(ledger: Ledger) -> None:
    with pytest.raises(NotFoundError):
        findings.save(ledger, "nope", [finding("F1", claim())], now=NOW)


def test_the_newest_disposition_holds_and_all_are_kept(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    findings.save(ledger, run, [finding("F1", claim("a.1.1")), finding("F2", claim("a.1.2"))], now=NOW)
    assert dispositions.current(ledger, SUBJECT) == {}
    entries = [
        Disposed("F1", Disposition.FIXED, "ann", "fixed in b2", NOW, evidence="test passes", head="b" * 40, run=run),
        Disposed("F1", Disposition.OPEN, "judge", "still there", later(-5)),
        Disposed("F2", Disposition.DEFERRED, "ann", "next week", later(1)),
    ]
    for entry in entries:
        dispositions.append(ledger, SUBJECT, entry)
    assert dispositions.current(ledger, SUBJECT) == {"F1": Disposition.OPEN, "F2": Disposition.DEFERRED}
    assert dispositions.history(ledger, SUBJECT, "F1") == tuple(entries[:2])
    assert [f.disposition for f in findings.of_run(ledger, run)] == [Disposition.OPEN, Disposition.DEFERRED]
    findings.save(ledger, run, [finding("F2", claim("a.1.2"))], now=later(2))
    assert dispositions.current(ledger, SUBJECT)["F2"] is Disposition.DEFERRED
    for stranger in ((SUBJECT, "F9"), ("/repo#other", "F1")):
        with pytest.raises(NotFoundError):
            dispositions.append(ledger, stranger[0], replace(entries[0], finding=stranger[1]))


def test_drops_are_recorded_once_and_in_order(ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    drop = Dropped("Off by one", "src/a.py", 3, ("a", "b"), DropReason.QUOTE_NOT_FOUND, "quote is nowhere")
    other = replace(drop, reason=DropReason.SPECULATIVE, finding="F2", line=None)
    drops.record(ledger, run, [drop])
    drops.record(ledger, run, [drop, other])
    drops.record(ledger, run, [replace(other, explanation="said otherwise on resume")])
    drops.record(ledger, run, [])
    assert drops.of_run(ledger, run) == (drop, other)
