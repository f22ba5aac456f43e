"""Failures named by what was printed, replayed on captured output of the real CLIs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from agents_spec import turn
from agents_transcripts import cases, load

from moot.agents.failures import classify, ended_badly, moment, one_line
from moot.agents.registry import adapter
from moot.core.process import Ending, Exited, Limits
from moot.core.turns import FailureKind

K = FailureKind
NOW = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Invalid API key · Fix external API key", K.LOGIN),
        ("unexpected status 401 Unauthorized: Incorrect API key provided", K.LOGIN),
        ("You\u2019ve hit your usage limit. Visit … or try again at May 18th, 2033 3:33 AM.", K.USAGE_LIMIT),
        ("API Error: Request rejected (429) · You've hit your session limit - resets 3pm", K.USAGE_LIMIT),
        ("You've hit your org's monthly spend limit", K.USAGE_LIMIT),
        ("You've hit your Opus limit · resets 3pm", K.MODEL_LIMIT),
        ("You've reached your Opus 5.5 weekly limit", K.MODEL_LIMIT),
        ("You've hit your weekly limit · resets 3pm", K.USAGE_LIMIT),
        ("Credit balance is too low", K.BILLING),
        ("You're out of usage credits", K.BILLING),
        ("exceeded retry limit, last status: 429 Too Many Requests", K.RATE_LIMITED),
        ("API Error: Request rejected (429)", K.RATE_LIMITED),
        ("API Error: 529 Overloaded.", K.OVERLOADED),
        ("Selected model is at capacity. Please try a different model.", K.OVERLOADED),
        ("Prompt is too long · the request is ~250000 tokens", K.CONTEXT_TOO_LONG),
        ("Codex ran out of room in the model's context window.", K.CONTEXT_TOO_LONG),
        ("There's an issue with the selected model (x). It may not exist", K.MODEL_UNAVAILABLE),
        ("The 'gpt-9' model is not supported when using Codex with a ChatGPT account.", K.MODEL_UNAVAILABLE),
        ("which appears to violate our Usage Policy", K.REFUSED),
        ("API Error: Connection refused (ECONNREFUSED)", K.NETWORK),
        ("Request timed out. If the API is slow to answer", K.NETWORK),
        ("API returned an empty or malformed response (HTTP 200)", K.MALFORMED),
        ("\x1b[31mError: not logged in\x1b[0m", K.LOGIN),
        ("Traceback (most recent call last): line 429, in review", None),
        ("I found 503 lines and 401 words", None),
        ("AssertionError", None),
    ],
)
def test_the_first_sign_in_the_fixed_order_decides(text: str, kind: FailureKind | None) -> None:
    found = classify(text, NOW)
    assert (found.kind if found else None) is kind


def test_a_stated_reset_comes_with_the_failure() -> None:
    found = classify("You've hit your session limit · resets 6pm (UTC)", NOW)
    assert found is not None
    assert found.resets_at == datetime(2026, 11, 30, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ending", "code", "kind"),
    [
        (Ending.TIMEOUT, None, K.TIMEOUT),
        (Ending.SILENT, None, K.SILENT),
        (Ending.STOPPED, None, K.KILLED),
        (Ending.UNSTARTABLE, None, K.NOT_INSTALLED),
        (Ending.EXITED, 143, K.KILLED),
        (Ending.EXITED, 1, None),
        (Ending.EXITED, 0, None),
        (Ending.EXITED, None, None),
    ],
)
def test_an_ending_that_is_a_failure_by_itself_has_its_name(
    ending: Ending, code: int | None, kind: FailureKind | None, tmp_path: Path
) -> None:
    found = ended_badly(turn(tmp_path, limits=Limits(60, 5)), Exited(ending, code, 0, 1), "retry 1 of 2")
    assert (found.kind if found else None) is kind
    assert found is None or "retry 1 of 2" in found.detail


def test_the_moment_of_a_failure_is_told_in_the_zone_of_the_agents_environment(tmp_path: Path) -> None:
    ended = Exited(Ending.EXITED, 1, 0, NOW.timestamp())
    assert moment(turn(tmp_path, env={"TZ": "Asia/Tokyo"}), ended).hour == 1
    assert moment(turn(tmp_path, env={"TZ": "no/where"}), ended) == NOW


def test_a_detail_is_one_short_line() -> None:
    assert one_line("a\n\n  b\x1b[0m\tc") == "a b c"
    assert len(one_line("x" * 10_000)) == 300


@pytest.mark.parametrize("case", cases())
def test_captured_output_still_means_what_it_meant(case: str, tmp_path: Path) -> None:
    kind = case.split("/", maxsplit=1)[0]
    ended, expected, out, err = load(case)
    t = turn(tmp_path, kind=kind, env={"TZ": "UTC"}, seat=f"reviewer-{kind}")
    assert adapter(kind).reply(t, ended, out, err) == expected


def test_there_are_captured_transcripts_of_every_agent_cli() -> None:
    assert {c.split("/")[0] for c in cases()} == {"claude", "codex"}
