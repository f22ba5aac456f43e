"""Run one short command to its end, within a wall limit and a bound on what it may print."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from contextlib import ExitStack, suppress
from typing import IO

from moot.core.errors import ProcessError
from moot.core.process import Command, Done, Ending
from moot.process import tree

CHECK_S = 0.25  # how often a running command's output is measured


async def run_short(command: Command, given: bytes | None, output_limit: int) -> Done:
    """Run the command and wait for it; its silence limit is not used.

    What it prints goes to files, not pipes: a grandchild that keeps them open delays nothing. When the wall limit is
    over, or when the task is cancelled, the whole process tree is ended: asked first, killed after a grace.

    Args:
        command: what to run; the cage, if any, is already part of its argv.
        given: its standard input, in the place of `command.stdin`.
        output_limit: bytes it may print to standard output, and as many to standard error.

    Raises:
        ProcessError: it printed more than that.
    """
    began = time.monotonic()

    def done(ending: Ending, code: int | None = None, out: bytes = b"", err: bytes = b"") -> Done:
        return Done(ending, code, out, err, time.monotonic() - began)

    with ExitStack() as files:
        out = files.enter_context(tempfile.TemporaryFile())
        err = files.enter_context(tempfile.TemporaryFile())
        try:
            process = await _spawn(command, files.enter_context(_input(command, given)), out, err)
        except OSError as problem:
            return done(Ending.UNSTARTABLE, err=f"{problem.filename}: {problem.strerror}".encode(errors="replace"))
        try:
            in_time = await _wait(process, command, (out, err), output_limit)
        finally:
            if process.returncode is None:
                await _end(process)
        printed = _content(out), _content(err)
    if not in_time:
        return done(Ending.TIMEOUT, None, *printed)
    code = process.returncode
    return done(Ending.EXITED, code if code is not None and code >= 0 else None, *printed)


async def _spawn(command: Command, given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> asyncio.subprocess.Process:
    """Start the process. A cancellation on the way ends its whole tree; asyncio would kill but the process itself."""
    spawning = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command.argv,
            cwd=command.cwd,
            env=dict(command.env),
            stdin=given,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(spawning)
    except asyncio.CancelledError:
        with suppress(OSError):
            await _end(await spawning)
        raise


def _input(command: Command, given: bytes | None) -> IO[bytes]:
    if given is None:
        return open(command.stdin or os.devnull, "rb")
    file = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    file.write(given)
    file.seek(0)
    return file


async def _wait(
    process: asyncio.subprocess.Process, command: Command, outputs: tuple[IO[bytes], IO[bytes]], output_limit: int
) -> bool:
    """Wait for the process. Return False when its time is over."""
    deadline = time.monotonic() + command.limits.wall_s
    ended = asyncio.ensure_future(process.wait())
    try:
        while True:
            left_s = deadline - time.monotonic()
            await asyncio.wait({ended}, timeout=min(max(left_s, 0), CHECK_S))
            if any(os.fstat(output.fileno()).st_size > output_limit for output in outputs):
                raise ProcessError(f"printed more than {output_limit} bytes", where=command.argv[0])
            if ended.done():
                return True
            if left_s <= 0:
                return False
    finally:
        ended.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the process and everything below it, whatever process group it moved to."""
    stamps = {pid: tree.stamp(pid) for pid in tree.descendants({process.pid}, tree.processes())}
    for pid in stamps:
        tree.send(pid, signal.SIGTERM)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), tree.GRACE_S)
    finally:  # also when cancelled a second time
        table = tree.processes()
        same = {pid for pid, known in stamps.items() if known is not None and known == tree.stamp(pid)}
        if process.pid in same or process.pid not in table:  # its id, and so its group's, was not given away
            same |= {pid for pid, entry in table.items() if entry.group == process.pid}
        for pid in tree.descendants(same, table):
            tree.send(pid, signal.SIGKILL)
    await process.wait()


def _content(output: IO[bytes]) -> bytes:
    # pread: the offset is shared with whatever the command left running, which may still write
    size = os.fstat(output.fileno()).st_size
    parts = []
    offset = 0
    while offset < size and (part := os.pread(output.fileno(), size - offset, offset)):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)
