"""What freezing a change, reading its diff and taking a checkout cost, in small and very large repositories."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from benchmarks.figures import Figure, milliseconds
from benchmarks.repositories import generate, git, path

from moot.checkouts.worktrees import Worktrees
from moot.git.change import freeze
from moot.git.diff import read_diff
from moot.git.run import Git
from moot.git.store import at
from moot.git.target import WorkTree
from moot.process.local import LocalProcess

SIZES = ((5_000, 300.0), (100_000, 1000.0))  # files, and the goal for freezing a work tree
CHANGED, EDITED, UNTRACKED = 20, 5, 5
TIMES = 5


def measure() -> Iterator[Figure]:
    """Yield the figures of each size of repository."""
    for files, goal in SIZES:
        with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
            repo = generate(Path(folder, "r"), files=files, lines=40, changed=CHANGED)
            _work(repo)
            yield from _figures(repo, Path(folder), f"{files:,} files", goal)


def _work(repo: Path) -> None:
    """Leave edits and new files, as a person at work would, with an index that is up to date."""
    for number in range(EDITED):
        with (repo / path(number)).open("a") as file:
            file.write("edited = True\n")
    for number in range(UNTRACKED):
        (repo / f"new{number}.py").write_text("new = True\n")
    git(repo, "status", "--porcelain")


def _figures(repo: Path, folder: Path, size: str, goal: float) -> Iterator[Figure]:
    calls = Git(LocalProcess())
    home = folder / "moot"

    def timed(work: Callable[[], Awaitable[object]]) -> tuple[float, ...]:
        async def done() -> object:
            return await work()

        return milliseconds(lambda: asyncio.run(done()), TIMES)

    yield Figure(f"freeze the work tree, {size}", timed(lambda: freeze(calls, repo, WorkTree(), home)), goal=goal)
    change = asyncio.run(freeze(calls, repo, WorkTree(), home))
    yield Figure(f"read its diff, {size}", timed(lambda: read_diff(calls, change)))
    touched = [f.new_raw for f in asyncio.run(read_diff(calls, change)).files if f.new_raw is not None]
    worktrees = Worktrees(calls, folder / "checkouts")
    number = itertools.count()
    yield Figure(
        f"take a checkout, {size}",
        timed(lambda: worktrees.take(at(change.store), change.head, f"seat{next(number)}", paths=touched)),
    )
    yield Figure(
        f"take it again, {size}",
        timed(lambda: worktrees.take(at(change.store), change.head, "seat0", paths=touched)),
    )
