"""The `analyzer` kind: a static analyser run on both versions of the changed files; see `moot.agents.analyzers`.

An agent named after a built-in analyzer is that one. An agent with a `command` is any program that prints SARIF 2.1.0;
in it `{files}`, a word of its own, stands for the changed files and `{dir}` for the directory they lie in. It runs
there twice, on the files as they were and as they are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import ClassVar

import moot
from moot.agents.analyzers.job import Job
from moot.agents.analyzers.tools import TOOLS
from moot.agents.environment import agent_environment
from moot.agents.failures import ended_badly, one_line
from moot.core.data import JSON
from moot.core.errors import ConfigError, UsageError
from moot.core.process import Command, Done, Exited, Limits, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Health, Reply, TurnSpec

_MISSING = "is not installed"


class Analyzer:
    """Drives static analysers. Its working directory is the one `analyzers.changed_files` describes."""

    kind: ClassVar[str] = "analyzer"
    streams: ClassVar[bool] = False
    #: Nothing of the repository is obeyed: the tools get their settings from moot.
    config_paths: ClassVar[tuple[str, ...]] = ()
    environment: ClassVar[tuple[str, ...]] = ()

    def schema(self, schema: JSON) -> JSON:
        """The job writes the reply by itself and needs none."""
        return None

    def command(self, t: TurnSpec) -> Command:
        """Return the job that scans head and base and prints a review reply.

        Raises:
            ConfigError: the agent is neither named after a built-in analyzer nor has a command.
        """
        return Command(
            argv=_argv(_job(t.agent)),
            cwd=t.cwd,
            env=agent_environment(t, {"NO_COLOR": "1"}),
            limits=t.limits,
            sandbox=Sandbox(read=_needs(t), network=False),
        )

    def events(self, stdout: Iterable[bytes]) -> Iterator[Event]:
        """Yield nothing: a job prints its reply at the end and is done in a second."""
        yield from ()

    def reply(self, t: TurnSpec, x: Exited, out: bytes, err: bytes) -> Reply | Failure:
        """Take the job's JSON; anything else is a failed seat, never a clean one.

        `data` holds, besides the review reply, `scanned`: the paths the tool really parsed.
        """
        why = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        if failure := ended_badly(t, x, why):
            return failure
        if x.code not in (0, None):  # None: nobody saw how it ended, but what it printed may be whole
            kind = FailureKind.NOT_INSTALLED if why.endswith(_MISSING) else FailureKind.MALFORMED
            return Failure(kind, one_line(why or f"exit code {x.code}"))
        text = out.decode("utf-8", "replace")
        try:
            data = json.loads(text)
        except ValueError:
            return Failure(FailureKind.MALFORMED, one_line(f"printed no JSON; {why}" if why else "printed no JSON"))
        if not isinstance(data, dict) or not isinstance(data.get("scanned"), list):
            return Failure(FailureKind.MALFORMED, "printed no review")
        return Reply(text, data=data)

    def takeover(self, a: Agent, c: Conversation) -> Command:
        """Raise UsageError: there is no conversation."""
        raise UsageError(f"{a.name} is an analyzer: there is no conversation to take over")

    def login(self, a: Agent) -> Command:
        """Return a command that finds the program and prints its version."""
        return Command(argv=_argv(_job(a), "--probe"), cwd=Path("/"), limits=Limits(wall_s=20))

    def health(self, a: Agent, d: Done) -> Health:
        """Say what was found; analyzers need no login."""
        if d.ok:
            return Health(True, d.out.decode("utf-8", "replace").strip())
        why = d.err.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"{a.name} does not start"
        fix = f"install it, or change agents.{a.name}.command" if a.command else "pip install 'moot[analyzers]'"
        return Health(False, why, fix)


def _job(agent: Agent) -> Job:
    if agent.command:
        return Job(agent.name, command=(*agent.command, *agent.args))
    name = agent.name
    if name not in TOOLS and agent.program is not None:
        executable = PurePath(agent.program).name
        name = next((tool.name for tool in TOOLS.values() if tool.executable == executable), name)
    if name not in TOOLS:
        raise ConfigError(
            f"no built-in analyzer is called {name!r}",
            where=f"agents.{agent.name}",
            next_step=f"give it a command that prints SARIF, or use one of: {', '.join(TOOLS)}",
        )
    return Job(name, program=agent.program, arguments=agent.args)


def _argv(job: Job, *options: str) -> tuple[str, ...]:
    # -P: what lies in the working directory is never imported.
    return (sys.executable, "-P", "-m", "moot.agents.analyzers.run", *options, job.dumps())


def _needs(t: TurnSpec) -> tuple[Path, ...]:
    """Return what must be visible for the job to start: this Python, moot, and where programs are looked for."""
    programs = [word for word in (t.agent.program, *t.agent.command) if word and PurePath(word).is_absolute()]
    folders = [folder for folder in t.env.get("PATH", "").split(":") if folder.startswith("/")]
    paths = [sys.prefix, sys.base_prefix, str(Path(moot.__file__).parent), *programs, *folders]
    return tuple(map(Path, dict.fromkeys(paths)))
