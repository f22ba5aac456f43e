"""Showing what is recorded: a run's report, its full story, one seat's turns."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from moot.cli.console import Console
from moot.cli.context import Context
from moot.cli.foreground import Output, print_report
from moot.core.change import FrozenDiff
from moot.core.errors import RepositoryError
from moot.core.findings import Claim, Finding
from moot.core.process import Exited
from moot.core.runs import RunStatus
from moot.git.diff import read_diff
from moot.git.run import Git
from moot.ledger import drops, events, findings, runs, seats, turns
from moot.ledger.database import Ledger
from moot.ledger.runs import Run
from moot.ledger.turns import Turn
from moot.proceedings.seating import seat_name
from moot.process.local import LocalProcess
from moot.process.output import read_stdout
from moot.reports import safe
from moot.reports.story import Story, StoryFile, StoryTurn, render, render_seat
from moot.runs.lock import driven
from moot.seats.attempts import job_folder

#: Files of a turn in the order a reader wants them.
FILES = ("prompt.md", "stdout", "stderr", "attempt.json", "schema.json", "job.json", "exit.json", "refused.json")
SHOWN_BYTES = 200_000


def show_report(context: Context, name: str, output: Output) -> None:
    """Print a run's report; of a run that has none yet, how it stands and what to do."""
    console = Console.standard()
    with context.ledger() as ledger:
        run = runs.get(ledger, name)
        result = runs.result(ledger, run.id)
        if result is None and output.format == "json":
            told = {"run": run.id, "status": run.status.value, "verdict": None, "label": run.label}
            console.echo(json.dumps(told, indent=2))
            return
        if result is None:
            console.echo(_standing(run, driven=driven(context.home.runs / run.id)))
            return
        print_report(context, run, result, frozen(run), output, console)


def frozen(run: Run) -> FrozenDiff | None:
    """Return the run's frozen change with its diff, None when its objects are gone."""
    if run.change is None:
        return None
    try:
        return asyncio.run(read_diff(Git(LocalProcess()), run.change))
    except RepositoryError:
        return None


def _standing(run: Run, *, driven: bool) -> str:
    stopped = run.status is RunStatus.RUNNING and not driven
    head = f"{'STOPPED' if stopped else run.status.upper()}   run {run.short}   {safe.line(run.label)}"
    if run.status in (RunStatus.CANCELLED, RunStatus.COMPLETE):
        return f"{head}\nnext: moot show {run.short} --story"
    who = f"process {run.driver.pid} on {run.driver.machine}" if run.driver is not None else "a process"
    if driven:
        return f"{head}\ndriven by {who}\nnext: moot show {run.short} --story"
    gone = f"\n{who}, which drove it, is gone; nothing is lost" if stopped else ""
    return f"{head}{gone}\nnext: moot runs resume {run.short}"


def show_story(context: Context, name: str) -> None:
    """Print everything that is known of a run."""
    console = Console.standard()
    with context.ledger() as ledger:
        told = story(context, ledger, runs.get(ledger, name))
    console.echo(render(told, width=console.width, colour=console.colour).rstrip("\n"))


def show_seat(context: Context, name: str, seat: str) -> None:
    """Print one seat's prompts and replies, and what became of its claims."""
    console = Console.standard()
    with context.ledger() as ledger:
        run = runs.get(ledger, name)
        known = {s.seat: s for s in seats.of_run(ledger, run.id)}
        seat = seat if seat in known or seat_name(seat) not in known else seat_name(seat)
        told = story(context, ledger, run, texts_of=seat)
    if seat in known and all(t.seat != seat for t in told.turns):
        line = known[seat]
        console.echo(f"{safe.line(seat)}   {line.status}: {safe.line(line.note) or 'it was not asked'}")
        return
    console.echo(render_seat(told, seat, width=console.width, colour=console.colour).rstrip("\n"))


def story(context: Context, ledger: Ledger, run: Run, *, texts_of: str | None = None) -> Story:
    """Gather a run's story from the ledger and its folder.

    Args:
        texts_of: a seat whose prompts and replies are read as well.
    """
    folder = context.home.runs / run.id
    found = findings.of_run(ledger, run.id)
    told = drops.of_run(ledger, run.id)
    return Story(
        run=run.short,
        label=run.label,
        status=run.status.value,
        created_at=run.created_at,
        folder=str(folder),
        turns=tuple(
            _turn(folder, t, _kind(run, t.agent), with_texts=t.id.seat == texts_of)
            for t in turns.of_run(ledger, run.id)
        ),
        findings=_standing_findings(found, told_ids={d.finding for d in told}),
        dropped=told,
        unplaced=_unplaced(ledger, run, found, {(d.title, d.path) for d in told}),
        events=events.after(ledger, run.id, 0, 10_000),
    )


def _standing_findings(found: tuple[Finding, ...], told_ids: set[str | None]) -> tuple[Finding, ...]:
    return tuple(f for f in found if f.id not in told_ids)


def _unplaced(ledger: Ledger, run: Run, found: tuple[Finding, ...], dropped: set[tuple[str, str]]) -> tuple[Claim, ...]:
    placed = {c.id for f in found for c in f.claims}
    claims = findings.claims_of_run(ledger, run.id)
    return tuple(c for c in claims if c.id not in placed and (c.title, c.path) not in dropped)


def _kind(run: Run, agent: str) -> str:
    """The kind of an agent as the run's configuration has it; analyzers need none there."""
    stored = run.config
    assert isinstance(stored, dict)
    table = stored["config"]["agents"].get(agent)
    return str(table["kind"]) if table else "analyzer"


def _turn(folder: Path, turn: Turn, kind: str, *, with_texts: bool) -> StoryTurn:
    job = job_folder(folder / "turns", turn.id.seat, turn.id.key, turn.id.attempt)
    state = LocalProcess().look(job) if job.is_dir() else None
    return StoryTurn(
        seat=turn.id.seat,
        node=turn.node,
        key=turn.id.key,
        attempt=turn.id.attempt,
        agent=turn.agent,
        kind=kind,
        model=turn.model or "",
        failure=turn.failure.kind if turn.failure else None,
        detail=turn.failure.detail if turn.failure else "",
        running=turn.ended_at is None,
        started_at=turn.started_at,
        seconds=state.seconds if isinstance(state, Exited) else 0.0,
        usage=turn.usage,
        files=tuple(StoryFile(name, str(job / name)) for name in FILES if (job / name).is_file()),
        prompt=_text(job / "prompt.md") if with_texts else None,
        reply=read_stdout(job, SHOWN_BYTES).data.decode("utf-8", "replace") if with_texts else None,
    )


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
