"""`moot init`: write a starter configuration, a person's or a repository's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.console import Console

if TYPE_CHECKING:
    from moot.cli.context import Context


@click.command()
@click.option("--repo", "for_repository", is_flag=True, help="Write .moot.toml for the repository instead.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option(
    "-C",
    "directory",
    metavar="REPO",
    type=click.Path(exists=True, file_okay=False),
    default=".",
    help="With --repo: the repository in REPO.",
)
@click.pass_obj
def init(context: Context, for_repository: bool, force: bool, directory: str) -> None:
    """Write a starter configuration that names the agent CLIs found on this machine.

    Yours goes where moot looks for it, or with --repo to the repository's top level.
    """
    console = Console.standard()
    if for_repository:
        _repository(console, Path(directory), force=force)
    else:
        _person(console, context, force=force)


def _person(console: Console, context: Context, *, force: bool) -> None:
    from moot.agents.selection import detect
    from moot.config.starter import person_file

    path = context.config_file or context.home.config_file
    found = detect(context.environ)
    _write(path, person_file([cli.kind for cli in found]), force=force, mode=0o600, again="moot init --force")
    console.echo(f"wrote {path}")
    for cli in found:
        console.echo(f"  {cli.kind:<8} {cli.program}")
    if not found:
        console.echo("  no agent CLI found: analyzers review and rules judge until there is one")
    console.echo("next: moot doctor       says what works, and the fix for what does not")
    console.echo("      moot review       reviews this branch and working tree")


def _repository(console: Console, directory: Path, *, force: bool) -> None:
    from moot.config.paths import REPOSITORY_FILE, repository_root
    from moot.config.starter import repository_file
    from moot.core.errors import RepositoryError

    root = repository_root(directory)
    if root is None:
        raise RepositoryError("not in a git repository", where=str(directory), next_step="git init, or -C REPO")
    path = root / REPOSITORY_FILE
    _write(path, repository_file(), force=force, mode=0o666, again="moot init --repo --force")
    console.echo(f"wrote {path}")
    console.echo("next: edit and commit it; it counts for changes whose base has it")
    console.echo("      moot config check")


def _write(path: Path, text: str, *, force: bool, mode: int, again: str) -> None:
    from moot.config.paths import private_directory
    from moot.core.errors import UsageError

    try:
        private_directory(path.parent)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL), mode)
    except OSError as error:
        if path.exists() and not force:
            raise UsageError("exists already", where=str(path), next_step=f"edit it, or {again}") from None
        raise UsageError(f"cannot be written: {(error.strerror or str(error)).lower()}", where=str(path)) from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
