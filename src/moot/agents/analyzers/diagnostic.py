"""What one tool says about one place, in the only form the rest of this room knows."""

from __future__ import annotations

from dataclasses import dataclass

from moot.core.findings import Category, Severity


class ToolFailed(Exception):
    """The tool brought nothing that can be read. The message is one line for a person."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How bad a rule's findings are, and of what kind, by our own judgement."""

    severity: Severity
    category: Category


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One result of a tool.

    Args:
        rule: the tool's own name of the check.
        path: relative to the scanned side's directory.
        message: what is wrong, as the tool words it.
        line, end_line: 1-based, inclusive; None when the tool means the whole file.
        level: SARIF's word: `error`, `warning`, `note` or `none`.
        why: what makes it a defect, one paragraph, or "".
        url: where the rule is explained, or "".
        fix: what the tool would change, in words, or "".
        tags: the rule's own labels (`security`, …).
        score: the CVSS-like `security-severity` of SARIF producers, 0 to 10.
        grade: set where the rule is ours and carries its grade; None otherwise.
    """

    rule: str
    path: str
    message: str
    line: int | None = None
    end_line: int | None = None
    level: str = "warning"
    why: str = ""
    url: str = ""
    fix: str = ""
    tags: tuple[str, ...] = ()
    score: float | None = None
    grade: Grade | None = None

    @property
    def last_line(self) -> int | None:
        return self.end_line if self.end_line is not None else self.line
