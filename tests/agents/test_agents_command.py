"""The command kind: a real program, started as moot starts it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from agents_spec import turn

from moot.agents.command import CommandLine
from moot.core.process import Ending, Exited, Limits
from moot.core.turns import Agent, FailureKind, Reply, TurnSpec
from moot.process.local import LocalProcess
from moot.process.output import read_stderr, read_stdout

K = FailureKind
KIND = CommandLine()


def agent(*command: str) -> Agent:
    return Agent(name="mine", kind="command", command=command)


def ask(t: TurnSpec) -> object:
    """Run the turn as a job and return what the adapter makes of it."""
    for folder in (t.cwd, t.job / "mail"):
        folder.mkdir(parents=True, exist_ok=True)
    t.prompt_file.write_text("the prompt\n")

    async def run() -> Exited:
        process = LocalProcess()
        process.start(t.job, replace(KIND.command(t), sandbox=None))
        while not isinstance(state := process.look(t.job), Exited):  # noqa: ASYNC110  another process
            await asyncio.sleep(0.01)
        return state

    ended = asyncio.run(run())
    return KIND.reply(t, ended, read_stdout(t.job).data, read_stderr(t.job).data)


def test_the_program_gets_the_prompt_and_is_told_about_its_turn(tmp_path: Path) -> None:
    names = "RUN SEAT TURN NODE PROMPT_FILE SCHEMA_FILE CHANGE_FILE SESSION ALLOW_WRITE MAILBOX"
    script = f"cat; for n in {names}; do eval echo $n=\\$MOOT_$n; done; pwd; echo $0 $1 $2"
    t = turn(
        tmp_path,
        agent=agent("sh", "-c", script, "{base}", "{head}", "{other}", "{session}"),
        schema_file=tmp_path / "s.json",
    )
    reply = ask(t)
    assert isinstance(reply, Reply)
    session = reply.conversation
    assert session
    assert reply.text.splitlines() == [
        "the prompt",
        "RUN=r1",
        "SEAT=reviewer",
        "TURN=review.1",
        "NODE=review",
        f"PROMPT_FILE={t.prompt_file}",
        f"SCHEMA_FILE={tmp_path / 's.json'}",
        f"CHANGE_FILE={t.change_file}",
        f"SESSION={session}",
        "ALLOW_WRITE=0",
        f"MAILBOX={t.job / 'mail'}",
        str(t.cwd),
        f"{t.base} {t.head} {{other}}",
    ]


def test_a_program_that_takes_no_session_remembers_nothing(tmp_path: Path) -> None:
    reply = ask(turn(tmp_path, agent=agent("sh", "-c", "echo hello")))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.conversation) == ("hello", None)


def test_placeholders_are_filled_in_every_word_and_other_braces_stay(tmp_path: Path) -> None:
    words = ("p", "{prompt_file}:{cwd}", "{label}-{session}", "{change_file}", "{schema_file}", "{}", "{x}", "{{base}}")
    t = turn(tmp_path, agent=agent(*words), native="s-1", schema_file=tmp_path / "s.json")
    assert KIND.command(t).argv == (
        "p",
        f"{t.prompt_file}:{t.cwd}",
        "reviewer-s-1",
        str(t.change_file),
        str(tmp_path / "s.json"),
        "{}",
        "{x}",
        "{" + t.base + "}",
    )


def test_a_session_lasts_over_turns_and_differs_between_seats_and_attempts(tmp_path: Path) -> None:
    first = KIND.command(turn(tmp_path)).env["MOOT_SESSION"]
    assert KIND.command(turn(tmp_path)).env["MOOT_SESSION"] == first
    assert KIND.command(turn(tmp_path, native=first)).env["MOOT_SESSION"] == first
    others = [turn(tmp_path, seat="judge"), turn(tmp_path, run="r2"), turn(tmp_path, job=tmp_path / "review.2")]
    sessions = {KIND.command(t).env["MOOT_SESSION"] for t in others}
    assert len(sessions | {first}) == 4


def test_what_the_person_configured_wins_over_defaults_but_not_over_what_moot_says(tmp_path: Path) -> None:
    env = KIND.command(turn(tmp_path, env={"MINE": "1", "MOOT_SEAT": "judge"})).env
    assert (env["MINE"], env["MOOT_SEAT"]) == ("1", "reviewer")


def test_the_sandbox_shows_the_files_that_the_command_names(tmp_path: Path) -> None:
    script = tmp_path / "reviewer.py"
    t = turn(tmp_path, agent=agent("python3", str(script), "{change_file}", "x.py"))
    sandbox = KIND.command(t).sandbox
    assert sandbox is not None
    assert sandbox.read == (script,)


@pytest.mark.parametrize(
    ("script", "kind", "detail"),
    [
        ("true", K.EMPTY, "it printed nothing"),
        ("echo trouble >&2", K.EMPTY, "it printed nothing: trouble"),
        ("echo half; exit 3", K.MALFORMED, "exit code 3: half"),
        ("echo boom >&2; exit 3", K.EMPTY, "exit code 3: boom"),
        ("echo 'HTTP 429 Too Many Requests, retry-after: 30' >&2; exit 1", K.RATE_LIMITED, "HTTP 429 Too Many"),
        ("echo '{}'; echo 'Not logged in' >&2; exit 1", K.LOGIN, "Not logged in"),
        ("kill -TERM $$", K.KILLED, "it was killed; "),
    ],
)
def test_a_failing_program_has_its_name(script: str, kind: FailureKind, detail: str, tmp_path: Path) -> None:
    failure = ask(turn(tmp_path, agent=agent("sh", "-c", script), env={"TZ": "UTC"}))
    assert getattr(failure, "kind", None) is kind, failure
    assert failure.detail.startswith(detail)
    assert (failure.resets_at is not None) == ("retry-after" in script)


def test_a_reply_that_speaks_of_limits_is_a_reply(tmp_path: Path) -> None:
    reply = ask(turn(tmp_path, agent=agent("echo", "the 429 rate limit is not handled")))
    assert isinstance(reply, Reply)


def test_a_reply_whose_exit_code_nobody_saw_counts(tmp_path: Path) -> None:
    adopted = Exited(Ending.EXITED, None, 0, 1)
    assert isinstance(KIND.reply(turn(tmp_path), adopted, b"[]", b""), Reply)


def test_a_program_that_does_not_exist_is_not_installed(tmp_path: Path) -> None:
    failure = ask(turn(tmp_path, agent=agent("/no/such/program")))
    assert failure.kind is K.NOT_INSTALLED


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    failure = ask(turn(tmp_path, agent=agent("sleep", "60"), limits=Limits(wall_s=0.3)))
    assert failure.kind is K.TIMEOUT


@pytest.mark.parametrize(("program", "found"), [(sys.executable, True), ("/no/such/program", False)])
def test_the_probe_finds_the_program_without_running_it(program: str, found: bool) -> None:
    mine = agent(program, "-c", "raise SystemExit(7)")
    done = asyncio.run(LocalProcess().run(KIND.login(mine)))
    health = KIND.health(mine, done)
    assert health.ok is found
    assert found or health.fix
