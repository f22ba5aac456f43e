from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import UsageError
from moot.git.target import Range, Revision, WorkTree, check_name, parse_target


@pytest.mark.parametrize(
    ("typed", "target"),
    [
        (None, WorkTree()),
        ("", WorkTree()),
        ("  ", WorkTree()),
        ("topic", Revision("topic")),
        ("feature/x.y", Revision("feature/x.y")),
        ("HEAD~3", Revision("HEAD~3")),
        ("HEAD@{1 day ago}", Revision("HEAD@{1 day ago}")),
        ("a..b", Range("a", "b", "..")),
        ("a...b", Range("a", "b", "...")),
        ("..b", Range("HEAD", "b", "..")),
        ("a...", Range("a", "HEAD", "...")),
        ("..", Range("HEAD", "HEAD", "..")),
    ],
)
def test_what_is_typed_is_read_as_git_reads_it(typed: str | None, target: object) -> None:
    assert parse_target(typed) == target


@pytest.mark.parametrize("typed", ["-x", "--output=x", "a..-b", "-a..b", "a..b..c", "a\nb", "a\x1b[2J"])
def test_what_git_would_misunderstand_is_refused(typed: str) -> None:
    with pytest.raises(UsageError):
        parse_target(typed)


@given(st.text())
def test_no_text_becomes_an_option_or_a_second_line(typed: str) -> None:
    try:
        target = parse_target(typed)
    except UsageError:
        return
    names = {WorkTree: [], Revision: ["name"], Range: ["base", "head"]}[type(target)]
    for name in names:
        value = getattr(target, name)
        assert check_name(value) == value
        assert not value.startswith("-")
        assert "\n" not in value
