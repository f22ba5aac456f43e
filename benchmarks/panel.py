"""Moot's own time in a panel review whose agents answer at once, in a repository of some size."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.figures import Figure, milliseconds
from benchmarks.repositories import environment, generate, git, path

from moot.agents.registry import KINDS
from moot.config.load import load
from moot.config.paths import home as home_of
from moot.git.change import freeze
from moot.git.diff import read_diff
from moot.git.run import Git
from moot.git.target import WorkTree
from moot.ledger import views
from moot.ledger.database import open_ledger
from moot.process.local import LocalProcess

SMALL, LARGE = 5_000, 100_000
LINES, CHANGED = 20, 12
GOAL_MS, FIRST_SEAT_GOAL_MS = 1500, 2500
TIMES, TIMES_LARGE = 7, 3

#: Prints the reply that is kept for its node, with the receipts of the whole change file, from a single process.
AGENT = """exec awk '
sub(/^receipt: /, "") { receipts = receipts sep $0; sep = "\\",\\"" }
END { while ((getline line < reply) > 0) { sub(/RECEIPTS/, receipts, line); print line } }
' reply="$1/$MOOT_NODE.json" "$MOOT_CHANGE_FILE"
"""


@dataclass(frozen=True, slots=True)
class Timeline:
    """When things happened in one review, milliseconds after its process was started. `stages` are durations."""

    first_seat: float
    report: float
    exit: float
    stages: dict[str, float]


def measure() -> Iterator[Figure]:
    """Yield the figures of a small and of a large repository."""
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        yield from _small(Path(folder) / "small")
        yield from _large(Path(folder) / "large")


def _small(folder: Path) -> Iterator[Figure]:
    repo, agent = _stage(folder, SMALL)
    lines = [review(repo, agent, folder / f"home{n}") for n in range(TIMES)]
    yield Figure(f"panel of 3 and a judge, {SMALL:,} files: report", tuple(t.report for t in lines), goal=GOAL_MS)
    yield Figure("… to the process's end", tuple(t.exit for t in lines))
    for stage in lines[0].stages:
        yield Figure(f"… {stage}", tuple(t.stages[stage] for t in lines))
    yield from _parts(repo, folder)


def _large(folder: Path) -> Iterator[Figure]:
    repo, agent = _stage(folder, LARGE)
    lines = [review(repo, agent, folder / f"home{n}") for n in range(TIMES_LARGE)]
    first = tuple(t.first_seat for t in lines)
    yield Figure(f"panel, {LARGE:,} files: first seat's start", first, goal=FIRST_SEAT_GOAL_MS)
    yield Figure("… to the report", tuple(t.report for t in lines))


def review(repo: Path, agent: Path, home: Path) -> Timeline:
    """Do a `moot review` in a home of its own, whose ledger is there already, and say when what happened."""
    _configure(home, agent)
    open_ledger(home / "ledger.db").close()
    env = {**environment(), "MOOT_HOME": str(home)}
    began, began_at = time.perf_counter(), time.time()
    moot = subprocess.Popen(
        [sys.executable, "-m", "moot", "review"], cwd=repo, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert moot.stdout is not None and moot.stderr is not None
    said = moot.stdout.readline()
    report = (time.perf_counter() - began) * 1000
    said += moot.stdout.read()
    errors = moot.stderr.read()
    code = moot.wait()
    end = (time.perf_counter() - began) * 1000
    if code != 1 or b"REQUEST CHANGES" not in said:
        raise RuntimeError(f"not the review that was meant (exit {code}):\n{said.decode()}\n{errors.decode()}")
    return _timeline(home, began_at, report, end)


def _timeline(home: Path, began: float, report: float, end: float) -> Timeline:
    """Read from the run's own records what took how long."""
    (run,) = (home / "runs").iterdir()
    with closing(sqlite3.connect(home / "ledger.db")) as db:
        at = {
            kind: (datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() - began) * 1000
            for kind, text in db.execute("SELECT kind, at FROM events WHERE kind LIKE 'run.%'")
        }
    with closing(sqlite3.connect(run / "engine" / "0.db")) as db:
        columns = "function_name, started_at_epoch_ms, completed_at_epoch_ms"
        steps = {
            name: (start - began * 1000, done - began * 1000)
            for name, start, done in db.execute(f"SELECT {columns} FROM operation_outputs ORDER BY function_id")
        }
    started = [json.loads(f.read_text())["at"] for f in run.glob("turns/*/*/started")]
    asked = [span for name, span in steps.items() if name.startswith("ask ") and "rule-" not in name]
    ruled = next(span for name, span in steps.items() if "rule-" in name)
    stages = {
        "from the start to a recorded run": at["run.created"],
        "… to the first step (engine)": steps["look around"][0] - at["run.created"],
        "… until seats are asked": min(start for start, _ in asked) - steps["look around"][0],
        "reviewers, first to last": max(done for _, done in asked) - min(start for start, _ in asked),
        "judge's ruling": ruled[1] - ruled[0],
        "other steps after the reviewers": steps["record"][1] - max(d for _, d in asked) - (ruled[1] - ruled[0]),
        "from the last step to the report": report - steps["record"][1],
        "engine closed, HTML written": end - report,
    }
    return Timeline((min(started) - began) * 1000, report, end, stages)


def _parts(repo: Path, folder: Path) -> Iterator[Figure]:
    """Yield what parts of it take by themselves, in a process that has imported everything."""
    home = home_of({"MOOT_HOME": str(folder / "parts")})

    async def frozen() -> None:
        reader = Git(LocalProcess())
        await read_diff(reader, await freeze(reader, repo, WorkTree(), home.data))

    shutil.copytree(folder / "home0", home.data)
    ledger = str(home.ledger_file)
    engine = [sys.executable, "-c", "import moot.engine.durable"]
    yield Figure("freeze and read the diff", milliseconds(lambda: asyncio.run(frozen()), TIMES))
    yield Figure("load the configuration", milliseconds(lambda: load(home, {}, kinds=KINDS), TIMES))
    yield Figure("open the ledger", milliseconds(lambda: open_ledger(ledger).close(), TIMES))
    yield Figure("list runs", milliseconds(lambda: views.list_runs(ledger), TIMES))
    yield Figure("import the engine, in a new process", milliseconds(lambda: _run(engine), TIMES))


def _run(argv: list[str]) -> None:
    subprocess.run(argv, env=environment(), check=True)


def _stage(folder: Path, files: int) -> tuple[Path, Path]:
    """Make the repository and the agent."""
    repo = generate(folder / "repo", files=files, lines=LINES, changed=CHANGED)
    time.sleep(1.1)  # files as old as the index are read again by every `git status`, in any program
    git(repo, "update-index", "--refresh")
    agent = folder / "agent"
    agent.mkdir()
    (agent / "agent.sh").write_text(AGENT, encoding="utf-8")
    changed = git(repo, "diff", "--unified=0", "main", "topic", "--", path(0)).decode().splitlines()
    quote = next(line[1:] for line in changed if line.startswith("+") and not line.startswith("+++"))
    said = {"severity": "high", "title": "The value is wrong", "body": "It was right before.", "quote": quote}
    finding = {"path": path(0), "line": 1, "category": "correctness", **said}
    reviewed = {"summary": "Read.", "findings": [finding], "receipts": ["RECEIPTS"]}
    ruled = {"summary": "Ruled.", "rulings": [{"id": "F1", "ruling": "keep", "evidence": "So it is."}], "new": []}
    (agent / "review.json").write_text(json.dumps(reviewed) + "\n", encoding="utf-8")
    (agent / "judge.json").write_text(json.dumps(ruled) + "\n", encoding="utf-8")
    return repo, agent


def _configure(home: Path, agent: Path) -> None:
    command = json.dumps(["sh", str(agent / "agent.sh"), str(agent)])
    agents = "".join(f'[agents.{name}]\nkind = "command"\ncommand = {command}\n' for name in ("a", "b", "c", "judging"))
    home.mkdir(parents=True)
    (home / "config.toml").write_text(
        f'[review]\nreviewers = ["a", "b", "c"]\njudge = "judging"\njudge_own_pass = false\n{agents}', encoding="utf-8"
    )
