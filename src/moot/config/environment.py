"""Settings from `MOOT_<SECTION>__<KEY>` variables and from flags.

Two underscores separate tables: `MOOT_BUDGET__RUN_COST_USD=5`, `MOOT_AGENTS__OPUS__MODEL=opus`; the keys outside
tables are `MOOT_LANGUAGE` alone. Text is taken as it is, a list is a TOML array or words between commas, the rest
is TOML. Names are found whatever their case, `_` also meaning `-`; a new name is taken in lower case.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from moot.config.layers import Layer, Trust
from moot.config.tables import Tables, Value, lookup

#: What a flag sets its key to.
Flag = str | int | float | bool | list[str]

_PREFIX = "MOOT_"
_TOP_LEVEL = {"MOOT_LANGUAGE": "language"}


def variables(environ: Mapping[str, str], below: Tables) -> Layer:
    """Return the layer that the environment is. `below` are the files' settings, whose names are recognised."""
    tables: Tables = {}
    labels: dict[str, str] = {}
    for variable in sorted(environ):
        path = _path(variable, below)
        if path:
            _put(tables, path, _value(path, environ[variable]))
            labels[".".join(path)] = f"${variable}"
    return Layer("the environment", Trust.PERSON, tables, labels=labels)


def flags(given: Mapping[str, Flag]) -> Layer:
    """Return the layer that flags are: dotted keys and their values, typed as the configuration has them."""
    tables: Tables = {}
    for key, value in given.items():
        _put(tables, tuple(key.split(".")), [*value] if isinstance(value, list) else value)
    return Layer("command line", Trust.PERSON, tables)


def _path(variable: str, below: Tables) -> tuple[str, ...]:
    if variable in _TOP_LEVEL:
        return (_TOP_LEVEL[variable],)
    parts = variable.removeprefix(_PREFIX).split("__")
    if not variable.startswith(_PREFIX) or len(parts) < 2 or not all(parts):
        return ()
    from moot.config import keys

    path: tuple[str, ...] = ()
    for depth, part in enumerate(parts):
        if not keys.names_are_free(path):
            path = (*path, part.lower())
        elif keys.shape((*path, keys.ANY)) == "text" and depth == len(parts) - 1:
            path = (*path, part)  # vars.NAME and agents.x.env.NAME are case-sensitive
        else:
            path = (*path, _known(part, lookup(below, path)))
    return path


def _known(part: str, named: Value | None) -> str:
    """Return the name among `named` that `part` stands for."""
    lowered = part.lower()
    names = named if isinstance(named, dict) else {}
    return next((name for name in names if name.lower().replace("-", "_") == lowered), lowered)


def _value(path: tuple[str, ...], text: str) -> Value:
    from moot.config import keys

    shape = keys.shape(path)
    if shape == "text" or shape is None:
        return text
    if shape == "list" and not text.lstrip().startswith("["):
        return [word.strip() for word in text.split(",") if word.strip()]
    try:
        value: Value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text  # a duration or size, or wrong: the model says so
    return value


def _put(tables: Tables, path: tuple[str, ...], value: Value) -> None:
    for part in path[:-1]:
        branch = tables.setdefault(part, {})
        if not isinstance(branch, dict):
            return
        tables = branch
    tables[path[-1]] = value
