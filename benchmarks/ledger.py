"""What the ledger costs: opening, admitting, settling, appending, polling, light reading, and bytes per run.

    python -m benchmarks.ledger [URL]

Measures a SQLite ledger in a temporary folder, or the blank PostgreSQL database at URL. Prints rows of name, median
and minimum.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

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

Row = tuple[str, float, float, str]  # name, median, minimum, unit


def measure(where: Path | str) -> Iterator[Row]:
    """Yield the figures of a ledger that does not exist yet."""
    yield _seconds("create a ledger", [_timed(lambda: open_ledger(where).close())])
    yield _seconds("open it again", [_timed(lambda: open_ledger(where).close()) for _ in range(20)])
    with open_ledger(where) as ledger:
        empty = _size(ledger)
        for _ in range(RUNS):
            _review(ledger)
        grown = (_size(ledger) - empty) / RUNS / 1024
        yield "size per run (5 seats, 12 findings, 60 events)", grown, grown, "KiB"
        yield from _turns(ledger)
        yield from _events(ledger)
    yield _seconds("light list of 50 runs", [_timed(lambda: views.list_runs(where)) for _ in range(50)])
    light = "import sys; from moot.ledger.views import list_runs; list_runs(sys.argv[1])"
    yield _seconds("the same in a new process", [_timed(lambda: _python(light, where)) for _ in range(10)])
    full = "import sys; from moot.ledger.database import open_ledger; open_ledger(sys.argv[1])"
    yield _seconds("open it in a new process", [_timed(lambda: _python(full, where)) for _ in range(10)])


def _turns(ledger: Ledger) -> Iterator[Row]:
    run = _new_run(ledger).id
    admitted, again, settled = [], [], []
    for number in range(ROUNDS):
        t = TurnId(run, "seat", f"review.{number}", 1)
        admitted.append(_timed(lambda t=t: _admit(ledger, t)))
        again.append(_timed(lambda t=t: _admit(ledger, t)))
        settled.append(_timed(lambda t=t: turns.settle(ledger, t, Reply("x"), Usage(9000, 900, 0, 0.2), NOW)))
    yield _seconds("admit, every budget checked", admitted)
    yield _seconds("admit again", again)
    yield _seconds("settle", settled)


def _events(ledger: Ledger) -> Iterator[Row]:
    run = _new_run(ledger).id
    event = NewEvent(run, NOW, "seat.tool", "reading src/upload/retry.py", "reviewer-opus", {"calls": 18})
    yield _seconds("append an event", [_timed(lambda: events.append(ledger, event)) for _ in range(ROUNDS)])
    batch = [event] * 50
    yield _seconds("append 50 events", [_timed(lambda: events.append_all(ledger, batch)) for _ in range(20)])
    tail = Tail(ledger, run)
    while tail.poll():
        pass
    yield _seconds("poll while nothing happens", [_timed(tail.poll) for _ in range(ROUNDS)])
    tail.close()


def _review(ledger: Ledger) -> None:
    """A finished review as a panel leaves it."""
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
    subprocess.run([sys.executable, "-c", code, str(where)], check=True)


def _size(ledger: Ledger) -> int:
    """The database's size in bytes, with everything written into it."""
    with ledger.read() as db:
        if ledger.address.file is None:
            return int(db.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
        pages = db.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages * db.exec_driver_sql("PRAGMA page_size").scalar_one())


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _seconds(name: str, taken: list[float]) -> Row:
    return name, statistics.median(taken) * 1000, min(taken) * 1000, "ms"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        where = sys.argv[1] if len(sys.argv) > 1 else Path(folder) / "ledger.db"
        for name, median, least, unit in measure(where):
            print(f"{name:<48} {median:>9.3f} {least:>9.3f} {unit}")


if __name__ == "__main__":
    main()
