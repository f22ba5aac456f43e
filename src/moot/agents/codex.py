"""The `codex` kind: OpenAI's Codex CLI, driven headless inside a permission profile of moot's own.

Flags, formats and traps were measured on version 0.171.0; `tests/agents/test_agents_codex.py` drives the real CLI.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from moot.agents.environment import agent_environment
from moot.agents.failures import classify, ended_badly, moment, one_line, signatures
from moot.agents.jsonl import child, items, number, objects, string
from moot.agents.strict_schema import strict
from moot.core.data import JSON
from moot.core.process import Command, Done, Ending, Exited, Limits, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Health, Reply, TurnSpec, Usage

K = FailureKind

#: Switched off: what the checkout or the person's other work could bring in, and waiting for the network for ever.
#: As a table, because an unknown name in it is ignored, while `--disable` refuses one.
_FEATURES = (
    "apps",
    "browser_use",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "in_app_browser",
    "memories",
    "multi_agent",
    "plugins",
    "remote_plugin",
    "unbounded_connection_retries",
)
#: What commands that the model runs may see of the environment.
_SHELL_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_*", "TERM", "TMPDIR", "GIT_*", "MOOT_*")
_PROFILE = "moot"

_SIGNATURES = signatures(
    (K.CONVERSATION_LOST, r"no rollout found for thread id|thread/resume failed"),
    (K.NOT_INSTALLED, r"error: (?:unexpected argument|invalid value|unrecognized subcommand)|error loading config"),
    (K.LOGIN, r"refresh token|please (?:log|sign) in"),
)
_PATTERN = re.compile(r"[*?\[\]{}]")
_REFUSED = re.compile(r"error=((?:patch rejected|approval policy is never)[^\n]*)", re.IGNORECASE)


class Codex:
    """Drives `codex exec --json`, one process per turn, prompt on standard input, events on standard output."""

    kind: ClassVar[str] = "codex"
    streams: ClassVar[bool] = True
    config_paths: ClassVar[tuple[str, ...]] = ("AGENTS.md", "AGENTS.override.md", ".agents", ".codex")
    environment: ClassVar[tuple[str, ...]] = (
        "CODEX_API_KEY",
        "CODEX_CA_CERTIFICATE",
        "CODEX_HOME",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_ORGANIZATION",
        "OPENAI_PROJECT",
    )

    def schema(self, schema: JSON) -> JSON:
        """Return the strict form that OpenAI enforces, None where `schema` has none."""
        return strict(schema)

    def command(self, t: TurnSpec) -> Command:
        """Return `codex exec … [resume ID] -`.

        The permission profile is the boundary: commands of the model see the system, the checkout and what the seat may
        read, no network and no home; a reading seat writes nothing. It replaces `-s` and wins over the person's own
        settings. Every option stands before `resume`, which refuses them behind it.
        """
        home = _home(t)
        argv = [t.agent.program or self.kind, "exec", "--json", "--color", "never"]
        argv += ["--skip-git-repo-check", "--ignore-rules"]
        for key, value in self._settings(t, home).items():
            argv += ["-c", f"{key}={_toml(value)}"]
        if t.agent.model:
            argv += ["-m", t.agent.model]
        if t.schema is not None and t.schema_file is not None:
            argv += ["--output-schema", str(t.schema_file)]
        argv += t.agent.args
        if t.conversation is not None and t.conversation.native is not None:
            argv += ["resume", t.conversation.native]
        env = agent_environment(t, {})
        temporary = Path(env.get("TMPDIR") or "/tmp")  # noqa: S108  the system's own, not a file of ours
        if home.is_relative_to(temporary):  # there codex makes no sandbox helper and every command fails
            env["TMPDIR"] = "/var/tmp"  # noqa: S108
        return Command(
            argv=(*argv, "-"),
            cwd=t.cwd,
            env=env,
            stdin=t.prompt_file,
            limits=t.limits,
            sandbox=Sandbox(
                read=tuple(home / name for name in ("auth.json", "config.toml", ".env", "AGENTS.md")),
                write=(home / "sessions",),
                masked=(home,),
            ),
        )

    def events(self, stdout: Iterable[bytes]) -> Iterator[Event]:
        """Yield texts, commands, file changes, retries and usage."""
        for line in objects(stdout):
            item = child(line, "item")
            match line.get("type"), item.get("type"):
                case "item.completed", "agent_message":
                    yield Event("text", string(item, "text"))
                case "item.started", "command_execution":
                    yield Event("tool", one_line(string(item, "command")))
                case "item.completed", "file_change":
                    for change in items(item, "changes"):
                        path = string(change, "path")
                        yield Event("tool", f"{string(change, 'kind')} {path}", path)
                case "item.completed", "error":
                    yield Event("notice", one_line(string(item, "message")))
                case "error", _:
                    message = one_line(string(line, "message"))
                    yield Event("retry" if message.startswith("Reconnecting") else "notice", message)
                case "turn.completed", _:
                    yield Event("usage", f"{_usage(child(line, 'usage')).tokens} tokens")

    def reply(self, t: TurnSpec, x: Exited, out: bytes, err: bytes) -> Reply | Failure:
        """Take the last message of a completed turn. `error` lines may be mere retries; `turn.failed` is final."""
        thread: str | None = None
        text, trouble, failed, completed = "", "", False, False
        usage = Usage()
        for line in objects(out.splitlines()):
            match line.get("type"):
                case "thread.started":
                    thread = string(line, "thread_id") or None
                case "item.completed" if string(child(line, "item"), "type") == "agent_message":
                    text = string(child(line, "item"), "text")
                case "error":
                    trouble = string(line, "message")
                case "turn.failed":
                    failed, trouble = True, string(child(line, "error"), "message") or trouble
                case "turn.completed":
                    completed, usage = True, _usage(child(line, "usage"))
        stderr = err.decode(errors="replace")
        if failure := ended_badly(t, x, trouble):
            return _with(failure, thread)
        if failed or not completed:
            said = trouble if failed else _complaint(stderr) or trouble
            detail = one_line(_worded(said)) or f"it ended early (exit code {x.code})"
            found = classify(said, moment(t, x), _SIGNATURES, detail=detail)
            return _with(found or Failure(K.MALFORMED if failed else K.EMPTY, detail), thread)
        if not text.strip():
            return Failure(K.EMPTY, "it ended without a word", None, thread, usage, cumulative=True)
        refused = tuple(one_line(m[1]) for m in _REFUSED.finditer(stderr))
        return Reply(text, conversation=thread, usage=usage, cumulative=True, denied=refused)

    def takeover(self, a: Agent, c: Conversation) -> Command:
        """Return `codex resume …`, with the person's own settings and permissions."""
        return Command(argv=(a.program or self.kind, "resume", c.native or ""), cwd=c.cwd)

    def login(self, a: Agent) -> Command:
        """Return `codex doctor`, which knows the keys of other providers too; `codex login status` does not."""
        return Command(argv=(a.program or self.kind, "doctor", "--json"), cwd=Path("/"), limits=Limits(wall_s=30))

    def health(self, a: Agent, d: Done) -> Health:
        """Read the part of `codex doctor` about credentials."""
        if d.ending is Ending.UNSTARTABLE:
            return Health(False, "Codex is not installed", "npm install -g @openai/codex")
        try:
            report = json.loads(d.out)
        except ValueError:
            summary = one_line((d.err or d.out).decode(errors="replace")) or "it says nothing"
            return Health(False, summary, "npm install -g @openai/codex@latest")
        version, auth = string(report, "codexVersion"), child(child(report, "checks"), "auth.credentials")
        summary = ", ".join(filter(None, (version, string(auth, "summary") or "not logged in")))
        if string(auth, "status") == "ok":
            return Health(True, summary)
        return Health(False, summary, string(auth, "remediation") or "codex login")

    def _settings(self, t: TurnSpec, home: Path) -> dict[str, JSON]:
        reading = [str(path) for path in (t.change_file, home / "tmp", *_installation(t.agent), *t.read)]
        # A profile takes a path with such letters for a pattern, which may only forbid: it stays unreadable.
        files: dict[str, JSON] = {":minimal": "read", **{p: "read" for p in reading if not _PATTERN.search(p)}}
        files[":workspace_roots"] = {".": "write" if t.write else "read"}
        if t.write:
            files[str(t.job / "mail")] = "write"
        settings: dict[str, JSON] = {
            "projects": {str(t.cwd): {"trust_level": "untrusted"}},
            "project_doc_max_bytes": 0,
            "skills.include_instructions": False,
            "features": dict.fromkeys(_FEATURES, False),
            "web_search": "disabled",
            "notify": [],
            "check_for_update_on_startup": False,
            "allow_login_shell": False,
            "shell_environment_policy.include_only": list(_SHELL_ENVIRONMENT),
            "default_permissions": _PROFILE,
            f"permissions.{_PROFILE}.filesystem": files,
        }
        if t.agent.effort:
            settings["model_reasoning_effort"] = t.agent.effort
        return settings


def _home(t: TurnSpec) -> Path:
    return Path(t.env.get("CODEX_HOME") or t.home / ".codex")


def _installation(a: Agent) -> tuple[Path, ...]:
    """What must be readable for commands to start: the binary, which is also their sandbox, and its own ripgrep."""
    if a.program is None:
        return ()
    program = Path(a.program)
    return program, program.parent.parent / "codex-path"


def _toml(value: JSON) -> str:
    """Write a value as TOML; objects as inline tables, whose keys are quoted."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ",".join(f"{_toml(k)}={_toml(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_toml, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _usage(total: dict[str, JSON]) -> Usage:
    """The thread's running total; input tokens include the cached ones. Codex names no price."""
    return Usage(
        input_tokens=int(number(total, "input_tokens")),
        output_tokens=int(number(total, "output_tokens")),
        cached_tokens=int(number(total, "cached_input_tokens")),
    )


def _with(failure: Failure, thread: str | None) -> Failure:
    alive = failure.kind not in (K.CONVERSATION_LOST, K.NOT_INSTALLED)
    return replace(failure, conversation=thread if alive else None)


def _worded(message: str) -> str:
    """The sentence in a message that is an API's whole error document."""
    document = next(objects([message.encode()]), {})
    return string(child(document, "error"), "message") or message


def _complaint(stderr: str) -> str:
    """What standard error says is wrong, without the warnings before it and the advice or backtrace behind it."""
    lines = [line.strip() for line in stderr.splitlines()]
    start = next((n for n, line in enumerate(lines) if line.lower().startswith("error")), None)
    if start is None:
        return lines[-1] if lines else ""
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    return " ".join(lines[start : min(end, start + 2)])
