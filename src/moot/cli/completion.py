"""`moot completion`: shell completion, with live run ids and seats."""

from __future__ import annotations

import click

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
