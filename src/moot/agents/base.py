"""The contract every agent kind fulfils. One module per kind, one line in `agents.registry`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Protocol

from moot.core.data import JSON
from moot.core.process import Command, Done, Exited
from moot.core.turns import Agent, Conversation, Event, Failure, Health, Reply, TurnSpec


class Adapter(Protocol):
    """How one kind of agent CLI is driven. Pure: no I/O, no clock; everything it needs is in its arguments."""

    kind: ClassVar[str]
    #: Whether output arrives while the agent works, so that silence means trouble.
    streams: ClassVar[bool]
    #: Paths (gitignore patterns, any depth) this CLI would obey in a checkout; never checked out for reading seats.
    config_paths: ClassVar[tuple[str, ...]]
    #: Variables of the person's environment the CLI needs besides the allow-list: its credentials and endpoint.
    environment: ClassVar[tuple[str, ...]]

    def schema(self, schema: JSON) -> JSON:
        """Return `schema` as this CLI takes it, for `TurnSpec.schema` and its file; None where it cannot enforce it."""
        ...

    def command(self, t: TurnSpec) -> Command:
        """Return the process of one turn: first or resumed, reading or writing, with or without a schema.

        `t.agent` is resolved (`agents.selection.resolve`): its `program` is the absolute path of the executable.
        `sandbox` of the answer lists what the CLI itself needs of the person's files; the caller adds the checkout,
        the job directory, what the seat may read and `selection.program_paths`, and makes the directories of
        `sandbox.write` where they are missing. The command is the same with and without a sandbox.
        """
        ...

    def events(self, stdout: Iterable[bytes]) -> Iterator[Event]:
        """Yield what the agent did, from raw output lines. Unknown or broken lines are skipped."""
        ...

    def reply(self, t: TurnSpec, x: Exited, out: bytes, err: bytes) -> Reply | Failure:
        """Return what the turn brought. Success is a final text, no error flag, and structure where enforced."""
        ...

    def takeover(self, a: Agent, c: Conversation) -> Command:
        """Return the interactive command with which a person goes on with the conversation.

        Its `env` and `login`'s hold only what must be added; the caller puts the person's own environment beneath.
        """
        ...

    def login(self, a: Agent) -> Command:
        """Return a quick command whose output shows the version and whether the person is logged in."""
        ...

    def health(self, a: Agent, d: Done) -> Health:
        """Read what `login` printed."""
        ...
