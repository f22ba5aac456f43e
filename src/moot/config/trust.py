"""What a repository's file may not decide: it is left out and said aloud, so that nobody relies on it.

Environment, programs, arguments and accounts of agents, the ledger and the sandbox are the person's own. A budget of
the repository may only be tighter than theirs. Commands are another matter: they wait for consent (`consent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moot.config.layers import Layer
from moot.config.tables import Tables, Value, dotted, lookup

_ANY = "*"
_PERSONAL: tuple[tuple[str, ...], ...] = (
    ("accounts",),
    ("agents", _ANY, "account"),
    ("agents", _ANY, "args"),
    ("agents", _ANY, "env"),
    ("agents", _ANY, "pass_env"),
    ("agents", _ANY, "program"),
    ("agents", _ANY, "read"),
    ("agents", _ANY, "write"),
    ("budget", "expected_turn_usd"),
    ("ledger",),
    ("sandbox",),
)


def restrict(layers: Sequence[Layer], person: Tables) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
    """Return a repository's layers without what is not theirs to set, and a notice for each thing left out.

    Args:
        layers: valid layers of the repository.
        person: what the person's files set, for the budget.
    """
    notices: list[str] = []

    def kept(layer: Layer, tables: Tables, path: tuple[str, ...]) -> Tables:
        left: Tables = {}
        for key, value in tables.items():
            here = (*path, key)
            why = _personal(here) or _looser(here, value, person)
            if why:
                notices.append(f'{layer.where(here)}: "{dotted(here)}" is ignored: {why}')
            else:
                left[key] = kept(layer, value, here) if isinstance(value, dict) else value
        return left

    return tuple(replace(layer, tables=kept(layer, layer.tables, ())) for layer in layers), tuple(notices)


def _personal(path: tuple[str, ...]) -> str:
    for pattern in _PERSONAL:
        if len(pattern) == len(path) and all(want in (_ANY, part) for want, part in zip(pattern, path, strict=True)):
            return "a repository cannot set it"
    return ""


def _looser(path: tuple[str, ...], value: Value, person: Tables) -> str:
    cap = lookup(person, path) if path[0] == "budget" and len(path) == 2 else None
    if isinstance(cap, int | float) and isinstance(value, int | float) and value > cap:
        return f"a repository cannot raise your {cap}"
    return ""
