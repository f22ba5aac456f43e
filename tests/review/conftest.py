"""A machine of its own for each test of a review, or for each module where tests only look at what one run left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from review_world import World, make, make_repository

from moot.process import sandbox


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("template"))


@pytest.fixture
def world(tmp_path: Path, template: Path) -> Iterator[World]:
    yield from make(tmp_path / "world", template)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Iterator[World]:
    """A machine for a whole module: a run is made once, and many tests look at it."""
    yield from make(tmp_path_factory.mktemp("shared") / "world", template)


@pytest.fixture(scope="session")
def cage() -> None:
    boundary = sandbox.available()
    if not boundary.ok:
        if os.environ.get("CI") == "true":
            pytest.fail(f"the sandbox must be tested here: {boundary.why}")
        pytest.skip(f"no sandbox on this machine: {boundary.why}")
