"""Which agents this machine has: programs on PATH, how they are started, and what must be visible for them to start."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from moot.core.turns import Agent

#: Kinds whose program is an agent CLI that can be found, by the program's name.
_PROGRAMS = {"claude": "claude", "codex": "codex"}

#: Where the npm packages of a CLI keep its native binary, relative to the package that holds the script on PATH.
_NATIVE = {
    "codex": (
        "node_modules/@openai/codex-*/vendor/*/bin/codex",
        "../codex-*/vendor/*/bin/codex",
        "vendor/*/bin/codex",
        "vendor/*/codex/codex",
    ),
    "claude": ("node_modules/@anthropic-ai/claude-code-*/claude", "../claude-code-*/claude"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """An agent CLI on PATH. `program` is the executable itself; `version` is what its files name, if they do."""

    kind: str
    program: Path
    version: str | None


def detect(environ: Mapping[str, str]) -> tuple[Found, ...]:
    """Return the agent CLIs on PATH, preferred ones first. Starts no process."""
    found = ((kind, _locate(kind, name, environ)) for kind, name in _PROGRAMS.items())
    return tuple(Found(kind, program, _version(program)) for kind, program in found if program is not None)


def resolve(agent: Agent, environ: Mapping[str, str]) -> Agent | None:
    """Return the agent as this machine can start it, None if its program is not there.

    `program` of an agent CLI becomes the absolute path of the executable, symbolic links resolved and an npm script
    replaced by the native binary it would start. What only this machine's files can tell is added to `args`.

    Args:
        environ: the person's environment: PATH, HOME, CODEX_HOME. The agent's own variables win.
    """
    environ = {**environ, **agent.env}
    if agent.kind not in _PROGRAMS:
        return agent if not agent.command or _which(agent.command[0], environ) else None
    program = _locate(agent.kind, agent.program or _PROGRAMS[agent.kind], environ)
    if program is None:
        return None
    args = (*_without_mcp_servers(environ), *agent.args) if agent.kind == "codex" else agent.args
    return replace(agent, program=str(program), args=args)


def program_paths(program: Path) -> tuple[Path, ...]:
    """Return what a sandbox must show read-only for `program` to start: itself, what it is part of, its interpreter.

    A bare name is looked for on this process's PATH. What lies below /usr is shown anyway and left out.
    """
    found = _which(str(program), os.environ)
    if found is None:
        return ()
    paths = [found, _part_of(found), _part_of(found.resolve())]
    interpreter = _interpreter(found)
    if interpreter is not None:
        paths += [interpreter, _part_of(interpreter), _part_of(interpreter.resolve())]
    shown = {*paths, Path("/usr")}
    return tuple(dict.fromkeys(p for p in paths if p != Path("/usr") and shown.isdisjoint(p.parents)))


def _which(name: str, environ: Mapping[str, str]) -> Path | None:
    found = shutil.which(os.path.expanduser(name), path=environ.get("PATH", os.defpath))
    return Path(found).absolute() if found else None


def _locate(kind: str, name: str, environ: Mapping[str, str]) -> Path | None:
    found = _which(name, environ)
    if found is None:
        return None
    real = found.resolve()
    package = _npm_package(real)
    if package is None or not _first_line(real).startswith(b"#!"):
        return real
    natives = (path for pattern in _NATIVE[kind] for path in sorted(package.glob(pattern)))
    return next((path.resolve() for path in natives if os.access(path, os.X_OK)), real)


def _npm_package(program: Path) -> Path | None:
    """The folder of the npm package that a program belongs to, if it does."""
    parts = program.parts
    if "node_modules" not in parts:
        return None
    name = len(parts) - parts[::-1].index("node_modules")
    return Path(*parts[: name + (2 if parts[name].startswith("@") else 1)])


def _part_of(program: Path) -> Path:
    """The installation a program cannot do without: npm's packages, a virtual environment, a version manager's tree.

    The program itself where it stands alone. Never the root, a home or what holds one.
    """
    if "node_modules" in program.parts:
        return Path(*program.parts[: program.parts.index("node_modules") + 1])
    folder, prefix = program.parent, program.parent.parent
    whole = folder.name == "shims" or (prefix / "pyvenv.cfg").is_file()
    if not program.is_symlink():  # an interpreter: its library stands beside it
        whole = whole or (program.name.startswith("python") and any(prefix.glob("lib/python3*")))
        whole = whole or (program.name == "node" and (prefix / "lib" / "node_modules").is_dir())
    return prefix if whole and not Path.home().is_relative_to(prefix) else program


def _interpreter(program: Path) -> Path | None:
    line = _first_line(program)
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
    return _which(words[0], os.environ) if words else None


def _first_line(program: Path) -> bytes:
    try:
        with program.open("rb") as f:
            return f.read(256).split(b"\n", 1)[0]
    except OSError:
        return b""


def _version(program: Path) -> str | None:
    """The version that the installation's own files name, without the platform that npm packages append."""
    if program.parent.name == "versions":  # Claude Code's installer names the binary by its version
        return program.name
    package = _npm_package(program)
    if package is None:
        return None
    try:
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return version.split("-")[0] if isinstance(version, str) else None


def _without_mcp_servers(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Options that keep the person's own MCP servers out of a Codex turn: each must be named, a table only adds."""
    home = Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "/")) / ".codex")
    try:
        servers = tomllib.loads((home / "config.toml").read_text(encoding="utf-8")).get("mcp_servers")
    except (OSError, ValueError):
        return ()
    if not isinstance(servers, dict) or not servers:
        return ()
    table = ",".join(f"{json.dumps(name, ensure_ascii=False)}={{enabled=false}}" for name in servers)
    return "-c", f"mcp_servers={{{table}}}"
