"""The story must lead to every prompt, reply, ruling and reason of a run."""

from __future__ import annotations

import shlex
from datetime import timedelta

import pytest
from report_samples import EVIL, FINISHED

from moot.core.change import Side
from moot.core.errors import NotFoundError
from moot.core.findings import Category, Claim, Dropped, DropReason, Finding, Join, Proof, RulingKind, Severity
from moot.core.ledger import LedgerEvent
from moot.core.turns import FailureKind, Usage
from moot.reports.layout import bare
from moot.reports.story import Story, StoryFile, StoryTurn, render, render_seat

FOLDER = "/home/ann/my runs/7f3a"


def claim(seat: str, number: int, title: str) -> Claim:
    return Claim(
        id=f"{seat}.1.{number}",
        seat=seat,
        round=1,
        path="src/retry.py",
        side=Side.RIGHT,
        line=88,
        end_line=None,
        severity=Severity.HIGH,
        category=Category.CORRECTNESS,
        title=title,
        body="",
        quote="x",
    )


def turn(seat: str, attempt: int, **values: object) -> StoryTurn:
    folder = f"{FOLDER}/turns/{seat}/review.{attempt}"
    settings: dict[str, object] = {
        "node": "review",
        "key": "review",
        "agent": "opus",
        "kind": "claude",
        "model": "opus-5",
        "started_at": FINISHED,
        "seconds": 102.0,
        "usage": Usage(30_000, 1_000, 0, 0.91),
        "files": (StoryFile("prompt", f"{folder}/prompt.md"), StoryFile("stdout", f"{folder}/stdout")),
        "prompt": "Review the change.\n\x1b[31mData.",
        "reply": '{"summary": "one defect"}',
    }
    return StoryTurn(seat=seat, attempt=attempt, **{**settings, **values})  # type: ignore[arg-type]


FINDING = Finding(
    id="F1",
    path="src/retry.py",
    side=Side.RIGHT,
    line=88,
    end_line=90,
    severity=Severity.HIGH,
    category=Category.CORRECTNESS,
    title="Retry never ends",
    body="",
    quote="x",
    scenario="",
    suggestion="",
    claims=(claim("reviewer-opus", 1, "Retry never ends"), claim("reviewer-gpt", 2, "Endless loop")),
    joins=(Join("reviewer-gpt.1.2", 0.913, "the quotes overlap and both name the counter"),),
    agreed_by=("reviewer-oc",),
    ruling=RulingKind.KEEP,
    evidence="line 88 is the only place",
    ruled_by="judge",
    proof=Proof("proved", "pytest -q t.py"),
)

STORY = Story(
    run="7f3a",
    label="topic → main",
    status="complete",
    created_at=FINISHED,
    folder=FOLDER,
    turns=(
        turn("reviewer-opus", 1),
        turn(
            "reviewer-gpt", 1, failure=FailureKind.MALFORMED, detail="no JSON in the reply", reply="I think it is fine."
        ),
        turn("reviewer-gpt", 2),
        turn("judge", 1, running=True, reply=None, files=()),
    ),
    findings=(FINDING,),
    dropped=(
        Dropped("Not closed", "src/retry.py", 97, ("reviewer-gpt",), DropReason.PRE_EXISTING, "the same on main", "F2"),
    ),
    unplaced=(claim("reviewer-gpt", 9, "Something vague"),),
    events=(
        LedgerEvent(1, "7f3a", FINISHED, "run.created", None, "by ann"),
        LedgerEvent(2, "7f3a", FINISHED + timedelta(seconds=3), "seat.failed", "reviewer-gpt", "malformed"),
    ),
)


def test_every_file_of_every_turn_can_be_pasted() -> None:
    drawn = render(STORY, width=60, colour=False)
    for file in (f for t in STORY.turns for f in t.files):
        assert f"  {shlex.quote(file.path)}\n" in drawn


def test_every_claim_join_ruling_reason_and_event_is_told() -> None:
    drawn = " ".join(render(STORY, width=100, colour=False).split())
    for said in (
        "reviewer-opus.1.1, high, line 88: Retry never ends; raised it",
        "reviewer-gpt.1.2, high, line 88: Endless loop; joined at 0.91: the quotes overlap and both name the counter",
        "ruling keep by judge: line 88 is the only place",
        "agreed reviewer-oc",
        "proof proved: pytest -q t.py",
        "src/retry.py:97 Not closed raised by reviewer-gpt, as F2 because there before this change: the same on main",
        "claims without a finding claim reviewer-gpt.1.9",
        "failed: malformed",
        "no JSON in the reply",
        "running",
        "15:35:15 seat.failed reviewer-gpt malformed",
        "moot show 7f3a reviewer-opus",
    ):
        assert said in drawn


def test_a_seats_story_holds_its_prompts_and_replies_and_what_became_of_its_claims() -> None:
    drawn = render_seat(STORY, "reviewer-gpt", width=100, colour=False)
    assert drawn.count("| Review the change.\n  | Data.") == 2
    assert "  | I think it is fine." in drawn
    assert '  | {"summary": "one defect"}' in drawn
    flat = " ".join(drawn.split())
    assert "F1 reviewer-gpt.1.2, high, line 88: Endless loop; keep by judge: line 88 is the only place" in flat
    assert "dropped Not closed; there before this change" in flat
    assert "nowhere reviewer-gpt.1.9" in flat
    assert "reviewer-opus" not in drawn


def test_a_seat_that_was_never_asked_is_an_error_that_names_the_seats() -> None:
    with pytest.raises(NotFoundError, match=r"no seat 'reviewer-x' \(seats: reviewer-opus, reviewer-gpt, judge\)"):
        render_seat(STORY, "reviewer-x", width=80, colour=False)


def test_an_empty_story_is_only_its_head() -> None:
    bare_story = Story("7f3a", "topic → main", "created", FINISHED, FOLDER)
    assert render(bare_story, width=80, colour=False).splitlines() == [
        "STORY   run 7f3a · created · created 2026-11-30T15:35:12Z",
        "topic → main",
        f"'{FOLDER}'",
    ]


def test_colour_says_nothing_that_the_text_does_not() -> None:
    assert bare(render(STORY, width=80, colour=True)) == render(STORY, width=80, colour=False)


def test_hostile_text_does_not_act() -> None:
    evil = Story(
        EVIL,
        EVIL,
        EVIL,
        FINISHED,
        EVIL,
        turns=(turn("s", 1, detail=EVIL, agent=EVIL, prompt=EVIL, reply=EVIL, files=(StoryFile(EVIL, EVIL),)),),
        events=(LedgerEvent(1, EVIL, FINISHED, EVIL, EVIL, EVIL),),
    )
    for drawn in (render(evil, width=80, colour=False), render_seat(evil, "s", width=80, colour=False)):
        drawn.encode()
        assert not [c for c in "\x1b\x9b\x9d\x07\u202e" if c in drawn]
