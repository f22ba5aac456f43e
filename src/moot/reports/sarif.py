"""The findings as SARIF 2.1.0 (OASIS Standard), for code scanning and editors.

A finding on the base side is located below the base id `BASE`, whose revision stands in the provenance; all others
below `HEAD`. What was dropped is no result (consumers show suppressed results as if they were open) but stands in the
run's property bag. Findings settled earlier are results with a suppression.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import quote

import moot
from moot.core.change import FrozenDiff, Side
from moot.core.data import JSON
from moot.core.findings import Category, Disposition, Severity
from moot.core.runs import Result, ResultFinding, RunStatus, SeatStatus
from moot.reports import inert, safe, turnout, wording
from moot.reports.json import dumps

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVEL = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.NIT: "note",
}
_RULES = {
    Category.CORRECTNESS: "The code does not do what it is meant to do.",
    Category.SECURITY: "The code can be made to do harm.",
    Category.PERFORMANCE: "The code takes more time or memory than it needs.",
    Category.CONCURRENCY: "The code goes wrong when things happen at the same time.",
    Category.RESOURCE_LEAK: "The code does not give back what it took.",
    Category.ERROR_HANDLING: "The code hides, loses or mistakes an error.",
    Category.BUILD: "The change breaks or endangers the build.",
    Category.TESTING: "A test is missing, wrong or proves nothing.",
    Category.DOCUMENTATION: "What is written does not fit what is done.",
    Category.ARCHITECTURE: "The code is in the wrong place or knows too much.",
    Category.COMPATIBILITY: "The change breaks something that others rely on.",
    Category.STYLE: "The code is harder to read than it has to be.",
}
_SETTLED = (Disposition.FIXED, Disposition.REFUTED, Disposition.DEFERRED, Disposition.WITHDRAWN)
_EMBEDDED_LINK = re.compile(r"\](?=\()")

_Object = dict[str, JSON]


def render(result: Result, *, diff: FrozenDiff | None, all_: bool) -> str:
    """Return one SARIF log with one run, ending with a line feed.

    Args:
        diff: the frozen change; with it, paths that are not UTF-8 are encoded from their bytes.
        all_: findings below the floor for showing too.
    """
    rules = list(_RULES)
    found = wording.findings(result, all_=all_)
    run: _Object = {
        "tool": {
            "driver": {
                "name": "moot",
                "version": moot.__version__,
                "semanticVersion": moot.__version__,
                "rules": [_rule(category) for category in rules],
            }
        },
        "automationDetails": {"id": f"moot/{result.proceeding}/{result.run}"},
        "invocations": [_invocation(result)],
        "versionControlProvenance": _provenance(result),
        "originalUriBaseIds": {
            "HEAD": {"description": {"text": "The repository as the change leaves it."}},
            "BASE": {"description": {"text": "The repository as it was before the change."}},
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, rules, result, diff) for f in found],
        "properties": _properties(result),
    }
    log: _Object = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return dumps(log)


def _rule(category: Category) -> _Object:
    name = "".join(word.capitalize() for word in category.split("-"))
    return {"id": category.value, "name": name, "shortDescription": {"text": _RULES[category]}}


def _result(f: ResultFinding, rules: list[Category], result: Result, diff: FrozenDiff | None) -> _Object:
    found: _Object = {
        "ruleId": f.category.value,
        "ruleIndex": rules.index(f.category),
        "level": _LEVEL[f.severity],
        "message": {"text": _plain(f), "markdown": _markdown(f)},
        "locations": [{"physicalLocation": _location(f, diff)}],
        "properties": {
            "id": safe.line(f.id),
            "severity": f.severity.value,
            "side": f.side.value,
            "ruling": f.ruling.value,
            "disposition": f.disposition.value,
            "raisedBy": list(map(safe.line, f.raised_by)),
            "agreedBy": list(map(safe.line, f.agreed_by)),
            "evidence": safe.clean(f.evidence),
            "insideHunks": f.in_hunk,
            "proof": f.proof.outcome if f.proof else None,
        },
    }
    if f.fingerprint:
        found["partialFingerprints"] = {"mootFingerprint/v1": safe.line(f.fingerprint)}
    if f.disposition in _SETTLED:
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": f.disposition.value}]
    return found


def _plain(f: ResultFinding) -> str:
    parts = [safe.line(f.title), safe.clean(f.body)]
    parts += [f"Scenario: {safe.clean(f.scenario)}"] if f.scenario.strip() else []
    parts += [f"Fix: {safe.clean(f.suggestion)}"] if f.suggestion.strip() else []
    parts += [f"Line {f.line} is counted in the base version."] if f.side is Side.LEFT else []
    return _EMBEDDED_LINK.sub("] ", "\n\n".join(filter(None, (p.strip() for p in parts))))


def _markdown(f: ResultFinding) -> str:
    parts = [f"**{inert.text(f.title)}**", inert.prose(f.body)]
    parts += [f"**Scenario:**\n\n{inert.prose(f.scenario)}"] if f.scenario.strip() else []
    parts += [f"**Fix:**\n\n{inert.prose(f.suggestion)}"] if f.suggestion.strip() else []
    return "\n\n".join(filter(None, parts))


def _location(f: ResultFinding, diff: FrozenDiff | None) -> _Object:
    region: _Object = {"startLine": max(1, f.line), "endLine": max(1, f.line, f.end_line)}
    if f.quote:
        region["snippet"] = {"text": "\n".join(map(safe.code, f.quote.split("\n")))}
    base = "BASE" if f.side is Side.LEFT else "HEAD"
    return {"artifactLocation": {"uri": _uri(f, diff), "uriBaseId": base}, "region": region}


def _uri(f: ResultFinding, diff: FrozenDiff | None) -> str:
    file = diff.file(f.path) if diff else None
    raw = None
    if file is not None:
        raw = file.old_raw if f.side is Side.LEFT and file.old_path == f.path else file.new_raw or file.old_raw
    return quote(raw if raw is not None else f.path.encode("utf-8", "replace"), safe="/")


def _invocation(result: Result) -> _Object:
    failed = [s for s in result.seats if s.status is SeatStatus.FAILED]
    notes = [("note", n) for n in (*result.change.notes, *result.notices)]
    notes += [("error" if s.required else "warning", f"{s.seat}: {_why(result, s.seat)}") for s in failed]
    notes += [("note", f"nobody read {safe.path(p)}") for p in result.coverage.unread]
    done: _Object = {
        "executionSuccessful": result.status is RunStatus.COMPLETE,
        "toolExecutionNotifications": [{"level": level, "message": {"text": safe.line(text)}} for level, text in notes],
    }
    if result.finished_at is not None:
        done["endTimeUtc"] = result.finished_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return done


def _why(result: Result, name: str) -> str:
    found = next(s for s in result.seats if s.seat == name)
    return turnout.seat(found, turnout.seat_names(result)).detail or "failed"


def _provenance(result: Result) -> list[JSON]:
    """Which revisions the two base ids stand for. The repository's address is required by the standard."""
    c = result.change
    repository = PurePosixPath(c.repo).as_uri() if c.repo.startswith("/") else quote(c.repo, safe="/")
    return [
        {"repositoryUri": repository, "revisionId": c.head, "mappedTo": {"uriBaseId": "HEAD"}},
        {"repositoryUri": repository, "revisionId": c.merge_base, "mappedTo": {"uriBaseId": "BASE"}},
    ]


def _properties(result: Result) -> _Object:
    return {
        "verdict": result.verdict.value,
        "verdictReasons": list(map(safe.line, result.verdict_reasons)),
        "status": result.status.value,
        "coverage": {"files": result.coverage.files, "read": result.coverage.read},
        "dropped": [
            {
                "title": safe.line(d.title),
                "path": safe.path(d.path),
                "line": d.line,
                "raisedBy": list(map(safe.line, d.raised_by)),
                "reason": d.reason.value,
                "explanation": safe.clean(d.explanation),
            }
            for d in result.dropped
        ],
    }
