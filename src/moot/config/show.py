"""The configuration as a list of keys with values and origins, fit to be printed: secrets are masked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from moot.config import keys
from moot.config.load import Loaded
from moot.config.tables import lookup

MASK = "***"
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^@/]*@")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key: `value` is JSON data, None where the key is not set."""

    key: str
    value: Any
    origin: str

    def __str__(self) -> str:
        """The setting as a line of TOML; a comment where it is not set."""
        return f"# {self.key} is not set" if self.value is None else f"{self.key} = {toml(self.value)}"


def settings(loaded: Loaded) -> tuple[Setting, ...]:
    """Return every key outside tables of a person's naming, and of those each key that somebody set."""
    dump = loaded.config.model_dump(mode="json")
    return tuple(
        Setting(".".join(path), value, loaded.origin(".".join(path)))
        for key in keys.all_keys()
        for path, value in _at(dump, key.path, ())
        if keys.ANY not in key.path or _is_set(loaded, path)
    )


def _at(dump: Any, pattern: tuple[str, ...], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the keys that `pattern` stands for, with their values."""
    if pattern:
        first, *rest = pattern
        for name in list(dump) if first == keys.ANY else [first]:
            yield from _at(dump[name], tuple(rest), (*path, name))
    elif keys.names_are_free(path):  # `vars` and `env`
        yield from (((*path, name), _masked((*path, name), value)) for name, value in dump.items())
    else:
        yield path, _masked(path, dump)


def _masked(path: tuple[str, ...], value: Any) -> Any:
    if len(path) == 4 and path[2] == "env":
        return MASK
    if path == ("ledger", "url"):
        return _PASSWORD.sub(rf"\1:{MASK}@", value)
    return value["file"] if isinstance(value, dict) else value


def _is_set(loaded: Loaded, path: tuple[str, ...]) -> bool:
    return any(lookup(layer.tables, path) is not None for layer in loaded.layers)


def toml(value: Any) -> str:
    """Return a text, number, truth or list as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(toml(item) for item in value)}]"
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08X}" for char in text)
