"""One turn: its job directory, environment and walls; started once, waited for, read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from moot.agents.base import Adapter
from moot.agents.selection import program_paths
from moot.core.data import JSON
from moot.core.errors import MootError
from moot.core.process import Command, Exited, Fresh, Limits, Lost, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Problem, Reply, TurnSpec
from moot.engine import Suspend
from moot.process.environment import base_environment
from moot.process.local import salvage
from moot.process.output import read_stderr, read_stdout
from moot.seats.attempts import Attempt, write
from moot.seats.run import Expect, Run, Seat

#: How often a running job is looked at, seconds: closely at first, so that quick agents are not waited for.
FIRST_LOOK_S, LATER_LOOK_S, FIRST_SECONDS = 0.02, 0.1, 5.0
#: How often a job is started whose runners die before they have begun.
MOST_STARTS = 5


@dataclass(frozen=True, slots=True)
class Place:
    """Where a seat sits.

    Args:
        cwd: its working directory, a checkout of moot's own or an analyzer's folder.
        change_file: the part of the frozen change it is to read.
        read: what else the cage shows it (git's directories of the checkout, the run's files).
        write: whether `cwd` is its own to change.
        guarded: paths inside `cwd` that stay read-only even then (`.git`).
    """

    cwd: Path
    change_file: Path
    read: tuple[Path, ...] = ()
    write: bool = False
    guarded: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A usable reply, and the structure it was asked for; None for prose."""

    reply: Reply
    data: JSON


def spec(
    run: Run,
    seat: Seat,
    agent: Agent,
    kind: Adapter,
    attempt: Attempt,
    *,
    node: str,
    key: str,
    job: Path,
    expect: Expect,
    place: Place,
    conversation: Conversation | None,
) -> TurnSpec:
    """Gather what the adapter needs for one turn."""
    environ = base_environment(run.world.environ, (*kind.environment, *agent.pass_env))
    return TurnSpec(
        run=run.id,
        seat=seat.name,
        key=f"{key}.{attempt.number}",
        node=node,
        agent=replace(agent, model=attempt.model),
        job=job,
        cwd=place.cwd,
        prompt_file=job / "prompt.md",
        change_file=place.change_file,
        schema_file=job / "schema.json" if expect.schema is not None else None,
        schema=None if expect.schema is None else kind.schema(expect.schema),
        conversation=conversation,
        write=expect.write,
        limits=Limits(attempt.wall_s, attempt.silence_s if kind.streams or seat.silence_set else None),
        env={**environ, **agent.env},
        home=Path(environ.get("HOME", "/")),
        base=run.change.merge_base,
        head=run.change.head,
        read=place.read,
    )


def begin(run: Run, kind: Adapter, t: TurnSpec, prompt: str, place: Place) -> None:
    """Write the turn's files and start it. Harmless when it was started before."""
    write(t.prompt_file, prompt)
    if t.schema_file is not None:
        write(t.schema_file, json.dumps(t.schema))
    (t.job / "mail").mkdir(exist_ok=True)
    command = kind.command(t)
    run.world.process.start(t.job, replace(command, sandbox=_walls(run, t, command, place)))


def _walls(run: Run, t: TurnSpec, command: Command, place: Place) -> Sandbox | None:
    """What the cage of this turn shows: the CLI's own files, the seat's place, the run's files, nothing else."""
    if not run.caged:
        return None
    own = command.sandbox or Sandbox()
    read = [
        *own.read,
        *program_paths(Path(command.argv[0])),
        *(Path(word) for word in t.agent.command if word.startswith("/") and Path(word).is_file()),
        *(Path(p) for p in t.agent.read),
        *(Path(p) for p in run.config.sandbox.read),
        *place.read,
        *place.guarded,
        t.job,
    ]
    write_paths = [*own.write, *(Path(p) for p in t.agent.write), t.job / "mail"]
    (write_paths if place.write else read).append(place.cwd)
    for path in own.write:  # the CLI would make them itself; the cage binds only what is there
        path.mkdir(parents=True, exist_ok=True)
    return Sandbox(tuple(read), tuple(write_paths), own.masked, own.network)


def fresh(run: Run, job: Path) -> bool:
    """Whether nothing of the job runs or ran."""
    return isinstance(run.world.process.look(job), Fresh)


async def see_through(run: Run, job: Path, start: Callable[[], Awaitable[Failure | None]]) -> Exited | Lost | Failure:
    """Start the job, unless it was started before, and wait until it is over.

    Args:
        start: called while nothing of the job runs or ran; that is so again when its runners are killed before they
            have begun. A failure it returns is the end.

    Raises:
        Suspend: the run is parked (the job runs on and is adopted later) or cancelled (the job is stopped).
        MootError: it does not start, however often it is tried.
    """
    process, waited, starts = run.world.process, 0.0, 0
    while True:
        state = process.look(job)
        if isinstance(state, Exited | Lost):
            return state
        if isinstance(state, Fresh):
            if starts == MOST_STARTS:
                raise MootError(f"the turn in {job} does not start", next_step="moot doctor")
            starts += 1
            if (failure := await start()) is not None:
                return failure
            continue
        if run.halt.why:
            if run.halt.stop:
                process.stop(job)
            raise Suspend(run.halt.why)
        pause = FIRST_LOOK_S if waited < FIRST_SECONDS else LATER_LOOK_S
        await run.world.sleep(pause)
        waited += pause


def outcome(kind: Adapter, t: TurnSpec, ended: Exited | Lost, expect: Expect) -> Told | Failure:
    """Read what a turn that is over has brought, held to what was asked for.

    Of a lost turn that is its answer, if a whole one stands in its output: it was paid for. Only the structure asked
    for shows that it is whole; prose may have been cut off anywhere.
    """
    out, err = read_stdout(t.job).data, read_stderr(t.job).data
    if isinstance(ended, Exited):
        return _held_to(expect, kind.reply(t, ended, out, err))
    seen = salvage(t.job)
    told = _held_to(expect, kind.reply(t, seen, out, err)) if seen is not None else None
    if isinstance(told, Told) and told.data is not None:
        return told
    return Failure(FailureKind.LOST, "the machine or the agent's process went away in the middle of the turn")


def _held_to(expect: Expect, reply: Reply | Failure) -> Told | Failure:
    """A reply without the structure asked for is a failed turn, whatever its CLI called it."""
    if isinstance(reply, Failure):
        return reply
    data = expect.read(reply)
    if not isinstance(data, Problem):
        return Told(reply, data)
    return Failure(
        data.kind, data.detail, conversation=reply.conversation, usage=reply.usage, cumulative=reply.cumulative
    )  # fmt: skip


def touched(kind: Adapter, job: Path) -> tuple[str, ...]:
    """Return the paths the seat's tools opened, in order, once each, as far as its CLI reports tool calls."""
    return tuple(dict.fromkeys(_paths(kind.events(read_stdout(job).data.splitlines()))))


def _paths(happened: Iterable[Event]) -> Iterable[str]:
    return (e.path for e in happened if e.kind == "tool" and e.path)


async def pause(run: Run, seconds: float) -> None:
    """Sleep in slices, so that parking does not wait for the end.

    Raises:
        Suspend: the run was parked or cancelled meanwhile.
    """
    end = run.world.now().timestamp() + seconds
    while (left := end - run.world.now().timestamp()) > 0:
        if run.halt.why:
            raise Suspend(run.halt.why)
        await run.world.sleep(min(left, 0.25))


def seconds(ended: Exited | Lost) -> float:
    """Return how long the turn took, 0 where nobody knows."""
    return ended.seconds if isinstance(ended, Exited) else 0.0
