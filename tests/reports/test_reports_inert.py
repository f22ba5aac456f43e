"""On GitHub, agents' text must notify nobody, link and load nothing, and command no bot. Judged by a real parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from report_samples import EVIL

from moot.reports import inert, safe

_PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
_ACTS = re.compile(r"(?<![\w`])@\w|#\d|\bGH-\d|\w://|\bwww\.", re.IGNORECASE)
_COMMAND = re.compile(r"^/\w", re.MULTILINE)
_FORBIDDEN = {"html_block", "html_inline", "image", "link_open", "s_open", "heading_open", "hr", "blockquote_open"}

_PIECES = (
    *("@", "@ann", "@org/team", "#1", "org/repo#2", "GH-3", "fixes ", "https://x.example/a?b=c", "www.x.example"),
    *("![a](http://e/b.png)", "[t](u)", "[r]", "[r]: http://e", "<b>", "<!--", "&#64;x", "&lt;", "`", "``", "```"),
    *("*", "**", "_", "__", "~~", "|", "\\", "# ", "> ", "- ", "1. ", "/merge", "---", "===", "\n", "\n\n", " "),
    *("    ", "a", "$x$", "a@b.example", ":", "(", ")", "!", "\t"),
)
_NASTY = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=4)), max_size=14).map("".join)


def _walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or [])


def _acting(markdown: str) -> list[str]:
    """What in the rendered text GitHub would act upon."""
    found = [t.type for t in _walk(_PARSER.parse(markdown)) if t.type in _FORBIDDEN]
    words = "\x00".join(
        "".join(c.content if c.type == "text" else "\x00" for c in t.children or [])
        for t in _walk(_PARSER.parse(markdown))
        if t.type == "inline"
    )
    return found + _ACTS.findall(words) + _COMMAND.findall(markdown)


@given(_NASTY)
@example(EVIL)
@example("a@b@c @@d")
@example("[x]: http://e\n\n[x]")
@settings(max_examples=150, deadline=None)
def test_prose_does_nothing(text: str) -> None:
    assert _acting(inert.prose(text)) == []


@given(_NASTY)
@example(EVIL)
@settings(max_examples=150, deadline=None)
def test_a_line_of_words_shows_exactly_them_and_does_nothing(text: str) -> None:
    markdown = inert.text(text)
    assert _acting(markdown) == []
    shown = "".join(t.content for t in _walk(_PARSER.parse(markdown)) if t.type in ("text", "code_inline"))
    assert "".join(shown.split()) == "".join(safe.line(text).split())


@given(_NASTY)
@settings(max_examples=100, deadline=None)
def test_a_fence_cannot_be_left_from_inside(text: str) -> None:
    tokens = _PARSER.parse(f"{inert.fence(text, 'py')}\n\nafter @")
    assert [t.type for t in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


@given(_NASTY.filter(lambda s: s.strip() != ""))
@settings(max_examples=100, deadline=None)
def test_a_span_is_one_span(text: str) -> None:
    inline = _PARSER.parse(f"x {inert.span(text)} y")[1]
    assert [c.type for c in inline.children or []] == ["text", "code_inline", "text"]


def test_a_table_cell_cannot_open_another_column() -> None:
    row = f"| a | b |\n| --- | --- |\n| {inert.span('x|y', in_table=True)} | {inert.text('p|q')} |"
    cells = [t for t in _walk(_PARSER.parse(row)) if t.type == "td_open"]
    assert len(cells) == 2


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("ask @ann, please", "ask `@ann`, please"),
        ("Fixes #12.", "Fixes `#12`."),
        ("closes org/repo#3", "closes `org/repo#3`"),
        ("/merge now", "`/merge` now"),
        ("see https://a.example/x_y.", "see `https://a.example/x_y`."),
        ("snake_case and _emph_", "snake_case and \\_emph\\_"),
        ("1. no list", "1\\. no list"),
        ("- no list", "\\- no list"),
        ("<img src=x>", "&lt;img src=x&gt;"),
    ],
)
def test_what_a_reader_sees_in_the_source_stays_readable(written: str, markdown: str) -> None:
    assert inert.text(written) == markdown


def test_code_in_prose_survives_with_its_language() -> None:
    assert inert.prose("Use:\n\n```python\n@decorator\ndef f(): ...\n```\n- `a|b`\n- c") == (
        "Use:\n\n```python\n@decorator\ndef f(): ...\n```\n\n- `a|b`\n- c"
    )


def test_words_in_html_are_escaped_and_mentions_become_code() -> None:
    assert inert.in_html("@ann <b> #1") == "<code>@ann</code> &lt;b&gt; <code>#1</code>"


@pytest.mark.parametrize("language", ["suggestion", "Mermaid", "math", "geojson", "topojson", "stl", "sugg~estion"])
def test_no_block_is_more_than_shown(language: str) -> None:
    assert inert.fence("x", language) == "```\nx\n```"
    assert inert.fence("x", "python") == "```python\nx\n```"
