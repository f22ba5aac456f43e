from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.config.layers import Layer, Trust, merge
from moot.config.model import Runs, SandboxMode
from moot.config.tables import leaves, lookup
from moot.core.findings import Severity


def test_without_any_file_the_defaults_hold(place):
    loaded = place.load()
    assert loaded.config.limits.turn == 1200
    assert loaded.config.policy.optional == ("analyzers",)
    assert loaded.config.review.reviewers == ()
    assert loaded.notices == ()


def test_each_layer_wins_over_the_one_below(place):
    place.user('language = "user"\n[limits]\nturn = "1m"\njudge = "1m"\nsilence = "1m"\n')
    place.repo('language = "repo"\n[limits]\njudge = "2m"\nsilence = "2m"\nnudge = 0.5\n')
    place.environ |= {"MOOT_LANGUAGE": "environment", "MOOT_LIMITS__SILENCE": "3m", "MOOT_LIMITS__NUDGE": "0.75"}
    loaded = place.load(flags={"language": "flag", "limits.nudge": 1.0})
    limits = loaded.config.limits
    assert (loaded.config.language, limits.turn, limits.judge, limits.silence, limits.nudge) == (
        "flag",
        60,
        120,
        180,
        1.0,
    )
    assert [
        place.shown(loaded.origin(f"limits.{key}")) for key in ("turn", "judge", "silence", "nudge", "retry_after")
    ] == [
        "home/config.toml:3",
        ".moot.toml:3",
        "$MOOT_LIMITS__SILENCE",
        "command line",
        loaded.origin("limits.retry_after"),
    ]
    assert loaded.origin("limits.retry_after").startswith("defaults.toml:")


def test_named_tables_merge_key_by_key(place):
    place.user('[agents.opus]\nkind = "claude"\nmodel = "opus"\nenv = { A = "1" }\n')
    place.repo('[agents.opus]\neffort = "high"\n[agents.gpt]\nkind = "codex"\n')
    config = place.load().config
    assert (config.agents["opus"].model, config.agents["opus"].effort) == ("opus", "high")
    assert config.agents["opus"].env == {"A": "1"}
    assert config.agents["gpt"].kind == "codex"


def test_a_file_named_with_config_replaces_the_persons_own(place):
    place.user('language = "own"\n[limits]\nturn = "1m"\n')
    other = place.user('language = "other"\n', "other.toml")
    loaded = place.load(config_file=other)
    assert (loaded.config.language, loaded.config.limits.turn) == ("other", 1200)


def test_included_files_yield_to_the_file_that_includes_them(place):
    place.user('include = ["team/a.toml", "~/home/b.toml"]\nlanguage = "own"\n')
    (place.folder / "home" / "team").mkdir()
    place.user('include = ["deep.toml"]\nlanguage = "a"\n[limits]\nturn = "1m"\njudge = "1m"\n', "team/a.toml")
    place.user('[limits]\nturn = "3m"\nsilence = "3m"\n', "team/deep.toml")
    place.user('[limits]\njudge = "2m"\n', "b.toml")
    loaded = place.load()
    limits = loaded.config.limits
    assert (loaded.config.language, limits.turn, limits.judge, limits.silence) == ("own", 60, 120, 180)
    assert place.shown(loaded.origin("limits.silence")) == "home/team/deep.toml:3"


def test_files_that_include_each_other_are_told(place):
    place.user('\ninclude = ["b.toml"]\n')
    place.user('include = [\n"c.toml"]\n', "b.toml")
    place.user('include = ["config.toml"]\n', "c.toml")
    assert place.refusal() == (
        "home/c.toml:1: files include each other: home/config.toml → home/b.toml → home/c.toml → home/config.toml"
    )


def test_a_file_included_twice_is_read_once(place):
    place.user('include = ["b.toml", "c.toml"]\n')
    place.user('include = ["d.toml"]\n', "b.toml")
    place.user('include = ["d.toml"]\n', "c.toml")
    place.user('[review]\nchecks = ["make"]\n', "d.toml")
    assert place.load().config.review.checks == ("make",)


def test_a_missing_included_file_is_told_where_it_is_named(place):
    place.user('include = [\n  "b.toml",\n  "gone.toml",\n]\n')
    place.user("", "b.toml")
    assert place.refusal() == 'home/config.toml:3: there is no file "home/gone.toml"'


def test_a_repository_includes_only_what_lies_in_it(place):
    place.repo('include = ["ci/moot.toml", "../up.toml", "/etc/passwd", "~/x.toml", "gone.toml"]\n')
    place.repo('include = ["../shared.toml"]\nlanguage = "ci"\n', "ci/moot.toml")
    place.repo("", "shared.toml")
    assert place.refusal().splitlines() == [
        '.moot.toml:1: "../up.toml" lies outside the repository',
        '.moot.toml:1: "/etc/passwd" lies outside the repository',
        '.moot.toml:1: "~/x.toml" lies outside the repository',
        '.moot.toml:1: there is no file "gone.toml" at the base commit',
    ]
    place.repo('include = ["ci/moot.toml"]\n')
    loaded = place.load()
    assert (loaded.config.language, loaded.origin("language")) == ("ci", "ci/moot.toml:2")


def test_the_same_list_in_two_of_a_persons_files_is_an_error_that_names_both(place):
    place.user('include = ["team.toml"]\n\n[review]\nchecks = ["make test"]\n')
    place.user('[review]\nchecks = ["make lint"]\n', "team.toml")
    assert place.refusal() == (
        'home/config.toml:4: "review.checks" is also set in home/team.toml:2\nnext: keep the list in one file'
    )


def test_an_empty_list_is_no_second_opinion(place):
    place.user('include = ["team.toml"]\n[review]\nchecks = []\n')
    place.user('[review]\nchecks = ["make lint"]\n', "team.toml")
    assert place.load().config.review.checks == ()


def test_a_repositorys_list_replaces_the_persons_and_says_so(place):
    place.user('[agents.opus]\nkind = "claude"\n[review]\nreviewers = ["opus"]\n')
    place.repo('[review]\nreviewers = [ "opus",\n "ruff" ]\n[policy]\nrequired = ["opus"]\n')
    loaded = place.load()
    assert loaded.config.review.reviewers == ("opus", "ruff")
    assert [place.shown(n) for n in loaded.notices] == [
        '.moot.toml:2: "review.reviewers" replaces the list in home/config.toml:4'
    ]


def test_flags_and_variables_replace_lists_without_a_word(place):
    place.user('[agents.opus]\nkind = "claude"\n[review]\nreviewers = ["opus"]\n')
    place.environ["MOOT_REVIEW__REVIEWERS"] = "ruff, typos"
    assert place.load().config.review.reviewers == ("ruff", "typos")
    loaded = place.load(flags={"review.reviewers": ["opus"]})
    assert (loaded.config.review.reviewers, loaded.notices) == (("opus",), ())


def test_where_a_list_item_stands_is_found_in_its_own_line(place):
    place.user('[review]\nreviewers = [\n  "ruff",\n  "rufff",\n]\n')
    assert place.refusal().startswith("home/config.toml:4:")


def test_the_origin_of_every_default_is_its_line_in_the_reference(place):
    place.user('[agents.mine]\nkind = "command"\ncommand = ["x"]\n')
    loaded = place.load()
    assert loaded.origin("agents.mine.command") != loaded.origin("agents.mine.timeout")
    for key in ("limits.turn", "agents.mine.timeout", "budget.run_cost_usd", "change.exclude", "language"):
        name, _, line = loaded.origin(key).partition(":")
        assert name == "defaults.toml"
        assert int(line) > 0


def test_prompts_are_read_beside_the_file_that_names_them(place):
    place.user('[agents.opus]\nkind = "claude"\n[roles.a]\nagent = "opus"\nprompt = "prompts/a.md"\n')
    (place.folder / "home" / "prompts").mkdir()
    place.user("Look at locks.\n", "prompts/a.md")
    place.repo('include = ["ci/moot.toml"]\n')
    place.repo('[roles.b]\nagent = "opus"\nprompt = "b.md"\nrereview = "../b2.md"\n', "ci/moot.toml")
    place.repo("Base prompt.\n", "ci/b.md")
    place.repo("Delta only.\n", "b2.md")
    config = place.load().config
    assert config.role("a").prompt == "Look at locks.\n"
    assert config.role("a").rereview == "Look at locks.\n"
    assert (config.role("b").prompt, config.role("b").rereview) == ("Base prompt.\n", "Delta only.\n")


def test_a_repositorys_prompt_is_never_read_from_the_disk(place):
    (place.folder / "repo" / "b.md").write_text("what the head says")
    place.repo('[agents.opus]\nkind = "claude"\n[roles.b]\nagent = "opus"\nprompt = "b.md"\n')
    assert place.refusal() == '.moot.toml:5: there is no file "b.md" at the base commit'
    place.repo('[agents.opus]\nkind = "claude"\n[roles.b]\nagent = "opus"\nprompt = "../../etc/passwd"\n')
    assert place.refusal() == '.moot.toml:5: "../../etc/passwd" lies outside the repository'


def test_a_prompt_that_is_no_text_is_told(place):
    place.user('[agents.opus]\nkind = "claude"\n[roles.a]\nagent = "opus"\nprompt = "a.bin"\n')
    (place.folder / "home" / "a.bin").write_bytes(b"\xff\xfe\x00")
    assert place.refusal() == 'home/config.toml:5: "a.bin" is not UTF-8 text'


def test_paths_are_relative_to_the_file_that_names_them(place):
    place.user('[sandbox]\nread = ["~/data", "here", "/opt"]\n[ledger]\nurl = "moot.db"\n')
    config = place.load().config
    assert config.sandbox.read == (f"{place.folder}/data", f"{place.folder}/home/here", "/opt")
    assert config.ledger.url == f"{place.folder}/home/moot.db"


def test_a_database_url_is_no_path(place):
    place.user('[ledger]\nurl = "postgresql://me@db/moot"\n')
    assert place.load().config.ledger.url == "postgresql://me@db/moot"


@pytest.mark.parametrize(
    ("base", "working", "notice"),
    [
        (None, None, []),
        (b"a", b"a", []),
        (b'language = "en"\n', b'language = "en"\r\n', []),
        (None, b"", [".moot.toml is not at the base commit yet and does not count until it is"]),
        (b"", b"x", [".moot.toml counts as it is at the base commit, the working copy differs"]),
        (b'language = "en"\n', None, [".moot.toml counts as it is at the base commit, the working copy differs"]),
    ],
)
def test_a_working_copy_that_differs_is_said_aloud(place, base, working, notice):
    if base == b"a":
        base = working = b'language = "en"\n'
    if base is not None:
        place.base[".moot.toml"] = base
    if working is not None:
        (place.folder / "repo" / ".moot.toml").write_bytes(working)
    assert list(place.load().notices) == notice


def test_values_arrive_in_the_types_of_the_vocabulary(place):
    place.user('[policy]\nblocking = "medium"\n[sandbox]\nmode = "require"\n[change]\nbatch = "1KB"\n')
    config = place.load().config
    assert config.policy.blocking is Severity.MEDIUM
    assert config.sandbox.mode is SandboxMode.REQUIRE
    assert config.change.batch == 1024


AGENTS = """
[agents.opus]
kind = "claude"
model = "opus"
effort = "high"
timeout = "7m"
fallback = ["sonnet"]
substitutes = ["mine"]
[agents.mine]
kind = "command"
command = ["run", "{base}"]
[agents.other]
kind = "claude"
account = "second"
[accounts.second]
concurrency = 1
[roles.plain]
agent = "opus"
[roles.fast]
agent = "opus"
model = "haiku"
effort = "low"
rereview_effort = "minimal"
runs = "first"
after = ["plain"]
timeout = "90s"
silence = "0s"
[budget]
run_cost_usd = 20
run_turns = 9
"""


def test_an_agent_becomes_one_of_the_vocabulary(place):
    place.user(AGENTS)
    config = place.load().config
    opus = config.agent("opus")
    assert (opus.kind, opus.model, opus.fallback, opus.substitutes) == ("claude", "opus", ("sonnet",), ("mine",))
    assert config.agent("mine").command == ("run", "{base}")


def test_agents_of_one_cli_share_an_account_and_commands_do_not(place):
    place.user(AGENTS)
    config = place.load().config
    assert [config.agent(name).account for name in ("opus", "mine", "other")] == ["claude", "mine", "second"]
    assert [config.concurrency(account) for account in ("claude", "second")] == [3, 1]


def test_a_role_fills_in_what_it_leaves_open(place):
    place.user(AGENTS)
    config = place.load().config
    fast, plain, bare = config.role("fast"), config.role("plain"), config.role("mine")
    assert (fast.agent.model, fast.agent.effort, fast.rereview_effort) == ("haiku", "low", "minimal")
    assert (fast.limits.wall_s, fast.limits.silence_s, fast.runs, fast.after) == (90, None, Runs.FIRST, ("plain",))
    assert (plain.agent.model, plain.rereview_effort, plain.limits.wall_s) == ("opus", "high", 420)
    assert (bare.agent.name, bare.limits.wall_s, bare.limits.silence_s, bare.runs) == ("mine", 1200, 300, Runs.ALWAYS)


def test_the_judge_has_a_time_of_its_own(place):
    place.user(AGENTS + '[limits]\njudge = "1h"\nturn = "1m"\n')
    config = place.load().config
    assert config.role("mine", "judge").limits.wall_s == 3600
    assert config.role("mine").limits.wall_s == 60
    assert config.role("opus", "judge").limits.wall_s == 420


def test_caps_are_those_of_budget_and_account(place):
    place.user(AGENTS)
    caps = place.load().config.caps("second")
    assert (caps.account_concurrency, caps.run_cost_usd, caps.run_turns, caps.run_tokens) == (1, 20, 9, None)


names = st.sampled_from("abcd")
trees = st.recursive(
    st.one_of(st.integers(0, 3), st.lists(st.integers(0, 3), max_size=2)),
    lambda inner: st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
layer_tables = st.lists(st.dictionaries(names, trees, max_size=3), max_size=4)


def _layers(tables):
    return [Layer(str(i), Trust.PERSON, t) for i, t in enumerate(tables)]


@given(layer_tables)
def test_every_merged_value_comes_from_the_highest_layer_that_has_the_key(tables):
    merged = merge(_layers(tables))
    for path, value in leaves(merged):
        holders = [t for t in tables if lookup(t, path) is not None]
        assert lookup(holders[-1], path) == value


@given(layer_tables)
def test_merging_changes_no_layer_and_is_associative(tables):
    before = repr(tables)
    whole = merge(_layers(tables))
    assert repr(tables) == before
    if tables:
        assert merge(_layers([merge(_layers(tables[:-1])), tables[-1]])) == whole
