"""The panel the project promises to survive: one hangs, one says nothing, one reads half, one lies, one is good."""

from __future__ import annotations

import pytest
from review_world import DIVISION, LEAK, Ran, World


def seat_them(world: World) -> None:
    world.reviewer("good", {**DIVISION, "severity": "medium"}, LEAK)
    world.agent("mute", "time.sleep(60)")
    world.table("roles.hangs", agent="mute", silence="0.5s")
    world.agent("empty", "print('{}')")
    world.agent("half", "review(receipts=receipts[:1])")
    world.agent("guesses", "review(receipts=['abcdefgh2345', 'zzzzzzzzzzzz'])")
    world.panel("good", "hangs", "empty", "half", "guesses", judge="good")


@pytest.fixture(scope="module")
def ran(shared: World) -> Ran:
    seat_them(shared)
    return shared.review()


def test_a_panel_with_bad_seats_is_incomplete_and_says_so(ran: Ran) -> None:
    result = ran.result
    assert (ran.code, result["status"], result["verdict"]) == (3, "incomplete", "comment")
    assert "reviewer-hangs gave no answer (silent)." in result["verdict_reasons"]
    assert "reviewer-empty gave no answer (malformed)." in result["verdict_reasons"]
    assert "reviewer-guesses read none of the change." in result["verdict_reasons"]


def test_the_good_seats_findings_are_shown(ran: Ran, shared: World) -> None:
    assert sorted(ran.titles) == sorted([str(DIVISION["title"]), str(LEAK["title"])])
    assert all(f["raised_by"] == ["reviewer-good"] for f in ran.result["findings"])
    shown = shared.moot("show", ran.result["run"]).out
    assert str(DIVISION["title"]) in shown
    assert "INCOMPLETE" in shown.upper()


def test_a_seat_that_says_nothing_is_ended_by_its_silence_limit(ran: Ran, shared: World) -> None:
    hangs = ran.seat("reviewer-hangs")
    assert (hangs["status"], hangs["failure"], hangs["turns"]) == ("failed", "silent", 1)
    assert shared.diary("mute")[0].end is None


def test_an_empty_object_is_never_clean(ran: Ran) -> None:
    empty = ran.seat("reviewer-empty")
    assert (empty["status"], empty["failure"], empty["coverage"]) == ("failed", "malformed", None)


def test_no_receipt_counts_that_was_not_read(ran: Ran) -> None:
    guesses, half, good = (ran.seat(f"reviewer-{n}") for n in ("guesses", "half", "good"))
    assert (guesses["coverage"], guesses["read"]) == (0.0, [])
    assert "2 receipts that were never issued" in guesses["note"]
    assert (half["coverage"], half["read"]) == (0.5, ["calc.py"])
    assert (good["coverage"], good["read"]) == (1.0, ["calc.py", "store.py"])
    assert ran.result["coverage"]["unread"] == []


def test_a_required_seat_that_hangs_leaves_the_change_not_reviewed(world: World) -> None:
    seat_them(world)
    world.table("policy", required=["hangs"])
    ran = world.review()
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (3, "not_reviewed", "not_reviewed")
    assert ran.result["verdict_reasons"][0] == "reviewer-hangs is required and gave no answer (silent)."
    assert str(DIVISION["title"]) in ran.titles


def test_what_nobody_read_keeps_the_verdict_from_approving(world: World) -> None:
    world.agent("half", "review(receipts=receipts[:1])")
    world.panel("half")
    ran = world.review()
    assert (ran.code, ran.result["verdict"]) == (0, "comment")
    assert ran.result["coverage"]["unread"] == ["store.py"]
    assert any("1 of 2 files was not demonstrably read" in r for r in ran.result["verdict_reasons"])
