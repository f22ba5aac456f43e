"""The `moot` command: its groups, and the one door at which errors become messages and exit codes."""

from __future__ import annotations

import errno
import gc
import os
import sys
from typing import TYPE_CHECKING

import click

from moot import __version__
from moot.cli.lazy import LazyGroup
from moot.process.environment import absolute_path

if TYPE_CHECKING:
    from moot.core.errors import MootError

COMMANDS = {
    "demo": ("moot.cli.demo:demo", "a complete review of a bundled example; no account, no agent needed"),
    "review": ("moot.cli.review:review", "review a change: this branch and working tree, a range, a patch"),
    "show": ("moot.cli.runs:show", "the report, and with a seat the full story, of a run"),
    "runs": ("moot.cli.runs:runs", "list, show, resume, park, cancel and remove runs"),
    "stats": ("moot.cli.stats:stats", "what agents did and cost"),
    "init": ("moot.cli.init:init", "write a starter configuration"),
    "doctor": ("moot.cli.doctor:doctor", "what works here, and the fix for what does not"),
    "config": ("moot.cli.config:config", "show, check and allow configuration; its schemas"),
    "completion": ("moot.cli.completion:completion", "shell completion, with live run ids"),
}

_UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENOSPC, errno.EDQUOT)

EPILOG = "Exit codes: 0 fine · 1 findings at or above --fail-on · 2 usage or configuration · 3 not reviewed or " \
    "incomplete · 4 stalled, resumable · 130 interrupted, resumable."  # fmt: skip


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(__version__, prog_name="moot", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--config", "config_file", metavar="FILE", type=click.Path(dir_okay=False), help="Use FILE as user configuration."
)
@click.pass_context
def cli(ctx: click.Context, debug: bool, config_file: str | None) -> None:
    """Several coding agents argue over one change, code runs the procedure, one traceable verdict comes out."""
    from pathlib import Path

    from moot.cli.context import Context

    ctx.obj = Context(debug, Path(config_file) if config_file else None)
    if ctx.invoked_subcommand is None:
        from moot.cli.runs import show_latest

        show_latest(ctx.obj)


def main() -> None:
    """Run the command line. Every error a person meets is printed here, without a traceback."""
    gc.set_threshold(100_000, 50, 50)  # imports make many objects and no garbage: looking for it costs a tenth of them
    debug = "--debug" in sys.argv
    if "PATH" in os.environ:
        os.environ["PATH"] = absolute_path(os.environ["PATH"])
    try:
        code = cli.main(prog_name="moot", standalone_mode=False)
    except click.exceptions.Abort:
        code = 130
    except click.ClickException as e:
        code = _refuse(e)
    except KeyboardInterrupt:
        code = 130
    except Exception as e:  # noqa: BLE001 - the outermost door
        code = _report(e, debug=debug)
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(error: click.ClickException) -> int:
    """Print what is wrong with the command line, as every other error is printed."""
    from moot.cli.console import Console
    from moot.core.errors import UsageError

    context = error.ctx if isinstance(error, click.UsageError) else None
    help_ = f"{context.command_path} --help" if context is not None else "moot --help"
    message = error.format_message()
    Console.standard().error(UsageError(f"{message[:1].lower()}{message[1:]}".rstrip("."), next_step=help_))
    return error.exit_code


def _report(error: Exception, *, debug: bool) -> int:
    from moot.cli.console import Console
    from moot.core.errors import MootError

    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, MootError):
        Console.standard().error(error)
        return error.exit_code
    if isinstance(error, OSError) and error.errno in _UNWRITABLE:
        Console.standard().error(_unwritable(error))
        return 2
    Console.standard().error(
        MootError(
            f"{type(error).__name__}: {error}", where="unexpected", next_step="run it again with --debug and report it"
        )
    )
    return 3


def _unwritable(error: OSError) -> MootError:
    from moot.core.errors import UsageError

    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return UsageError(
        error.strerror or str(error),
        where=os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else "",
        next_step="free some space there" if full else "make it accessible, or set MOOT_HOME to a directory that is",
    )
