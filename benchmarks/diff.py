"""How fast git's patches are read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, milliseconds
from benchmarks.repositories import generate, git

from moot.git.diff import parse, split

FILES, LINES, TIMES = 100, 400, 9
_DIFF = ("diff-tree", "-r", "-z", "--raw", "--patch", "--full-index", "--no-abbrev", "main", "topic")


def measure() -> Iterator[Figure]:
    """Yield the time per 1,000 lines of a patch."""
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        printed = git(generate(Path(folder) / "r", files=FILES, lines=LINES, changed=FILES), *_DIFF)
    raw, patch = split(printed)
    thousands = patch.count(b"\n") / 1000
    taken = milliseconds(lambda: parse(patch, raw), TIMES)
    yield Figure("hunk parser, per 1,000 lines of patch", tuple(t / thousands for t in taken))
