"""The result drawn: text, Markdown, JSON, SARIF, HTML."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.core.change import FrozenDiff
    from moot.core.runs import Result

#: The names `--format` takes.
FORMATS = ("text", "md", "json", "sarif", "html")


def render(
    result: Result,
    format: str,  # noqa: A002 -- the word for it, here and on the command line
    *,
    diff: FrozenDiff | None = None,
    now: datetime | None = None,
    width: int = 80,
    colour: bool = False,
    all: bool = False,  # noqa: A002 -- as in `--all`
) -> str:
    """Return the report of `result` in one of `FORMATS`, ending with a line feed.

    Args:
        diff: the frozen change, for the code around findings (md, html) and exact paths (sarif).
        now: for "3 h ago" (text, md); None leaves it out.
        width: columns of the terminal (text).
        colour: whether to use terminal colours (text); they say nothing the text does not.
        all: everything (text), or findings below the floor for showing too (md, sarif, html). JSON is always whole.

    Raises:
        ValueError: no such format.
    """
    # Imported here: a text report must not pay for the template engine and the highlighter.
    if format == "text":
        from moot.reports import text

        return text.render(result, now=now, width=width, colour=colour, all_=all)
    if format == "md":
        from moot.reports import markdown

        return markdown.render(result, diff=diff, now=now, all_=all)
    if format == "json":
        from moot.reports import json

        return json.render(result)
    if format == "sarif":
        from moot.reports import sarif

        return sarif.render(result, diff=diff, all_=all)
    if format == "html":
        from moot.reports import html

        return html.render(result, diff=diff, all_=all)
    raise ValueError(f"{format!r} is not one of {', '.join(FORMATS)}")
