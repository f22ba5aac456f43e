"""The report on a terminal: verdict first, then the findings, then what else a person must know, then what to do."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from moot.core.findings import Severity
from moot.core.runs import Reads, Result, ResultFinding, SeatResult, SeatStatus, Verdict
from moot.reports import markup, safe, turnout, wording
from moot.reports.layout import Style, cells, glue, pad, paint, wrap

_GAP = "   "
_LABEL = 11  # columns of the labels before the closing lines
_PROSE = 100  # columns beyond which running text gets hard to read
_LINES = 6  # of a finding's body; `all_` shows it whole
_ASIDE_LINES = 3  # of its scenario and its suggestion

_SEVERITY: dict[Severity, tuple[Style, ...]] = {
    Severity.CRITICAL: (Style.BOLD, Style.RED),
    Severity.HIGH: (Style.RED,),
    Severity.MEDIUM: (Style.YELLOW,),
    Severity.LOW: (Style.CYAN,),
    Severity.NIT: (Style.DIM,),
}
_VERDICT: dict[Verdict, Style] = {
    Verdict.APPROVE: Style.GREEN,
    Verdict.COMMENT: Style.YELLOW,
    Verdict.REQUEST_CHANGES: Style.RED,
    Verdict.NOT_REVIEWED: Style.MAGENTA,
}


def render(result: Result, *, now: datetime | None, width: int, colour: bool, all_: bool) -> str:
    """Return the report, ending with a line feed.

    Args:
        now: for "3 h ago"; None leaves it out.
        width: columns; running text is never wider than is good to read.
        colour: whether to use SGR sequences.
        all_: everything: findings below the floor, whole texts, evidence, what was dropped, failures on the way.
    """
    return _Text(result, now=now, width=max(40, width), colour=colour, all_=all_).render()


class _Text:
    """One rendering; holds only what every part needs."""

    def __init__(self, result: Result, *, now: datetime | None, width: int, colour: bool, all_: bool) -> None:
        self._result = result
        self._now = now
        self._width = width
        self._colour = colour
        self._all = all_
        self._was_cut = False

    def render(self) -> str:
        sections = [
            [*self._head(), *self._why()],
            *self._findings(),
            *(self._dropped() if self._all else ()),
            *(self._prose() if self._all else ()),
            list(self._closing()),
            list(self._next()),
        ]
        return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"

    def _head(self) -> Iterator[str]:
        result = self._result
        word, outcome = wording.headline(result), wording.outcome(result)
        facts = " · ".join(wording.facts(result, self._now))
        painted = self._paint(word, Style.BOLD, _VERDICT[result.verdict])
        if cells(_GAP.join((word, outcome, facts))) <= self._width:
            yield _GAP.join((painted, outcome, self._dim(facts)))
        else:
            indent = " " * (cells(word) + len(_GAP))
            first, *rest = wrap(outcome, self._width, first=indent, rest=indent)
            yield painted + first[cells(word) :]
            yield from rest
            yield from (self._dim(line) for line in wrap(facts, self._width, first=indent, rest=indent))
        if not wording.is_clean(result):
            yield self._dim(f"{safe.path(result.change.label)}{_GAP}{wording.size(result)}")

    def _why(self) -> Iterator[str]:
        """What kept the run from a verdict, seat by seat."""
        if wording.is_settled(self._result):
            return
        for reason in self._result.verdict_reasons:
            yield from wrap(safe.line(reason), self._prose_width, first="  ", rest="  ")
        absent = {w.seat: w.detail for w in turnout.missing(self._result)}
        rows = [(safe.line(s.seat), self._seat(s, absent)) for s in self._telling()]
        name_width = max((cells(name) for name, _ in rows), default=0)
        for name, said in rows:
            first = f"  {pad(name, name_width)}  "
            yield from wrap(said, self._width, first=first, rest=" " * cells(first))

    def _telling(self) -> list[SeatResult]:
        """The seats that say why there is no verdict: the missing ones, and the readers that answered."""
        if wording.is_settled(self._result):
            return []
        absent = {w.seat for w in turnout.missing(self._result)}
        answered = (SeatStatus.OK, Reads.READ)
        return [s for s in self._result.seats if s.seat in absent or (s.status, s.reads) == answered]

    def _seat(self, seat: SeatResult, absent: Mapping[str, str]) -> str:
        if seat.seat not in absent:
            by = f" ({safe.line(seat.replaced)} → {safe.line(seat.agent)})" if seat.replaced else ""
            return f"found {seat.findings or 'nothing'}{by}"
        if seat.status is SeatStatus.WAITING:
            return absent[seat.seat]
        return f"{absent[seat.seat]} {glue(f'(see moot show {self._run} {shlex.quote(safe.line(seat.seat))})')}"

    def _findings(self) -> Iterator[list[str]]:
        listed = wording.findings(self._result, all_=self._all)
        if not listed:
            return
        ids = max(cells(safe.line(f.id)) for f in listed)
        severities = max(len(f.severity) for f in listed)
        marks = max(len(", ".join(wording.marks(f))) for f in listed)
        heads = [self._columns(f, ids, severities, marks) for f in listed]
        titles = [safe.line(f.title) for f in listed]
        beside = all(
            sum(map(cells, head)) + 2 * (len(head) - 1) + len(_GAP) + cells(title) <= self._width
            for head, title in zip(heads, titles, strict=True)
        )
        for finding, head, title in zip(listed, heads, titles, strict=True):
            number, severity, *middle, place = head
            styled = [number, self._paint(severity, *_SEVERITY[finding.severity]), *middle, place]
            body = " " * (ids + 2)
            lines = ["  ".join(styled)]
            if sum(map(cells, head)) + 2 * (len(head) - 1) > self._width:  # a path stays whole, on its own line
                lines = ["  ".join(styled[:-1]).rstrip(), body + place]
            if beside:
                lines[0] += _GAP + self._bold(title)
            else:
                lines += [self._bold(line) for line in wrap(title, self._prose_width, first=body, rest=body)]
            yield [*lines, *self._finding(finding, body)]

    def _columns(self, f: ResultFinding, ids: int, severities: int, marks: int) -> list[str]:
        columns = [pad(safe.line(f.id), ids), pad(f.severity.value, severities)]
        if marks:
            columns.append(pad(", ".join(wording.marks(f)), marks))
        return [*columns, wording.place(f, whole=self._all)]

    def _finding(self, f: ResultFinding, indent: str) -> Iterator[str]:
        if self._all:
            yield from (f"{indent}| {safe.code(line).expandtabs(4)}" for line in f.quote.splitlines())
        yield from self._cut(self._drawn(markup.parse(f.body), indent), _LINES, indent)
        for label, text in (("scenario:", f.scenario), ("fix:", f.suggestion)):
            yield from self._cut(self._aside(label, text, indent), _ASIDE_LINES, f"{indent}  ")
        if self._all and f.evidence.strip():
            yield from self._aside("evidence:", f.evidence, indent)
        said = " · ".join(wording.provenance(f, self._result))
        yield from (self._dim(s) for s in wrap(said, self._prose_width, first=indent, rest=indent))

    def _aside(self, label: str, text: str, indent: str) -> Iterator[str]:
        """Text after a label: on its line where it flows, below it where it is code."""
        first, *others = markup.parse(text) or (None,)
        if isinstance(first, markup.Paragraph):
            said = f"{label} {_plain(first.inlines)}"
            yield from wrap(said, self._prose_width, first=indent, rest=f"{indent}  ")
        elif first is not None:
            yield indent + label
            others = [first, *others]
        yield from self._drawn(others, f"{indent}  ")

    def _cut(self, lines: Iterable[str], limit: int, indent: str) -> list[str]:
        whole = list(lines)
        if self._all or len(whole) <= limit:
            return whole
        self._was_cut = True
        return [*whole[: limit - 1], f"{indent}…"]

    def _drawn(self, blocks: Sequence[markup.Block], indent: str) -> Iterator[str]:
        for i, block in enumerate(blocks):
            if isinstance(block, markup.Code):
                yield from (f"{indent}  {line}".rstrip() for line in block.text.split("\n"))
            elif isinstance(block, markup.Item):
                first = f"{indent}{'  ' * block.depth}{block.marker} "
                yield from wrap(_plain(block.inlines), self._prose_width, first=first, rest=" " * cells(first))
            else:
                if i and self._all:
                    yield ""
                yield from wrap(_plain(block.inlines), self._prose_width, first=indent, rest=indent)

    def _dropped(self) -> Iterator[list[str]]:
        if not self._result.dropped:
            return
        short = turnout.seat_names(self._result)
        yield [self._bold("dropped")]
        for d in self._result.dropped:
            by = ", ".join(short.get(s, safe.line(s)) for s in d.raised_by)
            lines = wrap(safe.line(d.title), self._prose_width, first="  ", rest="  ")
            why = f"{wording.spot(d.path, d.line)} · {by} · {wording.DROPPED[d.reason]}: {safe.line(d.explanation)}"
            yield [*lines, *(self._dim(s) for s in wrap(why, self._prose_width, first="    ", rest="    "))]

    def _prose(self) -> Iterator[list[str]]:
        for heading, text in (("analysis", self._result.analysis), ("conclusion", self._result.conclusion)):
            if text:
                yield [self._bold(heading), *self._drawn(markup.parse(text), "  ")]
        for seat, text in self._result.prose.items():
            yield [self._bold(f"{safe.line(seat)} wrote"), *self._drawn(markup.parse(text), "  ")]

    def _closing(self) -> Iterator[str]:
        result = self._result
        clean = wording.is_clean(result)
        more = glue(f"moot show {self._run} --all")
        if result.verdict_reasons and wording.is_settled(result) and not clean:
            yield from self._row("because", [safe.line(r) for r in result.verdict_reasons])
        if not self._all:
            if hidden := wording.hidden(result):
                yield from self._row("notes", [f"{hidden} not listed ({more})"])
            if self._was_cut:
                yield from self._row("shortened", [f"longer texts end in … ({more})"])
            if dropped := wording.dropped(result):
                yield from self._row("dropped", [f"{len(result.dropped)}: {dropped} ({more})"])
        if not clean or result.coverage.unread or result.coverage.skipped:
            yield from self._row("coverage", turnout.coverage(result))
        for check in result.checks:
            yield from self._row("check", [wording.check(check)])
            if check.ok is False and check.tail.strip():
                tail = safe.clean(check.tail).strip("\n").split("\n")
                yield from (f"{' ' * _LABEL}| {line}" for line in tail[-5:])
        told = [s for s in result.seats if clean and _is_plain(s)] or self._telling()
        yield from self._row("seats", turnout.seats(result, told))
        if self._all:
            for seat in result.seats:
                yield from self._row("", [f"{safe.line(seat.seat)}: {safe.line(t)}" for t in seat.trail])
        elif prose := turnout.prose(result):
            yield from self._row("prose", [f"{clause} ({more})" for clause in prose])
        if not clean:
            yield from self._row("usage", turnout.usage(result))
        for notice in (*result.change.notes, *result.notices):
            yield from self._row("notice", [safe.line(notice)])
        yield from self._more()

    def _row(self, label: str, clauses: Sequence[str]) -> Iterator[str]:
        if clauses:
            text = " · ".join(clauses)
            first, *rest = wrap(text, self._prose_width, first=pad(label, _LABEL), rest=" " * _LABEL)
            yield self._dim(first[:_LABEL]) + first[_LABEL:]
            yield from rest

    def _more(self) -> Iterator[str]:
        """Where the whole story is. The path is never broken: it must survive a paste."""
        yield from self._row("story", [glue(f"moot show {self._run} --story")])
        if page := wording.html_report(self._result):
            yield self._dim(pad("report", _LABEL)) + shlex.quote(safe.path(page))

    def _next(self) -> Iterator[str]:
        steps = wording.next_steps(self._result)
        width = max((cells(s.command) for s in steps), default=0)
        for step in steps:
            yield f"next: {pad(step.command, width)}   {self._dim(step.does)}"

    @property
    def _run(self) -> str:
        return wording.short_run(self._result)

    @property
    def _prose_width(self) -> int:
        return min(self._width, _PROSE)

    def _paint(self, text: str, *styles: Style) -> str:
        return paint(text, *styles, colour=self._colour)

    def _bold(self, text: str) -> str:
        return self._paint(text, Style.BOLD)

    def _dim(self, text: str) -> str:
        return self._paint(text, Style.DIM)


def _is_plain(seat: SeatResult) -> bool:
    return seat.status is SeatStatus.OK and not (seat.note or seat.replaced)


def _plain(inlines: Iterable[markup.Inline]) -> str:
    return "".join(f"`{i.text}`" if isinstance(i, markup.Span) else i.text for i in inlines)
