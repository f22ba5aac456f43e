"""Run one tool over one side of a change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from moot.agents.analyzers.changed_files import Tree
from moot.agents.analyzers.diagnostic import Diagnostic, ToolFailed
from moot.agents.analyzers.tools import FILES, LARGE, Tool
from moot.core.errors import ProcessError
from moot.core.process import Command, Ending, Limits, Process

#: The turn has a wall clock of its own; this one only ends a tool that hangs on one batch.
_LIMITS = Limits(wall_s=600)
#: Far below what systems allow for arguments and environment together.
_ARGUMENT_BYTES = 100_000
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Scan:
    """What a tool said of one side: all of it, which files it could read, and which it refused and why."""

    diagnostics: tuple[Diagnostic, ...] = ()
    read: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)


async def scan(
    process: Process,
    tool: Tool,
    program: str,
    tree: Tree,
    files: Sequence[str],
    environ: Mapping[str, str],
    extra: Sequence[str] = (),
) -> Scan:
    """Run `tool` over `files` of `tree`, with `extra` arguments before them.

    A tool that gets one file at a time may refuse some of them; it fails when it refuses all.

    Raises:
        ToolFailed: the tool ended otherwise than by itself, or printed nothing that can be read.
    """
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(batch: Sequence[str]) -> list[Diagnostic] | ToolFailed:
        argv = _argv(tool, program, tree, batch, extra)
        try:
            async with gate:
                done = await process.run(Command(argv, cwd=tree.root, env=environ, limits=_LIMITS))
        except ProcessError as error:
            return ToolFailed(f"{tool.executable}: {error.message}")
        try:
            if done.ending is not Ending.EXITED:
                raise ToolFailed(f"did not end by itself, {done.ending.value}")
            return tool.parse(done.out, tree, batch)
        except ToolFailed as failure:
            last = done.err.decode("utf-8", "replace").strip().splitlines()[-1:]
            code = "" if done.code is None else f" (exit {done.code})"
            return ToolFailed(": ".join([f"{tool.executable} {failure}{code}", *last]))

    batches = list(_batches(files, tool.batch))
    results = await asyncio.gather(*map(one, batches))
    failures = {path: r for b, r in zip(batches, results, strict=True) if isinstance(r, ToolFailed) for path in b}
    if failures and (tool.batch > 1 or len(failures) == len(files)):
        raise next(iter(failures.values()))
    diagnostics = tuple(d for r in results if not isinstance(r, ToolFailed) for d in r)
    given_up = {d.path for d in diagnostics if d.rule in tool.gives_up}
    return Scan(
        diagnostics=diagnostics,
        read=frozenset(files) - failures.keys() - given_up,
        refused={path: str(failure) for path, failure in failures.items()},
    )


def _argv(tool: Tool, program: str, tree: Tree, files: Sequence[str], extra: Sequence[str]) -> tuple[str, ...]:
    if any(len(tree.lines(f)) > LARGE for f in files):
        extra = (*extra, *tool.for_large)
    # A name that begins like an option or an argument file must not be taken for one.
    names = [f"./{f}" if f.startswith(("-", "@")) else f for f in files]
    argv = [program]
    for part in tool.arguments:
        argv += [*extra, *names] if part == FILES else [part.replace("{dir}", str(tree.root))]
    return tuple(argv)


def _batches(files: Sequence[str], limit: int) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in files:
        if batch and (len(batch) == limit or size + len(path) > _ARGUMENT_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += len(path) + 8
    if batch:
        yield batch
