"""The strict form of a schema, checked against the schema itself."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from moot.agents.claude import Claude
from moot.agents.strict_schema import strict
from moot.core.replies import SCHEMAS


@pytest.mark.parametrize("node", sorted(SCHEMAS))
def test_every_reply_schema_has_a_strict_form_and_its_answers_are_valid_replies(node: str) -> None:
    schema = SCHEMAS[node].model_json_schema()
    form = strict(schema)
    _assert_strict(form)
    answer = _smallest(form, form)
    jsonschema.validate(answer, form)
    jsonschema.validate(answer, schema)
    SCHEMAS[node].model_validate(answer)


def _assert_strict(node: Any) -> None:
    """What OpenAI demands of a schema."""
    if isinstance(node, list):
        for child in node:
            _assert_strict(child)
    if not isinstance(node, dict):
        return
    if node.get("type") == "object":
        assert node["additionalProperties"] is False
        assert sorted(node["required"]) == sorted(node["properties"])
    assert not {"default", "minLength", "maxLength", "title", "allOf", "oneOf"} & set(node)
    assert set(node) == {"$ref"} or "$ref" not in node
    for key, child in node.items():
        _assert_strict(list(child.values()) if key in ("properties", "$defs") else child)


def _smallest(node: Any, root: Any) -> Any:
    """A small answer that the strict form allows; texts are not empty, as every bound on text is dropped."""
    if "$ref" in node:
        return _smallest(root["$defs"][node["$ref"].rsplit("/", 1)[1]], root)
    if "anyOf" in node:
        return _smallest(node["anyOf"][-1], root)
    if "enum" in node:
        return node["enum"][0]
    match node["type"]:
        case "object":
            return {k: _smallest(v, root) for k, v in node["properties"].items()}
        case "array":
            return [_smallest(node["items"], root) for _ in range(node.get("minItems", 0))]
        case "string":
            return "text"
        case "null":
            return None
        case _:
            return node.get("minimum", 0)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}},
        {"type": "object", "properties": {"a": {"allOf": [{"type": "string"}]}}},
        {"type": "object", "properties": {"a": True}},
    ],
)
def test_what_has_no_strict_form_is_not_enforced(schema: Any) -> None:
    assert strict(schema) is None


_leaves = st.sampled_from(
    [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}, {"type": "null"}, {"enum": ["a", "b"]}]
)
_schemas = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        inner.map(lambda i: {"type": "array", "items": i}),
        st.lists(inner, min_size=1, max_size=3).map(lambda c: {"anyOf": c}),
        st.dictionaries(st.sampled_from("abcd"), inner, min_size=1).map(lambda p: {"type": "object", "properties": p}),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abcd"), _schemas, min_size=1))
def test_answers_in_the_strict_form_fit_the_original(properties: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties, "required": ["a"] if "a" in properties else []}
    form = strict(schema)
    _assert_strict(form)
    jsonschema.validate(_smallest(form, form), schema)
    assert strict(form) == form


def test_claude_takes_a_schema_as_it_is() -> None:
    class Model(BaseModel):
        x: int = 3

    assert Claude().schema(Model.model_json_schema()) == Model.model_json_schema()
