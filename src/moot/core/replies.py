"""What seats reply: the pydantic schemas that prompts carry, CLIs enforce and the parser checks.

A reply that contradicts itself does not validate, so it can never be taken for a clean one: `{}`, an error
object, a `reject` without findings, an unnamed ruling.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from moot.core.change import Side
from moot.core.findings import Category, DropReason, Severity

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
Loose = Annotated[str, BeforeValidator(lambda v: "" if v is None else v), StringConstraints(max_length=40_000)]
Whole = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]  # what every database and reader can hold
Number = Annotated[Whole, Field(ge=0)]

_SEVERITY_WORDS = {
    "p0": "critical", "blocker": "critical",
    "p1": "high", "major": "high", "error": "high",
    "p2": "medium", "moderate": "medium", "warning": "medium",
    "p3": "low", "minor": "low", "info": "low",
    "nitpick": "nit", "style": "nit", "trivial": "nit",
}  # fmt: skip


def _severity(value: Any) -> Any:
    if isinstance(value, str):
        word = value.strip().lower()
        return _SEVERITY_WORDS.get(word, word)
    return value


def _category(value: Any) -> Any:
    if value is None:
        return Category.CORRECTNESS
    if isinstance(value, str):
        word = value.strip().lower().replace("_", "-").replace(" ", "-")
        return word if word in set(Category) else Category.CORRECTNESS
    return value


def _side(value: Any) -> Any:
    if value is None:
        return Side.RIGHT
    if isinstance(value, str):
        word = value.strip().upper()
        return {"OLD": "LEFT", "BASE": "LEFT", "NEW": "RIGHT", "HEAD": "RIGHT", "": "RIGHT"}.get(word, word)
    return value


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ProofReply(_Model):
    """A test that fails on head and passes on base."""

    path: Text
    content: Text
    command: Text


class FindingReply(_Model):
    """One defect as a seat reports it."""

    path: Text
    line: Number | None = None
    end_line: Number | None = None
    side: Annotated[Side, BeforeValidator(_side)] = Side.RIGHT
    severity: Annotated[Severity, BeforeValidator(_severity)]
    category: Annotated[Category, BeforeValidator(_category)] = Category.CORRECTNESS
    title: Text
    body: Text
    quote: Text
    scenario: Loose = ""
    suggestion: Loose = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    proof: ProofReply | None = None


class Refutation(_Model):
    """A finding of another seat, disproved."""

    id: Text
    evidence: Text


class ReviewReply(_Model):
    """Reply to `review` and `debate`."""

    summary: Text
    vote: Literal["approve", "approve_with_findings", "reject"] | None = None
    findings: list[FindingReply] = Field(max_length=200)
    receipts: list[str] = Field(default_factory=list, max_length=20_000)
    agrees: list[str] = Field(default_factory=list)
    refutes: list[Refutation] = Field(default_factory=list)

    @model_validator(mode="after")
    def _consistent(self) -> ReviewReply:
        if self.vote in ("reject", "approve_with_findings") and not self.findings and not self.agrees:
            raise ValueError(f"the vote is {self.vote!r} but there is no finding")
        return self


class RulingReply(_Model):
    """What the judge makes of one finding."""

    id: Text
    ruling: Literal["keep", "rewrite", "drop"]
    reason: DropReason | None = None
    evidence: Text
    finding: FindingReply | None = None

    @model_validator(mode="after")
    def _consistent(self) -> RulingReply:
        if self.ruling == "drop" and self.reason is None:
            raise ValueError(f"{self.id} is dropped without a reason")
        if self.ruling == "rewrite" and self.finding is None:
            raise ValueError(f"{self.id} is rewritten without the new finding")
        return self


class JudgeReply(_Model):
    """Reply to `judge` and `audit`."""

    summary: Text
    rulings: list[RulingReply] = Field(max_length=1000)
    new: list[FindingReply] = Field(default_factory=list, max_length=200)


class ProbeReply(_Model):
    """Reply to `moot doctor --probe`."""

    answer: Text


class CodexLineRange(_Model):
    start: Whole
    end: Whole


class CodexLocation(_Model):
    absolute_file_path: Text
    line_range: CodexLineRange


class CodexFinding(_Model):
    """One finding in the form of Codex's own review command (titles begin `[P0]`..`[P3]`)."""

    title: Text
    body: Text
    confidence_score: float | None = None
    priority: Whole | None = None
    code_location: CodexLocation


class CodexReview(_Model):
    """The JSON of Codex's review command, accepted wherever a review is expected."""

    findings: list[CodexFinding] = Field(max_length=200)
    overall_correctness: Literal["patch is correct", "patch is incorrect"]
    overall_explanation: Text

    @model_validator(mode="after")
    def _consistent(self) -> CodexReview:
        if self.overall_correctness == "patch is incorrect" and not self.findings:
            raise ValueError("the patch is called incorrect but there is no finding")
        return self


#: The structure expected of each node, by name; a node that is not here answers in prose.
SCHEMAS: dict[str, type[BaseModel]] = {
    "review": ReviewReply,
    "debate": ReviewReply,
    "judge": JudgeReply,
    "probe": ProbeReply,
}
