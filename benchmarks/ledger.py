"""What the ledger costs: opening, admitting, settling, appending, polling, light reading, and bytes per run.

    python -m benchmarks.ledger [URL]

Measures a SQLite ledger in a temporary folder, or the blank PostgreSQL database at URL.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from benchmarks.figures import Figure, milliseconds, table
from benchmarks.repositories import environment

from moot.core.change import Side
from moot.core.findings import Category, Claim, Finding, RulingKind, Severity
from moot.core.ledger import Caps, TurnId
from moot.core.runs import Coverage, Reads, Result, ResultChange, RunStatus, SeatResult, SeatStatus, Verdict
from moot.core.turns import Reply, Usage
from moot.ledger import events, findings, runs, turns, views
from moot.ledger.database import Ledger, open_ledger
from moot.ledger.events import NewEvent, Tail

ROUNDS = 300
RUNS = 50  # of which the size per run is taken
NOW = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)
CAPS = Caps(account_concurrency=3, run_turns=10**6, run_cost_usd=1e6, day_cost_usd=1e6, repo_day_cost_usd=1e6)
WORDS = ("retry", "loop", "attempt", "counter", "server", "delay", "zero", "seconds", "skips", "answers", "with", "the")


def measure() -> Iterator[Figure]:
    """Yield the figures of a SQLite ledger."""
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        yield from measure_at(Path(folder) / "ledger.db")


def measure_at(where: Path | str) -> Iterator[Figure]:
    """Yield the figures of a ledger that does not exist yet."""
    yield Figure("create a ledger", milliseconds(lambda: open_ledger(where).close(), 1))
    yield Figure("open it again", milliseconds(lambda: open_ledger(where).close(), 20))
    with open_ledger(where) as ledger:
        empty = _size(ledger)
        for _ in range(RUNS):
            review(ledger)
        grown = (_size(ledger) - empty) / RUNS / 1024
        yield Figure("size per run (5 seats, 12 findings, 60 events)", (grown,), "KiB")
        yield from _turns(ledger)
        yield from _events(ledger)
    yield Figure("light list of 50 runs", milliseconds(lambda: views.list_runs(where), 50))
    light = "import sys; from moot.ledger.views import list_runs; list_runs(sys.argv[1])"
    yield Figure("the same in a new process", milliseconds(lambda: _python(light, where), 10))
    full = "import sys; from moot.ledger.database import open_ledger; open_ledger(sys.argv[1])"
    yield Figure("open it in a new process", milliseconds(lambda: _python(full, where), 10))


def _turns(ledger: Ledger) -> Iterator[Figure]:
    run = _new_run(ledger).id
    admitted: list[float] = []
    again: list[float] = []
    settled: list[float] = []
    for number in range(ROUNDS):
        t = TurnId(run, "seat", f"review.{number}", 1)
        admitted += milliseconds(lambda t=t: _admit(ledger, t), 1)
        again += milliseconds(lambda t=t: _admit(ledger, t), 1)
        settled += milliseconds(lambda t=t: turns.settle(ledger, t, Reply("x"), Usage(9000, 900, 0, 0.2), NOW), 1)
    yield Figure("admit, every budget checked", tuple(admitted))
    yield Figure("admit again", tuple(again))
    yield Figure("settle", tuple(settled))


def _events(ledger: Ledger) -> Iterator[Figure]:
    run = _new_run(ledger).id
    event = NewEvent(run, NOW, "seat.tool", "reading src/upload/retry.py", "reviewer-opus", {"calls": 18})
    yield Figure("append an event", milliseconds(lambda: events.append(ledger, event), ROUNDS))
    batch = [event] * 50
    yield Figure("append 50 events", milliseconds(lambda: events.append_all(ledger, batch), 20))
    tail = Tail(ledger, run)
    while tail.poll():
        pass
    yield Figure("poll while nothing happens", milliseconds(tail.poll, ROUNDS))
    tail.close()


def review(ledger: Ledger) -> None:
    """Record a finished review as a panel leaves it."""
    random = Random(1)
    run = _new_run(ledger).id
    names = [f"reviewer-{n}" for n in range(4)] + ["judge"]
    for name in names:
        t = TurnId(run, name, "review.1", 1)
        _admit(ledger, t)
        turns.settle(ledger, t, Reply("x"), Usage(9000, 900, 0, 0.2), NOW)
    for number in range(60):
        at = NOW + timedelta(seconds=number)
        events.append(ledger, NewEvent(run, at, "seat.tool", _prose(random, 6), random.choice(names)))
    ids = findings.reserve(ledger, f"/repo#{run}", 12)
    found = [_finding(random, id_, f"reviewer-{n % 4}.1.{n}") for n, id_ in enumerate(ids)]
    findings.save(ledger, run, found, now=NOW)
    seats = tuple(
        SeatResult(n, "opus", "claude", SeatStatus.OK, Reads.READ, read=tuple(f"src/f{i}.py" for i in range(12)))
        for n in names
    )
    change = ResultChange("/repo", "a" * 40, "b" * 40, "a" * 40, 12, 340, 85, "branch", "topic → main")
    result = Result(
        run, "review", RunStatus.COMPLETE, Verdict.COMMENT, ("two to fix",), change, (), (), seats,
        Coverage(12, 12), Usage(), "/artifacts",
    )  # fmt: skip
    runs.set_result(ledger, run, result, now=NOW)


def _new_run(ledger: Ledger) -> runs.Run:
    return runs.create(
        ledger, proceeding="review", subject="/repo#topic", repo="/repo", label="topic → main", change=None,
        config={"agents": {f"a{n}": {"kind": "claude", "model": "opus"} for n in range(4)}}, seed=1,
        now=NOW, random=Random(),
    )  # fmt: skip


def _admit(ledger: Ledger, t: TurnId) -> None:
    turns.admit(
        ledger, t, "main", CAPS, NOW, repo="/repo", node="review", agent="opus", model="opus", conversation=None
    )


def _finding(random: Random, id_: str, claim: str) -> Finding:
    where = {"path": "src/upload/retry.py", "side": Side.RIGHT, "severity": Severity.HIGH}
    said = {"category": Category.CORRECTNESS, "title": _prose(random, 9), "body": _prose(random, 60)}
    quote = {"quote": "while True:", "scenario": _prose(random, 30), "suggestion": _prose(random, 20)}
    one = Claim(claim, claim.partition(".")[0], 1, line=88, end_line=90, **where, **said, **quote)
    ruled = {"ruling": RulingKind.KEEP, "evidence": _prose(random, 25), "ruled_by": "judge"}
    return Finding(id_, line=88, end_line=90, claims=(one,), **where, **said, **quote, **ruled)


def _prose(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _python(code: str, where: Path | str) -> None:
    subprocess.run([sys.executable, "-c", code, str(where)], env=environment(), check=True)


def _size(ledger: Ledger) -> int:
    """The database's size in bytes, with everything written into it."""
    with ledger.read() as db:
        if ledger.address.file is None:
            return int(db.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
        pages = db.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages * db.exec_driver_sql("PRAGMA page_size").scalar_one())


def main() -> None:
    """Measure and print."""
    print(table(measure_at(sys.argv[1]) if len(sys.argv) > 1 else measure()))


if __name__ == "__main__":
    main()
