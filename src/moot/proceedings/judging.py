"""The judge's part of a review: one structured turn over all findings, or the rules where no model judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moot.config.names import RULES
from moot.core import codec
from moot.core.findings import Anchor, Dropped, Finding, Placed, RulingKind
from moot.core.replies import JudgeReply
from moot.core.turns import Prompt
from moot.engine import durable
from moot.findings import apply as rulings
from moot.findings import rules
from moot.findings.anchor import Index
from moot.ledger import findings as finding_rows
from moot.proceedings import briefs, readings
from moot.proceedings.asking import structured
from moot.proceedings.briefs import Files, Laid, Setting
from moot.proceedings.readings import Readings
from moot.proceedings.seating import Panel
from moot.seats.attempts import digest, write
from moot.seats.panel import Answer, sit
from moot.seats.run import Answered, Expect, Run, Seat


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge made of the findings.

    Args:
        findings: all that stand; those without a ruling of its own are marked `unverified`.
        answers: of the judge's ruling turns, none where the rules judged or nothing was to be ruled on.
        by: who ruled, "" for nobody.
    """

    findings: tuple[Finding, ...]
    dropped: tuple[Dropped, ...] = ()
    answers: tuple[Answer, ...] = ()
    by: str = ""


async def judge(
    run: Run, seated: Panel, setting: Setting, files: Files, read: Readings, *, continues: str | None
) -> Judged:
    """Have the findings ruled on.

    Args:
        continues: the conversation in which the judge has reviewed the change itself, to rule there.
    """
    if seated.judge is None:
        analyzers = tuple(s.name for s in seated.reviewers if s.agent.kind == "analyzer")
        return await durable.step("rule", _by_rules, run, read, analyzers)
    if not read.findings and not read.prose:
        return Judged(())
    return await _by_agent(run, seated.judge, setting, files, read, continues=continues)


async def _by_rules(run: Run, read: Readings, analyzers: tuple[str, ...]) -> Judged:
    index = await _index(run, read.findings)
    reply = rules.judge(read.findings, run.diff, index, analyzers)
    applied = rulings.apply(reply, read.findings, index, RULES, first_number=1)
    run.note("judge.ruled", f"rules kept {len(applied.findings)} of {len(read.findings)} findings")
    return Judged(rulings.unverified(applied.findings), applied.dropped, by=RULES)


async def _by_agent(
    run: Run, seat: Seat, setting: Setting, files: Files, read: Readings, *, continues: str | None
) -> Judged:
    if read.prose:
        files = replace(files, prose=await durable.step("lay prose", _lay_prose, run, read))
    prompt = briefs.judge(run, seat, setting, files, read.findings, continues=continues)
    first = await _ask(run, seat, prompt, files)
    answers = [first]
    judged = Judged(read.findings)
    if isinstance(first, Answered):
        judged = await durable.step("apply rulings", _apply, run, read.findings, first)
        missing = [f.id for f in judged.findings if f.ruling is None]
        if missing:
            rest = briefs.judge_rest(run, prompt, missing, continues=same_conversation(first))
            second = await _ask(run, seat, rest, files)
            answers.append(second)
            if isinstance(second, Answered):
                more = await durable.step("apply the rest", _apply, run, judged.findings, second)
                judged = replace(more, dropped=(*judged.dropped, *more.dropped))
    return replace(judged, findings=rulings.unverified(judged.findings), answers=tuple(answers))


async def _ask(run: Run, seat: Seat, prompt: Prompt, files: Files) -> Answer:
    # The key names the question: a run that is taken up again with more findings must not get the old answer.
    key = f"rule-{digest(prompt.full, prompt.about)[:8]}"
    expect = Expect(read=lambda reply: structured(reply, JudgeReply), schema=JudgeReply.model_json_schema())
    return await durable.step(f"ask {seat.name} {key}", sit, run, seat, prompt, expect, Path(files.changes[0]), key)


def same_conversation(answer: Answer) -> str | None:
    """Return the conversation in which the seat itself answered; None where a substitute did, who will not be asked."""
    return answer.conversation if isinstance(answer, Answered) and answer.replaced is None else None


async def _apply(run: Run, findings: tuple[Finding, ...], answer: Answered) -> Judged:
    """Apply a judge's reply, and record what it adds under ids of the subject."""
    reply: JudgeReply = codec.load(JudgeReply, answer.data)
    proposed = [r.finding for r in reply.rulings if r.finding is not None] + list(reply.new)
    index = await _index(run, findings, {f.path for f in proposed})
    highest = max((int(f.id[1:]) for f in findings), default=0)
    applied = rulings.apply(reply, findings, index, answer.seat, first_number=highest + 1)
    standing = {f.id for f in findings}
    kept = tuple(f for f in applied.findings if f.id in standing)
    new = _identified(run, [f for f in applied.findings if f.id not in standing], standing)
    finding_rows.save(run.world.ledger, run.id, new, now=run.world.now())
    ruled = sum(f.ruling in (RulingKind.KEEP, RulingKind.REWRITE) for f in kept)
    run.note("judge.ruled", f"kept {ruled}, dropped {len(applied.dropped)}, added {len(new)}", answer.seat)
    return Judged((*kept, *new), applied.dropped, by=answer.agent)


def _identified(run: Run, new: Sequence[Finding], standing: set[str]) -> tuple[Finding, ...]:
    """Give the judge's own findings the ids by which the subject knows them, or the next ones."""
    placed = [
        Placed(f.claims[0], Anchor(f.path, f.side, f.line, f.end_line, f.in_hunk, f.touches, f.symbol), f.quote)
        for f in new
    ]
    known = {c.id: f for f in readings.identified(run, placed, apart=standing) for c in f.claims}
    named = (replace(known[f.claims[0].id], ruling=f.ruling, evidence=f.evidence, ruled_by=f.ruled_by) for f in new)
    return tuple({f.id: f for f in named}.values())


async def _index(run: Run, findings: tuple[Finding, ...], more: set[str] | None = None) -> Index:
    outside = {f.path for f in findings if not f.in_hunk} | (more or set())
    return Index(run.diff, await readings.whole_files(run, outside))


async def _lay_prose(run: Run, read: Readings) -> Laid:
    """Write what prose reviewers said where the judge reads it, under numbers, not names."""
    path = run.folder / "files" / "prose.md"
    parts = [f"## Reviewer {n}\n\n{text}\n" for n, text in enumerate(read.prose.values(), 1)]
    text = "# What reviewers wrote\n\n" + "\n".join(parts)
    write(path, text)
    return Laid(str(path), digest(text))
