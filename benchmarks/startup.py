"""How long light commands take from a cold process to their last character."""

from __future__ import annotations

import compileall
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, milliseconds
from benchmarks.ledger import review
from benchmarks.repositories import environment

import moot
from moot.ledger.database import open_ledger

TIMES = 15
RUNS = 50
GOAL_MS = 150


def measure() -> Iterator[Figure]:
    """Yield the figures, of a home with a ledger of some runs."""
    compileall.compile_dir(Path(moot.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        home = Path(folder)
        with open_ledger(home / "ledger.db") as ledger:
            for _ in range(RUNS):
                review(ledger)
        env = {**environment(), "MOOT_HOME": str(home)}
        completing = {"_MOOT_COMPLETE": "bash_complete", "COMP_WORDS": "moot runs show ", "COMP_CWORD": "3"}
        yield Figure("python, doing nothing", _cold([sys.executable, "-c", "pass"], env))
        yield Figure("moot --version", _cold([*_moot(), "--version"], env), goal=GOAL_MS)
        yield Figure("moot --help", _cold([*_moot(), "--help"], env), goal=GOAL_MS)
        yield Figure("moot runs list", _cold([*_moot(), "runs", "list"], env), goal=GOAL_MS)
        yield Figure("completion of a run id", _cold(_moot(), {**env, **completing}), goal=GOAL_MS)


def _moot() -> list[str]:
    script = Path(sys.executable).with_name("moot")
    return [str(script)] if script.exists() else [sys.executable, "-m", "moot"]


def _cold(argv: list[str], env: dict[str, str]) -> tuple[float, ...]:
    def run() -> None:
        subprocess.run(argv, env=env, check=True, stdout=subprocess.PIPE)

    run()  # bytecode is written, files come into the page cache
    return milliseconds(run, TIMES)
