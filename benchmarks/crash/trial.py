"""One review under blows: started, struck at the planned moments, resumed until it ends, then held to the promises."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.crash.blows import Blow, Kind, Moment, Plan
from benchmarks.crash.evidence import DONE, Evidence, gather, rows
from benchmarks.crash.scene import Scene, configure, environment

from moot.process import tree
from moot.process.local import runners

LOOK_S = 0.004
LONGEST_LIFE_S = 180.0
MOST_LIVES = 30
RUNNERS_END_S = 20.0


@dataclass
class Trial:
    """A run that has come to its end, and what was done to it.

    Args:
        unspent: moments that never came, because the run was over or past them.
        recorded: when each step was recorded, seconds after the start; only of an undisturbed run.
        troubles: what nobody planned.
    """

    plan: Plan | None
    home: Path
    blows: list[Blow] = field(default_factory=list)
    unspent: list[Moment] = field(default_factory=list)
    recorded: list[float] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    seconds: float = 0.0
    evidence: Evidence | None = None


def undisturbed(scene: Scene, folder: Path, seed: int) -> Trial:
    """Run a review to which nothing happens: what all others are compared with."""
    return _run(Trial(None, folder / "home"), scene, folder, seed)


def struck(scene: Scene, folder: Path, seed: int, plan: Plan) -> Trial:
    """Run a review under the blows of a plan."""
    return _run(Trial(plan, folder / "home"), scene, folder, seed)


def _run(trial: Trial, scene: Scene, folder: Path, seed: int) -> Trial:
    log = folder / "log" / "agents.log"
    configure(scene, trial.home, log, seed)
    began = time.monotonic()
    waiting = list(trial.plan.moments) if trial.plan is not None else []
    for life in range(MOST_LIVES):
        with (folder / f"life-{life}.txt").open("wb") as output:
            known = rows(trial.home)
            asked = ["runs", "resume", known[0][0]] if known else ["review"]
            moot = subprocess.Popen(
                [sys.executable, "-m", "moot", "--debug", *asked],
                cwd=scene.repo,
                env=environment(trial.home),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            struck_down = _live(trial, moot, waiting)
        status = dict(rows(trial.home)).get(known[0][0]) if known else next(iter(dict(rows(trial.home)).values()), None)
        if status in DONE:
            break
        if not struck_down:
            trial.troubles.append(f"moot ended by itself in life {life} (exit {moot.returncode}), the run is {status}")
    else:
        trial.troubles.append(f"still {status} after {MOST_LIVES} lives")
    trial.unspent += waiting
    trial.seconds = time.monotonic() - began
    _await_runners(trial)
    trial.evidence = gather(trial.home, log)
    return trial


def _live(trial: Trial, moot: subprocess.Popen[bytes], waiting: list[Moment]) -> bool:
    """Watch one life of moot to its end. Return whether it was ended by a blow."""
    began = time.monotonic()
    start = _steps(trial.home)
    hit = False
    try:
        while trial.plan is not None and waiting and not hit:
            moment = waiting[0]
            if moment.step is not None and moment.step <= start:
                trial.unspent.append(waiting.pop(0))  # its time came while another blow was dealt
            elif not _await_moment(trial, moot, moment, began):
                break
            elif _strike(trial, trial.plan.kind, moot):
                waiting.pop(0)
                hit = trial.plan.kind.hits_moot
            else:
                break
        while moot.poll() is None:
            if time.monotonic() - began > LONGEST_LIFE_S:
                trial.troubles.append(f"moot was still at it after {LONGEST_LIFE_S:.0f}s")
                break
            if trial.plan is None and (done := _steps(trial.home)) > len(trial.recorded):
                trial.recorded += [time.monotonic() - began] * (done - len(trial.recorded))
            time.sleep(LOOK_S)
    finally:
        with suppress(ProcessLookupError):
            moot.kill()
        moot.wait()
    return hit


def _await_moment(trial: Trial, moot: subprocess.Popen[bytes], moment: Moment, began: float) -> bool:
    """Wait for the moment and return True; False when moot ends first."""
    if moment.step is not None:
        while _steps(trial.home) < moment.step:
            if moot.poll() is not None:
                return False
            time.sleep(LOOK_S)
        began = time.monotonic()
    while time.monotonic() < began + moment.delay_s:
        if moot.poll() is not None:
            return False
        time.sleep(LOOK_S)
    return moot.poll() is None


def _strike(trial: Trial, kind: Kind, moot: subprocess.Popen[bytes]) -> bool:
    """Strike, as soon as there is whom to strike. Return False when moot ends first."""
    victims: list[int] = []
    while kind.hits_runners and not victims:
        if moot.poll() is not None:
            return False
        pairs = list(_pairs(trial.home))
        victims = [pid for pair in pairs for pid in (pair[:1] if kind is Kind.RUNNER else pair)]
        time.sleep(0 if victims else LOOK_S)
    trial.blows.append(Blow(time.time(), kind.hits_moot))
    if kind.hits_moot:
        name = {Kind.INTERRUPT: signal.SIGINT, Kind.TERMINATE: signal.SIGTERM}.get(kind, signal.SIGKILL)
        moot.send_signal(name)
    for pid in victims:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return True


def _pairs(home: Path) -> Iterator[list[int]]:
    """Yield the living runners of each job."""
    for job in home.glob("runs/*/turns/*/*"):
        if not (job / "exit.json").exists() and (job / "job.json").exists():
            known = runners(job) or _newborn(job)
            pids = [pid for pid in known if tree.is_alive(pid) and _runs(pid, "runner.py") is not False]
            if pids:
                yield pids


def _newborn(job: Path) -> list[int]:
    """Find runners that have not noted themselves yet; nobody, where there is no telling what a process runs."""
    return [pid for pid in tree.processes() if _runs(pid, str(job))]


def _runs(pid: int, word: str) -> bool | None:
    """Whether a process has that in its command line: ids are given away again. None without /proc."""
    try:
        return os.fsencode(word) in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False if Path("/proc/self").exists() else None


def _steps(home: Path) -> int:
    """Return how many steps the engine has recorded."""
    file = next(home.glob("runs/*/engine/0.db"), None)
    if file is None:
        return 0
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)) as db:
            count: int = db.execute("SELECT count(*) FROM operation_outputs").fetchone()[0]
    except sqlite3.OperationalError:  # it is only just being made
        return 0
    return count


def _await_runners(trial: Trial) -> None:
    """Every runner ends with its job; one that stays would be left behind on the person's machine."""
    deadline = time.monotonic() + RUNNERS_END_S
    while any(_pairs(trial.home)):
        if time.monotonic() > deadline:
            trial.troubles.append("runners outlive the run")
            break
        time.sleep(LOOK_S * 10)
