"""The quote decides where a claim stands; numbers, white space and ways of copying do not."""

from __future__ import annotations

import random
import re

import pytest
from findings_builders import claim, file_diff, frozen, index, place
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.change import FileDiff, LineKind, Side
from moot.core.findings import Dropped, DropReason, Severity
from moot.findings.anchor import Index, place_all

OLD = """import time

def fetch(url, tries):
    for attempt in range(tries):
        reply = get(url)
        if reply.ok:
            return reply
        time.sleep(1)
    raise Failed(url)

def other():
    return 1
"""
NEW = """import time

def fetch(url, tries):
    attempt = 0
    while attempt < tries:
        reply = get(url)
        if reply.ok:
            return reply
        delay = reply.retry_after
        if delay:
            attempt += 1
            time.sleep(delay)
    raise Failed(url)

def other():
    return 1
"""
CHANGED = frozen(file_diff("src/retry.py", OLD, NEW), file_diff("docs/notes.md", "a\nb\n", "a\nb\nretry notes here\n"))
INDEX = index(CHANGED)


@pytest.mark.parametrize(
    "quote",
    [
        "        delay = reply.retry_after",
        "delay = reply.retry_after",
        "\tdelay  =\treply . retry_after   \r\n",
        "+        delay = reply.retry_after",
        "9:         delay = reply.retry_after",
        "   9|        delay = reply.retry_after",
        "     9 +|        delay = reply.retry_after",
        "     9\t        delay = reply.retry_after",
        "     9→        delay = reply.retry_after",
        "L9: delay = reply.retry_after",
        "`delay = reply.retry_after`",
        "```python\ndelay = reply.retry_after\n```",
        "reply.retry_after",
        "delay = reply.retry_af...",
        "delay = reply.ret… [12 more characters]",
    ],
)
def test_a_way_of_copying_hides_the_line(quote: str) -> None:
    placed = place(INDEX, claim(quote, "src/retry.py", 9))
    assert (placed.anchor.line, placed.anchor.end_line, placed.anchor.side) == (9, 9, Side.RIGHT)
    assert placed.quote == "        delay = reply.retry_after"
    assert placed.anchor.how == "the quote stands at the line given"
    assert placed.anchor.touches
    assert placed.anchor.in_hunk


@pytest.mark.parametrize(
    ("quote", "lines", "side"),
    [
        ("if delay:\n    attempt += 1\n    time.sleep(delay)", (10, 12), Side.RIGHT),
        ("if delay:\n\n    attempt += 1", (10, 11), Side.RIGHT),
        ("while attempt < tries:\n ...\n delay = reply.retry_after", (5, 9), Side.RIGHT),
        ("+        if delay:\n+            attempt += 1", (10, 11), Side.RIGHT),
        ("@@ -4,6 +4,9 @@\n+        if delay:\n+            attempt += 1", (10, 11), Side.RIGHT),
        ("-        time.sleep(1)", (8, 8), Side.LEFT),
        ("-    for attempt in range(tries):\n+    attempt = 0", (4, 4), Side.RIGHT),
    ],
)
def test_several_lines_are_not_placed_together(quote: str, lines: tuple[int, int], side: Side) -> None:
    anchor = place(INDEX, claim(quote, "src/retry.py", 40)).anchor
    assert ((anchor.line, anchor.end_line), anchor.side, anchor.touches) == (lines, side, True)


def test_a_wrong_number_with_a_right_quote_is_not_mended() -> None:
    anchor = place(INDEX, claim("attempt += 1", "src/retry.py", 88)).anchor
    assert anchor.line == 11
    assert anchor.how == "line 88 was given, the quote stands at 11"
    assert place(INDEX, claim("attempt += 1", "src/retry.py")).anchor.how == "the quote stands in one place"


def test_a_right_number_excuses_a_quote_that_is_nowhere() -> None:
    dropped = INDEX.place(claim("attempt -= 1", "src/retry.py", 11))
    assert isinstance(dropped, Dropped)
    assert dropped.reason is DropReason.QUOTE_NOT_FOUND
    assert (dropped.path, dropped.line, dropped.raised_by) == ("src/retry.py", 11, ("reviewer-opus",))


def test_half_a_word_is_taken_for_a_quote() -> None:
    assert isinstance(INDEX.place(claim("elay = reply", "src/retry.py", 9)), Dropped)


def test_removed_text_is_not_found_when_the_seat_names_the_wrong_side() -> None:
    for side in Side:
        anchor = place(INDEX, claim("for attempt in range(tries):", "src/retry.py", 4, side=side)).anchor
        assert (anchor.side, anchor.line, anchor.touches) == (Side.LEFT, 4, True)


def test_unchanged_text_is_placed_where_nobody_can_comment() -> None:
    anchor = place(INDEX, claim("raise Failed(url)", "src/retry.py", 9, side=Side.LEFT)).anchor
    assert (anchor.side, anchor.line, anchor.touches, anchor.in_hunk) == (Side.RIGHT, 13, False, True)


TWICE = "a = 1\nsame line here\nb = 2\nc = 3\nd = 4\ne = 5\nsame line here\nf = 6\n"


def test_an_ambiguous_quote_is_not_declared_or_not_the_nearest() -> None:
    twice = index(frozen(file_diff("a.py", None, TWICE)))
    for hint, line in ((1, 2), (2, 2), (4, 2), (5, 7), (7, 7), (90, 7), (None, 2)):
        anchor = place(twice, claim("same line here", "a.py", hint)).anchor
        assert anchor.line == line
        assert anchor.how.startswith("ambiguous: the quote stands in 2 places")


def test_without_a_number_the_changed_lines_do_not_come_first() -> None:
    some = index(frozen(file_diff("a.py", "same line here\nx\ny\n", "same line here\nx\nsame line here\ny\n")))
    anchor = place(some, claim("same line here")).anchor
    assert (anchor.line, anchor.touches) == (3, True)
    assert "the first on changed lines was taken" in anchor.how


def test_a_whole_line_does_not_go_before_a_part_of_one() -> None:
    some = index(frozen(file_diff("a.py", None, "if y: return x\nz\nreturn x\n")))
    assert place(some, claim("return x", "a.py", 9)).anchor.line == 3
    at_part = place(some, claim("return x", "a.py", 1)).anchor
    assert at_part.line == 1
    assert at_part.how.startswith("ambiguous")


@pytest.mark.parametrize("quote", ["}", "});", "x", "i++", "   }\n"])
def test_a_quote_that_says_nothing_is_placed_without_its_line(quote: str) -> None:
    text = f"first\n{quote.strip()}\nmiddle\n{quote.strip()}\nlast\n"
    some = index(frozen(file_diff("a.js", None, text)))
    assert place(some, claim(quote, "a.js", 4)).anchor.line == 4
    for hint in (None, 3, 40):
        dropped = some.place(claim(quote, "a.js", hint))
        assert isinstance(dropped, Dropped)
        assert "too short" in dropped.explanation


@pytest.mark.parametrize(
    "path",
    [
        "src/retry.py", "./src/retry.py", "a/src/retry.py", "b/src/retry.py", "/work/co/src/retry.py", "retry.py",
        "src\\retry.py", "src/retry.py:9", "`src/retry.py`", "src/retry.py#L9-L10", "lib/retry.py",
    ],
)  # fmt: skip
def test_a_path_is_not_understood(path: str) -> None:
    assert place(INDEX, claim("delay = reply.retry_after", path, 9)).anchor.path == "src/retry.py"


def test_old_names_of_a_renamed_file_are_unknown() -> None:
    moved = index(frozen(file_diff("new/b.py", "one\ntwo\nthree\n", "one\n2\nthree\n", old_path="old/a.py")))
    assert place(moved, claim("two", "old/a.py", 2, side=Side.LEFT)).anchor.path == "new/b.py"
    assert place(moved, claim("three", "old/a.py", 3)).anchor.path == "new/b.py"


def test_a_wrong_path_is_mended_though_the_right_one_is_in_the_change_or_nothing_tells_which() -> None:
    alone = place(INDEX, claim("delay = reply.retry_after", "lib/client.py", 9)).anchor
    assert alone.path == "src/retry.py"
    assert alone.how.startswith("lib/client.py is not in the change")
    named = INDEX.place(claim("delay = reply.retry_after", "docs/notes.md", 9))
    assert isinstance(named, Dropped)
    assert named.reason is DropReason.QUOTE_NOT_FOUND
    both = index(frozen(file_diff("a/x.py", None, "same text\n"), file_diff("b/x.py", None, "same text\n")))
    dropped = both.place(claim("same text", "x.py", 1))
    assert isinstance(dropped, Dropped)
    assert dropped.reason is DropReason.OUTSIDE_CHANGE


LONG_OLD = "\n".join(f"line {n} of the file" for n in range(1, 101)) + "\n"
LONG_NEW = LONG_OLD.replace("line 50 of", "line fifty of")
OUTSIDE = index(
    frozen(file_diff("long.py", LONG_OLD, LONG_NEW)),
    {
        (Side.RIGHT, "long.py"): LONG_NEW,
        (Side.LEFT, "long.py"): LONG_OLD,
        (Side.RIGHT, "caller.py"): "import long\nlong.run(fast=True)\n",
    },
)


def test_what_stands_outside_the_hunks_is_kept_though_it_is_mild_or_lost_though_it_is_bad() -> None:
    for path, quote, line in (("long.py", "line 5 of the file", 5), ("caller.py", "long.run(fast=True)", 2)):
        anchor = place(OUTSIDE, claim(quote, path, line, severity=Severity.HIGH)).anchor
        assert (anchor.path, anchor.line, anchor.in_hunk, anchor.touches) == (path, line, False, False)
        dropped = OUTSIDE.place(claim(quote, path, line))
        assert isinstance(dropped, Dropped)
        assert dropped.reason is DropReason.OUTSIDE_CHANGE


def test_a_quote_that_reaches_beyond_its_hunk_is_lost() -> None:
    quote = "\n".join(f"line {n} of the file" for n in range(45, 49))
    anchor = place(OUTSIDE, claim(quote, "long.py", 45, severity=Severity.CRITICAL)).anchor
    assert (anchor.line, anchor.end_line, anchor.in_hunk) == (45, 48, False)


def test_the_place_named_outside_gives_way_to_a_namesake_inside() -> None:
    new = LONG_NEW.replace("line fifty of", "line 5 of")
    some = index(frozen(file_diff("long.py", LONG_OLD, new)), {(Side.RIGHT, "long.py"): new})
    exact = place(some, claim("line 5 of the file", "long.py", 5, severity=Severity.HIGH)).anchor
    assert (exact.line, exact.in_hunk) == (5, False)
    assert exact.how.startswith("ambiguous")
    assert place(some, claim("line 5 of the file", "long.py", 7)).anchor.line == 50


def test_whole_files_are_fetched_when_the_hunks_suffice() -> None:
    asked: list[str] = []

    def lines(_side: Side, path: str) -> None:
        asked.append(path)

    lazy = Index(CHANGED, lines)
    place(lazy, claim("delay = reply.retry_after", "src/retry.py", 9))
    assert asked == []


def test_lines_without_a_quote_are_not_quoted_or_found_where_there_are_none() -> None:
    placed = place(INDEX, claim("", "src/retry.py", 10, end_line=11))
    assert placed.quote == "        if delay:\n            attempt += 1"
    assert placed.anchor.how == "given by line, without a quote"
    for path, line in (("src/retry.py", 500), ("src/retry.py", None), ("nowhere.py", 3)):
        assert isinstance(INDEX.place(claim("", path, line)), Dropped)


def test_a_file_without_text_swallows_a_claim() -> None:
    odd = index(frozen(file_diff("logo.png", "", "", binary=True), file_diff("sub", "", "", submodule=True)))
    for path in ("logo.png", "sub"):
        dropped = odd.place(claim("anything at all", path, 1))
        assert isinstance(dropped, Dropped)
        assert dropped.reason is DropReason.QUOTE_NOT_FOUND


def test_the_enclosing_function_is_wrong() -> None:
    assert place(INDEX, claim("attempt += 1", "src/retry.py", 11)).anchor.symbol == "def fetch(url, tries)"
    assert place(INDEX, claim("def fetch(url, tries):", "src/retry.py", 3)).anchor.symbol == "def fetch(url, tries)"
    assert place(INDEX, claim("import time", "src/retry.py", 1)).anchor.symbol == ""
    deep = file_diff("m.go", "\tx := 1\n", "\tx := 2\n", section="func (s *Server) Run(ctx context.Context) error {")
    go = place(index(frozen(deep)), claim("x := 2", "m.go", 1)).anchor
    assert go.symbol == "func (s *Server) Run(ctx context.Context) error"


def test_claims_are_lost_between_placed_and_dropped() -> None:
    good, bad = claim("attempt += 1", "src/retry.py", 11), claim("nowhere to be seen", "src/retry.py", 2)
    none = claim("attempt += 1", "src/retry.py", 11, title="No issues found")
    placed, dropped = place_all([bad, good, none, bad], INDEX)
    assert [p.claim for p in placed] == [good]
    assert [d.reason for d in dropped] == [
        DropReason.QUOTE_NOT_FOUND, DropReason.FALSE_CLAIM, DropReason.QUOTE_NOT_FOUND,
    ]  # fmt: skip


# --- random hunks, perturbed numbers and white space: 100 % resolve to the original lines or are declared ambiguous

WORDS = ["alpha", "beta", "gamma(x)", "if delta:", "return", "x = y + 1", "{", "}", "else:", "call(a, b);", "#", ""]
line_text = st.tuples(st.sampled_from(["", "  ", "    ", "\t"]), st.sampled_from(WORDS), st.integers(0, 6)).map(
    lambda t: f"{t[0]}{t[1]}{t[2] if t[1] else ''}".rstrip()
)


@st.composite
def changed_files(draw: st.DrawFn) -> FileDiff:
    old = draw(st.lists(line_text, max_size=40))
    new = list(old)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(new)))
        kind = draw(st.sampled_from(["insert", "delete", "replace"]))
        cut = 0 if kind == "insert" else draw(st.integers(1, 3))
        put = [] if kind == "delete" else draw(st.lists(line_text, min_size=1, max_size=4))
        new[at : at + cut] = put
    return file_diff("a.py", "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))


def perturbed(quote: str, rng: random.Random) -> str:
    """The quote as a seat may give it: other white space, line endings, numbers or markers in front."""
    lines = quote.split("\n")
    out = []
    for line in lines:
        spaced = re.sub(r"(?<=\w) +(?=\w)", lambda _: rng.choice([" ", "  ", "\t"]), line.strip())
        spaced = re.sub(r" ?([+=(),:;{}]) ?", lambda m: rng.choice(["", " "]) + m[1] + rng.choice(["", " "]), spaced)
        out.append(rng.choice(["", "  ", "\t", "      "]) + spaced + rng.choice(["", " ", "\t"]))
    return rng.choice(["\n", "\r\n"]).join(out)


def dressed(quote: str, first: int, marker: str, rng: random.Random) -> str:
    lines = quote.split("\n")
    match rng.randrange(4):
        case 0:
            return "\n".join(f"{marker}{x}" for x in lines)
        case 1:
            return "\n".join(f"{first + n}: {x}" for n, x in enumerate(lines))
        case 2:
            return "\n".join(f"{first + n:>4} {marker}|{x}" for n, x in enumerate(lines))
        case _:
            return quote


@given(changed_files(), st.integers(0, 2**32), st.booleans())
@settings(max_examples=250, deadline=None)
def test_a_perturbed_quote_lands_on_other_lines_undeclared(file: FileDiff, seed: int, whole: bool) -> None:
    rng = random.Random(seed)
    if not file.hunks:
        return
    side = rng.choice(list(Side))
    hunk = rng.choice(file.hunks)
    unwanted = LineKind.REMOVED if side is Side.RIGHT else LineKind.ADDED
    there = [x for x in hunk.lines if x.kind is not unwanted]
    if not there:
        return
    start = rng.randrange(len(there))
    chosen = there[start : start + rng.randint(1, 4)]
    while chosen and not chosen[-1].text.strip():
        chosen = chosen[:-1]
    while chosen and not chosen[0].text.strip():
        chosen = chosen[1:]
    if not chosen:
        return
    quote = "\n".join(x.text for x in chosen)
    right = side is Side.RIGHT or all(x.new is not None for x in chosen)
    number = lambda x: (x.new if right else x.old) or 0  # noqa: E731
    marker = {LineKind.CONTEXT: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}[chosen[0].kind]
    uniform = len({x.kind for x in chosen}) == 1
    spoiled = perturbed(quote, rng)
    if uniform and "\r" not in spoiled:
        spoiled = dressed(spoiled, number(chosen[0]), marker, rng)
    said_at = chosen[0].new if side is Side.RIGHT else chosen[0].old
    hint = rng.choice([said_at, max(1, (said_at or 1) + rng.randint(-30, 30)), None])
    texts = {
        (s, "a.py"): "\n".join(_side(file, s))
        for s in Side
        if whole
    }  # fmt: skip
    result = index(frozen(file), texts).place(claim(spoiled, "a.py", hint, side=side, severity=Severity.HIGH))
    expected = (Side.RIGHT if right else Side.LEFT, number(chosen[0]), number(chosen[-1]))
    if isinstance(result, Dropped):
        assert "too short" in result.explanation, (spoiled, hint, result)
        assert hint != said_at
    elif not result.anchor.how.startswith("ambiguous"):
        assert (result.anchor.side, result.anchor.line, result.anchor.end_line) == expected, (spoiled, hint, result)
        assert result.quote == quote
        assert result.anchor.touches == any(x.kind is not LineKind.CONTEXT for x in chosen)


def _side(file: FileDiff, side: Side) -> list[str]:
    """The file's lines on a side as far as the hunks show them; what lies between is one of a kind."""
    known = {(x.new if side is Side.RIGHT else x.old): x.text for h in file.hunks for x in h.lines}
    last = max((n for n in known if n is not None), default=0)
    return [known.get(n, f"unseen line number {n}") for n in range(1, last + 1)]
