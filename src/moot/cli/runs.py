"""`moot runs …`, `moot show` and bare `moot`: what runs there are, what came of them, and what to do with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.choices import FORMATS
from moot.cli.complete import complete_run, complete_seat
from moot.cli.context import Context
from moot.cli.lazy import LazyGroup

if TYPE_CHECKING:
    from moot.ledger.views import RunLine


@click.group(cls=LazyGroup)
def runs() -> None:
    """List, show, resume, park, cancel and remove runs. RUN is an id or the beginning of one."""


@runs.command("list")
@click.option("--here", is_flag=True, help="Only runs of the repository you are in.")
@click.option("--unfinished", is_flag=True, help="Only runs that have not ended: running, parked, stalled.")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_(context: Context, here: bool, unfinished: bool, limit: int, as_json: bool) -> None:
    """List runs, newest first."""
    from moot.ledger import views

    repo = str(_top_level()) if here else None
    found = views.list_runs(context.ledger_url(), repo=repo, unfinished=unfinished, limit=limit)
    if as_json:
        click.echo(json.dumps([_as_json(r) for r in found], indent=2))
        return
    if not found:
        click.echo("no run like that" if here or unfinished else "no runs yet.   next: moot review, or moot demo")
        return
    for line in _table(found, context.home.runs):
        click.echo(line)


def _as_json(run: RunLine) -> dict[str, object]:
    from dataclasses import asdict

    return {k: v.isoformat() if hasattr(v, "isoformat") else v for k, v in asdict(run).items()}


def _table(found: tuple[RunLine, ...], folder: Path) -> list[str]:
    from datetime import UTC, datetime

    from moot.reports import numbers, safe
    from moot.runs.lock import driven

    now = datetime.now(UTC)
    rows = []
    for run in found:
        verdict = (run.verdict or "").replace("_", " ")
        said = run.status if not verdict or run.status not in ("complete", "incomplete") else verdict
        if run.status == "incomplete":
            said += " (incomplete)"
        if run.status == "running" and not driven(folder / run.id):
            said = "stopped"
        cost = f"${run.cost_usd:.2f}" if run.cost_usd is not None else ""
        rows.append((run.short, numbers.ago(run.created_at, now), said, str(run.findings), cost, safe.line(run.label)))
    heads = ("RUN", "WHEN", "OUTCOME", "FINDINGS", "COST", "CHANGE")
    widths = [max(len(r[i]) for r in (heads, *rows)) for i in range(5)]
    return [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[5]]) for row in (heads, *rows)
    ]


@runs.command("show", short_help="Show a run: its report, its whole story, or one of its seats.")
@click.argument("run", required=False, shell_complete=complete_run)
@click.argument("seat", required=False, shell_complete=complete_seat)
@click.option("--format", "format_", type=click.Choice(FORMATS), help="How to print the report (default: text).")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--all", "everything", is_flag=True, help="Show everything: findings below the floor, and bodies uncut.")
@click.option("--story", is_flag=True, help="Every turn, ruling and reason, with the files of each.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to FILE.")
@click.pass_obj
def show(
    context: Context,
    run: str | None,
    seat: str | None,
    format_: str | None,
    as_json: bool,
    everything: bool,
    story: bool,
    output: str | None,
) -> None:
    """Show a run: its report; with --story every turn, ruling and reason; with SEAT that seat's prompts and replies."""
    from moot.cli.foreground import Output
    from moot.cli.showing import show_report, show_seat, show_story

    if (seat is not None or story) and (format_ or as_json or output or everything):
        raise click.UsageError("the story and a seat's turns are text: leave the other options out")
    if as_json and format_ not in (None, "json"):
        raise click.UsageError("--json and --format say different things")
    run = run or _latest(context)
    if seat is not None:
        show_seat(context, run, seat)
    elif story:
        show_story(context, run)
    else:
        wanted = Output("json" if as_json else format_ or "text", Path(output) if output else None, everything)
        show_report(context, run, wanted)


@runs.command("resume", short_help="Go on with a run where it stopped.")
@click.argument("run", required=False, shell_complete=complete_run)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", help="How to print the report.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write the report to FILE.")
@click.pass_obj
def resume(context: Context, run: str | None, format_: str, as_json: bool, output: str | None) -> None:
    """Go on with a run where it stopped; without RUN, with all unfinished ones of this repository.

    A run that ended incomplete asks only the seats that failed. Turns that are running are taken over, turns that
    have ended are read: nothing is paid twice.
    """
    from moot.cli.foreground import Output
    from moot.cli.resuming import resume_run, resume_unfinished

    wanted = Output("json" if as_json else format_, Path(output) if output else None)
    sys.exit(resume_run(context, run, wanted) if run else resume_unfinished(context, _top_level(), wanted))


@runs.command("park")
@click.argument("run", shell_complete=complete_run)
@click.pass_obj
def park(context: Context, run: str) -> None:
    """Stop a run at its next step; resume it later. Turns that are running finish and are kept."""
    from moot.cli.resuming import request

    request(context, run, "park")


@runs.command("cancel")
@click.argument("run", shell_complete=complete_run)
@click.pass_obj
def cancel(context: Context, run: str) -> None:
    """End a run for good, its running turns too."""
    from moot.cli.resuming import request

    request(context, run, "cancel")


@runs.command("rm")
@click.argument("runs", nargs=-1, required=True, shell_complete=complete_run)
@click.pass_obj
def rm(context: Context, runs: tuple[str, ...]) -> None:
    """Remove runs with their files. What they cost stays in the books, findings stay known."""
    from moot.cli.resuming import remove

    for run in runs:
        remove(context, run)


def _latest(context: Context) -> str:
    """The newest run of the repository the person is in."""
    from moot.ledger import views

    latest = views.latest_run(context.ledger_url(), str(_top_level()))
    if latest is None:
        raise click.UsageError("no run here yet: name one, or start with moot review")
    return latest.id


def show_latest(context: Context) -> None:
    """Bare `moot`: the latest report of this repository, else what to do first."""
    from moot.cli.foreground import Output
    from moot.cli.showing import show_report
    from moot.ledger import views

    try:
        here = str(_top_level())
    except click.UsageError:
        here = ""
    latest = views.latest_run(context.ledger_url(), here) if here else None
    if latest is None:
        click.echo("No run here yet.\n")
        click.echo("  moot demo      a complete review of a bundled example; no account, no agent needed")
        click.echo("  moot review    review this branch and working tree")
        click.echo("  moot --help    everything else")
        return
    show_report(context, latest.id, Output())


def _top_level() -> Path:
    """The repository the person is in, found without starting git."""
    start = Path.cwd()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    raise click.UsageError("you are not in a git repository")
