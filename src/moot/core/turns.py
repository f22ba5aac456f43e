"""Turns: who is asked, what they are asked, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal

from moot.core.data import JSON
from moot.core.process import Limits


class FailureKind(StrEnum):
    """The names of everything that can be wrong with a turn (design §4)."""

    LOGIN = "login"
    BILLING = "billing"
    USAGE_LIMIT = "usage_limit"
    MODEL_LIMIT = "model_limit"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    CONTEXT_TOO_LONG = "context_too_long"
    MODEL_UNAVAILABLE = "model_unavailable"
    REFUSED = "refused"
    NETWORK = "network"
    MALFORMED = "malformed"
    SILENT = "silent"
    TIMEOUT = "timeout"
    KILLED = "killed"
    EMPTY = "empty"
    LOST = "lost"
    CONVERSATION_LOST = "conversation_lost"
    NOT_INSTALLED = "not_installed"


#: Failures for want of quota or money: the same question may be answered later.
LIMITS = frozenset(
    {FailureKind.USAGE_LIMIT, FailureKind.MODEL_LIMIT, FailureKind.RATE_LIMITED, FailureKind.BILLING}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a reply is no answer. `detail` is a clause that a nudge can repeat."""

    kind: FailureKind
    detail: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a turn burned. `cost_usd` is None where the CLI reports no money."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None

    def __add__(self, other: Usage) -> Usage:
        cost = (
            None
            if self.cost_usd is None and other.cost_usd is None
            else (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        )
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            cost,
        )

    def __sub__(self, earlier: Usage) -> Usage:
        """This turn's part of a cumulative figure, never below zero (a CLI may restart its count)."""
        cost = None if self.cost_usd is None else max(0.0, self.cost_usd - (earlier.cost_usd or 0.0))
        return Usage(
            max(0, self.input_tokens - earlier.input_tokens),
            max(0, self.output_tokens - earlier.output_tokens),
            max(0, self.cached_tokens - earlier.cached_tokens),
            cost,
        )

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Failure:
    """A turn that brought nothing usable.

    Args:
        detail: one line for a person.
        resets_at: aware UTC time from which asking again may help.
        conversation: the CLI's id of the conversation, where it can be continued all the same.
        usage, cumulative: what was burned nevertheless, as in `Reply`.
    """

    kind: FailureKind
    detail: str
    resets_at: datetime | None = None
    conversation: str | None = None
    usage: Usage = field(default_factory=Usage)
    cumulative: bool = False


#: The node of analyzers: nobody is paid for it, so no budget counts it.
SCAN = "scan"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt.

    Args:
        full: everything a seat needs that remembers nothing.
        live: what is enough for a seat that remembers; None where it always needs everything.
        about: stands for the content of files the prompt names by path, so that other content is another question.
        continues: id of the conversation in which `live` makes sense; None for the seat's latest about the subject.
    """

    node: str
    full: str
    live: str | None = None
    about: str = ""
    continues: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A usable reply.

    Args:
        text: the final text, as the agent wrote it.
        data: the structure the CLI itself delivered, when it enforces a schema; None otherwise.
        conversation: the CLI's own id of the conversation, to resume it; None if it cannot be resumed.
        usage: this turn only, or the conversation's running total when `cumulative`.
        cumulative: whether `usage` counts from the conversation's start (the ledger subtracts).
        denied: tool uses the CLI refused, one line each.
    """

    text: str
    data: JSON = None
    conversation: str | None = None
    usage: Usage = field(default_factory=Usage)
    cumulative: bool = False
    denied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something an agent did, read from its output while it runs. `path` names a file a tool touched."""

    kind: Literal["text", "tool", "usage", "retry", "notice"]
    text: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a CLI remembers between turns. `native` is the CLI's id; `cumulative` its usage so far."""

    id: str
    kind: str
    native: str | None
    account: str
    machine: str
    cwd: Path
    subject: str
    seat: str
    cumulative: Usage = field(default_factory=Usage)
    touched_by_person: bool = False


class Files(StrEnum):
    """How much of the repository a seat's checkout holds."""

    AUTO = "auto"  # the whole tree, or in a large repository what the change touches and its surroundings
    TREE = "tree"  # the whole tree
    CHANGED = "changed"  # the changed files and their directories


@dataclass(frozen=True, slots=True)
class Agent:
    """A configured program that can be asked.

    Args:
        program: path or name of the executable for built-in kinds; None takes the kind's own name.
        command: the argv of a `command` or `analyzer` agent, with `{placeholders}`; empty otherwise.
        reply: whether a `command` agent answers with JSON or with prose.
        env: variables set for it on top of the allow-listed environment.
        pass_env: names of variables of the person's environment it may see besides the allow-list.
        args: extra arguments, placed last before the prompt.
        fallback: models tried next when this one hits its limit.
        substitutes: names of agents that take the seat over.
        read, write: paths of the person's home it may see, or see and change, inside the sandbox.
    """

    name: str
    kind: str
    model: str | None = None
    effort: str | None = None
    account: str = ""
    program: str | None = None
    command: tuple[str, ...] = ()
    reply: Literal["json", "text"] = "json"
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    fallback: tuple[str, ...] = ()
    substitutes: tuple[str, ...] = ()
    files: Files = Files.AUTO
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnSpec:
    """Everything an adapter needs to build one turn's command. Adapters do no I/O: all of it is handed down.

    Args:
        run, seat, key: whose turn this is; `key` is unique in the run.
        agent: with the model and effort to use this time already filled in.
        prompt_file: the prompt; also the command's standard input.
        schema: JSON Schema of the expected structure, and `schema_file` with the same text; None for prose.
        change_file: the frozen change with its receipts.
        conversation: None for a first turn.
        write: whether the seat may change its checkout.
        env: the allow-listed environment, the agent's own variables and MOOT_* included.
        home: the person's home directory, under which the CLI keeps its own files.
        base, head: commit ids, for `command` agents.
        read: what else outside its checkout the seat may read, files and whole directories.
    """

    run: str
    seat: str
    key: str
    node: str
    agent: Agent
    job: Path
    cwd: Path
    prompt_file: Path
    change_file: Path
    schema_file: Path | None
    schema: JSON
    conversation: Conversation | None
    write: bool
    limits: Limits
    env: Mapping[str, str]
    home: Path
    base: str
    head: str
    read: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """What a login or version probe showed. `fix` is a command or change a person can make."""

    ok: bool
    summary: str
    fix: str | None = None
