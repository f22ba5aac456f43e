"""A seat for a real agent CLI: a home, a checkout, a change file, a scripted model, and jobs as moot runs them."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from model_server import ModelServer, Received, Script
from model_server import Reply as ModelReply
from moot.agents import selection
from moot.agents.base import Adapter
from moot.agents.registry import adapter
from moot.core.data import JSON
from moot.core.process import Command, Exited, Limits, Sandbox
from moot.core.turns import Agent, Conversation, Event, Failure, Reply, TurnSpec
from moot.process.environment import base_environment
from moot.process.local import LocalProcess
from moot.process.output import read_stderr, read_stdout

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "agents" / "node_modules"
BINARIES = {
    "claude": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex-*/vendor/*/bin/codex",
}
LIMITS = Limits(wall_s=60, silence_s=40)
#: What makes the real CLI talk to the scripted model at `{url}`: variables and arguments.
CREDENTIALS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "claude": (
        {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "sk-ant-test-0000", "CLAUDE_CODE_MAX_RETRIES": "1"},
        (),
    ),
    "codex": ({"SCRIPTED_KEY": "test-0000"}, ("-c", 'model_providers.scripted.base_url="{url}/v1"')),
}
CODEX_CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "Scripted"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
"""


def binary(kind: str) -> Path | None:
    """The pinned CLI that `scripts/setup-agents` installed."""
    return next(iter(sorted(CACHE.glob(BINARIES[kind]))), None)


@dataclass(frozen=True)
class Asked:
    """What came of one turn."""

    result: Reply | Failure
    ended: Exited
    events: tuple[Event, ...]
    requests: tuple[Received, ...]
    others: tuple[str, ...]
    out: bytes
    err: bytes
    spec: TurnSpec

    @property
    def reply(self) -> Reply:
        assert isinstance(self.result, Reply), f"{self.result}\n{self.out[-2000:]!r}\n{self.err[-2000:]!r}"
        return self.result

    @property
    def failure(self) -> Failure:
        assert isinstance(self.result, Failure), self.result
        return self.result

    @property
    def sent(self) -> str:
        """Everything the model was sent."""
        return "\n".join(r.everything for r in self.requests)

    @property
    def conversation(self) -> Conversation:
        """The conversation as a later turn gets it."""
        assert self.result.conversation is not None, self.result
        return Conversation(
            id="c1",
            kind=self.spec.agent.kind,
            native=self.result.conversation,
            account="",
            machine="here",
            cwd=self.spec.cwd,
            subject="repo#topic",
            seat=self.spec.seat,
        )


@dataclass
class Seat:
    """Where turns of one kind are asked. `ask` may run many times at once: each has a job of its own."""

    kind: str
    folder: Path
    agent: Agent
    process: LocalProcess = field(default_factory=LocalProcess)
    environ: dict[str, str] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @classmethod
    def make(cls, kind: str, program: Path, folder: Path) -> Seat:
        seat = cls(kind, folder, Agent(name=kind, kind=kind, program=str(program)))
        seat.environ = {"PATH": os.environ["PATH"], "HOME": str(seat.home), "LANG": "C.UTF-8", "TZ": "UTC"}
        for path in (seat.home / ".codex", seat.checkout, seat.change_file.parent):
            path.mkdir(parents=True)
        (seat.home / ".codex" / "config.toml").write_text(CODEX_CONFIG)
        (seat.checkout / "hello.py").write_text("print('hello')\n")
        seat.change_file.write_text("# The change\nreceipt: a1b2c3d4e5\n")
        seat.git("init", "-q", "-b", "main")
        seat.git("add", "-A")
        seat.git("commit", "-qm", "base")
        return seat

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def checkout(self) -> Path:
        return self.folder / "checkouts" / "topic"

    @property
    def change_file(self) -> Path:
        return self.folder / "run" / "files" / "change.md"

    @property
    def adapter(self) -> Adapter:
        return adapter(self.kind)

    def git(self, *args: str) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        done = subprocess.run(["git", *identity, *args], cwd=self.checkout, check=True, capture_output=True, text=True)
        return done.stdout

    def contents(self) -> dict[str, bytes | str]:
        """Every file of the checkout, `.git` included, and where links point."""
        found: dict[str, bytes | str] = {}
        for path in sorted(self.checkout.rglob("*")):
            name = str(path.relative_to(self.checkout))
            if path.is_symlink():
                found[name] = os.readlink(path)
            elif path.is_file():
                found[name] = path.read_bytes()
        return found

    def spec(
        self,
        *,
        prompt: str = "Please look at the change.",
        schema: JSON = None,
        conversation: Conversation | None = None,
        write: bool = False,
        limits: Limits = LIMITS,
        env: Mapping[str, str | None] | None = None,
        agent: Agent | None = None,
        read: tuple[Path, ...] = (),
    ) -> TurnSpec:
        """A turn's specification, its files written."""
        number = next(self._numbers)
        agent = agent or self.agent
        job = self.folder / "run" / "turns" / f"reviewer-{self.kind}" / f"review.{number}"
        (job / "mail").mkdir(parents=True)
        (job / "prompt.md").write_text(prompt)
        kind = self.adapter
        wanted = kind.schema(schema) if schema is not None else None
        if schema is not None:
            (job / "schema.json").write_text(json.dumps(wanted))
        base = base_environment(self.environ, (*kind.environment, *agent.pass_env))
        variables = {**base, **agent.env, **(env or {})}
        return TurnSpec(
            run="r1",
            seat=f"reviewer-{self.kind}",
            key=f"review.{number}",
            node="review",
            agent=agent,
            job=job,
            cwd=self.checkout,
            prompt_file=job / "prompt.md",
            change_file=self.change_file,
            schema_file=job / "schema.json" if schema is not None else None,
            schema=wanted,
            conversation=conversation,
            write=write,
            limits=limits,
            env={k: v for k, v in variables.items() if v is not None},
            home=self.home,
            base="0" * 40,
            head="1" * 40,
            read=read,
        )

    async def run(self, t: TurnSpec, *, caged: bool = False, stop_when: Path | None = None) -> Asked:
        """Run the turn as a job and read it. `stop_when`: stop the job as soon as that file exists."""
        command = self.adapter.command(t)
        command = replace(command, sandbox=self._walls(t, command) if caged else None)
        self.process.start(t.job, command)
        while not isinstance(state := self.process.look(t.job), Exited):
            if stop_when is not None and os.path.exists(stop_when):
                self.process.stop(t.job)
            await asyncio.sleep(0.02)
        out, err = read_stdout(t.job).data, read_stderr(t.job).data
        events = tuple(self.adapter.events(out.splitlines()))
        return Asked(self.adapter.reply(t, state, out, err), state, events, (), (), out, err, t)

    async def ask(
        self,
        *replies: ModelReply,
        caged: bool = False,
        stop_when: Path | None = None,
        env: Mapping[str, str | None] | None = None,
        agent: Agent | None = None,
        **turn: Any,
    ) -> Asked:
        """Ask one turn of the CLI, with a scripted model of its own behind it. `turn`: what `spec` takes."""
        with ModelServer((Script(replies),)) as server:
            variables, args = CREDENTIALS[self.kind]
            agent = agent or self.agent
            t = self.spec(
                env={**{k: v.format(url=server.url) for k, v in variables.items()}, **(env or {})},
                agent=replace(agent, args=(*(a.format(url=server.url) for a in args), *agent.args)),
                **turn,
            )
            asked = await self.run(t, caged=caged, stop_when=stop_when)
            return replace(asked, requests=tuple(server.main), others=tuple(server.others))

    def _walls(self, t: TurnSpec, command: Command) -> Sandbox:
        """The cage around the command, as the rooms above build it."""
        own = command.sandbox or Sandbox()
        for path in own.write:
            path.mkdir(parents=True, exist_ok=True)
        git = self.checkout / ".git"
        program = selection.program_paths(Path(command.argv[0]))
        read: Sequence[Path] = (*own.read, *program, t.job, t.change_file.parent, git, *t.read)
        write: Sequence[Path] = (*own.write, t.job / "mail")
        if t.write:
            write = (*write, self.checkout)
        else:
            read = (*read, self.checkout)
        return Sandbox(tuple(read), tuple(write), own.masked, own.network)


def assert_ends(mark: str) -> None:
    """Fail unless every process whose command line holds `mark` is gone soon."""
    deadline = time.monotonic() + 10
    while left := subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split():
        assert time.monotonic() < deadline, f"processes {left} outlived the turn"
        time.sleep(0.05)
