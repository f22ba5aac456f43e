"""What a person reads when a file is wrong: the texts are golden, the tone is part of the program."""

from __future__ import annotations

import pytest

USER = "home/config.toml"

ONE_MISTAKE = {
    "the example of the design": (
        '[agents.opus]\nkind = "claude"\n\n[review]\njudge = "opus"\n\nreveiwers = ["opus"]\n',
        f'{USER}:7: unknown key "review.reveiwers", did you mean "reviewers"?',
    ),
    "a table nobody knows": (
        "[competition]\n",
        f'{USER}:1: unknown key "competition"; the top level has language, include, vars, agents, accounts, roles, '
        "prompts, review, policy, limits, budget, sandbox, checkouts, ledger, change",
    ),
    "a key of another table": ('fail_on = "low"\n', f'{USER}:1: unknown key "fail_on", did you mean "policy.fail_on"?'),
    "a key of a named table": (
        '[agents.opus]\nkind = "claude"\nmodell = "opus"\n',
        f'{USER}:3: unknown key "agents.opus.modell", did you mean "model"?',
    ),
    "a key like none": (
        "[limits]\nfoo = 1\n",
        f'{USER}:2: unknown key "limits.foo"; [limits] has turn, judge, silence, retry_after, nudge',
    ),
    "text for a number": (
        '[accounts.main]\nconcurrency = "3"\n',
        f'{USER}:2: "accounts.main.concurrency" must be a whole number, not text ("3")',
    ),
    "true for a number": (
        "[accounts.main]\nconcurrency = true\n",
        f'{USER}:2: "accounts.main.concurrency" must be a whole number, not true',
    ),
    "a number for text": ("language = 3\n", f'{USER}:1: "language" must be text, not a number (3)'),
    "a date for text": (
        "language = 2026-01-02\n",
        f'{USER}:1: "language" must be text, not a date or time (2026-01-02)',
    ),
    "text for a list": (
        '[review]\nreviewers = "opus"\n',
        f'{USER}:2: "review.reviewers" must be a list, not text ("opus"): write ["opus"]',
    ),
    "a number in a list": (
        '[review]\nchecks = [\n  "make",\n  3,\n]\n',
        f'{USER}:4: "review.checks" must be text, not a number (3)',
    ),
    "a value for a table": ('review = "opus"\n', f'{USER}:1: "review" must be a table, not text ("opus")'),
    "an array of tables": (
        '[[agents]]\nkind = "claude"\n',
        f'{USER}:1: "agents" must be a table, not a list',
    ),
    "a number for yes": (
        "[review]\njudge_own_pass = 1\n",
        f'{USER}:2: "review.judge_own_pass" must be true or false, not a number (1)',
    ),
    "a word that is not a choice": (
        '[roles.security]\nagent = "x"\nruns = "allways"\n',
        f'{USER}:3: "roles.security.runs" must be "always", "first", "manual" or "never", not "allways", '
        'did you mean "always"?',
    ),
    "a severity of another tool": (
        '[policy]\nfail_on = "major"\n',
        f'{USER}:2: "policy.fail_on" must be "critical", "high", "medium", "low" or "nit", not "major"',
    ),
    "a mode that is to come": (
        '[review]\nmode = "debate"\n',
        f'{USER}:2: "review.mode" must be "panel", not "debate"',
    ),
    "a duration without unit": (
        "[limits]\nturn = 300\n",
        f'{USER}:2: "limits.turn": 300 is not a duration: write 90s, 5m, 2h or 7d',
    ),
    "a duration in words": (
        '[limits]\nturn = "20 min"\n',
        f'{USER}:2: "limits.turn": "20 min" is not a duration: write 90s, 5m, 2h or 7d',
    ),
    "no time at all": ('[limits]\nturn = "0s"\n', f'{USER}:2: "limits.turn" must be more than 0'),
    "a size in words": (
        '[change]\nmax_file = "1 mega"\n',
        f'{USER}:2: "change.max_file": "1 mega" is not a size: write 800B, 400KB, 1MB or 2GB',
    ),
    "a cap of nothing": (
        "[budget]\nrun_turns = 0\n",
        f'{USER}:2: "budget.run_turns" must be at least 1',
    ),
    "a share of more than all": ("[limits]\nnudge = 2\n", f'{USER}:2: "limits.nudge" must be at most 1'),
    "an empty word": ('language = ""\n', f'{USER}:1: "language" must not be empty'),
    "a name that is none": (
        '[agents."my agent"]\nkind = "claude"\n',
        f'{USER}:1: "my agent" cannot be a name in [agents]: letters, digits, _ and - only',
    ),
    "a model that would be an option": (
        '[agents.opus]\nkind = "claude"\nmodel = "--dangerously-skip-permissions"\n',
        f'{USER}:3: "agents.opus.model" cannot be "--dangerously-skip-permissions"',
    ),
    "an effort that would be more": (
        '[agents.gpt]\nkind = "codex"\neffort = "high\\" -c x=\\"y"\n',
        f'{USER}:3: "agents.gpt.effort" cannot be "high" -c x="y"',
    ),
    "a prompt that is no file name": (
        '[roles.security]\nagent = "x"\nprompt = 3\n',
        f'{USER}:3: "roles.security.prompt" must be text, not a number (3)',
    ),
    "an agent without kind": (
        '\n[agents.opus]\nmodel = "opus"\n',
        f'{USER}:2: "agents.opus.kind" is missing',
    ),
    "a broken line": (
        'language = "en"\n[review\njudge = "x"\n',
        f"{USER}:2: not valid TOML: expected ']' at the end of a table declaration (column 8)",
    ),
    "a file that stops": (
        'language = "en"\nx = [1,\n\n\n',
        f"{USER}:2: not valid TOML: invalid value (the file ends here)",
    ),
    "a key set twice": (
        'language = "en"\nlanguage = "de"\n',
        f"{USER}:2: not valid TOML: cannot overwrite a value (column 16)",
    ),
}


@pytest.mark.parametrize("name", ONE_MISTAKE)
def test_a_mistake_is_told_with_file_line_key_and_fix(place, name):
    text, said = ONE_MISTAKE[name]
    place.user(text)
    assert place.refusal() == said


def test_the_repositorys_file_is_called_by_its_name_there(place):
    place.repo('[agents.opus]\nkind = "claude"\n\n\n\n[review]\nreveiwers = ["opus"]\n')
    assert place.refusal() == '.moot.toml:7: unknown key "review.reveiwers", did you mean "reviewers"?'


def test_all_mistakes_of_all_files_are_told_at_once(place):
    place.user('language = 3\n[policy]\nfail_on = "bad"\n[roles.x]\nagent = "y"\nprompt = "gone.md"\n')
    place.repo('[reveiw]\njudge = "{{ env.TOKEN }}"\n')
    place.environ["MOOT_LIMITS__TURN"] = "long"
    assert place.refusal().splitlines() == [
        'home/config.toml:6: there is no file "home/gone.md"',
        'home/config.toml:1: "language" must be text, not a number (3)',
        'home/config.toml:3: "policy.fail_on" must be "critical", "high", "medium", "low" or "nit", not "bad"',
        '.moot.toml:2: "{{ env.TOKEN }}" cannot be used in a repository\'s file',
        '.moot.toml:1: unknown key "reveiw", did you mean "review"?',
        '$MOOT_LIMITS__TURN: "limits.turn": "long" is not a duration: write 90s, 5m, 2h or 7d',
    ]


def test_a_mistake_that_a_higher_layer_hides_is_told_all_the_same(place):
    place.user("language = 3\n")
    place.environ["MOOT_LANGUAGE"] = "de"
    assert place.refusal() == 'home/config.toml:1: "language" must be text, not a number (3)'


def test_two_broken_files_are_told_together(place):
    place.user("a = = 1\n")
    place.repo("[x\n")
    assert place.refusal().splitlines() == [
        "home/config.toml:1: not valid TOML: invalid value (column 5)",
        ".moot.toml:1: not valid TOML: expected ']' at the end of a table declaration (column 3)",
    ]


def test_bytes_that_are_no_text_are_told_with_their_line(place):
    place.base[".moot.toml"] = b'language = "en"\n# caf\xe9\n'
    assert place.refusal() == ".moot.toml:2: not valid TOML: not UTF-8"


def test_a_byte_order_mark_is_no_mistake(place):
    place.base[".moot.toml"] = b'\xef\xbb\xbflanguage = "de"\n'
    assert place.load().config.language == "de"


def test_a_long_value_is_not_printed_whole(place):
    place.user(f'[policy]\nfail_on = "{"x" * 500}"\n')
    assert len(place.refusal()) < 200


def test_a_wrong_flag_or_variable_is_called_by_its_name(place):
    place.environ["MOOT_REVIEW__REVEIWERS"] = "opus"
    said = place.refusal(flags={"policy.show": "nits"})
    assert said.splitlines() == [
        '$MOOT_REVIEW__REVEIWERS: unknown key "review.reveiwers", did you mean "reviewers"?',
        'command line: "policy.show" must be "critical", "high", "medium", "low" or "nit", not "nits", '
        'did you mean "nit"?',
    ]


def test_a_file_named_with_config_must_exist(place):
    assert place.refusal(config_file=place.folder / "other.toml") == 'other.toml: there is no file "other.toml"'


def test_a_folder_in_the_place_of_the_file_is_told(place):
    place.home.config_file.mkdir(parents=True)
    assert place.refusal() == 'home/config.toml: "home/config.toml" cannot be read: is a directory'


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = " + "[" * 300 + "]" * 300, f"x{'.y' * 300} = 1\n"])
def test_a_file_made_to_exhaust_the_stack_is_refused(place, text):
    place.repo(text)
    assert place.refusal() == ".moot.toml: nested too deeply to be a configuration"


def test_a_number_of_too_many_digits_is_refused(place):
    place.repo(f"[budget]\nrun_turns = {'9' * 5000}\n")
    assert place.refusal().startswith(".moot.toml:2: not valid TOML: exceeds the limit")
