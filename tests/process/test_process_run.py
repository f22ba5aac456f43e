"""Short commands: what they print, how they are ended, what is left of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from process_support import LEAVE_STRAY, Jobs, eventually, gone, kill, number_in

from moot.core.errors import ProcessError
from moot.core.process import Done, Ending
from moot.process import tree
from moot.process.local import LocalProcess


def run(jobs: Jobs, script: str, given: bytes | None = None, **options: object) -> Done:
    return asyncio.run(jobs.process.run(jobs.command(script, **options), given))


def test_output_errors_and_exit_code_come_back_apart(jobs: Jobs) -> None:
    done = run(jobs, "echo out; echo err >&2; exit 3")
    assert (done.ending, done.code, done.out, done.err) == (Ending.EXITED, 3, b"out\n", b"err\n")
    assert not done.ok


def test_input_larger_than_any_pipe_comes_back_whole(jobs: Jobs) -> None:
    given = bytes(range(256)) * 8192
    assert run(jobs, "cat", given).out == given


def test_standard_input_is_the_named_file_and_otherwise_empty(jobs: Jobs, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt"
    prompt.write_bytes(b"from the file")
    assert run(jobs, "cat", stdin=prompt).out == b"from the file"
    assert run(jobs, "cat").out == b""


def test_environment_is_the_given_one_and_nothing_inherited(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_DRIVER", "1")
    command = replace(jobs.command("", env={"GIVEN": "2"}), argv=("env",))
    names = {line.split(b"=")[0] for line in asyncio.run(jobs.process.run(command)).out.splitlines()}
    assert names == {b"PATH", b"GIVEN"}


def test_a_grandchild_that_keeps_the_output_open_delays_nothing(jobs: Jobs) -> None:
    done = run(jobs, "sleep 600 & echo $! >sleeper; echo done")
    sleeper = number_in(jobs.folder / "sleeper")
    assert tree.is_alive(sleeper)
    kill(sleeper)
    assert done.out == b"done\n"


def test_the_wall_limit_ends_the_process_and_its_children_and_keeps_what_was_printed(jobs: Jobs) -> None:
    done = run(jobs, "echo before; sleep 600 & echo $! >child; wait", wall_s=0.5)
    assert (done.ending, done.code, done.out) == (Ending.TIMEOUT, None, b"before\n")
    assert gone(number_in(jobs.folder / "child"))


def test_the_wall_limit_kills_what_ignores_being_asked(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "GRACE_S", 0.05)
    script = "trap '' TERM; echo $$ >main; (echo $(exec sh -c 'echo $PPID') >child; while :; do sleep 1; done) & wait"
    done = run(jobs, script, wall_s=0.5)
    assert done.ending is Ending.TIMEOUT
    assert gone(number_in(jobs.folder / "main"))
    assert gone(number_in(jobs.folder / "child"))


def test_the_wall_limit_reaches_children_in_a_session_of_their_own(jobs: Jobs) -> None:
    done = run(jobs, "setsid sh -c 'echo $$ >child; sleep 600' & wait", wall_s=0.5)
    assert done.ending is Ending.TIMEOUT
    assert gone(number_in(jobs.folder / "child"))


def test_a_cancelled_task_leaves_no_process(jobs: Jobs) -> None:
    async def cancel() -> None:
        task = asyncio.create_task(jobs.process.run(jobs.command("sleep 600 & echo $! >child; echo $$ >main; wait")))
        await asyncio.to_thread(number_in, jobs.folder / "main")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert gone(number_in(jobs.folder / "main"))
    assert gone(number_in(jobs.folder / "child"))


def test_a_task_cancelled_while_its_process_is_born_leaves_no_process(jobs: Jobs) -> None:
    async def cancel(turns: int) -> None:
        command = jobs.command("sleep 600 & sleep 600 & wait", env={"MOOT_TEST_MARK": str(jobs.folder)})
        task = asyncio.create_task(jobs.process.run(command))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for turns in range(10):
        asyncio.run(cancel(turns))
    assert eventually(lambda: not tree.marked("MOOT_TEST_MARK", str(jobs.folder), tree.processes()), "all are gone")


@pytest.mark.parametrize("missing", ["program", "cwd", "stdin"])
def test_what_cannot_be_started_is_a_value_that_names_what_is_missing(jobs: Jobs, missing: str) -> None:
    command = jobs.command("true")
    nowhere = jobs.folder / "nowhere"
    command = {
        "program": replace(command, argv=(str(nowhere),)),
        "cwd": replace(command, cwd=nowhere),
        "stdin": replace(command, stdin=nowhere),
    }[missing]
    done = asyncio.run(jobs.process.run(command))
    assert (done.ending, done.code) == (Ending.UNSTARTABLE, None)
    assert done.err == f"{nowhere}: No such file or directory".encode()


def test_a_process_ended_by_a_signal_has_no_exit_code(jobs: Jobs) -> None:
    done = run(jobs, "kill -KILL $$")
    assert (done.ending, done.code) == (Ending.EXITED, None)


def test_output_beyond_the_limit_is_an_error_and_never_a_cut_result(jobs: Jobs) -> None:
    small = LocalProcess(output_limit=1000)
    with pytest.raises(ProcessError, match="sh: printed more than 1000 bytes"):
        asyncio.run(small.run(jobs.command("head -c 1001 /dev/zero")))
    with pytest.raises(ProcessError, match="printed more than 1000 bytes"):
        asyncio.run(small.run(jobs.command("echo $$ >main; head -c 2000 /dev/zero >&2; exec sleep 600")))
    assert gone(number_in(jobs.folder / "main"))
    assert asyncio.run(small.run(jobs.command("head -c 1000 /dev/zero"))).out == bytes(1000)


def test_a_stray_process_is_no_reason_to_wait_even_in_another_session(jobs: Jobs) -> None:
    assert run(jobs, LEAVE_STRAY + "echo done").out == b"done\n"
    kill(number_in(jobs.folder / "stray"))
