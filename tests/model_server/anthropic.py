"""The Anthropic Messages API, as far as agent CLIs use it (wire format: the vendor's public API reference)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping

from .actions import call
from .conversation import Conversation, Tool, Turn, pieces, text_of
from .script import JSON, Refuse, Say

_numbers = itertools.count(1)


def error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Refuse:
    """An error answer as this API words it."""
    return Refuse(status, {"type": "error", "error": {"type": kind, "message": message}}, headers or {})


class AnthropicMessages:
    """`POST …/messages`."""

    name = "anthropic"

    def answers(self, path: str) -> bool:
        return path.endswith("/messages")

    def read(self, body: JSON) -> Conversation:
        turns: list[Turn] = []
        for message in body.get("messages", ()):
            content = message.get("content")
            results = [b for b in content if b.get("type") == "tool_result"] if isinstance(content, list) else []
            if results:
                turns.append(Turn("tool", text_of(results)))
                content = [b for b in content if b.get("type") != "tool_result"]
            if content:
                turns.append(Turn(message.get("role", "user"), text_of(content)))
        tools = {t["name"]: Tool(t.get("input_schema", {})) for t in body.get("tools") or ()}
        return Conversation(
            model=body.get("model", ""),
            effort=_effort(body),
            system=text_of(body.get("system")),
            turns=tuple(turns),
            tools=tools,
            schema=tools["StructuredOutput"].schema if "StructuredOutput" in tools else None,
            stream=bool(body.get("stream")),
        )

    def whole(self, c: Conversation, say: Say) -> JSON:
        return {
            **_message(c, say),
            "content": _blocks(c, say),
            "stop_reason": _stop(say),
            "usage": _usage(say, say.tokens.output),
        }

    def stream(self, c: Conversation, say: Say) -> Iterator[tuple[str, JSON]]:
        yield "message_start", {"message": {**_message(c, say), "content": [], "usage": _usage(say, 1)}}
        for n, block in enumerate(_blocks(c, say)):
            if block["type"] == "text":
                empty, deltas = (
                    {**block, "text": ""},
                    [{"type": "text_delta", "text": p} for p in pieces(block["text"])],
                )
            else:
                written = json.dumps(block["input"])
                empty = {**block, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces(written)]
            yield "content_block_start", {"index": n, "content_block": empty}
            for delta in deltas:
                yield "content_block_delta", {"index": n, "delta": delta}
            yield "content_block_stop", {"index": n}
        stop = {"stop_reason": _stop(say), "stop_sequence": None}
        yield "message_delta", {"delta": stop, "usage": _usage(say, say.tokens.output)}
        yield "message_stop", {}

    def failing(self, c: Conversation, error: JSON) -> Iterator[tuple[str, JSON]]:
        yield next(self.stream(c, Say("")))
        yield "error", error


def _effort(body: JSON) -> str | None:
    """The effort stands at the request's top or, to change it in mid-conversation, beside a message."""
    places = [body, *body.get("messages", ())]
    return next((p["output_config"].get("effort") for p in reversed(places) if p.get("output_config")), None)


def _message(c: Conversation, say: Say) -> dict[str, JSON]:
    return {
        "id": f"msg_{next(_numbers):08}",
        "type": "message",
        "role": "assistant",
        "model": c.model,
        "stop_reason": None,
        "stop_sequence": None,
    }


def _blocks(c: Conversation, say: Say) -> list[dict[str, JSON]]:
    blocks: list[dict[str, JSON]] = []
    if say.text is not None:
        blocks.append({"type": "text", "text": say.text})
    for use in say.uses:
        made = call(use, c.tools)
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{next(_numbers):08}", "name": made.name, "input": dict(made.arguments)}
        )
    return blocks


def _stop(say: Say) -> str:
    return "refusal" if say.refusal else "tool_use" if say.uses else "end_turn"


def _usage(say: Say, output: int) -> dict[str, int]:
    return {
        "input_tokens": say.tokens.input,
        "cache_read_input_tokens": say.tokens.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": output,
    }
