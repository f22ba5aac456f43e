"""The project's own checks (`[review] checks`): run once per head, in a checkout of their own, behind the boundary."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from moot.core import codec
from moot.core.process import Command, Ending, Exited, Limits, Sandbox
from moot.core.runs import Check
from moot.core.turns import Files
from moot.proceedings.briefs import Laid
from moot.process.environment import base_environment
from moot.process.output import read_stderr, read_stdout
from moot.seats import places, turn
from moot.seats.attempts import digest, write
from moot.seats.run import Run

TAIL_BYTES = 8_000


async def run_checks(run: Run) -> tuple[Check, ...]:
    """Run every configured check on head and return what came of it, in their order.

    A check whose outcome on this very head is known is not run again.
    """
    commands = run.config.review.checks
    if not commands:
        return ()
    if not run.change.trusted and not run.caged:
        why = "not run: the change's author is not trusted and there is no boundary"
        return tuple(Check(c, None, 0.0, why) for c in commands)
    done: list[Check] = []
    checkout = None
    for number, command in enumerate(commands, 1):
        known = _known(run, command)
        if known is None:
            checkout = checkout or await places.take(run, places.CHECKS, Files.TREE)
            known = await _run(run, checkout.path, checkout.git_dirs, command, number)
        run.note("check.done", f"{command}: {_word(known)}")
        done.append(known)
    write(run.folder / "files" / "checks.md", describe(tuple(done)))
    return tuple(done)


async def _run(run: Run, cwd: Path, git_dirs: tuple[Path, ...], command: str, number: int) -> Check:
    job = run.folder / "checks" / str(number)
    job.mkdir(parents=True, exist_ok=True)
    sandbox = Sandbox(
        read=(*git_dirs, *(Path(p) for p in run.config.sandbox.read), job),
        write=(cwd,),
        network=run.change.trusted,
    )
    env = base_environment(run.world.environ)
    order = Command(
        argv=("sh", "-c", command),
        cwd=cwd,
        env={**env, "CI": "true"},
        limits=Limits(run.config.review.check_timeout),
        sandbox=sandbox if run.caged else None,
    )

    async def start() -> None:
        run.world.process.start(job, order)

    ended = await turn.see_through(run, job, start)
    if not isinstance(ended, Exited):
        return Check(command, None, 0.0, "lost: the machine went away while it ran")
    out = read_stdout(job, TAIL_BYTES).data + read_stderr(job, TAIL_BYTES).data
    tail = out.decode("utf-8", "replace").strip()
    match ended.ending:
        case Ending.EXITED if ended.code is not None:
            check = Check(command, ended.code == 0, ended.seconds, tail)
        case Ending.TIMEOUT:
            check = Check(command, None, ended.seconds, f"timed out after {ended.seconds:.0f}s\n{tail}")
        case _:
            check = Check(command, None, ended.seconds, f"{ended.ending}: {ended.detail}\n{tail}")
    if check.ok:  # a failure may be the surroundings', and they can be mended without a new head
        write(_record(run, command), json.dumps(codec.dump(Check, check)))
    return check


def _record(run: Run, command: str) -> Path:
    name = hashlib.sha256(f"{run.change.head}\0{command}".encode()).hexdigest()[:24]
    return run.world.cache / "checks" / f"{name}.json"


def _known(run: Run, command: str) -> Check | None:
    try:
        text = _record(run, command).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    check: Check = codec.load(Check, json.loads(text))
    return check


def laid(run: Run, checks: tuple[Check, ...]) -> Laid | None:
    """Return the file with the checks' outcomes, None where there are no checks."""
    return Laid(str(run.folder / "files" / "checks.md"), digest(describe(checks))) if checks else None


def describe(checks: tuple[Check, ...]) -> str:
    """Return the checks' outcomes as the judge reads them."""
    parts = ["# The project's own checks, run on the change\n"]
    parts += [f"## `{c.command}`: {_word(c)}\n\n~~~~~~text\n{c.tail}\n~~~~~~\n" for c in checks]
    return "\n".join(parts)


def _word(check: Check) -> str:
    return {True: "passed", False: "failed", None: "could not be run"}[check.ok]
