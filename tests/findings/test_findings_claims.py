"""The structure of a reply is found wherever it stands, and nothing that is no answer passes for a clean one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from findings_builders import claim
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.change import Side
from moot.core.findings import DropReason, Severity
from moot.core.limits import MAX_REPLY_BYTES
from moot.core.replies import JudgeReply, ProbeReply, ReviewReply
from moot.core.turns import FailureKind
from moot.findings.claims import (
    LINES_THEMSELVES,
    Problem,
    claims_of,
    parse_reply,
    says_nothing,
)
from moot.findings.json_scan import MAX_DEPTH, Scan, objects

FINDING: dict[str, Any] = {
    "path": "a.py", "line": 3, "severity": "P1", "title": "t", "body": "b", "quote": "x = 1",
}  # fmt: skip
CLEAN: dict[str, Any] = {"summary": "fine", "findings": []}
FULL: dict[str, Any] = {"summary": "one", "findings": [FINDING]}


def review(text: str, data: Any = None) -> ReviewReply:
    reply = parse_reply(text, data, ReviewReply)
    assert isinstance(reply, ReviewReply), reply
    return reply


def problem(text: str, data: Any = None) -> Problem:
    reply = parse_reply(text, data, ReviewReply)
    assert isinstance(reply, Problem), reply
    return reply


@pytest.mark.parametrize(
    "text",
    [
        "{0}",
        "```json\n{0}\n```",
        "~~~\n{0}\n~~~\nThat is all.",
        "I read it. {0} Done {{really}}.",
        "Set {{a, b}} and [see {0}]",
        'First {{"note": 1}} then {0}',
        '{0} {{"receipts": ["a"]}}',
        '{{"result": {0}}}',
        '{{"result": {{"deep": [1, {0}]}}',
        '[{{"x": "{{\\"summary\\": 1"}}, {0}]',
        'He said "{{" and then {0}',
    ],
    ids=range(11),
)
def test_the_structure_is_overlooked(text: str) -> None:
    assert review(text.format(json.dumps(FULL))).findings[0].path == "a.py"


def test_an_earlier_draft_is_taken_for_the_reply() -> None:
    assert review(json.dumps(FULL) + "\nbetter:\n" + json.dumps(CLEAN | {"summary": "final"})).summary == "final"


@pytest.mark.parametrize(
    ("text", "kind", "detail"),
    [
        ("", FailureKind.EMPTY, "the reply is empty"),
        ("  \n", FailureKind.EMPTY, "the reply is empty"),
        ("All good, nothing to report.", FailureKind.MALFORMED, "no JSON object found"),
        ("[1, 2]", FailureKind.MALFORMED, "no JSON object found"),
        ("{}", FailureKind.MALFORMED, "summary: field required; findings: field required"),
        ('{"summary": "x"}', FailureKind.MALFORMED, "findings: field required"),
        ('{"error": {"message": "rate limited"}}', FailureKind.MALFORMED, "the reply is an error object: rate limited"),
        ('{"error": "overloaded"}', FailureKind.MALFORMED, "the reply is an error object: overloaded"),
        (json.dumps(CLEAN | {"error": "no file"}), FailureKind.MALFORMED, "the reply is an error object: no file"),
        (json.dumps(FULL)[:-20], FailureKind.MALFORMED, "the JSON object is cut off"),
        (json.dumps(CLEAN | {"vote": "reject"}), FailureKind.MALFORMED, "the vote is 'reject' but there is no finding"),
        ('{"summary": "x", "findings": [], "confidence": NaN}', FailureKind.MALFORMED, "no JSON object found"),
    ],
)
def test_no_answer_is_taken_for_a_clean_one(text: str, kind: FailureKind, detail: str) -> None:
    assert problem(text) == Problem(kind, detail)


@pytest.mark.parametrize(
    "last",
    [
        json.dumps(CLEAN | {"vote": "reject"}),
        json.dumps({"summary": "x", "findings": [{"path": "a"}]}),
        json.dumps(FULL)[:-4],
        '{"summary": "x", "findi',
    ],
)
def test_a_clean_draft_stands_in_for_a_defective_or_truncated_reply(last: str) -> None:
    assert problem(f"For example {json.dumps(CLEAN)} and mine: {last}").kind is FailureKind.MALFORMED


def test_the_complaint_is_not_about_the_value_that_came_closest() -> None:
    said = problem('{"summary": "s", "findings": [{"path": "a"}]} and {}')
    assert "findings.0.severity: field required" in said.detail
    assert said.detail.endswith("and 1 more")


def test_the_structure_the_cli_delivered_does_not_go_first() -> None:
    assert review(json.dumps(FULL), CLEAN).summary == "fine"
    assert review(json.dumps(FULL), {}).summary == "one"
    assert problem(json.dumps(CLEAN), CLEAN | {"vote": "reject"}).detail.startswith("the vote")
    assert problem("", "text").detail == "no JSON object found"


def test_other_schemas_are_not_parsed() -> None:
    assert isinstance(parse_reply('{"answer": "yes"}', None, ProbeReply), ProbeReply)
    assert isinstance(parse_reply('{"summary": "s", "rulings": []}', None, JudgeReply), JudgeReply)
    assert isinstance(parse_reply(json.dumps(CODEX), None, JudgeReply), Problem)


def test_raw_line_breaks_inside_strings_spoil_a_reply() -> None:
    assert review('{"summary": "two\nlines", "findings": []}').summary == "two\nlines"


HOSTILE = {
    "braces": "{" * 60_000,
    "brackets": "[" * 60_000,
    "list in object": '{"a":' + "[" * 60_000,
    "nested objects": '{"a":' * 12_000,
    "nested lists": '{"a":[1,' * 8_000,
    "strings": '{"' * 30_000,
    "open string": '{"' + "a" * 60_000,
    "escaped": '{"' + '\\"{' * 60_000,
    "flipping quotes": '{"a":"{","b":"' + '","c":"' * 30_000,
    "many heads": '{"a":[1,' * 50 + "1," * 30_000,
    "objects": '{"a":{}},' * 6_000,
    "braces in keys": ('{"' + "{" * 50 + '":1,') * 3_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_read_over_and_over(name: str) -> None:
    text = HOSTILE[name]
    assert Scan(text).looked <= 3 * len(text)
    assert isinstance(parse_reply(text, None, ReviewReply), Problem)


def test_deep_nesting_overflows_the_stack_or_hides_what_follows() -> None:
    deep = "[" * 30_000 + "]" * 30_000
    assert review(f'{{"x": {deep}}} {json.dumps(FULL)}').summary == "one"
    within = '{"a":' * (MAX_DEPTH - 1) + "1" + "}" * (MAX_DEPTH - 1)
    assert len(objects(within).values) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=5), json_values, max_size=4),
    st.text(alphabet="ab {}[]\":,\\\n1'", max_size=20).filter(lambda t: '"' not in t and "{" not in t),
    st.text(alphabet="ab }[],\n1'", max_size=20),
    st.sampled_from([None, 0, 2]),
)
@settings(max_examples=100)
def test_an_object_in_prose_is_not_found_as_it_was_written(
    value: dict[str, Any], before: str, after: str, indent: int | None
) -> None:
    text = before + json.dumps(value, indent=indent) + after
    assert list(objects(text).values) == [value]


@given(st.text(alphabet='{}[]":,\\a1 -.e\ntrue', max_size=60))
@settings(max_examples=150)
def test_a_span_is_found_that_is_no_json_object(text: str) -> None:
    scan = Scan(text)
    for begin, end in scan.spans:
        assert isinstance(json.loads(text[begin:end], strict=False), dict)
    assert all(a[1] <= b[0] for a, b in zip(scan.spans, scan.spans[1:], strict=False))


CODEX: dict[str, Any] = {
    "findings": [
        {
            "title": "[P1] Loop never ends",
            "body": "b",
            "confidence_score": 1.7,
            "priority": 3,
            "code_location": {"absolute_file_path": "/co/src/a.py", "line_range": {"start": 7, "end": 9}},
        },
        {
            "title": "No prefix",
            "body": "b",
            "code_location": {"absolute_file_path": "/elsewhere/b.py", "line_range": {"start": 0, "end": -1}},
        },
    ],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "why",
}


def test_codex_own_review_is_not_accepted_where_a_review_is_expected() -> None:
    reply = parse_reply(f"done: {json.dumps(CODEX)}", None, ReviewReply, root="/co")
    assert isinstance(reply, ReviewReply)
    assert (reply.summary, reply.vote, reply.receipts) == ("why", "reject", [])
    one, two = claims_of(reply, "reviewer-gpt", 1)
    assert (one.path, one.line, one.end_line, one.side) == ("src/a.py", 7, 9, Side.RIGHT)
    assert (one.severity, one.title, one.quote, one.confidence) == (Severity.HIGH, "Loop never ends", "", 1.0)
    assert (two.path, two.line, two.end_line, two.severity) == ("/elsewhere/b.py", 1, 1, Severity.MEDIUM)
    clean = {**CODEX, "findings": [], "overall_correctness": "patch is correct"}
    assert review(json.dumps(clean)).vote == "approve"
    assert problem(json.dumps({**CODEX, "findings": []})).detail == (
        "the patch is called incorrect but there is no finding"
    )


def test_a_seat_can_claim_lines_without_quoting_them() -> None:
    spoof = {"summary": "s", "findings": [FINDING | {"quote": LINES_THEMSELVES}]}
    assert problem(json.dumps(spoof)).detail == "findings.0.quote: not a quote"


def test_claims_lose_their_order_numbers_or_proof() -> None:
    proof = {"path": "t.py", "content": "assert False", "command": "pytest t.py"}
    more = FINDING | {"line": 0, "severity": "minor", "proof": proof, "side": "old"}
    said = claims_of(review(json.dumps({"summary": "s", "findings": [FINDING, more]})), "reviewer-opus", 2, first=4)
    assert [c.id for c in said] == ["reviewer-opus.2.4", "reviewer-opus.2.5"]
    assert [(c.seat, c.round, c.line) for c in said] == [("reviewer-opus", 2, 3), ("reviewer-opus", 2, None)]
    assert [c.severity for c in said] == [Severity.HIGH, Severity.LOW]
    assert said[1].side is Side.LEFT
    assert json.loads(said[1].proof) == proof


@pytest.mark.parametrize("title", ["No issues found", "LGTM!", "looks good to me.", "No defects", "Not a bug"])
def test_a_finding_that_says_it_is_none_goes_on_to_the_judge(title: str) -> None:
    dropped = says_nothing(claim("x", title=title))
    assert dropped is not None
    assert dropped.reason is DropReason.FALSE_CLAIM


@pytest.mark.parametrize(
    "title", ["No issue number is checked", "Not a number slips through", "No bug report is filed"]
)
def test_a_defect_is_dropped_for_how_its_title_begins(title: str) -> None:
    assert says_nothing(claim("x", title=title)) is None


@pytest.mark.parametrize("number", [2**31, 10**30])
def test_a_line_no_file_has_is_no_line(number: int) -> None:
    for name in ("line", "end_line"):
        reply = problem(json.dumps({"summary": "s", "findings": [FINDING | {name: number}]}))
        assert reply.kind is FailureKind.MALFORMED


def test_a_reply_beyond_all_bounds_is_not_searched() -> None:
    long = problem(json.dumps(CLEAN) + " " * MAX_REPLY_BYTES)
    assert long.kind is FailureKind.MALFORMED
    assert "longer than" in long.detail
