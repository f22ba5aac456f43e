"""When a limit resets, from the words of agent CLIs and HTTP: `resets 3pm`, `try again at May 18th, 2033 3:33 AM`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
#: A reset further away than this is a misreading.
_FARTHEST = timedelta(days=366 * 20)

_UNIX = re.compile(r"(?:reset\w*|limit reached)\W{1,4}(1\d{9}|2\d{9})\b", re.IGNORECASE)
_ISO = re.compile(r"\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)")
_SECONDS = re.compile(r"(?:retry[-_ ]after|resets?_in_seconds|retry_after_seconds)\W{1,4}(\d+)", re.IGNORECASE)
_SPAN = re.compile(
    r"\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[\s,]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([dhms])", re.IGNORECASE)
_DATE = re.compile(
    rf"\b(?:(?P<day_name>{'|'.join(_DAYS)})[a-z]*,?\s+(?:at\s+)?)?"
    rf"(?:(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{{4}}))?,?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap])\.?m\b\.?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(?:at|resets?)\s+(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)\b", re.IGNORECASE)
_ZONE = re.compile(r"\((UTC|[A-Z][A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)\)")


def reset_time(text: str, now: datetime) -> datetime | None:
    """Return when the limit that `text` speaks of resets, in UTC; None if it does not say.

    Args:
        text: one line, plain apostrophes.
        now: aware; when the text was printed, in the zone in which a bare clock time is meant. A clock time or date
            without a year that has passed means the next one.
    """
    try:
        found = _stated(text, now)
    except (ValueError, OverflowError):  # no such day, or one beyond the calendar
        return None
    if found is None or not now < found <= now + _FARTHEST:
        return None
    return found.astimezone(UTC)


def _stated(text: str, now: datetime) -> datetime | None:
    if m := _UNIX.search(text):
        return datetime.fromtimestamp(int(m[1]), UTC)
    if m := _SECONDS.search(text):
        return now + timedelta(seconds=int(m[1]))
    if m := _ISO.search(text):
        at = datetime.fromisoformat(m[1])
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    if m := _SPAN.search(text):
        return now + timedelta(seconds=sum(float(n) * _UNITS[u.lower()] for n, u in _PART.findall(m[1])))
    if m := _DATE.search(text):
        hour = int(m["hour"])
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if m["half"].lower() == "p" else 0)
        return _next(now.astimezone(_zone(text, now)), m, hour, int(m["minute"] or 0))
    if m := _CLOCK.search(text):
        there = now.astimezone(_zone(text, now)).replace(
            hour=int(m["hour"]), minute=int(m["minute"]), second=0, microsecond=0
        )
        return there if there > now else there + timedelta(days=1)
    return None


def _next(now: datetime, m: re.Match[str], hour: int, minute: int) -> datetime:
    """The next moment with the date that `m` names, as far as it names one, at that time."""
    at = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if m["month"]:
        at = at.replace(month=_MONTHS.index(m["month"].lower()) + 1, day=int(m["day"]), year=int(m["year"] or now.year))
        return at.replace(year=at.year + 1) if at <= now and not m["year"] else at
    if m["day_name"]:
        at += timedelta(days=(_DAYS.index(m["day_name"].lower()) - at.weekday()) % 7)
        return at if at > now else at + timedelta(days=7)
    return at if at > now else at + timedelta(days=1)


def _zone(text: str, now: datetime) -> tzinfo | None:
    if m := _ZONE.search(text):
        try:
            return ZoneInfo(m[1])
        except (ValueError, ZoneInfoNotFoundError):
            pass
    return now.tzinfo
