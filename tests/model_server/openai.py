"""The OpenAI Responses API, as far as agent CLIs use it (wire format: the vendor's public API reference)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping

from .actions import call
from .conversation import Conversation, Tool, Turn, pieces, text_of
from .script import JSON, Refuse, Say

_numbers = itertools.count(1)


def error(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None, **more: JSON
) -> Refuse:
    """An error answer as this API words it; `more` are further fields of the error object."""
    return Refuse(status, {"error": {"message": message, "code": code, **more}}, headers or {})


class OpenAIResponses:
    """`POST …/responses`."""

    name = "openai-responses"

    def answers(self, path: str) -> bool:
        return path.endswith("/responses")

    def read(self, body: JSON) -> Conversation:
        turns = []
        for item in body.get("input", ()):
            kind = item.get("type", "message")
            if kind == "message":
                turns.append(Turn(item.get("role", "user"), text_of(item.get("content"))))
            elif kind.endswith("_output"):
                turns.append(Turn("tool", text_of(item.get("output"))))
            elif kind.endswith("_call"):
                turns.append(Turn("assistant", ""))
        tools = {
            t.get("name") or t["type"]: Tool(t.get("parameters") or {}, t["type"] == "custom")
            for t in body.get("tools") or ()
        }
        return Conversation(
            model=body.get("model", ""),
            effort=(body.get("reasoning") or {}).get("effort"),
            system=body.get("instructions") or "",
            turns=tuple(turns),
            tools=tools,
            schema=((body.get("text") or {}).get("format") or {}).get("schema"),
            stream=bool(body.get("stream")),
        )

    def whole(self, c: Conversation, say: Say) -> JSON:
        return _response(c, "completed", _items(c, say), say)

    def stream(self, c: Conversation, say: Say) -> Iterator[tuple[str, JSON]]:
        items = _items(c, say)
        yield "response.created", {"response": _response(c, "in_progress", [], None)}
        for n, item in enumerate(items):
            place = {"output_index": n, "item_id": item["id"]}
            started = {**item, "status": "in_progress"}
            if item["type"] == "message":
                started["content"] = []
            yield "response.output_item.added", {"output_index": n, "item": started}
            if item["type"] == "message":
                part = item["content"][0]
                yield "response.content_part.added", {**place, "content_index": 0, "part": {**part, "text": ""}}
                for piece in pieces(part["text"]):
                    yield "response.output_text.delta", {**place, "content_index": 0, "delta": piece}
                yield "response.output_text.done", {**place, "content_index": 0, "text": part["text"]}
            yield "response.output_item.done", {"output_index": n, "item": item}
        yield "response.completed", {"response": _response(c, "completed", items, say)}

    def failing(self, c: Conversation, error: JSON) -> Iterator[tuple[str, JSON]]:
        started = _response(c, "in_progress", [], None)
        yield "response.created", {"response": started}
        yield "response.failed", {"response": {**started, "status": "failed", "error": error}}


def _items(c: Conversation, say: Say) -> list[dict[str, JSON]]:
    items: list[dict[str, JSON]] = []
    if say.text is not None:
        content = [{"type": "output_text", "text": say.text, "annotations": []}]
        items.append({"type": "message", "role": "assistant", "content": content})
    for use in say.uses:
        made = call(use, c.tools)
        if made.text is not None:
            items.append({"type": "custom_tool_call", "name": made.name, "input": made.text})
        else:
            items.append({"type": "function_call", "name": made.name, "arguments": json.dumps(made.arguments)})
        items[-1]["call_id"] = f"call_{next(_numbers):08}"
    return [{"id": f"item_{next(_numbers):08}", "status": "completed", **item} for item in items]


def _response(c: Conversation, status: str, items: list[dict[str, JSON]], say: Say | None) -> dict[str, JSON]:
    usage = None
    if say is not None:
        usage = {
            "input_tokens": say.tokens.input,
            "input_tokens_details": {"cached_tokens": say.tokens.cached},
            "output_tokens": say.tokens.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": say.tokens.input + say.tokens.output,
        }
    return {
        "id": f"resp_{next(_numbers):08}",
        "object": "response",
        "status": status,
        "model": c.model,
        "output": items,
        "error": None,
        "usage": usage,
    }
