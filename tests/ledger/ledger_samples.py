"""Values to put in a ledger; what matters to a test is said by keyword."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from moot.core.change import Change, Side, Source
from moot.core.findings import Category, Claim, Finding, Severity
from moot.core.runs import Coverage, Reads, Result, ResultChange, RunStatus, SeatResult, SeatStatus, Skipped, Verdict
from moot.core.turns import FailureKind, Usage

NOW = datetime(2026, 11, 30, 15, 30, 12, 345678, tzinfo=UTC)


def later(seconds: float = 0, **more: float) -> datetime:
    return NOW + timedelta(seconds=seconds, **more)


CHANGE = Change(
    repo="/repo",
    store="/store",
    base="a" * 40,
    head="b" * 40,
    merge_base="a" * 40,
    base_name="main",
    head_name="topic",
    source=Source.BRANCH,
    subject="/repo#topic",
    notes=("submodule vendored left out",),
)


SEAT = SeatResult(
    seat="reviewer-opus",
    agent="opus",
    kind="claude",
    status=SeatStatus.FAILED,
    reads=Reads.READ,
    failure=FailureKind.USAGE_LIMIT,
    note="handed to sonnet",
    turns=2,
    usage=Usage(10, 20, 5, 0.5),
    coverage=0.5,
    read=("src/a.py", "src/b.py"),
    seconds=12.5,
    findings=3,
    required=True,
    replaced="gpt",
    trail=("usage limit: next model",),
)
RESULT = Result(
    run="20261130-153012-7f3a",
    proceeding="review",
    status=RunStatus.COMPLETE,
    verdict=Verdict.COMMENT,
    verdict_reasons=("two low findings",),
    change=ResultChange("/repo", "a", "b", "a", 1, 2, 3, "branch", "topic → main"),
    findings=(),
    dropped=(),
    seats=(SEAT, SeatResult("judge", "opus", "claude", SeatStatus.OK, Reads.NONE)),
    coverage=Coverage(1, 1, skipped=(Skipped("package-lock.json", "generated"),)),
    usage=Usage(10, 20),
    artifacts="/runs/x",
    finished_at=later(30),
)


def claim(id_: str = "reviewer-a.1.1", **matters: object) -> Claim:
    usual: dict[str, object] = {
        "id": id_,
        "seat": id_.partition(".")[0],
        "round": 1,
        "path": "src/retry.py",
        "side": Side.RIGHT,
        "line": 88,
        "end_line": None,
        "severity": Severity.HIGH,
        "category": Category.CORRECTNESS,
        "title": "Retry loop never ends",
        "body": "A zero delay skips the attempt counter.",
        "quote": "while True:",
        "confidence": 0.75,
    }
    return Claim(**usual | matters)


def finding(id_: str, *claims: Claim, **matters: object) -> Finding:
    usual: dict[str, object] = {
        "id": id_,
        "path": "src/retry.py",
        "side": Side.RIGHT,
        "line": 88,
        "end_line": 90,
        "severity": Severity.HIGH,
        "category": Category.CORRECTNESS,
        "title": "Retry loop never ends",
        "body": "A zero delay skips the attempt counter.",
        "quote": "while True:",
        "scenario": "Retry-After: 0",
        "suggestion": "count every attempt",
        "claims": claims,
        "agreed_by": ("reviewer-b",),
        "fingerprint": "f00d",
        "symbol": "def retry",
    }
    return Finding(**usual | matters)
