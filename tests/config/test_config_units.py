from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.config.units import format_duration, format_size, parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("5m", 300),
        ("2h", 7200),
        ("7d", 604800),
        ("0s", 0),
        ("1.5h", 5400),
        (" 20 m ", 1200),
        ("0.25s", 0.25),
    ],
)
def test_durations_of_the_documentation_mean_what_they_say(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "wrong", ["", "5", "m", "5 minutes", "-5m", "5M", "1h30m", "5mm", "1e3s", "٣s", "1.2345s", 300, 5.0, True, None, []]
)
def test_what_is_no_duration_is_refused_with_the_way_to_write_one(wrong):
    with pytest.raises(ValueError, match="is not a duration: write 90s, 5m, 2h or 7d"):
        parse_duration(wrong)


def test_a_duration_of_more_than_a_year_is_a_slip():
    with pytest.raises(ValueError, match='"4000d" is longer than a year'):
        parse_duration("4000d")


@given(st.integers(0, 366 * 86400 * 1000))
def test_a_duration_survives_being_written_and_read(milliseconds):
    seconds = milliseconds / 1000
    assert parse_duration(format_duration(seconds)) == seconds


@given(st.integers(0, 8000), st.sampled_from("smh"))
def test_a_duration_is_written_no_longer_than_it_was(count, unit):
    text = f"{count}{unit}"
    assert len(format_duration(parse_duration(text))) <= len(text)


@pytest.mark.parametrize(
    ("text", "size"), [("800B", 800), ("400KB", 409600), ("1MB", 1048576), ("2gb", 2 * 1024**3), ("3 kb", 3072)]
)
def test_sizes_of_the_documentation_mean_what_they_say(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("wrong", ["", "5", "MB", "1.5MB", "-1MB", "1TB", "1KiB", 400, None])
def test_what_is_no_size_is_refused_with_the_way_to_write_one(wrong):
    with pytest.raises(ValueError, match="is not a size: write 800B, 400KB, 1MB or 2GB"):
        parse_size(wrong)


@given(st.integers(0, 10**12 - 1))
def test_a_size_survives_being_written_and_read(size):
    assert parse_size(format_size(size)) == size
