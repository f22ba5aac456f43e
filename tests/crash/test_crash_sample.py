"""A review that is killed and resumed comes to what an undisturbed one comes to, and pays for no turn twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from benchmarks.crash.blows import KILLS, Kind, Moment, Plan
from benchmarks.crash.campaign import campaign, judged, table
from benchmarks.crash.scene import build
from benchmarks.crash.trial import struck, undisturbed

SEED = 20_26


def test_a_killed_review_loses_or_repeats_a_turn(tmp_path: Path) -> None:
    scene = build(tmp_path, seconds=(0.2, 0.5))
    usual = undisturbed(scene, tmp_path / "undisturbed", SEED)
    assert judged(usual, usual) == []
    # Once while the reviewers are asked, and once when they have begun to answer.
    plans = [Plan(kind, (Moment(2, 0.1), Moment(5, 0.0))) for kind in (Kind.MOOT, Kind.BOTH)]
    with ThreadPoolExecutor(len(plans)) as pool:
        trials = list(pool.map(lambda plan: struck(scene, tmp_path / plan.kind.name, SEED, plan), plans))
    assert [line for trial in trials for line in judged(trial, usual)] == []
    assert sum(len(trial.blows) for trial in trials) >= len(plans)


@pytest.mark.slow
def test_a_sample_of_kills_loses_or_repeats_a_turn(tmp_path: Path) -> None:
    fought = campaign(tmp_path, kills=40, seed=SEED, workers=3, said=print)
    print(table(fought))
    assert fought.broken == []
    assert sum(tally.kills for kind, tally in fought.tallies.items() if kind in KILLS) >= 40
    assert set(fought.tallies) == set(Kind)
