"""Processes of this machine: who lives, who descends from whom, and how to end a whole tree of them.

On Linux by /proc; elsewhere, as well as it goes, by ps(1). Imported by every runner, so: the standard library only, and
little of it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping

GRACE_S = 2.0  # between asking processes to end and killing them
KILLED_S = 5.0  # how long the kernel may take to remove killed processes before they are given up

_LINUX = sys.platform == "linux"
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


class Entry:
    """A living process: its parent and its process group."""

    __slots__ = ("group", "parent")

    def __init__(self, parent: int, group: int) -> None:
        self.parent = parent
        self.group = group


def stamp(pid: int) -> str | None:
    """Return what tells this process from any other that has had its id; None if it has ended."""
    if _LINUX:
        fields = _stat(pid)
        began = fields and fields[19]  # in clock ticks since the boot
    else:
        began = _output("/bin/ps", "-o", "lstart=", "-p", str(pid)).strip()
    return f"{_boot()}/{began}" if began else None


def of_this_boot(stamp: str) -> bool:
    """Whether the machine has not been restarted since that stamp was taken."""
    return stamp.startswith(f"{_boot()}/")


def is_alive(pid: int) -> bool:
    """Whether a process of that id lives. A zombie does not, where that can be told cheaply (Linux)."""
    if _LINUX:
        return _stat(pid) is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def processes() -> dict[int, Entry]:
    """Return every living process of the machine by its id."""
    found: dict[int, Entry] = {}
    if _LINUX:
        for name in os.listdir("/proc"):
            if name.isdigit() and (fields := _stat(int(name))) is not None:
                found[int(name)] = Entry(parent=int(fields[1]), group=int(fields[2]))
        return found
    for line in _output("/bin/ps", "-axo", "pid=,ppid=,pgid=,stat=").splitlines():
        pid, parent, group, state = line.split()
        if not state.startswith("Z"):
            found[int(pid)] = Entry(int(parent), int(group))
    return found


def descendants(roots: Iterable[int], table: Mapping[int, Entry]) -> set[int]:
    """Return those of `roots` that live and everything below them."""
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    found: set[int] = set()
    queue = list(roots)
    while queue:
        pid = queue.pop()
        if pid not in found:
            found.add(pid)
            queue += children.get(pid, ())
    return found & table.keys()


def marked(variable: str, value: str, table: Mapping[int, Entry]) -> set[int]:
    """Return the processes started with that environment variable, wherever they hang in the process tree."""
    mark = f"{variable}={value}"
    if not _LINUX:
        lines = _output("/bin/ps", "-axwwEo", "pid=,command=").splitlines()
        return {int(line.split(None, 1)[0]) for line in lines if f" {mark} " in f"{line} "} & table.keys()
    needle = b"\0" + os.fsencode(mark) + b"\0"
    found = set()
    for pid in table:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if needle in b"\0" + file.read():
                found.add(pid)
    return found


def end_all(find: Callable[[], set[int]]) -> int:
    """End every process that `find` finds: ask, wait a grace, kill. Return how many could not be ended."""
    victims = find()
    for pid in victims:
        send(pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while victims and time.monotonic() < deadline:
        time.sleep(0.01)
        victims = find()
    deadline = time.monotonic() + KILLED_S
    while victims and time.monotonic() < deadline:
        for pid in victims:
            send(pid, signal.SIGKILL)
        time.sleep(0.01)
        victims = find()
    return len(victims)


def send(pid: int, number: int) -> None:
    """Send a signal, if the process is still there and ours to signal."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends (Linux; elsewhere nothing)."""
    if _LINUX:
        import ctypes  # costs some milliseconds that others who use this module need not pay

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap(awaited: int) -> int | None:
    """Collect ended children. Return the exit code of the awaited one once it has ended, a signal's number negated.

    The awaited child itself is left uncollected where the system allows it: should this process be killed, whoever
    inherits the child can ask again.
    """
    with contextlib.suppress(ChildProcessError):
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == awaited:
                    return os.waitstatus_to_exitcode(ended[1])
            return None
        while (child := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
            if child.si_pid == awaited:
                return child.si_status if child.si_code == os.CLD_EXITED else -child.si_status
            os.waitpid(child.si_pid, 0)
    return None


def is_child(pid: int) -> bool:
    """Whether that process is a child of this one whose end is still to be collected.

    A program with many threads or much memory is a zombie for a while before its exit code can be had.
    """
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat (proc(5)) from the third on, the state; None if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()  # before it stands the name, which may hold anything
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    return None if fields[0] in "ZX" else fields


def _boot() -> str:
    if not _LINUX:
        return _output("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid").strip()
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def _output(*argv: str) -> str:
    import subprocess  # only where there is no /proc

    return subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False).stdout
