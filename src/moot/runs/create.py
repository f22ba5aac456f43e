"""Create a run: a frozen change and a configuration become a row and a folder."""

from __future__ import annotations

import json
import secrets
from random import Random

from moot.config.model import Config
from moot.config.paths import Home, private_directory
from moot.config.snapshot import snapshot
from moot.core.change import Change
from moot.core.errors import SandboxError
from moot.ledger import events, runs
from moot.ledger.events import NewEvent
from moot.ledger.runs import Run
from moot.seats.run import World


def create(
    proceeding: str, change: Change, config: Config, home: Home, world: World, *, seed: int | None = None
) -> Run:
    """Record a new run and make its folder. Nobody has been asked yet.

    Args:
        seed: decides everything random in the run; drawn when None.

    Raises:
        SandboxError: `[sandbox] mode = "require"` on a machine without a boundary.
    """
    if config.sandbox.mode == "require" and not world.boundary.ok:
        raise SandboxError(
            f"this machine has no boundary for agents: {world.boundary.why}",
            where="sandbox.mode",
            next_step='install bubblewrap (moot doctor), or set sandbox.mode to "prefer"',
        )
    row = runs.create(
        world.ledger,
        proceeding=proceeding,
        subject=change.subject,
        repo=change.repo,
        label=change.label,
        change=change,
        config=json.loads(snapshot(config)),
        seed=secrets.randbits(62) if seed is None else seed,
        now=world.now(),
        random=Random(secrets.randbits(64)),  # noqa: S311 - draws a short id
        budget_usd=config.budget.run_cost_usd,
    )
    private_directory(home.runs / row.id)
    events.append(world.ledger, NewEvent(row.id, world.now(), "run.created", f"{proceeding} of {change.label}"))
    return row
