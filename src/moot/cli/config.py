"""`moot config`: what is configured and by whom, whether it is right, its schemas, and consent to commands."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moot.cli.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable

    from moot.cli.context import Context
    from moot.config.files import Repository
    from moot.config.load import Loaded


@click.group()
def config() -> None:
    """Show, check and allow configuration; print its schemas."""


def _in_repository(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which repository has a say, and as of which commit."""
    directory = click.option(
        "-C", "directory", metavar="REPO", type=click.Path(exists=True, file_okay=False), default=".",
        help="In the repository in REPO.",
    )  # fmt: skip
    base = click.option("--base", metavar="REV", help="Hear .moot.toml as of REV instead of the branch's own base.")
    return directory(base(command))


@config.command()
@_in_repository
@click.option("--origin", is_flag=True, help="Say which file, variable or flag set each key.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: key, value and origin of each key.")
@click.pass_obj
def show(context: Context, directory: str, base: str | None, origin: bool, as_json: bool) -> None:
    """Print every key and its value, as TOML. Secrets are masked."""
    from moot.config.show import settings

    console = Console.standard()
    loaded = _load(context, Path(directory), base)
    listed = settings(loaded)
    if as_json:
        _print_json(console, [{"key": s.key, "value": s.value, "origin": s.origin} for s in listed])
    else:
        width = max(len(line) for line in map(str, listed) if len(line) <= 60) if origin else 0
        for setting in listed:
            console.echo(f"{setting!s:<{width}}  # {setting.origin}" if origin else str(setting))
    _tell(console, loaded)


@config.command(short_help="Check the configuration; exit code 2 if it is wrong.")
@_in_repository
@click.pass_obj
def check(context: Context, directory: str, base: str | None) -> None:
    """Check the configuration: exit code 2, and every mistake with its line, when something is wrong."""
    console = Console.standard()
    loaded = _load(context, Path(directory), base)
    files = [layer.name for layer in loaded.layers if layer.text is not None]
    for name in files:
        console.echo(f"ok    {name}")
    if not files:
        console.echo("ok    no configuration file: the defaults hold")
    _tell(console, loaded)


@config.command(short_help="Print a JSON Schema: of the configuration, a reply, a result.")
@click.option("--reply", metavar="NODE", help="Of what a seat replies: review, judge, ...")
@click.option("--result", is_flag=True, help="Of what `moot review --json` prints.")
def schema(reply: str | None, result: bool) -> None:
    """Print a JSON Schema: of the configuration, or of something else moot reads or writes."""
    from moot.agents.registry import KINDS
    from moot.config.schema import config_schema, reply_schema, result_schema
    from moot.core.errors import UsageError

    if reply and result:
        raise UsageError("--reply and --result are two schemas", next_step="ask for one of them")
    wanted = reply_schema(reply) if reply else result_schema() if result else config_schema(KINDS)
    _print_json(Console.standard(), wanted)


@config.command(short_help="Show a repository's commands, and allow them.")
@_in_repository
@click.option("--yes", is_flag=True, help="Allow without asking.")
@click.pass_obj
def allow(context: Context, directory: str, base: str | None, yes: bool) -> None:
    """Show the commands that .moot.toml asks to run, and allow them in this repository.

    They run on changes to this repository, in the sandbox where there is one. A change to any of them asks again.
    """
    from datetime import UTC, datetime
    from getpass import getuser

    from moot.config.load import repository_commands
    from moot.config.paths import REPOSITORY_FILE
    from moot.config.problems import printable
    from moot.core.errors import RepositoryError
    from moot.ledger import consent

    console = Console.standard()
    repository = _repository(context, Path(directory), base)
    if repository is None:
        raise RepositoryError("not in a git repository", where=directory, next_step="-C REPO")
    commands, digest = repository_commands(repository)
    if not commands:
        console.echo(f"no commands in {REPOSITORY_FILE} at the base commit: nothing to allow")
        return
    listed = "\n".join(f"  {command.key}: {printable(command.text)}" for command in commands)
    with context.ledger() as ledger:
        if consent.allowed(ledger, digest):
            console.echo(f"allowed already:\n{listed}")
            return
        console.echo(f"{REPOSITORY_FILE} of {repository.root} asks to run, on changes to this repository:\n{listed}")
        if not (yes or click.confirm("Allow these commands?")):
            console.echo("not allowed; reviews go on without them")
            return
        consent.allow(ledger, digest, listed, getuser(), now=datetime.now(UTC))
    console.echo("allowed; a change to any of them asks again")


def _load(context: Context, directory: Path, base: str | None) -> Loaded:
    """Load the configuration as `moot review` would in `directory`."""
    from moot.agents.registry import KINDS
    from moot.config.load import load
    from moot.ledger import consent

    def allowed(digest: str) -> bool:
        with context.ledger() as ledger:
            return consent.allowed(ledger, digest)

    return load(
        context.home,
        context.environ,
        kinds=KINDS,
        config_file=context.config_file,
        repository=_repository(context, directory, base),
        allowed=allowed,
    )


def _repository(context: Context, directory: Path, base: str | None) -> Repository | None:
    """Return the repository's say at the base of what `moot review` would review here; None outside one."""
    from moot.config.files import Repository
    from moot.config.paths import repository_root

    if repository_root(directory) is None:
        return None
    from moot.git import store, trees
    from moot.git.change import freeze
    from moot.git.run import Git
    from moot.git.target import WorkTree
    from moot.process.local import LocalProcess

    git = Git(LocalProcess())
    change = asyncio.run(freeze(git, directory, WorkTree(), context.home.data, base=base))

    def at_base(path: str) -> bytes | None:
        return asyncio.run(trees.read_path(git, store.at(change.store), change.merge_base, path.encode()))

    return Repository(Path(change.repo), at_base)


def _print_json(console: Console, data: Any) -> None:
    console.echo(json.dumps(data, indent=2, ensure_ascii=False))


def _tell(console: Console, loaded: Loaded) -> None:
    for notice in loaded.notices:
        console.note(f"note: {notice}")
