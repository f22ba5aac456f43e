"""The terminal report: fits, says the same with and without colour, and its commands can be pasted."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from report_samples import BLOCKING, CLEAN, INCOMPLETE, NOW, RETRY_FINDING, RULES, SAMPLES, finding

from moot.core.findings import Disposition, Severity
from moot.core.runs import Result, RunStatus, Verdict
from moot.reports import render
from moot.reports.layout import bare, cells


def _text(result: Result, **options: object) -> str:
    return render(result, "text", now=NOW, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"hostile"}))
@pytest.mark.parametrize("width", [50, 80, 132])
def test_no_line_is_wider_than_the_terminal_except_what_must_survive_a_paste(name: str, width: int) -> None:
    for line in filter(None, _text(SAMPLES[name], width=width, all=True).splitlines()):
        words = line.split()
        unbroken = words[:1] in (["|"], ["report"], ["next:"]) or words[0].startswith(("/", "'/", "src/", "scripts/"))
        assert cells(line) <= width or unbroken, line


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("all_", [False, True])
def test_colour_says_nothing_that_the_text_does_not(name: str, all_: bool) -> None:
    coloured = _text(SAMPLES[name], colour=True, all=all_)
    assert "\x1b[" in coloured
    assert bare(coloured) == _text(SAMPLES[name], all=all_)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_verdict_or_the_state_is_the_first_thing_said(name: str) -> None:
    first = {
        "blocking": "REQUEST CHANGES",
        "clean": "APPROVE",
        "not-reviewed": "NOT REVIEWED",
        "incomplete": "COMMENT   incomplete",
        "stalled": "STALLED",
        "parked": "PARKED",
        "failed": "FAILED",
        "rules": "COMMENT",
        "hostile": "REQUEST CHANGES",
    }
    assert _text(SAMPLES[name]).startswith(first[name])


def test_findings_come_worst_first_and_what_is_settled_last() -> None:
    drawn = _text(BLOCKING)
    places = [drawn.index(f"\n{number}  ") for number in ("F2", "F4", "F6", "F1", "F3", "F5")]
    assert places == sorted(places)


def test_a_clean_run_is_one_statement_of_what_was_read_and_by_whom() -> None:
    head, *rest = _text(CLEAN, width=120).splitlines()
    assert "nothing to report: 3 of 3 files read by opus and gpt" in head
    assert all(line.startswith(("coverage", "story", "report", "  ")) for line in rest if line.strip())


def test_a_comment_without_findings_still_says_why_it_is_no_approval() -> None:
    doubtful = replace(CLEAN, verdict=Verdict.COMMENT, verdict_reasons=("Only analyzers looked.",))
    assert "because    Only analyzers looked." in _text(doubtful)


def test_what_is_cut_or_hidden_is_said_and_can_be_had() -> None:
    long = replace(BLOCKING, findings=(replace(RETRY_FINDING, body="\n\n".join(f"Paragraph {n}." for n in range(20))),))
    short = _text(long)
    assert "Paragraph 19." not in short
    assert "(moot show 7f3a --all)" in short
    assert "Paragraph 19." in _text(long, all=True)
    assert "1 nit not listed (moot show 7f3a --all)" in _text(BLOCKING)
    assert "`exit 0`" not in _text(BLOCKING)
    assert "`exit 0`" in _text(BLOCKING, all=True)


def test_every_dropped_claim_is_counted_and_explained_on_request() -> None:
    assert "dropped    3: 1 " in _text(BLOCKING)
    whole = _text(BLOCKING, all=True)
    for claim in BLOCKING.dropped:
        assert claim.title in whole


def test_paths_and_commands_survive_a_paste_into_a_shell() -> None:
    lines = _text(RULES).splitlines()
    story, page = lines[-2:]
    assert shlex.split(story) == ["story", "moot", "show", "d3m0", "--story"]
    assert shlex.split(page) == [
        "report",
        "/home/ann/Library/Application Support/moot/runs/20261130-153012-d3m0/report.html",
    ]
    steps = [line for line in _text(INCOMPLETE).splitlines() if line.startswith("next: ")]
    assert [shlex.split(s.removeprefix("next: "))[:4] for s in steps] == [["moot", "runs", "resume", "1nc0"]]


@pytest.mark.parametrize("status", list(RunStatus))
def test_every_status_can_be_drawn_and_unfinished_runs_say_what_to_do(status: RunStatus) -> None:
    drawn = _text(replace(INCOMPLETE, status=status))
    resumable = {RunStatus.PARKED, RunStatus.STALLED, RunStatus.INCOMPLETE, RunStatus.NOT_REVIEWED}
    assert ("moot runs resume" in drawn) == (status in resumable)
    assert ("report.html" in drawn) == (status.finished or status is RunStatus.STALLED)


def test_a_finding_with_the_title_beside_its_place_when_all_of_them_fit() -> None:
    small = replace(BLOCKING, findings=(finding(1, path="a.py", line=3, title="Off by one", body="", quote="x"),))
    assert "F1  medium  a.py:3   Off by one\n" in _text(small)
    wide = replace(small, findings=(*small.findings, replace(small.findings[0], id="F2", title="long " * 30)))
    assert "F1  medium  a.py:3\n" in _text(wide)


def test_tally_counts_only_what_is_open() -> None:
    severities = (Severity.HIGH, Severity.LOW)
    done = (Disposition.FIXED, Disposition.REFUTED, Disposition.DEFERRED, Disposition.WITHDRAWN)
    settled = tuple(replace(RETRY_FINDING, disposition=d) for d in done)
    open_ = tuple(replace(RETRY_FINDING, severity=s) for s in severities)
    assert "1 to fix, 1 note " in _text(replace(BLOCKING, findings=(*settled, *open_)))
    assert "nothing to fix " in _text(replace(BLOCKING, findings=settled))
