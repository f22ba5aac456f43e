"""`{{ env.NAME }}`, `{{ vars.NAME }}` and `{{ repo }}` in values: a closed list, not a template engine.

A template engine can be made to run for ever (`'x' * 10**9`) or to reach into objects; a regular expression cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from moot.config.layers import Layer, merge
from moot.config.problems import Problem
from moot.config.tables import KeyPath, Value, table

_USE = re.compile(r"\{\{\{\{|\{\{[ \t]*(.*?)[ \t]*\}\}")
_NAME = re.compile(r"(env|vars)\.([A-Za-z_][A-Za-z0-9_]*)|repo")
_KNOWN = "env.NAME, vars.NAME and repo are known, {{{{ is a literal {{"


@dataclass(frozen=True, slots=True)
class Names:
    """What text may name.

    Args:
        env: the environment; None where it must not be read.
        repo: the repository's top level; None outside one, where `{{ repo }}` stays as it is.
        vars: the variables; None in the variables themselves.
    """

    env: Mapping[str, str] | None
    repo: str | None
    vars: Mapping[str, str] | None = None


def expand(text: str, names: Names) -> str:
    """Return `text` with every `{{ NAME }}` replaced, once: what comes in is not expanded again.

    Raises:
        ValueError: an unknown name, or one that may not be used here; the message is fit for a person.
    """

    def value(found: re.Match[str]) -> str:
        if found[0] == "{{{{":
            return "{{"
        name = _NAME.fullmatch(found[1])
        if not name:
            raise ValueError(f'unknown name "{found[0]}": {_KNOWN}')
        if name[0] == "repo":
            return found[0] if names.repo is None else names.repo
        return _env(name[2], names.env) if name[1] == "env" else _var(name[2], names.vars)

    return _USE.sub(value, text)


def expand_layers(
    layers: Sequence[Layer], names: Names, overrides: Sequence[Layer] = ()
) -> tuple[tuple[Layer, ...], tuple[Problem, ...]]:
    """Return files with their values expanded, and what could not be.

    Args:
        layers: files of one trust, lowest first; they share their variables.
        names: the environment and the repository as these files may see them.
        overrides: layers above them that may set variables too.
    """
    problems: list[Problem] = []

    def expanded(layer: Layer, known: Names, *, variables: bool) -> Layer:
        def text(path: KeyPath, value: str) -> str:
            try:
                return expand(value, known)
            except ValueError as error:
                problems.append(Problem(layer.where(path), str(error)))
                return value

        tables = {
            key: _rewritten((key,), value, text) if (key == "vars") is variables else value
            for key, value in layer.tables.items()
        }
        return replace(layer, tables=tables)

    layers = [expanded(layer, names, variables=True) for layer in layers]
    defined = table(merge((*layers, *overrides)), "vars")
    variables = {name: value for name, value in defined.items() if isinstance(value, str)}
    known = replace(names, vars=variables)
    return tuple(expanded(layer, known, variables=False) for layer in layers), tuple(problems)


def _rewritten(path: KeyPath, value: Value, text: Callable[[KeyPath, str], str]) -> Value:
    if isinstance(value, dict):
        return {key: _rewritten((*path, key), item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [_rewritten((*path, index), item, text) for index, item in enumerate(value)]
    return text(path, value) if isinstance(value, str) else value


def _env(name: str, env: Mapping[str, str] | None) -> str:
    if env is None:
        raise ValueError(f'"{{{{ env.{name} }}}}" cannot be used in a repository\'s file')
    if name not in env:
        raise ValueError(f"the environment variable {name} is not set")
    return env[name]


def _var(name: str, variables: Mapping[str, str] | None) -> str:
    if variables is None:
        raise ValueError(f'"{{{{ vars.{name} }}}}" cannot be used in another variable')
    if name not in variables:
        raise ValueError(f'"vars.{name}" is not set (set: {", ".join(variables) or "none"})')
    return variables[name]
