"""Where the seats of a run sit. Readers share a checkout; nobody sits in the person's own work tree."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from moot.agents.registry import control_paths
from moot.checkouts.files import files_at
from moot.checkouts.worktrees import Checkout
from moot.core.change import LineKind
from moot.core.turns import Files
from moot.git import store as stores
from moot.ledger import checkouts
from moot.seats.attempts import write
from moot.seats.run import Run, Seat, World
from moot.seats.turn import Place

READERS = "readers"
CHECKS = "checks"
ANALYSIS = "analysis"


async def reading(run: Run, seat: Seat, change_file: Path) -> Place:
    """Return the place of a reading seat: a checkout of the head without what agent CLIs would obey in it.

    All readers share one, made when the first of them asks. Only a seat in which a `command` may sit without a
    boundary gets one of its own: nothing else keeps that from writing.
    """
    alone = not run.caged and any(a.kind == "command" for a in (seat.agent, *seat.substitutes))
    checkout = await take(run, seat.name if alone else READERS, seat.agent.files)
    return Place(
        cwd=checkout.path,
        change_file=change_file,
        read=(*checkout.git_dirs, run.folder / "files"),
        guarded=(checkout.path / ".git",),
    )


async def take(run: Run, owner: str, files: Files) -> Checkout:
    """Return `owner`'s checkout of the head in this run.

    It has the path that the owner's checkout had in earlier runs of the subject, unless another run has it now.
    """
    paths = [p for f in run.diff.files for p in (f.new_raw, f.old_raw) if p is not None]
    store = stores.at(run.change.store)
    hide = () if owner == CHECKS else control_paths()
    return await run.world.worktrees.take(store, run.change.head, _holder(run, owner, files), files, paths, hide)


def _holder(run: Run, owner: str, files: Files) -> str:
    subject = hashlib.sha256(run.change.subject.encode()).hexdigest()[:12]
    world = run.world
    for name in (f"{subject}-{owner}-{files}", f"{subject}-{run.id}-{owner}-{files}"):
        if checkouts.claim(world.ledger, name, run.id, run.change.head, world.machine, world.now()):
            return name
    raise AssertionError("a name with the run's id in it is the run's own")


async def read_only_checkouts(run: Run) -> list[Checkout]:
    """Return the checkouts of the run's readers that nothing but their manners keeps from writing."""
    if run.caged:
        return []
    names = [holder.split("-") for holder in checkouts.of_run(run.world.ledger, run.id)]
    held = [("-".join(parts[1:-1]).removeprefix(f"{run.id}-"), Files(parts[-1])) for parts in names]
    return [await take(run, owner, files) for owner, files in held if owner != CHECKS]


async def give_back(world: World, run: str) -> None:
    """Give every checkout of a run back; they are deleted in the background."""
    for holder in checkouts.of_run(world.ledger, run):
        await world.worktrees.give_back(holder)
        checkouts.release(world.ledger, holder, run)


def analysis(run: Run) -> Place:
    """Return the folder analyzers work in; `lay_analysis` has filled it."""
    folder = run.folder / ANALYSIS
    return Place(cwd=folder, change_file=folder / "files.json")


async def lay_analysis(run: Run) -> None:
    """Lay the changed files out for analyzers, on head and on base, plain, with what the change added to each."""
    git, store, folder = run.world.git, stores.at(run.change.store), run.folder / ANALYSIS
    files = [f for f in run.diff.files if not f.submodule]
    heads = [f.new_raw for f in files if f.new_raw is not None]
    bases = [f.old_raw for f in files if f.old_raw is not None]
    await files_at(git, store, run.change.head, heads, folder / "head")
    await files_at(git, store, run.change.merge_base, bases, folder / "base")
    listed = [
        {
            "head": f.new_path,
            "base": f.old_path,
            "status": f.status.value,
            "added": [line.new for h in f.hunks for line in h.lines if line.kind is LineKind.ADDED],
        }
        for f in files
    ]
    write(folder / "files.json", json.dumps(listed))
