"""The `command` kind: any program that takes the prompt on standard input and prints its reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import ClassVar

from moot.agents.environment import agent_environment, session_id
from moot.agents.failures import classify, ended_badly, moment, one_line
from moot.core.data import JSON
from moot.core.process import Command, Done, Ending, Exited, Limits, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, FailureKind, Health, Reply, TurnSpec

_PLACEHOLDER = re.compile(r"\{(base|head|prompt_file|cwd|session|label|change_file|schema_file)\}")
#: A command may drive any agent CLI, so this is what those of the field obey in a checkout, measured on nine of them.
_CONTROL_FILES = (
    *(
        "AGENT.md",
        "AGENTS.md",
        "AGENTS.override.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "CONTEXT.md",
        "GEMINI.md",
        "QWEN.md",
    ),
    *("WATCHDOG.md", ".rules", ".cursorrules", ".windsurfrules", ".clinerules"),
    *(
        ".agent",
        ".agents",
        ".claude",
        ".claude-plugin",
        ".cline",
        ".codex",
        ".copilot",
        ".cursor",
        ".factory",
        ".gemini",
    ),
    *(".omp", ".omp-plugin", ".opencode", ".pi", ".qwen", ".vscode", ".windsurf"),
    *(".github/agents", ".github/copilot", ".github/copilot-instructions.md", ".github/extensions", ".github/hooks"),
    *(".github/instructions", ".github/lsp.json", ".github/mcp.json", ".github/prompts", ".github/skills"),
    *(".lsp.json", ".mcp.json", "mcp.json", "opencode.json", "opencode.jsonc", "bunfig.toml"),
    *(".env", ".env.*", ".envrc", ".gitmodules", ".npmrc", ".ripgreprc"),
)


class CommandLine:
    """Drives a person's own program. It is told about its turn by `{placeholders}` and MOOT_* variables."""

    kind: ClassVar[str] = "command"
    streams: ClassVar[bool] = False  # most print once, at the end
    config_paths: ClassVar[tuple[str, ...]] = _CONTROL_FILES
    environment: ClassVar[tuple[str, ...]] = ()

    def schema(self, schema: JSON) -> JSON:
        """Nothing enforces it; the program may read it from its file."""
        return schema

    def command(self, t: TurnSpec) -> Command:
        """Return the configured argv, placeholders filled in; other braces stay as they are."""
        values = {
            "base": t.base,
            "head": t.head,
            "prompt_file": str(t.prompt_file),
            "cwd": str(t.cwd),
            "session": session_id(t),
            "label": t.seat,
            "change_file": str(t.change_file),
            "schema_file": "" if t.schema_file is None else str(t.schema_file),
        }
        argv = tuple(_PLACEHOLDER.sub(lambda m: values[m[1]], word) for word in (*t.agent.command, *t.agent.args))
        named = tuple(Path(word) for word in (*t.agent.command, *t.agent.args) if PurePath(word).is_absolute())
        return Command(
            argv=argv,
            cwd=t.cwd,
            env=agent_environment(t, {}),
            stdin=t.prompt_file,
            limits=t.limits,
            sandbox=Sandbox(read=named),
        )

    def events(self, stdout: Iterable[bytes]) -> Iterator[Event]:
        """Yield each line it prints."""
        for line in stdout:
            if text := line.decode(errors="replace").strip():
                yield Event("text", text)

    def reply(self, t: TurnSpec, x: Exited, out: bytes, err: bytes) -> Reply | Failure:
        """Take standard output as the reply if the program exited with 0."""
        text, said = out.decode(errors="replace").strip(), err.decode(errors="replace").strip()
        last = _last_line(said or text)
        if failure := ended_badly(t, x, last):
            return failure
        if x.code not in (0, None):  # unknown where the runner was killed and the job adopted
            known = classify(f"{said}\n{text}", moment(t, x), detail=last)
            kind = FailureKind.MALFORMED if text else FailureKind.EMPTY
            return known or Failure(kind, one_line(f"exit code {x.code}: {last}" if last else f"exit code {x.code}"))
        if not text:
            return Failure(FailureKind.EMPTY, one_line(f"it printed nothing: {last}" if last else "it printed nothing"))
        return Reply(text, conversation=session_id(t) if _remembers(t.agent) else None)

    def takeover(self, a: Agent, c: Conversation) -> Command:
        """Return the program itself, started by hand; whether it has anything to take over is its own affair."""
        return Command(argv=a.command, cwd=c.cwd, env={"MOOT_SESSION": c.native or ""})

    def login(self, a: Agent) -> Command:
        """Return a command that finds the program without running it."""
        return Command(
            argv=("/bin/sh", "-c", 'command -v -- "$1"', "sh", a.command[0]), cwd=Path("/"), limits=Limits(wall_s=10)
        )

    def health(self, a: Agent, d: Done) -> Health:
        """Say whether the program is there."""
        if d.ending is Ending.EXITED and d.code == 0:
            return Health(True, d.out.decode(errors="replace").strip())
        return Health(False, f"{a.command[0]} is not found", f"install it, or change agents.{a.name}.command")


def _remembers(agent: Agent) -> bool:
    """Whether the program keeps a conversation: it says so by taking `{session}`. Others always get everything."""
    return any("{session}" in word for word in agent.command)


def _last_line(text: str) -> str:
    return text.rsplit("\n", 1)[-1].strip()
