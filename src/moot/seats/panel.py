"""A seat takes its place and is asked: what a proceeding runs several of at once, each as one step."""

from __future__ import annotations

from pathlib import Path

from moot.core.turns import Prompt
from moot.seats import places
from moot.seats.ask import BUDGET, ask
from moot.seats.run import Answered, Expect, Failed, Run, Seat

Answer = Answered | Failed


async def sit(run: Run, seat: Seat, prompt: Prompt, expect: Expect, change_file: Path, key: str) -> Answer:
    """Seat an agent and ask it. A whole step: whatever happens to the agent is a value."""
    if seat.agent.kind == "analyzer":
        at = places.analysis(run)
    else:
        at = await places.reading(run, seat, change_file)
    answer = await ask(run, seat, prompt, expect, at, key)
    ok = isinstance(answer, Answered)
    run.note("seat.answered" if ok else "seat.failed", _line(answer), seat.name)
    return answer


def _line(answer: Answer) -> str:
    if isinstance(answer, Failed):
        kind = "" if answer.failure.detail.startswith(BUDGET) else f"{answer.failure.kind.replace('_', ' ')}: "
        return f"{kind}{answer.failure.detail}"
    by = f" ({answer.agent} for {answer.replaced})" if answer.replaced else ""
    return f"answered after {answer.turns} turn{'s' if answer.turns != 1 else ''}{by}"
