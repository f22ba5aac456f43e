"""The files of a job directory, as both sides read and write them: the driver and the job's runners.

    job.json    what to run and for how long                        written by the driver before anything starts
    guard       file lock of the runners: somebody supervises       at most one pair of runners per job
    started     which process the program is (`Claim`)              created once, by the program itself
    lock        file lock of the program, inherited by all it starts
    pids        the runners' process ids, leader first
    stdout, stderr   what the program prints, unfiltered
    stop        why the job is to end, if somebody or a limit says so
    exit.json   how it ended                                        last; the first record stands
    runner.log  traceback of a runner that failed

What else lies there (prompt.md, mail/) is between the driver and the program.

Imported by every runner, so: the standard library only, and little of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Sequence

# By request, wall clock, silence, too much output; values of core.process.Ending.
STOP_REASONS = ("stopped", "timeout", "silent", "flooded")
MAX_OUTPUT_BYTES = 256 * 1024 * 1024  # of standard output and error together: well above any transcript seen


class Claim:
    """What `started` says: the program's process, what tells it from others of that id, and when it began.

    `at` is a Unix time, `monotonic` a reading of the machine's monotonic clock; both in seconds.
    """

    __slots__ = ("at", "monotonic", "pid", "stamp")

    def __init__(self, pid: int, stamp: str | None, at: float, monotonic: float) -> None:
        self.pid = pid
        self.stamp = stamp
        self.at = at
        self.monotonic = monotonic


class Orders:
    """What `job.json` says. `env` holds names of environment variables: values are never written down."""

    __slots__ = ("argv", "cwd", "env", "silence_s", "stdin", "wall_s")

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Iterable[str],
        stdin: str | None,
        wall_s: float,
        silence_s: float | None,
    ) -> None:
        self.argv = list(argv)
        self.cwd = cwd
        self.env = sorted(env)
        self.stdin = stdin
        self.wall_s = wall_s
        self.silence_s = silence_s


def write_orders(job: str, orders: Orders) -> None:
    """Write `job.json`, atomically."""
    content = {name: getattr(orders, name) for name in Orders.__slots__}
    _replace(os.path.join(job, "job.json"), json.dumps(content, indent=1).encode())


def read_orders(job: str) -> Orders:
    """Read `job.json`."""
    with open(os.path.join(job, "job.json"), "rb") as file:
        return Orders(**json.load(file))


def claim_job(job: str, claim: Claim) -> bool:
    """Create `started`, durably. Return False if another process has."""
    content = {name: getattr(claim, name) for name in Claim.__slots__}
    return _create(os.path.join(job, "started"), json.dumps(content).encode())


def read_claim(job: str) -> Claim | None:
    """Return what `started` says; None as long as no program was started."""
    try:
        with open(os.path.join(job, "started"), "rb") as file:
            return Claim(**json.load(file))
    except FileNotFoundError:
        return None


def request_stop(job: str, reason: str) -> None:
    """Ask for the job's end. The first of `STOP_REASONS` to be asked for is the one recorded."""
    _create(os.path.join(job, "stop"), reason.encode())


def requested_stop(job: str) -> str | None:
    """Return the one of `STOP_REASONS` for which the job is to end, or None."""
    try:
        with open(os.path.join(job, "stop"), encoding="ascii", errors="replace") as file:
            reason = file.read()
    except FileNotFoundError:
        return None
    return reason if reason in STOP_REASONS else "stopped"


def record_exit(job: str, ending: str, code: int | None, started_at: float, detail: str) -> None:
    """Write `exit.json`, durably and after the output it speaks for. The first record stands.

    Args:
        job: the job directory.
        ending: a value of core.process.Ending.
        code: the exit code; None if there is none or it is unknown.
        started_at: Unix time in seconds.
        detail: one line for a person, or nothing.
    """
    for name in ("stdout", "stderr"):
        path = os.path.join(job, name)
        with contextlib.suppress(FileNotFoundError):
            if os.stat(path).st_size:
                _sync(path)
    content = {"ending": ending, "code": code, "started_at": started_at, "ended_at": time.time(), "detail": detail}
    _create(os.path.join(job, "exit.json"), json.dumps(content).encode())


def has_exited(job: str) -> bool:
    """Whether the job's end is on record."""
    return os.path.exists(os.path.join(job, "exit.json"))


def output_size(job: str) -> int:
    """Return how many bytes the program has printed so far, standard output and error together."""
    size = 0
    for name in ("stdout", "stderr"):
        with contextlib.suppress(FileNotFoundError):
            size += os.stat(os.path.join(job, name)).st_size
    return size


def write_runners(job: str, pids: Sequence[int]) -> None:
    """Note the process ids of the job's runners, leader first."""
    _replace(os.path.join(job, "pids"), json.dumps(pids).encode())


def read_runners(job: str) -> list[int]:
    """Return the process ids of the job's runners, leader first. They may be gone by now."""
    try:
        with open(os.path.join(job, "pids"), "rb") as file:
            pids: list[int] = json.load(file)
    except FileNotFoundError:
        return []
    return pids


def _draft(path: str, content: bytes) -> str:
    draft = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
    return draft


def _replace(path: str, content: bytes) -> None:
    os.replace(_draft(path, content), path)


def _create(path: str, content: bytes) -> bool:
    """Create the file with all its content at once, durably. Return False, changing nothing, if it exists."""
    draft = _draft(path, content)
    try:
        _sync(draft)
        os.link(draft, path)  # unlike a rename, it fails where the name is taken
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    _sync(os.path.dirname(path))
    return True


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
