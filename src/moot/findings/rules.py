"""The judge without a model: what code can check of a finding, it checks; each ruling says what it saw. Pure.

It cannot tell whether a finding is true. It can tell whether the quoted text is there, whether this change brought it,
and whether it is said twice. A finding that is high or worse it never drops for want of certainty.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from moot.core.change import FrozenDiff, LineKind, Side
from moot.core.findings import Category, Claim, Dropped, DropReason, Finding, Severity
from moot.core.replies import FindingReply, JudgeReply, RulingReply
from moot.findings.anchor import Index
from moot.findings.quotes import bare

#: From this severity on, doubt keeps a finding.
_DOUBT_KEEPS = Severity.HIGH
#: Style is no worse than this, whoever says so.
_STYLE_CEILING = Severity.LOW
#: Characters of a line, white space not counted, from which its coming back elsewhere means that it was moved.
_TELLING = 12


@dataclass(frozen=True)
class _Change:
    """What the checks look at. `introduced_only`: seats that compare with the base themselves, as analyzers do."""

    index: Index
    removed: frozenset[str]
    introduced_only: Collection[str]


def judge(
    findings: Sequence[Finding], diff: FrozenDiff, index: Index, introduced_only: Collection[str] = ()
) -> JudgeReply:
    """Rule on every finding, in their order.

    Args:
        index: of `diff`; the quotes are looked up again, in case a finding comes from an earlier state.
        introduced_only: seats whose findings were compared with the base already (analyzers): an unchanged line does
            not speak against them.
    """
    change = _Change(index, _removed(diff), introduced_only)
    said: dict[tuple[str, str, int, int, str], str] = {}
    rulings = [_rule(f, change, said) for f in findings]
    kept = sum(r.ruling != "drop" for r in rulings)
    summary = f"Rules kept {kept} of {len(rulings)} findings. No model judged."
    return JudgeReply(summary=summary, rulings=rulings)


def _rule(f: Finding, change: _Change, said: dict[tuple[str, str, int, int, str], str]) -> RulingReply:
    placed = change.index.place(_claim(f))
    if isinstance(placed, Dropped):
        return _drop(f, placed.reason, f"Looked up again: {placed.explanation}.")
    first = said.setdefault((f.path, f.side, f.line, f.end_line, bare(f.title.lower())), f.id)
    if first != f.id:
        return _drop(f, DropReason.DUPLICATE, f"{first} says the same of the same lines.")
    where = f"{f.path}:{f.line}"
    if f.touches:
        if _moved(f, change.removed) and not f.severity.at_least(_DOUBT_KEEPS):
            return _drop(f, DropReason.PRE_EXISTING, f"{where} was only moved: the base has the same text elsewhere.")
        verb = "added" if f.side is Side.RIGHT else "removed"
        return _keep(f, f"{where} is {verb} by this change and holds the quoted text.")
    if set(f.raised_by) <= set(change.introduced_only):
        return _keep(f, f"{where} is unchanged, but what is reported there is not reported of the base.")
    if f.severity.at_least(_DOUBT_KEEPS):
        return _keep(f, f"{where} is unchanged; no rule can tell whether the change causes what is said of it.")
    return _drop(f, DropReason.PRE_EXISTING, f"{where} is unchanged: the quoted text stands in the base too.")


def _keep(f: Finding, evidence: str) -> RulingReply:
    if f.category is Category.STYLE and f.severity.rank < _STYLE_CEILING.rank:
        milder = FindingReply(
            path=f.path, line=f.line, end_line=f.end_line, side=f.side, severity=_STYLE_CEILING, category=f.category,
            title=f.title, body=f.body, quote=f.quote, scenario=f.scenario, suggestion=f.suggestion,
        )  # fmt: skip
        evidence = f"{evidence} A matter of style is {_STYLE_CEILING} at most."
        return RulingReply(id=f.id, ruling="rewrite", evidence=evidence, finding=milder)
    return RulingReply(id=f.id, ruling="keep", evidence=evidence)


def _drop(f: Finding, reason: DropReason, evidence: str) -> RulingReply:
    return RulingReply(id=f.id, ruling="drop", reason=reason, evidence=evidence)


def _removed(diff: FrozenDiff) -> frozenset[str]:
    lines = (x for f in diff.files for h in f.hunks for x in h.lines if x.kind is LineKind.REMOVED)
    return frozenset(b for x in lines if (b := bare(x.text)))


def _moved(f: Finding, removed: frozenset[str]) -> bool:
    lines = [b for text in f.quote.split("\n") if (b := bare(text))]
    return (
        f.side is Side.RIGHT
        and sum(len(line.replace(" ", "")) for line in lines) >= _TELLING
        and all(line in removed for line in lines)
    )


def _claim(f: Finding) -> Claim:
    return Claim(
        id=f.id, seat="rules", round=0, path=f.path, side=f.side, line=f.line, end_line=f.end_line,
        severity=f.severity, category=f.category, title=f.title, body=f.body, quote=f.quote,
    )  # fmt: skip
