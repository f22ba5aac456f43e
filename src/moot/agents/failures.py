"""What went wrong, from what agent CLIs print: signatures in a fixed order, and when a limit resets.

The signatures were measured on the real CLIs (`tests/agents/transcripts`); a kind puts its own before the shared ones.
Exit codes lie, so none of this looks at them: adapters come here once they know that a turn failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from moot.agents.resets import reset_time
from moot.core.process import Ending, Exited
from moot.core.turns import Failure, FailureKind, TurnSpec

K = FailureKind


@dataclass(frozen=True, slots=True)
class Signature:
    """Text that gives a kind of failure away: a regular expression, compiled only once a turn has failed.

    Matched without regard to case; typographic apostrophes are plain.
    """

    kind: FailureKind
    pattern: str


def signatures(*table: tuple[FailureKind, str]) -> tuple[Signature, ...]:
    """Return a table of signatures; the first that matches decides."""
    return tuple(Signature(kind, pattern) for kind, pattern in table)


def _status(*codes: int) -> str:
    """A pattern for an HTTP status, only where the text says that the number is one: `line 429` is no rate limit."""
    numbers = "|".join(map(str, codes))
    return rf"(?:\b(?:status|http|api error|error code|code)\b\W{{0,4}}(?:status\W{{0,3}})?|\()(?:{numbers})\b"


SHARED = signatures(
    (K.LOGIN, r"invalid api key|incorrect api key|api key not valid|not logged in|please run /login"),
    (K.LOGIN, r"authentication[_ ](?:failed|error)|token (?:has )?expired|missing environment variable"),
    (K.LOGIN, _status(401)),
    (
        K.MODEL_LIMIT,
        r"(?:hit|reached) your (?:[\w.-]+ )?(?:opus|sonnet|haiku|fable|gpt)[\w .-]{0,16}limit",
    ),
    (K.USAGE_LIMIT, r"(?:usage|session|hourly|5-hour|daily|weekly|monthly|spend|spending) limit|usage_limit_reached"),
    (K.USAGE_LIMIT, r"\bresets (?:at|in|on|\d)|try again at|quota exceeded for quota metric"),
    (
        K.BILLING,
        r"credit balance is too low|insufficient[_ ]quota|quota exceeded|exceeded your current quota|billing[_ ]error",
    ),
    (K.BILLING, r"payment required|(?:out of|requires|needs) usage credits|" + _status(402)),
    (K.RATE_LIMITED, r"rate[_ ]limit|too many requests|" + _status(429)),
    (K.OVERLOADED, r"overloaded|at capacity|high demand|server[_ ]is[_ ]overloaded|service unavailable"),
    (K.OVERLOADED, r"internal server error|server[_ ]error|bad gateway|" + _status(500, 502, 503, 504, 529)),
    (
        K.CONTEXT_TOO_LONG,
        r"prompt (?:is )?too long|prompt_too_long|out of room in the model|context[_ ](?:length|window)",
    ),
    (K.CONTEXT_TOO_LONG, r"maximum number of tokens|input is too long|request_too_large|" + _status(413)),
    (
        K.MODEL_UNAVAILABLE,
        r"model[_ ]not[_ ]found|issue with the selected model|model .{1,80} (?:does not exist|not found)",
    ),
    (K.MODEL_UNAVAILABLE, r"does not exist or you do not have access|model is not supported|unknown model"),
    (K.REFUSED, r"usage policy|(?:content|cyber|bio)[_ ]policy|policy_violation|content[_ ]filter"),
    (K.NETWORK, r"ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|getaddrinfo|waiting for network"),
    (K.NETWORK, r"connection (?:refused|dropped|error|closed|reset|failed)|fetch failed|socket hang up"),
    (K.NETWORK, r"error sending request|network (?:error|is unreachable)|unable to connect|self[- ]signed certificate"),
    (K.MALFORMED, r"malformed response|could not parse|unterminated string|incomplete json|before response\.completed"),
    (K.MALFORMED, r"error decoding response body"),
    (K.NETWORK, r"timed out|idle timeout|stream disconnected"),
)

_ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_SPACE = re.compile(r"\s+")
_DETAIL = 300  # characters of a failure's one line

_SIGNAL_CODES = (130, 137, 143)  # of CLIs that catch SIGINT, SIGTERM and say so as shells do
_ENDINGS = {
    Ending.TIMEOUT: (K.TIMEOUT, "the time limit of {wall:.0f} s was up"),
    Ending.SILENT: (K.SILENT, "nothing was heard for {silence:.0f} s"),
    Ending.FLOODED: (K.KILLED, "it printed without end"),
    Ending.STOPPED: (K.KILLED, "it was stopped"),
    Ending.UNSTARTABLE: (K.NOT_INSTALLED, "the program cannot be started"),
}


def plain(text: str) -> str:
    """Return `text` as signatures and people want it: no colour codes, plain apostrophes, one line."""
    return _SPACE.sub(" ", _ANSI.sub("", text).replace("\u2019", "'")).strip()


def one_line(text: str) -> str:
    """Return the first `_DETAIL` characters of `text` as one line."""
    line = plain(text)
    return line if len(line) <= _DETAIL else line[: _DETAIL - 1] + "…"


def ended_badly(t: TurnSpec, x: Exited, last: str = "") -> Failure | None:
    """Return the failure that the way a process ended is by itself; None where it ended on its own.

    Args:
        last: what the agent said last about its trouble, added to the detail.
    """
    if x.ending is Ending.EXITED:
        # A code of None alone may also mean that nobody saw it: a killed runner, an adopted job.
        signalled = x.code in _SIGNAL_CODES or (x.code is None and "signal" in x.detail)
        if not signalled:
            return None
        return Failure(K.KILLED, one_line("; ".join(filter(None, ("it was killed", x.detail, last)))))
    kind, detail = _ENDINGS[x.ending]
    detail = detail.format(wall=t.limits.wall_s, silence=t.limits.silence_s or 0)
    return Failure(kind, one_line("; ".join(filter(None, (detail, x.detail, last)))))


def classify(text: str, now: datetime, own: Iterable[Signature] = (), *, detail: str = "") -> Failure | None:
    """Return the failure that `text` gives away; None if no signature matches.

    Args:
        text: what the CLI printed about its trouble, as much of it as speaks of nothing else.
        now: when it was printed, aware; its zone is the one in which the CLI names clock times.
        own: signatures of the kind, tried before the shared ones.
        detail: the line for people; `text` itself when empty.
    """
    searched = plain(text)
    for signature in (*own, *SHARED):
        if re.search(signature.pattern, searched, re.IGNORECASE):
            return Failure(signature.kind, one_line(detail or text), reset_time(searched, now))
    return None


def moment(t: TurnSpec, x: Exited) -> datetime:
    """Return when the process ended, in the zone its clock showed: `TZ` of its environment, else the machine's."""
    try:
        return datetime.fromtimestamp(x.ended_at, ZoneInfo(t.env["TZ"]))
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return datetime.fromtimestamp(x.ended_at, UTC).astimezone()
