"""Rendering prompts: strict templates, one per node. Nothing untrusted is ever interpolated as an instruction."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    import jinja2


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("moot.prompts", "."),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown for agents, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: Any) -> str:
    """Return the prompt `template` with `values`.

    Args:
        template: a name without its ending (`review`).
        values: every variable the template names; a missing one is an error, never an empty string.

    Raises:
        jinja2.UndefinedError: the template needs a value that was not given.
    """
    text = _environment().get_template(f"{template}.md.j2").render(**values)
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return "\n".join(kept).strip() + "\n"


@lru_cache
def schema_text(schema: type[BaseModel]) -> str:
    """Return the JSON Schema of a reply as prompts show it: without the generated titles, which only cost tokens."""
    return json.dumps(_untitled(schema.model_json_schema()), indent=1, ensure_ascii=False)


def _untitled(node: Any) -> Any:
    if isinstance(node, dict):
        return {k: _untitled(v) for k, v in node.items() if not (k == "title" and isinstance(v, str))}
    return [_untitled(v) for v in node] if isinstance(node, list) else node
