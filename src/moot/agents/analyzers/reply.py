"""The analyzer's answer: introduced diagnostics as the JSON of a review reply (`moot.core.replies.ReviewReply`).

Built as plain data so that the job need not import the schema library; the tests hold it against the schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moot.agents.analyzers.changed_files import ChangedFile, Tree
from moot.agents.analyzers.comparison import REGION_LINES, Introduced
from moot.agents.analyzers.diagnostic import Grade

#: As many findings as a reply may hold; a change that brings more is said to.
MAX_FINDINGS = 200
_MAX_TITLE = 120
_MAX_BODY = 4_000

_OLD_LINE = "The line itself is unchanged; what the change did elsewhere in the file caused this."


@dataclass(frozen=True, slots=True)
class Graded:
    """An introduced diagnostic with its grade; `suppressed` when the source tells the tool to be silent about it."""

    found: Introduced
    grade: Grade
    suppressed: bool = False


def reply(
    tool: str,
    graded: Iterable[Graded],
    files: Sequence[ChangedFile],
    tree: Tree,
    scanned: Sequence[str],
    notes: Sequence[str] = (),
) -> dict[str, object]:
    """Return the reply, the worst findings first. `notes` are whole sentences for the summary."""
    added = {file.head: file.added for file in files if file.head is not None}
    merged = _one_per_line(graded)
    findings = [f for g in merged if (f := _finding(tool, g, tree, added[g.found.diagnostic.path]))]
    sentences = [_summary(tool, len(scanned), len(findings))]
    if len(findings) > MAX_FINDINGS:
        sentences.append(f"Only the {MAX_FINDINGS} worst are listed.")
    return {
        "summary": " ".join([*sentences, *notes])[:_MAX_BODY],
        "findings": findings[:MAX_FINDINGS],
        "receipts": [],
        "scanned": list(scanned),
    }


def _summary(tool: str, scanned: int, found: int) -> str:
    if not scanned:
        return f"{tool} found no file that it reads."
    what = "nothing" if not found else "1 finding" if found == 1 else f"{found} findings"
    return f"{tool} read {scanned} file{'s' * (scanned != 1)}: the change introduces {what}."


def _one_per_line(graded: Iterable[Graded]) -> list[Graded]:
    """Keep one of several findings of a rule on one line, and put the worst first."""
    kept: dict[tuple[str, str, int | None], Graded] = {}
    for g in graded:
        d = g.found.diagnostic
        kept.setdefault((d.path, d.rule, d.line), g)
    return sorted(kept.values(), key=_worst_first)


def _worst_first(g: Graded) -> tuple[int, str, int]:
    return g.grade.severity.rank, g.found.diagnostic.path, g.found.diagnostic.line or 0


def _finding(tool: str, g: Graded, tree: Tree, added: frozenset[int]) -> dict[str, object] | None:
    d = g.found.diagnostic
    lines = tree.lines(d.path)
    place = _region(lines, d.line or _somewhere(lines, added), d.last_line)
    if place is None:
        return None
    first, last = place
    title = _title(d.message)
    return {
        "path": d.path,
        "line": first,
        "end_line": last,
        "side": "RIGHT",
        "severity": g.grade.severity.value,
        "category": g.grade.category.value,
        "title": f"Silenced by this change: {title}" if g.suppressed else title,
        "body": _body(tool, g, title),
        "quote": "\n".join(lines[first - 1 : last]),
        "suggestion": d.fix,
    }


def _somewhere(lines: Sequence[str], added: frozenset[int]) -> int:
    """Return a line to show for a finding about a whole file: the first added one with text on it, else the first."""
    return next((n for n, text in enumerate(lines, 1) if n in added and text.strip()), 1)


def _region(lines: Sequence[str], first: int, last: int | None) -> tuple[int, int] | None:
    """Return the lines to quote: at most a few, never only blank ones. None when the file has no text."""
    first = min(first, len(lines))
    last = min(max(first, last or first), first + REGION_LINES - 1, len(lines))
    if any(text.strip() for text in lines[first - 1 : last]):
        return first, last
    near = sorted((n for n, text in enumerate(lines, 1) if text.strip()), key=lambda n: abs(n - first))
    return (near[0], near[0]) if near else None


def _title(message: str) -> str:
    first = re.split(r"(?<=[^.])\.\s|\n", message.strip(), maxsplit=1)[0].rstrip(".")
    first = first[:1].upper() + first[1:]
    return first if len(first) <= _MAX_TITLE else first[: _MAX_TITLE - 1].rstrip() + "…"


def _body(tool: str, g: Graded, title: str) -> str:
    """Return what the title does not say yet, ending with the rule and where it is explained."""
    d = g.found.diagnostic
    message = " ".join(d.message.split())
    rest = message[len(title) :].lstrip(". ") if message.casefold().startswith(title.casefold()) else message
    parts = [rest, "" if d.why.casefold() in message.casefold() else d.why]
    if g.suppressed:
        parts.append("The change adds the comment that silences this.")
    if not g.found.on_added:
        parts.append(_OLD_LINE)
    rule = f"{tool} {d.rule.removeprefix(f'{tool}/')}".strip()
    parts.append(f"{rule}: {d.url}" if d.url else rule)
    return "\n\n".join(filter(None, parts))[:_MAX_BODY]
