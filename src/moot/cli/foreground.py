"""A run in the foreground: driven here, watched here, parked by Ctrl-C, its report printed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from moot.cli.console import Console
from moot.cli.context import Context
from moot.cli.progress import Progress, progress
from moot.cli.watch import watch
from moot.config.model import Config
from moot.core.change import FrozenDiff
from moot.core.findings import Severity
from moot.core.runs import Result, RunStatus
from moot.ledger import requests, runs
from moot.ledger.runs import Run
from moot.seats.attempts import write
from moot.seats.run import World

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Output:
    """How the report is wanted. `path` None prints it."""

    format: str = "text"
    path: Path | None = None
    everything: bool = False


async def drive_here(context: Context, world: World, row: Run, config: Config, diff: FrozenDiff, output: Output) -> int:
    """Drive a run to its end, showing progress, and print its report. Returns the exit code."""
    from moot.runs.drive import drive

    console = Console.standard()
    with progress(console) as shown, _parking(world, row, shown):
        watcher = asyncio.create_task(watch(world.ledger, row, diff, shown, _footer(row)))
        try:
            status = await drive(row.id, context.home, world, config, diff=diff)
        finally:
            watcher.cancel()
            await asyncio.wait([watcher])
    result = runs.result(world.ledger, row.id)
    if result is None or not _ended(status):
        if status is RunStatus.CANCELLED:
            console.note(f"run {row.short} was cancelled")
            return INTERRUPTED
        console.note(f"parked run {row.short}: nothing is lost, turns already asked run on")
        console.note(f"next: moot runs resume {row.short}")
        return INTERRUPTED
    from moot.findings.verdict import exit_code

    print_report(context, row, result, diff, output, console)
    write_html(context, row, result, diff)
    return exit_code(result, _fail_on(row))


def _footer(row: Run) -> str:
    budget = f"budget ${row.budget_usd:.2f} · " if row.budget_usd is not None else ""
    return f"{budget}Ctrl-C parks the run, nothing is lost"


def _ended(status: RunStatus) -> bool:
    return (status.finished and status is not RunStatus.CANCELLED) or status is RunStatus.STALLED


def print_report(
    context: Context, row: Run, result: Result, diff: FrozenDiff | None, output: Output, console: Console
) -> None:
    """Print a result, or write it where the person wants it."""
    from moot.reports import render

    text = render(
        result,
        output.format,
        diff=diff,
        now=datetime.now(UTC),
        width=console.width,
        colour=console.colour and output.path is None,
        all=output.everything,
    )
    if output.path is None:
        console.echo(text.rstrip("\n"))
    else:
        write(output.path.absolute(), text)
        first = render(result, "text", now=datetime.now(UTC), width=console.width).split("\n", 1)[0]
        console.note(f"{first}\nwrote {output.path}")


def write_html(context: Context, row: Run, result: Result, diff: FrozenDiff | None) -> None:
    """Write the HTML report beside the run's files, where the text report says it is."""
    from moot.reports import render

    write(html_file(context, row), render(result, "html", diff=diff, now=datetime.now(UTC)))


def html_file(context: Context, row: Run) -> Path:
    """Where a run's HTML report is."""
    return context.home.runs / row.id / "report.html"


def _fail_on(row: Run) -> Severity:
    stored = row.config
    assert isinstance(stored, dict)
    return Severity(stored["config"]["policy"]["fail_on"])


@contextmanager
def _parking(world: World, row: Run, shown: Progress) -> Iterator[None]:
    """The first Ctrl-C parks the run at its next step; the second leaves at once (the next resume adopts all)."""
    loop = asyncio.get_running_loop()
    asked = False

    def interrupted() -> None:
        nonlocal asked
        if asked:
            sys.stderr.write(f"\nnext: moot runs resume {row.short}\n")
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        asked = True
        requests.add(world.ledger, row.id, "park", "Ctrl-C", now=world.now())
        shown.say("parking… (Ctrl-C again leaves at once; nothing is lost either way)")

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for s in signals:
        loop.add_signal_handler(s, interrupted)
    try:
        yield
    finally:
        for s in signals:
            loop.remove_signal_handler(s)
