"""`moot stats`: what agents did, burned and were right about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from datetime import date

    from moot.cli.context import Context

Row = tuple[str, ...]


@click.command()
@click.option("--days", type=click.IntRange(1), default=30, show_default=True, help="Look so far back.")
@click.option("--by", type=click.Choice(("agent", "day")), default="agent", show_default=True, help="A line for each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def stats(context: Context, days: int, by: str, as_json: bool) -> None:
    """Show turns, failures, tokens and cost; and of each agent's findings how many the judge let stand."""
    from datetime import UTC, datetime, timedelta

    since = (datetime.now(UTC) - timedelta(days=days)).date()
    data, table = (_agents if by == "agent" else _days)(context.ledger_url(), since)
    if as_json:
        click.echo(json.dumps(data, indent=2, default=str))
    elif not data:
        click.echo(f"no turns in the last {days} days.   next: moot review")
    else:
        for line in _aligned(table):
            click.echo(line)


def _agents(ledger: str, since: date) -> tuple[list[dict[str, object]], list[Row]]:
    from dataclasses import asdict

    from moot.ledger.stats import by_agent
    from moot.reports import numbers

    found = by_agent(ledger, since)
    table: list[Row] = [("AGENT", "TURNS", "FAILED", "TOKENS", "COST", "KEPT", "DROPPED", "UNVERIFIED")]
    for a in found:
        failed = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in sorted(a.failures.items())) or "0"
        tokens = numbers.tokens(a.input_tokens + a.output_tokens)
        table.append(
            (a.agent, str(a.turns), failed, tokens, _cost(a.cost_usd), str(a.kept), str(a.dropped), str(a.unverified))
        )
    return [asdict(a) for a in found], table


def _days(ledger: str, since: date) -> tuple[list[dict[str, object]], list[Row]]:
    from dataclasses import asdict

    from moot.ledger.stats import by_day
    from moot.reports import numbers

    found = by_day(ledger, since)
    table: list[Row] = [("DAY", "TURNS", "FAILED", "TOKENS", "COST")]
    table += [(str(d.day), str(d.turns), str(d.failed), numbers.tokens(d.tokens), _cost(d.cost_usd)) for d in found]
    return [asdict(d) for d in found], table


def _cost(usd: float | None) -> str:
    return "" if usd is None else f"${usd:.2f}"


def _aligned(table: Sequence[Row]) -> list[str]:
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table]
