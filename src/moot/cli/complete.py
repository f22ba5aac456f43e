"""What a half-typed argument may become: run ids and seats, read live from the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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
