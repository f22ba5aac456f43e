"""From what a person asked to a driven run: freeze, configure, create, drive."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from moot import engine
from moot.cli.console import Console
from moot.cli.context import Context
from moot.cli.foreground import Output, drive_here
from moot.config.load import Loaded
from moot.config.model import Config
from moot.core.change import Change, FrozenDiff
from moot.core.errors import UsageError
from moot.git.run import Git
from moot.git.target import Patch, Target, parse_target
from moot.ledger import runs
from moot.seats.run import World


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asked of `moot review`. `flags` are dotted configuration keys set on the command line."""

    repo: Path
    target: str | None
    base: str | None
    patch: str | None
    flags: Mapping[str, str | list[str]]
    format: str
    output: Path | None
    everything: bool
    dry_run: bool


def run_review(context: Context, asked: Asked) -> int:
    """Do a whole `moot review` and return its exit code."""
    engine.preload()  # half a second of imports, while git works
    target = _target(asked)  # a patch that is typed in can be interrupted only outside the loop
    try:
        return asyncio.run(_review(context, asked, target))
    finally:
        engine.close()


async def _review(context: Context, asked: Asked, target: Target) -> int:
    from moot.git.change import freeze, is_empty
    from moot.git.diff import read_diff
    from moot.process import sandbox
    from moot.process.local import LocalProcess

    console = Console.standard()
    git = Git(LocalProcess())
    trying = asyncio.create_task(asyncio.to_thread(sandbox.available))  # remembered until it is asked for
    change = await freeze(git, asked.repo, target, context.home.data, base=asked.base)
    diff = await read_diff(git, change)
    for note in change.notes:
        console.note(f"note: {note}")
    if is_empty(diff):
        console.note(f"nothing to review: {change.head_name} is no different from {change.base_name}")
        return 0
    loaded = await configure(context, git, change, asked.flags)
    await trying
    for notice in loaded.notices:
        console.note(f"note: {notice}")
    change = replace(change, notes=(*change.notes, *loaded.notices))
    return await _create_and_drive(context, asked, git, change, diff, loaded.config, console)


async def _create_and_drive(
    context: Context, asked: Asked, git: Git, change: Change, diff: FrozenDiff, config: Config, console: Console
) -> int:
    from moot.runs import world as worlds
    from moot.runs.agents import with_detected_agents
    from moot.runs.create import create

    with context.ledger() as ledger:
        world = worlds.build(context.home, context.environ, ledger)
        config = await with_detected_agents(config, world)
        if asked.dry_run:
            from moot.cli.plan import plan

            console.echo(await plan(world, change, diff, config))
            return 0
        _introduce(console, world, change, config)
        row = create("review", change, config, context.home, world)
        output = Output(asked.format, asked.output, asked.everything)
        return await drive_here(context, world, row, config, diff, output)


def _target(asked: Asked) -> Target:
    if asked.patch is None:
        return parse_target(asked.target)
    if asked.target is not None:
        raise UsageError("--diff names the change itself", next_step="leave TARGET out, or name the base with --base")
    data = sys.stdin.buffer.read() if asked.patch == "-" else Path(asked.patch).read_bytes()
    return Patch(Path(asked.patch).name, data)


def _introduce(console: Console, world: World, change: Change, config: Config) -> None:
    """Before the first run in a repository: two lines on what will happen and what it may cost."""
    if runs.list_runs(world.ledger, repo=change.repo, limit=1):
        return
    names = [*(config.review.reviewers or config.agents), *(() if config.review.reviewers else ("analyzers",))]
    console.note(f"first review here: {', '.join(names)} read the frozen change in checkouts of moot's own.")
    cap = config.budget.run_cost_usd
    cost = f"at most ${cap:.2f} a run (budget.run_cost_usd)" if cap else "no limit is set (budget.run_cost_usd)"
    console.note(
        f"your files, index and branches are not touched. Agents burn your own quota; {cost}."
        if any(agent.kind != "analyzer" for agent in config.agents.values())
        else "your files, index and branches are not touched. No agent is asked, so nothing is paid."
    )


async def configure(context: Context, git: Git, change: Change, flags: Mapping[str, str | list[str]]) -> Loaded:
    """Load the configuration with the repository's say, as of the merge base."""
    from moot.agents.registry import KINDS
    from moot.config.files import Repository
    from moot.config.load import load
    from moot.git import store as stores
    from moot.git import trees
    from moot.ledger import consent

    loop = asyncio.get_running_loop()

    def at_base(path: str) -> bytes | None:
        reading = trees.read_path(git, stores.at(change.store), change.merge_base, path.encode())
        return asyncio.run_coroutine_threadsafe(reading, loop).result()

    def allowed(digest: str) -> bool:
        with context.ledger() as ledger:
            return consent.allowed(ledger, digest)

    return await asyncio.to_thread(
        load,
        context.home,
        context.environ,
        kinds=KINDS,
        config_file=context.config_file,
        repository=Repository(Path(change.repo), at_base),
        flags=dict(flags),
        allowed=allowed,
    )
