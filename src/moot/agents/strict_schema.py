"""The strict subset of JSON Schema that OpenAI enforces: closed objects, every property required, few keywords.

The rules are the vendor's (structured outputs, supported schemas).
"""

from __future__ import annotations

from moot.core.data import JSON

_KEPT = frozenset(
    {"type", "enum", "const", "description", "minimum", "maximum", "multipleOf", "minItems", "maxItems", "required"}
)


class _NotExpressible(Exception):
    pass


def strict(schema: JSON) -> JSON:
    """Return the strict form of `schema`, None if there is none: objects with free keys, combined schemas.

    What validates against the strict form validates against `schema`, except for bounds on text, which the subset does
    not know: whoever reads the reply checks it against `schema` anyway. Properties that may be left out must be given.
    """
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return None
    try:
        return _node(schema)
    except _NotExpressible:
        return None


def _node(node: JSON) -> JSON:
    if not isinstance(node, dict):
        raise _NotExpressible
    if "$ref" in node:
        return {"$ref": node["$ref"]}  # keywords beside it are not allowed
    if any(k in node for k in ("allOf", "not", "if", "patternProperties", "prefixItems")):
        raise _NotExpressible
    kept = {k: v for k, v in node.items() if k in _KEPT}
    if "$defs" in node:
        kept["$defs"] = {name: _node(v) for name, v in node["$defs"].items()}
    if "items" in node:
        kept["items"] = _node(node["items"])
    if choices := node.get("anyOf") or node.get("oneOf"):
        kept["anyOf"] = [_node(choice) for choice in choices]
    if node.get("type") == "object":
        properties = node.get("properties")
        if not properties or isinstance(node.get("additionalProperties"), dict):
            raise _NotExpressible
        kept["properties"] = {name: _node(v) for name, v in properties.items()}
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept
