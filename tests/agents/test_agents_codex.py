"""The codex adapter against the real Codex CLI, which talks to a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from agents_harness import CODEX_CONFIG, Asked, Seat, assert_ends
from agents_hostile import SECRET, TEXT, plant
from agents_transcripts import record

from model_server import Fault, ModelServer, Say, Script, Tokens, Use, openai
from model_server import Reply as ModelReply
from moot.agents.selection import resolve
from moot.core.process import Command, Ending, Limits
from moot.core.replies import SCHEMAS
from moot.core.turns import FailureKind

pytestmark = pytest.mark.agents

K = FailureKind


def shell(command: str) -> Say:
    return Say(uses=(Use("shell", command=command),))


def tool_results(asked: Asked) -> str:
    last = asked.requests[-1].conversation.turns
    return "\n".join(t.text for t in last if t.role == "tool")


def test_a_first_turn_brings_the_last_message_and_the_tokens(codex: Seat) -> None:
    talk = (Say("Let me look.", uses=(Use("shell", command="cat hello.py"),)), Say("All is well."))
    asked = asyncio.run(codex.ask(*talk, prompt="What do you say?"))
    record(codex, "first_turn", asked)
    assert asked.reply.text == "All is well."
    assert asked.reply.usage.input_tokens == 2000
    assert asked.reply.usage.cost_usd is None
    assert "What do you say?" in asked.sent
    assert [e.text for e in asked.events if e.kind == "text"] == ["Let me look.", "All is well."]
    assert any("cat hello.py" in e.text for e in asked.events if e.kind == "tool")
    assert "print('hello')" in tool_results(asked)


def test_a_resumed_turn_carries_the_conversation_and_its_running_total(codex: Seat) -> None:
    async def talk() -> tuple[Asked, Asked]:
        first = await codex.ask(Say("I remember blue.", tokens=Tokens(1000, 10)), prompt="Remember blue.")
        return first, await codex.ask(
            Say("It was blue.", tokens=Tokens(2000, 20)), prompt="Which colour?", conversation=first.conversation
        )

    first, second = asyncio.run(talk())
    said = [(t.role, t.text) for t in second.requests[0].conversation.turns]
    assert ("user", "Remember blue.") in said
    assert ("assistant", "I remember blue.") in said
    assert second.reply.conversation == first.reply.conversation
    assert second.reply.cumulative
    assert (second.reply.usage - first.reply.usage).input_tokens == 2000
    assert (second.reply.usage - first.reply.usage).output_tokens == 20


def test_model_and_effort_reach_the_request(codex: Seat) -> None:
    chosen = replace(codex.agent, model="gpt-5.5", effort="high")
    asked = asyncio.run(codex.ask(Say("x"), agent=chosen))
    assert asked.requests[0].conversation.model == "gpt-5.5"
    assert asked.requests[0].conversation.effort == "high"


@pytest.mark.parametrize("resumed", [False, True])
def test_a_reading_seat_cannot_write(codex: Seat, resumed: bool) -> None:
    outside = codex.folder / "outside.txt"
    new, target = str(codex.checkout / "new.py"), str(codex.checkout / "hello.py")
    tries = (
        Say(uses=(Use("write", path=new, content="x = 1"),)),
        Say(uses=(Use("edit", path=target, old="print('hello')", content="print('bye')"),)),
        shell(f"echo x > {new}; echo x > {target}; rm -f {target}; echo x > .git/config; echo x > {outside}"),
        shell("git -c user.name=x -c user.email=x commit --allow-empty -m x; git checkout -b evil"),
        Say(uses=(Use("call", name="exec_command", arguments=_escalated(f"touch {new}")),)),
    )

    async def talk() -> tuple[dict[str, bytes | str], Asked]:
        conversation = (await codex.ask(Say("x"), write=True)).conversation if resumed else None
        before = codex.contents()
        return before, await codex.ask(*tries, Say("done"), conversation=conversation)

    before, asked = asyncio.run(talk())
    assert asked.reply.text == "done"
    assert codex.contents() == before
    assert not outside.exists()
    assert any("patch rejected" in d for d in asked.reply.denied)


def _escalated(command: str) -> dict[str, str]:
    return {"cmd": command, "sandbox_permissions": "require_escalated", "justification": "please"}


def test_a_reading_seat_reads_its_checkout_the_change_and_what_it_was_granted_and_nothing_else(codex: Seat) -> None:
    granted, secret = codex.folder / 'run (1)"' / "issue", codex.home / ".ssh"
    granted.mkdir(parents=True)
    secret.mkdir()
    (granted / "text.md").write_text("GRANTED\n")
    (secret / "id").write_text(SECRET)
    (codex.change_file.parent / "other.md").write_text("NOT-FOR-THIS-SEAT")
    (codex.checkout / "link").symlink_to(secret / "id")
    with ModelServer((Script((Say("x"),)),)) as listener:
        port = listener.url.rsplit(":", 1)[1]
        tries = (
            shell(f"cat hello.py {codex.change_file} '{granted}/text.md'; git log --oneline | wc -l; rg -c hello"),
            shell(f"cat link {secret}/id {codex.change_file.parent}/other.md {codex.home}/.codex/config.toml"),
            shell('cat /proc/*/environ | tr "\\0" "\\n" | grep KEY; env | grep KEY'),
            shell(f"(echo GET / >/dev/tcp/127.0.0.1/{port}) 2>&1 | grep -c refused"),
        )
        asked = asyncio.run(codex.ask(*tries, Say("done"), read=(granted,)))
        results = tool_results(asked)
        assert {"GRANTED", "a1b2c3d4e5", "print('hello')", "hello.py:1"} <= set(re.findall(r"[^\s]+", results))
        assert listener.others == []
    assert SECRET not in asked.sent
    assert "NOT-FOR-THIS-SEAT" not in asked.sent
    assert "env_key" not in asked.sent
    assert "test-0000" not in asked.sent


def test_a_writing_seat_edits_its_checkout_and_nothing_that_runs_code_later(codex: Seat) -> None:
    outside = codex.folder / "outside.txt"
    tries = (
        Say(uses=(Use("edit", path=str(codex.checkout / "hello.py"), old="print('hello')", content="print('bye')"),)),
        shell(f"echo 'x = 1' > new.py; touch {outside}; echo x > .git/hooks/pre-commit; echo $MOOT_SEAT > seat.txt"),
        shell('echo hi > "$MOOT_MAILBOX/note"'),
    )
    asked = asyncio.run(codex.ask(*tries, Say("done"), write=True))
    assert asked.reply.text == "done"
    assert (codex.checkout / "hello.py").read_text() == "print('bye')\n"
    assert (codex.checkout / "new.py").read_text() == "x = 1\n"
    assert (codex.checkout / "seat.txt").read_text() == "reviewer-codex\n"
    assert (asked.spec.job / "mail" / "note").read_text() == "hi\n"
    assert not outside.exists()
    assert not (codex.checkout / ".git" / "hooks" / "pre-commit").exists()
    assert any(e.path and e.path.endswith("hello.py") for e in asked.events)


def test_the_schema_reaches_the_request_in_its_strict_form_on_first_and_later_turns(codex: Seat) -> None:
    schema = SCHEMAS["judge"].model_json_schema()
    answer = {"summary": "fine", "rulings": [], "new": []}

    async def talk() -> tuple[Asked, Asked]:
        first = await codex.ask(Say(json.dumps(answer)), schema=schema)
        return first, await codex.ask(Say(json.dumps(answer)), schema=schema, conversation=first.conversation)

    for asked in asyncio.run(talk()):
        sent = asked.requests[0].conversation.schema
        assert sent["required"] == ["summary", "rulings", "new"]
        assert sent["additionalProperties"] is False
        assert asked.requests[0].body["text"]["format"]["strict"] is True
        assert json.loads(asked.reply.text) == answer


#: What the API does, and what the failure is called.
FAILURES: dict[str, tuple[FailureKind, ModelReply]] = {
    "unauthorized": (K.LOGIN, openai.error(401, "Incorrect API key provided: test.", code="invalid_api_key")),
    "rate_limited": (K.RATE_LIMITED, openai.error(429, "Rate limit reached.", code="rate_limit_exceeded")),
    "usage_limit": (
        K.USAGE_LIMIT,
        openai.error(429, "The usage limit has been reached", type="usage_limit_reached", resets_at=2_000_000_000),
    ),
    "quota": (K.BILLING, openai.error(429, "You exceeded your current quota.", code="insufficient_quota")),
    "too_long": (
        K.CONTEXT_TOO_LONG,
        Fault("error", {"code": "context_length_exceeded", "message": "Your input exceeds the context window."}),
    ),
    "no_model": (
        K.MODEL_UNAVAILABLE,
        openai.error(
            404, "The model `gpt-none` does not exist or you do not have access to it.", code="model_not_found"
        ),
    ),
    "overloaded": (K.OVERLOADED, openai.error(529, "Overloaded")),
    "unavailable": (K.OVERLOADED, openai.error(503, "Overloaded", code="server_is_overloaded")),
    "internal": (K.OVERLOADED, openai.error(500, "Internal server error")),
    "refused": (
        K.REFUSED,
        Fault("error", {"code": "cyber_policy", "message": "It was flagged by our cyber_policy."}),
    ),
    "disconnect": (K.NETWORK, Fault("disconnect")),
    "malformed": (K.MALFORMED, Fault("malformed")),
    "truncated": (K.NETWORK, Fault("truncate")),
    "empty": (K.EMPTY, Say("")),
}


def test_what_an_api_can_do_wrong_has_its_name(codex: Seat) -> None:
    async def all_of_them() -> dict[str, Asked]:
        turn = asyncio.Semaphore(3)

        async def one(reply: ModelReply) -> Asked:
            async with turn:
                return await codex.ask(reply)

        return dict(zip(FAILURES, await asyncio.gather(*(one(r) for _, r in FAILURES.values())), strict=True))

    asked = asyncio.run(all_of_them())
    for name, one in asked.items():
        record(codex, name, one)
    expected = {name: kind for name, (kind, _) in FAILURES.items()}
    assert {n: getattr(a.result, "kind", a.result) for n, a in asked.items()} == expected
    assert all(a.failure.detail and "\n" not in a.failure.detail for a in asked.values())
    resets = asked["usage_limit"].failure.resets_at
    assert resets is not None
    assert abs((resets - datetime.fromtimestamp(2_000_000_000, UTC)).total_seconds()) < 60
    assert asked["overloaded"].failure.conversation, "an overloaded conversation can be continued"
    assert any(e.kind == "retry" for e in asked["internal"].events)


def test_what_is_wrong_before_any_request_has_its_name(codex: Seat) -> None:
    async def ask() -> dict[str, Asked]:
        first = await codex.ask(Say("x"))
        gone = replace(first.conversation, native="11111111-2222-4333-8444-555555555555")
        nowhere = replace(codex.agent, args=("-c", 'model_providers.scripted.base_url="http://127.0.0.1:9/v1"'))
        return dict(
            zip(
                ("logged_out", "bad_flag", "conversation_lost", "refused_connection"),
                await asyncio.gather(
                    codex.ask(Say("x"), env={"SCRIPTED_KEY": None}),
                    codex.ask(Say("x"), agent=replace(codex.agent, args=("--no-such-flag",))),
                    codex.ask(Say("x"), conversation=gone),
                    codex.ask(Say("x"), agent=nowhere),
                ),
                strict=True,
            )
        )

    asked = asyncio.run(ask())
    for name, one in asked.items():
        record(codex, name, one)
    assert {n: a.failure.kind for n, a in asked.items()} == {
        "logged_out": K.LOGIN,
        "bad_flag": K.NOT_INSTALLED,
        "conversation_lost": K.CONVERSATION_LOST,
        "refused_connection": K.NETWORK,
    }
    assert asked["conversation_lost"].failure.conversation is None
    assert not any(a.requests for a in asked.values())


def test_a_broken_configuration_is_named_with_its_place(codex: Seat) -> None:
    (codex.home / ".codex" / "config.toml").write_text("x = [")
    asked = asyncio.run(codex.ask(Say("x")))
    assert asked.failure.kind is K.NOT_INSTALLED
    assert "config.toml:1:6" in asked.failure.detail


def test_a_silent_model_a_slow_one_and_a_stopped_turn_are_ended_and_named(codex: Seat) -> None:
    began = codex.folder / "began"
    began.touch()

    async def ask() -> tuple[Asked, Asked, Asked]:
        return await asyncio.gather(
            codex.ask(Fault("hang"), limits=Limits(wall_s=60, silence_s=3)),
            codex.ask(Fault("stall"), limits=Limits(wall_s=3, silence_s=60)),
            codex.ask(Fault("hang"), stop_when=began),
        )

    silent, slow, stopped = asyncio.run(ask())
    assert (silent.failure.kind, silent.ended.ending) == (K.SILENT, Ending.SILENT)
    assert (slow.failure.kind, slow.ended.ending) == (K.TIMEOUT, Ending.TIMEOUT)
    assert stopped.failure.kind is K.KILLED


def test_a_terminated_turn_can_be_continued(codex: Seat) -> None:
    async def ask() -> tuple[Asked, Asked]:
        cut = await codex.ask(
            shell("cat hello.py"), Fault("hang"), prompt="Remember green.", limits=Limits(wall_s=4, silence_s=None)
        )
        return cut, await codex.ask(Say("green"), prompt="Which?", conversation=cut.conversation)

    cut, continued = asyncio.run(ask())
    assert cut.failure.kind is K.TIMEOUT
    assert continued.reply.text == "green"
    assert "Remember green." in continued.requests[0].everything


def test_ending_a_turn_ends_what_left_its_session_too(codex: Seat) -> None:
    escaped, mark = codex.checkout / "escaped", f"{os.getpid()}.456"
    escape = f"setsid sh -c 'touch {escaped}; exec sleep {mark}' >/dev/null 2>&1 & sleep 300"
    asked = asyncio.run(codex.ask(shell(escape), write=True, stop_when=escaped))
    assert asked.failure.kind is K.KILLED
    assert_ends(mark)


@pytest.mark.parametrize("write", [False, True])
def test_nothing_in_a_hostile_checkout_is_obeyed(codex: Seat, write: bool) -> None:
    trust = f'\n[projects.{json.dumps(str(codex.checkout))}]\ntrust_level = "trusted"\n'
    (codex.home / ".codex" / "config.toml").write_text(CODEX_CONFIG + trust)
    with ModelServer((Script((Say("evil"),)),)) as evil:
        traces = plant(codex, evil.url)
        asked = asyncio.run(
            codex.ask(
                shell("cat sub/code.py notes.md docs/id"),
                Say("done"),
                write=write,
                env={"HTTPS_PROXY": evil.url, "NO_PROXY": "127.0.0.1"},
            )
        )
        assert asked.reply.text == "done"
        assert list(traces.iterdir()) == []
        assert TEXT not in asked.sent
        assert SECRET not in asked.sent
        assert (evil.requests, evil.others, asked.others) == ([], [], ())


def test_the_hostile_checkout_is_hostile_to_a_bare_codex(codex: Seat) -> None:
    """The control: where the person trusts the folder, the same files run code and steer the model."""
    trust = f'\n[projects.{json.dumps(str(codex.checkout))}]\ntrust_level = "trusted"\n'
    with ModelServer((Script((Say("x"),)),)) as server:
        traces = plant(codex, server.url)
        url = f'base_url = "{server.url}/v1"\n'
        config = CODEX_CONFIG.replace("[analytics]", url + "[analytics]") + trust
        (codex.home / ".codex" / "config.toml").write_text(config)
        t = codex.spec(env={"SCRIPTED_KEY": "x", "TMPDIR": "/var/tmp"})
        argv = (str(codex.agent.program), "exec", "--json", "-")
        asyncio.run(codex.process.run(Command(argv, t.cwd, t.env, t.prompt_file, Limits(wall_s=40))))
        assert "mcp" in {p.name for p in traces.iterdir()}
        assert any(TEXT in r.everything for r in server.requests)


def test_the_persons_own_settings_cannot_widen_a_reading_seat(codex: Seat) -> None:
    traces = codex.folder / "traces"
    traces.mkdir()
    wide = (
        f'sandbox_mode = "danger-full-access"\napproval_policy = "on-request"\nnotify = ["touch", "{traces}/notify"]\n'
    )
    server = f'[mcp_servers.mine]\ncommand = "touch"\nargs = ["{traces}/mcp"]\n'
    (codex.home / ".codex" / "config.toml").write_text(wide + CODEX_CONFIG + server)
    (codex.home / "secret").write_text(SECRET)
    agent = resolve(codex.agent, codex.environ)
    asked = asyncio.run(codex.ask(shell(f"cat {codex.home}/secret; touch new.py"), Say("done"), agent=agent))
    assert asked.reply.text == "done"
    assert SECRET not in asked.sent
    assert not (codex.checkout / "new.py").exists()
    assert list(traces.iterdir()) == []
    assert "web_search" not in asked.requests[0].conversation.tools


def test_it_works_inside_the_sandbox_with_its_own_inside_that(codex: Seat, caged: None) -> None:
    (codex.home / "secret").write_text(SECRET)
    before = codex.contents()

    async def talk() -> tuple[Asked, Asked]:
        first = await codex.ask(Say("I remember blue."), prompt="Remember blue.", caged=True)
        look = f"cat {codex.change_file} {codex.home}/secret; echo x > hello.py"
        return first, await codex.ask(
            shell(look), Say("blue"), prompt="Which?", conversation=first.conversation, caged=True
        )

    first, second = asyncio.run(talk())
    assert first.reply.text == "I remember blue."
    assert second.reply.text == "blue"
    assert "Remember blue." in second.sent
    assert "a1b2c3d4e5" in second.sent
    assert SECRET not in second.sent
    assert codex.contents() == before


def test_a_writing_seat_works_inside_the_sandbox(codex: Seat, caged: None) -> None:
    asked = asyncio.run(codex.ask(shell("echo 'x = 1' > new.py"), Say("done"), write=True, caged=True))
    assert asked.reply.text == "done"
    assert (codex.checkout / "new.py").read_text() == "x = 1\n"


def test_the_login_probe_tells_logged_in_from_not(codex: Seat) -> None:
    async def probe(env: dict[str, str]) -> tuple[bool, str, str | None]:
        command = codex.adapter.login(codex.agent)
        done = await codex.process.run(replace(command, env={**codex.environ, **env}))
        health = codex.adapter.health(codex.agent, done)
        return health.ok, health.summary, health.fix

    config = codex.home / ".codex" / "config.toml"
    config.write_text(CODEX_CONFIG.replace("[analytics]", 'base_url = "http://127.0.0.1:9/v1"\n[analytics]'))
    ok, summary, fix = asyncio.run(probe({"SCRIPTED_KEY": "x"}))
    assert (ok, fix) == (True, None)
    assert "0.171.0" in summary
    ok, _, fix = asyncio.run(probe({}))
    assert not ok
    assert fix == "Set SCRIPTED_KEY for the active model provider."


def test_commands_work_although_the_home_of_codex_lies_in_the_temporary_folder(codex: Seat) -> None:
    asked = asyncio.run(codex.ask(shell("cat hello.py"), Say("done"), env={"TMPDIR": str(codex.folder)}))
    assert "print('hello')" in tool_results(asked)


def test_a_missing_program_is_not_installed(codex: Seat) -> None:
    gone = replace(codex.agent, program=str(codex.folder / "none"))
    assert asyncio.run(codex.ask(Say("x"), agent=gone)).failure.kind is K.NOT_INSTALLED
