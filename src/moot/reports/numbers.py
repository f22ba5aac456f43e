"""Numbers for people: durations, money, tokens, counts, moments. Never more digits than anybody reads."""

from __future__ import annotations

from datetime import datetime, timedelta

MINUS = "−"


def duration(seconds: float) -> str:
    """Return `0.2s`, `12s`, `4m 51s`, `2h 05m` or `3d 4h`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d {whole % 86400 // 3600}h"


def money(usd: float) -> str:
    """Return `$1.87`; what is less than a cent says so."""
    if 0 < usd < 0.005:
        return "less than $0.01"
    return f"${usd:,.2f}"


def tokens(count: int) -> str:
    """Return `812`, `1.2k`, `31k` or `1.4M`."""
    if count < 1000:
        return str(count)
    if count < 9950:
        return f"{count / 1000:.1f}k"
    if count < 999_500:
        return f"{round(count / 1000)}k"
    return f"{count / 1_000_000:.1f}M"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 file`, `12 files`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def lines(added: int, removed: int) -> str:
    """Return `+340 −85`."""
    return f"+{added:,} {MINUS}{removed:,}"


def ago(moment: datetime, now: datetime) -> str:
    """Return `just now`, `12 min ago`, `3 h ago`, `yesterday` or `5 days ago`; the date after a month."""
    passed = now - moment
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{int(passed.total_seconds() // 60)} min ago"
    if passed < timedelta(days=1):
        return f"{int(passed.total_seconds() // 3600)} h ago"
    if passed < timedelta(days=2):
        return "yesterday"
    if passed < timedelta(days=31):
        return f"{passed.days} days ago"
    return moment.date().isoformat()


def commas(words: list[str] | tuple[str, ...]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
