"""Durable execution: step, wait, execute. The only package that imports dbos.

Importing `moot.engine.durable` costs about half a second (dbos), so surfaces do it in a thread while git works:
`preload()`. Everything here is loop-agnostic and safe to call from the loop that called `execute`.
"""

from __future__ import annotations

import sys
import threading

from moot.engine.outcome import Broken, Expired, Finished, Outcome, Superseded, Suspend, Suspended

__all__ = ["Broken", "Expired", "Finished", "Outcome", "Superseded", "Suspend", "Suspended", "close", "preload"]


def preload() -> threading.Thread:
    """Start importing the engine in a thread; a later import waits for it by Python's own import lock."""

    def load() -> None:
        import moot.engine.durable  # noqa: F401

    thread = threading.Thread(target=load, name="moot-engine-import", daemon=True)
    thread.start()
    return thread


def close() -> None:
    """Put the engine away if it was brought up. Runs that have not ended go on when they are executed again."""
    durable = sys.modules.get("moot.engine.durable")
    if durable is not None and hasattr(durable, "close"):  # a thread may be half through importing it
        durable.close()
