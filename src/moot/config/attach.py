"""What a layer names by path: prompts of roles, which are read in, the ledger, scripts, and what agents may read."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from moot.config.layers import Layer, Trust
from moot.config.problems import Problem
from moot.config.shelves import Shelf
from moot.config.tables import Value, table

_PROMPTS = ("prompt", "rereview")


def attach(layer: Layer, shelf: Shelf) -> tuple[Layer, tuple[Problem, ...]]:
    """Return `layer` with the text of its prompts read in and its paths made absolute, and what could not be.

    Paths are relative to the layer's file, those of variables and flags to the current directory. What is not text
    where text belongs is left for the model to refuse.
    """
    tables = deepcopy(layer.tables)
    problems: list[Problem] = []
    roles = table(tables, "roles")
    for name in roles:
        role = table(roles, name)
        for key in _PROMPTS:
            written = role.get(key)
            if isinstance(written, str):
                try:
                    role[key] = {"file": written, "text": _text(shelf, layer.name, written)}
                except ValueError as error:
                    problems.append(Problem(layer.where(("roles", name, key)), str(error)))
                    del role[key]
    if layer.trust is Trust.PERSON:  # a repository has no say in these (see `trust`)
        sandbox, ledger = table(tables, "sandbox"), table(tables, "ledger")
        agents = table(tables, "agents")
        for shown, key in [
            (sandbox, "read"),
            *((table(agents, name), k) for name in agents for k in ("read", "write")),
        ]:
            paths = shown.get(key)
            if isinstance(paths, list):
                shown[key] = [_absolute(shelf, layer.name, path) for path in paths]
        for agent in (table(agents, name) for name in agents):
            words = agent.get("command")
            if isinstance(words, list):
                agent["command"] = [_beside(shelf, layer.name, word) for word in words]
        url = ledger.get("url")
        if isinstance(url, str) and url and "://" not in url:
            ledger["url"] = _absolute(shelf, layer.name, url)
    return replace(layer, tables=tables), tuple(problems)


def _text(shelf: Shelf, beside: str, written: str) -> str:
    data = shelf.read(shelf.beside(beside, written))
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError(f'"{written}" is not UTF-8 text') from None


def _beside(shelf: Shelf, beside: str, word: Value) -> Value:
    """A word of a command that names a file beside the configuration means that file.

    Nothing is looked for where the command will run: that is a checkout of the change under review.
    """
    if not isinstance(word, str) or not word or word.startswith(("-", "/", "{")):
        return word
    path = shelf.beside(beside, word)
    return path if word.startswith("~/") or shelf.has(path) else word


def _absolute(shelf: Shelf, beside: str, path: Value) -> Value:
    return shelf.beside(beside, path) if isinstance(path, str) and path else path
