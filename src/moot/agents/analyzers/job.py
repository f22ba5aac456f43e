"""What the adapter tells the job, in one argument."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """Which analyzer to run.

    Args:
        name: of a built-in analyzer, or of the seat when there is a command.
        program: path or name of the built-in analyzer's program; None looks for it.
        arguments: extra ones for a built-in analyzer.
        command: a program that prints SARIF, with its arguments; empty for a built-in analyzer.
    """

    name: str
    program: str | None = None
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Job:
        """Return the job that `dumps` wrote."""
        row = json.loads(text)
        return cls(row["name"], row["program"], tuple(row["arguments"]), tuple(row["command"]))
