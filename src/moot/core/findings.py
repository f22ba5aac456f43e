"""Claims, findings and rulings: what seats say about a change and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moot.core.change import Side


class Severity(StrEnum):
    """How bad. Compare with `rank`: 0 is the worst."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NIT = "nit"

    @property
    def rank(self) -> int:
        return _SEVERITIES.index(self)

    def at_least(self, floor: Severity) -> bool:
        return self.rank <= floor.rank


_SEVERITIES = tuple(Severity)


class Category(StrEnum):
    """What kind of defect."""

    CORRECTNESS = "correctness"
    SECURITY = "security"
    PERFORMANCE = "performance"
    CONCURRENCY = "concurrency"
    RESOURCE_LEAK = "resource-leak"
    ERROR_HANDLING = "error-handling"
    BUILD = "build"
    TESTING = "testing"
    DOCUMENTATION = "documentation"
    ARCHITECTURE = "architecture"
    COMPATIBILITY = "compatibility"
    STYLE = "style"


class DropReason(StrEnum):
    """Why a claim or finding is not reported."""

    QUOTE_NOT_FOUND = "quote_not_found"
    OUTSIDE_CHANGE = "outside_change"
    PRE_EXISTING = "pre_existing"
    DUPLICATE = "duplicate"
    CODEBASE_CONVENTION = "codebase_convention"
    IMPOSSIBLE = "impossible"
    SPECULATIVE = "speculative"
    NOT_REPRODUCIBLE = "not_reproducible"
    STYLE_ONLY = "style_only"
    FALSE_CLAIM = "false_claim"
    ENVIRONMENT = "environment"
    BELOW_FLOOR = "below_floor"


class RulingKind(StrEnum):
    """What the judge made of a finding."""

    KEEP = "keep"
    REWRITE = "rewrite"
    DROP = "drop"
    NEW = "new"
    UNVERIFIED = "unverified"


class Disposition(StrEnum):
    """What became of a finding."""

    OPEN = "open"
    FIXED = "fixed"
    REFUTED = "refuted"
    DEFERRED = "deferred"
    UNVERIFIED = "unverified"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Claim:
    """What one seat said about one place: immutable.

    `line` and `end_line` are the seat's own numbers, a hint only; `quote` decides. `id` is unique in the run
    (`reviewer-opus.1.3`: seat, round, position).
    """

    id: str
    seat: str
    round: int
    path: str
    side: Side
    line: int | None
    end_line: int | None
    severity: Severity
    category: Category
    title: str
    body: str
    quote: str
    scenario: str = ""
    suggestion: str = ""
    confidence: float | None = None
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where in the frozen change a quote stands.

    Args:
        path: the file's head path, or its base path on the left side of a deletion.
        line, end_line: 1-based, inclusive, counted on `side`.
        in_hunk: whether every line lies in a hunk of the change; False means elsewhere in a changed file.
        touches: whether a line the change added or removed is among them.
        symbol: enclosing function or class as git names it, or "".
        how: one clause that says how the place was found.
    """

    path: str
    side: Side
    line: int
    end_line: int
    in_hunk: bool
    touches: bool
    symbol: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A claim whose quote was found. `quote` is the text as it stands in the change."""

    claim: Claim
    anchor: Anchor
    quote: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """What is not reported, with the reason a person can check."""

    title: str
    path: str
    line: int | None
    raised_by: tuple[str, ...]
    reason: DropReason
    explanation: str
    finding: str | None = None


@dataclass(frozen=True, slots=True)
class Join:
    """Why a claim was taken for the same defect as a finding. `score` is 0..1."""

    claim: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What running a test on head and base showed. `outcome` is `proved`, `also_fails_on_base`, …"""

    outcome: str
    command: str
    head_output: str = ""
    base_output: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect, made of claims.

    `ruling` is None until a judge has ruled. `in_hunk` is False for a defect outside the hunks that the change
    causes: summary only, never an inline comment.
    """

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
    claims: tuple[Claim, ...]
    joins: tuple[Join, ...] = ()
    agreed_by: tuple[str, ...] = ()
    ruling: RulingKind | None = None
    evidence: str = ""
    ruled_by: str = ""
    proof: Proof | None = None
    disposition: Disposition = Disposition.OPEN
    fingerprint: str = ""
    in_hunk: bool = True
    touches: bool = True
    symbol: str = ""

    @property
    def raised_by(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.seat for c in self.claims))


@dataclass(frozen=True, slots=True)
class Match:
    """A claim matched to a finding: `score` 0..1 and the reason in words."""

    finding: str
    score: float
    why: str
