"""Every number a person reads is short and true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from moot.reports import numbers

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, "0.0s"),
        (0.21, "0.2s"),
        (9.94, "9.9s"),
        (9.96, "10s"),
        (59.7, "1m 00s"),
        (291, "4m 51s"),
        (3599.6, "1h 00m"),
        (7500, "2h 05m"),
        (273600, "3d 4h"),
        (-1, "0.0s"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert numbers.duration(seconds) == said


@pytest.mark.parametrize(
    ("usd", "said"), [(0.0, "$0.00"), (0.004, "less than $0.01"), (1.868, "$1.87"), (1234.5, "$1,234.50")]
)
def test_money(usd: float, said: str) -> None:
    assert numbers.money(usd) == said


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0"), (812, "812"), (1234, "1.2k"), (9950, "10k"), (31_400, "31k"), (1_400_000, "1.4M")]
)
def test_tokens(count: int, said: str) -> None:
    assert numbers.tokens(count) == said


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=12, seconds=30), "12 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=5), "5 days ago"),
        (timedelta(days=40), "2026-10-21"),
    ],
)
def test_moments(passed: timedelta, said: str) -> None:
    assert numbers.ago(NOW - passed, NOW) == said


def test_counts_and_lists() -> None:
    assert numbers.count(1, "file") == "1 file"
    assert numbers.count(1200, "file") == "1,200 files"
    assert numbers.commas([]) == ""
    assert numbers.commas(["a"]) == "a"
    assert numbers.commas(["a", "b", "c"]) == "a, b and c"
    assert numbers.lines(340, 85) == "+340 −85"
