"""What adapters make of a turn and of output, however broken, without starting anything."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from agents_spec import turn
from hypothesis import given
from hypothesis import strategies as st

from moot.agents.registry import adapter
from moot.core.process import Done, Ending, Exited, Limits
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Reply

KINDS = ("claude", "codex", "command")
HERE = Path("/data/run")

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_types = st.sampled_from(
    (
        *("assistant", "user", "system", "result", "rate_limit_event", "error"),
        *("thread.started", "item.started", "item.completed", "turn.completed", "turn.failed"),
    )
)
_keys = st.sampled_from(
    (
        *("message", "item", "content", "error", "usage", "modelUsage", "result", "structured_output", "is_error"),
        *("subtype", "session_id", "rate_limit_info", "permission_denials", "errors", "thread_id", "changes"),
        *("tool_use_id", "id", "name", "input", "is_api_error_message", "stop_reason"),
    )
)
_values = _json | st.lists(st.dictionaries(_keys, _json, max_size=4), max_size=2) | st.dictionaries(_keys, _json)
_line = st.builds(lambda t, d: json.dumps({**d, "type": t}), _types, st.dictionaries(_keys, _values, max_size=5))
_output = st.lists(_line.map(str.encode) | st.binary(max_size=20), max_size=6)
_ended = st.builds(Exited, st.sampled_from(Ending), st.none() | st.integers(0, 255), st.just(0.0), st.just(1.0))


@pytest.mark.parametrize("kind", KINDS)
@given(out=_output, err=st.binary(max_size=60), ended=_ended)
def test_no_output_however_broken_makes_an_adapter_stumble(
    kind: str, out: list[bytes], err: bytes, ended: Exited
) -> None:
    assert all(isinstance(e, Event) for e in adapter(kind).events(out))
    result = adapter(kind).reply(turn(HERE, kind=kind), ended, b"\n".join(out), err)
    assert isinstance(result, Reply | Failure)
    if ended.ending is not Ending.EXITED:
        assert isinstance(result, Failure)
    if isinstance(result, Reply):
        assert result.text.strip() or result.data is not None
    else:
        assert "\n" not in result.detail


def argv(kind: str, **more: Any) -> tuple[str, ...]:
    return adapter(kind).command(turn(HERE, kind=kind, **more)).argv


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_a_command_is_a_pure_function_of_its_turn(kind: str) -> None:
    t = turn(HERE, kind=kind, native="n-1", schema={"type": "object"}, schema_file=HERE / "s.json", write=True)
    assert adapter(kind).command(t) == adapter(kind).command(t)


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_extra_arguments_come_last_before_what_the_cli_insists_on(kind: str) -> None:
    agent = Agent(kind, kind, program="/x", args=("--mine", "1"))
    assert argv(kind, agent=agent)[-3:] in ((*agent.args, "-"), (argv(kind, agent=agent)[-3], *agent.args))
    resumed = argv(kind, agent=agent, native="n-1")
    assert "n-1" in resumed
    if kind == "codex":
        assert resumed[-5:] == ("--mine", "1", "resume", "n-1", "-")


def test_a_schema_that_codex_cannot_enforce_is_not_passed() -> None:
    assert "--output-schema" not in argv("codex", schema=None, schema_file=HERE / "s.json")


def test_settings_for_codex_are_toml_whatever_a_path_is_called() -> None:
    odd = Path('/data/a "b" \\c/ü 💡')
    words = argv("codex", cwd=odd / "checkout", change_file=odd / "change.md", read=(odd / "[x]",))
    settings = tomllib.loads("\n".join(w for flag, w in itertools.pairwise(words) if flag == "-c"))
    files = settings["permissions"]["moot"]["filesystem"]
    assert settings["projects"] == {str(odd / "checkout"): {"trust_level": "untrusted"}}
    assert files[str(odd / "change.md")] == "read"
    assert files[":workspace_roots"] == {".": "read"}
    assert str(odd / "[x]") not in files, "codex would take it for a pattern and refuse to start"


def test_a_request_of_claude_hangs_no_longer_than_its_turn_can_bear() -> None:
    def limit(limits: Limits) -> int:
        return int(adapter("claude").command(turn(HERE, kind="claude", limits=limits)).env["API_TIMEOUT_MS"])

    assert limit(Limits(3600)) == 600_000
    assert limit(Limits(1200)) == 200_000
    assert limit(Limits(3600, 300)) == 135_000
    assert limit(Limits(60)) == 60_000


def test_the_person_can_take_a_conversation_over_with_their_own_settings() -> None:
    c = Conversation("c1", "claude", "n-1", "", "here", HERE, "s", "seat")
    for kind in ("claude", "codex"):
        command = adapter(kind).takeover(Agent(kind, kind, program="/x"), c)
        assert command.cwd == HERE
        assert command.argv[0] == "/x"
        assert "n-1" in command.argv
        assert "-p" not in command.argv


@pytest.mark.parametrize("kind", ["claude", "codex"])
@pytest.mark.parametrize(
    "done",
    [
        Done(Ending.UNSTARTABLE, None, b"", b"", 0),
        Done(Ending.TIMEOUT, None, b"", b"", 20),
        Done(Ending.EXITED, 2, b"", b"error: unrecognized subcommand", 0),
        Done(Ending.EXITED, 0, b"[]", b"", 0),
        Done(Ending.EXITED, 0, b"{}", b"", 0),
    ],
)
def test_a_probe_that_shows_no_login_is_not_healthy_and_says_what_to_do(kind: str, done: Done) -> None:
    health = adapter(kind).health(Agent(kind, kind), done)
    assert not health.ok
    assert health.fix
    assert health.summary


def test_claude_without_a_result_line_was_killed_or_says_why() -> None:
    t = turn(HERE, kind="claude")
    ended = Exited(Ending.EXITED, 0, 0, 1)
    interrupted = adapter("claude").reply(t, ended, b'{"type":"user","session_id":"s"}\n', b"")
    assert isinstance(interrupted, Failure)
    assert interrupted.kind is FailureKind.KILLED
    assert interrupted.conversation
