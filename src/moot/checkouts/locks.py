"""Exclusive locks between tasks and processes of one machine, one file each; a dead holder's lock is free."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from moot.core.errors import BusyError

WAIT_S = 300.0
POLL_S = 0.02


@asynccontextmanager
async def locked(path: Path, wait_s: float = WAIT_S) -> AsyncIterator[None]:
    """Hold the lock `path`. Its holder may delete the file.

    Args:
        wait_s: seconds to wait for whoever has it.

    Raises:
        BusyError: it was not free in that time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = asyncio.get_running_loop().time() + wait_s
    while (handle := _try(path)) is None:
        if asyncio.get_running_loop().time() >= deadline:
            raise BusyError("held by another moot process", where=str(path))
        await asyncio.sleep(POLL_S)
    try:
        yield
    finally:
        os.close(handle)


def _try(path: Path) -> int | None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(path).st_ino == os.fstat(handle).st_ino:
            return handle
    except (BlockingIOError, FileNotFoundError):  # held, or deleted by the last holder
        pass
    os.close(handle)
    return None
