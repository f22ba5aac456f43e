"""Before anybody is asked: what is here, and the files that the seats read."""

from __future__ import annotations

import asyncio
from pathlib import Path

from moot.agents.analyzers import tools
from moot.agents.selection import resolve
from moot.config.model import Config
from moot.core.change import FrozenDiff
from moot.findings.material import Material
from moot.git import store as stores
from moot.git import trees
from moot.ledger import seats
from moot.proceedings.briefs import Setting
from moot.proceedings.seating import Facts, Panel
from moot.seats import places
from moot.seats.attempts import write
from moot.seats.run import Run, World


async def look_around(run: Run) -> Facts:
    """Find out who can be asked in this run."""
    return find_facts(run.config, run.diff, run.world, run.change.subject, run.id)


def find_facts(config: Config, diff: FrozenDiff, world: World, subject: str, run: str | None = None) -> Facts:
    """Find out which agents can be started, which analyzers have something to do, and who knows the subject."""
    missing: dict[str, str] = {}
    for name in config.agents:
        agent = config.agent(name)
        if resolve(agent, world.environ) is None:
            missing[name] = f"{agent.program or (agent.command or (agent.kind,))[0]} is not installed"
    paths = [f.new_path for f in diff.files if f.new_path is not None and not f.submodule and not f.binary]
    present: list[str] = []
    idle: dict[str, str] = {}
    for tool in tools.TOOLS:
        if not tools.applies(tool, paths):
            idle[tool] = "no files for it in the change"
        elif tools.present(tool, world.environ) is None:
            missing[tool] = "not installed"
        else:
            present.append(tool)
    return Facts(missing, tuple(present), idle, seats.that_answered(world.ledger, subject, before=run))


async def lay_files(run: Run, material: Material, seated: Panel) -> Setting:
    """Write the frozen change where the seats read it, and gather what the base says about conventions."""
    for name, batch in zip(change_files(run, material), material.batches, strict=True):
        write(Path(name), batch.text)
    if any(s.agent.kind == "analyzer" for s in seated.reviewers):
        await places.lay_analysis(run)
    git, store = run.world.git, stores.at(run.change.store)
    touched = tuple(raw for f in run.diff.files for raw in (f.new_raw, f.old_raw) if raw is not None)
    found, size = await asyncio.gather(
        trees.conventions(git, store, run.change.merge_base, touched),
        trees.tree_size(git, store, run.change.head),
    )
    judges = [seated.judge.name] if seated.judge is not None else []
    run.note(
        "run.seated",
        f"{len(seated.reviewers)} reviewers",
        data={
            "seats": [*(s.name for s in seated.reviewers), *judges],
            "skipped": {s.seat: s.note for s in seated.skipped},
        },
    )
    return Setting(sparse=size > run.config.checkouts.full_limit, instructions=found)


def change_files(run: Run, material: Material) -> tuple[str, ...]:
    """Return the absolute paths of the change files, one per batch."""
    count = len(material.batches)
    names = ("change.md",) if count == 1 else tuple(f"change-{i + 1}-of-{count}.md" for i in range(count))
    return tuple(str(run.folder / "files" / name) for name in names)
