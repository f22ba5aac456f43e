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
from moot.seats.attempts import digest
from moot.seats.run import Run, Seat


@dataclass(frozen=True, slots=True)
class Laid:
    """A file that was laid out for a seat. `about` stands for its content, as in `Prompt.about`."""

    path: str
    about: str


@dataclass(frozen=True, slots=True)
class Files:
    """The run's files that prompts name, with absolute paths.

    Args:
        changes: the frozen change, one file per batch.
        checks: what the project's checks printed, if any were run.
        prose: what prose reviewers wrote, if there are any.
    """

    changes: tuple[str, ...]
    checks: Laid | None = None
    prose: Laid | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What all prompts of a run share.

    Args:
        sparse: whether checkouts hold only a part of the code base.
        instructions: the repository's own, as of the base.
    """

    sparse: bool
    instructions: tuple[Convention, ...] = ()


def review(run: Run, seat: Seat, setting: Setting, files: Files, batch: int, *, reports: Laid | None = None) -> Prompt:
    """Return the prompt of a reviewer for one batch, counted from 0.

    Args:
        reports: what other seats reported, for roles with `after`.
    """
    shared = {
        "change_file": files.changes[batch],
        "batch": batch + 1,
        "batches": len(files.changes),
        "role_prompt": seat.prompt,
        "schema": schema_text(ReviewReply) if seat.agent.reply == "json" else "",
        "language": run.config.language,
        "reports_file": reports.path if reports else None,
        "checks_file": files.checks.path if files.checks else None,
    }
    full = render(
        "review",
        **shared,
        sparse=setting.sparse,
        has_git=seat.agent.kind != "claude",
        shell=seat.agent.kind != "claude",
        **_conventions(run, setting, run.config.prompts.review),
    )
    live = render("rereview", **shared) if batch == 0 else full
    return Prompt("review", full, live, about=_about(reports, files.checks))


def judge(
    run: Run, seat: Seat, setting: Setting, files: Files, findings: Sequence[Finding], *, continues: str | None
) -> Prompt:
    """Return the judge's prompt. `continues`: the conversation in which it has reviewed this very change."""
    shared = {
        "checks_file": files.checks.path if files.checks else None,
        "prose_file": files.prose.path if files.prose else None,
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
    live = render("judge_live", **shared) if continues is not None else None
    return Prompt("judge", full, live, about=_about(files.checks, files.prose), continues=continues)


def judge_rest(run: Run, first: Prompt, missing: Sequence[str], *, continues: str | None) -> Prompt:
    """Return the prompt that asks for the rulings a judge left out. `continues`: where it gave the others."""
    rest = render("judge_rest", missing=list(missing), schema=schema_text(JudgeReply), language=run.config.language)
    return Prompt("judge", f"{first.full}\n{rest}", rest, about=first.about, continues=continues)


def _about(*laid: Laid | None) -> str:
    return digest(*(file.about for file in laid if file is not None))


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
