"""The cage: what a process inside can see, write and reach, and what it cannot."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from process_support import LEAVE_STRAY, Jobs, eventually, gone, kill, number_in

import moot
from moot.core.errors import SandboxError
from moot.core.process import Done, Ending, Fresh, Sandbox
from moot.process import sandbox, tree

CAP_SETFCAP = 1 << 31
PYTHON = (Path(sys.prefix), Path(sys.base_prefix), Path(moot.__file__).parents[1])
Caged = Callable[..., Done]


@pytest.fixture
def cage() -> None:
    boundary = sandbox.available()
    if not boundary.ok:
        if os.environ.get("CI") == "true":
            pytest.fail(f"the sandbox must be tested here: {boundary.why}")
        pytest.skip(f"no sandbox on this machine: {boundary.why}")


@pytest.fixture
def caged(jobs: Jobs, cage: None) -> Caged:
    def run(script: str, *, env: dict[str, str] | None = None, **grants: object) -> Done:
        grants.setdefault("read", (jobs.folder,))
        command = jobs.command(script, env=env, wall_s=60, cage=Sandbox(**grants))
        return asyncio.run(jobs.process.run(command))

    return run


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A PATH with nothing on it, and no memory of what was found before."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    sandbox.available.cache_clear()
    yield programs
    sandbox.available.cache_clear()


def test_the_boundary_says_which_program_makes_it(cage: None) -> None:
    boundary = sandbox.available()
    assert Path(str(boundary.program)).name == "bwrap"
    assert "bubblewrap" in str(boundary.version)
    assert boundary.why == ""


def test_the_home_is_an_empty_one_that_works_even_where_a_folder_above_it_is_granted(
    caged: Caged, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text("private key")
    (home / ".agent").write_text("login")
    script = "cat $HOME/.ssh/id; cat $HOME/.agent; echo mine >$HOME/planted; ls -A $HOME"
    done = caged(script, env={"HOME": str(home)}, read=(tmp_path, home / ".agent"))
    assert done.out == b"login.agent\nplanted\n"
    assert not (home / "planted").exists()


def test_the_real_home_is_hidden_whatever_the_environment_calls_home(caged: Caged, tmp_path: Path) -> None:
    real = Path("~").expanduser()
    done = caged(f"ls -A {real}; touch {real}/planted", env={"HOME": str(tmp_path)})
    assert done.out == b""
    assert not (real / "planted").exists()


def test_the_system_cannot_be_written_and_secrets_of_it_are_not_there(caged: Caged) -> None:
    done = caged("touch /usr/planted || echo refused; [ -e /etc/shadow ] || echo no shadow")
    assert done.out == b"refused\nno shadow\n"


def test_only_what_was_granted_is_there_and_only_granted_writes_arrive(
    caged: Caged, jobs: Jobs, tmp_path: Path
) -> None:
    (tmp_path / "hidden").write_text("hidden")
    (jobs.folder / "shown").write_text("shown")
    work = tmp_path / "work"
    work.mkdir()
    script = f"cat shown; cat {tmp_path}/hidden; touch planted; echo done >{work}/result"
    done = caged(script, read=(jobs.folder, tmp_path / "missing"), write=(work,))
    assert done.out == b"shown"
    assert (work / "result").read_text() == "done\n"
    assert not (jobs.folder / "planted").exists()


def test_a_masked_folder_inside_a_readable_one_is_empty_but_for_what_is_granted_below_it(
    caged: Caged, jobs: Jobs
) -> None:
    store = jobs.folder / "conversations"
    for name in ("mine", "others"):
        (store / name).mkdir(parents=True)
        (store / name / "log").write_text(name)
    secret = jobs.folder / "secret"
    secret.write_text("secret")
    done = caged(f"ls {store}; cat {store}/mine/log {secret}", masked=(store, secret), write=(store / "mine",))
    assert done.out == b"mine\nmine"


def test_git_metadata_can_be_read_only_inside_a_writable_checkout(caged: Caged, jobs: Jobs) -> None:
    checkout = jobs.folder / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "config").write_text("untouched")
    script = "cd checkout; echo work >file; echo evil >.git/config; rm -rf .git; mv .git elsewhere; cat .git/config"
    done = caged(script, write=(checkout,), read=(jobs.folder, checkout / ".git"))
    assert done.out == b"untouched"
    assert (checkout / "file").read_text() == "work\n"
    assert (checkout / ".git" / "config").read_text() == "untouched"


def test_a_worktree_s_git_file_cannot_be_replaced_either(caged: Caged, jobs: Jobs) -> None:
    pointer = jobs.folder / ".git"
    pointer.write_text("gitdir: /elsewhere")
    caged("rm -f .git; mv .git x; mkdir .git; echo evil >.git", write=(jobs.folder,), read=(pointer,))
    assert pointer.read_text() == "gitdir: /elsewhere"


def test_processes_outside_cannot_be_seen(caged: Caged) -> None:
    done = caged(f"[ -d /proc/{os.getpid()} ] || echo unseen; ls -d /proc/[0-9]* | wc -l")
    unseen, count = done.out.split()
    assert unseen == b"unseen"
    assert int(count) < 10


def test_temporary_files_go_to_a_place_of_their_own(caged: Caged, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    assert caged("echo $TMPDIR; touch $TMPDIR/x && ls $TMPDIR", env={"TMPDIR": str(tmp_path)}).out == b"/var/tmp\nx\n"


def test_nobody_inside_holds_a_capability_that_opens_the_cage(caged: Caged) -> None:
    done = caged("grep CapEff /proc/self/status; mount -o remount,rw,bind /usr && echo remounted")
    assert int(done.out.split()[1], 16) & ~CAP_SETFCAP == 0
    assert b"remounted" not in done.out


def test_python_of_a_virtual_environment_runs_when_it_is_granted(caged: Caged, jobs: Jobs) -> None:
    done = caged(f"{sys.executable} -c 'import moot, json; print(1 + 1)'", read=(jobs.folder, *PYTHON))
    assert done.out == b"2\n", done.err


@pytest.mark.parametrize("network", [True, False])
def test_the_network_is_shared_or_really_off(caged: Caged, jobs: Jobs, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        knock = f"import socket; socket.create_connection(('127.0.0.1', {port}), 20)"
        done = caged(f'{sys.executable} -I -c "{knock}"', network=network, read=(jobs.folder, *PYTHON))
    assert done.ok is network, done.err


def test_a_missing_program_is_said_to_be_missing_instead_of_hidden_by_the_cage(jobs: Jobs, cage: None) -> None:
    command = replace(jobs.command("", cage=Sandbox()), argv=("no-such-agent",))
    done = asyncio.run(jobs.process.run(command))
    assert (done.ending, done.err) == (Ending.UNSTARTABLE, b"no-such-agent: No such file or directory")
    exited = jobs.exited(jobs.start(command))
    assert (exited.ending, exited.detail) == (Ending.UNSTARTABLE, "no-such-agent: No such file or directory")


def test_a_cancelled_caged_command_leaves_nothing_running(jobs: Jobs, cage: None) -> None:
    command = jobs.command("echo 1 >up; exec sleep 600", cage=Sandbox(write=(jobs.folder,)))

    async def cancel() -> set[int]:
        before = set(tree.processes())
        task = asyncio.create_task(jobs.process.run(command))
        await asyncio.to_thread(number_in, jobs.folder / "up")
        inside = tree.descendants({os.getpid()}, tree.processes()) - before
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return inside

    inside = asyncio.run(cancel())
    assert len(inside) >= 2  # bubblewrap and its inmate
    assert all(gone(pid) for pid in inside)


def test_a_caged_job_survives_its_leader_and_keeps_its_exit_code(jobs: Jobs, cage: None) -> None:
    script = "echo ran >>log; while [ ! -e go ]; do sleep 0.01; done; exit 7"
    job = jobs.start(jobs.command(script, cage=Sandbox(write=(jobs.folder,))))
    leader, _ = jobs.pair(job)
    eventually((jobs.folder / "log").exists, "the cage is up")
    kill(leader)
    jobs.pair(job)
    (jobs.folder / "go").touch()
    assert jobs.exited(job).code == 7
    assert (jobs.folder / "log").read_text() == "ran\n"


def test_a_caged_program_that_is_stopped_may_finish_what_it_does(jobs: Jobs, cage: None) -> None:
    script = "trap 'echo saved >session; exit 0' TERM; echo 1 >up; while :; do sleep 0.01; done"
    job = jobs.start(jobs.command(script, cage=Sandbox(write=(jobs.folder,))))
    number_in(jobs.folder / "up")
    jobs.process.stop(job)
    assert jobs.exited(job).ending is Ending.STOPPED
    assert (jobs.folder / "session").read_text() == "saved\n"


def test_nothing_in_a_cage_outlives_its_job(jobs: Jobs, cage: None) -> None:
    grants = Sandbox(write=(jobs.folder,), read=PYTHON)
    job = jobs.start(jobs.command(LEAVE_STRAY + "sleep 600", cage=grants))
    number_in(jobs.folder / "stray")  # its number in there says nothing out here
    table = tree.processes()
    inside = tree.descendants({jobs.program(job)}, table) | tree.marked("MOOT_JOB", str(job), table)
    assert len(inside) >= 4
    jobs.process.stop(job)
    jobs.exited(job)
    assert not [pid for pid in inside if tree.is_alive(pid)]


def test_without_bubblewrap_a_caged_command_is_refused_and_an_uncaged_one_is_not(jobs: Jobs, no_programs: Path) -> None:
    assert sandbox.available() == sandbox.Boundary(ok=False, why="bubblewrap (bwrap) is not installed")
    command = replace(jobs.command("true", cage=Sandbox()), argv=("/bin/sh", "-c", "true"))
    with pytest.raises(SandboxError, match="bubblewrap") as refused:
        asyncio.run(jobs.process.run(command))
    assert refused.value.next_step
    job = jobs.new()
    with pytest.raises(SandboxError):
        jobs.process.start(job, command)
    assert jobs.process.look(job) == Fresh()
    assert asyncio.run(jobs.process.run(replace(command, sandbox=None))).ok


def test_a_bubblewrap_that_may_not_make_namespaces_is_no_boundary(no_programs: Path) -> None:
    program = no_programs / "bwrap"
    program.write_text(
        "#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 0.8.0 && exit\necho not permitted >&2; exit 1\n"
    )
    program.chmod(0o755)
    assert sandbox.available() == sandbox.Boundary(
        ok=False, program=str(program), version="bubblewrap 0.8.0", why="not permitted"
    )
