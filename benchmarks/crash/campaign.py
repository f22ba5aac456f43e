"""Many trials: reviews under blows, several at once, until the planned number of blows has fallen, and their sum."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.crash.blows import Kind, Plan, at_random, bundled, plans
from benchmarks.crash.evidence import Evidence
from benchmarks.crash.scene import Scene, build
from benchmarks.crash.trial import Trial, struck, undisturbed

SECONDS = (0.3, 1.0)  # how long a turn takes
MOST_ROUNDS = 12  # of dealing out anew the blows whose moment never came


@dataclass
class Tally:
    """One line of the table."""

    kills: int = 0
    runs: int = 0
    turns: int = 0
    twice: int = 0
    lost: int = 0
    adopted: int = 0
    wrong: int = 0
    seconds: float = 0.0


@dataclass
class Campaign:
    """What came of all trials. `broken` says each broken promise in a line."""

    tallies: dict[Kind, Tally] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)


def campaign(
    folder: Path,
    kills: int,
    seed: int,
    workers: int,
    said: Callable[[str], None],
    seconds: tuple[float, float] = SECONDS,
) -> Campaign:
    """Let `kills` blows of SIGKILL fall, and a tenth as many of each signal that parks.

    Args:
        folder: an empty one; only the files of trials with a broken promise stay there.
        workers: how many reviews at once.
        said: is told how far it is.
        seconds: the shortest and the longest time of a turn.
    """
    rng = Random(seed)
    scene = build(folder, seconds)
    usual = undisturbed(scene, folder / "undisturbed", seed)
    fought = Campaign(broken=[f"undisturbed: {line}" for line in judged(usual, usual)])
    if fought.broken:
        return fought
    said(f"undisturbed: {len(usual.recorded)} steps, {usual.seconds:.1f}s")
    waiting = plans(kills, usual.recorded, rng)
    number = 0
    for _ in range(MOST_ROUNDS):
        with ThreadPoolExecutor(workers) as pool:
            numbered = list(enumerate(waiting, number))
            number += len(numbered)
            trials = list(
                pool.map(lambda one: _fight(scene, folder / f"{one[0]:04}", seed, one[1], usual, said), numbered)
            )
        unspent = [(t.plan.kind, m) for t in trials if t.plan for m in t.unspent]
        for trial in trials:
            _count(fought, trial, usual)
        waiting = bundled([(kind, at_random(usual.recorded, rng)) for kind, _ in unspent], rng)
        if not waiting:
            return fought
    fought.broken.append(f"{sum(len(plan.moments) for plan in waiting)} blows could not be dealt")
    return fought


def judged(trial: Trial, usual: Trial) -> list[str]:
    """Return the promises that a trial broke, a line each."""
    seen, normal = _evidence(trial), _evidence(usual)
    told = [*trial.troubles]
    told += [f"{'/'.join(turn)} was started twice" for turn in seen.twice]
    told += seen.lost(normal.paid)
    if len(seen.runs) != 1:
        told.append(f"there are {len(seen.runs)} runs")
    elif seen.runs[0][1] != normal.runs[0][1]:
        told.append(f"the run is {seen.runs[0][1]}, undisturbed it is {normal.runs[0][1]}")
    if seen.findings != normal.findings:
        told.append(f"findings differ: {sorted(set(seen.findings) ^ set(normal.findings), key=repr)}")
    return told


def table(fought: Campaign) -> str:
    """Return the campaign as a table for people."""
    heads = ("blow", "kills", "runs", "turns", "twice", "lost", "adopted", "wrong", "s/run")
    lines = [_cells(heads)]
    for kind, t in sorted(fought.tallies.items(), key=lambda kt: list(Kind).index(kt[0])):
        figures = (t.kills, t.runs, t.turns, t.twice, t.lost, t.adopted, t.wrong, f"{t.seconds / max(1, t.runs):.1f}")
        lines.append(_cells((kind.value, *map(str, figures))))
    return "\n".join(lines)


def _fight(scene: Scene, folder: Path, seed: int, plan: Plan, usual: Trial, said: Callable[[str], None]) -> Trial:
    trial = struck(scene, folder, seed, plan)
    broken = judged(trial, usual)
    said(
        f"{folder.name}: {plan.kind}, {len(trial.blows)} blows, {trial.seconds:.1f}s"
        + "".join(f"; {b}" for b in broken)
    )
    if not broken:
        shutil.rmtree(folder)
    return trial


def _count(fought: Campaign, trial: Trial, usual: Trial) -> None:
    assert trial.plan is not None
    tally = fought.tallies.setdefault(trial.plan.kind, Tally())
    seen = _evidence(trial)
    tally.kills += len(trial.blows)
    tally.runs += 1
    tally.turns += len(seen.begun)
    tally.twice += len(seen.twice)
    tally.lost += len(seen.lost(_evidence(usual).paid))
    tally.adopted += seen.adopted(trial.blows)
    tally.wrong += seen.findings != _evidence(usual).findings
    tally.seconds += trial.seconds
    fought.broken += [f"{trial.plan.kind} in {trial.home.parent.name}: {line}" for line in judged(trial, usual)]


def _evidence(trial: Trial) -> Evidence:
    assert trial.evidence is not None
    return trial.evidence


def _cells(cells: Iterable[str]) -> str:
    first, *rest = cells
    return f"{first:<26}" + "".join(f"{cell:>8}" for cell in rest)
