"""Which run a person means by the few characters they typed."""

from __future__ import annotations

from collections.abc import Sequence

from moot.core.errors import NotFoundError, UsageError

_NAMED = 5  # ids named in a message


def resolve_run(name: str, runs: Sequence[tuple[str, str]]) -> str:
    """Return the id of the run called `name`: its id, its short id, or a prefix of either that fits no other run.

    A whole id or short id wins over a prefix, so a short id that was printed once works for ever.

    Args:
        name: what was typed.
        runs: every run as (id, short id), newest first.

    Raises:
        NotFoundError: no run of that name; near ones are listed.
        UsageError: several runs begin like that.
    """
    wanted = name.strip().lower()
    for id_, short in runs:
        if wanted in (id_, short):
            return id_
    fitting = [(id_, short) for id_, short in runs if wanted and (id_.startswith(wanted) or short.startswith(wanted))]
    if len(fitting) == 1:
        return fitting[0][0]
    if fitting:
        listed = ", ".join(short for _, short in fitting[:_NAMED])
        more = f" and {len(fitting) - _NAMED} more" if len(fitting) > _NAMED else ""
        raise UsageError(f'"{name}" fits {len(fitting)} runs: {listed}{more}', next_step="give more of the id")
    if not runs:
        raise NotFoundError(f'no run "{name}": nothing has been run yet', next_step="moot review")
    near = _near(wanted, [short for _, short in runs])
    raise NotFoundError(f'no run "{name}"; {near}', next_step="moot runs list")


def _near(wanted: str, shorts: Sequence[str]) -> str:
    from difflib import get_close_matches  # only a person's typing mistake pays for it

    close = get_close_matches(wanted, shorts, n=3, cutoff=0.5)
    return f"near: {', '.join(close)}" if close else f"the latest: {', '.join(shorts[:3])}"
