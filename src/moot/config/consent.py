"""Commands in a repository's file: which there are, the digest a person agrees to, and the file without them.

Consent is to one set of commands in one repository, as it stands: any change asks again.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

from moot.config.layers import Layer, merge
from moot.config.tables import Tables, lookup, table, texts


@dataclass(frozen=True, slots=True)
class RepositoryCommand:
    """A command a repository's file asks to run: the key that holds it and what a shell would run."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """What the configuration goes without until a person consents.

    Args:
        commands: what may not run.
        names: agents and roles that do not exist without them.
    """

    commands: tuple[RepositoryCommand, ...] = ()
    names: frozenset[str] = frozenset()


def commands_in(repository: Iterable[Layer]) -> tuple[RepositoryCommand, ...]:
    """Return every command in a repository's layers, in a stable order."""
    tables = merge(repository)
    agents = sorted(_tables(tables, "agents").items())
    argvs = [(name, texts(agent.get("command"))) for name, agent in agents]
    commands = [RepositoryCommand(f"agents.{name}.command", shlex.join(argv)) for name, argv in argvs if argv]
    checks = texts(table(tables, "review").get("checks"))
    return (*commands, *(RepositoryCommand("review.checks", text) for text in checks))


def digest(repository: Path, commands: Sequence[RepositoryCommand]) -> str:
    """Return what stands for these commands in this repository (SHA-256, hexadecimal).

    The repository's path is part of it: `make check` runs something else elsewhere.
    """
    told = json.dumps([str(repository), *((c.key, c.text) for c in commands)], ensure_ascii=True)
    return hashlib.sha256(told.encode()).hexdigest()


def without_commands(repository: Sequence[Layer], person: Tables) -> tuple[tuple[Layer, ...], Withheld]:
    """Return a repository's layers without their commands, and without what makes no sense then.

    An agent whose only command was the repository's goes, with the roles it has there and the seats it had. A list
    that would be empty goes too, so that the person's own holds. `policy.required` stays: a required seat that is
    not there keeps the change from being approved.

    Args:
        repository: valid layers of the repository.
        person: what the person's files set; their own command under the same name stays.
    """
    tables = merge(repository)
    agents = {
        name
        for name, agent in _tables(tables, "agents").items()
        if "command" in agent and not lookup(person, ("agents", name, "command"))
    }
    roles = {
        name
        for name, role in _tables(tables, "roles").items()
        if role.get("agent") in agents and not lookup(person, ("roles", name))
    }
    withheld = Withheld(commands_in(repository), frozenset(agents | roles))
    pruned = (replace(layer, tables=_pruned(layer.tables, agents, withheld.names)) for layer in repository)
    return tuple(pruned), withheld


def _pruned(tables: Tables, agents: set[str], gone: frozenset[str]) -> Tables:
    left = deepcopy(tables)
    for name, agent in _tables(left, "agents").items():
        agent.pop("command", None)
        _drop_names(agent, "substitutes", gone)
        if name in agents:
            table(left, "agents").pop(name)
    for name, role in _tables(left, "roles").items():
        _drop_names(role, "after", gone)
        if name in gone or role.get("agent") in agents:
            table(left, "roles").pop(name)
    review = table(left, "review")
    review.pop("checks", None)
    if review.get("judge") in gone:
        review.pop("judge")
    _drop_names(review, "reviewers", gone)
    _drop_names(review, "roles", gone)
    _drop_names(table(left, "policy"), "optional", gone)
    return left


def _drop_names(within: Tables, key: str, gone: frozenset[str]) -> None:
    names = within.get(key)
    if isinstance(names, list) and any(name in gone for name in names):
        within[key] = [name for name in names if name not in gone]
        if not within[key]:
            del within[key]


def _tables(tables: Tables, key: str) -> dict[str, Tables]:
    return {name: value for name, value in table(tables, key).items() if isinstance(value, dict)}
