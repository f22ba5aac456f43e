"""How fast statements are compared, and how well where labelled pairs are at hand.

The environment variable MOOT_BENCH_PAIRS names a file of them, as `benchmarks.match` reads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks import match
from benchmarks.figures import Figure, milliseconds
from benchmarks.repositories import WORDS

from moot.findings.match import Statement, pair_scores
from moot.findings.wording import wording

STATEMENTS, TIMES = 60, 9  # a panel that has a lot to say


def measure() -> Iterator[Figure]:
    """Yield the figures."""
    random = Random(1)
    said = [Statement(wording(" ".join(random.choices(WORDS, k=40)))) for _ in range(STATEMENTS)]
    taken = milliseconds(lambda: pair_scores(said), TIMES)
    yield Figure(f"compare {STATEMENTS} statements, all pairs", taken)
    if file := os.environ.get("MOOT_BENCH_PAIRS"):
        figures = match.measure(Path(file))
        for name in ("auc", "f1", "precision", "recall"):
            yield Figure(f"{name}, {figures['pairs']} labelled pairs", (figures[name],), "")
