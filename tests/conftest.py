"""What every test shares: a home of its own, and hermetic surroundings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("moot", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("moot")


@pytest.fixture(autouse=True)
def hermetic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the person's configuration, git identity or tokens."""
    for name in list(os.environ):
        if name.startswith(("MOOT_", "GIT_", "GH_", "GITHUB_", "ANTHROPIC_", "OPENAI_", "CODEX_", "CLAUDE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "moot-home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
