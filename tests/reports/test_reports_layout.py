"""Lines must fit the terminal, whatever characters they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.reports.layout import Style, bare, cells, clip, glue, pad, paint, wrap

_WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\xa0"), max_size=200)


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("👍", 2), ("", 0)])
def test_wide_and_combining_characters_are_counted_as_terminals_draw_them(text: str, columns: int) -> None:
    assert cells(text) == columns


@given(_WORDS, st.integers(12, 60))
@settings(max_examples=100, deadline=None)
def test_wrapped_lines_fit_and_lose_no_character(text: str, width: int) -> None:
    lines = wrap(text, width, first="- ", rest="  ")
    assert all(cells(line) <= width for line in lines)
    said = "".join(line[2:] for line in lines)
    assert "".join(said.split()) == "".join(text.split())


@given(_WORDS, st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_clipped_text_fits_and_says_that_it_was_cut(text: str, width: int) -> None:
    cut = clip(text, width)
    assert cells(cut) <= width
    assert cut == text or cut.endswith("…")


def test_a_glued_command_is_never_broken() -> None:
    lines = wrap(f"gave no reply {glue('(see moot show 7f3a seat)')}", 30)
    assert lines == ["gave no reply", "(see moot show 7f3a seat)"]


def test_wrapping_nothing_still_draws_the_label() -> None:
    assert wrap("", 40, first="seats") == ["seats"]


def test_paint_is_undone_by_bare_and_absent_without_colour() -> None:
    painted = paint("x", Style.BOLD, Style.RED, colour=True)
    assert painted == "\x1b[1;31mx\x1b[0m"
    assert bare(painted) == "x"
    assert paint("x", Style.BOLD, colour=False) == "x"
    assert paint("", Style.BOLD, colour=True) == ""


def test_padding_counts_columns_not_characters() -> None:
    assert pad("漢", 4) == "漢  "
    assert pad("long", 2) == "long"
