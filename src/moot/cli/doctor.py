"""`moot doctor`: what works here, and the exact fix for each thing that does not."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from moot.cli.context import Context
    from moot.runs.examine import Point


@click.command()
@click.option("--probe", is_flag=True, help="Also ask every agent one short question. This costs a turn each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def doctor(context: Context, probe: bool, as_json: bool) -> None:
    """Say what works on this machine, and the fix for what does not. Exits with 1 if something fails."""
    from dataclasses import asdict

    points = asyncio.run(_examine(context, probe=probe))
    if as_json:
        click.echo(json.dumps([asdict(p) for p in points], indent=2))
    else:
        _print(points)
    sys.exit(1 if any(p.state == "fail" for p in points) else 0)


async def _examine(context: Context, *, probe: bool) -> list[Point]:
    from moot.config.model import Config
    from moot.core.errors import ConfigError
    from moot.runs import world as worlds
    from moot.runs.examine import Point, examine
    from moot.runs.probing import probe_agents

    broken: list[Point] = []
    try:
        config = context.config().config
    except ConfigError as e:
        config, told = Config(), e.message.split("\n")
        broken = [Point("fail", "config", f"{e.where}: {told[0]}", "moot config check")]
    with context.ledger() as ledger:
        world = worlds.build(context.home, context.environ, ledger)
        points = [*broken, *await examine(config, context.home, world)]
        if probe:
            points += await probe_agents(config, context.home, world)
    return points


def _print(points: list[Point]) -> None:
    from moot.cli.console import Console
    from moot.reports import safe

    console = Console.standard()
    width = max(len(p.name) for p in points)
    for p in points:
        fix = f"   fix: {safe.line(p.fix)}" if p.fix else ""
        console.echo(f"{p.state:<5} {safe.line(p.name).ljust(width)}  {safe.line(p.said)}{fix}")
