"""Drive a run: the one process that executes it, from wherever it stopped."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from moot.checkouts.worktrees import Worktrees
from moot.config.model import Config
from moot.config.paths import Home
from moot.config.snapshot import restore
from moot.core import codec
from moot.core.change import FrozenDiff
from moot.core.data import JSON
from moot.core.errors import BusyError, EngineError, MootError
from moot.core.runs import Result, RunStatus
from moot.engine import Broken, Finished, Superseded, Suspended, durable
from moot.git.diff import read_diff
from moot.ledger import requests, runs
from moot.ledger.events import NewEvent, append
from moot.ledger.runs import Driver
from moot.proceedings.review import review
from moot.runs.lock import driving
from moot.runs.wind_up import wind_up
from moot.seats.run import Halt, Run, World

#: Name of a proceeding, a storage format, to its procedure.
PROCEEDINGS: dict[str, Callable[[Run], Awaitable[JSON]]] = {"review": review}
WATCH_S = 0.1
#: Finished runs that can be taken up again to ask the seats that failed.
REOPENABLE = (RunStatus.INCOMPLETE, RunStatus.NOT_REVIEWED, RunStatus.STALLED)


async def drive(name: str, home: Home, world: World, current: Config, *, diff: FrozenDiff | None = None) -> RunStatus:
    """Execute a run until it ends, parks or is cancelled, and return how it stands then.

    A run that ended incomplete is taken up again: seats that answered keep their answers, the others are asked anew.

    Args:
        name: the run's id or a unique prefix.
        current: today's configuration, for what a run's snapshot leaves out (secrets).
        diff: of the run's change, where the caller has read it; read otherwise.

    Raises:
        BusyError: another process drives it; the message names it.
        MootError: the run's own trouble; the run is marked failed and can be resumed.
    """
    row = runs.get(world.ledger, name)
    folder = home.runs / row.id
    if row.status in (RunStatus.COMPLETE, RunStatus.CANCELLED):
        return row.status
    if row.change is None or row.proceeding not in PROCEEDINGS:
        raise EngineError(f"run {row.short} is of a kind this version of moot does not know: {row.proceeding}")
    with _sole_driver(folder, row):
        me = Driver(world.machine, os.getpid(), time.time())
        fence = runs.claim_driver(world.ledger, row.id, me, now=world.now(), seen=row.fence)
        pending = requests.pending(world.ledger, row.id)
        for old in pending:
            requests.mark_handled(world.ledger, old.id, now=world.now())
        if any(old.verb == "cancel" for old in pending):  # asked of a driver that died before it heard
            await wind_up(world, row.id, folder)
            runs.set_status(world.ledger, row.id, RunStatus.CANCELLED, now=world.now(), fence=fence)
            return RunStatus.CANCELLED
        generation = _generation(folder, reopen=row.status in REOPENABLE)
        _begin_generation(folder, generation)
        runs.set_status(world.ledger, row.id, RunStatus.RUNNING, now=world.now(), fence=fence)
        config = restore(json.dumps(row.config), current)
        worktrees = Worktrees(world.git, home.checkouts, whole_tree_files=config.checkouts.full_limit)
        run = Run(
            id=row.id,
            folder=folder,
            config=config,
            change=row.change,
            diff=diff or await read_diff(world.git, row.change),
            generation=generation,
            secret=f"{row.id}:{row.seed}".encode(),
            created_at=row.created_at,
            world=replace(world, worktrees=worktrees),
            halt=Halt(),
        )
        watcher = asyncio.create_task(_watch(run))
        watcher.add_done_callback(lambda task: _deaf(run, task))
        try:
            outcome = await durable.execute(
                _engine_file(folder, run.generation), row.id, lambda: PROCEEDINGS[row.proceeding](run)
            )
        finally:
            watcher.cancel()
        status = _status(run, outcome)
        if status is RunStatus.CANCELLED:
            await wind_up(run.world, row.id, folder)
        if not isinstance(outcome, Superseded):
            if isinstance(outcome, Finished):
                result: Result = codec.load(Result, outcome.value)
                runs.set_result(world.ledger, row.id, result, now=world.now(), fence=fence)
            else:
                runs.set_status(world.ledger, row.id, status, now=world.now(), fence=fence)
            append(world.ledger, NewEvent(row.id, world.now(), f"run.{status}", f"the run is {status}"))
            runs.release_driver(world.ledger, row.id, fence)
        if isinstance(outcome, Broken):
            raise _explained(outcome.error, row.short)
        return status


def _status(run: Run, outcome: Finished | Suspended | Superseded | Broken) -> RunStatus:
    match outcome:
        case Finished(value=value):
            result: Result = codec.load(Result, value)
            return result.status
        case Suspended(why=why):
            return RunStatus.CANCELLED if why == "cancelled" else RunStatus.PARKED
        case Superseded():
            return RunStatus.RUNNING
        case Broken():
            return RunStatus.FAILED


def _explained(error: Exception, short: str) -> MootError:
    """An error of the run, with what to do about the run."""
    if isinstance(error, MootError):
        error.next_step = error.next_step or f"mend it, then moot runs resume {short}"
        return error
    again = f"moot --debug runs resume {short}"
    wrapped = EngineError(f"the run stopped: {type(error).__name__}: {error}", next_step=again)
    wrapped.__cause__ = error
    return wrapped


async def _watch(run: Run) -> None:
    """Pass requests on to the steps: they look at `run.halt` while they wait."""
    world = run.world
    while True:
        for request in requests.pending(world.ledger, run.id):
            if request.verb in ("park", "cancel"):
                run.halt.stop = request.verb == "cancel"
                run.halt.why = "cancelled" if run.halt.stop else "parked"
        await world.sleep(WATCH_S)


def _deaf(run: Run, watcher: asyncio.Task[None]) -> None:
    """A run that can no longer hear requests parks itself: better than going on unstoppably."""
    if not watcher.cancelled() and watcher.exception() is not None:
        run.halt.why = "parked"


def _begin_generation(folder: Path, generation: int) -> None:
    """Leave the mark by which the generation counts, before the run's status forgets that it had ended."""
    file = _engine_file(folder, generation)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


def _engine_file(folder: Path, generation: int) -> Path:
    return folder / "engine" / f"{generation}.db"


def _generation(folder: Path, *, reopen: bool) -> int:
    """The number of times the finished run was taken up again, counted by its engine files."""
    generation = 0
    while _engine_file(folder, generation + 1).exists():
        generation += 1
    if reopen and _engine_file(folder, generation).exists():
        generation += 1
    return generation


@contextmanager
def _sole_driver(folder: Path, row: runs.Run) -> Iterator[None]:
    with ExitStack() as held:
        try:
            held.enter_context(driving(folder))
        except BlockingIOError:
            who = f" (process {row.driver.pid} on {row.driver.machine})" if row.driver else ""
            raise BusyError(
                f"run {row.short} is being driven by another moot{who}", next_step=f"moot runs show {row.short}"
            ) from None
        yield
