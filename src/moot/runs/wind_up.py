"""Winding a run up for good: what it still has running is ended, what it holds is given back."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from moot.core.process import Running
from moot.seats import places
from moot.seats.run import World


async def wind_up(world: World, run: str, folder: Path) -> None:
    """Ask for the end of every job of a run that nobody drives any more, and give its checkouts back."""
    for job in chain(folder.glob("turns/*/*/"), folder.glob("checks/*/")):
        if isinstance(world.process.look(job), Running):
            world.process.stop(job)
    await places.give_back(world, run)
