"""The packaged `defaults.toml`: every key with its default and meaning, and on which line it stands.

The values in force come from the model, a test keeps the two equal. A line that begins with `#` and no space is
an example or an unset key, so that the file is a complete reference and still valid TOML with all of them set.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

from moot.config import keys, positions

NAME = "defaults.toml"
_EXAMPLE = re.compile(r"^#(?=[^ \n])", re.MULTILINE)


@lru_cache(maxsize=1)
def text() -> str:
    """Return the file as it is packaged."""
    return resources.files("moot.config").joinpath(NAME).read_text(encoding="utf-8")


def with_examples() -> str:
    """Return the file with its examples and unset keys in force, line for line."""
    return _EXAMPLE.sub("", text())


def where(path: tuple[str, ...]) -> str:
    """Return `defaults.toml:line` of a key, whatever a person called the tables it is in."""
    line = _lines().get(_general(path))
    return f"{NAME}:{line}" if line else NAME


@lru_cache(maxsize=1)
def _lines() -> dict[tuple[str, ...], int]:
    lines: dict[tuple[str, ...], int] = {}
    for path, line in positions.scan(with_examples()).items():
        lines.setdefault(_general(tuple(str(part) for part in path)), line)
    return lines


def _general(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(keys.ANY if keys.names_are_free(path[:depth]) else part for depth, part in enumerate(path))
