"""Figures for `moot stats`: what agents did, burned and were right about, and what each day took. Light as `views`."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from moot.ledger.plain_sql import fetch

_EVER = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class AgentStats:
    """An agent's record. Only settled turns count.

    Args:
        failures: kind of failure to number of turns.
        cost_usd: None where its CLI reports no money.
        kept: findings it raised that the judge kept, rewrote or raised itself; `unverified` without a ruling of
            either kind; `dropped` what it said that was not reported, for whatever reason.
    """

    agent: str
    turns: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    kept: int = 0
    dropped: int = 0
    unverified: int = 0


@dataclass(frozen=True, slots=True)
class DayStats:
    """One day (UTC, by the turns' admission)."""

    day: date
    turns: int
    failed: int
    tokens: int
    cost_usd: float | None


def by_agent(where: Path | str, since: date = _EVER) -> tuple[AgentStats, ...]:
    """Return every agent's record from a day (UTC) on, by name.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    turns = _turns(where, since)
    rulings = _rulings(where, since)
    dropped = _dropped(where, since)
    return tuple(
        replace(
            turns.get(agent, AgentStats(agent)),
            kept=sum(rulings[agent][ruling] for ruling in ("keep", "rewrite", "new")),
            unverified=rulings[agent]["unverified"],
            dropped=dropped[agent],
        )
        for agent in sorted({*turns, *rulings, *dropped})
    )


def by_day(where: Path | str, since: date = _EVER) -> tuple[DayStats, ...]:
    """Return what each day (UTC) took from a day on, oldest first. Days without turns are left out.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    rows = fetch(
        where,
        "SELECT day, sum(turns), sum(CASE WHEN failure IS NULL THEN 0 ELSE turns END),"
        " sum(input_tokens + output_tokens), sum(cost_usd)"
        " FROM turn_days WHERE state = 'settled' AND day >= :since GROUP BY day ORDER BY day",
        {"since": since.isoformat()},
    )
    return tuple(
        DayStats(date.fromisoformat(day), int(turns), int(failed), int(tokens), cost_usd)
        for day, turns, failed, tokens, cost_usd in rows
    )


def _turns(where: Path | str, since: date) -> Mapping[str, AgentStats]:
    """Return agent to its record without what became of its findings."""
    rows = fetch(
        where,
        "SELECT agent, failure, sum(turns), sum(input_tokens), sum(output_tokens), sum(cached_tokens), sum(cost_usd)"
        " FROM turn_days WHERE state = 'settled' AND day >= :since GROUP BY agent, failure ORDER BY 3 DESC, 2",
        {"since": since.isoformat()},
    )
    records: dict[str, AgentStats] = {}
    for agent, failure, turns, input_tokens, output_tokens, cached_tokens, cost_usd in rows:
        so_far = records.get(agent, AgentStats(agent))
        records[agent] = replace(
            so_far,
            turns=so_far.turns + int(turns),
            failures={**so_far.failures, failure: int(turns)} if failure is not None else so_far.failures,
            input_tokens=so_far.input_tokens + int(input_tokens),
            output_tokens=so_far.output_tokens + int(output_tokens),
            cached_tokens=so_far.cached_tokens + int(cached_tokens),
            cost_usd=so_far.cost_usd if cost_usd is None else (so_far.cost_usd or 0.0) + cost_usd,
        )
    return records


def _rulings(where: Path | str, since: date) -> defaultdict[str, Counter[str]]:
    """Return agent to ruling to number of findings; a finding that two of its seats raised counts once."""
    rows = fetch(
        where,
        "SELECT agent, ruling, count(*) FROM (SELECT DISTINCT run, subject, finding, agent, ruling FROM raised"
        " WHERE day >= :since AND agent IS NOT NULL AND ruling IS NOT NULL) AS once GROUP BY agent, ruling",
        {"since": since.isoformat()},
    )
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for agent, ruling, number in rows:
        counted[agent][ruling] = number
    return counted


def _dropped(where: Path | str, since: date) -> Counter[str]:
    """Return agent to number of things it said that were not reported."""
    rows = fetch(
        where,
        "SELECT d.run, CAST(d.raised_by AS TEXT) FROM drops d JOIN runs r ON r.id = d.run"
        " WHERE CAST(date(r.created_at) AS TEXT) >= :since",
        {"since": since.isoformat()},
    )
    seats = fetch(where, "SELECT run, seat, agent FROM seats WHERE run IN (SELECT run FROM drops)")
    agents = {(run, seat): agent for run, seat, agent in seats}
    return Counter(
        agent
        for run, raised_by in rows
        for agent in {agents[run, seat] for seat in json.loads(raised_by) if (run, seat) in agents}
    )
