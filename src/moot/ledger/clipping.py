"""Text from agents and repositories made fit for a database: cut to size, and free of what PostgreSQL refuses."""

from __future__ import annotations

import re

from moot.core.data import JSON

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # no database stores lone surrogates; PostgreSQL no NUL either


def clean(text: str) -> str:
    """Return `text` with every character that a database cannot store replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def clip(text: str, limit: int) -> str:
    """Return `text`, cleaned and at most `limit` characters long; what was cut is said at its end."""
    text = clean(text)
    if len(text) <= limit:
        return text
    marker = f"\n[cut: {len(text):,} characters in all, only the beginning is kept]"
    return text[: max(0, limit - len(marker))] + marker[:limit]


def clean_json(data: JSON) -> JSON:
    """Return JSON data with every string and key in it cleaned."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        return [clean_json(item) for item in data]
    if isinstance(data, dict):
        return {clean(key): clean_json(value) for key, value in data.items()}
    return data
