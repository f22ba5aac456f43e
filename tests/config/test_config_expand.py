from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.config.expand import Names, expand

NAMES = Names({"HOME": "/home/ann", "TRICK": "{{ env.HOME }}"}, "/src/app", {"tool": "rg", "url": "http://x"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ env.HOME }}/x", "/home/ann/x"),
        ("{{env.HOME}}{{vars.tool}}", "/home/annrg"),
        ("{{ repo }}/tools", "/src/app/tools"),
        ("{base} {head} {{}", "{base} {head} {{}"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("{{{{ .Names }}", "{{ .Names }}"),
        ("a }} b {{ c", "a }} b {{ c"),
        ("{{ env.TRICK }}", "{{ env.HOME }}"),
    ],
)
def test_names_are_replaced_once_and_nothing_else_is(text, value):
    assert expand(text, NAMES) == value


@pytest.mark.parametrize(
    "text",
    ["{{ x }}", "{{ env }}", "{{ vars. }}", "{{ 'x' * 10**9 }}", "{{ env.HOME | upper }}", "{{ repo.name }}", "{{}}"],
)
def test_anything_else_between_braces_is_an_unknown_name(text):
    with pytest.raises(ValueError, match=r"unknown name .*: env\.NAME, vars\.NAME and repo are known"):
        expand(text, NAMES)


@given(st.text(st.sampled_from("{} abenv.rspo'*"), max_size=30))
def test_no_text_takes_long_or_fails_otherwise(text):
    try:
        expand(text, NAMES)
    except ValueError as error:
        assert "unknown name" in str(error) or "is not set" in str(error)


def test_outside_a_repository_its_name_stays(place):
    place.user('[prompts]\nall = "see {{ repo }}/README"\n')
    assert place.load(inside=False).config.prompts.all == "see {{ repo }}/README"
    assert place.load().config.prompts.all == f"see {place.folder}/repo/README"


def test_variables_reach_every_value_of_the_persons_files(place):
    place.environ["WHO"] = "ann"
    place.user(
        """
        include = ["team.toml"]
        [vars]
        model = "opus"
        who = "{{ env.WHO }}"
        [agents.a]
        kind = "claude"
        model = "{{ vars.model }}"
        args = ["--name", "{{ vars.who }}-{{ vars.team }}"]
        [agents.a.env]
        WHO = "{{ env.WHO }}"
        """
    )
    place.user('[vars]\nteam = "red"\nmodel = "haiku"\n', "team.toml")
    agent = place.load().config.agent("a")
    assert (agent.model, agent.args, agent.env) == ("opus", ("--name", "ann-red"), {"WHO": "ann"})


def test_a_variable_can_come_from_the_environment_or_a_flag(place):
    place.user('[vars]\nx = "file"\n[prompts]\nall = "{{ vars.x }}{{ vars.Y }}"\n')
    place.environ["MOOT_VARS__Y"] = "!"
    assert place.load(flags={"vars.x": "flag"}).config.prompts.all == "flag!"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[prompts]\nall = "{{ env.NOPE }}"\n', "home/config.toml:2: the environment variable NOPE is not set"),
        ('[prompts]\nall = "{{ vars.x }}"\n', 'home/config.toml:2: "vars.x" is not set (set: none)'),
        (
            '[vars]\na = "1"\nb = "{{ vars.a }}"\n',
            'home/config.toml:3: "{{ vars.a }}" cannot be used in another variable',
        ),
        (
            '[review]\nchecks = [\n "make",\n "docker ps --format {{.Names}}"]\n',
            'home/config.toml:4: unknown name "{{.Names}}": env.NAME, vars.NAME and repo are known, '
            "{{{{ is a literal {{",
        ),
    ],
)
def test_what_cannot_be_replaced_is_told_with_its_line(place, text, said):
    place.user(text)
    assert place.refusal() == said


def test_a_repository_reads_neither_the_environment_nor_the_persons_variables(place):
    place.environ["TOKEN"] = "secret"
    place.user('[vars]\ntoken = "{{ env.TOKEN }}"\n')
    place.repo('[prompts]\nall = "{{ vars.token }}"\nreview = "{{ env.TOKEN }}"\n')
    assert place.refusal().splitlines() == [
        '.moot.toml:2: "vars.token" is not set (set: none)',
        '.moot.toml:3: "{{ env.TOKEN }}" cannot be used in a repository\'s file',
    ]


def test_a_repositorys_variables_do_not_reach_the_persons_files(place):
    place.user('[vars]\ntool = "/usr/bin/rg"\n[agents.a]\nkind = "command"\ncommand = ["{{ vars.tool }}"]\n')
    place.repo('[vars]\ntool = "./evil"\n[prompts]\nall = "use {{ vars.tool }} in {{ repo }}"\n')
    config = place.load().config
    assert config.agent("a").command == ("/usr/bin/rg",)
    assert config.prompts.all == f"use ./evil in {place.folder}/repo"
