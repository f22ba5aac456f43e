"""The agent kinds there are. A new kind is one module and one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from moot.agents.base import Adapter
from moot.core.errors import ConfigError

_MODULES = {
    "claude": "moot.agents.claude:Claude",
    "codex": "moot.agents.codex:Codex",
    "command": "moot.agents.command:CommandLine",
    "analyzer": "moot.agents.analyzer:Analyzer",
}

#: Every kind, agent CLIs first, in the order in which they are preferred.
KINDS: tuple[str, ...] = tuple(_MODULES)


@cache
def adapter(kind: str) -> Adapter:
    """Return the adapter of a kind; its module is imported only now.

    Raises:
        ConfigError: there is no such kind.
    """
    try:
        module, name = _MODULES[kind].split(":")
    except KeyError:
        raise ConfigError(f"no agent kind is called {kind!r}", next_step=f"use one of: {', '.join(KINDS)}") from None
    made: Adapter = getattr(import_module(module), name)()
    return made


@cache
def control_paths() -> tuple[str, ...]:
    """Return every path that some agent CLI would obey in a checkout (gitignore patterns, any depth), each once."""
    return tuple(dict.fromkeys(path for kind in KINDS for path in adapter(kind).config_paths))
