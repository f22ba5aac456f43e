"""Who drives a run: a lock on a file in its folder, held by one process and gone with it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "driver.lock"


@contextmanager
def driving(folder: Path) -> Iterator[None]:
    """Hold the run of that folder.

    Raises:
        BlockingIOError: another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NAME).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def driven(folder: Path) -> bool:
    """Whether a process on this machine drives the run of that folder now."""
    try:
        lock = os.open(folder / _NAME, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
