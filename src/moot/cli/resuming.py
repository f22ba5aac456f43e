"""Going on with runs, and stopping or removing them."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Literal

from moot import engine
from moot.cli.console import Console
from moot.cli.context import Context
from moot.cli.foreground import INTERRUPTED, Output, drive_here
from moot.core.errors import BusyError, UsageError
from moot.core.runs import RunStatus
from moot.git.diff import read_diff
from moot.ledger import requests, runs
from moot.runs import world as worlds
from moot.runs.lock import driven
from moot.runs.wind_up import wind_up


def resume_run(context: Context, name: str, output: Output) -> int:
    """Drive a run on from where it stopped, and return the exit code of its report."""
    engine.preload()
    try:
        return asyncio.run(_resume(context, name, output))
    finally:
        engine.close()


async def _resume(context: Context, name: str, output: Output) -> int:
    with context.ledger() as ledger:
        row = runs.get(ledger, name)
        if row.status is RunStatus.COMPLETE:
            raise UsageError(f"run {row.short} is complete", next_step=f"moot show {row.short}")
        if row.status is RunStatus.CANCELLED:
            raise UsageError(f"run {row.short} was cancelled", next_step="moot review starts a new one")
        assert row.change is not None
        world = worlds.build(context.home, context.environ, ledger)
        diff = await read_diff(world.git, row.change)
        return await drive_here(context, world, row, context.config().config, diff, output)


def resume_unfinished(context: Context, repo: Path, output: Output) -> int:
    """Resume every run of a repository that has not come to its end, oldest first; the worst exit code counts."""
    console = Console.standard()
    with context.ledger() as ledger:
        waiting = runs.list_runs(ledger, repo=str(repo), statuses=[s for s in RunStatus if s.unfinished])
        waiting = tuple(r for r in reversed(waiting) if not driven(context.home.runs / r.id))
    if not waiting:
        console.note("nothing to resume here: every run has come to its end")
        return 0
    codes: list[int] = []
    for run in waiting:
        codes.append(resume_run(context, run.id, output))
        if codes[-1] == INTERRUPTED:
            return INTERRUPTED
    return max(codes)


def request(context: Context, name: str, verb: Literal["park", "cancel"]) -> None:
    """File a request; a run nobody drives is settled at once."""
    console = Console.standard()
    with context.ledger() as ledger:
        run = runs.get(ledger, name)
        ended = run.status in (RunStatus.COMPLETE, RunStatus.CANCELLED)
        if ended or (verb == "park" and (run.status.finished or run.status is RunStatus.STALLED)):
            raise UsageError(f"run {run.short} is {run.status}", next_step=f"moot show {run.short}")
        world = worlds.build(context.home, context.environ, ledger)
        asked = requests.add(ledger, run.id, verb, "moot runs", now=world.now())
        if driven(context.home.runs / run.id):
            console.echo(f"asked run {run.short} to {verb}")
            return
        if verb == "cancel":
            asyncio.run(wind_up(world, run.id, context.home.runs / run.id))
        status = RunStatus.CANCELLED if verb == "cancel" else RunStatus.PARKED
        if not runs.set_status(ledger, run.id, status, now=world.now(), fence=run.fence):
            console.echo(f"asked run {run.short} to {verb}")  # somebody has just taken it up, and will see
            return
        requests.mark_handled(ledger, asked.id, now=world.now())
        console.echo(f"run {run.short} is {status}")


def remove(context: Context, name: str) -> None:
    """Forget a run and delete its files. One that is being driven is left alone."""
    with context.ledger() as ledger:
        run = runs.get(ledger, name)
        folder = context.home.runs / run.id
        if driven(folder):
            raise BusyError(f"run {run.short} is being driven", next_step=f"moot runs cancel {run.short}")
        world = worlds.build(context.home, context.environ, ledger)
        asyncio.run(wind_up(world, run.id, folder))
        runs.delete_run(ledger, run.id)
        shutil.rmtree(folder, ignore_errors=True)
        Console.standard().echo(f"removed run {run.short}")
