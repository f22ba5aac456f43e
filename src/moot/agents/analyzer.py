"""The `analyzer` kind (founder's stand-in until the owner's lands: replace freely)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from moot.agents.environment import agent_environment
from moot.core.data import JSON
from moot.core.process import Command, Done, Ending, Exited, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Health, Reply, TurnSpec


class Analyzer:
    kind: ClassVar[str] = "analyzer"
    streams: ClassVar[bool] = False
    config_paths: ClassVar[tuple[str, ...]] = ()
    environment: ClassVar[tuple[str, ...]] = ()

    def schema(self, schema: JSON) -> JSON:
        return schema

    def command(self, t: TurnSpec) -> Command:
        return Command(
            (sys.executable, "-m", "moot.agents.analyzers.run", t.agent.name),
            t.cwd,
            agent_environment(t, {}),
            limits=t.limits,
            sandbox=Sandbox(read=(Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[2]), network=False),
        )

    def events(self, stdout: Iterable[bytes]) -> Iterator[Event]:
        return iter(())

    def reply(self, t: TurnSpec, x: Exited, out: bytes, err: bytes) -> Reply | Failure:
        if x.ending is Ending.EXITED and x.code == 0:
            return Reply(out.decode("utf-8", "replace"))
        return Failure(FailureKind.MALFORMED, err.decode("utf-8", "replace").strip() or "failed")

    def takeover(self, a: Agent, c: Conversation) -> Command:
        return Command(("true",), Path("/"))

    def login(self, a: Agent) -> Command:
        return Command(("true",), Path("/"))

    def health(self, a: Agent, d: Done) -> Health:
        return Health(True, "built in")
