"""Processes of this machine: short commands that are awaited, and jobs that outlive the driver which started them."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from moot.core.errors import ProcessError
from moot.core.process import Command, Done, Ending, Exited, Fresh, JobState, Lost, Running
from moot.process import jobfiles, sandbox, tree
from moot.process.run import run_short

RUNNER = Path(__file__).with_name("runner.py")
GUARD_WAIT_S = 0.05  # a `look` elsewhere holds the guard for an instant; whoever holds it longer is a runner


class LocalProcess:
    """Implements `core.process.Process` with this machine's processes, in the cage where a command asks for it.

    Args:
        output_limit: bytes a short command may print to standard output, and as many to standard error.
    """

    def __init__(self, *, output_limit: int = jobfiles.MAX_OUTPUT_BYTES) -> None:
        self._output_limit = output_limit
        self._runners: list[subprocess.Popen[bytes]] = []

    async def run(self, command: Command, input: bytes | None = None) -> Done:  # noqa: A002  subprocess's own word
        """Run a short command to its end. Its silence limit is not used.

        Args:
            command: what to run. Its whole process tree is ended when the wall limit is over or the task is cancelled.
            input: its standard input, in the place of `command.stdin`.

        Raises:
            ProcessError: it printed more than the output limit.
            SandboxError: it asks for the cage and this machine has none.
        """
        try:
            command = sandbox.wrap(command)
        except FileNotFoundError as problem:
            return Done(Ending.UNSTARTABLE, None, b"", _explain(problem).encode(errors="replace"), 0.0)
        return await run_short(command, input, self._output_limit)

    def start(self, job: Path, command: Command) -> None:
        """Start a long command in the job directory and return at once.

        Idempotent and safe against rivals: a job that was started, by whomever, is never started again. Values of
        environment variables go to the program only; `job.json` holds their names.

        Raises:
            ProcessError: no process could be made.
            SandboxError: the command asks for the cage and this machine has none.
        """
        job = job.absolute()
        job.mkdir(parents=True, exist_ok=True)
        with _guarded(job) as guard:
            if guard is None or _was_begun(job):
                return
            try:
                caged = sandbox.wrap(command, outlives_parent=True)
            except FileNotFoundError as problem:
                jobfiles.record_exit(str(job), Ending.UNSTARTABLE, None, time.time(), _explain(problem))
                return
            jobfiles.write_orders(
                str(job),
                jobfiles.Orders(
                    argv=caged.argv,
                    cwd=str(caged.cwd),
                    env=caged.env,
                    stdin=None if caged.stdin is None else str(caged.stdin.absolute()),
                    wall_s=caged.limits.wall_s,
                    silence_s=caged.limits.silence_s,
                ),
            )
            self._spawn("start", job, guard, caged.env)

    def look(self, job: Path) -> JobState:
        """Say how the job stands. A job whose runners were killed gets new ones.

        Lost is never said of a live job: it takes the guard to say so, which runners hold from before `started` is
        created until after `exit.json` is written, and then neither the program's process nor its lock may be found.

        Raises:
            ProcessError: the exit record cannot be read, or no process could be made.
        """
        job = job.absolute()
        while True:
            if (exited := _read_exit(job)) is not None:
                return exited
            claim = jobfiles.read_claim(str(job))
            if _is_held(job / "guard"):
                return _running(job, claim)
            if claim is not None:
                return self._adopt(job, claim)
            if not _was_begun(job):  # asked again: it may have begun and ended since
                return Fresh()

    def stop(self, job: Path) -> None:
        """Ask for the end of the job's whole process tree and return at once. A job not yet started never will be."""
        if job.is_dir():
            jobfiles.request_stop(str(job.absolute()), Ending.STOPPED)
            self.look(job)  # a job without runners gets a pair, which sees the request

    def _adopt(self, job: Path, claim: jobfiles.Claim) -> JobState:
        """Look closer at a job that was started and seemed to have no runner."""
        with _guarded(job) as guard:
            if guard is None:
                return _running(job, claim)
            if (exited := _read_exit(job)) is not None:
                return exited
            if tree.is_alive(claim.pid) and claim.stamp in (None, tree.stamp(claim.pid)):
                self._spawn("adopt", job, guard, {})
            elif _is_held(job / "lock"):
                self._spawn("sweep", job, guard, {})
            else:
                return Lost()
        return _running(job, claim)

    def _spawn(
        self, mode: Literal["start", "adopt", "sweep"], job: Path, guard: int, environment: Mapping[str, str]
    ) -> None:
        """Make a detached runner, handing it the held guard."""
        self._runners = [runner for runner in self._runners if runner.poll() is None]  # collects those that ended
        argv = [sys.executable, "-I", "-S", "-X", "utf8", str(RUNNER), mode, str(job), str(guard)]
        try:
            runner = subprocess.Popen(
                argv,
                cwd="/",
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[guard],
                start_new_session=True,
            )
        except OSError as problem:
            raise ProcessError(f"no runner could be started: {_explain(problem)}", where=str(job)) from problem
        self._runners.append(runner)


def runners(job: Path) -> tuple[int, ...]:
    """Return the process ids of the job's runners, the leader first; some may be gone by now."""
    return tuple(jobfiles.read_runners(str(job)))


def salvage(job: Path) -> Exited | None:
    """Return what is known of a lost job, or None if nothing of it can be trusted.

    Where the machine was not restarted, the output is whole as far as the program got; if a complete reply stands in
    it, nothing is lost. After a restart the end of the output may never have reached the disk.
    """
    claim = jobfiles.read_claim(str(job))
    if claim is None or claim.stamp is None or not tree.of_this_boot(claim.stamp):
        return None
    ended_at = max(
        (path.stat().st_mtime for path in (job / "stdout", job / "stderr") if path.exists()), default=claim.at
    )
    return Exited(Ending.EXITED, None, claim.at, max(claim.at, ended_at), "nobody saw how it ended")


def _was_begun(job: Path) -> bool:
    return (job / "started").exists() or jobfiles.has_exited(str(job))


def _running(job: Path, claim: jobfiles.Claim | None) -> Running:
    size = 0
    with suppress(FileNotFoundError):
        size = (job / "stdout").stat().st_size
    return Running(time.time() if claim is None else claim.at, size)


def _read_exit(job: Path) -> Exited | None:
    path = job / "exit.json"
    try:
        fields = json.loads(path.read_bytes())
        return Exited(**{**fields, "ending": Ending(fields["ending"])})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as problem:
        raise ProcessError("unreadable exit record", where=str(path)) from problem


@contextmanager
def _guarded(job: Path) -> Iterator[int | None]:
    """Hold the job's guard; give its descriptor, or None if somebody supervises the job."""
    guard = os.open(job / "guard", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + GUARD_WAIT_S
        while not (held := _lock(guard, fcntl.LOCK_EX)) and time.monotonic() < deadline and not _was_begun(job):
            time.sleep(0.001)
        yield guard if held else None
    finally:
        os.close(guard)


def _is_held(path: Path) -> bool:
    """Whether another process holds that file lock."""
    try:
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not _lock(lock, fcntl.LOCK_SH)
    finally:
        os.close(lock)


def _lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _explain(problem: OSError) -> str:
    return f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem.strerror)
