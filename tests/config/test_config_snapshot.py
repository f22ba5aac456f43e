from __future__ import annotations

import json

import pytest

from moot.config.detected import with_detected
from moot.config.model import Config
from moot.config.snapshot import restore, snapshot
from moot.core.errors import ConfigError

USER = """
[vars]
secret = "{{ env.SECRET }}"
[agents.opus]
kind = "claude"
env = { API_KEY = "{{ env.SECRET }}", PLAIN = "1" }
timeout = "90s"
[roles.a]
agent = "opus"
prompt = "a.md"
[limits]
turn = "0.5s"
[change]
max_file = "3KB"
[ledger]
url = "postgresql://me:pa55@db/moot"
"""


@pytest.fixture
def loaded(place):
    place.environ["SECRET"] = "s3cr3t"
    place.user("Look at locks.", "a.md")
    place.user(USER)
    return place.load().config


def test_a_snapshot_comes_back_as_it_was(loaded):
    assert restore(snapshot(loaded), loaded) == loaded.model_copy(update={"vars": {}})


def test_the_run_goes_on_as_it_began_when_the_files_change(place, loaded):
    stored = snapshot(loaded)
    place.user("Now look at colours.", "a.md")
    place.user(USER.replace('turn = "0.5s"', 'turn = "9s"'))
    restored = restore(stored, place.load().config)
    assert restored.limits.turn == 0.5
    assert restored.role("a").prompt == "Look at locks."


def test_a_snapshot_holds_no_secret(loaded):
    stored = snapshot(loaded)
    assert "s3cr3t" not in stored
    assert "pa55" not in stored
    assert json.loads(stored)["config"]["agents"]["opus"]["env"] == ["API_KEY", "PLAIN"]


def test_values_of_the_environment_are_todays(place, loaded):
    stored = snapshot(loaded)
    place.environ["SECRET"] = "renewed"
    assert restore(stored, place.load().config).agents["opus"].env == {"API_KEY": "renewed", "PLAIN": "1"}


def test_a_variable_that_is_gone_is_an_error_that_names_it(loaded):
    with pytest.raises(ConfigError) as caught:
        restore(snapshot(loaded), Config())
    assert str(caught.value) == (
        'the run was created with API_KEY, PLAIN in the environment of agent "opus", set nowhere now\n'
        "next: set agents.opus.env.API_KEY in your configuration, then resume"
    )


@pytest.mark.parametrize("stored", ['{"schema": 2, "config": {}}', '{"schema": 1, "config": {"agents": {}, "new": 1}}'])
def test_a_snapshot_of_another_version_is_refused(stored):
    with pytest.raises(ConfigError, match="another version of moot"):
        restore(stored, Config())


def test_detected_clis_are_the_agents_where_none_is_configured():
    config = with_detected(Config(), ["claude", "codex"])
    assert [(a.kind, a.account) for a in map(config.agent, config.agents)] == [("claude", "claude"), ("codex", "codex")]
    assert restore(snapshot(config), Config()) == config


def test_detected_clis_do_not_join_configured_agents(loaded):
    assert with_detected(loaded, ["codex"]) == loaded


def test_an_analyzer_of_ones_own_does_not_keep_detected_clis_away(place):
    place.user('[agents.semgrep]\nkind = "analyzer"\ncommand = ["semgrep"]\n')
    assert set(with_detected(place.load().config, ["claude"]).agents) == {"claude", "semgrep"}
