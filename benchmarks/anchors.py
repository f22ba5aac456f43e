"""How fast claims find their place in a change."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, milliseconds
from benchmarks.repositories import generate, path

from moot.core.change import FrozenDiff, LineKind, Side
from moot.core.findings import Category, Claim, Severity
from moot.findings.anchor import Index
from moot.git.change import freeze
from moot.git.diff import read_diff
from moot.git.run import Git
from moot.git.target import parse_target
from moot.process.local import LocalProcess

LINES, TIMES = 4000, 9


def measure() -> Iterator[Figure]:
    """Yield the time to prepare 1,000 changed lines for searching, and to place one claim in them."""
    diff = asyncio.run(_diff())
    (file,) = diff.files
    shown = [line for h in file.hunks for line in h.lines]
    added = [line for line in shown if line.kind is LineKind.ADDED]
    claims = [_claim(number, line.new or 0, line.text) for number, line in enumerate(added[:100])]
    thousands = len(shown) / 1000
    first = milliseconds(lambda: Index(diff).place(claims[0]), TIMES)
    yield Figure("anchors: first claim, per 1,000 lines shown", tuple(t / thousands for t in first))
    index = Index(diff)
    index.place(claims[0])
    more = milliseconds(lambda: [index.place(c) for c in claims], TIMES)
    yield Figure(
        "anchors: every further claim, per 1,000 lines shown", tuple(t / len(claims) / thousands for t in more)
    )


async def _diff() -> FrozenDiff:
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        repo = generate(Path(folder) / "r", files=1, lines=LINES, changed=1)
        git = Git(LocalProcess())
        return await read_diff(git, await freeze(git, repo, parse_target("main..topic"), Path(folder) / "home"))


def _claim(number: int, line: int, quote: str) -> Claim:
    where = {"path": path(0), "side": Side.RIGHT, "line": line + 3, "end_line": line + 3}
    said = {"title": "It is wrong", "body": "Because it is.", "quote": quote}
    return Claim(
        f"s.1.{number}", "s", 1, **where, **said, severity=Severity.LOW, category=Category.CORRECTNESS
    )  # fmt: skip
