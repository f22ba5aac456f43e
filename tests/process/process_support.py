"""Starting jobs of small scripts, killing processes, and waiting with a deadline instead of sleeping for luck."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from moot.core.process import Command, Exited, JobState, Limits, Lost, Running, Sandbox
from moot.process import jobfiles, tree
from moot.process.local import LocalProcess, runners

T = TypeVar("T")
PATIENCE_S = 60.0

#: Shell words that leave a process in a session of its own, which ignores hangups, with its id in the file `stray`.
LEAVE_STRAY = f"""{sys.executable} -I -S -c '
import os, signal, time
if os.fork(): os._exit(0)
os.setsid()
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with open("stray.new", "w") as file: file.write(str(os.getpid()))
os.rename("stray.new", "stray")
time.sleep(600)
'
while [ ! -e stray ]; do sleep 0.01; done
"""


def eventually(read: Callable[[], T], what: str) -> T:
    """Poll until `read` gives something true; fail the test by name if it never does."""
    deadline = time.monotonic() + PATIENCE_S
    while not (value := read()):
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.005)
    return value


def number_in(path: Path) -> int:
    """Wait for a file with a number in it."""
    return int(eventually(lambda: path.exists() and path.read_text().strip(), f"{path.name} was written"))


def gone(pid: int) -> bool:
    """Whether the process ends before patience does."""
    return eventually(lambda: not tree.is_alive(pid), f"{pid} ended")


def kill(*pids: int) -> None:
    """Kill processes at once and see them dead."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        gone(pid)


class Jobs:
    """Starts jobs of shell scripts. A script runs in `folder`, below which each job has its directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = LocalProcess()
        self.made: list[Path] = []

    def command(
        self,
        script: str,
        *,
        wall_s: float = 600,
        silence_s: float | None = None,
        env: dict[str, str] | None = None,
        stdin: Path | None = None,
        cage: Sandbox | None = None,
    ) -> Command:
        environment = {"PATH": os.environ["PATH"], **(env or {})}
        return Command(("sh", "-c", script), self.folder, environment, stdin, Limits(wall_s, silence_s), cage)

    def new(self) -> Path:
        job = self.folder / f"job-{len(self.made)}"
        self.made.append(job)
        return job

    def start(self, command: Command) -> Path:
        job = self.new()
        self.process.start(job, command)
        return job

    def over(self, job: Path) -> JobState:
        """Wait until the job is over, and return how."""

        def end() -> JobState | None:
            state = self.process.look(job)
            return state if isinstance(state, Exited | Lost) else None

        return eventually(end, f"{job.name} is over")

    def exited(self, job: Path) -> Exited:
        state = self.over(job)
        assert isinstance(state, Exited)
        return state

    def program(self, job: Path) -> int:
        """Wait for the program to run and return its process id."""
        claim = eventually(lambda: jobfiles.read_claim(str(job)), f"{job.name} started")
        return claim.pid

    def pair(self, job: Path) -> tuple[int, int]:
        """Wait, looking as a driver does, until program, leader and watcher live, and return the latter two."""

        def both() -> tuple[int, int] | None:
            self.process.look(job)
            pids = runners(job)
            return (pids[0], pids[1]) if len(pids) == 2 and all(map(tree.is_alive, pids)) else None

        self.program(job)
        return eventually(both, f"{job.name} has two runners")

    def clean_up(self) -> None:
        for job in self.made:
            if isinstance(self.process.look(job), Running):
                self.process.stop(job)
                self.over(job)
