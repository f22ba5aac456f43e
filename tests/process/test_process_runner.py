"""The runner's own promises: it starts light, and its files are created once, whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import moot
from moot.process import jobfiles
from moot.process.runner import overstepped


def orders(wall_s: float, silence_s: float | None) -> jobfiles.Orders:
    return jobfiles.Orders(["true"], "/", [], None, wall_s, silence_s)


def test_a_runner_loads_little_and_of_moot_only_what_loads_little_itself() -> None:
    root = str(Path(moot.__file__).parents[1])
    script = "import sys; sys.path.insert(0, sys.argv[1]); import moot.process.runner; print(*sys.modules, sep='\\n')"
    argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", script, root]
    loaded = set(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split())
    ours = {name for name in loaded if name.partition(".")[0] == "moot"}
    assert ours == {"moot", "moot.process", "moot.process.jobfiles", "moot.process.runner", "moot.process.tree"}
    slow = {"asyncio", "ctypes", "dataclasses", "inspect", "logging", "pathlib", "site", "subprocess", "typing"}
    assert not loaded & slow
    assert loaded - ours <= set(sys.stdlib_module_names) | {name for name in loaded if "." in name} | {"__main__"}


@pytest.mark.parametrize(
    ("running_s", "silent_s", "reason"),
    [(9, 4, None), (10, 5, None), (10.1, 0, "timeout"), (9, 5.1, "silent"), (11, 6, "timeout")],
)
def test_a_limit_is_overstepped_only_beyond_it_and_the_wall_clock_comes_first(
    running_s: float, silent_s: float, reason: str | None
) -> None:
    assert overstepped(orders(10, 5), running_s, silent_s, 0) == reason


def test_without_a_silence_limit_silence_is_normal() -> None:
    assert overstepped(orders(10, None), 9, 9, 0) is None


def test_output_without_end_oversteps_as_well() -> None:
    assert overstepped(orders(10, 5), 1, 0, jobfiles.MAX_OUTPUT_BYTES) is None
    assert overstepped(orders(10, 5), 1, 0, jobfiles.MAX_OUTPUT_BYTES + 1) == "flooded"


def test_orders_come_back_as_they_were_written(tmp_path: Path) -> None:
    job = str(tmp_path)
    jobfiles.write_orders(job, jobfiles.Orders(("a", "\udcff"), "/x", {"B", "A"}, "/p", 1.5, None))
    read = jobfiles.read_orders(job)
    assert (read.argv, read.cwd, read.env) == (["a", "\udcff"], "/x", ["A", "B"])
    assert (read.stdin, read.wall_s, read.silence_s) == ("/p", 1.5, None)


def test_the_first_claim_the_first_reason_and_the_first_exit_record_stand(tmp_path: Path) -> None:
    job = str(tmp_path)
    assert jobfiles.claim_job(job, jobfiles.Claim(1, "a", 1.0, 1.0))
    assert not jobfiles.claim_job(job, jobfiles.Claim(2, "b", 2.0, 2.0))
    claim = jobfiles.read_claim(job)
    assert claim is not None
    assert claim.pid == 1
    jobfiles.request_stop(job, "timeout")
    jobfiles.request_stop(job, "stopped")
    assert jobfiles.requested_stop(job) == "timeout"
    jobfiles.record_exit(job, "exited", 0, 1.0, "")
    jobfiles.record_exit(job, "timeout", None, 1.0, "late")
    assert json.loads((tmp_path / "exit.json").read_text())["ending"] == "exited"
    assert {path.name for path in tmp_path.iterdir()} == {"started", "stop", "exit.json"}  # no drafts remain


def test_a_stop_file_of_anybody_is_a_request_to_stop(tmp_path: Path) -> None:
    (tmp_path / "stop").write_bytes(b"\xff whatever")
    assert jobfiles.requested_stop(str(tmp_path)) == "stopped"
