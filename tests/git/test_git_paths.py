from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moot.git.paths import listed, readable

RAW = st.binary(min_size=1, max_size=20).filter(lambda raw: b"\0" not in raw)


@given(RAW, RAW)
def test_no_two_paths_look_the_same(one: bytes, other: bytes) -> None:
    assert (readable(one) == readable(other)) == (one == other)


@given(RAW)
def test_a_path_is_one_harmless_line(raw: bytes) -> None:
    assert readable(raw).isprintable()


@given(st.text("abcXYZ019._-/ äö文'\"", min_size=1))
def test_an_ordinary_path_stands_for_itself(path: str) -> None:
    assert readable(path.encode()) == path


def test_escapes_are_those_of_the_vocabulary() -> None:
    assert readable(b"\xff\\\n") == "\\xff\\x5c\\x0a"
    assert readable("\u200b\U000e0001".encode()) == "\\u200b\\U000e0001"


def test_a_list_says_how_many_more_there_are() -> None:
    assert listed([b"a", b"b"]) == "a, b"
    assert listed([b"%d" % n for n in range(1500)], shown=2) == "0, 1 and 1,498 more"
