"""Asking the reviewers: in waves, each wave together, each batch of a large change in its turn."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from pydantic import BaseModel

from moot.core import codec
from moot.core.data import JSON
from moot.core.replies import ReviewReply
from moot.core.runs import Check, Reads
from moot.core.turns import SCAN, Problem, Prompt, Reply
from moot.engine import durable
from moot.findings.claims import parse_reply
from moot.proceedings import briefs
from moot.proceedings.briefs import Files, Laid, Setting
from moot.proceedings.checks import laid, run_checks
from moot.proceedings.seating import Panel
from moot.seats.attempts import digest, write
from moot.seats.panel import Answer, sit
from moot.seats.run import Answered, Expect, Run, Seat


async def ask_reviewers(
    run: Run, seated: Panel, setting: Setting, files: Files
) -> tuple[list[Answer], tuple[Check, ...]]:
    """Ask everybody who reviews, and run the project's checks meanwhile. The judge's own pass is one of the first.

    Returns: every answer, in a fixed order, and the checks.
    """
    answers: list[Answer] = []
    checks = durable.step("checks", run_checks, run)
    told: tuple[Check, ...] | None = None
    # Who reviews in the first wave does not wait for the checks, so only later readers are shown them.
    for number, wave in enumerate(seated.waves() or ((),)):
        own = (seated.judge,) if number == 0 and seated.own_pass and seated.judge is not None else ()
        reports = await durable.step(f"lay reports {number}", lay_reports, run, wave, answers) if number else {}
        shown = replace(files, checks=laid(run, told) if told is not None else None)
        for batch in range(max(1, len(files.changes))):
            asked = [
                _ask(run, seat, setting, shown, batch, reports.get(seat.name))
                for seat in (*wave, *own)
                if (batch == 0 if seat.reads is Reads.SCAN else batch < len(files.changes))
            ]
            if told is None:
                *got, done = await durable.gather(*asked, checks)
                answers += cast("list[Answer]", got)
                told = cast("tuple[Check, ...]", done)
            else:
                answers += await durable.gather(*asked)
    return answers, told or ()


def _ask(run: Run, seat: Seat, setting: Setting, files: Files, batch: int, reports: Laid | None) -> Awaitable[Answer]:
    key = f"review-{batch + 1}"
    if seat.reads is Reads.SCAN:
        prompt, path = Prompt(SCAN, ""), run.folder
    else:
        prompt, path = briefs.review(run, seat, setting, files, batch, reports=reports), Path(files.changes[batch])
    return durable.step(f"ask {seat.name} {key}", sit, run, seat, prompt, expect_review(seat), path, key)


def expect_review(seat: Seat) -> Expect:
    """Return what a reviewer must bring: a review in JSON, or prose from a seat that answers in prose."""
    if seat.reads is Reads.SCAN:
        return Expect(read=_scan)
    if seat.agent.reply == "text":
        return Expect(read=_prose)
    return Expect(read=lambda reply: structured(reply, ReviewReply), schema=ReviewReply.model_json_schema())


def structured(reply: Reply, schema: type[BaseModel]) -> JSON | Problem:
    """Read a reply by its schema."""
    value = parse_reply(reply.text, reply.data, schema)
    if isinstance(value, Problem):
        return value
    return codec.dump(schema, value)


def _scan(reply: Reply) -> JSON | Problem:
    """An analyzer's reply is a review, and says which files it parsed."""
    told = structured(reply, ReviewReply)
    if isinstance(told, Problem) or not isinstance(told, dict):
        return told
    return {**told, "scanned": json.loads(reply.text).get("scanned", [])}


def _prose(reply: Reply) -> JSON | Problem:
    return None


async def lay_reports(run: Run, wave: Sequence[Seat], answers: list[Answer]) -> dict[str, Laid]:
    """Write, for each seat that reads reports, what the seats it waits for have said. Returns seat to file."""
    files: dict[str, Laid] = {}
    for seat in wave:
        read = [a for a in answers if a.seat in seat.after and isinstance(a, Answered)]
        if not read:
            continue
        path = run.folder / "files" / f"reports-for-{seat.name}.md"
        parts = [f"## {a.seat}\n\n{_report(a)}\n" for a in read]
        text = "# What other reviewers reported\n\n" + "\n".join(parts)
        write(path, text)
        files[seat.name] = Laid(str(path), digest(text))
    return files


def _report(answer: Answered) -> str:
    if answer.data is None:
        return answer.text
    reply: ReviewReply = codec.load(ReviewReply, answer.data)
    shown = reply.model_dump(mode="json", include={"summary", "findings"})
    return f"~~~~~~json\n{json.dumps(shown, indent=1, ensure_ascii=False)}\n~~~~~~"
