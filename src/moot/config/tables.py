"""Trees of settings as TOML gives them, before anybody checked them: look up, walk, merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, time

Value = str | int | float | bool | date | time | list["Value"] | dict[str, "Value"]
Tables = dict[str, Value]
#: Keys from the top down; a number is a position in a list.
KeyPath = tuple[str | int, ...]


def leaves(tables: Tables, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield every key that does not hold a table, with its value."""
    for key, value in tables.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def lookup(tables: Tables, path: Iterable[str]) -> Value | None:
    """Return the value or table at `path`, None when there is none."""
    value: Value = tables
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def table(tables: Tables, key: str) -> Tables:
    """Return the table at `key`; a fresh empty one where there is none."""
    found = tables.get(key)
    return found if isinstance(found, dict) else {}


def texts(value: Value | None) -> tuple[str, ...]:
    """Return the texts of a list, and nothing for anything else."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def dotted(path: KeyPath) -> str:
    """Return a path as a person writes it; a position in a list is not part of it."""
    return ".".join(part for part in path if isinstance(part, str))


def merge_into(under: Tables, over: Tables) -> None:
    """Merge `over` into `under` key by key; tables merge, everything else replaces. `over` stays as it is."""
    for key, value in over.items():
        if isinstance(value, dict):
            branch = dict(table(under, key))
            merge_into(branch, value)
            under[key] = branch
        else:
            under[key] = value
