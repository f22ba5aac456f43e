"""What works on this machine and what does not, each with the fix: the findings of `moot doctor`."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from moot import __version__
from moot.agents.analyzers import tools
from moot.agents.selection import detect, resolve
from moot.config.model import Config, SandboxMode
from moot.config.paths import Home
from moot.core.errors import MootError
from moot.core.turns import Agent
from moot.runs.agents import health
from moot.seats.run import World

OLDEST_GIT = (2, 34)


@dataclass(frozen=True, slots=True)
class Point:
    """One thing looked at. `fix` is a command or a change that a person can make as it stands."""

    state: Literal["ok", "warn", "fail", "skip"]
    name: str
    said: str
    fix: str = ""


async def examine(config: Config, home: Home, world: World) -> list[Point]:
    """Look at everything that can be looked at without asking an agent anything."""
    agents = [config.agent(name) for name in config.agents]
    if not any(a.kind != "analyzer" for a in agents):
        agents += [Agent(f.kind, f.kind, program=str(f.program)) for f in detect(world.environ)]
    git, *asked = await asyncio.gather(_git(world), *(_agent(a, world) for a in agents))
    points = [_python(), git, _home(home, world.environ), _boundary(config, world)]
    if not agents:
        points.append(
            Point(
                "skip", "agents", "no agent CLI found; analyzers review and rules judge", "install Claude Code or Codex"
            )
        )
    return [*points, *asked, _analyzers(world.environ)]


def _python() -> Point:
    return Point("ok", "moot", f"{__version__}, Python {sys.version.split()[0]}")


async def _git(world: World) -> Point:
    try:
        printed = (await world.git(Path("/"), "--version")).decode(errors="replace")
    except MootError as e:
        return Point("fail", "git", e.message, e.next_step or "install git")
    number = re.search(r"(\d+)\.(\d+)[.\d]*", printed)
    if number is None:
        return Point("warn", "git", f"cannot tell its version: {printed.strip()}")
    if (int(number[1]), int(number[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        return Point("fail", "git", f"{number[0]} is too old", f"install git {oldest} or newer")
    return Point("ok", "git", number[0])


def _home(home: Home, environ: Mapping[str, str]) -> Point:
    existing = next(p for p in (home.data, *home.data.parents) if p.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        return Point("fail", "files", f"cannot write to {home.data}", "set MOOT_HOME to a directory of yours")
    where = f"{home.data}{'' if home.config_file.exists() else '; no configuration yet'}"
    return Point("ok", "files", where, "" if home.config_file.exists() else "moot init")


def _boundary(config: Config, world: World) -> Point:
    found, mode = world.boundary, config.sandbox.mode
    if mode is SandboxMode.OFF:
        return Point("warn", "sandbox", "switched off: agents run without a boundary", 'set sandbox.mode to "prefer"')
    if found.ok:
        return Point("ok", "sandbox", found.version or "bubblewrap")
    state: Literal["fail", "warn"] = "fail" if mode is SandboxMode.REQUIRE else "warn"
    fix = "install bubblewrap" if found.program is None else "allow unprivileged user namespaces"
    return Point(state, "sandbox", f"no boundary around agents: {found.why}", fix)


async def _agent(agent: Agent, world: World) -> Point:
    name = agent.name if agent.name == agent.kind else f"{agent.name} ({agent.kind})"
    if resolve(agent, world.environ) is None:
        program = agent.command[0] if agent.command else agent.program or agent.kind
        return Point("fail", name, f"{program} is not installed", f"install it, or remove agents.{agent.name}")
    state = await health(agent, world)
    version = next((f.version for f in detect(world.environ) if f.kind == agent.kind and f.version), "")
    said = " ".join(filter(None, (version, state.summary)))
    return Point("ok" if state.ok else "fail", name, said, "" if state.ok else state.fix or "")


def _analyzers(environ: Mapping[str, str]) -> Point:
    present = [name for name in tools.TOOLS if tools.present(name, environ)]
    absent = [name for name in tools.TOOLS if name not in present]
    if not absent:
        return Point("ok", "analyzers", ", ".join(present))
    fix = "pip install 'moot[analyzers]'"
    if not present:
        return Point("warn", "analyzers", "none is installed", fix)
    return Point("warn", "analyzers", f"{', '.join(present)}; not installed: {', '.join(absent)}", fix)
