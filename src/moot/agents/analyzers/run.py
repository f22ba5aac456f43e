"""The job behind an analyzer seat: scan both versions, subtract, print the review reply as JSON.

Called as `python -m moot.agents.analyzers.run [--probe] JOB` with a `job.Job`, in the directory that `changed_files`
describes. Exit 0 means that the reply on standard output is whole; anything else that the tool failed, with the reason
as one line on standard error. `--probe` prints the tool's version instead.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from asyncio import run
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from moot.agents.analyzers.changed_files import ChangedFile, Tree, read_list
from moot.agents.analyzers.comparison import introduced
from moot.agents.analyzers.diagnostic import Diagnostic, Grade, ToolFailed
from moot.agents.analyzers.job import Job
from moot.agents.analyzers.reply import Graded, reply
from moot.agents.analyzers.scan import Scan, scan
from moot.agents.analyzers.tools import TOOLS, Tool, configured, present
from moot.core.findings import Category, Severity
from moot.core.process import Command, Limits, Process


async def review(
    process: Process, tool: Tool, program: str, directory: Path, environ: Mapping[str, str]
) -> dict[str, object]:
    """Return the review reply of `tool` on the change laid out in `directory`.

    Raises:
        ToolFailed: the list of files cannot be read, or the tool brought nothing usable on the head.
    """
    files = read_list(directory)
    head, base = Tree(directory / "head"), Tree(directory / "base")
    head_files = _for(tool, head, (f.head for f in files))
    if not head_files:
        return reply(tool.name, [], files, head, [])
    notes: list[str] = []

    async def after(extra: Sequence[str] = ()) -> Scan:
        return await scan(process, tool, program, head, head_files, environ, extra)

    async def before(extra: Sequence[str] = ()) -> Scan:
        base_files = _for(tool, base, (f.base for f in files))
        try:
            return await scan(process, tool, program, base, base_files, environ, extra)
        except ToolFailed as failure:
            # Then only what stands on added lines can be told to be new.
            notes.append(f"The version before the change could not be scanned: {failure}.")
            return Scan()

    def grade(found: Diagnostic) -> Grade | None:
        return tool.grade(found, head.line(found.path, found.line))

    async def new(mine: list[Diagnostic], extra: Sequence[str] = ()) -> list[Graded]:
        mine = [d for d in mine if grade(d) is not None]
        if not mine:
            return []  # nothing to subtract the base from, so it is not scanned
        of_base = await before(extra)
        remaining = introduced(mine, of_base.diagnostics, files, head, base, of_base.read)
        kept = (f for f in remaining if f.on_added or not tool.added_only)
        return [Graded(f, known) for f in kept if (known := grade(f.diagnostic)) is not None]

    of_head = await after()
    notes += [f"Not read: {path} ({why})." for path, why in of_head.refused.items()]
    found = await new(list(of_head.diagnostics))
    if _silences(tool, files, head):
        everything = await after(tool.unsuppressed)
        hidden = list((Counter(everything.diagnostics) - Counter(of_head.diagnostics)).elements())
        found += [_silenced(g) for g in await new(hidden, tool.unsuppressed) if g.grade.category is Category.SECURITY]
    return reply(tool.name, found, files, head, sorted(of_head.read), notes)


async def probe(process: Process, tool: Tool, program: str, environ: Mapping[str, str]) -> str:
    """Return the tool's version and where it is, in one line.

    Raises:
        ToolFailed: it does not start.
    """
    done = await process.run(Command((program, "--version"), cwd=Path("/"), env=environ, limits=Limits(wall_s=15)))
    if not done.ok:
        raise ToolFailed(f"{program} does not start")
    version = re.search(r"\d+(\.\d+)+\S*", done.out.decode("utf-8", "replace"))
    return f"{tool.executable} {version[0] if version else 'of an unknown version'} ({program})"


def resolve(job: Job, environ: Mapping[str, str]) -> tuple[Tool, str]:
    """Return the job's tool and the program to start.

    Raises:
        ToolFailed: the program is not there.
    """
    if job.command:
        tool, program = configured(job.name, job.command), shutil.which(job.command[0], path=environ.get("PATH"))
    else:
        tool = TOOLS[job.name]
        program = shutil.which(job.program, path=environ.get("PATH")) if job.program else present(job.name, environ)
        *options, last = tool.arguments
        tool = replace(tool, arguments=(*options, *job.arguments, last))
    if program is None:
        raise ToolFailed(f"{tool.executable} is not installed")
    return tool, program


def main(arguments: Sequence[str], process: Process, environ: Mapping[str, str]) -> int:
    """Run the job in the working directory; return its exit code."""
    *options, job = arguments
    try:
        tool, program = resolve(Job.loads(job), environ)
        if options == ["--probe"]:
            sys.stdout.write(run(probe(process, tool, program, environ)))
        else:
            json.dump(run(review(process, tool, program, Path.cwd(), environ)), sys.stdout)
    except ToolFailed as failure:
        sys.stderr.write(f"{' '.join(str(failure).split())}\n")
        return 1
    return 0


def _for(tool: Tool, tree: Tree, paths: Iterable[str | None]) -> list[str]:
    wanted = dict.fromkeys(path for path in paths if path is not None and tool.reads(path))
    return [path for path in wanted if tree.readable(path) and tool.accepts(path, tree.lines(path)[0])]


def _silences(tool: Tool, files: Iterable[ChangedFile], head: Tree) -> bool:
    """Whether an added line tells the tool to be silent."""
    if tool.suppression is None:
        return False
    for file in files:
        if file.head is not None and tool.reads(file.head):
            lines = head.lines(file.head)
            added = file.added if file.base is not None else range(1, len(lines) + 1)
            if any(n <= len(lines) and tool.suppression.search(lines[n - 1]) for n in added):
                return True
    return False


def _silenced(g: Graded) -> Graded:
    return Graded(g.found, Grade(Severity.LOW, Category.SECURITY), suppressed=True)


if __name__ == "__main__":
    from moot.process.local import LocalProcess

    sys.exit(main(sys.argv[1:], LocalProcess(), dict(os.environ)))
