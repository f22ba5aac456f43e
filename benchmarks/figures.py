"""Figures of a benchmark: measured values with their unit and goal, and how they are printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured, as often as there are values. `goal` is what the median should stay below."""

    name: str
    values: tuple[float, ...]
    unit: str = "ms"
    goal: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def milliseconds(work: Callable[[], object], times: int) -> tuple[float, ...]:
    """Do the work so many times and return how long each took."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return tuple(taken)


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as a Markdown table, which a terminal shows well enough."""
    rows = [("", "median", "least", "goal", "")]
    rows += [(f.name, _number(f.median), _number(min(f.values)), _goal(f), f.unit) for f in figures]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = [_line(row, widths) for row in rows]
    rule = "|".join(["", "-" * (widths[0] + 2), *("-" * (w + 1) + ":" for w in widths[1:4]), "-" * (widths[4] + 2), ""])
    return "\n".join([lines[0], rule, *lines[1:]])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in (1, 2, 3)), row[4].ljust(widths[4])]
    return f"| {' | '.join(cells)} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _goal(figure: Figure) -> str:
    if figure.goal is None:
        return ""
    return f"< {figure.goal:,.0f}" + ("" if figure.median < figure.goal else " missed")
