"""The judge: blind while it reviews, deaf to seats while it rules, held to the change, and never silently absent."""

from __future__ import annotations

import json
import re

import pytest
from review_world import DIVISION, LEAK, Ran, World, finding

SHADOW = finding("store.py", 5, "def save(path, text):", "The name shadows a built-in", "medium")
SLOW = finding(
    "store.py", 6, "open(path, 'w').write(text)", "Unbuffered writing is slow", "low", category="performance"
)
NOTES = finding("calc.py", 5, "def div(a, b):", "Integers are divided into floats", "medium")
WRONG = finding("calc.py", 6, "return a // b", "A quote that stands nowhere")
ELSEWHERE = finding("other.py", 1, "import os", "In a file that is not there")

JUDGE = f"""
if node == "review":
    review([{LEAK!r}])
elif "left these ids out" in prompt:
    rule({{}}, default=None)
else:
    better = {{**{NOTES!r}, "title": "Division gives a float", "severity": "high"}}
    lost = {{**{DIVISION!r}, "quote": "nothing like it", "title": "Moved away"}}
    drop = {{"ruling": "drop", "reason": "style_only", "evidence": "store.py:5 hides nothing"}}
    rule(
        {{
            {NOTES["title"]!r}: {{"ruling": "rewrite", "finding": better}},
            {DIVISION["title"]!r}: {{"ruling": "rewrite", "finding": lost, "evidence": "calc.py:6 has no check"}},
            {SHADOW["title"]!r}: drop,
            {LEAK["title"]!r}: {{"ruling": "keep", "evidence": "store.py:6 opens and never closes"}},
        }},
        default=None,
        more=[{{"id": "F99", "ruling": "drop", "reason": "impossible", "evidence": "nobody's"}}],
        new=[{finding("calc.py", 5, "def div(a, b):", "New: no annotations", "low")!r}, {WRONG!r}],
    )
"""


@pytest.fixture(scope="module")
def ran(shared: World) -> Ran:
    shared.agent("one", f"meet('wise'); review({[DIVISION, SHADOW, SLOW]!r})")
    shared.reviewer("two", NOTES, WRONG, ELSEWHERE)
    shared.agent("wise", JUDGE, session=True)
    shared.panel("one", "two", judge="wise")
    return shared.review()


def found(ran: Ran, title: str) -> dict[str, object]:
    return next(f for f in ran.result["findings"] if f["title"] == title)


def test_the_judge_reviews_blind_and_at_the_same_time(ran: Ran, shared: World) -> None:
    own = shared.prompt("judge")
    assert own.startswith("# Review a change")
    for said in (DIVISION, SHADOW, SLOW, NOTES):
        assert str(said["title"]) not in own
    assert ran.seat("reviewer-one")["status"] == "ok"  # it has met the judge
    assert found(ran, str(LEAK["title"]))["raised_by"] == ["judge"]
    assert ran.seat("judge")["coverage"] == 1.0


def test_the_judge_sees_ids_and_never_seats(ran: Ran, shared: World) -> None:
    prompt = shared.prompt("judge", "rule-")
    shown = re.search(r"~~~~~~json\n(.*?)\n~~~~~~", prompt.split("## The findings")[1], re.DOTALL)
    assert shown
    candidates = json.loads(shown[1])
    assert {c["id"] for c in candidates} == {"F1", "F2", "F3", "F4", "F5"}
    assert "reviewer-" not in prompt
    assert not {"seat", "raised_by", "agent", "claims"} & set(candidates[0])


def test_what_stands_nowhere_is_dropped_before_the_judge_sees_it(ran: Ran, shared: World) -> None:
    prompt = shared.prompt("judge", "rule-")
    for said in (WRONG, ELSEWHERE):
        assert str(said["title"]) not in prompt
        dropped = next(d for d in ran.result["dropped"] if d["title"] == said["title"])
        assert dropped["raised_by"] == ["reviewer-two"]
        assert dropped["reason"] in ("quote_not_found", "outside_change")
        assert dropped["explanation"]


def test_what_the_judge_keeps_stays_with_its_evidence(ran: Ran) -> None:
    kept = found(ran, str(LEAK["title"]))
    assert (kept["ruling"], kept["evidence"]) == ("keep", "store.py:6 opens and never closes")


def test_what_the_judge_rewrites_is_shown_in_its_words(ran: Ran) -> None:
    rewritten = found(ran, "Division gives a float")
    assert (rewritten["ruling"], rewritten["severity"], rewritten["line"]) == ("rewrite", "high", 5)
    assert rewritten["raised_by"] == ["reviewer-two"]


def test_a_rewrite_that_stands_nowhere_leaves_the_finding_as_it_was(ran: Ran) -> None:
    kept = found(ran, str(DIVISION["title"]))
    assert kept["ruling"] == "keep"
    assert "Kept as it was" in str(kept["evidence"])


def test_what_the_judge_drops_is_told_with_its_reason(ran: Ran, shared: World) -> None:
    assert str(SHADOW["title"]) not in ran.titles
    dropped = next(d for d in ran.result["dropped"] if d["title"] == SHADOW["title"])
    assert (dropped["reason"], dropped["explanation"]) == ("style_only", "store.py:5 hides nothing")
    everything = shared.moot("show", ran.result["run"], "--all").out
    assert str(SHADOW["title"]) in everything
    assert "store.py:5 hides nothing" in everything


def test_what_the_judge_leaves_out_is_asked_once_more_and_then_unverified(ran: Ran, shared: World) -> None:
    rulings = [e for e in shared.diary("wise") if e.node == "judge"]
    assert len(rulings) == 2
    left = found(ran, str(SLOW["title"]))
    asked = next(p for p in shared.run.glob("turns/judge/rule-*/prompt.md") if "left these ids out" in p.read_text())
    assert f"left these ids out: {left['id']}." in asked.read_text()
    assert (left["ruling"], left["disposition"]) == ("unverified", "unverified")
    assert ran.seat("judge")["turns"] == 3


def test_new_findings_of_the_judge_are_held_to_the_change(ran: Ran) -> None:
    new = found(ran, "New: no annotations")
    assert (new["ruling"], new["raised_by"]) == ("new", ["judge"])
    assert any(d["title"] == WRONG["title"] and d["raised_by"] == ["judge"] for d in ran.result["dropped"])


def test_ids_nobody_has_do_no_harm(ran: Ran) -> None:
    assert "F99" not in json.dumps(ran.result["findings"])
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (1, "complete", "request_changes")


def test_a_judge_that_fails_leaves_everything_shown_and_unverified(world: World) -> None:
    world.reviewer("one", DIVISION)
    world.agent("dies", "review() if node == 'review' else print('I would rather not')")
    world.panel("one", judge="dies")
    ran = world.review()
    assert (ran.code, ran.result["status"], ran.result["verdict"]) == (3, "incomplete", "comment")
    (shown,) = ran.result["findings"]
    assert (shown["ruling"], shown["disposition"]) == ("unverified", "unverified")
    judge = ran.seat("judge")
    assert (judge["status"], judge["failure"]) == ("failed", "malformed")
    assert any("The judge gave no answer" in r for r in ran.result["verdict_reasons"])
    assert ran.result["judge"] == ""
    assert "unverified" in world.moot("show", ran.result["run"]).out


def test_a_judge_whose_second_answer_fails_keeps_the_rulings_of_its_first(world: World) -> None:
    world.reviewer("one", DIVISION, LEAK)
    first = f"rule({{{DIVISION['title']!r}: {{'ruling': 'keep', 'evidence': 'seen'}}}}, default=None)"
    world.agent("tired", f"{first} if 'left these ids out' not in prompt else print('{{}}')")
    world.panel("one", judge="tired", judge_own_pass=False)
    ran = world.review()
    assert (ran.code, ran.result["status"]) == (3, "incomplete")
    rulings = {f["title"]: f["ruling"] for f in ran.result["findings"]}
    assert rulings == {DIVISION["title"]: "keep", LEAK["title"]: "unverified"}


def test_nothing_to_rule_on_is_not_paid_for(world: World) -> None:
    world.reviewer("one")
    world.reviewer("chief")
    world.panel("one", judge="chief", judge_own_pass=False)
    ran = world.review()
    assert (ran.code, ran.result["verdict"]) == (0, "approve")
    assert world.diary("chief") == []
    judge = ran.seat("judge")
    assert (judge["status"], judge["note"], judge["turns"]) == ("skipped", "nothing to rule on", 0)


def test_a_judge_that_reviews_as_a_reviewer_has_no_second_pass(world: World) -> None:
    world.reviewer("one", DIVISION)
    world.panel("one", judge="one")
    ran = world.review()
    assert [(e.seat, e.node) for e in world.diary("one")] == [("reviewer-one", "review"), ("judge", "judge")]
    assert ran.result["judge"] == "one"


def test_rules_judge_where_no_model_does(world: World) -> None:
    world.reviewer("one", DIVISION, LEAK)
    world.panel("one", judge="rules")
    ran = world.review()
    assert (ran.code, ran.result["judge"], ran.result["verdict"]) == (1, "rules", "request_changes")
    assert {f["ruling"] for f in ran.result["findings"]} == {"keep"}
    assert any("No model judged" in n for n in ran.result["notices"])
    assert all(s["seat"] != "judge" for s in ran.result["seats"])


def test_a_reviewers_prose_reaches_the_judge_under_a_number(world: World) -> None:
    world.agent("shell", "print('calc.py line 6 divides by zero: return a / b')", reply="text")
    world.agent(
        "chief",
        f"text = open(os.path.join(os.path.dirname(os.environ['MOOT_CHANGE_FILE']), 'prose.md')).read();"
        f"note('PROSE', text=text); rule(new=[{DIVISION!r}])",
    )
    world.panel("shell", judge="chief", judge_own_pass=False)
    ran = world.review()
    prompt = world.prompt("judge", "rule-")
    assert f"`{world.run / 'files' / 'prose.md'}`" in prompt
    (note,) = world.noted("chief", "PROSE")
    assert "## Reviewer 1\n\ncalc.py line 6 divides by zero" in note["text"]
    assert "shell" not in note["text"] + prompt
    assert ran.result["prose"] == {"reviewer-shell": "calc.py line 6 divides by zero: return a / b"}
    assert ran.titles == [DIVISION["title"]]
    assert ran.seat("reviewer-shell")["coverage"] is None
    assert "~~~~~~json" not in world.prompt("reviewer-shell")


def test_prose_alone_never_approves(world: World) -> None:
    world.agent("shell", "print('All is well.')", reply="text")
    world.panel("shell")
    ran = world.review()
    assert (ran.code, ran.result["verdict"]) == (0, "comment")
    assert ran.result["coverage"]["unread"] == ["calc.py", "store.py"]


def test_what_the_judge_found_keeps_its_id_whoever_finds_it_again(world: World) -> None:
    world.reviewer("one", DIVISION)
    world.agent("flaky", "sys.exit('Not logged in')")
    world.agent("chief", f"rule(new=[{LEAK!r}])")
    world.panel("one", "flaky", judge="chief", judge_own_pass=False)

    def ids(ran: Ran) -> dict[str, str]:
        return {f["title"]: f["id"] for f in ran.result["findings"]}

    first = world.review()
    wanted = {DIVISION["title"]: "F1", LEAK["title"]: "F2"}
    assert ids(first) == wanted
    assert ids(world.review()) == wanted  # another run
    world.rewrite("flaky", f"review([{SHADOW!r}])")
    again = world.moot("runs", "resume", first.result["run"], "--json")  # the same run, and more to rule on
    assert ids(again) == {**wanted, SHADOW["title"]: "F3"}
    world.rewrite("flaky", f"review([{LEAK!r}])")
    found = world.review()
    assert ids(found) == wanted
    assert {f["title"]: f["ruling"] for f in found.result["findings"]} == dict.fromkeys(wanted, "keep")


def test_a_substitute_that_judges_is_named(world: World) -> None:
    world.reviewer("one", DIVISION)
    world.agent("tired", "sys.exit('Not logged in')", substitutes=["chief"])
    world.reviewer("chief")
    world.panel("one", judge="tired", judge_own_pass=False)
    ran = world.review()
    assert (ran.code, ran.result["judge"]) == (1, "chief")
    judge = ran.seat("judge")
    assert (judge["agent"], judge["replaced"]) == ("chief", "tired")
