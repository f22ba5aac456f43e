"""Processes as values: what to run, within which limits and walls, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a process may take.

    Args:
        wall_s: seconds from start to end.
        silence_s: seconds without a new byte on standard output or error; None where silence is normal.
    """

    wall_s: float
    silence_s: float | None = None


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a process inside the cage may see; everything else of the home and of other runs is masked.

    Args:
        read: absolute paths bound read-only (missing ones are skipped).
        write: absolute paths bound writable (must exist when the process starts).
        masked: absolute directories replaced by an empty one *before* `read` and `write` are bound over them.
        network: whether the process may reach the network.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    masked: tuple[Path, ...] = ()
    network: bool = True


@dataclass(frozen=True, slots=True)
class Command:
    """One process to run. `env` is the whole environment, nothing is inherited."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: Path | None = None
    limits: Limits = Limits(wall_s=60)
    sandbox: Sandbox | None = None


class Ending(StrEnum):
    """Why a process is over."""

    EXITED = "exited"  # by itself; `code` says how
    TIMEOUT = "timeout"  # its wall clock ran out, the tree was killed
    SILENT = "silent"  # it said nothing for too long, the tree was killed
    FLOODED = "flooded"  # it printed more than anybody could read, the tree was killed
    STOPPED = "stopped"  # somebody asked it to stop
    UNSTARTABLE = "unstartable"  # the program does not exist or may not be run


@dataclass(frozen=True, slots=True)
class Done:
    """A short process that ended. `code` is None where a signal or a limit ended it."""

    ending: Ending
    code: int | None
    out: bytes
    err: bytes
    seconds: float

    @property
    def ok(self) -> bool:
        return self.ending is Ending.EXITED and self.code == 0


@dataclass(frozen=True, slots=True)
class Fresh:
    """A job directory in which nothing was started yet."""


@dataclass(frozen=True, slots=True)
class Running:
    """A job whose lock is held. `started_at` is a Unix time, `bytes_out` the size of its standard output."""

    started_at: float
    bytes_out: int


@dataclass(frozen=True, slots=True)
class Exited:
    """A job that left its exit record. Times are Unix times in seconds."""

    ending: Ending
    code: int | None
    started_at: float
    ended_at: float
    detail: str = ""

    @property
    def seconds(self) -> float:
        return self.ended_at - self.started_at


@dataclass(frozen=True, slots=True)
class Lost:
    """A job that was started, holds no lock and left no exit record: a power cut."""


JobState = Fresh | Running | Exited | Lost


class Process(Protocol):
    """The only place a process is born."""

    async def run(self, command: Command, input: bytes | None = None) -> Done:  # noqa: A002  subprocess's own word
        """Run a short command to its end (git, probes, notifications). `input`, when given, is its standard input."""
        ...

    def start(self, job: Path, command: Command) -> None:
        """Start a long command in the job directory. Idempotent: a started job is never started again."""
        ...

    def look(self, job: Path) -> JobState:
        """Say how the job in that directory stands."""
        ...

    def stop(self, job: Path) -> None:
        """Ask the job's runner to end its whole process tree. Returns at once."""
        ...
