"""A turn's specification without a machine behind it, for tests of what adapters make of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moot.core.process import Limits
from moot.core.turns import Agent, Conversation, TurnSpec


def turn(
    folder: Path,
    *,
    kind: str = "command",
    agent: Agent | None = None,
    seat: str = "reviewer",
    env: Mapping[str, str] | None = None,
    limits: Limits = Limits(wall_s=60),  # noqa: B008  frozen
    native: str | None = None,
    **more: Any,
) -> TurnSpec:
    """Return a first turn, or with `native` a later one; `more` are further fields."""
    conversation = None
    if native is not None:
        conversation = Conversation("c1", kind, native, "", "here", folder, "repo#topic", seat)
    fields: dict[str, Any] = {
        "run": "r1",
        "seat": seat,
        "key": "review.1",
        "node": "review",
        "agent": agent or Agent(name=kind, kind=kind, program=f"/usr/bin/{kind}"),
        "job": folder / "review.1",
        "cwd": folder / "checkout",
        "prompt_file": folder / "review.1" / "prompt.md",
        "change_file": folder / "change.md",
        "schema_file": None,
        "schema": None,
        "conversation": conversation,
        "write": False,
        "limits": limits,
        "env": {"PATH": "/usr/bin:/bin", **(env or {})},
        "home": folder / "home",
        "base": "b" * 40,
        "head": "h" * 40,
    }
    return TurnSpec(**{**fields, **more})
