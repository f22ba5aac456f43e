"""Who descends from whom, and what tells one process from the next of its id."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import moot
from moot.process import tree


@given(st.lists(st.integers(0, 30), max_size=30), st.sets(st.integers(1, 32), max_size=4))
def test_descendants_are_the_living_roots_and_exactly_those_whose_line_of_parents_meets_one(
    parents: list[int], roots: set[int]
) -> None:
    table = {pid: tree.Entry(parent, 0) for pid, parent in enumerate(parents, start=1)}

    def belongs(pid: int) -> bool:
        met: set[int] = set()
        while pid not in met:
            if pid in roots:
                return True
            met.add(pid)
            if pid not in table:
                return False
            pid = table[pid].parent
        return False

    assert tree.descendants(roots, table) == {pid for pid in table if belongs(pid)}


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not tree.is_alive(child.pid)
    assert tree.stamp(child.pid) is None
    assert child.pid not in tree.processes()
    child.wait()


def test_the_awaited_child_can_be_asked_for_again_while_the_others_are_collected() -> None:
    script = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from moot.process import tree
other, awaited = subprocess.Popen(["true"]), subprocess.Popen(["sh", "-c", "exit 3"])
os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
os.waitid(os.P_PID, awaited.pid, os.WEXITED | os.WNOWAIT)
print(tree.reap(awaited.pid), tree.reap(awaited.pid))
print(os.waitpid(awaited.pid, 0)[1] >> 8, tree.reap(awaited.pid), tree.is_alive(other.pid))
"""
    root = str(Path(moot.__file__).parents[1])
    printed = subprocess.run([sys.executable, "-c", script, root], capture_output=True, text=True, check=True).stdout
    assert printed == "3 3\n3 None False\n"


def test_a_stamp_is_stable_and_tells_this_boot_from_another() -> None:
    mine = tree.stamp(os.getpid())
    assert mine is not None
    assert tree.stamp(os.getpid()) == mine
    assert tree.stamp(os.getppid()) != mine
    assert tree.of_this_boot(mine)
    assert not tree.of_this_boot("another-boot/" + mine.partition("/")[2])


def test_processes_are_found_by_the_exact_value_of_a_variable() -> None:
    children = [subprocess.Popen(["sleep", "600"], env={"MOOT_TEST_MARK": value}) for value in ("/a/b", "/a/b/c")]
    try:
        table = tree.processes()
        assert tree.marked("MOOT_TEST_MARK", "/a/b", table) == {children[0].pid}
        assert tree.marked("MARK", "/a/b", table) == set()
    finally:
        for child in children:
            child.kill()
            child.wait()
