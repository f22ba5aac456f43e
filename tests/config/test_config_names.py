from __future__ import annotations

import pytest

from moot.config.names import ANALYZERS

AGENTS = """\
[agents.opus]
kind = "claude"
[agents.gpt]
kind = "codex"
[agents.shell]
kind = "command"
command = ["sh", "review.sh"]
reply = "text"
[agents.semgrep]
kind = "analyzer"
command = ["semgrep"]
"""

NAMES = {
    "a reviewer": (
        '[review]\nreviewers = [\n  "opus",\n  "opsu",\n]\n',
        'home/config.toml:15: "review.reviewers" must name an agent, role or analyzer, not "opsu", '
        'did you mean "opus"?',
    ),
    "a judge": (
        '[review]\njudge = "rule"\n',
        'home/config.toml:13: "review.judge" must name an agent, a role or "rules", not "rule"',
    ),
    "a judge that is an analyzer": (
        '[review]\njudge = "semgrep"\n',
        'home/config.toml:13: "review.judge" must name an agent, a role or "rules", not "semgrep"',
    ),
    "a judge that writes prose": (
        '[review]\njudge = "shell"\n',
        'home/config.toml:13: "shell" answers in prose and cannot be the judge',
    ),
    "a role whose agent writes prose as judge": (
        '[roles.chief]\nagent = "shell"\n[review]\njudge = "chief"\n',
        'home/config.toml:15: "chief" answers in prose and cannot be the judge',
    ),
    "a reviewer twice": (
        '[review]\nreviewers = ["opus", "gpt", "opus"]\n',
        'home/config.toml:13: "review.reviewers" names "opus" twice',
    ),
    "a required seat": (
        '[policy]\nrequired = ["gtp"]\n',
        'home/config.toml:13: "policy.required" must name an agent, role, analyzer or "judge", not "gtp", '
        'did you mean "gpt"?',
    ),
    "an optional seat": (
        '[policy]\noptional = ["rufff"]\n',
        'home/config.toml:13: "policy.optional" must name an agent, role or analyzer, not "rufff", '
        'did you mean "ruff"?',
    ),
    "a role asked by hand": (
        '[review]\nroles = ["opus"]\n',
        'home/config.toml:13: "review.roles" must name a role, not "opus"',
    ),
    "a role's agent": (
        '[roles.security]\nagent = "semgrep"\n',
        'home/config.toml:13: "roles.security.agent" must name an agent, not "semgrep"',
    ),
    "a role that reads nobody": (
        '[roles.security]\nagent = "opus"\nafter = ["gp"]\n',
        'home/config.toml:14: "roles.security.after" must name an agent, role or analyzer, not "gp", '
        'did you mean "gpt"?',
    ),
    "a role of an agent's name": (
        '[roles.opus]\nagent = "opus"\n',
        'home/config.toml:12: "opus" is an agent already; a role needs a name of its own',
    ),
    "a role of moot's own name": (
        '[roles.rules]\nagent = "opus"\n',
        'home/config.toml:12: "rules" is a name of moot\'s own and cannot be a role',
    ),
    "an agent of moot's own name": (
        '[agents.ruff]\nkind = "claude"\n',
        'home/config.toml:12: "ruff" is a name of moot\'s own and cannot be an agent',
    ),
    "a substitute": (
        '[agents.third]\nkind = "claude"\nsubstitutes = ["semgrep"]\n',
        'home/config.toml:14: "agents.third.substitutes" must name another agent, not "semgrep"',
    ),
    "itself as a substitute": (
        '[agents.third]\nkind = "claude"\nsubstitutes = ["third"]\n',
        'home/config.toml:14: "agents.third.substitutes" must name another agent, not "third"',
    ),
    "a kind": (
        '[agents.third]\nkind = "claud"\n',
        'home/config.toml:13: "claud" is no kind of agent (claude, codex, command, analyzer), did you mean "claude"?',
    ),
    "a command agent without a command": (
        '[agents.third]\nkind = "command"\n',
        'home/config.toml:12: agent "third" is of kind "command" and needs a "command"',
    ),
    "a CLI with a command": (
        '[agents.third]\nkind = "claude"\ncommand = ["claude"]\n',
        'home/config.toml:14: agent "third" is of kind "claude": set "program" and "args"',
    ),
    "prose from a CLI": (
        '[agents.third]\nkind = "claude"\nreply = "text"\n',
        'home/config.toml:14: only a "command" answers in prose, agent "third" is of kind "claude"',
    ),
    "roles in a circle": (
        '[roles.a]\nagent = "opus"\nafter = ["b"]\n[roles.b]\nagent = "opus"\nafter = ["c"]\n'
        '[roles.c]\nagent = "opus"\nafter = ["a"]\n',
        "roles wait for each other: ",
    ),
    "a role after itself": (
        '[roles.a]\nagent = "opus"\nafter = ["a"]\n',
        "home/config.toml:14: roles wait for each other: a → a",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_means_nothing_is_told(place, name):
    text, said = NAMES[name]
    place.user(AGENTS + text)
    refusal = place.refusal()
    assert refusal == said or (said.endswith(": ") and said in refusal)


def test_a_circle_is_told_in_the_order_of_waiting(place):
    text, _ = NAMES["roles in a circle"]
    place.user(AGENTS + text)
    assert place.refusal().rpartition(": ")[2] in ("a → b → c → a", "b → c → a → b", "c → a → b → c")


def test_every_name_that_means_something_is_accepted(place):
    place.user(
        AGENTS
        + """
        [roles.security]
        agent = "opus"
        after = ["gpt", "analyzers", "ruff", "semgrep"]
        [roles.second]
        agent = "gpt"
        after = ["security"]
        [review]
        reviewers = ["security", "second", "gpt", "shell", "semgrep", "analyzers"]
        judge = "security"
        roles = ["second"]
        [policy]
        required = ["security", "judge", "semgrep"]
        optional = ["ruff", "gpt"]
        """
    )
    assert place.load().config.review.judge == "security"


def test_every_built_in_analyzer_is_a_name(place):
    place.user(f"[review]\nreviewers = {list(ANALYZERS)}\njudge = 'rules'\n")
    assert place.load().config.review.reviewers == ANALYZERS


def test_the_analyzers_of_the_configuration_are_those_that_exist():
    tools = pytest.importorskip("moot.agents.analyzers.tools")
    assert set(tools.TOOLS) == set(ANALYZERS)


def test_without_agents_the_clis_go_by_their_kinds_names(place):
    place.user('[roles.security]\nagent = "codex"\n[review]\njudge = "claude"\nreviewers = ["security", "claude"]\n')
    assert place.load().config.review.judge == "claude"
    place.user('[agents.opus]\nkind = "claude"\n[review]\njudge = "claude"\n')
    assert "must name an agent" in place.refusal()


@pytest.mark.parametrize("line", ['pass_env = ["GH_TOKEN"]', 'env = { GITHUB_TOKEN = "x" }'])
def test_no_agent_is_given_access_to_a_forge(place, line):
    place.user(f'[agents.mine]\nkind = "command"\ncommand = ["x"]\n{line}\n')
    assert "gives access to a forge, which no agent may have" in place.refusal()
