"""Fixtures of the agents' tests: the scripted model on the path, and a seat for each real CLI that is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `model_server`

from agents_harness import Seat, binary

from moot.process.sandbox import available


def _seat(kind: str, folder: Path) -> Seat:
    program = binary(kind)
    if program is None:
        message = f"the pinned {kind} CLI is not installed (sh scripts/setup-agents)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return Seat.make(kind, program, folder)


@pytest.fixture
def seats(tmp_path: Path) -> Callable[[str], Seat]:
    """Make seats by kind; each has a folder of its own."""
    made: list[Seat] = []

    def make(kind: str) -> Seat:
        made.append(_seat(kind, tmp_path / f"{kind}{len(made)}"))
        return made[-1]

    return make


@pytest.fixture
def claude(seats: Callable[[str], Seat]) -> Seat:
    return seats("claude")


@pytest.fixture
def codex(seats: Callable[[str], Seat]) -> Seat:
    return seats("codex")


@pytest.fixture
def caged() -> None:
    """Only where this machine can cage a process."""
    boundary = available()
    if not boundary.ok:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no sandbox: {boundary.why}")
        pytest.skip(f"no sandbox: {boundary.why}")
