"""Roles: the same agent asked in other ways, when its turn is, and after whom."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from review_world import DIVISION, LEAK, Ran, World

from moot.config.model import Config
from moot.proceedings.seating import Facts, panel


@dataclass(frozen=True)
class Twice:
    """A branch that was reviewed twice."""

    world: World
    first: Ran
    second: Ran


@pytest.fixture(scope="module")
def twice(shared: World) -> Twice:
    world = shared
    for name, text in (("security.md", "Look for injections."), ("delta.md", "Look at what is new.")):
        (world.home / name).write_text(text)
    world.reviewer("sec", DIVISION, session=True)
    world.claude("opus", f"review([{LEAK!r}])")
    world.agent("plain", "time.sleep(0.2); review()")
    world.table("roles.security", agent="sec", prompt="security.md", rereview="delta.md")
    world.table("roles.deep", agent="opus", effort="high", rereview_effort="low")
    world.table("roles.once", agent="plain", runs="first")
    world.table("roles.never", agent="plain", runs="never")
    world.table("roles.late", agent="plain", after=["security", "deep"])
    world.table("roles.byhand", agent="plain", runs="manual")
    world.table("roles.hurried", agent="plain", timeout="0.1s")
    world.panel("security", "deep", "once", "never", "late", "byhand", "hurried")
    return Twice(world, world.review(), world.review("--role", "byhand"))


def test_a_roles_prompt_is_appended_to_the_built_in_one(twice: Twice) -> None:
    prompt = twice.world.prompt("reviewer-security", run=twice.world.runs()[0])
    assert prompt.startswith("# Review a change")
    assert "## Your particular task\n\nLook for injections.\n\n## Your reply" in prompt


def test_a_branch_seen_again_is_reviewed_with_the_rereview_prompt(twice: Twice) -> None:
    prompt = twice.world.prompt("reviewer-security", run=twice.world.runs()[1])
    assert prompt.startswith("# The change has moved on")
    assert "Look at what is new." in prompt
    assert "Look for injections." not in prompt


def test_a_branch_seen_again_is_reviewed_in_the_same_conversation(twice: Twice) -> None:
    first, again = twice.world.noted("sec", "BEGIN")
    assert first["argv"] == again["argv"]
    assert again["argv"][0]


def test_effort_and_conversation_of_a_second_review_reach_the_cli(twice: Twice) -> None:
    first, again = (e["argv"] for e in twice.world.noted("opus", "BEGIN"))
    assert first[first.index("--effort") + 1] == "high"
    assert again[again.index("--effort") + 1] == "low"
    assert again[again.index("--resume") + 1] == first[first.index("--session-id") + 1]


def test_a_running_total_is_booked_once(twice: Twice) -> None:
    for ran in (twice.first, twice.second):
        usage = ran.seat("reviewer-deep")["usage"]
        assert (usage["input_tokens"], usage["cost_usd"]) == (1000, 0.25)


def test_a_role_of_the_first_review_does_not_come_again(twice: Twice) -> None:
    assert twice.first.seat("reviewer-once")["status"] == "ok"
    again = twice.second.seat("reviewer-once")
    assert (again["status"], again["note"]) == ("skipped", "reviews a branch once, and has")


def test_a_role_that_never_runs_is_skipped_aloud(twice: Twice) -> None:
    never = twice.first.seat("reviewer-never")
    assert (never["status"], never["note"]) == ("skipped", "the role is switched off (runs = never)")


def test_a_manual_role_runs_when_it_is_named(twice: Twice) -> None:
    without = twice.first.seat("reviewer-byhand")
    assert (without["status"], without["note"]) == ("skipped", "asked only with --role byhand")
    assert twice.second.seat("reviewer-byhand")["status"] == "ok"


def test_a_role_starts_after_those_whose_reports_it_reads(twice: Twice) -> None:
    run = twice.world.runs()[0].name
    late = next(e for e in twice.world.diary("plain") if e.seat == "reviewer-late")
    assert twice.first.result["run"] == run
    for agent in ("sec", "opus"):
        assert twice.world.diary(agent)[0].end < late.begin
    prompt = twice.world.prompt("reviewer-late", run=twice.world.runs()[0])
    path = twice.world.runs()[0] / "files" / "reports-for-reviewer-late.md"
    assert f"`{path}`" in prompt
    report = path.read_text()
    assert "## reviewer-security" in report
    assert str(DIVISION["title"]) in report
    assert str(LEAK["title"]) in report
    assert "receipts" not in report


def test_a_role_has_its_own_time(twice: Twice) -> None:
    hurried = twice.first.seat("reviewer-hurried")
    assert (hurried["status"], hurried["failure"]) == ("failed", "timeout")


def test_findings_keep_their_ids_over_the_runs_of_a_branch(twice: Twice) -> None:
    first, second = ({f["title"]: f["id"] for f in ran.result["findings"]} for ran in (twice.first, twice.second))
    assert first == second
    assert sorted(first.values()) == ["F1", "F2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--reviewers", "secc"], 'must name an agent, role or analyzer, not "secc", did you mean "sec'),
        (["--role", "nobody"], '"review.roles" must name a role, not "nobody"'),
        (["--judge", "nobody"], '"review.judge" must name an agent, a role or "rules", not "nobody"'),
    ],
)  # fmt: skip
def test_a_name_nobody_has_is_an_error_before_anybody_is_asked(world: World, arguments: list[str], said: str) -> None:
    world.reviewer("sec")
    world.table("roles.security", agent="sec")
    ran = world.review(*arguments)
    assert ran.code == 2
    assert said in ran.err
    assert world.runs() == []


def config(**tables: object) -> Config:
    command = {"kind": "command", "command": ["true"]}
    return Config.model_validate({"agents": {"a": command, "b": command}, **tables})


def test_a_role_waits_for_analyzers_too() -> None:
    roles = {"late": {"agent": "a", "after": ["ruff"]}, "last": {"agent": "b", "after": ["analyzers", "late"]}}
    review = {"reviewers": ["last", "late", "analyzers"], "judge": "rules"}
    waves = panel(config(roles=roles, review=review), Facts(analyzers=("ruff", "typos"))).waves()
    assert [[s.name for s in wave] for wave in waves] == [["ruff", "typos"], ["reviewer-late"], ["reviewer-last"]]


def test_requiring_an_agent_requires_the_role_it_sits_in() -> None:
    seated = panel(
        config(
            roles={"security": {"agent": "a"}},
            review={"reviewers": ["security", "b"], "judge": "rules"},
            policy={"required": ["a"]},
        ),
        Facts(),
    )
    assert {s.name: s.required for s in seated.reviewers} == {"reviewer-security": True, "reviewer-b": False}


def test_requiring_an_agent_that_only_judges_requires_the_judge() -> None:
    review = {"reviewers": ["b"], "judge": "a"}
    alone = panel(config(review=review, policy={"required": ["a"]}), Facts())
    assert alone.judge is not None
    assert (alone.judge.required, alone.skipped) == (True, ())
    both = panel(config(review={**review, "reviewers": ["a", "b"]}, policy={"required": ["a"]}), Facts())
    assert both.judge is not None
    assert (both.judge.required, [s.required for s in both.reviewers]) == (False, [True, False])


def test_who_reviews_a_branch_once_is_required_once() -> None:
    roles = {"security": {"agent": "a", "runs": "first"}}
    asked = config(roles=roles, review={"reviewers": ["security"], "judge": "rules"}, policy={"required": ["a"]})
    first, again = panel(asked, Facts()), panel(asked, Facts(seen=("reviewer-security",)))
    assert [s.required for s in first.reviewers] == [True]
    assert [(s.seat, s.required) for s in again.skipped] == [("reviewer-security", False)]


def test_a_required_analyzer_is_missed_where_it_is_not_installed_only() -> None:
    review = {"reviewers": ["b", "ruff", "typos"], "judge": "rules"}
    asked = config(review=review, policy={"required": ["ruff", "typos"]})
    seated = panel(asked, Facts(missing={"ruff": "not installed"}, idle={"typos": "no files for it in the change"}))
    assert [(s.seat, s.note, s.required) for s in seated.skipped] == [
        ("ruff", "not installed", True),
        ("typos", "no files for it in the change", False),
    ]


def test_a_required_seat_that_is_skipped_is_told_once() -> None:
    seated = panel(
        config(
            roles={"security": {"agent": "a", "runs": "never"}},
            review={"reviewers": ["security", "b"], "judge": "rules"},
            policy={"required": ["security"]},
        ),
        Facts(),
    )
    assert [(s.seat, s.required) for s in seated.skipped] == [("reviewer-security", True)]


def test_a_required_seat_that_nobody_takes_is_told() -> None:
    review = {"reviewers": ["b"], "judge": "rules"}
    seated = panel(config(review=review, policy={"required": ["a", "judge"]}), Facts())
    assert [(s.seat, s.note) for s in seated.skipped] == [
        ("a", "required, but nobody of that name sits"),
        ("judge", "required, but nobody of that name sits"),
    ]
