"""The panel review: reviewers in parallel, code matches what they say, a judge rules, code computes the verdict."""

from __future__ import annotations

from dataclasses import replace

from moot.config.names import JUDGE
from moot.core import codec
from moot.core.data import JSON
from moot.core.runs import Result
from moot.engine import durable
from moot.findings.material import material
from moot.findings.receipts import minter
from moot.proceedings import preparation, readings, record
from moot.proceedings.asking import ask_reviewers
from moot.proceedings.briefs import Files
from moot.proceedings.checks import laid
from moot.proceedings.judging import judge, same_conversation
from moot.proceedings.seating import panel
from moot.seats.run import Run


async def review(run: Run) -> JSON:
    """Review the run's change and return the `Result` as JSON. Reads like the procedure it is.

    Whatever has an effect is a step; what stands between the steps is pure and is done again on a replay.
    """
    facts = await durable.step("look around", preparation.look_around, run)
    seated = panel(run.config, facts)
    limits = run.config.change
    change = material(run.diff, minter(run.secret, run.change.head), limits.exclude, limits.max_file, limits.batch)
    setting = await durable.step("lay files", preparation.lay_files, run, change, seated)
    files = Files(preparation.change_files(run, change))
    answers, checks = await ask_reviewers(run, seated, setting, files)
    read = await durable.step("read answers", readings.read, run, answers)
    own = next((a for a in answers if a.seat == JUDGE), None)
    judged = await judge(
        run, seated, setting, replace(files, checks=laid(run, checks)), read,
        continues=same_conversation(own) if own is not None else None,
    )  # fmt: skip
    result = await durable.step(
        "record", record.record, run, seated, change, setting.sparse, answers, checks, read, judged
    )
    return codec.dump(Result, result)
