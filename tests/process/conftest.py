"""Jobs that are cleaned up after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from process_support import Jobs


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    folder = tmp_path / "jobs"
    folder.mkdir()
    jobs = Jobs(folder)
    yield jobs
    jobs.clean_up()
