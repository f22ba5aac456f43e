"""What of the person's environment a process of moot's may see."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import ConfigError
from moot.process.environment import FORGE_ACCESS, SAFE_GIT, base_environment


def test_only_what_is_allowed_passes() -> None:
    person = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/x",
        "https_proxy": "http://p",
        "AWS_SECRET_ACCESS_KEY": "s",
        "ANTHROPIC_API_KEY": "k",
        "PYTHONPATH": "/evil",
        "LD_PRELOAD": "/evil.so",
        "BASH_ENV": "/evil",
        "GIT_DIR": "/elsewhere",
    }
    kept = base_environment(person)
    assert {name for name in kept if name not in SAFE_GIT} == {"PATH", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy"}


def test_named_variables_pass_and_absent_ones_are_skipped() -> None:
    kept = base_environment({"ANTHROPIC_API_KEY": "k"}, pass_env=["ANTHROPIC_API_KEY", "OPENAI_API_KEY"])
    assert kept["ANTHROPIC_API_KEY"] == "k"
    assert "OPENAI_API_KEY" not in kept


@given(st.dictionaries(st.sampled_from([*sorted(FORGE_ACCESS), "PATH", "TERM"]), st.text()))
def test_no_access_to_a_forge_ever_passes(person: dict[str, str]) -> None:
    assert not base_environment(person).keys() & FORGE_ACCESS


@pytest.mark.parametrize("name", ["GH_TOKEN", "GITHUB_TOKEN", "github_token", "SSH_AUTH_SOCK"])
def test_asking_for_access_to_a_forge_is_refused_even_where_it_is_not_set(name: str) -> None:
    with pytest.raises(ConfigError) as refused:
        base_environment({}, pass_env=["TERM", name])
    assert name in refused.value.message
    assert refused.value.where == "pass_env"
    assert name in str(refused.value.next_step)


def test_pass_env_cannot_undo_the_safe_git_settings() -> None:
    kept = base_environment({"GIT_CONFIG_COUNT": "0", "GIT_PAGER": "evil"}, pass_env=["GIT_CONFIG_COUNT", "GIT_PAGER"])
    assert kept["GIT_CONFIG_COUNT"] == "3"
    assert kept["GIT_PAGER"] == "cat"


def test_git_runs_neither_the_hooks_nor_the_monitor_a_repository_brings(tmp_path: Path) -> None:
    env = base_environment({**os.environ, "HOME": str(tmp_path)})

    def git(*arguments: str, env: dict[str, str] = env) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], env=env, check=True, capture_output=True)

    git("init", "-q")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho sprung >>{tmp_path}/sprung\n")
    trap.chmod(0o755)
    (tmp_path / ".git" / "hooks" / "post-commit").symlink_to(trap)
    git("config", "core.fsmonitor", str(trap))
    git("add", "trap")
    git("commit", "-qm", "x")
    git("status")
    assert not (tmp_path / "sprung").exists()
    bare_of_safety = {name: value for name, value in env.items() if name not in SAFE_GIT}
    git("commit", "-qm", "y", "--allow-empty", env=bare_of_safety)
    assert (tmp_path / "sprung").exists()  # the trap works


def test_no_entry_of_path_may_be_relative_to_where_one_happens_to_be() -> None:
    kept = base_environment({"PATH": ":/usr/bin::.:node_modules/.bin:/bin:"})
    assert kept["PATH"] == "/usr/bin:/bin"
