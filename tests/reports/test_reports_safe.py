"""Untrusted text must not be able to act on a terminal, nor to hide what it says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.reports import safe

_FORBIDDEN = {chr(n) for n in (*range(0x09), 0x0B, *range(0x0C, 0x20), *range(0x7F, 0xA0))} | set(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u200b\ufeff\u2028\u2029"
)
_NASTY = st.lists(
    st.one_of(
        st.sampled_from(["\x1b[", "\x1b]8;;", "\x1b\\", "\x07", "\x9b", "\x9d", "31m", "\r", "\n", "\u202e", "\ud800"]),
        st.text(st.characters(exclude_categories=()), max_size=8),
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;https://evil.example/\x07text\x1b]8;;\x07", "text"),
        ("\x1b]0;title\x1b\\after", "after"),
        ("\x1b\x1b[0m[31mnested", "[31mnested"),
        ("\x9b31mC1", "C1"),
        ("a\rb\r\nc", "a\nb\nc"),
        ("bell\x07 back\x08space", "bell backspace"),
        ("user\u202e\u2066// admin", "user<U+202E><U+2066>// admin"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("half \ud83d", "half \ufffd"),
        ("ü 漢字 👩\u200d💻\tx", "ü 漢字 👩\u200d💻\tx"),
    ],
)
def test_clean_removes_what_acts_and_keeps_what_says_something(written: str, shown: str) -> None:
    assert safe.clean(written) == shown


@given(_NASTY)
@settings(max_examples=100, deadline=None)
def test_nothing_that_acts_survives_and_cleaning_twice_changes_nothing(text: str) -> None:
    once = safe.clean(text)
    assert not _FORBIDDEN & set(once) - {"\n", "\t"}
    assert safe.clean(once) == once
    assert not _FORBIDDEN & set(safe.line(text))
    assert "\n" not in safe.line(text)
    assert not _FORBIDDEN & set(safe.code(text.replace("\n", "")))
    once.encode()
    safe.path(text).encode()


@given(_NASTY, _NASTY)
@settings(max_examples=100, deadline=None)
def test_a_path_is_shown_on_one_line_and_printable(one: str, other: str) -> None:
    assert safe.path(one).isprintable()
    if one.isprintable() and other.isprintable() and one != other:
        assert safe.path(one) != safe.path(other)


def test_a_path_keeps_its_spaces_and_names_what_acts() -> None:
    assert safe.path("a  b/\x1b[31m\n\u202e\U000e0041.py") == r"a  b/\x1b[31m\n\u202e\U000e0041.py"


def test_source_shows_control_characters_as_pictures() -> None:
    assert safe.code("\tx = '\x1b[0m\x9b'") == "\tx = '␛[0m<U+009B>'"


@pytest.mark.parametrize("unit", ["\x9d", "\x1b]", "\x90", "\x1bP8", "\x9b0", "\x1b["])
def test_introducers_without_an_end_are_read_once(unit: str) -> None:
    assert not set(safe.clean(unit * 100_000)) & _FORBIDDEN
