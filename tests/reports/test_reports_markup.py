"""Agents' prose keeps its shape, and no text is ever lost or an error."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.reports import safe
from moot.reports.markup import Block, Code, Inline, Item, Paragraph, Span, Strong, Text, inlines, parse

_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "```", "````", "~~~", "- a", "  * b", "1. c", "# h", "---", "    code", "| t |", "`x", "**y**"]
        ),
        st.text(st.characters(codec="utf-8"), max_size=20),
    ),
    max_size=12,
).map("\n".join)


def _texts(blocks: tuple[Block, ...]) -> str:
    parts = [b.text if isinstance(b, Code) else "".join(i.text for i in b.inlines) for b in blocks]
    return "".join(parts)


@given(_LINES)
@settings(max_examples=100, deadline=None)
def test_any_text_parses_and_keeps_its_letters(text: str) -> None:
    text = safe.clean(text)
    kept = _texts(parse(text))
    for word in re.findall(r"(?<![\w`~(\[<+])[a-z]{2,}(?=\s|$)", text):
        if not re.search(rf"[`~]{{3}}.*{word}", text):  # the name of a fence's language is not text
            assert word in kept


def test_paragraphs_flow_and_lists_keep_their_items() -> None:
    blocks = parse("One line\nand its rest.\n\n- first\n  goes on\n  - inner\n* second\n3) third")
    assert blocks == (
        Paragraph((Text("One line and its rest."),)),
        Item("-", 0, (Text("first goes on"),)),
        Item("-", 1, (Text("inner"),)),
        Item("-", 0, (Text("second"),)),
        Item("3.", 0, (Text("third"),)),
    )


def test_a_fence_ends_only_at_its_own_mark_and_an_open_one_at_the_end() -> None:
    assert parse("````py\n```\nx\n````\nafter") == (Code("```\nx", "py"), Paragraph((Text("after"),)))
    assert parse("```\nnever closed\n# still code") == (Code("never closed\n# still code", ""),)


def test_a_fence_inside_a_list_loses_the_lists_indent_only() -> None:
    assert parse("- x\n  ```\n  a\n    b\n  ```") == (Item("-", 0, (Text("x"),)), Code("a\n  b", ""))


def test_tables_and_indented_lines_are_kept_as_they_are() -> None:
    assert parse("| a | b |\n|---|---|") == (Code("| a | b |\n|---|---|", ""),)
    assert parse("    x = 1\n\n    y = 2\nend") == (Code("x = 1\n\ny = 2", ""), Paragraph((Text("end"),)))


def test_headings_are_emphasised_and_rules_vanish() -> None:
    assert parse("## Why ##\n---\nbecause") == (Paragraph((Strong("Why"),)), Paragraph((Text("because"),)))


def _said(parts: tuple[Inline, ...]) -> list[tuple[str, str]]:
    return [(type(p).__name__, p.text) for p in parts]


def test_code_spans_and_emphasis_are_found() -> None:
    assert _said(inlines("a `b` ``c`d`` **e f**!")) == [
        ("Text", "a "),
        ("Span", "b"),
        ("Text", " "),
        ("Span", "c`d"),
        ("Text", " "),
        ("Strong", "e f"),
        ("Text", "!"),
    ]


def test_operators_are_not_emphasis() -> None:
    for text in ("f(*args, **kwargs) and **opts", "2**8 and 3**2", "a ** b ** c"):
        assert inlines(text) == (Text(text),)


def test_links_show_their_address_and_images_lose_it() -> None:
    assert inlines("see [here](https://a.example/x) ![b](https://t.example/p.png)") == (
        Text("see here (https://a.example/x) b (image removed)"),
    )


@pytest.mark.parametrize(
    "line",
    [
        *(" " * 40_000 + "x", "~" * 40_000 + "`", "`" * 40_000, "`" * 40_000 + "x`", "`x``" * 20_000),
        *("a" + "**" * 40_000, "![" * 40_000, "[" * 40_000, "# " + " " * 40_000 + "x", "- " * 20_000 + "x"),
    ],
    ids=range(10),
)
def test_a_long_line_that_almost_means_something_is_read_in_one_go(line: str) -> None:
    assert parse(line)  # minutes, where an expression tries every way to split it


def test_a_run_of_backticks_opens_a_span_as_a_whole_or_not_at_all() -> None:
    assert inlines("a ```b` c ``d`` e") == (Text("a ```b` c "), Span("d"), Text(" e"))
