"""Replies that are none: never taken for a clean review, mended once, asked for once more, then a failed seat."""

from __future__ import annotations

import json
from typing import Any

import pytest
from review_world import DIVISION, Ran, World

#: What an agent says every time, and what its seat's failure is called.
USELESS: dict[str, tuple[str, str, str]] = {
    "braces": ("print('{}')", "malformed", "summary: field required"),
    "error": ("print(json.dumps({'error': {'message': 'model overheated'}}))", "malformed", "model overheated"),
    "nothing": ("pass", "empty", "it printed nothing"),
    "prose": ("print('The change looks fine to me.')", "malformed", "no JSON object found"),
    "rejects": ("review(vote='reject')", "malformed", "the vote is 'reject' but there is no finding"),
    "cut": ("print(json.dumps({'summary': 'x', 'findings': []})[:-3])", "malformed", "cut off"),
    "crashes": ("review(); sys.exit(3)", "malformed", "exit code 3"),
    "codexwrong": (
        "print(json.dumps({'findings': [], 'overall_correctness': 'patch is incorrect', 'overall_explanation': 'x'}))",
        "malformed",
        "the patch is called incorrect but there is no finding",
    ),
}
CODEX = {
    "findings": [
        {
            "title": "[P1] Division by zero is not handled",
            "body": "div(1, 0) raises ZeroDivisionError.",
            "confidence_score": 0.9,
            "priority": 1,
            "code_location": {
                "absolute_file_path": "CWD/calc.py",
                "line_range": {"start": 6, "end": 6},
            },
        }
    ],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "One defect.",
}


@pytest.fixture(scope="module")
def ran(shared: World) -> Ran:
    """One panel of everybody who replies badly, and two who come to reason."""
    for name, (script, _, _) in USELESS.items():
        shared.agent(name, script, session=True)
    shared.agent("mends", "print('{}') if calls == 1 else review()", session=True, timeout="40s")
    shared.agent("relents", "review() if calls == 3 else print('{}')", session=True)
    shared.agent("recovers", "review() if calls == 3 else print('{}'); sys.exit(3 if calls == 2 else 0)", session=True)
    shared.agent("codex", f"print(json.dumps({CODEX!r}).replace('CWD', os.getcwd()))")
    shared.agent("limited", "sys.exit('HTTP 429 Too Many Requests') if calls == 1 else review()", session=True)
    shared.table("limits", retry_after="0.05s")
    shared.panel(*USELESS, "mends", "relents", "recovers", "codex", "limited")
    return shared.review()


@pytest.mark.parametrize("name", USELESS)
def test_a_useless_reply_is_a_failed_seat(ran: Ran, name: str) -> None:
    _, kind, detail = USELESS[name]
    seat = ran.seat(f"reviewer-{name}")
    assert (seat["status"], seat["failure"]) == ("failed", kind)
    assert detail in seat["note"]
    assert seat["coverage"] is None


def test_failed_seats_keep_the_review_from_being_clean(ran: Ran) -> None:
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (3, "incomplete", "request_changes")


@pytest.mark.parametrize("name", ["braces", "error", "prose", "rejects"])
def test_a_useless_reply_is_nudged_once_and_asked_in_full_once(shared: World, ran: Ran, name: str) -> None:
    seat = f"reviewer-{name}"
    assert ran.seat(seat)["turns"] == 3
    forms = [shared.attempt(seat, attempt=n)["form"] for n in (1, 2, 3)]
    assert forms == ["full", "nudge", "full"]
    first, nudge, last = (shared.prompt(seat, attempt=n) for n in (1, 2, 3))
    assert nudge.startswith("Your last reply could not be used: ")
    assert USELESS[name][2] in nudge
    assert first == last
    assert [line.split(" → ")[1] for line in ran.seat(seat)["trail"]] == [
        "asked to mend the reply",
        "asked again",
        "given up",
    ]


@pytest.mark.parametrize("name", ["nothing", "crashes"])
def test_what_ended_without_a_reply_is_asked_in_full_once(shared: World, ran: Ran, name: str) -> None:
    assert ran.seat(f"reviewer-{name}")["turns"] == 2
    assert [shared.attempt(f"reviewer-{name}", attempt=n)["form"] for n in (1, 2)] == ["full", "full"]


def test_a_nudge_goes_on_in_the_conversation_with_a_quarter_of_the_time(shared: World, ran: Ran) -> None:
    first, nudge = (shared.attempt("reviewer-mends", attempt=n) for n in (1, 2))
    assert (first["wall_s"], nudge["wall_s"]) == (40, 10)
    assert nudge["conversation"]
    sessions = [e["argv"] for e in shared.noted("mends", "BEGIN")]
    assert sessions[0] == sessions[1]
    assert ran.seat("reviewer-mends")["status"] == "ok"


def test_the_full_prompt_begins_a_conversation_of_its_own(shared: World, ran: Ran) -> None:
    sessions = [e["argv"] for e in shared.noted("relents", "BEGIN")]
    assert sessions[0] == sessions[1] != sessions[2]
    assert (ran.seat("reviewer-relents")["status"], ran.seat("reviewer-relents")["turns"]) == ("ok", 3)


def test_a_nudge_that_kills_the_conversation_is_followed_by_the_full_prompt(shared: World, ran: Ran) -> None:
    assert [shared.attempt("reviewer-recovers", attempt=n)["form"] for n in (1, 2, 3)] == ["full", "nudge", "full"]
    assert ran.seat("reviewer-recovers")["status"] == "ok"


def test_a_useless_reply_is_booked_as_a_failed_turn(shared: World, ran: Ran) -> None:
    counted = {a["agent"]: a for a in shared.moot("stats", "--json").result}
    assert counted["braces"]["failures"] == {"malformed": 3}
    assert counted["nothing"]["failures"] == {"empty": 2}
    assert counted["codex"]["failures"] == {}
    assert "malformed" in shared.moot("show", ran.result["run"], "reviewer-braces").out


def test_a_seat_at_a_rate_limit_is_waited_for_and_not_nudged(shared: World, ran: Ran) -> None:
    seat = ran.seat("reviewer-limited")
    assert (seat["status"], seat["turns"]) == ("ok", 2)
    assert shared.attempt("reviewer-limited", attempt=2)["form"] == "full"
    assert "rate limited: HTTP 429 Too Many Requests → asked again after" in seat["trail"][0]


def test_a_review_in_codexs_own_form_is_a_review(ran: Ran) -> None:
    (found,) = ran.result["findings"]
    assert found["raised_by"] == ["reviewer-codex"]
    assert (found["path"], found["line"], found["severity"]) == ("calc.py", 6, "high")
    assert found["title"] == DIVISION["title"]


def test_an_agent_that_is_not_there_fails_its_seat_alone(world: World) -> None:
    world.reviewer("one")
    world.table("agents.gone", kind="command", command=["no-such-reviewer"])
    world.panel("one", "gone")
    ran = world.review()
    gone = ran.seat("reviewer-gone")
    assert (ran.code, gone["status"], gone["failure"]) == (3, "failed", "not_installed")
    assert gone["note"] == "no-such-reviewer is not installed"
    assert gone["turns"] == 0


def test_what_agents_write_is_shown_inert(world: World) -> None:
    evil: dict[str, Any] = {
        **DIVISION,
        "title": "Look \x1b[31mred\x1b[0m",
        "body": "@everyone <script>alert(1)</script>",
    }
    world.reviewer("one", evil)
    world.panel("one")
    ran = world.review()
    shown = world.moot("show", ran.result["run"])
    assert "\x1b" not in shown.out
    html = (world.run / "report.html").read_text()
    assert "<script>alert(1)" not in html
    assert json.loads(ran.out)["findings"][0]["title"]
