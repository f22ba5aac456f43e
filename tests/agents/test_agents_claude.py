"""The claude adapter against the real Claude Code, which talks to a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from agents_harness import Asked, Seat, assert_ends
from agents_hostile import SECRET, TEXT, plant
from agents_transcripts import record

from model_server import Fault, ModelServer, Say, Script, Tokens, Use, anthropic
from model_server import Reply as ModelReply
from moot.core.process import Command, Ending, Limits
from moot.core.turns import FailureKind

pytestmark = pytest.mark.agents

K = FailureKind
VERDICT = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}


def tool(name: str, **arguments: object) -> Use:
    return Use("call", name=name, arguments=arguments)


def tool_results(asked: Asked) -> str:
    return "\n".join(t.text for r in asked.requests for t in r.conversation.turns if t.role == "tool")


def test_a_first_turn_brings_the_text_the_conversation_and_the_cost(claude: Seat) -> None:
    asked = asyncio.run(claude.ask(Say("All is well.", tokens=Tokens(1000, 20, 400)), prompt="What do you say?"))
    record(claude, "first_turn", asked)
    assert asked.reply.text == "All is well."
    assert asked.reply.usage.input_tokens == 1400
    assert asked.reply.usage.cached_tokens == 400
    assert asked.reply.usage.output_tokens == 20
    assert asked.reply.usage.cost_usd
    assert "What do you say?" in asked.sent
    assert [e.text for e in asked.events if e.kind == "text"] == ["All is well."]


def test_a_resumed_turn_carries_the_conversation_and_its_running_total(claude: Seat) -> None:
    async def talk() -> tuple[Asked, Asked]:
        first = await claude.ask(Say("I remember blue.", tokens=Tokens(1000, 10)), prompt="Remember blue.")
        return first, await claude.ask(
            Say("It was blue.", tokens=Tokens(2000, 20)), prompt="Which colour?", conversation=first.conversation
        )

    first, second = asyncio.run(talk())
    said = [(t.role, t.text) for t in second.requests[0].conversation.turns]
    assert any(role == "user" and "Remember blue." in text for role, text in said)
    assert ("assistant", "I remember blue.") in said
    assert second.reply.conversation == first.reply.conversation
    assert second.reply.cumulative
    assert (second.reply.usage - first.reply.usage).input_tokens == 2000
    assert (second.reply.usage - first.reply.usage).output_tokens == 20


def test_model_and_effort_reach_the_request(claude: Seat) -> None:
    chosen = replace(claude.agent, model="haiku", effort="low")
    low, high = asyncio.run(_both(claude, chosen, replace(claude.agent, model="opus", effort="high")))
    assert "haiku" in low.requests[0].conversation.model
    assert "opus" in high.requests[0].conversation.model
    assert high.requests[0].conversation.effort == "high"


async def _both(seat: Seat, one: object, other: object) -> tuple[Asked, Asked]:
    return await asyncio.gather(seat.ask(Say("x"), agent=one), seat.ask(Say("x"), agent=other))


def test_a_reading_seat_cannot_write(claude: Seat) -> None:
    before = claude.contents()
    target, new = str(claude.checkout / "hello.py"), str(claude.checkout / "new.py")
    tries = (
        tool("Write", file_path=new, content="x"),
        tool("Write", file_path=target, content="x"),
        tool("Edit", file_path=target, old_string="hello", new_string="bye"),
        tool("NotebookEdit", notebook_path=str(claude.checkout / "n.ipynb"), new_source="x"),
        tool("Bash", command=f"echo x > {new}; git commit -am x", description="x"),
        tool("Task", description="x", prompt="write a file", subagent_type="general-purpose"),
    )
    asked = asyncio.run(claude.ask(*(Say(uses=(u,)) for u in tries), Say("done")))
    assert asked.reply.text == "done"
    assert tool_results(asked).count("No such tool available") == sum(range(1, 1 + len(tries)))
    assert claude.contents() == before
    assert set(asked.requests[0].conversation.tools) <= {"Read", "Grep", "Glob", "DeferredToolPlaceholder"}


def test_a_reading_seat_reads_its_checkout_the_change_and_what_it_was_granted_and_nothing_else(claude: Seat) -> None:
    granted, secret = claude.folder / "run [1]" / "issue (2)", claude.home / ".ssh"
    granted.mkdir(parents=True)
    secret.mkdir()
    (granted / "text.md").write_text("GRANTED")
    (secret / "id").write_text(SECRET)
    (claude.change_file.parent / "other.md").write_text("NOT-FOR-THIS-SEAT")
    (claude.checkout / "link").symlink_to(secret / "id")
    (claude.checkout / "folder").symlink_to(secret)
    seen = (claude.checkout / "hello.py", claude.change_file, granted / "text.md")
    hidden = (
        *(tool("Read", file_path=str(p)) for p in (secret / "id", claude.checkout / "link", Path("/etc/passwd"))),
        tool("Read", file_path="/proc/self/environ"),
        tool("Read", file_path=str(claude.change_file.parent / "other.md")),
        tool("Grep", pattern="SECRET", path=str(claude.home), output_mode="content"),
        tool("Grep", pattern="SECRET", path=str(claude.checkout / "folder"), output_mode="content"),
        tool("Grep", pattern="SECRET", path=str(claude.checkout), output_mode="content"),
        tool("Glob", pattern=f"{secret}/*"),
    )
    uses = (*(tool("Read", file_path=str(p)) for p in seen), *hidden)
    prompt = f"Look at @{secret}/id and @~/.ssh/id"
    asked = asyncio.run(claude.ask(*(Say(uses=(u,)) for u in uses), Say("done"), prompt=prompt, read=(granted,)))
    assert {e.path for e in asked.events if e.path} == {str(p) for p in seen}
    assert "GRANTED" in asked.sent
    assert "a1b2c3d4e5" in asked.sent
    assert SECRET not in asked.sent
    assert "NOT-FOR-THIS-SEAT" not in asked.sent
    assert "root:x:0" not in asked.sent
    assert any("passwd" in d for d in asked.reply.denied)


def test_a_writing_seat_edits_its_checkout_and_nothing_that_runs_code_later(claude: Seat) -> None:
    target, outside = claude.checkout / "hello.py", claude.folder / "outside.txt"
    tries = (
        tool("Read", file_path=str(target)),
        tool("Edit", file_path=str(target), old_string="hello", new_string="bye"),
        tool("Write", file_path=str(claude.checkout / "new.py"), content="x = 1\n"),
        tool("Write", file_path=str(outside), content="x"),
        tool("Write", file_path=str(claude.checkout / ".git" / "hooks" / "pre-commit"), content="x"),
        tool("Write", file_path=str(claude.checkout / ".claude" / "settings.json"), content="{}"),
        tool("Bash", command=f"touch {outside}", description="x"),
    )
    asked = asyncio.run(claude.ask(*(Say(uses=(u,)) for u in tries), Say("done"), write=True))
    assert asked.reply.text == "done"
    assert target.read_text() == "print('bye')\n"
    assert (claude.checkout / "new.py").read_text() == "x = 1\n"
    assert not outside.exists()
    assert not (claude.checkout / ".git" / "hooks" / "pre-commit").exists()
    assert not (claude.checkout / ".claude").exists()


def test_structure_is_enforced_and_prose_instead_of_it_is_told_apart(claude: Seat) -> None:
    async def ask() -> tuple[Asked, Asked, Asked]:
        good = Say(uses=(tool("StructuredOutput", verdict="fine"),))
        wrong = Say(uses=(tool("StructuredOutput", verdict=7),))
        return await asyncio.gather(
            claude.ask(good, Say("x"), schema=VERDICT),
            claude.ask(Say("It is fine, I think."), schema=VERDICT),
            claude.ask(wrong, schema=VERDICT),
        )

    good, prose, wrong = asyncio.run(ask())
    assert good.reply.data == {"verdict": "fine"}
    assert good.requests[0].conversation.schema["properties"] == VERDICT["properties"]
    assert prose.reply.data is None  # for the reader of replies to judge, who can still ask again
    assert prose.reply.text == "It is fine, I think."
    assert wrong.failure.kind is K.MALFORMED
    assert wrong.failure.conversation


def _limit(claim: str) -> ModelReply:
    return anthropic.error(
        429,
        "rate_limit_error",
        "This request would exceed your account's rate limit.",
        {
            "retry-after": "3600",
            "anthropic-ratelimit-unified-status": "rejected",
            "anthropic-ratelimit-unified-reset": "1800000000",
            "anthropic-ratelimit-unified-representative-claim": claim,
        },
    )


#: What the API does, and what the failure is called. `subscriber` cases log in with a subscription's token.
FAILURES: dict[str, tuple[FailureKind, ModelReply]] = {
    "unauthorized": (K.LOGIN, anthropic.error(401, "authentication_error", "invalid x-api-key")),
    "rate_limited": (K.RATE_LIMITED, anthropic.error(429, "rate_limit_error", "This would exceed your rate limit.")),
    "credit": (
        K.BILLING,
        anthropic.error(400, "invalid_request_error", "Your credit balance is too low to access it."),
    ),
    "too_long": (
        K.CONTEXT_TOO_LONG,
        anthropic.error(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
    ),
    "no_model": (K.MODEL_UNAVAILABLE, anthropic.error(404, "not_found_error", "model: claude-none")),
    "overloaded": (K.OVERLOADED, anthropic.error(529, "overloaded_error", "Overloaded")),
    "unavailable": (K.OVERLOADED, anthropic.error(503, "api_error", "Service unavailable")),
    "internal": (K.OVERLOADED, anthropic.error(500, "api_error", "Internal server error")),
    "disconnect": (K.NETWORK, Fault("disconnect")),
    "malformed": (K.MALFORMED, Fault("malformed")),
    "truncated": (K.NETWORK, Fault("truncate")),
    "in_band": (K.OVERLOADED, Fault("error", {"error": {"type": "overloaded_error", "message": "Overloaded"}})),
    "empty": (K.EMPTY, Say("")),
    "refused": (K.REFUSED, Say("I cannot help with that.", refusal=True)),
}
SUBSCRIBER: dict[str, tuple[FailureKind, ModelReply]] = {
    "session_limit": (K.USAGE_LIMIT, _limit("five_hour")),
    "weekly_limit": (K.USAGE_LIMIT, _limit("seven_day")),
    "model_limit": (K.MODEL_LIMIT, _limit("seven_day_opus")),
}
TOKEN = {"ANTHROPIC_API_KEY": None, "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-test"}


def test_what_an_api_can_do_wrong_has_its_name(claude: Seat) -> None:
    async def all_of_them() -> dict[str, Asked]:
        turn = asyncio.Semaphore(3)

        async def one(reply: ModelReply, env: dict[str, str | None]) -> Asked:
            async with turn:
                return await claude.ask(reply, env=env)

        cases = {
            **{n: one(r, {}) for n, (_, r) in FAILURES.items()},
            **{n: one(r, TOKEN) for n, (_, r) in SUBSCRIBER.items()},
        }
        return dict(zip(cases, await asyncio.gather(*cases.values()), strict=True))

    asked = asyncio.run(all_of_them())
    expected = {name: kind for name, (kind, _) in (FAILURES | SUBSCRIBER).items()}
    for name, one in asked.items():
        record(claude, name, one)
    assert {n: getattr(a.result, "kind", a.result) for n, a in asked.items()} == expected
    assert all(a.failure.detail and "\n" not in a.failure.detail for a in asked.values())
    for name in SUBSCRIBER:
        assert asked[name].failure.resets_at == datetime.fromtimestamp(1800000000, UTC), name
    assert asked["overloaded"].failure.conversation, "an overloaded conversation can be continued"
    assert any(e.kind == "retry" for e in asked["overloaded"].events)


def test_what_is_wrong_before_any_request_has_its_name(claude: Seat) -> None:
    async def ask() -> dict[str, Asked]:
        first = await claude.ask(Say("x"))
        gone = replace(first.conversation, native="11111111-2222-4333-8444-555555555555")
        flagged = replace(claude.agent, args=("--no-such-flag",))
        return dict(
            zip(
                ("logged_out", "bad_flag", "conversation_lost", "refused_connection"),
                await asyncio.gather(
                    claude.ask(Say("x"), env={"ANTHROPIC_API_KEY": None}),
                    claude.ask(Say("x"), agent=flagged),
                    claude.ask(Say("x"), conversation=gone),
                    claude.ask(Say("x"), env={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}),
                ),
                strict=True,
            )
        )

    asked = asyncio.run(ask())
    for name, one in asked.items():
        record(claude, name, one)
    assert {n: a.failure.kind for n, a in asked.items()} == {
        "logged_out": K.LOGIN,
        "bad_flag": K.NOT_INSTALLED,
        "conversation_lost": K.CONVERSATION_LOST,
        "refused_connection": K.NETWORK,
    }
    assert asked["conversation_lost"].failure.conversation is None
    assert not any(a.requests for a in asked.values())


def test_a_silent_model_a_slow_one_and_a_stopped_turn_are_ended_and_named(claude: Seat) -> None:
    patient: dict[str, str | None] = {"API_TIMEOUT_MS": "600000"}
    began = claude.folder / "began"

    async def ask() -> tuple[Asked, Asked, Asked, Asked]:
        began.touch()
        return await asyncio.gather(
            claude.ask(Fault("hang"), env=patient, limits=Limits(wall_s=60, silence_s=3)),
            claude.ask(Fault("hang"), env={"API_TIMEOUT_MS": "1500"}),
            claude.ask(Fault("stall"), env=patient, limits=Limits(wall_s=3, silence_s=60)),
            claude.ask(Fault("hang"), env=patient, stop_when=began),
        )

    silent, impatient, slow, stopped = asyncio.run(ask())
    assert (silent.failure.kind, silent.ended.ending) == (K.SILENT, Ending.SILENT)
    assert impatient.failure.kind is K.NETWORK
    assert (slow.failure.kind, slow.ended.ending) == (K.TIMEOUT, Ending.TIMEOUT)
    assert stopped.failure.kind is K.KILLED


def test_a_terminated_turn_can_be_continued(claude: Seat) -> None:
    async def ask() -> tuple[Asked, Asked]:
        cut = await claude.ask(
            Say(uses=(Use("read", path=str(claude.change_file)),)),
            Fault("hang"),
            prompt="Remember green.",
            limits=Limits(wall_s=4, silence_s=None),
        )
        return cut, await claude.ask(Say("green"), prompt="Which?", conversation=cut.conversation)

    cut, continued = asyncio.run(ask())
    assert cut.failure.kind is K.TIMEOUT
    assert continued.reply.text == "green"
    assert "Remember green." in continued.requests[0].everything


def test_ending_a_turn_ends_what_left_its_session_too(claude: Seat) -> None:
    escaped, mark = claude.checkout / "escaped", f"{os.getpid()}.123"
    escape = f"setsid sh -c 'touch {escaped}; exec sleep {mark}' >/dev/null 2>&1 & sleep 300"
    shell = replace(claude.agent, args=("--tools", "Bash", "--allowedTools", "Bash"))
    asked = asyncio.run(
        claude.ask(
            Say(uses=(tool("Bash", command=escape, description="x", timeout=300000),)),
            agent=shell,
            write=True,
            stop_when=escaped,
        )
    )
    assert asked.failure.kind is K.KILLED
    assert_ends(mark)


@pytest.mark.parametrize("write", [False, True])
def test_nothing_in_a_hostile_checkout_is_obeyed(claude: Seat, write: bool) -> None:
    with ModelServer((Script((Say("evil"),)),)) as evil:
        traces = plant(claude, evil.url)
        reads = (claude.checkout / "sub" / "code.py", claude.checkout / "notes.md", claude.checkout / "docs" / "id")
        asked = asyncio.run(
            claude.ask(
                *(Say(uses=(Use("read", path=str(p)),)) for p in reads),
                Say("done"),
                write=write,
                env={"HTTPS_PROXY": evil.url, "NO_PROXY": "127.0.0.1"},
            )
        )
        assert asked.reply.text == "done"
        assert list(traces.iterdir()) == []
        assert TEXT not in asked.sent
        assert SECRET not in asked.sent
        assert "evil" not in asked.requests[0].conversation.tools
        assert (evil.requests, evil.others, asked.others) == ([], [], ())


def test_the_hostile_checkout_is_hostile_to_a_bare_claude(claude: Seat) -> None:
    """The control: without the adapter's flags the same files run code, steer the model and take its traffic."""
    with ModelServer((Script((Say("evil"),)),)) as evil, ModelServer((Script((Say("good"),)),)) as good:
        traces = plant(claude, evil.url)
        quick = {"MCP_TIMEOUT": "500", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        t = claude.spec(env={"ANTHROPIC_API_KEY": "sk-ant-test-0000", "ANTHROPIC_BASE_URL": good.url, **quick})
        argv = (str(claude.agent.program), "-p", "--output-format", "json")
        asyncio.run(claude.process.run(Command(argv, t.cwd, t.env, t.prompt_file, Limits(wall_s=40))))
        assert {"mcp", "hook-SessionStart", "hook-Stop"} <= {p.name for p in traces.iterdir()}
        assert good.requests == []
        assert any(TEXT in r.everything for r in evil.requests)


def test_the_persons_own_hooks_and_servers_stay_out_and_their_key_helper_works(claude: Seat) -> None:
    traces = claude.folder / "traces"
    traces.mkdir()
    hooks = [{"hooks": [{"type": "command", "command": f"touch {traces}/hook"}]}]
    settings = {
        "hooks": {"SessionStart": hooks, "UserPromptSubmit": hooks, "Stop": hooks},
        "apiKeyHelper": f"touch {traces}/helper; echo sk-ant-helped",
        "permissions": {"defaultMode": "bypassPermissions"},
    }
    (claude.home / ".claude").mkdir()
    (claude.home / ".claude" / "settings.json").write_text(json.dumps(settings))
    (claude.home / ".claude" / "CLAUDE.md").write_text("MY-OWN-MEMORY")
    servers = {"mcpServers": {"mine": {"command": "touch", "args": [f"{traces}/mcp"]}}}
    (claude.home / ".claude.json").write_text(json.dumps(servers))
    asked = asyncio.run(claude.ask(Say("done"), env={"ANTHROPIC_API_KEY": None}))
    assert asked.reply.text == "done"
    assert {p.name for p in traces.iterdir()} == {"helper"}
    assert "sk-ant-helped" in json.dumps(dict(asked.requests[0].headers))
    assert "MY-OWN-MEMORY" not in asked.sent


def test_it_works_inside_the_sandbox_which_hides_other_conversations(claude: Seat, caged: None) -> None:
    other = claude.home / ".claude" / "projects" / "-another-project"
    other.mkdir(parents=True)
    (other / "talk.jsonl").write_text(SECRET)
    before = claude.contents()

    async def talk() -> tuple[Asked, Asked]:
        first = await claude.ask(Say("I remember blue."), prompt="Remember blue.", caged=True)
        shell = replace(claude.agent, args=("--tools", "Bash", "--allowedTools", "Bash"))
        look = f"cat {claude.home}/.claude/projects/*/*; ls -A {claude.home}; echo x > {claude.checkout}/hello.py"
        return first, await claude.ask(
            Say(uses=(Use("read", path=str(claude.change_file)),)),
            Say(uses=(tool("Bash", command=look, description="x"),)),
            Say("blue"),
            prompt="Which?",
            conversation=first.conversation,
            agent=shell,
            caged=True,
        )

    first, second = asyncio.run(talk())
    assert first.reply.text == "I remember blue."
    assert second.reply.text == "blue"
    assert "Remember blue." in second.sent
    assert "a1b2c3d4e5" in second.sent
    assert SECRET not in second.sent
    assert claude.contents() == before


def test_the_login_probe_tells_logged_in_from_not(claude: Seat) -> None:
    async def probe(env: dict[str, str]) -> tuple[bool, str, str | None]:
        command = claude.adapter.login(claude.agent)
        done = await claude.process.run(replace(command, env={**claude.environ, **env}))
        health = claude.adapter.health(claude.agent, done)
        return health.ok, health.summary, health.fix

    assert asyncio.run(probe({"ANTHROPIC_API_KEY": "sk-ant-test"})) == (True, "logged in (api_key)", None)
    assert asyncio.run(probe({})) == (False, "not logged in", "claude auth login")


def test_a_missing_program_is_not_installed(claude: Seat) -> None:
    gone = replace(claude.agent, program=str(claude.folder / "none"))
    asked = asyncio.run(claude.ask(Say("x"), agent=gone))
    assert asked.failure.kind is K.NOT_INSTALLED
