"""Who can be asked on this machine when nobody was configured: the agent CLIs that are installed and logged in."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from moot.agents.registry import adapter
from moot.agents.selection import detect, resolve
from moot.config.detected import with_detected
from moot.config.model import Config
from moot.core.process import Limits
from moot.core.turns import Agent, Health
from moot.process.environment import base_environment
from moot.seats.run import World

PROBE_S = 10.0


async def with_detected_agents(config: Config, world: World) -> Config:
    """Return the configuration with an agent for each CLI that is found and logged in, where none is configured."""
    if any(a.kind != "analyzer" for a in config.agents.values()):
        return config
    found = detect(world.environ)
    states = await asyncio.gather(*(health(Agent(f.kind, f.kind, program=str(f.program)), world) for f in found))
    return with_detected(config, [f.kind for f, state in zip(found, states, strict=True) if state.ok])


async def health(agent: Agent, world: World) -> Health:
    """Ask an agent's CLI for its version and whether the person is logged in."""
    resolved = resolve(agent, world.environ)
    if resolved is None:
        return Health(ok=False, summary="not installed", fix=None)
    kind = adapter(agent.kind)
    command = kind.login(resolved)
    env = {**base_environment(world.environ, (*kind.environment, *agent.pass_env)), **agent.env, **command.env}
    done = await world.process.run(replace(command, env=env, limits=Limits(PROBE_S)))
    return kind.health(resolved, done)
