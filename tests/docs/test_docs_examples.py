"""The reviewers that the documentation shows do what it says of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from moot.core.change import Change, FileDiff, FileStatus, FrozenDiff, Hunk, Line, LineKind, Source
from moot.core.replies import ReviewReply
from moot.findings.anchor import Index
from moot.findings.claims import claims_of, parse_reply
from moot.findings.material import Material, material
from moot.findings.receipts import minter

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def changed(path: str, *texts: str) -> FileDiff:
    lines = tuple(Line(LineKind.ADDED, None, n, text) for n, text in enumerate(texts, 1))
    hunk = Hunk(0, 0, 1, len(lines), "", lines)
    raw = path.encode()
    return FileDiff(
        FileStatus.ADDED, None, path, None, raw, None, "100644", None, "1" * 40, False, False, len(lines), 0, (hunk,)
    )


CHANGE = Change("/repo", "/store", "b" * 40, "a" * 40, "b" * 40, "main", "topic", Source.BRANCH, "/repo#topic")
DIFF = FrozenDiff(CHANGE, (changed("src/a b.py", "def f():", "    breakpoint()"), changed("c.py", "x = 1  # TODO: y")))


@pytest.fixture
def shown() -> Material:
    return material(DIFF, minter(b"secret", CHANGE.head), (), 10**6, 10**6)


def run(argv: tuple[str, ...], change: Material, folder: Path) -> str:
    file = folder / "change.md"
    file.write_text(change.batches[0].text, encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "MOOT_CHANGE_FILE": str(file)}
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout


def test_the_json_reviewer_reports_a_place_that_stands_and_every_receipt(shown: Material, tmp_path: Path) -> None:
    reply = parse_reply(run((sys.executable, str(EXAMPLES / "reviewer.py")), shown, tmp_path), None, ReviewReply)
    assert isinstance(reply, ReviewReply), reply
    assert shown.read_with(reply.receipts) == shown.paths
    (claim,) = claims_of(reply, "reviewer-breakpoints", 1)
    placed = Index(DIFF).place(claim)
    assert (placed.anchor.path, placed.anchor.line) == ("src/a b.py", 2)


def test_the_prose_reviewer_names_the_unfinished_place(shown: Material, tmp_path: Path) -> None:
    said = run((str(EXAMPLES / "reviewer.sh"),), shown, tmp_path)
    assert "c.py: line 1 is unfinished: x = 1  # TODO: y" in said
    assert "breakpoint" not in said
