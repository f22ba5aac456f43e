"""The `claude` kind: Claude Code, driven headless and stripped of everything a checkout could tell it.

Flags, formats and traps were measured on version 2.1.332; `tests/agents/test_agents_claude.py` drives the real CLI.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from moot.agents.environment import agent_environment, session_id
from moot.agents.failures import classify, ended_badly, moment, one_line, signatures
from moot.agents.jsonl import child, items, number, objects, string, strings
from moot.core.data import JSON
from moot.core.process import Command, Done, Ending, Exited, Limits, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Health, Reply, TurnSpec, Usage

K = FailureKind

_READ_TOOLS = "Read,Grep,Glob"
_WRITE_TOOLS = f"{_READ_TOOLS},Edit,Write,NotebookEdit"

_DEFAULTS: Mapping[str, str] = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    # Without this a prompt that mentions `@/any/file` reads it, past every permission.
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "4",  # some 20 s; waiting longer is the business of whoever reacts to the failure
}
#: Settings that win over the person's own: their hooks are for their sessions, not for moot's.
_SETTINGS = json.dumps({"disableAllHooks": True})

#: Claude Code names a project's folder of conversations after its path, and hashes what is longer.
_LONGEST_SLUG = 200

_SIGNATURES = signatures(
    (K.CONVERSATION_LOST, r"no conversation found with session id|session id \S+ is already in use"),
    (K.NOT_INSTALLED, r"error: unknown option|error: option .{1,80} (?:argument missing|is invalid)"),
)
#: What the limits of single models are called in a rate limit event.
_MODEL_LIMITS = ("seven_day_opus", "seven_day_sonnet")
_UNIX_TIMES = range(1_500_000_000, 5_000_000_000)
#: Tools whose `file_path` is read or written when they succeed.
_FILE_TOOLS = frozenset({"Read", "Edit", "Write", "NotebookEdit"})


class Claude:
    """Drives `claude -p`, one process per turn, prompt on standard input, events on standard output."""

    kind: ClassVar[str] = "claude"
    streams: ClassVar[bool] = True
    config_paths: ClassVar[tuple[str, ...]] = (
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        ".claude",
        ".claude-plugin",
        ".mcp.json",
        ".lsp.json",
    )
    environment: ClassVar[tuple[str, ...]] = (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_FOUNDRY",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CONFIG_DIR",
    )

    def schema(self, schema: JSON) -> JSON:
        """Claude Code takes any JSON Schema and validates against it."""
        return schema

    def command(self, t: TurnSpec) -> Command:
        """Return `claude -p …`; see the module's tests for what each flag keeps out.

        Project and local settings, MCP servers, skills, memory files and hooks are off in every mode. A reading seat
        has three tools and may use them inside its checkout and on the change file. A writing seat may also edit
        inside its checkout. It gets no shell: where a sandbox holds it, `args` can name the Bash tool.
        """
        argv = [t.agent.program or self.kind, "-p", "--output-format", "stream-json", "--verbose"]
        argv += ["--setting-sources", "user", "--settings", _SETTINGS]
        argv += ["--strict-mcp-config", "--disable-slash-commands"]
        argv += ["--permission-mode", "acceptEdits" if t.write else "dontAsk"]
        argv += ["--tools", _WRITE_TOOLS if t.write else _READ_TOOLS]
        argv += ["--allowedTools", "Read(./**)", "Grep(./**)", "Glob(./**)", f"Read({_rule_path(t.change_file)})"]
        for path in map(_rule_path, t.read):
            argv += [f"Read({path})", f"Read({path}/**)"]
        argv += ["--resume" if _resumes(t) else "--session-id", session_id(t)]
        if t.agent.model:
            argv += ["--model", t.agent.model]
        if t.agent.effort:
            argv += ["--effort", t.agent.effort]
        if t.schema is not None:
            argv += ["--json-schema", json.dumps(t.schema)]
        return Command(
            argv=(*argv, *t.agent.args),
            cwd=t.cwd,
            env=agent_environment(t, {**_DEFAULTS, "API_TIMEOUT_MS": str(_request_limit_ms(t.limits))}),
            stdin=t.prompt_file,
            limits=t.limits,
            sandbox=_sandbox(t),
        )

    def events(self, stdout: Iterable[bytes]) -> Iterator[Event]:
        """Yield texts, tool uses, retries and usage. A file counts as touched once its tool has succeeded."""
        pending: dict[str, Event] = {}
        for line in objects(stdout):
            match line.get("type"):
                case "assistant":
                    for block in items(child(line, "message"), "content"):
                        if block.get("type") == "text" and (text := string(block, "text").strip()):
                            yield Event("text", text)
                        elif block.get("type") == "tool_use":
                            used = _use(block)
                            if used.path is None:
                                yield used
                            else:
                                pending[string(block, "id")] = used
                case "user":
                    for block in items(child(line, "message"), "content"):
                        done = pending.pop(string(block, "tool_use_id"), None)
                        if done is not None:
                            refused = block.get("is_error") is True
                            yield Event("notice", f"refused: {done.text}") if refused else done
                case "system" if line.get("subtype") == "api_retry":
                    yield Event("retry", _retry(line))
                case "result":
                    usage = _usage(line)
                    yield Event("usage", f"{usage.tokens} tokens")

    def reply(self, t: TurnSpec, x: Exited, out: bytes, err: bytes) -> Reply | Failure:
        """Read the result line. It says `success` even in an error, and prose where a structure was asked for."""
        seen = _read(out.splitlines())
        result, usage = seen.result, _usage(seen.result)
        failure = _failure(t, x, seen, err.decode(errors="replace").strip())
        text = string(result, "result")
        if failure is None and not text.strip() and "structured_output" not in result:
            failure = Failure(K.EMPTY, "it ended without a word")
        conversation = string(result, "session_id") or session_id(t)
        if failure is None:
            return Reply(
                text=text,
                data=result.get("structured_output"),
                conversation=conversation,
                usage=usage,
                cumulative=True,
                denied=tuple(_denial(d) for d in items(result, "permission_denials")),
            )
        begun = b'"session_id"' in out and failure.kind not in (K.CONVERSATION_LOST, K.NOT_INSTALLED, K.LOGIN)
        return replace(
            failure, conversation=conversation if begun else None, usage=usage, cumulative="modelUsage" in result
        )

    def takeover(self, a: Agent, c: Conversation) -> Command:
        """Return `claude --resume …`, with the person's own settings and permissions."""
        return Command(argv=(a.program or self.kind, "--resume", c.native or ""), cwd=c.cwd)

    def login(self, a: Agent) -> Command:
        """Return `claude auth status`: JSON, no request is made."""
        return Command(argv=(a.program or self.kind, "auth", "status"), cwd=Path("/"), limits=Limits(wall_s=20))

    def health(self, a: Agent, d: Done) -> Health:
        """Read what `claude auth status` printed."""
        if d.ending is Ending.UNSTARTABLE:
            return Health(False, "Claude Code is not installed", "npm install -g @anthropic-ai/claude-code")
        try:
            status = json.loads(d.out)
        except ValueError:
            said = one_line((d.err or d.out).decode(errors="replace"))
            return Health(False, said or "it says nothing", "claude doctor")
        if isinstance(status, dict) and status.get("loggedIn") is True:
            return Health(True, f"logged in ({string(status, 'authMethod') or string(status, 'apiProvider')})")
        return Health(False, "not logged in", "claude auth login")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What of a turn's output decides about it.

    Args:
        result: the last line, empty if it never came.
        limit: what the API said of a limit that refused the request.
        trouble: the last retry or error, in few words.
    """

    result: dict[str, JSON]
    limit: dict[str, JSON]
    trouble: str


def _read(lines: Iterable[bytes]) -> _Seen:
    result: dict[str, JSON] = {}
    limit: dict[str, JSON] = {}
    trouble = ""
    for line in objects(lines):
        match line.get("type"):
            case "result":
                result = line
            case "rate_limit_event" if string(child(line, "rate_limit_info"), "status") == "rejected":
                limit = child(line, "rate_limit_info")
            case "assistant" if line.get("is_api_error_message") is True:
                trouble = string(line, "error")
            case "system" if line.get("subtype") == "api_retry":
                trouble = _retry(line)
    return _Seen(result, limit, trouble)


def _failure(t: TurnSpec, x: Exited, seen: _Seen, stderr: str) -> Failure | None:
    result = seen.result
    said = string(result, "result") or "; ".join(strings(result, "errors")) or string(result, "subtype")
    if x.ending is Ending.EXITED and string(result, "stop_reason") == "refusal":
        return Failure(K.REFUSED, one_line(said))
    if x.ending is Ending.EXITED and result.get("is_error") is False:
        return None
    if failure := ended_badly(t, x, said or seen.trouble):
        return failure
    if seen.limit:
        kind = K.MODEL_LIMIT if string(seen.limit, "rateLimitType") in _MODEL_LIMITS else K.USAGE_LIMIT
        resets = int(number(seen.limit, "resetsAt"))
        return Failure(kind, one_line(said), datetime.fromtimestamp(resets, UTC) if resets in _UNIX_TIMES else None)
    now = moment(t, x)
    if not result:
        if not stderr:  # an interrupt from outside ends it with 0 and without a result
            return Failure(K.KILLED, f"it ended without a result (exit code {x.code})")
        return classify(stderr, now, _SIGNATURES) or Failure(K.EMPTY, one_line(stderr))
    status = number(result, "api_error_status")
    facts = (
        string(result, "terminal_reason"),
        string(result, "api_error_type"),
        f"status {status:.0f}" if status else "",
        seen.trouble,
    )
    # Its words first: the facts beside them call a dropped connection a server error.
    found = classify(said, now, _SIGNATURES) or classify(" ".join(facts), now, detail=said)
    return found or Failure(K.MALFORMED, one_line(said))


def _request_limit_ms(limits: Limits) -> int:
    """How long one request may hang: so short that every retry of it fits into the turn's own limits, but a minute."""
    bounds = (600.0, limits.wall_s / 6, 0.45 * (limits.silence_s or limits.wall_s))
    return int(max(60.0, min(bounds)) * 1000)


def _resumes(t: TurnSpec) -> bool:
    return t.conversation is not None and t.conversation.native is not None


def _rule_path(path: Path) -> str:
    """A path as a permission rule has it: `//` is the root, what would be a pattern stands for any one letter."""
    return "/" + re.sub(r"[\[\](){}!*?\\]", "?", str(path))


def _sandbox(t: TurnSpec) -> Sandbox:
    """Its login and settings, and of the conversations only those held in this checkout."""
    config = Path(t.env.get("CLAUDE_CONFIG_DIR") or t.home / ".claude")
    slug = re.sub(r"[^a-zA-Z0-9]", "-", str(t.cwd))
    conversations = config / "projects"
    if len(slug) <= _LONGEST_SLUG and str(t.cwd).isascii():
        conversations /= slug
    login = (config / ".credentials.json", config / "settings.json")
    return Sandbox(read=login, write=(conversations,), masked=(config,))


def _use(block: dict[str, JSON]) -> Event:
    name, given = string(block, "name"), child(block, "input")
    path = string(given, "file_path") or string(given, "notebook_path")
    what = path or string(given, "command") or string(given, "pattern")
    return Event("tool", f"{name} {one_line(what)}".strip(), path if path and name in _FILE_TOOLS else None)


def _retry(line: dict[str, JSON]) -> str:
    attempt, most = number(line, "attempt"), number(line, "max_retries")
    status, error = number(line, "error_status"), string(line, "error")
    why = " ".join(filter(None, (f"status {status:.0f}" if status else "", error)))
    return f"retry {attempt:.0f} of {most:.0f}" + (f": {why}" if why else "")


def _denial(denial: dict[str, JSON]) -> str:
    given = child(denial, "tool_input")
    what = next((s for k in ("file_path", "command", "path", "pattern", "url") if (s := string(given, k))), "")
    return one_line(f"{string(denial, 'tool_name')} {what}".strip())


def _usage(result: dict[str, JSON]) -> Usage:
    """The conversation's running total: `modelUsage` and `total_cost_usd` count on across resumed turns."""
    models = [m for m in child(result, "modelUsage").values() if isinstance(m, dict)]
    cached = sum(int(number(m, "cacheReadInputTokens")) for m in models)
    fresh = sum(int(number(m, "inputTokens") + number(m, "cacheCreationInputTokens")) for m in models)
    return Usage(
        input_tokens=fresh + cached,
        output_tokens=sum(int(number(m, "outputTokens")) for m in models),
        cached_tokens=cached,
        cost_usd=float(number(result, "total_cost_usd")) if "total_cost_usd" in result else None,
    )
