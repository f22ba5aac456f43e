"""Probing the agents: a run of its own over a change made for it, so that every turn is booked."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from moot.agents.selection import resolve
from moot.config.model import Config
from moot.config.paths import Home
from moot.core.runs import RunStatus
from moot.git.change import freeze
from moot.git.diff import read_diff
from moot.git.target import WorkTree
from moot.ledger import runs
from moot.proceedings.probe import clean_up, probe
from moot.runs.agents import with_detected_agents
from moot.runs.create import create
from moot.runs.examine import Point
from moot.seats.run import Halt, Run, World


async def probe_agents(config: Config, home: Home, world: World) -> list[Point]:
    """Ask every agent that can be started one short question, and say what came of it."""
    config = await with_detected_agents(config, world)
    agents = [config.agent(name) for name in config.agents if config.agents[name].kind != "analyzer"]
    agents = [a for a in agents if resolve(a, world.environ) is not None]
    if not agents:
        return [Point("skip", "probe", "there is no agent to ask")]
    with tempfile.TemporaryDirectory(prefix="moot-probe-") as folder:
        top = Path(folder)
        await world.git(top, "init", "-q")
        (top / "hello.txt").write_text("hello\n", encoding="utf-8")
        change = await freeze(world.git, top, WorkTree(), home.data)
    change = replace(change, subject="probe")
    row = create("probe", change, config, home, world)
    run = Run(
        id=row.id,
        folder=home.runs / row.id,
        config=config,
        change=change,
        diff=await read_diff(world.git, change),
        generation=0,
        secret=row.id.encode(),
        created_at=row.created_at,
        world=world,
        halt=Halt(),
    )
    try:
        found = await probe(run, agents)
    finally:
        await clean_up(run)
        runs.set_status(world.ledger, row.id, RunStatus.COMPLETE, now=world.now())
    return [Point("ok" if p.ok else "fail", f"probe {p.agent}", p.said, _fix(row.short, p.agent, p.ok)) for p in found]


def _fix(run: str, agent: str, ok: bool) -> str:
    return "" if ok else f"moot show {run} probe-{agent}"
