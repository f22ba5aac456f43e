"""When a limit resets, read from what CLIs print."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.agents.resets import reset_time

NOW = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)  # a Monday
BERLIN = NOW.astimezone(ZoneInfo("Europe/Berlin"))  # 17:00


def utc(*fields: int) -> datetime:
    return datetime(*fields, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You've hit your session limit - resets 6pm", utc(2026, 11, 30, 18)),
        ("You've hit your session limit · resets 3pm", utc(2026, 12, 1, 15)),
        ("You've hit your 5-hour limit · resets 11:53pm (UTC)", utc(2026, 11, 30, 23, 53)),
        ("You've hit your weekly limit · resets Dec 5, 3pm (Europe/Berlin)", utc(2026, 12, 5, 14)),
        ("You've hit your Opus limit · resets Jan 2, 9:30am (America/New_York)", utc(2027, 1, 2, 14, 30)),
        ("resets Thursday 9am", utc(2026, 12, 3, 9)),
        ("resets Mon 12:00 AM", utc(2026, 12, 7, 0)),
        ("or try again at May 18th, 2033 3:33 AM.", utc(2033, 5, 18, 3, 33)),
        ("or try again at 7:05 PM.", utc(2026, 11, 30, 19, 5)),
        ("Claude AI usage limit reached|1796100000", datetime.fromtimestamp(1796100000, UTC)),
        ('{"type":"usage_limit_reached","resets_at":1796100000}', datetime.fromtimestamp(1796100000, UTC)),
        ('{"resets_in_seconds": 3600}', utc(2026, 11, 30, 17)),
        ("HTTP 429, retry-after: 90", utc(2026, 11, 30, 16, 1, 30)),
        ("[retrying in 59m 56s attempt #1]", utc(2026, 11, 30, 16, 59, 56)),
        ("Please try again in 2 hours and 5 minutes", utc(2026, 11, 30, 18, 5)),
        ("limit resets in 3d 4h", utc(2026, 12, 3, 20)),
        ("try again in 1.5s", utc(2026, 11, 30, 16, 0, 1) + timedelta(milliseconds=500)),
        ("resets at 18:30", utc(2026, 11, 30, 18, 30)),
        ("resets at 2026-12-01T03:00:00Z", utc(2026, 12, 1, 3)),
        ("resets at 2026-12-01 03:00:00+0200", utc(2026, 12, 1, 1)),
        ("Overloaded", None),
        ("resets 13pm", None),
        ("try again at Feb 30th, 2033 3:33 AM", None),
        ("try again at May 18th, 2013 3:33 AM", None),
        ("retry-after: 99999999999", None),
    ],
)
def test_the_reset_is_read_from_what_is_printed(text: str, expected: datetime | None) -> None:
    assert reset_time(text, NOW) == expected


def test_a_bare_clock_time_is_meant_in_the_zone_of_the_machine_that_printed_it() -> None:
    assert reset_time("resets 6pm", BERLIN) == utc(2026, 11, 30, 17)
    assert reset_time("resets 6pm (UTC)", BERLIN) == utc(2026, 11, 30, 18)


def test_an_unknown_zone_is_taken_for_the_machines() -> None:
    assert reset_time("resets 6pm (Middle/Earth)", NOW) == utc(2026, 11, 30, 18)


@given(st.text(max_size=80) | st.from_regex(r"(resets|in|at|retry-after:) ?[\d:apmdhs. ]{1,12}", fullmatch=True))
def test_whatever_is_printed_a_reset_is_in_the_future_and_in_utc_or_none(text: str) -> None:
    found = reset_time(text, BERLIN)
    assert found is None or (found > NOW and found.tzinfo is UTC)
