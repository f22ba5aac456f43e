"""What pydantic refuses, said to a person: the place, the key, and the nearest thing that would be right."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from moot.config import keys
from moot.config.problems import Problem
from moot.config.tables import KeyPath, dotted

_NOUNS: Mapping[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}
_BOUNDS: Mapping[str, str] = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
}


def problems(error: ValidationError, where: Callable[[KeyPath], str], *, partial: bool) -> Iterator[Problem]:
    """Yield what `error` says about a tree of settings.

    Args:
        where: says where a path is set.
        partial: whether the tree is one layer of several, in which nothing is missing yet.
    """
    for detail in error.errors(include_url=False):
        path = tuple(part for part in detail["loc"] if part != "[key]")
        if detail["type"] != "missing":
            yield Problem(where(path), _said(detail, path))
        elif not partial:
            yield Problem(where(path[:-1]), f'"{dotted(path)}" is missing')


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that `word` was probably meant to be."""
    close = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def meant(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean "…"?` when something of `known` is near, else nothing."""
    close = nearest(word, known)
    return f', did you mean "{close}"?' if close else ""


def _said(detail: ErrorDetails, path: KeyPath) -> str:
    key, kind, value = dotted(path), detail["type"], detail["input"]
    context: Mapping[str, Any] = detail.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(path)
    if "[key]" in detail["loc"]:
        return f'"{path[-1]}" cannot be a name in [{dotted(path[:-1])}]: letters, digits, _ and - only'
    if kind in ("enum", "literal_error"):
        choices = _choices(context["expected"])
        near = meant(value, choices) if isinstance(value, str) else ""
        return f'"{key}" must be {_either(choices)}, not {shown(value)}{near}'
    if kind in _NOUNS:
        noun = "text" if keys.shape(_texts(path)) == "text" else _NOUNS[kind]
        hint = f": write [{shown(value)}]" if noun == "a list" and isinstance(value, str) else ""
        return f'"{key}" must be {noun}, not {described(value)}{hint}'
    if kind == "string_pattern_mismatch":
        return f'"{key}" cannot be {shown(value)}'
    if kind == "string_too_short":
        return f'"{key}" must not be empty'
    if kind == "value_error":
        return f'"{key}": {context["error"]}'
    if kind in _BOUNDS:
        return f'"{key}" must be {_BOUNDS[kind].format(**context)}'
    return f'"{key}": {detail["msg"]}'


def _unknown(path: KeyPath) -> str:
    """`unknown key "review.reveiwers", did you mean "reviewers"?`"""
    parent, last = _texts(path[:-1]), str(path[-1])
    siblings = keys.below(parent) or ()
    close = nearest(last, siblings)
    if not close:
        others = {k.path[-1]: dotted(k.path) for k in keys.all_keys() if keys.ANY not in k.path}
        close = others.get(last)
    if close:
        return f'unknown key "{dotted(path)}", did you mean "{close}"?'
    of = f"[{dotted(path[:-1])}]" if parent else "the top level"
    return f'unknown key "{dotted(path)}"; {of} has {", ".join(siblings)}'


def _texts(path: KeyPath) -> tuple[str, ...]:
    return tuple(part for part in path if isinstance(part, str))


def _choices(expected: str) -> list[str]:
    """Return the words of pydantic's `'a', 'b' or 'c'`."""
    return [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]


def _either(choices: Sequence[str]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def shown(value: object) -> str:
    """Return a value as a person would write it in TOML, shortened."""
    text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def described(value: object) -> str:
    """Return what kind of value this is, with the value where it is short."""
    if isinstance(value, bool):
        return shown(value)
    if isinstance(value, str):
        return f"text ({shown(value)})"
    if isinstance(value, int | float):
        return f"a number ({value})"
    if isinstance(value, date | time):
        return f"a date or time ({value})"
    return "a list" if isinstance(value, list) else "a table"
