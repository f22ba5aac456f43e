"""`moot review`: freeze what is there, have it reviewed, print the verdict."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.choices import FORMATS, SEVERITIES

if TYPE_CHECKING:
    from moot.cli.context import Context


@click.command()
@click.argument("target", required=False)
@click.option("-C", "directory", metavar="REPO", type=click.Path(exists=True, file_okay=False), default=".",
              help="Review the repository in REPO.")  # fmt: skip
@click.option("--base", metavar="REV", help="Compare against REV instead of the branch's own base.")
@click.option("--diff", "patch", metavar="FILE", type=click.Path(exists=True, allow_dash=True, dir_okay=False),
              help="Review a patch (- is standard input) as applied to the base, or to HEAD.")  # fmt: skip
@click.option("--reviewers", metavar="A,B", help="Ask only these agents, roles or analyzers.")
@click.option("--role", "roles", metavar="ROLE", multiple=True, help="Also ask a role that runs only when named.")
@click.option("--judge", metavar="NAME", help='Who rules: an agent, a role, or "rules".')
@click.option("--format", "format_", type=click.Choice(FORMATS), help="How to print the report (default: text).")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, writable=True),
              help="Write the report to FILE instead of printing it.")  # fmt: skip
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="Exit with 1 from this severity on (default: high).")
@click.option("--all", "everything", is_flag=True, help="Show everything: findings below the floor, and bodies uncut.")
@click.option("--dry-run", is_flag=True, help="Say what would be reviewed and by whom; ask nobody.")
@click.pass_obj
def review(
    context: Context,
    target: str | None,
    directory: str,
    base: str | None,
    patch: str | None,
    reviewers: str | None,
    roles: tuple[str, ...],
    judge: str | None,
    format_: str | None,
    as_json: bool,
    output: str | None,
    fail_on: str | None,
    everything: bool,
    dry_run: bool,
) -> None:
    """Review a change.

    Without TARGET: this branch against its base, together with staged, unstaged and untracked work. TARGET is a
    branch or revision, or a range A..B. Nothing in your checkout is touched; Ctrl-C parks the run.
    """
    from moot.cli.panel import Asked, run_review

    if as_json and format_ not in (None, "json"):
        raise click.UsageError("--json and --format say different things")
    if base is not None and target is not None and ".." in target:
        raise click.UsageError("a range has its own base: leave --base out")

    flags: dict[str, str | list[str]] = {}
    if reviewers:
        flags["review.reviewers"] = [name.strip() for name in reviewers.split(",") if name.strip()]
    if roles:
        flags["review.roles"] = list(roles)
    if judge:
        flags["review.judge"] = judge
    if fail_on:
        flags["policy.fail_on"] = fail_on
    asked = Asked(
        repo=Path(directory),
        target=target,
        base=base,
        patch=patch,
        flags=flags,
        format="json" if as_json else format_ or "text",
        output=Path(output) if output else None,
        everything=everything,
        dry_run=dry_run,
    )
    sys.exit(run_review(context, asked))
