"""A machine on which reviews happen: a person's home, a repository, scripted agents, and moot itself, for real."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

ACTOR = Path(__file__).with_name("review_actor.py")
#: The interpreter itself: what a virtual environment links to starts with less, and shows in a cage as it is.
PYTHON = os.path.realpath(sys.executable)

BASE = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "store.py": "def load(path):\n    return open(path).read()\n",
    "README.md": "# A calculator\n",
}
HEAD = {
    "calc.py": "def add(a, b):\n    return a + b\n\n\ndef div(a, b):\n    return a / b\n",
    "store.py": BASE["store.py"] + "\n\ndef save(path, text):\n    open(path, 'w').write(text)\n",
}


def finding(path: str, line: int, quote: str, title: str, severity: str = "high", **more: object) -> dict[str, object]:
    """Return a finding as a reviewer reports it."""
    return {
        "path": path,
        "line": line,
        "quote": quote,
        "title": title,
        "severity": severity,
        "body": f"{title}.",
        "scenario": f"Because of line {line}: {title.lower()}",
        **more,
    }


DIVISION = finding("calc.py", 6, "return a / b", "Division by zero is not handled")
LEAK = finding(
    "store.py", 6, "open(path, 'w').write(text)", "The file is never closed", "medium", category="resource-leak"
)


@dataclass(frozen=True)
class Ran:
    """What one command of moot's came to."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> dict[str, Any]:
        """The JSON it printed."""
        return json.loads(self.out)

    def seat(self, name: str) -> dict[str, Any]:
        """One seat of the result."""
        return next(s for s in self.result["seats"] if s["seat"] == name)

    @property
    def titles(self) -> list[str]:
        """The titles of the findings."""
        return [f["title"] for f in self.result["findings"]]


@dataclass(frozen=True)
class Entry:
    """One turn of an agent, as its diary has it. `end` is None for one that was killed."""

    agent: str
    run: str
    seat: str
    turn: str
    node: str
    begin: float
    end: float | None


@dataclass
class World:
    """One machine with one person and one repository; everything of it is below `folder`."""

    folder: Path
    tables: dict[str, dict[str, object]] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    children: list[subprocess.Popen[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for path in (self.home, self.person, self.actors, self.diaries):
            path.mkdir(parents=True)
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.person),
            "MOOT_HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "200",
        }

    @property
    def home(self) -> Path:
        return self.folder / "moot-home"

    @property
    def person(self) -> Path:
        return self.folder / "person"

    @property
    def repo(self) -> Path:
        return self.folder / "repo"

    @property
    def actors(self) -> Path:
        return self.folder / "actors"

    @property
    def diaries(self) -> Path:
        return self.folder / "diaries"

    # ---- what the person has

    def git(self, *args: str, at: Path | None = None) -> str:
        """Call git as the person."""
        who = {f"GIT_{w}_{k}": v for w in ("AUTHOR", "COMMITTER") for k, v in (("NAME", "Ann"), ("EMAIL", "a@b.c"))}
        done = subprocess.run(
            ["git", *args], cwd=at or self.repo, env={**self.environ, **who}, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str]) -> None:
        """Write files into the person's work tree."""
        for name, text in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, files: Mapping[str, str], message: str = "work") -> str:
        """Commit files on the branch checked out; return the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    # ---- who can be asked

    def agent(self, name: str, script: str = "", *, session: bool = False, **options: object) -> str:
        """Configure an agent that does what `script` says (Python, after review_actor.py); return its name.

        Args:
            session: whether its command names the conversation, so that it can remember.
            options: further keys of its table.
        """
        self.rewrite(name, script or "review()")
        env = {"ACTOR_DIARY": str(self.diaries / name), **dict(options.pop("env", {}))}  # type: ignore[call-overload]
        self.table(
            f"agents.{name}",
            kind="command",
            command=[PYTHON, "-IS", str(self.actors / f"{name}.py"), *(["{session}"] if session else [])],
            env=env,
            write=[str(self.diaries)],
            **options,
        )
        return name

    def claude(self, name: str, script: str, **options: object) -> str:
        """Configure an agent of kind `claude` whose program is a script like any other here."""
        self.rewrite(name, script)
        env = {"ACTOR_DIARY": str(self.diaries / name)}
        program = str(self.actors / f"{name}.py")
        self.table(
            f"agents.{name}", kind="claude", program=program, env=env, write=[str(self.diaries)], **options
        )  # fmt: skip
        return name

    def rewrite(self, name: str, script: str) -> None:
        """Have the agent do something else from now on."""
        program = self.actors / f"{name}.py"
        program.write_text(f"#!{PYTHON} -IS\n{ACTOR.read_text()}\n{script}\nend()\n")
        program.chmod(0o755)

    def reviewer(self, name: str, *findings: object, **options: object) -> str:
        """Configure an agent that reads everything, reports these findings, and as a judge keeps all it is shown."""
        script = f"review({list(findings)!r}) if node == 'review' else rule()"
        return self.agent(name, script, **options)

    def table(self, section: str, **keys: object) -> None:
        """Set keys of a table of the person's configuration."""
        self.tables.setdefault(section, {}).update(keys)

    def panel(self, *reviewers: str, judge: str = "rules", **review: object) -> None:
        """Say who reviews."""
        self.table("review", reviewers=list(reviewers), judge=judge, **review)

    # ---- moot

    def moot(self, *args: str, stdin: bytes | io.BytesIO = b"", env: Mapping[str, str] | None = None) -> Ran:
        """Call `moot` in the repository, in this process: the whole command, from its arguments to its exit code."""
        from moot.cli.main import main

        self.configure()
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        given = io.TextIOWrapper(io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin)
        with (
            mock.patch.dict(os.environ, {**self.environ, **(env or {})}, clear=True),
            mock.patch.object(sys, "argv", ["moot", *args]),
            mock.patch.object(sys, "stdin", given),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            contextlib.chdir(self.repo if self.repo.exists() else self.folder),
        ):
            try:
                main()
            except SystemExit as e:
                code = e.code
        assert isinstance(code, int)
        ran = Ran(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]
        assert "--debug" in args or "Traceback" not in ran.err
        return ran

    def review(self, *args: str, **given: Any) -> Ran:
        """Call `moot review --json`. A result that is printed is held to its published schema."""
        ran = self.moot("review", "--json", *args, **given)
        if ran.out:
            _validator().validate(ran.result)
        return ran

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start `moot` as a process of its own."""
        self.configure()
        child = subprocess.Popen(
            [sys.executable, "-m", "moot", *args],
            cwd=self.repo, env={**self.environ, **(env or {})}, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.children.append(child)
        return child

    def end(self) -> None:
        """Kill what was started and still runs: moots, and the agents and runners of their turns."""
        for child in self.children:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            child.communicate()
        for pids in self.home.glob("runs/*/turns/*/*/pids"):
            for word in pids.read_text().split():
                if word.isdecimal() and self._ours(int(word)):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(int(word), signal.SIGKILL)

    def _ours(self, pid: int) -> bool:
        try:
            return os.fsencode(str(self.folder)) in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def configure(self) -> None:
        """Write the person's configuration as it is now; every call of moot does."""
        lines = []
        for section, keys in self.tables.items():
            lines += [f"[{section}]", *(f"{key} = {_toml(value)}" for key, value in keys.items()), ""]
        (self.home / "config.toml").write_text("\n".join(lines))

    # ---- what happened

    def runs(self) -> list[Path]:
        """The folders of all runs that were driven, oldest first."""
        locks = sorted((self.home / "runs").glob("*/driver.lock"), key=lambda lock: lock.stat().st_mtime_ns)
        return [lock.parent for lock in locks]

    @property
    def run(self) -> Path:
        """The folder of the one run there is, or the newest."""
        return self.runs()[-1]

    def job(self, seat: str, key: str = "review-1", attempt: int = 1, run: Path | None = None) -> Path:
        """The folder of a turn; `key` may be its beginning, and means the first one then."""
        found = ((run or self.run) / "turns" / seat).glob(f"{key}*.{attempt}")
        return min(found, key=lambda job: (job / "attempt.json").stat().st_mtime_ns)

    def prompt(self, seat: str, key: str = "review-1", attempt: int = 1, run: Path | None = None) -> str:
        """What was sent in a turn."""
        return (self.job(seat, key, attempt, run) / "prompt.md").read_text()

    def attempt(self, seat: str, key: str = "review-1", attempt: int = 1, run: Path | None = None) -> dict[str, Any]:
        """What was decided about a turn before it began."""
        return json.loads((self.job(seat, key, attempt, run) / "attempt.json").read_text())

    def diary(self, *agents: str) -> list[Entry]:
        """Every turn the agents were given, in the order of their beginning."""
        lines = [
            (path.name, json.loads(line))
            for path in self.diaries.iterdir()
            if not agents or path.name in agents
            for line in path.read_text().splitlines()
        ]
        ends = {(e["run"], e["seat"], e["turn"]): e["at"] for _, e in lines if e["what"] == "END"}
        begun = [
            Entry(agent, *(turn := (e["run"], e["seat"], e["turn"])), e["node"], e["at"], ends.get(turn))
            for agent, e in lines
            if e["what"] == "BEGIN"
        ]
        return sorted(begun, key=lambda e: e.begin)

    def noted(self, agent: str, what: str) -> list[dict[str, Any]]:
        """What an agent wrote into its diary of its own accord."""
        lines = (self.diaries / agent).read_text().splitlines()
        return [e for e in map(json.loads, lines) if e["what"] == what]


def eventually(answer: Callable[[], object], within_s: float = 30.0) -> Any:
    """Wait until `answer` says something true, and return it."""
    deadline = time.monotonic() + within_s
    while not (said := answer()):
        if time.monotonic() > deadline:
            raise AssertionError("it never happened")
        time.sleep(0.02)
    return said


def make(folder: Path, template: Path) -> Iterator[World]:
    """Make a world with a copy of the template's repository; end what is left of it afterwards."""
    world = World(folder)
    shutil.copytree(template, world.repo, symlinks=True)
    yield world
    world.end()


def make_repository(folder: Path) -> Path:
    """Make the repository that tests begin with: `main`, and `topic` checked out with a change of two files."""
    world = World(folder)
    world.repo.mkdir()
    world.git("init", "-q", "-b", "main")
    world.commit(BASE, "base")
    world.git("switch", "-q", "-c", "topic")
    world.commit(HEAD, "add division and saving")
    return world.repo


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(v)}" for key, v in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


_VALIDATORS: list[Any] = []


def _validator() -> Any:
    """A validator of results, by the schema that `moot config schema --result` prints."""
    if not _VALIDATORS:
        from jsonschema import Draft202012Validator

        from moot.config.schema import result_schema

        _VALIDATORS.append(Draft202012Validator(result_schema()))
    return _VALIDATORS[0]
