"""Lines of JSON, as agent CLIs stream them: broken and foreign lines are skipped, missing fields are empty."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from moot.core.data import JSON


def objects(lines: Iterable[bytes]) -> Iterator[dict[str, JSON]]:
    """Yield the JSON objects among `lines`, in their order."""
    for line in lines:
        if not line.lstrip().startswith(b"{"):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def string(holder: JSON, key: str) -> str:
    """Return `holder[key]` if `holder` is an object and has a string there, else ""."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""


def number(holder: JSON, key: str) -> float:
    """Return `holder[key]` if it is a number, else 0."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def items(holder: JSON, key: str) -> list[dict[str, JSON]]:
    """Return the objects in the list `holder[key]`."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def child(holder: JSON, key: str) -> dict[str, JSON]:
    """Return the object `holder[key]`, empty if there is none."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def strings(holder: JSON, key: str) -> list[str]:
    """Return the strings in the list `holder[key]`."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []
