"""`moot completion`: shell completion, with live run ids and seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_SHELLS = ("bash", "zsh", "fish")
_HOW = {
    "bash": 'eval "$(moot completion bash)"      # in ~/.bashrc',
    "zsh": 'eval "$(moot completion zsh)"       # in ~/.zshrc, after compinit',
    "fish": "moot completion fish | source       # in ~/.config/fish/config.fish",
}


@click.command()
@click.argument("shell", required=False, type=click.Choice(_SHELLS))
def completion(shell: str | None) -> None:
    """Print the completion script of SHELL; without one, how to install it."""
    if shell is None:
        click.echo("Add to your shell's start-up file:\n")
        for how in _HOW.values():
            click.echo(f"  {how}")
        return
    from click.shell_completion import get_completion_class

    from moot.cli.main import cli

    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(cli, {}, "moot", "_MOOT_COMPLETE").source())


def complete_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Run ids that what was typed may become, newest first."""
    from click.shell_completion import CompletionItem

    from moot.ledger import views

    found = views.complete_run(_ledger(), incomplete)
    return [CompletionItem(name, help=what) for name, what in found]


def complete_seat(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Seats of the run that was typed before."""
    from click.shell_completion import CompletionItem

    from moot.core.errors import MootError
    from moot.ledger import views

    try:
        run = views.find_run(_ledger(), str(ctx.params.get("run") or ""))
    except MootError:
        return []
    return [CompletionItem(seat) for seat in views.complete_seat(_ledger(), run.id, incomplete)]


def _ledger() -> str:
    from moot.cli.context import Context

    return Context().ledger_url()
