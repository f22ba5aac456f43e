"""Supervise one job: start its program once, hold it to its limits, end its whole process tree, record its end.

`local` runs this file as a program, once per turn: `python -I -S -X utf8 runner.py MODE JOB GUARD_FD`. It must start
fast, so it uses the standard library only; of moot it takes the two modules that live by the same rule.

    runner (watches) ─ runner (leads) ─ program (own session) ─ whatever that starts

The two runners are a pair; both hold the file lock `guard`. The leader starts the program and enforces the limits. The
watcher sleeps until the leader is gone and takes its place, and a leader whose watcher is gone makes a new one. The
program claims the job itself, by creating `started` in the moment before it is executed: however runners are killed and
replaced, at most one process gets past that line. The program holds the file lock `lock`, which all it starts inherit.

Survived:
- a kill of either runner, again and again: the other goes on, limits included. On Linux the first such kill costs
  nothing, since orphans fall to the watcher; after more of them the exit code may be recorded as unknown (None).
- a kill of both, driver or not: the program goes on; the next `look` or `stop` has a new pair adopt it (code None).
Not survived:
- a kill of everything, or of both runners with the program ending before anybody looks: nobody saw how it ended, so
  there is no exit record and the job is Lost.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable

if __name__ == "__main__":  # isolated mode knows nothing of where moot is
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from moot.process import jobfiles, tree

MARK = "MOOT_JOB"  # set to the job's directory for the program, so that its descendants can be told wherever they are
BRISK_S, BRISK_TICK_S, TICK_S = 2.0, 0.005, 0.05  # a young program is looked at often: many are done at once


class Leader:
    """Sees one started program through to its exit record."""

    def __init__(self, job: str, orders: jobfiles.Orders, claim: jobfiles.Claim, watcher: int | None) -> None:
        self.job = job
        self.orders = orders
        self.claim = claim
        self.watcher = watcher
        self.ended_for: str | None = None

    def see_through(self) -> None:
        """Enforce the limits until the program has ended, end what it left behind, record how it went."""
        code, undying = self._await_end()
        ending = self.ended_for or jobfiles.requested_stop(self.job)
        undying = undying or tree.end_all(self._tree)
        detail = self._explain(ending, code)
        if undying:
            detail = f"{detail}; {undying} of its processes could not be ended".removeprefix("; ")
        exit_code = code if ending is None and code is not None and code >= 0 else None
        jobfiles.record_exit(self.job, ending or "exited", exit_code, self.claim.at, detail)

    def _await_end(self) -> tuple[int | None, int]:
        """Return the program's exit code if it is known, and how many processes resisted being ended."""
        size, changed = -1, time.monotonic()
        while True:
            alive = tree.is_alive(self.claim.pid)  # before reaping: an end in between still shows its exit code
            code = tree.reap(self.claim.pid)
            if code is not None or not (alive or tree.is_child(self.claim.pid)):
                return code, 0
            self._keep_watched()
            now = time.monotonic()
            if (new_size := jobfiles.output_size(self.job)) != size:
                size, changed = new_size, now
            running_s, silent_s = now - self.claim.monotonic, now - changed
            reason = jobfiles.requested_stop(self.job) or overstepped(self.orders, running_s, silent_s, size)
            if reason is None:
                time.sleep(BRISK_TICK_S if running_s < BRISK_S else TICK_S)
                continue
            self.ended_for = reason
            with contextlib.suppress(OSError):  # a full disk, for one, is no reason to let the program run on
                jobfiles.request_stop(self.job, reason)  # on record: the next leader must know why the program died
            if undying := tree.end_all(self._tree):
                return None, undying

    def _tree(self) -> set[int]:
        table = tree.processes()
        runners = {os.getpid(), self.watcher or os.getpid()}
        found = tree.descendants({*runners, self.claim.pid}, table) | tree.marked(MARK, self.job, table)
        found |= {pid for pid, entry in table.items() if entry.group == self.claim.pid}
        return found - runners

    def _keep_watched(self) -> None:
        """Make a process that takes this one's place should it die, unless there is one."""
        if self.watcher is not None and tree.is_alive(self.watcher):
            return
        leader_lives, held = os.pipe()
        try:
            self.watcher = os.fork()
        except OSError:  # too many processes; asked again at the next look
            self.watcher = None
            os.close(leader_lives)
            os.close(held)
            return
        if self.watcher:
            os.close(leader_lives)  # `held` stays open for as long as this process lives
            note_runners(self.job, self.watcher)
            return
        os.setsid()
        os.close(held)
        os.read(leader_lives, 1)
        os.close(leader_lives)
        take_over(self.job)
        os._exit(0)

    def _explain(self, ending: str | None, code: int | None) -> str:
        if ending == "timeout":
            return f"ran longer than {self.orders.wall_s:g} s"
        if ending == "silent":
            return f"printed nothing for {self.orders.silence_s or 0:g} s"
        if ending == "flooded":
            return f"printed more than {jobfiles.MAX_OUTPUT_BYTES:,} bytes"
        if ending is not None:
            return "asked to stop"
        if code is None:
            return "exit code unknown: the runner that started it was killed"
        return f"ended by signal {-code}, {signal.strsignal(-code)}" if code < 0 else ""


def overstepped(orders: jobfiles.Orders, running_s: float, silent_s: float, output: int) -> str | None:
    """Return which limit is exceeded, as a reason to stop."""
    if running_s > orders.wall_s:
        return "timeout"
    if orders.silence_s is not None and silent_s > orders.silence_s:
        return "silent"
    if output > jobfiles.MAX_OUTPUT_BYTES:
        return "flooded"
    return None


def lead(job: str, watcher: int | None) -> None:
    """See the job through, starting its program if nobody has."""
    orders = jobfiles.read_orders(job)
    note_runners(job, watcher)
    tree.adopt_orphans()
    claim = jobfiles.read_claim(job) or launch(job, orders)
    if claim is not None:
        Leader(job, orders, claim, watcher).see_through()


def note_runners(job: str, watcher: int | None) -> None:
    """Note this process as the leader; for people and tests only, so trouble with it does not matter."""
    with contextlib.suppress(OSError):
        jobfiles.write_runners(job, [os.getpid()] if watcher is None else [os.getpid(), watcher])


def take_over(job: str) -> None:
    """Lead in the place of a leader that is gone, unless it had finished."""
    if not jobfiles.has_exited(job):
        lead(job, watcher=None)


def launch(job: str, orders: jobfiles.Orders) -> jobfiles.Claim | None:
    """Start the program, unless the job was asked to stop. Return its claim; None if the job is over already."""
    reason = jobfiles.requested_stop(job)
    if reason is not None:
        jobfiles.record_exit(job, reason, None, time.time(), "asked to stop before it began")
        return None
    executed, held = os.pipe()
    try:
        child = os.fork()
    except OSError as problem:
        jobfiles.record_exit(job, "unstartable", None, time.time(), f"no process could be made: {problem.strerror}")
        return None
    if child == 0:
        become_program(job, orders)
    os.close(held)
    os.read(executed, 1)  # returns when the child's end is closed: it executes the program, or it is gone
    os.close(executed)
    claim = jobfiles.read_claim(job)
    if claim is None:
        tree.send(child, signal.SIGKILL)  # usually dead already; but nothing may run whose claim somebody deleted
        jobfiles.record_exit(job, "unstartable", None, time.time(), "killed before it began")
    return None if jobfiles.has_exited(job) else claim


def become_program(job: str, orders: jobfiles.Orders) -> None:
    """Claim the job and turn this process into its program. Never returns."""
    at, what = time.time(), job
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):  # Python and `main` changed these
            signal.signal(number, signal.SIG_DFL)
        pid = os.getpid()
        if not jobfiles.claim_job(job, jobfiles.Claim(pid, tree.stamp(pid), at, time.monotonic())):
            os._exit(0)
        lock = os.open(os.path.join(job, "lock"), os.O_RDONLY | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock, True)
        for fd, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(os.path.join(job, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), fd)
        what = orders.stdin or os.devnull
        os.dup2(open_input(what), 0)
        what = orders.cwd
        os.chdir(what)
        what = orders.argv[0]
        # No more than the orders name: the interpreter may have added a variable for its own locale (PEP 538).
        env = {name: os.environ[name] for name in orders.env if name in os.environ}
        os.execvpe(what, orders.argv, {**env, MARK: job})  # noqa: S606  no shell is meant
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        jobfiles.record_exit(job, "unstartable", None, at, f"{what}: {reason}")
    finally:
        os._exit(127)


def open_input(path: str) -> int:
    """Return a descriptor to read `path` from that nobody can write through.

    A descriptor of a file can be opened again for writing (`/proc/self/fd/0`), even in a cage that does not show the
    file; so on Linux the program gets a sealed copy in memory, and what is on record as its prompt stays that.
    """
    given = os.open(path, os.O_RDONLY)
    if not hasattr(os, "memfd_create") or path == os.devnull:
        return given
    copy = os.memfd_create("input", os.MFD_ALLOW_SEALING)
    while os.sendfile(copy, given, None, 1 << 24):
        pass
    os.close(given)
    os.lseek(copy, 0, os.SEEK_SET)
    fcntl.fcntl(
        copy, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    )
    return copy


def start(job: str) -> None:
    """Start the job with a pair of runners: this process watches, its child leads."""
    tree.adopt_orphans()
    watcher = os.getpid()
    leader = os.fork()
    if leader == 0:
        os.setsid()  # no signal to a process group reaches both
        lead(job, watcher)
        return
    os.waitpid(leader, 0)
    take_over(job)


def adopt(job: str) -> None:
    """Lead a job whose program lives and whose runners do not."""
    lead(job, watcher=None)


def sweep(job: str) -> None:
    """End what a program left behind whose end nobody saw; stay until nothing of it holds the lock."""
    tree.end_all(lambda: tree.marked(MARK, job, tree.processes()))
    with open(os.path.join(job, "lock"), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


MODES: dict[str, Callable[[str], None]] = {"start": start, "adopt": adopt, "sweep": sweep}


def main(mode: str, job: str, guard: int) -> None:
    """Supervise the job. `guard` is the descriptor of its locked guard file, held until the end."""
    os.set_inheritable(guard, False)
    signal.signal(signal.SIGTERM, lambda *_: jobfiles.request_stop(job, "stopped"))
    try:
        MODES[mode](job)
    except Exception:
        import traceback  # only in trouble

        with open(os.path.join(job, "runner.log"), "a", encoding="utf-8") as log:
            traceback.print_exc(file=log)
        raise


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
