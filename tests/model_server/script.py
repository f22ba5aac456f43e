"""What the scripted model is to say: replies, tool uses and faults, as values a test or a JSON file can write down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .conversation import Conversation

JSON = Any


@dataclass(frozen=True, slots=True)
class Use:
    """A tool the model uses, in words that fit every CLI; `actions` finds the tool the CLI declared for it.

    Args:
        do: `call` names a tool and its arguments verbatim, the others are neutral.
        path: absolute path of a file (read, write, edit).
        content: the new text (write, edit).
        old: the text to replace (edit).
        command: a shell command line (shell).
        name, arguments: of a `call`.
    """

    do: Literal["read", "write", "edit", "shell", "call"]
    path: str = ""
    content: str = ""
    old: str = ""
    command: str = ""
    name: str = ""
    arguments: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one request is said to have cost."""

    input: int = 1000
    output: int = 10
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Say:
    """A whole answer: text, tool uses, or both. `delay` seconds pass before it, `pace` seconds between its pieces.

    `refusal`: the model declines; APIs say so beside the text.
    """

    text: str | None = None
    uses: tuple[Use, ...] = ()
    refusal: bool = False
    tokens: Tokens = Tokens()
    delay: float = 0.0
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Refuse:
    """A plain HTTP answer: an error with its status, headers and body."""

    status: int
    body: JSON = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something no API should do.

    hang: accept the request and never answer. stall: begin the stream, then fall silent. malformed: a stream of
    rubbish. truncate: the stream ends in the middle. disconnect: close the connection without an answer. error: a
    well-formed error event inside the stream, `error` being its body.
    """

    kind: Literal["hang", "stall", "malformed", "truncate", "disconnect", "error"]
    error: JSON = None


Reply = Say | Refuse | Fault


#: A reply, or what makes one of the conversation so far: what a model that pays attention would say.
Answer = Reply | Callable[["Conversation"], Reply]


@dataclass(frozen=True, slots=True)
class Script:
    """Replies in their order; the last one repeats. `when` is a text that the conversation's user must have said.

    Where several scripts fit, the one whose text was said last wins, so that a resumed conversation moves on.
    """

    replies: tuple[Answer, ...]
    when: str = ""


def load(data: JSON) -> tuple[Script, ...]:
    """Return the scripts of a JSON document: a list of `{"when": …, "replies": […]}`.

    A reply with `status` is a `Refuse`, one with `fault` a `Fault` of that kind, every other a `Say`.
    """
    return tuple(Script(tuple(_reply(r) for r in s["replies"]), s.get("when", "")) for s in data)


def _reply(data: Mapping[str, JSON]) -> Reply:
    if "status" in data:
        return Refuse(**data)
    if "fault" in data:
        return Fault(data["fault"], data.get("error"))
    fields = dict(data)
    uses = tuple(Use(**u) for u in fields.pop("uses", ()))
    tokens = Tokens(**fields.pop("tokens", {}))
    return Say(uses=uses, tokens=tokens, **fields)
