from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("MOOT_LANGUAGE", "de", "language", "de"),
        ("MOOT_BUDGET__RUN_COST_USD", "2.5", "budget.run_cost_usd", 2.5),
        ("MOOT_BUDGET__RUN_TURNS", "7", "budget.run_turns", 7),
        ("MOOT_LIMITS__TURN", "90s", "limits.turn", 90.0),
        ("MOOT_CHANGE__BATCH", "2KB", "change.batch", 2048),
        ("MOOT_REVIEW__JUDGE_OWN_PASS", "false", "review.judge_own_pass", False),
        ("MOOT_REVIEW__REVIEWERS", "ruff,typos", "review.reviewers", ("ruff", "typos")),
        ("MOOT_REVIEW__CHECKS", '["make a, b", "c"]', "review.checks", ("make a, b", "c")),
        ("MOOT_REVIEW__CHECKS", "", "review.checks", ()),
        ("MOOT_REVIEW__JUDGE", "rules", "review.judge", "rules"),
        ("MOOT_POLICY__SHOW", "high", "policy.show", "high"),
        ("MOOT_PROMPTS__ALL", "1 = [x", "prompts.all", "1 = [x"),
        ("MOOT_AGENTS__OPUS__MODEL", "4", "agents.opus.model", "4"),
        ("MOOT_AGENTS__MY_OWN__EFFORT", "low", "agents.My-Own.effort", "low"),
        ("MOOT_AGENTS__FRESH__KIND", "codex", "agents.fresh.kind", "codex"),
        ("MOOT_AGENTS__OPUS__ENV__Mixed_Case", "1", "agents.opus.env", {"Mixed_Case": "1"}),
        ("MOOT_ACCOUNTS__MAIN__CONCURRENCY", "9", "accounts.main.concurrency", 9),
        ("MOOT_VARS__Tool", "rg", "vars", {"Tool": "rg"}),
    ],
)
def test_a_variable_sets_its_key_in_the_type_of_the_key(place, variable, text, key, value):
    place.user('[agents.opus]\nkind = "claude"\n[agents.My-Own]\nkind = "codex"\n')
    place.environ[variable] = text
    loaded = place.load()
    found = loaded.config
    for part in key.split("."):
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    assert found == value
    if value != () and not isinstance(value, dict):
        assert loaded.origin(key) == f"${variable}"


@pytest.mark.parametrize(
    "variable", ["MOOT_HOME", "MOOT_RUN", "MOOT_SEAT", "MOOT_PROMPT_FILE", "MOOT_", "MOOT__", "MOOT___X", "OTHER__KEY"]
)
def test_other_variables_are_none_of_the_configurations_business(place, variable):
    place.environ[variable] = "x"
    assert place.load().layers == ()


def test_a_value_of_the_wrong_kind_is_told_by_the_variables_name(place):
    place.environ["MOOT_BUDGET__RUN_TURNS"] = "many"
    assert place.refusal() == '$MOOT_BUDGET__RUN_TURNS: "budget.run_turns" must be a whole number, not text ("many")'


def test_a_variable_that_puts_a_value_where_a_table_is_is_told(place):
    place.environ |= {"MOOT_AGENTS__OPUS": "claude", "MOOT_AGENTS__OPUS__KIND": "claude"}
    assert "must be a table" in place.refusal()


def test_variables_are_not_expanded(place):
    place.environ["MOOT_PROMPTS__ALL"] = "{{ env.HOME }}"
    assert place.load().config.prompts.all == "{{ env.HOME }}"
