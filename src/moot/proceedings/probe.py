"""A probe: one real turn per agent, to see that it answers in structure, reads what it is shown and writes nothing."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.core import codec
from moot.core.data import JSON
from moot.core.process import Limits
from moot.core.replies import ProbeReply
from moot.core.runs import Reads
from moot.core.turns import Agent, FailureKind, Problem, Prompt, Reply
from moot.proceedings.asking import structured
from moot.prompts.render import render, schema_text
from moot.seats import places
from moot.seats.attempts import write
from moot.seats.panel import Answer, sit
from moot.seats.run import Answered, Expect, Run, Seat

WALL_S, SILENCE_S = 180.0, 120.0
TEMPTATION = "probe-was-here.txt"


@dataclass(frozen=True, slots=True)
class Probed:
    """What came of one agent's probe. `wrote`: it changed its checkout although it was only to read."""

    agent: str
    ok: bool
    said: str
    seconds: float
    wrote: bool = False


async def probe(run: Run, agents: Sequence[Agent]) -> list[Probed]:
    """Ask every agent at once; each turn is admitted, booked and recorded like any other."""
    word = secrets.token_hex(6)
    file = run.folder / "files" / "probe.txt"
    write(file, f"{word}\n")
    return list(await asyncio.gather(*(_probe(run, agent, file, word) for agent in agents)))


async def _probe(run: Run, agent: Agent, file: Path, word: str) -> Probed:
    seat = Seat(f"probe-{agent.name}", agent, Limits(WALL_S, SILENCE_S), Reads.NONE)

    def read(reply: Reply) -> JSON | Problem:
        if agent.reply == "text":
            return None if word in reply.text else Problem(FailureKind.MALFORMED, "the word of the file is missing")
        told = structured(reply, ProbeReply)
        if isinstance(told, Problem):
            return told
        answer: ProbeReply = codec.load(ProbeReply, told)
        return told if word in answer.answer else Problem(FailureKind.MALFORMED, "that is not the word in the file")

    schema = "" if agent.reply == "text" else schema_text(ProbeReply)
    text = render("probe", change_file=str(file), temptation=TEMPTATION, schema=schema, language=run.config.language)
    expect = Expect(read, None if agent.reply == "text" else ProbeReply.model_json_schema())
    answer = await sit(run, seat, Prompt("probe", text), expect, file, "probe")
    checkout = Path(answer.cwd) if isinstance(answer, Answered) else None
    wrote = checkout is not None and (checkout / TEMPTATION).exists()
    return Probed(agent.name, isinstance(answer, Answered) and not wrote, _said(answer, wrote), answer.seconds, wrote)


def _said(answer: Answer, wrote: bool) -> str:
    if not isinstance(answer, Answered):
        return f"{answer.failure.kind.replace('_', ' ')}: {answer.failure.detail}"
    if wrote:
        return "answered, but wrote in a checkout it was only to read"
    form = "prose" if answer.data is None else "structured reply"
    return f"answered in {answer.seconds:.1f}s, {form} verified, read-only verified"


async def clean_up(run: Run) -> None:
    """Give the probe's checkouts back."""
    await places.give_back(run.world, run.id)
