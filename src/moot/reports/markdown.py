"""The report as GitHub-flavoured Markdown, for a comment, a file or a chat: agents' text in it is inert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from moot.core.change import FrozenDiff, LineKind
from moot.core.runs import Result, ResultFinding
from moot.reports import excerpt, inert, markup, numbers, safe, turnout, wording


def render(result: Result, *, diff: FrozenDiff | None, now: datetime | None, all_: bool) -> str:
    """Return the report, ending with a line feed.

    Args:
        diff: the frozen change, for the code around findings; without it their quotes are shown.
        now: for "3 h ago"; None leaves it out.
        all_: findings below the floor for showing too.
    """
    blocks = [
        f"## {wording.headline(result)}: {inert.text(wording.outcome(result))}",
        _facts(result, now),
        *_reasons(result),
        *_findings(result, diff, all_),
        *_section("Analysis", result.analysis),
        *_section("Conclusion", result.conclusion),
        "### About this run",
        *_rows(result, all_),
        *_failed_checks(result),
        *_folded(f"{len(result.dropped)} dropped", wording.dropped(result), _dropped(result)),
        *_folded("Seats", " · ".join(turnout.seats(result)), _seats(result)),
        *_prose(result),
        *(f"Next: {inert.span(step.command)} {step.does}" for step in wording.next_steps(result)),
    ]
    return "\n\n".join(blocks) + "\n"


def _facts(result: Result, now: datetime | None) -> str:
    c = result.change
    label = f"{inert.span(safe.path(c.head_name))} → {inert.span(safe.path(c.base_name))}"
    if not (c.head_name and c.base_name):
        label = inert.span(safe.path(c.label))
    return " · ".join((label, wording.size(result), *map(inert.text, wording.facts(result, now))))


def _reasons(result: Result) -> Iterator[str]:
    reasons = list(map(inert.text, result.verdict_reasons))
    if reasons and not wording.is_clean(result):
        yield " ".join(reasons)
    absent = turnout.missing(result)
    if absent and not wording.is_settled(result):
        yield "\n".join(f"- {inert.span(w.seat)} {inert.text(w.detail)}" for w in absent)


def _findings(result: Result, diff: FrozenDiff | None, all_: bool) -> Iterator[str]:
    for path, group in wording.by_file(wording.findings(result, all_=all_)):
        yield f"### {inert.span(safe.path(path))}"
        for finding in group:
            yield from _finding(finding, result, diff)


def _finding(f: ResultFinding, result: Result, diff: FrozenDiff | None) -> Iterator[str]:
    words = [f.severity.value, *wording.marks(f), f.category.value]
    yield f"#### {inert.text(f.id)} {inert.line(f.title)}"
    yield f"**{' · '.join(words)}** · {wording.lines(f)}"
    yield inert.prose(f.body)
    yield _code(excerpt.around(f, diff), f)
    yield from _aside("Scenario", f.scenario)
    yield from _aside("Fix", f.suggestion)
    yield from _aside("Evidence", f.evidence)
    yield " · ".join(map(inert.text, wording.provenance(f, result)))


def _aside(label: str, words: str) -> Iterator[str]:
    blocks = markup.parse(words)
    if blocks:
        flows = isinstance(blocks[0], markup.Paragraph)
        yield f"**{label}:**{' ' if flows else chr(10) * 2}{inert.prose(words)}"


def _code(found: excerpt.Excerpt | None, f: ResultFinding) -> str:
    if found is None:
        return inert.fence(f.quote, "")
    lines = [f"{row.kind}{safe.code(row.text)}" for row in found.rows]
    changed = any(row.kind is not LineKind.CONTEXT for row in found.rows)
    if found.left_out:
        lines.append(f" … {numbers.count(found.left_out, 'more line')}")
    return inert.fence("\n".join(lines), "diff" if changed else "")


def _section(heading: str, text: str | None) -> Iterator[str]:
    if text:
        yield f"### {heading}"
        yield inert.prose(text)


def _rows(result: Result, all_: bool) -> Iterator[str]:
    hidden = "" if all_ else wording.hidden(result)
    rows = [("Not listed", [hidden] if hidden else [])]
    rows.append(("Coverage", list(turnout.coverage(result))))
    rows.append(("Checks", [wording.check(c) for c in result.checks]))
    rows.append(("Usage", list(turnout.usage(result))))
    rows += [("Note", [safe.line(n)]) for n in (*result.change.notes, *result.notices)]
    lines = [f"- **{label}:** {' · '.join(map(inert.text, clauses))}" for label, clauses in rows if clauses]
    yield "\n".join(lines)


def _failed_checks(result: Result) -> Iterator[str]:
    for check in result.checks:
        if check.ok is False and check.tail.strip():
            yield _details(wording.check(check), inert.fence(check.tail.strip("\n")))


def _folded(label: str, summary: str, table: Sequence[str]) -> Iterator[str]:
    if table:
        yield _details(f"{label}: {summary}", "\n".join(table))


def _details(summary: str, body: str) -> str:
    return f"<details>\n<summary>{inert.in_html(summary)}</summary>\n\n{body}\n\n</details>"


def _dropped(result: Result) -> list[str]:
    short = turnout.seat_names(result)
    rows = [
        (
            inert.line(d.title),
            inert.span(wording.spot(d.path, d.line), in_table=True),
            _seat_list(d.raised_by, short),
            f"{wording.DROPPED[d.reason]}: {inert.line(d.explanation)}",
        )
        for d in result.dropped
    ]
    return _table(("claim", "where", "raised by", "dropped because"), rows)


def _seats(result: Result) -> list[str]:
    short = turnout.seat_names(result)
    rows = []
    for s in result.seats:
        words = turnout.seat(s, short)
        read = "" if s.coverage is None else f"{s.coverage:.0%}"
        tokens = numbers.tokens(s.usage.tokens) if s.usage.tokens else ""
        detail = "; ".join(filter(None, (words.detail, *map(safe.line, s.trail))))
        rows.append((inert.text(words.name), words.status, str(s.findings), read, tokens, inert.text(detail)))
    return _table(("seat", "status", "findings", "read", "tokens", "note"), rows)


def _prose(result: Result) -> Iterator[str]:
    short = turnout.seat_names(result)
    for seat, text in result.prose.items():
        yield _details(f"What {short.get(seat, safe.line(seat))} wrote", inert.prose(text))


def _seat_list(seats: Iterable[str], short: Mapping[str, str]) -> str:
    return inert.text(", ".join(short.get(s, s) for s in seats))


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    return [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)]
