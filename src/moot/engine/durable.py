"""A run as a DBOS workflow: a restart replays the recorded steps and goes on after them.

What dbos leaves open and this module closes (measured in 3.4):

* steps are known by position, so a swap on replay would go unseen: every step is recorded under a key unique in
  its run, and a different key at a position is an error; positions are drawn when `step` is called, so a
  `gather` over single steps is safe whatever finishes first;
* a step's *result* is fenced but not its *start*: an execution that is no longer the newest starts nothing;
* an exception would be recorded and end the run for good: here nothing is recorded of it, so a full disk or a
  mended defect costs a restart and not the run;
* two workers on one SQLite file both recover it: the file's lock admits one.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import sqlite3
import typing
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

from dbos import DBOS, Serializer, SetWorkflowID, error

from moot.core import codec
from moot.core.data import JSON
from moot.core.errors import BusyError, EngineError
from moot.engine.outcome import Broken, Expired, Finished, Outcome, Superseded, Suspend, Suspended

P = ParamSpec("P")
T = TypeVar("T")

#: A storage format, like the names of steps: never rename.
WORKFLOW = "run"
#: Constant: dbos' own default would strand runs after any edit of this program.
APPLICATION_VERSION = "1"


class _Json(Serializer):
    """Readable rows, and no code runs on reading them."""

    def name(self) -> str:
        return "moot_json1"

    def serialize(self, data: Any) -> str:
        return json.dumps(data, separators=(",", ":"), default=self._other)

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data, object_hook=self._restore)

    @staticmethod
    def _other(value: Any) -> JSON:
        if isinstance(value, BaseException):
            return {"$error": type(value).__name__, "text": str(value)}
        raise TypeError(f"a step returned {type(value).__name__}, which cannot be stored")

    @staticmethod
    def _restore(data: dict[str, Any]) -> Any:
        return EngineError(f"{data['$error']}: {data['text']}") if "$error" in data else data


@dataclass
class _Execution:
    """One pass through a run's procedure in this process."""

    run: str
    body: Callable[[], Awaitable[JSON]]
    done: asyncio.Future[Outcome]
    keys: set[str] = field(default_factory=set)


class _Abandoned(BaseException):
    """Leaves the workflow pending, with nothing recorded of why."""


_executions: dict[str, _Execution] = {}
_current: ContextVar[_Execution] = ContextVar("moot_execution")
#: The engine file this process works on, and its lock: dbos is one per process.
_open: dict[Path, IO[str]] = {}


@DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
async def _workflow(run: str) -> JSON:
    execution = _executions[run]
    _current.set(execution)
    try:
        value = await execution.body()
    except Suspend as e:
        outcome: Outcome = Suspended(e.why)
    except error.DBOSWorkflowConflictIDError:
        outcome = Superseded()
    except error.DBOSUnexpectedStepError as e:
        outcome = Broken(EngineError(f"this run was recorded by a different procedure ({e})"))
    except Exception as e:  # noqa: BLE001 - the engine's outermost door: whatever it is, the run must stay resumable
        outcome = Broken(e)
    else:
        # Resolved after the engine has recorded the end, see `execute`.
        return value
    _resolve(execution, outcome)
    raise _Abandoned(run)


def _resolve(execution: _Execution, outcome: Outcome) -> None:
    if not execution.done.done():
        execution.done.set_result(outcome)


async def execute(
    file: Path, run: str, body: Callable[[], Awaitable[JSON]], *, launch: Callable[[], None] = lambda: None
) -> Outcome:
    """Run `body` durably, from its last recorded step if it was run before.

    Args:
        file: the engine's private SQLite file of this run; made when it does not exist.
        run: the run's id.
        body: the procedure. Everything with an effect in it goes through `step`.
        launch: called once the engine is up.

    Returns:
        How this execution ended. Only `Finished` is final.

    Raises:
        BusyError: another process executes runs of this file.
    """
    if file not in _open:
        _launch(file)
    launch()
    execution = _Execution(run, body, asyncio.get_running_loop().create_future())
    _executions[run] = execution
    status = await DBOS.get_workflow_status_async(run)
    if status is None:
        with SetWorkflowID(run):
            handle = await DBOS.start_workflow_async(_workflow, run)
    else:
        # dbos took a pending run up by itself at launch; it runs in this loop, with the body registered above.
        handle = await DBOS.retrieve_workflow_async(run)
    ended: asyncio.Future[JSON] = asyncio.ensure_future(handle.get_result(polling_interval_sec=0.02))
    try:
        pending: tuple[asyncio.Future[Any], ...] = (ended, execution.done)
        await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        if execution.done.done():
            return execution.done.result()
        return Finished(ended.result())
    finally:
        ended.cancel()
        await asyncio.wait({ended})
        if not ended.cancelled():
            ended.exception()  # seen: `_Abandoned`, or what `execution.done` already told


def _launch(file: Path) -> None:
    """Bring dbos up on the file, in this loop's thread: a run it recovers then executes in this loop."""
    if _open:
        raise EngineError("this process already drives a run with another engine file")
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = file.with_suffix(".lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise BusyError(f"another process drives {file.parent.name}") from None
    _open[file] = lock
    db = sqlite3.connect(file)
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    logger = logging.getLogger("dbos")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    DBOS(
        config={
            "name": "moot",
            "system_database_url": f"sqlite:///{file}",
            "application_version": APPLICATION_VERSION,
            "executor_id": "local",
            "log_level": "CRITICAL",
            "serializer": _Json(),
            "notification_listener_polling_interval_sec": 0.1,
        }
    )
    DBOS.launch()


def close() -> None:
    """Put the engine away. Runs that have not ended stay pending and go on when they are executed again."""
    if _open:
        DBOS.destroy(workflow_completion_timeout_sec=0)
    _executions.clear()
    for lock in _open.values():
        lock.close()
    _open.clear()


def step(key: str, fn: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Do `fn(*args)` once in the run's life, and return its recorded value ever after.

    The step's place in the run is drawn *now*, so several can be awaited together: `gather(step(...), step(...))`.
    The value goes through JSON by `fn`'s return annotation, on the first execution too, so that a replay cannot differ.

    Args:
        key: unique in the run, and a storage format.
        fn: async, annotated. It must be idempotent or adopt its own earlier effect: a crash inside it repeats it.

    Raises:
        EngineError: the key is used twice in this run, or was not the one recorded at this place.
        Suspend: `fn` raised it; nothing is recorded.
    """
    execution = _current.get()
    if key in execution.keys:
        raise EngineError(f"two steps of one run are called {key!r}")
    execution.keys.add(key)
    kind = typing.get_type_hints(fn)["return"]
    reserved = DBOS.reserve_step()

    async def once() -> JSON:
        status = await asyncio.to_thread(DBOS.get_workflow_status, execution.run)
        if _executions.get(execution.run) is not execution or status is None or status.status != "PENDING":
            raise error.DBOSWorkflowConflictIDError(execution.run)
        try:
            return codec.dump(kind, await fn(*args, **kwargs))
        except Exception as e:
            raise _Failed(e) from e

    async def run() -> T:
        try:
            value: T = codec.load(kind, await reserved.run_async({"name": key}, once))
        except _Failed as e:
            raise e.error from e
        return value

    return run()


class _Failed(BaseException):
    """Carries an exception out of a step past dbos, which would record an `Exception` and end the run."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


async def gather(*steps: Awaitable[T]) -> list[T]:
    """Await single steps together, in the order given. When one suspends or fails, the others are let go of.

    Letting go of a step is safe: nothing of it is recorded, and what it started is adopted by the next execution.
    """
    tasks = [asyncio.ensure_future(s) for s in steps]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for t in tasks:
            t.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def wait(
    key: str, read: Callable[[], T | None], *, kind: Any, now: datetime | None = None, until: datetime | None = None
) -> T | Expired:
    """Return what `read` answers; while it answers None the run is suspended, at no cost.

    Whoever learns the answer has the run driven again, and `read` is asked afresh, so no wake-up can be lost.

    Args:
        read: looks the answer up (in the ledger); None means not yet.
        kind: the annotation of the answer, for its record.
        now, until: a wait past its `until`, judged on the caller's clock, is `Expired`.
    """

    async def known() -> JSON:
        value = read()
        if value is not None:
            return {"answer": codec.dump(kind, value)}
        if until is not None and now is not None and now >= until:
            return {"answer": None}
        raise Suspend(key)

    answer = await step(key, known)
    assert isinstance(answer, dict)
    if answer["answer"] is None:
        return Expired()
    value: T = codec.load(kind, answer["answer"])
    return value
