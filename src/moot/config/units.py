"""Durations and sizes as people write them: `90s`, `5m`, `2h`, `7d`; `400KB`, `1MB`."""

from __future__ import annotations

import re

DURATION_PATTERN = r"[0-9]+(\.[0-9]{1,3})?(s|m|h|d)"
SIZE_PATTERN = r"[0-9]+([KMG]?B)"

_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([smhd])")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_LONGEST_S = 366 * 86400

_SIZE = re.compile(r"([0-9]{1,12})\s*([KMG]?B)", re.IGNORECASE)
_BYTES = {"GB": 1024**3, "MB": 1024**2, "KB": 1024, "B": 1}  # binary, as the limits in moot.core are


def parse_duration(text: object) -> float:
    """Return a duration in seconds, exact to the millisecond.

    Raises:
        ValueError: not a duration, or longer than a year; the message is fit for a person.
    """
    found = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found:
        raise ValueError(f"{_shown(text)} is not a duration: write 90s, 5m, 2h or 7d")
    seconds = round(float(found[1]) * _SECONDS[found[2]], 3)
    if seconds > _LONGEST_S:
        raise ValueError(f"{_shown(text)} is longer than a year")
    return seconds


def format_duration(seconds: float) -> str:
    """Return the shortest text that `parse_duration` reads back as the same number of seconds."""
    if seconds == int(seconds):
        whole = int(seconds)
        unit = next(u for u, size in _SECONDS.items() if u == "s" or (whole and whole % size == 0))
        return f"{whole // _SECONDS[unit]}{unit}"
    return f"{seconds:.3f}".rstrip("0") + "s"


def parse_size(text: object) -> int:
    """Return a size in bytes; 1KB is 1024 bytes.

    Raises:
        ValueError: not a size; the message is fit for a person.
    """
    found = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found:
        raise ValueError(f"{_shown(text)} is not a size: write 800B, 400KB, 1MB or 2GB")
    return int(found[1]) * _BYTES[found[2].upper()]


def format_size(size: int) -> str:
    """Return the shortest text that `parse_size` reads back as the same number of bytes."""
    unit = next(u for u, factor in _BYTES.items() if u == "B" or (size and size % factor == 0))
    return f"{size // _BYTES[unit]}{unit}"


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
