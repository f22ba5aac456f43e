"""Load the configuration: defaults < the person's file < the repository's at the base commit < environment < flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from moot.config import consent, defaults, diagnose, environment, files, names, trust
from moot.config.attach import attach
from moot.config.consent import RepositoryCommand, Withheld
from moot.config.environment import Flag
from moot.config.expand import Names, expand_layers
from moot.config.files import Repository
from moot.config.layers import Layer, clashes, merge
from moot.config.model import Config
from moot.config.paths import REPOSITORY_FILE, Home
from moot.config.problems import Problem, refuse_if
from moot.config.shelves import Commit, Shelf
from moot.config.tables import KeyPath, dotted, leaves, lookup


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration and where it comes from.

    Args:
        config: the checked configuration.
        layers: what it is made of, lowest first, as far as each was heard.
        notices: what a person should know: what a repository replaces or may not set, what waits for consent.
        withheld: commands of the repository that may not run yet.
        consent: the digest that stands for the repository's commands; None where it has none.
    """

    config: Config
    layers: tuple[Layer, ...]
    notices: tuple[str, ...] = ()
    withheld: Withheld = field(default_factory=Withheld)
    consent: str | None = None

    def origin(self, key: str) -> str:
        """Return where the dotted `key` is set: `file:line`, `$VARIABLE`, `command line` or `defaults.toml:line`."""
        path = tuple(key.split("."))
        for layer in reversed(self.layers):
            if lookup(layer.tables, path) is not None:
                return layer.where(path)
        return defaults.where(path)


def load(
    home: Home,
    environ: Mapping[str, str],
    *,
    kinds: tuple[str, ...],
    config_file: Path | None = None,
    repository: Repository | None = None,
    flags: Mapping[str, Flag] | None = None,
    allowed: Callable[[str], bool] = lambda _: False,
) -> Loaded:
    """Return the configuration in force.

    Args:
        home: where the person's file is.
        environ: for `MOOT_…` variables, `{{ env.NAME }}` and `~`.
        kinds: the agent kinds there are (`agents.registry.KINDS`).
        config_file: read instead of the person's own file; it must exist.
        repository: None outside one.
        flags: dotted keys and their values.
        allowed: whether a person consented to the commands that a digest stands for.

    Raises:
        ConfigError: with everything that is wrong, each with its file and line.
    """
    if repository:  # what is read at the base commit is read once
        repository = replace(repository, at_base=cache(repository.at_base))
    own, problems = files.person_files(environ, home, config_file)
    theirs, more = files.repository_files(repository)
    refuse_if([*problems, *more])
    variables = environment.variables(environ, merge((*own, *theirs)))
    overrides: tuple[Layer, ...] = (variables, environment.flags(flags or {}))

    disk = files.disk(environ)
    root = str(repository.root) if repository else None
    own, own_problems = _prepared(own, Names(environ, root), disk, overrides)
    theirs, their_problems = _prepared_repository(theirs, repository)
    overrides, override_problems = _checked_alone(overrides, disk)
    refuse_if([*own_problems, *their_problems, *override_problems])

    person = merge(own)
    theirs, notices = trust.restrict(theirs, person)
    commands = consent.commands_in(theirs)
    digest = consent.digest(repository.root, commands) if repository and commands else None
    withheld = Withheld()
    if digest and not allowed(digest):
        theirs, withheld = consent.without_commands(theirs, person)
    told = (files.working_copy_notice(repository), _waiting(withheld), *notices, *_replaced(own, theirs))

    layers = (*own, *theirs, *(layer for layer in overrides if layer.tables))
    config = _checked(layers, kinds, withheld)
    return Loaded(config, layers, tuple(notice for notice in told if notice), withheld, digest)


def repository_commands(repository: Repository) -> tuple[tuple[RepositoryCommand, ...], str]:
    """Return the commands of a repository's file and the digest that stands for them.

    Raises:
        ConfigError: the file is wrong.
    """
    theirs, problems = files.repository_files(repository)
    refuse_if(problems)
    theirs, problems = _prepared_repository(theirs, repository)
    refuse_if(problems)
    commands = consent.commands_in(theirs)
    return commands, consent.digest(repository.root, commands)


_Prepared = tuple[tuple[Layer, ...], tuple[Problem, ...]]


def _prepared_repository(layers: Sequence[Layer], repository: Repository | None) -> _Prepared:
    # Neither the environment nor the person's variables, which may hold some of it, reach a repository's file.
    if repository is None:
        return (), ()
    return _prepared(layers, Names(None, str(repository.root)), Commit(repository.at_base))


def _prepared(layers: Sequence[Layer], known: Names, shelf: Shelf, overrides: Sequence[Layer] = ()) -> _Prepared:
    """Return the files of one trust, values expanded and prompts read, and what is wrong with each or among them."""
    expanded, problems = expand_layers(layers, known, overrides)
    ready, more = _checked_alone(expanded, shelf)
    return ready, (*problems, *more, *clashes(ready))


def _checked_alone(layers: Iterable[Layer], shelf: Shelf) -> _Prepared:
    """Read what each layer names by path and check it by itself: a mistake that a later layer hides is told too."""
    ready: list[Layer] = []
    problems: list[Problem] = []
    for layer in layers:
        attached, found = attach(layer, shelf)
        ready.append(attached)
        problems += found
        try:
            Config.model_validate(attached.tables)
        except ValidationError as error:
            problems += diagnose.problems(error, attached.where, partial=True)
    return tuple(ready), tuple(problems)


def _checked(layers: Sequence[Layer], kinds: tuple[str, ...], withheld: Withheld) -> Config:
    def where(path: KeyPath) -> str:
        key = tuple(part for part in path if isinstance(part, str))
        setter = next((layer for layer in reversed(layers) if lookup(layer.tables, key) is not None), None)
        return setter.where(path) if setter else defaults.where(key)

    try:
        config = Config.model_validate(merge(layers))
    except ValidationError as error:
        refuse_if([*diagnose.problems(error, where, partial=False)])
        raise
    refuse_if([*names.problems(config, kinds, where, withheld.names)])
    return config


def _waiting(withheld: Withheld) -> str:
    if not withheld.commands:
        return ""
    count = len(withheld.commands)
    keys = ", ".join(dict.fromkeys(command.key for command in withheld.commands))
    waits = (
        "1 command waits for your consent and is" if count == 1 else f"{count} commands wait for your consent and are"
    )
    return f"{REPOSITORY_FILE}: {waits} left out ({keys}): moot config allow"


def _replaced(own: Sequence[Layer], theirs: Sequence[Layer]) -> Iterable[str]:
    """Say which lists of the person a repository replaces: lists neither merge nor add up."""
    for layer in theirs:
        for path, value in leaves(layer.tables):
            mine = next((mine for mine in reversed(own) if lookup(mine.tables, path)), None)
            if isinstance(value, list) and mine and path != ("include",):
                yield f'{layer.where(path)}: "{dotted(path)}" replaces the list in {mine.where(path)}'
