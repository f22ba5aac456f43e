"""Jobs: started once, held to their limits, ended with everything they started, and on record."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest
from process_support import LEAVE_STRAY, Jobs, eventually, gone, number_in

from moot.core.errors import ProcessError
from moot.core.process import Ending, Fresh, Running
from moot.process import tree
from moot.process.local import LocalProcess

WAIT_FOR_GO = "while [ ! -e go ]; do sleep 0.01; done; "


def test_a_job_is_fresh_then_running_then_exited(jobs: Jobs) -> None:
    job = jobs.new()
    assert jobs.process.look(job) == Fresh()
    jobs.process.start(job, jobs.command(f"printf hello; {WAIT_FOR_GO} echo out; echo err >&2; exit 3"))
    assert isinstance(jobs.process.look(job), Running)  # at once: no moment in which it could be started again
    eventually(lambda: jobs.process.look(job).bytes_out == 5, "the first output is counted")
    (jobs.folder / "go").touch()
    exited = jobs.exited(job)
    assert (exited.ending, exited.code, exited.detail) == (Ending.EXITED, 3, "")
    assert 0 <= exited.seconds < 600
    assert (job / "stdout").read_bytes() == b"helloout\n"
    assert (job / "stderr").read_bytes() == b"err\n"


def test_the_prompt_is_the_standard_input(jobs: Jobs) -> None:
    job = jobs.new()
    job.mkdir()
    (job / "prompt.md").write_text("What is wrong here?")
    jobs.process.start(job, jobs.command("cat", stdin=job / "prompt.md"))
    jobs.exited(job)
    assert (job / "stdout").read_text() == "What is wrong here?"


def test_the_environment_is_the_given_one_and_the_name_of_the_job(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_DRIVER", "1")
    command = jobs.command("", env={"GIVEN": "w\u00f6rd", "EMPTY": ""})
    job = jobs.start(replace(command, argv=("env",)))
    jobs.exited(job)
    variables = dict(line.split("=", 1) for line in (job / "stdout").read_text("utf-8").splitlines())
    assert variables == {**command.env, "MOOT_JOB": str(job)}


def test_no_file_of_a_job_holds_the_value_of_an_environment_variable(jobs: Jobs) -> None:
    job = jobs.start(jobs.command("true", env={"API_KEY": "sk-very-secret"}))
    jobs.exited(job)
    orders = json.loads((job / "job.json").read_text())
    assert "API_KEY" in orders["env"]
    assert not [path.name for path in job.iterdir() if b"sk-very-secret" in path.read_bytes()]


def test_arguments_reach_the_program_byte_for_byte(jobs: Jobs) -> None:
    words = ("two words", "new\nline", "w\u00f6rd", "\udcff not utf-8", "")
    job = jobs.start(replace(jobs.command(""), argv=("printf", r"%s\0", *words)))
    jobs.exited(job)
    assert (job / "stdout").read_bytes() == b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in words)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can seal what a program reads")
def test_a_program_cannot_rewrite_its_prompt_through_its_standard_input(jobs: Jobs) -> None:
    job = jobs.new()
    job.mkdir()
    (job / "prompt.md").write_text("asked")
    rewrite = "echo forged > /proc/self/fd/0 || echo forged >&0 || cat"
    jobs.process.start(job, jobs.command(rewrite, stdin=job / "prompt.md"))
    jobs.exited(job)
    assert (job / "stdout").read_text() == "asked"
    assert (job / "prompt.md").read_text() == "asked"


@pytest.mark.parametrize("missing", ["program", "cwd", "stdin"])
def test_what_cannot_be_started_is_recorded_with_what_is_missing(jobs: Jobs, missing: str) -> None:
    command = jobs.command("true")
    nowhere = jobs.folder / "nowhere"
    job = jobs.start(
        {
            "program": replace(command, argv=(str(nowhere),)),
            "cwd": replace(command, cwd=nowhere),
            "stdin": replace(command, stdin=nowhere),
        }[missing]
    )
    exited = jobs.exited(job)
    assert (exited.ending, exited.code) == (Ending.UNSTARTABLE, None)
    assert exited.detail == f"{nowhere}: No such file or directory"


def test_a_program_that_is_not_on_the_path_is_unstartable(jobs: Jobs) -> None:
    job = jobs.start(replace(jobs.command(""), argv=("no-such-agent",)))
    exited = jobs.exited(job)
    assert (exited.ending, exited.detail) == (Ending.UNSTARTABLE, "no-such-agent: No such file or directory")


def test_a_program_ended_by_a_signal_says_which(jobs: Jobs) -> None:
    exited = jobs.exited(jobs.start(jobs.command("kill -SEGV $$")))
    assert (exited.ending, exited.code, exited.detail) == (
        Ending.EXITED,
        None,
        "ended by signal 11, Segmentation fault",
    )
    assert jobs.exited(jobs.start(jobs.command("kill -40 $$"))).detail.startswith("ended by signal 40")


def test_a_program_whose_threads_and_memory_take_a_while_to_end_keeps_its_exit_code(jobs: Jobs) -> None:
    program = (
        "import os, threading\n"
        "held = bytearray(200_000_000)\n"
        "for _ in range(100): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "os._exit(5)"
    )
    argv = (sys.executable, "-I", "-S", "-c", program)
    exited = jobs.exited(jobs.start(replace(jobs.command(""), argv=argv)))
    assert (exited.ending, exited.code) == (Ending.EXITED, 5)


def test_signals_that_the_runners_handle_are_back_to_normal_in_the_program(jobs: Jobs) -> None:
    exited = jobs.exited(jobs.start(jobs.command("kill -TERM $$; echo survived")))
    assert exited.detail == "ended by signal 15, Terminated"
    assert (
        jobs.exited(jobs.start(jobs.command("kill -PIPE $$; echo survived"))).detail
        == "ended by signal 13, Broken pipe"
    )


def test_a_job_started_again_while_it_runs_or_after_its_end_runs_once(jobs: Jobs) -> None:
    command = jobs.command(f"echo ran >>log; {WAIT_FOR_GO}")
    job = jobs.start(command)
    jobs.program(job)
    jobs.process.start(job, command)
    LocalProcess().start(job, command)
    (jobs.folder / "go").touch()
    first = jobs.exited(job)
    jobs.process.start(job, command)
    assert jobs.exited(job) == first
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_of_twenty_drivers_that_start_one_job_at_once_one_does(jobs: Jobs) -> None:
    job = jobs.new()
    command = jobs.command("echo ran >>log")
    together = threading.Barrier(20)

    def start() -> None:
        driver = LocalProcess()
        together.wait()
        driver.start(job, command)

    with ThreadPoolExecutor(20) as drivers:
        for result in [drivers.submit(start) for _ in range(20)]:
            result.result()
    assert jobs.exited(job).code == 0
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_stop_ends_the_whole_tree_and_is_recorded(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(LEAVE_STRAY + "sleep 600 & echo $! >child; wait"))
    child, stray = number_in(jobs.folder / "child"), number_in(jobs.folder / "stray")
    jobs.process.stop(job)
    jobs.process.stop(job)
    exited = jobs.exited(job)
    assert (exited.ending, exited.code, exited.detail) == (Ending.STOPPED, None, "asked to stop")
    assert gone(child)
    assert gone(stray)


def test_a_job_stopped_before_its_start_never_runs(jobs: Jobs) -> None:
    job = jobs.new()
    job.mkdir()
    jobs.process.stop(job)
    assert jobs.process.look(job) == Fresh()
    jobs.process.start(job, jobs.command("echo ran >>log"))
    assert jobs.exited(job).ending is Ending.STOPPED
    assert not (jobs.folder / "log").exists()


def test_stopping_what_does_not_exist_or_is_over_changes_nothing(jobs: Jobs) -> None:
    jobs.process.stop(jobs.folder / "nothing")
    assert not (jobs.folder / "nothing").exists()
    job = jobs.start(jobs.command("exit 0"))
    exited = jobs.exited(job)
    jobs.process.stop(job)
    assert jobs.process.look(job) == exited


def test_the_wall_clock_ends_the_whole_tree(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(LEAVE_STRAY + "while :; do echo busy; sleep 0.05; done", wall_s=1))
    exited = jobs.exited(job)
    assert (exited.ending, exited.code, exited.detail) == (Ending.TIMEOUT, None, "ran longer than 1 s")
    assert gone(number_in(jobs.folder / "stray"))


def test_no_program_outlives_its_wall_clock_because_its_job_directory_was_deleted(jobs: Jobs) -> None:
    job = jobs.start(jobs.command("exec sleep 600", wall_s=1))
    program = jobs.program(job)
    eventually(lambda: rmtree(job, ignore_errors=True) or not job.exists(), "the directory is deleted")
    assert gone(program)


def test_silence_ends_the_whole_tree(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(LEAVE_STRAY + "echo hello; sleep 600", silence_s=0.5))
    exited = jobs.exited(job)
    assert (exited.ending, exited.code, exited.detail) == (Ending.SILENT, None, "printed nothing for 0.5 s")
    assert gone(number_in(jobs.folder / "stray"))


def test_whoever_prints_to_either_stream_is_not_silent(jobs: Jobs) -> None:
    script = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.15; echo $i >&2; sleep 0.15; done"
    exited = jobs.exited(jobs.start(jobs.command(script, silence_s=1.8)))
    assert exited.ending is Ending.EXITED


def test_a_normal_end_leaves_no_descendant_behind(jobs: Jobs) -> None:
    job = jobs.start(jobs.command(LEAVE_STRAY + "sleep 600 & echo $! >child; exit 5"))
    exited = jobs.exited(job)
    assert (exited.ending, exited.code) == (Ending.EXITED, 5)
    assert not tree.is_alive(number_in(jobs.folder / "child"))  # the record is written after they are gone
    assert not tree.is_alive(number_in(jobs.folder / "stray"))


def test_a_descendant_that_hides_its_environment_and_ignores_being_asked_dies_too(jobs: Jobs) -> None:
    stubborn = "env -i setsid sh -c 'trap \"\" TERM HUP; echo $$ >stray; while :; do sleep 1; done' & "
    job = jobs.start(jobs.command(stubborn + "while [ ! -s stray ]; do sleep 0.01; done"))
    assert jobs.exited(job).code == 0
    # Without an environment it is found where it hangs in the tree: orphans fall to the runner (Linux).
    assert not tree.is_alive(number_in(jobs.folder / "stray"))


def test_an_unreadable_exit_record_is_an_error_that_names_the_file(jobs: Jobs) -> None:
    job = jobs.new()
    job.mkdir()
    (job / "exit.json").write_text('{"ending": "sideways"}')
    with pytest.raises(ProcessError, match=r"exit\.json: unreadable exit record"):
        jobs.process.look(job)
    (job / "exit.json").unlink()


def test_a_relative_job_directory_works(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(jobs.folder)
    job = Path("relative-job")
    jobs.process.start(job, jobs.command("echo here"))
    jobs.exited(job)
    assert (jobs.folder / "relative-job" / "stdout").read_text() == "here\n"
