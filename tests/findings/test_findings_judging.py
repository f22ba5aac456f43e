"""Rules rule on what they can see, and no judge's slip loses or invents a finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from findings_builders import claim, file_diff, finding, frozen, index, place
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.change import FrozenDiff, Side
from moot.core.findings import Category, Disposition, DropReason, Finding, RulingKind, Severity
from moot.core.replies import JudgeReply
from moot.findings.apply import apply, unverified
from moot.findings.gather import gather
from moot.findings.rules import judge

OLD = "a = load(path)\nb = check(a)\nc = compute_total(b, tax)\nreturn c\n"
NEW = "a = load(path, unsafe=True)\nb = check(a)\nreturn compute(b)\n"
DIFF = frozen(
    file_diff("a.py", OLD, NEW), file_diff("moved.py", "x = 1\n", "x = 1\nc = compute_total(b, tax)\n")
)  # fmt: skip
INDEX = index(DIFF)
ADDED, CONTEXT, MOVED = "a = load(path, unsafe=True)", "b = check(a)", "c = compute_total(b, tax)"


def found(quote: str = ADDED, path: str = "a.py", **more: Any) -> Finding:
    (made,) = gather([place(INDEX, claim(quote, path, **more))], (), 1)
    return made


def rule(*findings: Finding, diff: FrozenDiff = DIFF, analyzers: tuple[str, ...] = ()) -> JudgeReply:
    return judge(findings, diff, INDEX, analyzers)


@pytest.mark.parametrize(
    ("subject", "ruling", "reason", "evidence"),
    [
        (found(), "keep", None, "a.py:1 is added by this change and holds the quoted text."),
        (found("c = compute_total(b, tax)"), "keep", None, "a.py:3 is removed by this change"),
        (found(CONTEXT), "drop", DropReason.PRE_EXISTING, "a.py:2 is unchanged: the quoted text stands in the base"),
        (found(CONTEXT, severity=Severity.HIGH), "keep", None, "no rule can tell whether the change causes"),
        (found(MOVED, "moved.py"), "drop", DropReason.PRE_EXISTING, "moved.py:2 was only moved"),
        (found(MOVED, "moved.py", severity=Severity.HIGH), "keep", None, "moved.py:2 is added by this change"),
        (replace(found(), quote="a = load(gone)"), "drop", DropReason.QUOTE_NOT_FOUND, "the quote does not stand"),
        (replace(found(), path="z.py", quote="zzz(1)"), "drop", DropReason.OUTSIDE_CHANGE, "z.py is not part"),
    ],
)
def test_a_mechanical_ruling_is_wrong(subject: Finding, ruling: str, reason: DropReason | None, evidence: str) -> None:
    (r,) = rule(subject).rulings
    assert (r.id, r.ruling, r.reason) == ("F1", ruling, reason)
    assert evidence in r.evidence
    assert r.evidence.endswith(".")


def test_an_analyzers_finding_on_an_old_line_is_dropped_though_it_compared_with_the_base() -> None:
    old = found(CONTEXT, seat="ruff")
    assert rule(old, analyzers=("ruff",)).rulings[0].ruling == "keep"
    assert rule(old).rulings[0].ruling == "drop"


def test_the_same_said_twice_of_one_place_is_kept_twice() -> None:
    again = replace(found(title="retry  loop never ends"), id="F2")
    other = replace(found(title="Unsafe loading"), id="F3")
    first, second, third = rule(found(), again, other).rulings
    assert (first.ruling, second.ruling, second.reason) == ("keep", "drop", DropReason.DUPLICATE)
    assert second.evidence == "F1 says the same of the same lines."
    assert third.ruling == "keep"


def test_style_blocks() -> None:
    (r,) = rule(found(category=Category.STYLE, severity=Severity.CRITICAL)).rulings
    assert r.ruling == "rewrite"
    assert r.finding is not None
    assert r.finding.severity is Severity.LOW
    applied = apply(JudgeReply(summary="s", rulings=[r]), [found(category=Category.STYLE)], INDEX, "rules", 2)
    assert applied.findings[0].severity is Severity.LOW


def test_rules_leave_something_unruled() -> None:
    every = [replace(found(q), id=f"F{n}") for n, q in enumerate((ADDED, CONTEXT, "return c"), 1)]
    applied = apply(rule(*every), every, INDEX, "rules", 9)
    assert applied.unruled == ()
    assert len(applied.findings) + len(applied.dropped) == 3


# --- applying a judge's reply

ONE = found()
TWO = replace(found("return compute(b)", title="Tax is no longer charged", body="compute ignores tax."), id="F2")
THREE = replace(found("c = compute_total(b, tax)", title="Third", body="Something else entirely."), id="F3")
REPORT = {
    "path": "a.py", "line": 1, "severity": "critical", "category": "security", "title": "Unsafe load",
    "body": "Any code in the file runs.", "quote": ADDED,
}  # fmt: skip


def reply(*rulings: dict[str, Any], new: tuple[dict[str, Any], ...] = ()) -> JudgeReply:
    said = [{"evidence": "a.py:1 shows it"} | r for r in rulings]
    return JudgeReply.model_validate({"summary": "s", "rulings": said, "new": list(new)})


def test_a_ruling_is_not_applied() -> None:
    applied = apply(
        reply(
            {"id": "F1", "ruling": "keep"},
            {"id": "F2", "ruling": "drop", "reason": "false_claim", "evidence": "compute adds tax"},
            {"id": "F9", "ruling": "keep"},
        ),
        [ONE, TWO, THREE], INDEX, "judge", 4,
    )  # fmt: skip
    kept, open_ = applied.findings
    assert (kept.id, kept.ruling, kept.ruled_by, kept.evidence) == ("F1", RulingKind.KEEP, "judge", "a.py:1 shows it")
    assert (open_.id, open_.ruling) == ("F3", None)
    assert (applied.unruled, applied.unknown) == (("F3",), ("F9",))
    (dropped,) = applied.dropped
    assert (dropped.finding, dropped.reason, dropped.explanation) == (
        "F2", DropReason.FALSE_CLAIM, "compute adds tax",
    )  # fmt: skip
    assert dropped.raised_by == ("reviewer-opus",)


def test_the_second_asking_changes_the_first_or_leaves_gaps_unmarked() -> None:
    first = apply(reply({"id": "F1", "ruling": "keep"}), [ONE, TWO, THREE], INDEX, "judge", 4)
    dropping = {"id": "F1", "ruling": "drop", "reason": "impossible"}
    second = apply(reply(dropping, {"id": "F2", "ruling": "keep"}), first.findings, INDEX, "judge", 4)
    assert [f.ruling for f in second.findings] == [RulingKind.KEEP, RulingKind.KEEP, None]
    assert second.unknown == ()
    last = unverified(second.findings)
    assert [f.ruling for f in last] == [RulingKind.KEEP, RulingKind.KEEP, RulingKind.UNVERIFIED]
    assert [f.disposition for f in last] == [Disposition.OPEN, Disposition.OPEN, Disposition.UNVERIFIED]
    assert unverified([finding(disposition=Disposition.DEFERRED)])[0].disposition is Disposition.DEFERRED


def test_a_contradictory_judge_is_believed() -> None:
    both = reply({"id": "F1", "ruling": "keep"}, {"id": "F1", "ruling": "drop", "reason": "impossible"})
    assert apply(both, [ONE], INDEX, "judge", 2).unruled == ("F1",)
    twice = reply({"id": "F1", "ruling": "keep"}, {"id": "F1", "ruling": "keep"})
    assert apply(twice, [ONE], INDEX, "judge", 2).unruled == ()


def test_a_rewrite_keeps_the_old_words_or_place() -> None:
    wrong = REPORT | {"line": 77, "quote": "return compute(b)"}
    (f,) = apply(reply({"id": "F1", "ruling": "rewrite", "finding": wrong}), [ONE], INDEX, "judge", 2).findings
    assert (f.ruling, f.title, f.severity, f.line) == (RulingKind.REWRITE, "Unsafe load", Severity.CRITICAL, 3)
    assert f.claims == ONE.claims
    assert f.fingerprint == ONE.fingerprint


def test_a_rewrite_stands_on_a_quote_that_is_nowhere() -> None:
    invented = REPORT | {"quote": "os.system(path)"}
    (f,) = apply(reply({"id": "F1", "ruling": "rewrite", "finding": invented}), [ONE], INDEX, "judge", 2).findings
    assert (f.ruling, f.title, f.severity, f.quote) == (RulingKind.KEEP, ONE.title, ONE.severity, ONE.quote)
    assert "Kept as it was" in f.evidence


def test_a_defect_outside_the_hunks_survives_its_demotion() -> None:
    far = "\n".join(f"line {n} of it" for n in range(60)) + "\n"
    diff = frozen(file_diff("a.py", far, far + "last = 1\n"))
    whole = index(diff, {(Side.RIGHT, "a.py"): far + "last = 1\n"})
    (outside,) = gather([place(whole, claim("line 3 of it", severity=Severity.HIGH))], (), 1)
    milder = REPORT | {"severity": "medium", "quote": "line 3 of it", "line": 4}
    applied = apply(reply({"id": "F1", "ruling": "rewrite", "finding": milder}), [outside], whole, "judge", 2)
    assert applied.findings == ()
    assert applied.dropped[0].reason is DropReason.OUTSIDE_CHANGE


def dup(id_: str, of: str) -> dict[str, Any]:
    return {"id": id_, "ruling": "drop", "reason": "duplicate", "evidence": f"the same as {of}"}


def test_a_duplicate_takes_its_claims_with_it() -> None:
    second = replace(TWO, claims=found("return compute(b)", seat="reviewer-gpt").claims)
    applied = apply(reply({"id": "F1", "ruling": "keep"}, dup("F2", "F1")), [ONE, second], INDEX, "judge", 3)
    (f,) = applied.findings
    assert f.raised_by == ("reviewer-opus", "reviewer-gpt")
    assert f.joins[-1].why == "the judge called F2 a duplicate of F1"
    assert [d.reason for d in applied.dropped] == [DropReason.DUPLICATE]


@pytest.mark.parametrize(
    ("rulings", "stay", "dropped"),
    [
        ([dup("F1", "F2"), dup("F2", "F1")], {"F1": None}, ["F2"]),
        ([dup("F1", "F2"), dup("F2", "F3"), {"id": "F3", "ruling": "keep"}], {"F3": "keep"}, ["F1", "F2"]),
        ([dup("F1", "F2"), {"id": "F2", "ruling": "drop", "reason": "false_claim"}], {}, ["F1", "F2"]),
        ([dup("F1", "nothing"), {"id": "F2", "ruling": "keep"}], {"F1": None, "F2": "keep"}, []),
        ([dup("F1", "F1"), {"id": "F2", "ruling": "keep"}], {"F1": None, "F2": "keep"}, []),
        ([dup("F1", "F77"), {"id": "F2", "ruling": "keep"}], {"F1": None, "F2": "keep"}, []),
    ],
)
def test_duplicates_of_each_other_or_of_nothing_are_both_lost(
    rulings: list[dict[str, Any]], stay: dict[str, str | None], dropped: list[str]
) -> None:
    given_ = [ONE, TWO, THREE] if any(r["id"] == "F3" for r in rulings) else [ONE, TWO]
    applied = apply(reply(*rulings), given_, INDEX, "judge", 4)
    assert {f.id: f.ruling for f in applied.findings} == stay
    assert sorted(d.finding or "" for d in applied.dropped) == dropped


def test_a_new_finding_passes_without_the_checks() -> None:
    good = REPORT | {"title": "Result is not returned", "body": "The caller sees None.", "quote": "return compute(b)"}
    invented = REPORT | {"title": "Shell", "quote": "os.system(path)"}
    same = REPORT | {"severity": "high", "title": ONE.title, "body": ONE.body}
    applied = apply(
        reply({"id": "F1", "ruling": "keep"}, new=(invented, good, same)), [ONE], INDEX, "judge", 5
    )  # fmt: skip
    one, new = applied.findings
    assert one.id == "F1"
    assert (new.id, new.ruling, new.raised_by, new.line) == ("F5", RulingKind.NEW, ("judge",), 3)
    assert [d.reason for d in applied.dropped] == [DropReason.QUOTE_NOT_FOUND, DropReason.DUPLICATE]
    assert applied.dropped[1].explanation.startswith("F1 is the same: same lines")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["F1", "F2", "F3", "F9"]),
            st.sampled_from(["keep", "drop"]),
            st.sampled_from(["duplicate", "impossible"]),
            st.sampled_from(["F1", "F2", "F3", "none"]),
        ),
        max_size=6,
    )
)
@settings(max_examples=150, deadline=None)
def test_a_finding_is_neither_kept_nor_dropped_with_a_reason(said: list[tuple[str, str, str, str]]) -> None:
    rulings = [{"id": i, "ruling": r, "reason": why, "evidence": f"see {e}"} for i, r, why, e in said]
    applied = apply(reply(*rulings), [ONE, TWO, THREE], INDEX, "judge", 4)
    kept, dropped = [f.id for f in applied.findings], [d.finding for d in applied.dropped]
    assert sorted([*kept, *dropped]) == ["F1", "F2", "F3"]  # type: ignore[type-var]
    assert set(applied.unruled) <= set(kept)
    duplicates = [d for d in applied.dropped if d.reason is DropReason.DUPLICATE]
    if len(duplicates) == len(applied.dropped):
        seats = sum(len(f.claims) for f in applied.findings)
        assert seats == 3
