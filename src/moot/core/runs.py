"""Runs and their results: the shape of what a review says in the end (`moot review --json`, schema 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from moot.core.change import Side
from moot.core.findings import Category, Disposition, DropReason, Proof, RulingKind, Severity
from moot.core.turns import FailureKind, Usage


class Verdict(StrEnum):
    """Computed by code. No agent sets it."""

    APPROVE = "approve"
    COMMENT = "comment"
    REQUEST_CHANGES = "request_changes"
    NOT_REVIEWED = "not_reviewed"


class RunStatus(StrEnum):
    """How a run stands. The first four are of unfinished runs; `resume` takes them and the incomplete ones up."""

    CREATED = "created"
    RUNNING = "running"
    PARKED = "parked"
    STALLED = "stalled"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    NOT_REVIEWED = "not_reviewed"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def finished(self) -> bool:
        return self in _FINISHED

    @property
    def unfinished(self) -> bool:
        """Whether steps are left to do. A run that ended incomplete has none: its failed seats are asked on demand."""
        return not self.finished or self is RunStatus.FAILED


_FINISHED = {
    RunStatus.COMPLETE,
    RunStatus.INCOMPLETE,
    RunStatus.NOT_REVIEWED,
    RunStatus.CANCELLED,
    RunStatus.FAILED,
}


class SeatStatus(StrEnum):
    """How a seat did."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"  # not asked, for the reason in `note`: not installed, does not run this time, no files
    WAITING = "waiting"  # not asked yet


class Reads(StrEnum):
    """What a seat's answer is worth as reading: analyzers parse files, they do not review them."""

    READ = "read"
    SCAN = "scan"
    NONE = "none"  # a judge: rules, is not counted as coverage


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One seat of a finished run.

    `coverage` is 0..1, the share of the change's non-skipped files it demonstrably read (None: unknown, as for
    prose reviewers). `agent` is who sat there in the end, `replaced` who was to sit there first. `trail` is one
    line per failure met on the way and what was done about it.
    """

    seat: str
    agent: str
    kind: str
    status: SeatStatus
    reads: Reads
    failure: FailureKind | None = None
    note: str = ""
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    coverage: float | None = None
    read: tuple[str, ...] = ()
    seconds: float = 0.0
    findings: int = 0
    required: bool = False
    optional: bool = False
    replaced: str | None = None
    trail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path of the change that nobody was asked to read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of the change was demonstrably read by at least one reading seat, and what only analyzers parsed."""

    files: int
    read: int
    unread: tuple[str, ...] = ()
    scanned: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruled:
    """The pure verdict function's answer. `reasons` are whole sentences, the deciding one first."""

    verdict: Verdict
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResultChange:
    """The change as the result names it."""

    repo: str
    base: str
    head: str
    merge_base: str
    files: int
    added: int
    removed: int
    source: str
    label: str
    base_name: str = ""
    head_name: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultFinding:
    """A reported finding."""

    id: str
    path: str
    side: Side
    line: int
    end_line: int
    severity: Severity
    category: Category
    title: str
    body: str
    quote: str
    scenario: str
    suggestion: str
    raised_by: tuple[str, ...]
    agreed_by: tuple[str, ...]
    ruling: RulingKind
    evidence: str
    proof: Proof | None
    disposition: Disposition
    fingerprint: str
    in_hunk: bool = True
    shown: bool = True  # False: below the floor for showing, listed only with --all


@dataclass(frozen=True, slots=True)
class ResultDropped:
    """What was dropped and why."""

    title: str
    path: str
    line: int | None
    raised_by: tuple[str, ...]
    reason: DropReason
    explanation: str


@dataclass(frozen=True, slots=True)
class Round:
    """One exchange: who was asked, who failed."""

    round: int
    reviewers: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A `[review] checks` command's outcome on head. `ok` is None where it could not be run."""

    command: str
    ok: bool | None
    seconds: float
    tail: str


@dataclass(frozen=True, slots=True)
class Result:
    """A finished review, whole. The JSON of `moot review --json`; its JSON Schema is `moot config schema --result`."""

    run: str
    proceeding: str
    status: RunStatus
    verdict: Verdict
    verdict_reasons: tuple[str, ...]
    change: ResultChange
    findings: tuple[ResultFinding, ...]
    dropped: tuple[ResultDropped, ...]
    seats: tuple[SeatResult, ...]
    coverage: Coverage
    usage: Usage
    artifacts: str
    schema: int = 1
    analysis: str | None = None
    focus_areas: tuple[str, ...] = ()
    conclusion: str | None = None
    audited: bool | None = None
    converged_at_round: int | None = None
    rounds: tuple[Round, ...] = ()
    posted: None = None
    checks: tuple[Check, ...] = ()
    prose: dict[str, str] = field(default_factory=dict)  # seat → what a prose reviewer wrote
    notices: tuple[str, ...] = ()  # no boundary, no model judged, configuration differs from base, …
    judge: str = ""
    seconds: float = 0.0
    finished_at: datetime | None = None
    budget_usd: float | None = None
