"""What is wrong with a configuration, and the one error that tells all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake. `where` is `file:line`, a variable (`$MOOT_LANGUAGE`) or the command line."""

    where: str
    message: str
    next_step: str | None = None


def refuse_if(problems: Sequence[Problem]) -> None:
    """Raise one error with every problem in it, a line each; return when there is none.

    Raises:
        ConfigError: there are problems. The next step is told where all problems share it.
    """
    if not problems:
        return
    first, *rest = dict.fromkeys(problems)
    lines = [printable(first.message), *(printable(f"{p.where}: {p.message}") for p in rest)]
    steps = {p.next_step for p in problems}
    next_step = steps.pop() if len(steps) == 1 else None
    raise ConfigError("\n".join(lines), where=printable(first.where), next_step=next_step)


def printable(text: str) -> str:
    """Return `text` on one line, with every character escaped that a terminal would obey instead of show.

    A repository's file is quoted in messages and in questions of consent: it must not be able to hide part of itself.
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
