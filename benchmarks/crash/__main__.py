"""Kill a review at every step boundary and at random, and count what was paid twice or lost.

    python -m benchmarks.crash [--kills 200] [--seed N] [--workers 2] [--keep FOLDER]

Reviews a small change with a panel of slow `command` agents, with `kill -9` to moot, to the runners of its jobs, and to
both, and besides with SIGINT and SIGTERM, which park a run. Prints one line per kind of blow. Exit code 1 when a
promise was broken: a turn started twice, an answer lost, findings other than an undisturbed run's, a second run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import Random

from benchmarks.crash.campaign import campaign, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crash", description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="how many SIGKILLs (default: 200)")
    parser.add_argument("--seed", type=int, help="of the plan and the agents' times (default: drawn)")
    parser.add_argument("--workers", type=int, default=2, help="reviews at once (default: 2)")
    parser.add_argument(
        "--keep", metavar="FOLDER", type=Path, help="leave the files of runs with a broken promise here"
    )
    asked = parser.parse_args()
    seed = Random().randrange(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}, {asked.kills} kills, {asked.workers} reviews at once", flush=True)
    with ExitStack() as scope:
        folder = asked.keep or Path(scope.enter_context(tempfile.TemporaryDirectory(prefix="moot-crash-")))
        folder.mkdir(parents=True, exist_ok=True)
        fought = campaign(
            folder.absolute(), asked.kills, seed, asked.workers, lambda line: print(line, file=sys.stderr)
        )
    print(table(fought))
    for line in fought.broken:
        print(f"broken: {line}")
    return 1 if fought.broken else 0


if __name__ == "__main__":
    sys.exit(main())
