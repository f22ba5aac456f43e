"""Events are numbered, seen in order by every process, and cheap to wait for, on both databases."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path

from ledger_samples import NOW, later

from moot.core.ledger import LedgerEvent
from moot.ledger import events, runs
from moot.ledger.database import Ledger, open_ledger
from moot.ledger.events import NewEvent, Tail

FORK = multiprocessing.get_context("fork")
NewRun = Callable[..., runs.Run]


def test_events_come_back_in_order_with_what_they_carried(ledger: Ledger, new_run: NewRun) -> None:
    run, other = new_run().id, new_run().id
    first = events.append(ledger, NewEvent(run, NOW, "run.started", "started"))
    last = events.append_all(
        ledger,
        [
            NewEvent(other, later(1), "run.started", "started"),
            NewEvent(run, later(2), "seat.failed", "usage limit", seat="opus", data={"until": None, "n": [1]}),
        ],
    )
    assert events.append_all(ledger, []) == 0
    failed = LedgerEvent(last, run, later(2), "seat.failed", "opus", "usage limit", {"until": None, "n": [1]})
    assert events.after(ledger, run)[1:] == events.after(ledger, run, first) == (failed,)
    assert [e.run for e in events.after(ledger, None)] == [run, other, run]
    assert [e.number for e in events.after(ledger, None, limit=2)] == [first, first + 1]


def test_a_number_is_never_given_out_again(ledger: Ledger, new_run: NewRun) -> None:
    run, other = new_run().id, new_run().id
    last = events.append(ledger, NewEvent(run, NOW, "run.started", ""))
    runs.delete_run(ledger, run)
    assert events.append(ledger, NewEvent(other, NOW, "run.started", "")) > last


def test_a_tail_gets_every_event_once_and_asks_nothing_while_nothing_happens(
    where: Path | str, ledger: Ledger, new_run: NewRun
) -> None:
    run = new_run().id
    tail = Tail(ledger, run)
    with open_ledger(where) as elsewhere:
        assert tail.poll() == ()
        for n in range(5):
            events.append(elsewhere, NewEvent(run, NOW, "n", str(n)))
        assert [e.text for e in tail.poll(limit=2)] == ["0", "1"]
        assert [e.text for e in tail.poll(limit=2)] == ["2", "3"]
        assert [e.text for e in tail.poll(limit=2)] == ["4"]
        assert tail.poll() == ()
        events.append(ledger, NewEvent(run, NOW, "n", "5"))
        assert [e.text for e in tail.poll()] == ["5"]
    resumed = Tail(ledger, run, tail.number)
    assert resumed.poll() == ()
    for one in (tail, resumed):
        one.close()


def test_a_tail_on_sqlite_does_not_query_until_somebody_wrote(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        changes = ledger.changes()
        assert changes.any()
        assert not changes.any()
        events.append_all(ledger, [])
        assert not changes.any()
        with ledger.write() as db:
            db.exec_driver_sql("INSERT INTO consents VALUES ('d', '', '', '2026-01-01 00:00:00.000000')")
        assert changes.any()
        assert not changes.any()
        changes.close()


def append_many(start: Barrier, where: Path | str, run: str) -> None:
    with open_ledger(where) as ledger:
        start.wait(30)
        for n in range(40):
            events.append(ledger, NewEvent(run, NOW, "n", str(n)))


def test_a_follower_misses_no_event_of_writers_that_race(where: Path | str, ledger: Ledger, new_run: NewRun) -> None:
    run = new_run().id
    ledger.close()
    start = FORK.Barrier(4)
    writers = [FORK.Process(target=append_many, args=(start, where, run)) for _ in range(3)]
    for writer in writers:
        writer.start()
    start.wait(30)
    tail = Tail(ledger, run)
    seen: list[LedgerEvent] = []
    deadline = time.monotonic() + 60
    while len(seen) < 120 and time.monotonic() < deadline:
        seen.extend(tail.poll())
    tail.close()
    for writer in writers:
        writer.join(30)
    assert len({e.number for e in seen}) == len(seen) == 120
    assert [e.number for e in seen] == sorted(e.number for e in seen)
