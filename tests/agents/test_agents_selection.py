"""What is found on a machine, on made-up installations of every shape."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from moot.agents.registry import KINDS, adapter, control_paths
from moot.agents.selection import detect, program_paths, resolve
from moot.core.errors import ConfigError
from moot.core.process import Command, Sandbox
from moot.core.turns import Agent
from moot.process.local import LocalProcess


def program(path: Path, text: str = "\x7fELF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def npm_codex(prefix: Path) -> tuple[Path, Path]:
    """Codex as `npm install -g` lays it out: a script on PATH and the native package below. Returns both."""
    modules = prefix / "lib" / "node_modules" / "@openai" / "codex"
    script = program(modules / "bin" / "codex.js", "#!/usr/bin/env node\n")
    (modules / "package.json").write_text(json.dumps({"version": "0.171.0"}))
    package = modules / "node_modules" / "@openai" / "codex-linux-x64"
    native = program(package / "vendor" / "x86_64-unknown-linux-musl" / "bin" / "codex")
    (package / "package.json").write_text(json.dumps({"version": "0.171.0-linux-x64"}))
    link = prefix / "bin" / "codex"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(script)
    return link, native


def native_claude(home: Path) -> tuple[Path, Path]:
    """Claude Code as its own installer lays it out."""
    binary = program(home / ".local" / "share" / "claude" / "versions" / "2.1.332")
    link = home / ".local" / "bin" / "claude"
    link.parent.mkdir(parents=True)
    link.symlink_to(binary)
    return link, binary


def test_agent_clis_are_found_with_their_version_and_native_program(tmp_path: Path) -> None:
    claude, binary = native_claude(tmp_path)
    codex, native = npm_codex(tmp_path / "node")
    found = detect({"PATH": f"{claude.parent}:{codex.parent}"})
    assert [(f.kind, f.program, f.version) for f in found] == [
        ("claude", binary, "2.1.332"),
        ("codex", native, "0.171.0"),
    ]


def test_nothing_is_found_on_an_empty_path(tmp_path: Path) -> None:
    assert detect({"PATH": str(tmp_path)}) == ()
    assert detect({"PATH": ""}) == ()


def test_an_agent_resolves_to_the_program_that_starts_it(tmp_path: Path) -> None:
    codex, native = npm_codex(tmp_path / "node")
    environ = {"PATH": str(codex.parent), "HOME": str(tmp_path)}
    for named in (None, "codex", str(codex)):
        resolved = resolve(Agent("gpt", "codex", program=named), environ)
        assert resolved is not None
        assert resolved.program == str(native)
        assert resolved.args == ()
    assert resolve(Agent("gpt", "codex", program="/no/such"), environ) is None
    assert resolve(Agent("opus", "claude"), environ) is None


def test_a_script_without_a_native_program_is_started_itself(tmp_path: Path) -> None:
    script = program(tmp_path / "lib" / "node_modules" / "@openai" / "codex" / "codex.js", "#!/usr/bin/env node\n")
    resolved = resolve(Agent("gpt", "codex", program=str(script)), {"PATH": "", "HOME": str(tmp_path)})
    assert resolved is not None
    assert resolved.program == str(script)


def test_a_command_resolves_if_its_program_is_there(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"]}
    mine = Agent("mine", "command", command=("sh", "-c", "true"))
    assert resolve(mine, environ) == mine
    assert resolve(replace(mine, command=("no-such-program",)), environ) is None


def test_the_persons_mcp_servers_are_named_so_that_codex_leaves_them_out(tmp_path: Path) -> None:
    codex, _ = npm_codex(tmp_path / "node")
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    config = home / ".codex" / "config.toml"
    environ = {"PATH": str(codex.parent), "HOME": str(home)}
    agent = Agent("gpt", "codex", args=("--mine",))
    for text in ("", "not toml [", "mcp_servers = 3"):
        config.write_text(text)
        assert resolve(agent, environ).args == ("--mine",)
    config.write_text('[mcp_servers.one]\ncommand = "x"\n[mcp_servers."two words"]\nurl = "y"\n')
    off = ("-c", 'mcp_servers={"one"={enabled=false},"two words"={enabled=false}}')
    assert resolve(agent, environ).args == (*off, "--mine")
    elsewhere = replace(agent, env={"CODEX_HOME": str(home / ".codex")})
    assert resolve(elsewhere, {**environ, "HOME": "/nowhere"}).args == (*off, "--mine")


def test_a_sandbox_is_shown_what_a_program_is_part_of_and_never_a_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "package.json").write_text("{}")  # as careless people have it
    alone = program(home / "bin" / "reviewer", "#!/bin/sh\n")
    assert program_paths(alone) == (alone, Path("/bin/sh"))
    link, binary = native_claude(home)
    assert program_paths(link) == (link, binary)
    codex, native = npm_codex(home / ".nvm" / "v22")
    modules = home / ".nvm" / "v22" / "lib" / "node_modules"
    assert program_paths(native) == (modules,)
    assert {codex, modules} <= set(program_paths(codex))
    shim = program(home / ".pyenv" / "shims" / "python3", "#!/bin/sh\n")
    assert home / ".pyenv" in program_paths(shim)
    assert program_paths(Path("/no/such/program")) == ()


def test_a_program_of_a_virtual_environment_starts_in_the_sandbox(caged: None) -> None:
    python = Path(sys.executable)
    walls = Sandbox(read=program_paths(python))
    command = Command((str(python), "-c", "import hypothesis"), Path("/"), {"PATH": "/usr/bin"}, sandbox=walls)
    done = asyncio.run(LocalProcess().run(command))
    assert done.ok, done.err


def test_every_kind_has_an_adapter_that_calls_itself_so() -> None:
    for kind in KINDS:
        assert adapter(kind).kind == kind
        assert adapter(kind) is adapter(kind)


def test_an_unknown_kind_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no agent kind is called 'oracle'") as raised:
        adapter("oracle")
    assert "claude" in str(raised.value.next_step)


def test_no_kind_is_imported_before_it_is_asked_for() -> None:
    check = "import sys, moot.agents.registry; sys.exit(any(m.endswith(('.claude', '.codex')) for m in sys.modules))"
    done = asyncio.run(LocalProcess().run(Command((sys.executable, "-c", check), Path("/"), {})))
    assert done.ok


def test_what_agent_clis_obey_is_hidden_once_each() -> None:
    hidden = control_paths()
    assert {"CLAUDE.md", "AGENTS.md", ".claude", ".codex", ".mcp.json", "GEMINI.md", ".github/hooks"} <= set(hidden)
    assert len(hidden) == len(set(hidden))
    assert all(p and not p.startswith("/") for p in hidden)
