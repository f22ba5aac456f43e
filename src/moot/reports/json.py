"""The result as JSON, schema 1: the whole of it, in a stable order, safe to print."""

from __future__ import annotations

import json
import re
from functools import cache

from pydantic import TypeAdapter

from moot.core.codec import dump
from moot.core.data import JSON
from moot.core.runs import Result

#: The order in which readers want the keys; keys that are not here follow in the order of their declaration.
_ORDER = ("schema", "run", "proceeding", "status", "verdict", "verdict_reasons", "change", "findings")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ACTS = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def render(result: Result) -> str:
    """Return the result as JSON, ending with a line feed."""
    data = dump(Result, result)
    assert isinstance(data, dict)
    return dumps({key: data[key] for key in (*_ORDER, *(k for k in data if k not in _ORDER))})


def dumps(data: JSON) -> str:
    """Return `data` as indented JSON, ending with a line feed.

    It is text that UTF-8 can hold (lone surrogates are replaced), and what could act on a terminal is escaped, so that
    it can be looked at.
    """
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
    return _ACTS.sub(lambda m: f"\\u{ord(m.group()):04x}", text) + "\n"


@cache
def schema() -> JSON:
    """Return the JSON Schema of `render`'s output (draft 2020-12)."""
    described: JSON = TypeAdapter(Result).json_schema(mode="serialization")
    return described
