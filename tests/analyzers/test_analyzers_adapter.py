"""The adapter and its job: what is started, in which cage, and what is made of the output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from analyzers_support import lay_out, program

from moot.agents.analyzer import Analyzer
from moot.agents.base import Adapter
from moot.agents.registry import adapter
from moot.core.errors import ConfigError, UsageError
from moot.core.process import Command, Done, Ending, Exited, Limits
from moot.core.replies import ReviewReply
from moot.core.turns import Agent, Conversation, Failure, FailureKind, Reply, TurnSpec
from moot.process import sandbox
from moot.process.environment import base_environment
from moot.process.local import LocalProcess

WRONG = {"app.py": "import subprocess\n\n\ndef f(x):\n    subprocess.run(f'ls {x}', shell=True)\n"}


def spec(agent: Agent, cwd: Path) -> TurnSpec:
    return TurnSpec(
        run="r1",
        seat=agent.name,
        key="review-1",
        node="review",
        agent=agent,
        job=cwd / "job",
        cwd=cwd,
        prompt_file=cwd / "prompt.md",
        change_file=cwd / "change.md",
        schema_file=None,
        schema=None,
        conversation=None,
        write=False,
        limits=Limits(wall_s=60),
        env=base_environment(os.environ),
        home=Path.home(),
        base="0" * 40,
        head="1" * 40,
    )


def named(name: str, **more: object) -> Agent:
    return Agent(name=name, kind="analyzer", **more)  # type: ignore[arg-type]


def started(command: Command, caged: bool = False) -> Done:
    return asyncio.run(LocalProcess().run(command if caged else replace(command, sandbox=None)))


def answer(agent: Agent, cwd: Path, caged: bool = False) -> Reply | Failure:
    kind, turn = Analyzer(), spec(agent, cwd)
    command = kind.command(turn)
    if caged and command.sandbox is not None:
        command = replace(command, sandbox=replace(command.sandbox, read=(*command.sandbox.read, cwd)))
    done = started(command, caged)
    return kind.reply(turn, Exited(done.ending, done.code, 0.0, done.seconds), done.out, done.err)


def test_the_kind_is_registered_and_fulfils_the_contract() -> None:
    kind: Adapter = adapter("analyzer")
    assert (kind.kind, kind.streams, kind.config_paths, list(kind.events([b"x"]))) == ("analyzer", False, (), [])


def test_a_seat_named_after_a_tool_reviews_with_it(tmp_path: Path) -> None:
    program("ruff")
    reply = answer(named("ruff"), lay_out(tmp_path, WRONG, {}))
    assert isinstance(reply, Reply)
    assert isinstance(reply.data, dict)
    assert reply.data["scanned"] == ["app.py"]
    assert [f.line for f in ReviewReply.model_validate(reply.data).findings] == [5]


@pytest.mark.parametrize("name", ["ruff", "ast-grep", "detect-secrets", "workflow-schema"])
def test_a_job_works_in_the_cage_without_network(name: str, tmp_path: Path) -> None:
    program(name)
    if not sandbox.available().ok:
        pytest.skip(f"no cage: {sandbox.available().why}")
    files = {
        "app.py": 'import subprocess\n\nPASSWORD = "tr0ub4dor-harbor"\n\n\ndef f(p):\n    h = open(p)\n'
        "    subprocess.run(h.read(), shell=True)\n",
        ".github/workflows/ci.yml": "on: push\njobs: {}\nname: 3\nx: 1\n",
    }
    reply = answer(named(name), lay_out(tmp_path / "change", files, {}), caged=True)
    assert isinstance(reply, Reply), reply
    assert len(ReviewReply.model_validate(reply.data).findings) >= 1


def test_extra_arguments_reach_a_built_in_tool(tmp_path: Path) -> None:
    program("ruff")
    reply = answer(named("ruff", args=("--ignore", "S602")), lay_out(tmp_path, WRONG, {}))
    assert isinstance(reply, Reply)
    assert ReviewReply.model_validate(reply.data).findings == []


def test_a_program_that_is_a_tools_is_that_tool_whatever_the_seat_is_called(tmp_path: Path) -> None:
    path = program("workflow-schema")
    workflow = {".github/workflows/ci.yml": "on: push\njobs: 3\n"}
    reply = answer(named("workflows", program=path), lay_out(tmp_path, workflow, {}))
    assert isinstance(reply, Reply)
    assert len(ReviewReply.model_validate(reply.data).findings) == 1


def test_a_seat_of_another_name_without_a_command_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"agents\.lint: no built-in analyzer"):
        Analyzer().command(spec(named("lint"), tmp_path))


def test_a_configured_command_prints_sarif_and_gets_the_files(tmp_path: Path) -> None:
    tool = tmp_path / "mine.py"
    tool.write_text(
        "import json, sys\n"
        "place = lambda p: [{'physicalLocation': {'artifactLocation': {'uri': p}, 'region': {'startLine': 1}}}]\n"
        "found = [{'ruleId': 'r', 'level': 'error', 'message': {'text': 'no'}, 'locations': place(p)}"
        " for p in sys.argv[1:]]\n"
        "print(json.dumps({'runs': [{'results': found}]}))\n"
    )
    agent = named("mine", command=(sys.executable, str(tool), "{files}"))
    reply = answer(agent, lay_out(tmp_path / "change", {"a.x": "one\n", "b.x": "two\n"}, {"b.x": "two\n"}))
    assert isinstance(reply, Reply)
    assert [(f.path, f.quote) for f in ReviewReply.model_validate(reply.data).findings] == [("a.x", "one")]


@pytest.mark.parametrize(
    ("agent", "kind", "detail"),
    [
        (named("mine", command=("nowhere-to-be-found", "{files}")), FailureKind.NOT_INSTALLED, "is not installed"),
        (named("ruff", program="/nowhere/ruff"), FailureKind.NOT_INSTALLED, "ruff is not installed"),
        (named("mine", command=("echo", "all is well")), FailureKind.MALFORMED, "printed no SARIF"),
        (named("mine", command=("false",)), FailureKind.MALFORMED, "printed no SARIF (exit 1)"),
    ],
)
def test_a_tool_that_brings_nothing_is_a_failed_seat(
    agent: Agent, kind: FailureKind, detail: str, tmp_path: Path
) -> None:
    failure = answer(agent, lay_out(tmp_path, {"a.py": "x = 1\n"}, {}))
    assert isinstance(failure, Failure)
    assert failure.kind is kind
    assert detail in failure.detail


@pytest.mark.parametrize(
    ("ending", "code", "out", "err", "kind"),
    [
        (Ending.EXITED, 0, b"", b"", FailureKind.MALFORMED),
        (Ending.EXITED, 0, b"{}", b"", FailureKind.MALFORMED),
        (Ending.EXITED, 0, b'{"findings": []}', b"", FailureKind.MALFORMED),
        (Ending.EXITED, 0, b"[1", b"", FailureKind.MALFORMED),
        (Ending.EXITED, 1, b'{"summary": "", "findings": [], "scanned": []}', b"no", FailureKind.MALFORMED),
        (Ending.EXITED, None, b"", b"", FailureKind.MALFORMED),
        (Ending.TIMEOUT, None, b"", b"", FailureKind.TIMEOUT),
        (Ending.UNSTARTABLE, None, b"", b"", FailureKind.NOT_INSTALLED),
    ],
)
def test_no_broken_output_is_a_clean_review(
    ending: Ending, code: int | None, out: bytes, err: bytes, kind: FailureKind, tmp_path: Path
) -> None:
    failure = Analyzer().reply(spec(named("ruff"), tmp_path), Exited(ending, code, 0.0, 1.0), out, err)
    assert isinstance(failure, Failure)
    assert failure.kind is kind


def test_the_job_sees_no_network_and_imports_nothing_from_where_it_works(tmp_path: Path) -> None:
    command = Analyzer().command(spec(named("ruff"), tmp_path))
    assert command.sandbox is not None
    assert not command.sandbox.network
    program("ruff")
    change = lay_out(tmp_path, WRONG, {})
    for name in ("json.py", "moot.py", "re.py"):
        (change / name).write_text("raise SystemExit('imported from the change')\n")
    assert isinstance(answer(named("ruff"), change), Reply)


def test_what_it_costs_to_start_is_kept_small() -> None:
    """The job must not load the schema library, the ledger or another heavy thing for a tool that takes 10 ms."""
    code = "import moot.agents.analyzers.run, moot.process.local, sys; print(*sys.modules)"
    loaded = set(started(Command((sys.executable, "-c", code), Path("/"), dict(os.environ))).out.decode().split())
    assert {"pydantic", "sqlalchemy", "dbos", "click", "jinja2"} & loaded == set()


def test_health_tells_the_version_or_what_to_install() -> None:
    kind = Analyzer()
    program("ruff")
    good = kind.health(named("ruff"), started(kind.login(named("ruff"))))
    assert good.ok
    assert good.summary.startswith("ruff ")
    bad = kind.health(named("ruff"), started(kind.login(named("ruff", program="/nowhere/ruff"))))
    assert (bad.ok, bad.summary, bad.fix) == (False, "ruff is not installed", "pip install 'moot[analyzers]'")
    mine = named("mine", command=("nowhere-to-be-found",))
    missing = kind.health(mine, started(kind.login(mine)))
    assert missing.fix == "install it, or change agents.mine.command"


def test_nobody_takes_an_analyzer_over(tmp_path: Path) -> None:
    conversation = Conversation("c", "analyzer", None, "", "here", tmp_path, "s", "ruff")
    with pytest.raises(UsageError, match="no conversation"):
        Analyzer().takeover(named("ruff"), conversation)


def test_the_reply_is_json_a_person_can_read_again(tmp_path: Path) -> None:
    program("typos")
    reply = answer(named("typos"), lay_out(tmp_path, {"a.txt": "all is well\n"}, {}))
    assert isinstance(reply, Reply)
    assert json.loads(reply.text) == reply.data
