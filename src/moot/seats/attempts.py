"""The attempts at one answer, as directories: the step's own replay log.

A step that asks a seat may be killed anywhere and run again. What it had decided for each attempt is on disk before
the attempt begins, so that the second pass decides nothing anew: it reads, adopts and goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from moot.core import codec

#: What is sent: the whole prompt, the part enough for a seat that remembers, or a word about a useless reply.
Form = Literal["full", "live", "nudge"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One turn, as decided before it began.

    Args:
        number: from 1, over all generations of the run.
        digest: of the question; a reply is reused only as an answer to the same one.
        conversation: id of the ledger's conversation it continues; None begins one.
        problem: what a nudge complains of.
        delay_s: seconds it is held back, so that passing trouble can pass.
    """

    number: int
    generation: int
    agent: str
    model: str | None
    form: Form
    digest: str
    conversation: str | None
    wall_s: float
    silence_s: float | None
    problem: str = ""
    delay_s: float = 0.0


def digest(*parts: str) -> str:
    """Return what tells two questions apart: the prompt, and what stands in the files it names."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def job_folder(turns: Path, seat: str, key: str, number: int) -> Path:
    """Return the job directory of an attempt below a run's `turns` folder."""
    return turns / seat / f"{key}.{number}"


def load(job: Path) -> Attempt | None:
    """Return the attempt decided for that directory, None when there is none."""
    try:
        text = (job / "attempt.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    attempt: Attempt = codec.load(Attempt, json.loads(text))
    return attempt


def save(job: Path, attempt: Attempt) -> None:
    """Write the decision down, whole or not at all."""
    job.mkdir(parents=True, exist_ok=True)
    write(job / "attempt.json", json.dumps(codec.dump(Attempt, attempt), indent=1))


def write(path: Path, text: str) -> None:
    """Write a file atomically: readers see the old one or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8", errors="surrogatepass")
    part.replace(path)
