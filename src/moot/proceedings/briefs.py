"""What the seats of a review are told: prompts from the run, its conventions and its change files. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.findings import Finding
from moot.core.replies import JudgeReply, ReviewReply
from moot.core.turns import Prompt
from moot.git.trees import Convention
from moot.prompts.render import render, schema_text
from moot.seats.run import Run, Seat


@dataclass(frozen=True, slots=True)
class Files:
    """Paths of the run's files, absolute, that prompts name.

    Args:
        changes: the frozen change, one file per batch.
        checks: what the project's checks printed, if any were run.
        prose: what prose reviewers wrote, if there are any.
    """

    changes: tuple[str, ...]
    checks: str | None = None
    prose: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What all prompts of a run share.

    Args:
        sparse: whether checkouts hold only a part of the code base.
        instructions: the repository's own, as of the base.
    """

    sparse: bool
    instructions: tuple[Convention, ...] = ()


def review(run: Run, seat: Seat, setting: Setting, files: Files, batch: int, *, reports: str | None = None) -> Prompt:
    """Return the prompt of a reviewer for one batch, counted from 0.

    Args:
        reports: the file with the reports that this seat reads, for roles with `after`.
    """
    shared = {
        "change_file": files.changes[batch],
        "batch": batch + 1,
        "batches": len(files.changes),
        "role_prompt": seat.prompt,
        "schema": schema_text(ReviewReply) if seat.agent.reply == "json" else "",
        "language": run.config.language,
    }
    full = render(
        "review",
        **shared,
        sparse=setting.sparse,
        has_git=seat.agent.kind != "claude",
        shell=seat.agent.kind != "claude",
        reports_file=reports,
        checks_file=files.checks,
        **_conventions(run, setting, run.config.prompts.review),
    )
    return Prompt("review", full, render("rereview", **shared) if batch == 0 else full)


def judge(
    run: Run, seat: Seat, setting: Setting, files: Files, findings: Sequence[Finding], *, remembers: bool
) -> Prompt:
    """Return the judge's prompt. `remembers`: it reviewed this very change in its conversation."""
    shared = {
        "checks_file": files.checks,
        "prose_file": files.prose,
        "findings": candidates(findings),
        "schema": schema_text(JudgeReply),
        "language": run.config.language,
    }
    full = render(
        "judge",
        **shared,
        change_files=files.changes,
        sparse=setting.sparse,
        role_prompt=seat.prompt,
        **_conventions(run, setting, run.config.prompts.judge),
    )
    return Prompt("judge", full, render("judge_live", **shared) if remembers else None)


def judge_rest(run: Run, first: Prompt, missing: Sequence[str]) -> Prompt:
    """Return the prompt that asks for the rulings a judge left out."""
    rest = render("judge_rest", missing=list(missing), schema=schema_text(JudgeReply), language=run.config.language)
    return Prompt("judge", f"{first.full}\n{rest}", rest)


def candidates(findings: Sequence[Finding]) -> str:
    """Return the findings as the judge sees them: ids, never seats."""
    shown = [
        {
            "id": f.id, "path": f.path, "side": f.side.value, "line": f.line, "end_line": f.end_line,
            "severity": f.severity.value, "category": f.category.value, "title": f.title, "body": f.body,
            "quote": f.quote, "scenario": f.scenario, "suggestion": f.suggestion,
            "in_change": f.in_hunk,
        }
        for f in findings
    ]  # fmt: skip
    return json.dumps(shown, indent=1, ensure_ascii=False)


def _conventions(run: Run, setting: Setting, own: str) -> dict[str, object]:
    return {
        "conventions": "\n\n".join(t for t in (run.config.prompts.all.strip(), own.strip()) if t),
        "base_instructions": setting.instructions,
    }
