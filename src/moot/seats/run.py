"""What a proceeding holds in its hands: the run, its seats, and the world they are in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from moot.checkouts.worktrees import Worktrees
from moot.config.model import Config, SandboxMode
from moot.core.change import Change, FrozenDiff
from moot.core.data import JSON
from moot.core.ledger import TurnId
from moot.core.process import Limits, Process
from moot.core.runs import Reads
from moot.core.turns import Agent, Failure, Problem, Reply, Usage
from moot.git.run import Git
from moot.ledger import events
from moot.ledger.database import Ledger
from moot.ledger.events import NewEvent
from moot.process.sandbox import Boundary


@dataclass(frozen=True, slots=True)
class World:
    """Where effects happen, handed in so that a test can stand in for the clock or the machine.

    Args:
        now: aware UTC time.
        sleep: seconds.
        environ: the person's environment; seats see an allow-listed part of it.
        boundary: whether and how this machine can put a cage around agents.
        machine: a stable name of this machine.
        cache: a directory for what can be made again.
        alive: whether anything of a turn, its job or its run's driver, still lives on this machine.
    """

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    process: Process
    ledger: Ledger
    git: Git
    worktrees: Worktrees
    environ: Mapping[str, str]
    boundary: Boundary
    machine: str
    cache: Path
    alive: Callable[[TurnId], bool]


@dataclass(slots=True)
class Halt:
    """Set by the driver when somebody asked to park or cancel the run; steps look at it while they wait.

    `stop` tells whether running turns are stopped (cancel) or left to be adopted later (park).
    """

    why: str = ""
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a proceeding over one frozen change.

    Args:
        folder: where the run keeps its turns, change files and reports.
        generation: 0, and one more for each time a *finished* run is taken up again to ask failed seats anew.
        secret: from which the run's receipts are made.
        created_at: aware UTC.
    """

    id: str
    folder: Path
    config: Config
    change: Change
    diff: FrozenDiff
    generation: int
    secret: bytes
    created_at: datetime
    world: World
    halt: Halt

    @property
    def caged(self) -> bool:
        """Whether agents of this run sit behind a boundary."""
        return self.config.sandbox.mode is not SandboxMode.OFF and self.world.boundary.ok

    def note(self, kind: str, text: str, seat: str | None = None, data: JSON = None) -> None:
        """Append an event to the run's story."""
        events.append(self.world.ledger, NewEvent(self.id, self.world.now(), kind, text, seat, data))


@dataclass(frozen=True, slots=True)
class Seat:
    """A named place in a run.

    Args:
        agent: who sits there first; `substitutes` take over in their order.
        effort: reasoning effort, where the role sets one; the agent's own otherwise.
        reads: what its answer is worth as reading.
        prompt: the role's own instructions, appended to the built-in prompt.
        after: names of seats whose reports this one reads.
        silence_set: whether its silence limit holds for kinds that do not stream too.
    """

    name: str
    agent: Agent
    limits: Limits
    reads: Reads
    substitutes: tuple[Agent, ...] = ()
    prompt: str = ""
    after: tuple[str, ...] = ()
    required: bool = False
    optional: bool = False
    silence_set: bool = False


@dataclass(frozen=True, slots=True)
class Expect:
    """What a turn must bring.

    Args:
        read: turns a reply into the structure asked for, or says what is wrong with it.
        schema: its JSON Schema; None for prose.
        write: whether the seat may change its checkout.
    """

    read: Callable[[Reply], JSON | Problem]
    schema: JSON = None
    write: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """A seat's usable answer.

    Args:
        attempt: the turn that brought it, from 1; its directory is `turns/<seat>/<key>.<attempt>`.
        cwd: the directory it sat in.
        conversation: the ledger's id of the conversation it can be asked further in; None where there is none.
        touched: paths its tools opened, as far as the CLI tells.
        trail: one line per failure on the way and what was done about it.
        replaced: the agent that was to sit there, when another does.
    """

    seat: str
    agent: str
    kind: str
    model: str | None
    text: str
    data: JSON
    attempt: int
    turns: int
    usage: Usage
    seconds: float
    cwd: str = ""
    conversation: str | None = None
    touched: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()
    replaced: str | None = None
    outcome: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True)
class Failed:
    """A seat that brought nothing. `limited`: for want of quota or budget, a later resume may do better."""

    seat: str
    agent: str
    kind: str
    failure: Failure
    turns: int
    usage: Usage
    seconds: float
    limited: bool = False
    trail: tuple[str, ...] = ()
    replaced: str | None = None
    outcome: Literal["failed"] = "failed"
