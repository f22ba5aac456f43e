"""Limits: whoever cannot answer is replaced, whoever may not be asked is not, and what was spent is spent."""

from __future__ import annotations

from itertools import pairwise

import pytest
from review_world import DIVISION, LEAK, Ran, World, eventually

FAR = "sys.exit('You have hit your usage limit, try again at 2033-05-18T03:33:00Z')"


@pytest.fixture(scope="module")
def ran(shared: World) -> Ran:
    shared.agent("tired", FAR, substitutes=["gone", "fresh"])
    shared.table("agents.gone", kind="command", command=["no-such-reviewer"])
    shared.reviewer("fresh", DIVISION)
    shared.claude(
        "opus",
        "review() if 'sonnet' in sys.argv else result.update(is_error=True, result=\"You've reached your Opus limit\")",
        model="opus",
        fallback=["haiku", "sonnet"],
    )
    shared.agent("alone", "sys.exit('Not logged in. Please run /login')")
    shared.panel("tired", "opus", "alone")
    return shared.review()


def test_a_substitute_takes_the_seat_over_and_the_report_says_so(ran: Ran, shared: World) -> None:
    seat = ran.seat("reviewer-tired")
    assert (seat["status"], seat["agent"], seat["replaced"]) == ("ok", "fresh", "tired")
    assert [line.rsplit(" → ", 1)[1] for line in seat["trail"]] == ["handed to gone", "handed to fresh"]
    assert "usage limit" in seat["trail"][0]
    (found,) = ran.result["findings"]
    assert found["raised_by"] == ["reviewer-tired"]
    assert "tired → fresh" in shared.moot("show", ran.result["run"]).out


def test_fallback_models_are_tried_in_their_order(ran: Ran, shared: World) -> None:
    models = [e["argv"][e["argv"].index("--model") + 1] for e in shared.noted("opus", "BEGIN")]
    assert models == ["opus", "haiku", "sonnet"]
    seat = ran.seat("reviewer-opus")
    assert (seat["status"], seat["agent"], seat["replaced"], seat["turns"]) == ("ok", "opus", None, 3)
    assert [line.rsplit(" → ", 1)[1] for line in seat["trail"]] == ["handed to model haiku", "handed to model sonnet"]


def test_who_is_not_logged_in_has_failed(ran: Ran) -> None:
    seat = ran.seat("reviewer-alone")
    assert (seat["status"], seat["failure"], seat["turns"]) == ("failed", "login", 1)
    assert (ran.code, ran.result["status"]) == (3, "incomplete")


def test_another_process_does_not_ask_an_account_that_is_paused(ran: Ran, shared: World) -> None:
    child = shared.start("review", "--json", "--reviewers", "tired")
    out, err = child.communicate(timeout=60)
    again = Ran(child.returncode, out, err)
    assert ran.result["run"] != again.result["run"]
    assert len(shared.diary("tired")) == 1
    seat = again.seat("reviewer-tired")
    assert (seat["status"], seat["agent"]) == ("ok", "fresh")
    assert "tired is paused: usage_limit: " in seat["trail"][0]


def test_after_a_pause_one_turn_goes_first(world: World) -> None:
    limited = world.diaries.parent / "actors" / "limited"
    limited.touch()
    for name, other in (("one", "two"), ("two", "one")):
        world.agent(
            name,
            f"meet({other!r})\nif os.path.exists({str(limited)!r}): sys.exit('usage limit reached, retry-after: 1')\n"
            "time.sleep(0.3); review()",
            account="both",
            read=[str(world.actors)],
        )
    world.panel("one", "two")
    ran = world.review()
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (4, "stalled", "not_reviewed")
    limited.unlink()
    again = world.moot("runs", "resume", ran.result["run"], "--json")
    assert (again.code, again.result["status"]) == (0, "complete")
    first, second = world.diary()[-2:]
    assert first.end is not None
    assert first.end <= second.begin
    assert "both was paused; one turn goes first" in world.moot("show", ran.result["run"], "--story").out


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"run_turns": 1}, "budget: this run's turns: 1 of 1 are used"),
        ({"run_tokens": 500}, "budget: this run's tokens: 1,010 of 500 are used"),
        ({"run_cost_usd": 0.6}, "budget: this run: $0.25 spent, $0.50 expected of the next turn, of $0.60"),
        ({"day_cost_usd": 0.6}, "budget: today: $0.25 spent, $0.50 expected of the next turn, of $0.60"),
    ],
)
def test_a_spent_budget_refuses_further_turns_and_is_told(world: World, budget: dict[str, float], said: str) -> None:
    world.claude("opus", "review()")
    world.reviewer("late", substitutes=["other"])
    world.reviewer("other")
    world.table("roles.second", agent="late", after=["opus"])
    world.table("budget", **budget)
    world.panel("opus", "second")
    ran = world.review()
    second = ran.seat("reviewer-second")
    assert (ran.code, ran.result["status"], second["status"]) == (3, "incomplete", "failed")
    assert second["note"] == said
    assert second["turns"] == 0
    assert not any("handed to" in line for line in second["trail"])
    assert [e.agent for e in world.diary()] == ["opus"]
    report = " ".join(world.moot("show", ran.result["run"]).out.split())
    assert f"was not asked: {said.removeprefix('budget: ')}" in report


def test_a_judge_the_budget_refuses_leaves_the_findings_unverified(world: World) -> None:
    world.reviewer("one", DIVISION)
    world.reviewer("chief")
    world.table("budget", run_turns=1)
    world.panel("one", judge="chief", judge_own_pass=False)
    ran = world.review()
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (3, "incomplete", "comment")
    assert [f["ruling"] for f in ran.result["findings"]] == ["unverified"]


def test_an_accounts_cap_holds_over_two_runs_at_once(world: World) -> None:
    world.agent("slow", f"time.sleep(0.2); review([{LEAK!r}])", account="single")
    world.agent("slower", "time.sleep(0.2); review()", account="single")
    world.table("accounts.single", concurrency=1)
    world.panel("slow", "slower")
    children = [world.start("review", "--json") for _ in range(2)]
    eventually(lambda: len(world.diary()) == 4 and all(e.end for e in world.diary()))
    results = [Ran(0, *child.communicate(timeout=60)).result for child in children]
    assert [r["status"] for r in results] == ["complete", "complete"]
    turns = world.diary()
    assert len({e.run for e in turns}) == 2
    assert all(a.end is not None and a.end <= b.begin for a, b in pairwise(turns))
