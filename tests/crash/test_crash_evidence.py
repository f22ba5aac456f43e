"""The crash harness can fail: it sees a turn that was paid twice, one that was lost, and findings that differ."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from benchmarks.crash.blows import KILLS, Blow, Kind, plans
from benchmarks.crash.evidence import Evidence, Logged, Settled, gather

from moot.core.turns import Failure, FailureKind

ASKED = ("reviewer-a", "review-1.1")
ANSWERED = Logged(ASKED, began=1.0, ended=2.0, usable=True)


def evidence(*begun: Logged, settled: dict[tuple[str, str], Settled] | None = None) -> Evidence:
    return Evidence((("r", "complete"),), (), begun, settled or {ASKED: Settled(2.1, None)})


USUAL = evidence(ANSWERED).paid


def test_a_turn_that_was_started_twice_is_overlooked() -> None:
    assert evidence(ANSWERED).twice == []
    assert evidence(ANSWERED, ANSWERED).twice == [ASKED]


def test_a_lost_turn_is_overlooked() -> None:
    assert evidence(ANSWERED).lost(USUAL) == []
    unfinished = Logged(ASKED, 1.0, None, usable=False)
    assert evidence(unfinished).lost(USUAL) == ["reviewer-a/review-1.1 was never finished"]
    unsettled = evidence(ANSWERED, settled={ASKED: Settled(None, None)})
    assert unsettled.lost(USUAL) == ["reviewer-a/review-1.1 was never settled"]
    wasted = evidence(ANSWERED, settled={ASKED: Settled(2.1, Failure(FailureKind.LOST, "gone"))})
    assert wasted.lost(USUAL) == ["reviewer-a/review-1.1 answered, and was settled as lost"]


def test_asking_again_for_an_answer_that_was_there_is_overlooked() -> None:
    again = Logged(("reviewer-a", "review-1.2"), 3.0, 4.0, usable=True)
    seen = evidence(ANSWERED, again, settled={ASKED: Settled(2.1, None), again.turn: Settled(4.1, None)})
    assert seen.lost(USUAL) == ["reviewer-a/review was asked 1 more than undisturbed"]


def test_a_turn_that_outlived_a_blow_is_not_counted_as_adopted() -> None:
    assert evidence(ANSWERED).adopted([Blow(1.5, hit_moot=False)]) == 1
    assert evidence(ANSWERED).adopted([Blow(2.05, hit_moot=True)]) == 1  # answered, but not booked yet
    assert evidence(ANSWERED).adopted([Blow(2.05, hit_moot=False)]) == 0
    assert evidence(ANSWERED).adopted([Blow(0.5, hit_moot=True), Blow(2.2, hit_moot=True)]) == 0


def test_the_agents_log_is_misread(tmp_path: Path) -> None:
    log = tmp_path / "agents.log"
    said = {"run": "r", "seat": "reviewer-a", "turn": "review-1.1"}
    lines = [{"event": "begin", "at": 1.0}, {"event": "begin", "at": 1.2}, {"event": "end", "at": 2.0, "usable": True}]
    log.write_text("".join(json.dumps({**line, **said}) + "\n" for line in lines), encoding="utf-8")
    seen = gather(tmp_path / "no home", log)
    assert seen.runs == ()
    assert seen.twice == [ASKED]
    assert [(b.began, b.ended) for b in seen.begun] == [(1.0, None), (1.2, 2.0)]


def test_a_plan_leaves_a_step_boundary_out() -> None:
    recorded = [0.5, 0.6, 1.5, 1.6, 2.0]
    planned = plans(200, recorded, Random(1))
    struck_at = {(plan.kind, moment.step) for plan in planned for moment in plan.moments}
    assert struck_at >= {(kind, step) for kind in KILLS for step in range(1, 6)}
    assert sum(len(plan.moments) for plan in planned if plan.kind in KILLS) == 200
    assert all(any(plan.kind is kind for plan in planned) for kind in Kind)
