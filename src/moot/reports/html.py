"""The report as one HTML file: no network, no script, light and dark, printable, usable with a keyboard."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

import moot
from moot.core.change import FileDiff, FrozenDiff, LineKind
from moot.core.findings import Severity
from moot.core.runs import Reads, Result, ResultFinding, RunStatus, SeatResult, SeatStatus, Verdict
from moot.reports import excerpt, highlight, markup, numbers, safe, turnout, wording

_HERE = Path(__file__).parent
_FILES_SHOWN = 40  # rows of the coverage table; more are folded


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of an excerpt, drawn."""

    kind: str  # context, added, removed
    sign: str
    old: str
    new: str
    source: Markup
    marked: bool


@dataclass(frozen=True, slots=True)
class Snippet:
    """An excerpt, drawn."""

    section: str
    lines: tuple[CodeLine, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Card:
    """A finding, drawn. `anchor` names it in the page."""

    anchor: str
    finding: ResultFinding
    number: str
    title: Markup
    where: str
    marks: tuple[str, ...]
    body: Markup
    scenario: Markup
    suggestion: Markup
    evidence: Markup
    snippet: Snippet
    provenance: tuple[str, ...]
    command: str
    outputs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A file with findings. `floor` is True where all of them are below the floor for showing."""

    path: str
    status: str
    size: str
    cards: tuple[Card, ...]
    floor: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A claim that is not reported, drawn."""

    title: Markup
    where: str
    by: str
    reason: str
    explanation: Markup


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat, drawn."""

    words: turnout.SeatWords
    seat: SeatResult
    trail: tuple[str, ...]
    read: str
    used: str
    took: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of the change and, per reading seat, whether it was read."""

    path: str
    state: str  # read, parsed, unread, skipped, unknown
    note: str
    by: tuple[bool, ...]


def render(result: Result, *, diff: FrozenDiff | None, all_: bool) -> str:
    """Return the page.

    Args:
        diff: the frozen change, for the code around findings on both sides; without it their quotes are shown.
        all_: whether findings below the floor are shown at first; the reader can always switch them on.
    """
    readers = [s for s in result.seats if s.reads is Reads.READ and s.status is SeatStatus.OK]
    groups = _groups(result, diff)
    cards = [card for group in groups for card in group.cards]
    style = _source("report.css")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            run=wording.short_run(result),
            whole_run=safe.line(result.run),
            proceeding=safe.line(result.proceeding),
            version=moot.__version__,
            style=Markup(style),  # noqa: S704 -- our own file, and the policy allows its hash only
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            tone=_tone(result),
            title=wording.headline(result).capitalize(),
            outcome=wording.outcome(result),
            label=safe.path(result.change.label),
            size=wording.size(result),
            commits=f"{wording.short_id(result.change.merge_base)}..{wording.short_id(result.change.head)}",
            groups=groups,
            cards=sorted(cards, key=lambda c: c.finding.severity.rank),
            severities=_severities(cards),
            floor=sum(not c.finding.shown for c in cards),
            show_floor=all_,
            tiles=_tiles(result),
            missing=() if wording.is_settled(result) else turnout.missing(result),
            steps=wording.next_steps(result),
            notices=[safe.line(n) for n in (*result.change.notes, *result.notices)],
            reasons=list(map(safe.line, result.verdict_reasons)),
            dropped=_dropped(result),
            dropped_summary=wording.dropped(result),
            readers=[turnout.seat_names(result)[s.seat] for s in readers],
            files=_files(result, readers, diff),
            files_shown=_FILES_SHOWN,
            coverage=turnout.coverage(result),
            seats=_seats(result),
            checks=[(wording.check(c), safe.clean(c.tail).strip("\n"), c.ok) for c in result.checks],
            texts=_texts(result),
            usage=turnout.usage(result),
            finished=result.finished_at.strftime("%Y-%m-%dT%H:%M:%SZ") if result.finished_at else "",
        )
    )


@cache
def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _tone(result: Result) -> str:
    """The page's accent: one of good, notice, bad, unknown."""
    if result.status not in (RunStatus.COMPLETE, RunStatus.INCOMPLETE):
        return "unknown"
    tones = {Verdict.APPROVE: "good", Verdict.COMMENT: "notice", Verdict.REQUEST_CHANGES: "bad"}
    return tones.get(result.verdict, "unknown")


def _groups(result: Result, diff: FrozenDiff | None) -> list[Group]:
    number = 0
    groups = []
    for path, findings in wording.by_file(wording.findings(result, all_=True)):
        cards = []
        for finding in findings:
            number += 1
            cards.append(_card(f"finding-{number}", finding, result, diff))
        file = diff.file(path) if diff else None
        floor = not any(f.shown for f in findings)
        groups.append(Group(safe.path(path), _status(file), _size(file), tuple(cards), floor))
    return groups


def _card(anchor: str, f: ResultFinding, result: Result, diff: FrozenDiff | None) -> Card:
    proof = f.proof
    outputs = [] if proof is None else [("on head", proof.head_output), ("on base", proof.base_output)]
    return Card(
        anchor=anchor,
        finding=f,
        number=safe.line(f.id),
        title=_inlines(markup.inlines(safe.line(f.title))),
        where=wording.lines(f),
        marks=wording.marks(f),
        body=_prose(f.body),
        scenario=_prose(f.scenario),
        suggestion=_prose(f.suggestion),
        evidence=_prose(f.evidence),
        snippet=_snippet(f, diff),
        provenance=wording.provenance(f, result),
        command=safe.line(proof.command) if proof else "",
        outputs=tuple((label, safe.clean(text).strip("\n")) for label, text in outputs if text.strip()),
    )


def _snippet(f: ResultFinding, diff: FrozenDiff | None) -> Snippet:
    found = excerpt.around(f, diff) or excerpt.quoted(f)
    # Each side is coloured as a text of its own: a removed line must not change how the ones replacing it are read.
    old = iter(highlight.by_path([row.text for row in found.rows if row.old is not None], f.path))
    new = iter(highlight.by_path([row.text for row in found.rows if row.new is not None], f.path))
    lines = []
    for row in found.rows:
        before = next(old) if row.old is not None else Markup("")
        source = next(new) if row.new is not None else before
        lines.append(CodeLine(_KINDS[row.kind], row.kind.value, _number(row.old), _number(row.new), source, row.marked))
    return Snippet(safe.line(found.section), tuple(lines), found.left_out)


_KINDS = {LineKind.CONTEXT: "context", LineKind.ADDED: "added", LineKind.REMOVED: "removed"}


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def _status(file: FileDiff | None) -> str:
    if file is None:
        return ""
    moved = f"{file.status.value} from {safe.path(file.old_path)}" if file.old_path not in (None, file.path) else ""
    return moved or file.status.value


def _size(file: FileDiff | None) -> str:
    return "" if file is None or file.binary else numbers.lines(file.added, file.removed)


def _severities(cards: Iterable[Card]) -> list[tuple[Severity, int]]:
    shown = [c.finding.severity for c in cards if c.finding.shown]
    return [(severity, shown.count(severity)) for severity in Severity if severity in shown]


def _tiles(result: Result) -> list[tuple[str, str, str]]:
    """The figures under the verdict: label, figure, and the section that tells more."""
    c = result.coverage
    answered, asked = turnout.answered(result)
    tiles = [
        ("files read", f"{c.read} of {c.files}", "coverage"),
        ("seats answered", f"{answered} of {asked}", "seats"),
    ]
    if result.dropped:
        tiles.append(("claims dropped", str(len(result.dropped)), "dropped"))
    if result.checks:
        passed = sum(check.ok is True for check in result.checks)
        tiles.append(("checks passed", f"{passed} of {len(result.checks)}", "checks"))
    if result.seconds:
        tiles.append(("taken", numbers.duration(result.seconds), "seats"))
    if result.usage.cost_usd is not None:
        tiles.append(("spent", numbers.money(result.usage.cost_usd), "seats"))
    elif result.usage.tokens:
        tiles.append(("tokens", numbers.tokens(result.usage.tokens), "seats"))
    return tiles


def _dropped(result: Result) -> list[Dropped]:
    short = turnout.seat_names(result)
    return [
        Dropped(
            title=_inlines(markup.inlines(safe.line(d.title))),
            where=wording.spot(d.path, d.line),
            by=numbers.commas([short.get(s, safe.line(s)) for s in d.raised_by]),
            reason=wording.DROPPED[d.reason],
            explanation=_prose(d.explanation),
        )
        for d in result.dropped
    ]


def _seats(result: Result) -> list[SeatRow]:
    short = turnout.seat_names(result)
    rows = []
    for seat in result.seats:
        used = [f"{numbers.tokens(seat.usage.tokens)} tokens"] if seat.usage.tokens else []
        used += [numbers.money(seat.usage.cost_usd)] if seat.usage.cost_usd is not None else []
        rows.append(
            SeatRow(
                words=turnout.seat(seat, short),
                seat=seat,
                trail=tuple(map(safe.line, seat.trail)),
                read="" if seat.coverage is None else f"{seat.coverage:.0%}",
                used=", ".join(used),
                took=numbers.duration(seat.seconds) if seat.seconds else "",
            )
        )
    return rows


def _files(result: Result, readers: Sequence[SeatResult], diff: FrozenDiff | None) -> list[FileRow]:
    """Every file of the change that is known by name, in the change's order, then by name."""
    c = result.coverage
    skipped = {s.path: s.reason for s in c.skipped}
    read = {path for seat in readers for path in seat.read}
    named = [f.path for f in diff.files] if diff else []
    paths = list(dict.fromkeys([*named, *sorted({*read, *c.unread, *c.scanned, *skipped})]))
    rows = []
    for path in paths:
        if path in skipped:
            state, note = "skipped", safe.line(skipped[path])
        elif path in read:
            state, note = "read", ""
        elif path in c.scanned:
            state, note = "parsed", "only by analyzers"
        else:
            state, note = ("unread", "by nobody") if path in c.unread else ("unknown", "")
        rows.append(FileRow(safe.path(path), state, note, tuple(path in seat.read for seat in readers)))
    return rows


def _texts(result: Result) -> list[tuple[str, Markup]]:
    """What is prose: the debate's analysis and conclusion, and the reports of reviewers that write prose."""
    short = turnout.seat_names(result)
    texts = [("Analysis", result.analysis), ("Conclusion", result.conclusion)]
    texts += [(f"What {short.get(name, safe.line(name))} wrote", text) for name, text in result.prose.items()]
    return [(heading, _prose(text)) for heading, text in texts if text and text.strip()]


def _prose(words: str) -> Markup:
    """An agent's prose as HTML: its paragraphs, lists and code, everything in it escaped."""
    parts: list[Markup] = []
    for is_item, blocks in groupby(markup.parse(words), key=lambda block: isinstance(block, markup.Item)):
        drawn = Markup("\n").join(_block(block) for block in blocks)
        parts.append(Markup("<ul>{}</ul>").format(drawn) if is_item else drawn)
    return Markup("\n").join(parts)


def _block(block: markup.Block) -> Markup:
    if isinstance(block, markup.Code):
        lines = highlight.by_language(block.text.split("\n"), block.language)
        return Markup("<pre><code>{}</code></pre>").format(Markup("\n").join(lines))
    if isinstance(block, markup.Item):
        bullet = "•" if block.marker == "-" else block.marker
        item = Markup('<li class="depth-{}"><span>{}</span> <span>{}</span></li>')
        return item.format(block.depth, bullet, _inlines(block.inlines))
    return Markup("<p>{}</p>").format(_inlines(block.inlines))


def _inlines(inlines: Iterable[markup.Inline]) -> Markup:
    return Markup("").join(map(_inline, inlines))


def _inline(i: markup.Inline) -> Markup:
    if isinstance(i, markup.Span):
        return Markup("<code>{}</code>").format(i.text)
    if isinstance(i, markup.Strong):
        return Markup("<strong>{}</strong>").format(i.text)
    return escape(i.text)
