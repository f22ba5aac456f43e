"""From what a seat wrote to claims: the structure it was asked for, wherever in its reply it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from pydantic import BaseModel, ValidationError

from moot.core.change import Side
from moot.core.data import JSON
from moot.core.findings import Claim, Dropped, DropReason, Severity
from moot.core.limits import MAX_REPLY_BYTES
from moot.core.replies import CodexFinding, CodexReview, FindingReply, ReviewReply
from moot.core.turns import FailureKind, Problem
from moot.findings.json_scan import objects

#: Stands for the quote of a finding that names lines and quotes nothing (Codex's form). No seat may write it itself.
LINES_THEMSELVES = "⟦the lines themselves⟧"

_MOST_COMPLAINTS = 3
_PRIORITY = re.compile(r"\s*\[P([0-3])\]\s*")
_SEVERITIES = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW)
_NO_DEFECT = re.compile(
    r"\s*(?:no (?:issues?|defects?|problems?|bugs?|findings?|concerns?)(?: (?:were |was )?(?:found|detected|here))?"
    r"|looks good(?: to me)?|lgtm|not an? (?:issue|bug|defect|problem)|nothing to report)\W*\Z",
    re.IGNORECASE,
)


def parse_reply(text: str, data: JSON, schema: type[BaseModel], root: str = "") -> BaseModel | Problem:
    """Return the structure a seat was asked for, or what is wrong with its reply.

    Args:
        text: the final text. The last JSON object in it that satisfies the schema counts, at any depth, in a fence or
            in prose; but a draft does not stand in for a later object that has all the keys asked for and is wrong, or
            for one that is cut off.
        data: the structure the CLI itself delivered; it goes before the text.
        schema: what was asked for. Where it is `ReviewReply`, the JSON of Codex's own review is accepted too and
            turned into one.
        root: the seat's checkout, to make Codex's absolute paths relative.
    """
    if len(text) > MAX_REPLY_BYTES:
        return Problem(FailureKind.MALFORMED, f"the reply is longer than {MAX_REPLY_BYTES:,} characters")
    found = objects(text)
    best: tuple[int, Problem] | None = None
    for value in ([] if data is None else [data]) + list(reversed(found.values)):
        for candidate in _inside(value):
            form = _form(candidate, schema)
            needed = _required(form)
            present = len(candidate.keys() & needed)
            if best is not None and present < len(needed) and present <= best[0]:
                continue
            result = _fit(candidate, form, root)
            if not isinstance(result, Problem) or present == len(needed):
                return result
            if best is None or present > best[0]:
                best = present, result
    if found.cut:
        return Problem(FailureKind.MALFORMED, "the JSON object is cut off")
    if best is not None:
        return best[1]
    if data is None and not text.strip():
        return Problem(FailureKind.EMPTY, "the reply is empty")
    return Problem(FailureKind.MALFORMED, "no JSON object found")


def claims_of(reply: ReviewReply, seat: str, round_: int, first: int = 1) -> tuple[Claim, ...]:
    """Return what a seat's review claims, in its order.

    Args:
        round_: of the run, from 1.
        first: number of the first claim, for a seat that answers a round in several replies.
    """
    return tuple(
        claim_of(finding, f"{seat}.{round_}.{n}", seat, round_) for n, finding in enumerate(reply.findings, first)
    )


def claim_of(finding: FindingReply, id_: str, seat: str, round_: int) -> Claim:
    """Return one finding of a reply as a claim. Its `proof` is the test as JSON, "" without one."""
    return Claim(
        id=id_, seat=seat, round=round_, path=finding.path, side=finding.side,
        line=finding.line or None, end_line=finding.end_line or None,
        severity=finding.severity, category=finding.category, title=finding.title, body=finding.body,
        quote="" if finding.quote == LINES_THEMSELVES else finding.quote,
        scenario=finding.scenario, suggestion=finding.suggestion, confidence=finding.confidence,
        proof=finding.proof.model_dump_json() if finding.proof is not None else "",
    )  # fmt: skip


def says_nothing(claim: Claim) -> Dropped | None:
    """Return the claim as dropped when its own title says that there is no defect."""
    if not _NO_DEFECT.match(claim.title):
        return None
    why = f'its own title says that there is no defect: "{claim.title}"'
    return Dropped(claim.title, claim.path, claim.line, (claim.seat,), DropReason.FALSE_CLAIM, why)


def _inside(value: JSON) -> Iterator[dict[str, object]]:
    """Yield the objects in a value: outer before inner, later before earlier."""
    waiting: list[JSON] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def _form(candidate: dict[str, object], schema: type[BaseModel]) -> type[BaseModel]:
    if issubclass(schema, ReviewReply) and "overall_correctness" in candidate:
        return CodexReview
    return schema


@lru_cache
def _required(schema: type[BaseModel]) -> frozenset[str]:
    return frozenset(name for name, field in schema.model_fields.items() if field.is_required())


def _fit(candidate: dict[str, object], schema: type[BaseModel], root: str) -> BaseModel | Problem:
    if candidate.get("error") and "error" not in schema.model_fields:
        return Problem(FailureKind.MALFORMED, f"the reply is an error object: {_short(candidate['error'])}")
    try:
        reply = schema.model_validate(candidate)
    except ValidationError as error:
        return Problem(FailureKind.MALFORMED, _complaints(error))
    if isinstance(reply, CodexReview):
        return from_codex(reply, root)
    if isinstance(reply, ReviewReply):
        for n, finding in enumerate(reply.findings):
            if finding.quote == LINES_THEMSELVES:
                return Problem(FailureKind.MALFORMED, f"findings.{n}.quote: not a quote")
    return reply


def _complaints(error: ValidationError) -> str:
    told = [
        f"{'.'.join(map(str, e['loc']))}: {_message(e['msg'])}" if e["loc"] else _message(e["msg"])
        for e in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    more = len(told) - _MOST_COMPLAINTS
    return "; ".join(told[:_MOST_COMPLAINTS]) + (f"; and {more} more" if more > 0 else "")


def _message(text: str) -> str:
    text = text.removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


def _short(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("message", value)
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else f"{text[:199]}…"


def from_codex(review: CodexReview, root: str) -> ReviewReply:
    """Return a review in Codex's form as the usual reply. It names lines and quotes nothing, and has no receipts."""
    vote = "reject" if review.overall_correctness == "patch is incorrect" else None
    return ReviewReply.model_validate(
        {
            "summary": review.overall_explanation,
            "vote": vote or ("approve_with_findings" if review.findings else "approve"),
            "findings": [_codex_finding(f, root) for f in review.findings],
        }
    )


def _codex_finding(finding: CodexFinding, root: str) -> dict[str, object]:
    prefix = _PRIORITY.match(finding.title)
    priority = int(prefix[1]) if prefix else finding.priority
    lines = finding.code_location.line_range
    first, last = max(1, lines.start), max(1, lines.start, lines.end)
    confidence = finding.confidence_score
    return {
        "path": _relative(finding.code_location.absolute_file_path, root),
        "line": first,
        "end_line": last,
        "side": Side.RIGHT,
        "severity": _SEVERITIES[priority] if priority is not None and 0 <= priority <= 3 else Severity.MEDIUM,
        "title": (finding.title[prefix.end() :] if prefix else finding.title).strip() or finding.title,
        "body": finding.body,
        "quote": LINES_THEMSELVES,
        "confidence": None if confidence is None else min(1.0, max(0.0, confidence)),
    }


def _relative(path: str, root: str) -> str:
    if root and PurePosixPath(path).is_relative_to(root):
        return str(PurePosixPath(path).relative_to(root))
    return path
