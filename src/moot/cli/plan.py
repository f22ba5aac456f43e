"""`moot review --dry-run`: what would be reviewed, and by whom."""

from __future__ import annotations

from moot.config.model import Config
from moot.core.change import Change, FrozenDiff
from moot.proceedings.preparation import find_facts
from moot.proceedings.seating import panel
from moot.reports import numbers, safe
from moot.seats.run import World


async def plan(world: World, change: Change, diff: FrozenDiff, config: Config) -> str:
    """Return the change and the panel in words. Nobody is asked and nothing is recorded."""
    seated = panel(config, find_facts(config, diff, world, change.subject))
    lines = [
        f"{safe.line(change.label)}   {numbers.count(len(diff.files), 'file')}  +{diff.added} −{diff.removed}",
        f"  base {change.merge_base[:12]} ({safe.line(change.base_name)})   head {change.head[:12]}",
    ]
    for seat in seated.reviewers:
        agent = seat.agent
        model = f" {agent.model}" if agent.model else ""
        what = agent.kind if agent.kind == agent.name else f"{agent.kind}{model}"
        after = f", after {', '.join(seat.after)}" if seat.after else ""
        lines.append(f"  ask   {seat.name}  ({what}{after}{', required' if seat.required else ''})")
    lines += [f"  skip  {s.seat}  ({s.note})" for s in seated.skipped]
    judge = "rules, no model" if seated.judge is None else seated.judge.agent.name
    lines.append(f"  judge {judge}{', who also reviews' if seated.own_pass else ''}")
    return "\n".join(lines)
