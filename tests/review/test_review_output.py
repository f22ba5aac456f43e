"""What people and scripts get to read: reports in every form, the story, lists, completion, errors, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from review_world import DIVISION, LEAK, Ran, World

NIT = {**LEAK, "severity": "nit", "title": "The name could be longer", "quote": "def save(path, text):", "line": 5}


@pytest.fixture(scope="module")
def first(shared: World) -> Ran:
    """The first review in a repository, as a person sees it."""
    shared.reviewer("one", DIVISION, NIT)
    shared.reviewer("chief")
    shared.panel("one", judge="chief", judge_own_pass=False)
    return shared.moot("review")


def test_the_verdict_comes_first_and_notes_go_to_standard_error(first: Ran, shared: World) -> None:
    short = shared.run.name[-4:]
    assert first.code == 1
    assert first.out.startswith("REQUEST CHANGES   1 to fix")
    assert f"run {short}" in first.out.splitlines()[0]
    assert str(shared.run / "report.html") in first.out
    assert "running" not in first.out
    assert "reviewer-one ok" in first.err


def test_the_first_run_of_a_repository_is_introduced_in_two_lines(first: Ran, shared: World) -> None:
    begun = first.err.splitlines()
    assert begun[0].startswith("first review here: one")
    assert begun[1].startswith("your files, index and branches are not touched.")
    assert begun[2].startswith("moot review  topic → main")
    assert "first review here" not in shared.moot("review").err


def test_bare_moot_shows_the_latest_report(first: Ran, shared: World) -> None:
    assert shared.moot().out.startswith("REQUEST CHANGES   1 to fix")


def test_bare_moot_says_what_to_do_where_nothing_ran(world: World) -> None:
    assert "moot review    review this branch and working tree" in world.moot().out


@pytest.mark.parametrize("form", ["text", "md", "json", "sarif", "html"])
def test_a_finished_run_is_shown_in_every_form(first: Ran, shared: World, form: str, tmp_path: Path) -> None:
    shown = shared.moot("show", shared.run.name, "--format", form)
    assert shown.code == 0
    assert str(DIVISION["title"]) in shown.out
    if form in ("json", "sarif"):
        json.loads(shown.out)
    if form == "html":
        assert shown.out.lstrip().lower().startswith("<!doctype html>")
    written = shared.moot("show", shared.run.name, "--format", form, "-o", str(tmp_path / "report"))
    assert written.out == ""
    assert str(DIVISION["title"]) in (tmp_path / "report").read_text()


def test_nits_are_shown_with_all(first: Ran, shared: World) -> None:
    assert str(NIT["title"]) not in first.out
    assert str(NIT["title"]) in shared.moot("show", shared.run.name, "--all").out


def test_the_story_reaches_every_prompt_reply_and_ruling(first: Ran, shared: World) -> None:
    run = shared.runs()[0]
    story = shared.moot("show", run.name, "--story").out
    for job in (shared.job("reviewer-one", run=run), shared.job("judge", "rule-", run=run)):
        for name in ("prompt.md", "stdout"):
            assert str(job / name) in story
    assert "keep by judge: read the lines around it" in story
    seat = shared.moot("show", run.name, "reviewer-one").out
    assert "# Review a change" in seat
    assert str(DIVISION["title"]) in seat
    judge = shared.moot("runs", "show", run.name[-4:], "judge").out
    assert "# Rule on findings" in judge


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "zzzz"), "zzzz"),
        (("show", "RUN", "reviewer-nobody"), "reviewer-one"),
        (("runs", "resume", "zzzz"), "zzzz"),
        (("runs", "cancel", "RUN"), "is complete"),
        (("runs", "park", "RUN"), "is complete"),
        (("runs", "resume", "RUN"), "is complete"),
        (("reveiw",), "Did you mean review?"),
        (("review", "--format", "pdf"), "'text', 'md', 'json', 'sarif', 'html'"),
        (("review", "-C", "/nowhere/at/all"), "/nowhere/at/all"),
        (("review", "--diff", "/nowhere.diff"), "/nowhere.diff"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_names_it(
    first: Ran, shared: World, arguments: tuple[str, ...], said: str
) -> None:
    ran = shared.moot(*(shared.run.name if a == "RUN" else a for a in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_runs_are_listed_for_people_and_scripts(first: Ran, shared: World, tmp_path: Path) -> None:
    table = shared.moot("runs", "list").out.splitlines()
    assert table[0].split() == ["RUN", "WHEN", "OUTCOME", "FINDINGS", "COST", "CHANGE"]
    assert any(shared.run.name[-4:] in line and "request changes" in line for line in table[1:])
    listed = shared.moot("runs", "list", "--json", "--here").result
    assert [r["id"] for r in listed] == [p.name for p in reversed(shared.runs())]
    assert {r["status"] for r in listed} == {"complete"}
    assert shared.moot("runs", "list", "--json", "--unfinished").result == []
    assert len(shared.moot("runs", "list", "--json", "-n", "1").result) == 1


def test_stats_count_turns_and_what_the_judge_kept(first: Ran, shared: World) -> None:
    counted = {a["agent"]: a for a in shared.moot("stats", "--json").result}
    assert counted["one"]["turns"] == counted["chief"]["turns"] == len(shared.runs())
    assert counted["one"]["kept"] >= 2
    table = shared.moot("stats").out.splitlines()
    assert table[0].split()[:3] == ["AGENT", "TURNS", "FAILED"]
    assert shared.moot("stats", "--by", "day").out.splitlines()[0].split()[:2] == ["DAY", "TURNS"]


@pytest.mark.parametrize(
    ("typed", "word", "offered"),
    [
        ("moot show ", 2, "RUN"),
        ("moot runs resume SHO", 3, "RUN"),
        ("moot runs rm ", 3, "RUN"),
        ("moot show RUN ", 3, "reviewer-one"),
        ("moot show RUN ju", 3, "judge"),
        ("moot runs ", 2, "resume"),
    ],
)
def test_the_shell_completes_runs_and_seats(first: Ran, shared: World, typed: str, word: int, offered: str) -> None:
    run = shared.run.name
    line = typed.replace("SHO", run[:9]).replace("RUN", run)
    env = {"_MOOT_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(word)}
    offers = [answer.split(",")[-1] for answer in shared.moot(env=env).out.splitlines()]
    wanted = offered.replace("RUN", run)
    assert any(offer and (offer == wanted or wanted.endswith(offer)) for offer in offers), offers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(world: World, shell: str) -> None:
    assert "_MOOT_COMPLETE" in world.moot("completion", shell).out


def test_a_dry_run_asks_nobody_and_records_nothing(world: World) -> None:
    world.reviewer("one")
    world.reviewer("chief")
    world.table("roles.late", agent="one", after=["one"], runs="manual")
    world.panel("one", "late", judge="chief")
    ran = world.moot("review", "--dry-run")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "topic → main   2 files  +8 −0"
    assert "  ask   reviewer-one  (command)" in ran.out
    assert "  skip  reviewer-late  (asked only with --role late)" in ran.out
    assert "  judge chief, who also reviews" in ran.out
    assert world.runs() == []
    assert world.moot("runs", "list").out.startswith("no runs yet")


@pytest.mark.parametrize(
    ("severity", "fail_on", "code"),
    [("high", None, 1), ("medium", None, 0), ("medium", "medium", 1), ("high", "critical", 0)],
)
def test_the_exit_code_follows_fail_on(world: World, severity: str, fail_on: str | None, code: int) -> None:
    world.reviewer("one", {**DIVISION, "severity": severity})
    world.panel("one")
    assert world.moot("review", *(["--fail-on", fail_on] if fail_on else [])).code == code


def test_an_incomplete_review_comes_before_its_findings(world: World) -> None:
    world.reviewer("one", DIVISION)
    world.agent("dies", "sys.exit('Not logged in')")
    world.panel("one", "dies")
    ran = world.review()
    assert ran.result["verdict"] == "request_changes"
    assert ran.code == 3
    world.table("policy", incomplete="warn")
    assert world.review().code == 1
    world.table("policy", incomplete="block", optional=["dies"])
    assert world.review().code == 1


def test_a_report_goes_where_it_is_wanted(world: World, tmp_path: Path) -> None:
    world.reviewer("one", DIVISION)
    world.panel("one")
    ran = world.moot("review", "--format", "sarif", "-o", str(tmp_path / "moot.sarif"))
    assert (ran.code, ran.out) == (1, "")
    assert f"wrote {tmp_path / 'moot.sarif'}" in ran.err
    sarif = json.loads((tmp_path / "moot.sarif").read_text())
    assert [r["message"]["text"].startswith("Division") for r in sarif["runs"][0]["results"]] == [True]


def test_a_broken_configuration_names_its_line(world: World) -> None:
    world.reviewer("one")
    world.table("review", reveiwers=["one"])
    ran = world.moot("review")
    assert (ran.code, ran.out) == (2, "")
    assert "config.toml:" in ran.err
    assert 'unknown key "review.reveiwers", did you mean "reviewers"?' in ran.err


def test_a_traceback_is_shown_with_debug_only(world: World) -> None:
    world.table("nonsense", key=1)
    assert "Traceback" not in world.moot("review").err
    assert "Traceback" in world.moot("--debug", "review").err


def test_a_reader_that_goes_away_is_no_trouble(first: Ran, shared: World) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "moot", "show", shared.run.name, "--format", "html"],
        cwd=shared.repo, env=shared.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout
    os.close(child.stdout.detach().detach().fileno())
    assert child.stderr
    assert child.stderr.read() == ""
    assert child.wait(timeout=60) == 0
