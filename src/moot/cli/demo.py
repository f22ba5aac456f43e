"""`moot demo`: a complete review of a bundled example change. No account and no agent is needed."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.choices import FORMATS

if TYPE_CHECKING:
    from moot.cli.context import Context

_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada Example"), ("EMAIL", "ada@example.org"), ("DATE", "2026-01-05T09:00:00Z"))
}

INTRODUCTION = """\
moot demo: a small upload service, and a change to it that a person might have written.
The reviewers are real: the built-in analyzers look at what the change introduces, rules judge. No model is asked.
"""


@click.command()
@click.option("--dir", "directory", metavar="DIR", type=click.Path(file_okay=False),
              help="Lay the example out in DIR, empty or new (default: a temporary directory).")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write the report to FILE.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", help="How to print the report.")
@click.pass_obj
def demo(context: Context, directory: str | None, output: str | None, format_: str) -> None:
    """Review a bundled example change, from frozen diff to report. The report is on screen and as HTML on disk."""
    import tempfile

    from moot.cli.console import Console
    from moot.cli.demo_example import lay_out
    from moot.cli.panel import Asked, run_review

    console = Console.standard()
    console.note(INTRODUCTION)
    folder = Path(directory) if directory else Path(tempfile.mkdtemp(prefix="moot-demo-")) / "uploader"
    with tempfile.TemporaryDirectory(prefix="moot-example-") as examples:
        lay_out(Path(examples))
        repo = asyncio.run(_repository(folder.absolute(), Path(examples)))
    flags: dict[str, str | list[str]] = {"review.reviewers": ["analyzers"], "review.judge": "rules"}
    asked = Asked(
        repo=repo,
        target=None,
        base=None,
        patch=None,
        flags=flags,
        format=format_,
        output=Path(output) if output else None,
        everything=False,
        dry_run=False,
    )
    code = run_review(context, asked)
    console.note(f"\nThe example is in {repo}: go there and try moot review --dry-run, or your own change.")
    if shutil.which("moot") is None:
        console.note(f"moot itself is {Path(sys.argv[0]).absolute()}; put its directory on your PATH.")
    # Findings are what the demo is for: only a review that could not be made is a failure of it.
    sys.exit(0 if code in (0, 1) else code)


async def _repository(top: Path, examples: Path) -> Path:
    """Make a git repository of the example: the base on main, the change on a branch of its own."""
    from moot.core.errors import UsageError
    from moot.git.run import Git
    from moot.process.local import LocalProcess

    if top.exists() and any(top.iterdir()):
        raise UsageError("the directory is not empty", where=str(top), next_step="name a new one with --dir")
    git = Git(LocalProcess())
    top.mkdir(parents=True, exist_ok=True)
    await git(top, "init", "-q", "-b", "main")
    await git(top, "symbolic-ref", "HEAD", "refs/heads/main")
    for version, branch, message in (
        ("base", "main", "Upload service"),
        ("head", "resumable-uploads", "Resume interrupted uploads, notify when they are done"),
    ):
        if branch != "main":
            await git(top, "switch", "-q", "-c", branch)
        _replace_files(top, examples / version)
        await git(top, "add", "-A")
        await git(top, "commit", "-q", "-m", message, env=_AUTHOR)
    return top


def _replace_files(top: Path, source: Path) -> None:
    """Make the work tree what `source` holds."""
    for entry in top.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(source, top, dirs_exist_ok=True)
