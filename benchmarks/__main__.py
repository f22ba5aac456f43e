"""What moot costs by itself: start-up, a panel of instant agents, the diff, the anchors, the matcher, the ledger.

    python -m benchmarks [--write] [SUITE...]

Prints the machine, then a table per suite: median, least, and the goal where there is one. `--write` puts them into
docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import anchors, diff, git, ledger, matching, panel, startup
from benchmarks.figures import Figure, table
from benchmarks.machine import machine

SUITES: dict[str, tuple[str, Callable[[], Iterable[Figure]]]] = {
    "startup": ("Light commands, cold", startup.measure),
    "panel": ("A panel whose agents answer at once", panel.measure),
    "git": ("The change and its checkouts", git.measure),
    "diff": ("Reading patches", diff.measure),
    "anchors": ("Placing claims", anchors.measure),
    "match": ("Telling the same defect from another", matching.measure),
    "ledger": ("The ledger (SQLite)", ledger.measure),
}
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "[//]: # (measured: begin)", "[//]: # (measured: end)"  # comments that no renderer shows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument(
        "suites", nargs="*", metavar="SUITE", help=f"one or more of: {', '.join(SUITES)} (default: all)"
    )
    parser.add_argument("--write", action="store_true", help="put the figures into docs/benchmarks.md")
    asked = parser.parse_args()
    if unknown := [name for name in asked.suites if name not in SUITES]:
        parser.error(f"no suite is called {unknown[0]}; there are {', '.join(SUITES)}")
    if asked.write and asked.suites:
        parser.error("--write is of all suites")
    parts = [f"{datetime.now(UTC):%Y-%m-%d}, {machine()}"]
    print(parts[0], flush=True)
    for name in asked.suites or SUITES:
        title, measure = SUITES[name]
        parts.append(f"## {title}\n\n{table(measure())}")
        print(f"\n{parts[-1]}", flush=True)
    if asked.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), "\n\n".join(parts)), encoding="utf-8")
    return 0


def written(page: str, measured: str) -> str:
    """Return the page with what stands between its markers replaced."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"docs/benchmarks.md lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n\n{measured}\n\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main())
