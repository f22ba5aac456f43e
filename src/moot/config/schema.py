"""JSON Schemas that moot publishes: of the configuration, of what a seat replies, of a review's result."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from moot.config.model import Config
from moot.config.units import DURATION_PATTERN, SIZE_PATTERN, format_duration, format_size
from moot.core.errors import NotFoundError
from moot.core.replies import SCHEMAS
from moot.core.runs import Result

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def config_schema(kinds: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of a configuration file, for editors. `kinds` are the agent kinds there are."""
    schema = Config.model_json_schema(mode="validation")
    schema["$defs"]["AgentTable"]["properties"]["kind"]["enum"] = list(kinds)
    for table in schema["$defs"].values():
        for key in table.get("properties", {}).values():
            _write_default(key)
    return {"$schema": _DIALECT, **schema, "title": "moot configuration"}


def _write_default(key: dict[str, Any]) -> None:
    """Write the default of a duration or size as a person writes it: pydantic gives the number."""
    formats = {f"^{DURATION_PATTERN}$": format_duration, f"^{SIZE_PATTERN}$": format_size}
    if "default" in key and key.get("pattern") in formats:
        key["default"] = formats[key["pattern"]](key["default"])


def reply_schema(node: str) -> dict[str, Any]:
    """Return the schema of what a seat replies to `node`.

    Raises:
        NotFoundError: there is no such node, or it is answered in prose.
    """
    if node not in SCHEMAS:
        raise NotFoundError(f'no structured reply is called "{node}"', next_step=f"one of {', '.join(SCHEMAS)}")
    return {"$schema": _DIALECT, **SCHEMAS[node].model_json_schema(mode="validation")}


def result_schema() -> dict[str, Any]:
    """Return the schema of `moot review --json`."""
    schema = TypeAdapter(Result).json_schema(mode="serialization")
    return {"$schema": _DIALECT, **schema, "title": "moot review result"}
