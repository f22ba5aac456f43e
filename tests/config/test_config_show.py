from __future__ import annotations

import tomllib

from moot.config.show import settings


def _shown(place, loaded):
    return {s.key: (s.value, place.shown(s.origin)) for s in settings(loaded)}


def test_every_key_is_listed_with_its_value_and_who_set_it(place):
    place.user('language = "de"\n[agents.opus]\nkind = "claude"\n[review]\nreviewers = ["opus"]\n')
    shown = _shown(place, place.load())
    assert shown["language"] == ("de", "home/config.toml:1")
    assert shown["review.reviewers"] == (["opus"], "home/config.toml:5")
    assert shown["limits.turn"][0] == "20m"
    assert shown["limits.turn"][1].startswith("defaults.toml:")
    assert shown["budget.run_cost_usd"][0] is None
    assert "agents.opus.kind" in shown
    assert "agents.opus.model" not in shown


def test_secrets_are_masked(place):
    place.environ["SECRET"] = "s3cr3t"
    place.user(
        '[agents.opus]\nkind = "claude"\nenv = { KEY = "{{ env.SECRET }}" }\n'
        '[ledger]\nurl = "postgresql://me:s3cr3t@db/moot"\n'
    )
    shown = _shown(place, place.load())
    assert shown["agents.opus.env.KEY"] == ("***", "home/config.toml:3")
    assert shown["ledger.url"][0] == "postgresql://me:***@db/moot"
    assert "s3cr3t" not in str(shown)


def test_a_prompt_is_shown_by_its_file(place):
    place.user('[agents.opus]\nkind = "claude"\n[roles.a]\nagent = "opus"\nprompt = "a.md"\n')
    place.user("long text", "a.md")
    assert _shown(place, place.load())["roles.a.prompt"] == ("a.md", "home/config.toml:5")


def test_what_is_shown_is_toml_and_means_the_same(place):
    place.user('[prompts]\nall = """\nLine "one"\n\\tTwo \x7f é 😀\n"""\n[vars]\nx = "y"\n'.replace("\x7f", "\\u007f"))
    loaded = place.load()
    text = "\n".join(map(str, settings(loaded)))
    assert all(line.isprintable() for line in text.split("\n"))
    read = tomllib.loads(text)
    assert read["prompts"]["all"] == loaded.config.prompts.all
    assert read["vars"] == {"x": "y"}
    place.user(text)
    assert place.load().config == loaded.config


def test_what_a_repository_writes_cannot_hide_itself_on_a_terminal(place):
    place.repo('language = "x\\u001b[2K\\r"\nunknown = 1\n[review]\nchecks = ["evil\\u001b[8m"]\n"k\\u001b[0m" = 1\n')
    assert all(line.isprintable() for line in place.refusal().splitlines())
