"""One defect in different words is one finding; two defects on one line stay two; every join says why."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from findings_builders import claim, file_diff, finding, frozen, index, place
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.findings import Category, Disposition, Placed, RulingKind, Severity
from moot.findings.gather import fingerprint, gather
from moot.findings.linkage import APART, merges
from moot.findings.match import THRESHOLD, Statement, affinities, match, pair_scores, statement
from moot.findings.wording import shared, similarities, stem, terms, wording

SOURCE = """def fetch(url, tries):
    attempt = 0
    while attempt < tries:
        reply = get(url)
        delay = reply.headers["Retry-After"]
        if delay:
            attempt += 1
            time.sleep(delay)
    raise Failed(url)


def store(db, name):
    db.execute("insert into names values ('" + name + "')")
    db.connection.open()
"""
INDEX = index(frozen(file_diff("a.py", None, SOURCE), file_diff("b.py", None, SOURCE)))
IF = "        if delay:"
HEADER = """        delay = reply.headers["Retry-After"]"""
SQL = """    db.execute("insert into names values ('" + name + "')")"""


def said(
    title: str, body: str, quote: str, seat: str = "reviewer-opus", number: int = 1, path: str = "a.py", **more: object
) -> Placed:
    return place(INDEX, claim(quote, path, title=title, body=body, seat=seat, number=number, **more))  # type: ignore[arg-type]


LOOP_1 = (
    "Retry loop never ends when the server sends Retry-After: 0",
    "A zero delay skips the attempt counter, so a throttling server keeps the client retrying forever.",
)
LOOP_2 = (
    "Infinite retry loop on a Retry-After of zero",
    "attempt is only incremented when delay is non-zero; with a delay of 0 the loop retries endlessly.",
)
TYPE = (
    "Header value is a string, time.sleep gets the wrong type",
    "headers returns str, so time.sleep(delay) raises a TypeError; convert it with int() first.",
)
INJECTION = (
    "SQL injection through name",
    "The name is concatenated into the statement; a quote in it lets a caller run arbitrary SQL.",
)
CLOSED = (
    "Connection is opened after it is used",
    "execute runs before connection.open, so the first call fails with a closed connection.",
)


def test_one_defect_in_different_words_is_two_findings() -> None:
    found = gather([said(*LOOP_1, IF), said(*LOOP_2, "            attempt += 1", "reviewer-gpt")], (), 1)
    assert [f.raised_by for f in found] == [("reviewer-opus", "reviewer-gpt")]
    (join,) = found[0].joins
    assert THRESHOLD <= join.score <= 1
    assert "retry" in join.why
    assert join.why.startswith("same lines")


def test_two_defects_on_one_line_become_one() -> None:
    found = gather([said(*LOOP_1, IF), said(*TYPE, IF, "reviewer-gpt"), said(*CLOSED, SQL, "reviewer-gpt", 2)], (), 1)
    assert len(found) == 3
    sql = [said(*INJECTION, SQL), said(*CLOSED, SQL, "reviewer-gpt")]
    assert len(gather(sql, (), 1)) == 2


def test_the_same_pattern_in_two_places_becomes_one_finding() -> None:
    pattern = [said(*LOOP_1, IF, path="a.py"), said(*LOOP_1, IF, "reviewer-gpt", path="b.py")]
    assert [f.path for f in gather(pattern, (), 1)] == ["a.py", "b.py"]


def test_two_findings_of_one_seat_and_round_are_joined() -> None:
    two = [said(*LOOP_1, IF), said(*LOOP_2, IF, number=2)]
    assert len(gather(two, (), 1)) == 2
    assert len(gather([two[0], replace(two[1], claim=replace(two[1].claim, round=2))], (), 1)) == 1


def test_a_seat_that_repeats_itself_makes_two_findings() -> None:
    assert len(gather([said(*LOOP_1, IF), said(*LOOP_1, IF, number=2)], (), 1)) == 1


def test_two_findings_of_one_seat_are_joined_through_a_third() -> None:
    three = [said(*LOOP_1, IF), said(*LOOP_2, IF, number=2), said(*LOOP_1, IF, "reviewer-gpt")]
    found = gather(three, (), 1)
    assert {f.title: f.raised_by for f in found} == {
        LOOP_1[0]: ("reviewer-opus", "reviewer-gpt"),
        LOOP_2[0]: ("reviewer-opus",),
    }


def test_the_finding_is_not_told_in_the_clearest_and_graded_in_the_worst_words() -> None:
    plain = said(*LOOP_1, IF, severity=Severity.MEDIUM)
    told = said(*LOOP_2, IF, "reviewer-gpt", severity=Severity.MEDIUM, scenario="The server sends Retry-After: 0.")
    worse = said(*LOOP_1, IF, "reviewer-oc", severity=Severity.CRITICAL)
    (found,) = gather([plain, told], (), 1)
    assert (found.title, found.scenario) == (LOOP_2[0], "The server sends Retry-After: 0.")
    (found,) = gather([plain, told, worse], (), 1)
    assert found.severity is Severity.CRITICAL
    assert len(found.claims) == 3
    assert [j.claim for j in found.joins] == ["reviewer-opus.1.1", "reviewer-gpt.1.1"]


def test_numbers_depend_on_anything_but_the_place() -> None:
    claims = [said(*INJECTION, SQL), said(*LOOP_1, IF, "reviewer-gpt"), said(*TYPE, IF, "reviewer-oc")]
    expected = [("F5", 6), ("F6", 6), ("F7", 13)]
    for order in itertools.permutations(claims):
        found = gather(order, (), 5)
        assert [(f.id, f.line) for f in found] == expected
        assert {f.title for f in found} == {INJECTION[0], LOOP_1[0], TYPE[0]}


def test_a_known_finding_loses_its_name_history_or_place_when_it_is_seen_again() -> None:
    (known,) = gather([said(*LOOP_1, HEADER)], (), 7)
    known = replace(
        known, line=90, end_line=90, path="old/a.py", ruling=RulingKind.KEEP, disposition=Disposition.DEFERRED,
        agreed_by=("reviewer-oc",),
    )  # fmt: skip
    again = said(*LOOP_2, HEADER, "reviewer-gpt", round_=2, severity=Severity.LOW)
    found = gather([again, said(*INJECTION, SQL, "reviewer-gpt", 2, round_=2)], (known,), 8)
    seen, new = found
    assert (seen.id, seen.path, seen.line, seen.severity) == ("F7", "a.py", 5, Severity.MEDIUM)
    assert (seen.disposition, seen.agreed_by, seen.ruling) == (Disposition.DEFERRED, ("reviewer-oc",), None)
    assert [c.id for c in seen.claims] == ["reviewer-opus.1.1", "reviewer-gpt.2.1"]
    assert [j.claim for j in seen.joins] == ["reviewer-gpt.2.1"]
    assert (new.id, new.title) == ("F8", INJECTION[0])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Disposition.OPEN, Disposition.OPEN), (Disposition.FIXED, Disposition.OPEN),
        (Disposition.UNVERIFIED, Disposition.OPEN), (Disposition.WITHDRAWN, Disposition.OPEN),
        (Disposition.REFUTED, Disposition.REFUTED), (Disposition.DEFERRED, Disposition.DEFERRED),
    ],
)  # fmt: skip
def test_a_defect_that_came_back_stays_settled_or_a_refuted_one_is_raised_again(
    before: Disposition, after: Disposition
) -> None:
    (known,) = gather([said(*LOOP_1, IF)], (), 1)
    (seen,) = gather([said(*LOOP_2, IF, "reviewer-gpt")], (replace(known, disposition=before),), 2)
    assert (seen.id, seen.disposition) == ("F1", after)


def test_known_findings_nobody_spoke_of_come_back_or_merge() -> None:
    known = gather([said(*LOOP_1, IF), said(*LOOP_2, IF, number=2)], (), 1)
    assert len(known) == 2
    assert gather([], known, 3) == ()
    (seen,) = gather([said(*LOOP_1, IF, "reviewer-gpt")], known, 3)
    assert seen.id in ("F1", "F2")


def test_match_and_gather_disagree() -> None:
    known = gather([said(*LOOP_1, IF), said(*INJECTION, SQL, number=2)], (), 1)
    again = match(said(*LOOP_2, IF, "reviewer-gpt"), known)
    assert again is not None
    assert (again.finding, again.score >= THRESHOLD) == ("F1", True)
    assert "delay" in again.why
    assert match(said(*TYPE, IF, "reviewer-gpt"), known) is None
    assert match(said(*LOOP_2, IF, "reviewer-gpt"), ()) is None


def test_place_and_category_do_not_count() -> None:
    def score(a: Placed, b: Placed) -> float:
        return affinities([statement(a), statement(b)])[0][1]

    here = said(*LOOP_1, IF)
    there = said(*LOOP_2, IF, "reviewer-gpt")
    same = score(here, there)
    assert same > score(here, said(*LOOP_2, "    raise Failed(url)", "reviewer-gpt"))
    assert score(here, said(*LOOP_2, "    raise Failed(url)", "reviewer-gpt")) > score(
        here, said(*LOOP_2, SQL, "reviewer-gpt")
    )
    assert score(here, said(*LOOP_2, SQL, "reviewer-gpt")) > score(here, said(*LOOP_2, IF, "reviewer-gpt", path="b.py"))
    assert same > score(here, said(*LOOP_2, IF, "reviewer-gpt", category=Category.STYLE))


def test_a_fingerprint_changes_with_white_space_or_stays_with_the_code() -> None:
    one = fingerprint("a.py", "def f()", "x = 1")
    assert one == fingerprint("a.py", "def f()", "  x=1\n")
    assert len({one, fingerprint("b.py", "def f()", "x = 1"), fingerprint("a.py", "", "x = 1")}) == 3


# --- the words


def test_identifiers_endings_and_ideas_are_not_recognised() -> None:
    assert terms("retryAfter is None") == ["#retryafter", "=retry", "=null"]
    assert stem("caching") == stem("cached") == stem("caches")
    assert similarities([wording("raises KeyError when None"), wording("throws a key error on null")])[0][1] > 0.5
    assert wording("the of and").weights == {}
    assert set(shared(wording("Delays retry for ever"), wording("a retry delay"))) == {"delays", "retry"}


WORDS = ["retry", "loop", "null", "lock", "cache", "sql", "delay", "name", "héllo", "日本", "get_url", "getUrl"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=8)


@given(texts)
@settings(max_examples=60)
def test_similarity_is_not_symmetric_or_leaves_0_to_1(said_: list[str]) -> None:
    table = similarities([wording(t) for t in said_])
    for i, j in itertools.product(range(len(said_)), repeat=2):
        assert 0 <= table[i][j] <= 1
        assert table[i][j] == table[j][i]
        if i != j and said_[i] == said_[j] and wording(said_[i]).weights:
            assert table[i][j] == pytest.approx(1)


@given(texts, st.integers(0, 5))
@settings(max_examples=60)
def test_scores_depend_on_the_order_of_what_was_said(said_: list[str], turn: int) -> None:
    statements = [Statement(wording(t)) for t in dict.fromkeys(said_)]
    turned = statements[turn:] + statements[:turn]
    a, b = affinities(statements), affinities(turned)
    for i, j in itertools.combinations(range(len(statements)), 2):
        x, y = turned.index(statements[i]), turned.index(statements[j])
        if statements.count(statements[i]) == statements.count(statements[j]) == 1:
            assert a[i][j] == pytest.approx(b[x][y])


# --- the linkage


@given(st.integers(1, 9), st.randoms(use_true_random=False), st.floats(-1, 1))
@settings(max_examples=80)
def test_a_merge_is_missed_or_made_of_groups_that_are_not_closest(size: int, rng: object, floor: float) -> None:
    random = rng.random  # type: ignore[attr-defined]
    table = [[0.0] * size for _ in range(size)]
    for i, j in itertools.combinations(range(size), 2):
        table[i][j] = table[j][i] = APART if random() < 0.15 else random()
    groups = [(i,) for i in range(size)]

    def mean(a: tuple[int, ...], b: tuple[int, ...]) -> float:
        return sum(table[i][j] for i in a for j in b) / (len(a) * len(b))

    for merge in merges(table, groups, floor):
        best = max(mean(a, b) for a, b in itertools.combinations(groups, 2))
        assert math.isclose(merge.score, best)
        assert math.isclose(merge.score, mean(merge.left, merge.right))
        assert merge.score >= floor
        groups = [g for g in groups if g not in (merge.left, merge.right)] + [merge.left + merge.right]
    assert all(
        mean(a, b) < floor or mean(a, b) == APART for a, b in itertools.combinations(groups, 2)
    )  # fmt: skip


def test_groups_given_at_the_start_fall_apart() -> None:
    table = [[0.0, 0.1, 0.9], [0.1, 0.0, 0.7], [0.9, 0.7, 0.0]]
    (merge,) = merges(table, [(0, 1), (2,)])
    assert (merge.left, merge.right, round(merge.score, 2)) == ((0, 1), (2,), 0.8)


def test_statements_that_never_meet_have_a_score() -> None:
    source = ("reviewer-opus", 1)
    two = [Statement(wording("retry loop"), source=source), Statement(wording("sql injection"), source=source)]
    assert pair_scores(two)[0][1] == APART


def test_a_finding_without_claims_cannot_be_known() -> None:
    known = finding(title=LOOP_1[0], body=LOOP_1[1], line=6, end_line=6, quote=IF)
    assert match(said(*LOOP_2, IF), [known]) is not None


def test_addresses_and_a_word_or_two_do_not_make_one_defect_of_neighbours() -> None:
    swallowed = said(
        "Every error is swallowed here",
        "The handler catches whatever goes wrong, and leaves no trace of it.\nhttps://docs.example.org/rules/a",
        IF,
        "ast-grep",
    )
    left = said(
        "A breakpoint is left here",
        "The program stops there with nobody to go on.\nhttps://docs.example.org/rules/b",
        "            attempt += 1",
        "ruff",
    )
    assert len(gather([swallowed, left], (), 1)) == 2
