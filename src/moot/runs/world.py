"""The real world of a run: this machine's clock, processes, git, checkouts and ledger."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Mapping
from datetime import UTC, datetime

from moot.checkouts.worktrees import Worktrees
from moot.config.paths import Home
from moot.core.ledger import TurnId
from moot.core.process import Running
from moot.git.run import Git
from moot.ledger.database import Ledger
from moot.process import sandbox
from moot.process.local import LocalProcess
from moot.runs.lock import driven
from moot.seats.attempts import job_folder
from moot.seats.run import World


def build(home: Home, environ: Mapping[str, str], ledger: Ledger) -> World:
    """Return the world of runs on this machine."""
    process = LocalProcess()
    git = Git(process)

    def alive(turn: TurnId) -> bool:
        folder = home.runs / turn.run
        job = job_folder(folder / "turns", turn.seat, turn.key, turn.attempt)
        return driven(folder) or (job.exists() and isinstance(process.look(job), Running))

    return World(
        now=lambda: datetime.now(UTC),
        sleep=asyncio.sleep,
        process=process,
        ledger=ledger,
        git=git,
        worktrees=Worktrees(git, home.checkouts),
        environ=environ,
        boundary=sandbox.available(),
        machine=platform.node() or "localhost",
        cache=home.cache,
        alive=alive,
    )
