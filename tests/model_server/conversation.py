"""One request to a model API, read independently of its dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from .script import JSON, Say


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said. Roles are `user`, `assistant`, `system` and `tool` (a tool's result)."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the CLI offers. `free` tools take text instead of JSON arguments."""

    schema: Mapping[str, JSON]
    free: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request's content. `schema` is the structure asked of the final answer, where the API carries one."""

    model: str
    effort: str | None
    system: str
    turns: tuple[Turn, ...]
    tools: Mapping[str, Tool]
    schema: JSON
    stream: bool

    def last_said(self, text: str) -> int:
        """The position of the last user turn that contains `text`, -1 if none does."""
        said = (n for n, t in enumerate(self.turns) if t.role == "user" and text in t.text)
        return max(said, default=-1)


class Dialect(Protocol):
    """One model API on the wire. A new one is a module with such an object and a line in `server.DIALECTS`."""

    name: str

    def answers(self, path: str) -> bool:
        """Whether a POST to `path` is a request for the model."""
        ...

    def read(self, body: JSON) -> Conversation:
        """Read a request's body."""
        ...

    def whole(self, c: Conversation, say: Say) -> JSON:
        """The answer as one document."""
        ...

    def stream(self, c: Conversation, say: Say) -> Iterator[tuple[str, JSON]]:
        """The answer as server-sent events: name and data."""
        ...

    def failing(self, c: Conversation, error: JSON) -> Iterator[tuple[str, JSON]]:
        """A stream that begins well and then reports `error`."""
        ...


def text_of(content: JSON) -> str:
    """All text inside a nested content structure."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    if isinstance(content, Mapping):
        return "\n".join(filter(None, (text_of(content.get(k)) for k in ("text", "content", "output"))))
    return ""


def pieces(text: str, size: int = 32) -> Iterator[str]:
    """`text` in the portions in which a model would stream it."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
