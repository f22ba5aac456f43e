"""The full story of a run and of one seat in it: every prompt, reply, ruling and reason can be reached from here."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from moot.core.errors import NotFoundError
from moot.core.findings import Claim, Dropped, Finding
from moot.core.ledger import LedgerEvent
from moot.core.turns import FailureKind, Usage
from moot.reports import numbers, safe, wording
from moot.reports.layout import Style, cells, pad, paint, wrap

_PROSE = 100  # columns beyond which running text gets hard to read
_LABEL = 11


@dataclass(frozen=True, slots=True)
class StoryFile:
    """A file of a turn: what it is (`prompt`, `stdout`) and its absolute path."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class StoryTurn:
    """One turn.

    Args:
        key, attempt: its place in the run; `node` is what was asked.
        agent, model: who was asked in the end; `model` may be empty.
        failure, detail: why nothing usable came back; None and "" for a reply.
        running: whether it has not ended yet.
        files: the files of its job directory that exist, in the order a reader wants them.
        prompt, reply: the texts, for the view of one seat; None where they cannot be read.
    """

    seat: str
    node: str
    key: str
    attempt: int
    agent: str
    kind: str
    model: str = ""
    failure: FailureKind | None = None
    detail: str = ""
    running: bool = False
    started_at: datetime | None = None
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    files: tuple[StoryFile, ...] = ()
    prompt: str | None = None
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """A run as the ledger remembers it. `unplaced` are claims that became part of no finding and were not dropped."""

    run: str
    label: str
    status: str
    created_at: datetime
    folder: str
    turns: tuple[StoryTurn, ...] = ()
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unplaced: tuple[Claim, ...] = ()
    events: tuple[LedgerEvent, ...] = ()


def render(story: Story, *, width: int, colour: bool) -> str:
    """Return the story as text: turns with the paths of their files, findings with claims and rulings, drops, events.

    Args:
        width: columns; paths and commands are never broken.
        colour: whether to use SGR sequences.
    """
    teller = _Teller(max(40, width), colour)
    return teller.whole(story)


def render_seat(story: Story, seat: str, *, width: int, colour: bool) -> str:
    """Return one seat's turns with prompts and replies inline, and what became of its claims.

    Raises:
        NotFoundError: the story has no turn of that seat.
    """
    turns = [t for t in story.turns if t.seat == seat]
    if not turns:
        known = ", ".join(dict.fromkeys(t.seat for t in story.turns)) or "none was asked"
        raise NotFoundError(
            f"run {story.run} has no seat {seat!r} (seats: {known})", next_step=f"moot show {story.run}"
        )
    return _Teller(max(40, width), colour).seat(story, seat, turns)


class _Teller:
    """One rendering; holds only what every part needs."""

    def __init__(self, width: int, colour: bool) -> None:
        self._width = width
        self._prose = min(width, _PROSE)
        self._colour = colour

    def whole(self, story: Story) -> str:
        seats = list(dict.fromkeys(t.seat for t in story.turns))
        hints = [f"next: moot show {safe.line(story.run)} {shlex.quote(safe.line(s))}" for s in seats]
        return self._sections(
            [
                self._head(story),
                *self._headed("turns", (list(self._turn(t)) for t in story.turns)),
                *self._headed("findings", (list(self._finding(f)) for f in story.findings)),
                *self._headed("dropped", (list(self._dropped(d)) for d in story.dropped)),
                *self._headed(
                    "claims without a finding", (list(self._row("claim", _claim(c))) for c in story.unplaced)
                ),
                *self._headed("events", [list(self._events(story.events))] if story.events else ()),
                hints,
            ]
        )

    def seat(self, story: Story, seat: str, turns: Sequence[StoryTurn]) -> str:
        sections = [self._head(story)]
        for turn in turns:
            sections.append(list(self._turn(turn)))
            sections += self._text("prompt", turn.prompt)
            sections += self._text("reply", turn.reply)
        fates = list(self._fates(story, seat))
        return self._sections([*sections, *self._headed("what became of its claims", [fates] if fates else ())])

    def _head(self, story: Story) -> list[str]:
        facts = f"run {safe.line(story.run)} · {safe.line(story.status)} · created {_moment(story.created_at)}"
        return [f"{self._bold('STORY')}   {facts}", safe.path(story.label), _path(story.folder)]

    def _turn(self, turn: StoryTurn) -> Iterator[str]:
        name = f"{turn.node} {turn.key}.{turn.attempt}" if turn.key != turn.node else f"{turn.node}.{turn.attempt}"
        yield f"  {self._bold(f'{safe.line(turn.seat)}  {safe.line(name)}')}"
        yield from wrap(self._how(turn), self._prose, first="    ", rest="    ")
        if turn.detail:
            yield from wrap(safe.line(turn.detail), self._prose, first="    ", rest="    ")
        width = max((cells(safe.line(f.name)) for f in turn.files), default=0)
        yield from (f"    {pad(safe.line(f.name), width)}  {_path(f.path)}" for f in turn.files)

    def _how(self, turn: StoryTurn) -> str:
        parts = [safe.line(f"{turn.agent} ({turn.kind}{', ' + turn.model if turn.model else ''})")]
        parts += [_moment(turn.started_at)] if turn.started_at else []
        parts.append("running" if turn.running else f"failed: {turn.failure}" if turn.failure else "ok")
        if turn.seconds:
            parts.append(numbers.duration(turn.seconds))
        if turn.usage.tokens:
            parts.append(f"{numbers.tokens(turn.usage.tokens)} tokens")
        if turn.usage.cost_usd is not None:
            parts.append(numbers.money(turn.usage.cost_usd))
        return " · ".join(parts)

    def _finding(self, f: Finding) -> Iterator[str]:
        place = wording.spot(f.path, f.line)
        yield f"  {self._bold(safe.line(f.id))}  {f.severity}  {place}  {self._bold(safe.line(f.title))}"
        yield from self._row("ruling", _ruling(f))
        joins = {join.claim: join for join in f.joins}
        for claim in f.claims:
            join = joins.get(claim.id)
            how = f"joined at {join.score:.2f}: {safe.line(join.why)}" if join else "raised it"
            yield from self._row("claim", f"{_claim(claim)}; {how}")
        if f.agreed_by:
            yield from self._row("agreed", ", ".join(map(safe.line, f.agreed_by)))
        if f.proof:
            yield from self._row("proof", f"{safe.line(f.proof.outcome)}: {safe.line(f.proof.command)}")

    def _dropped(self, d: Dropped) -> Iterator[str]:
        yield f"  {wording.spot(d.path, d.line)}  {self._bold(safe.line(d.title))}"
        was = f", as {safe.line(d.finding)}" if d.finding else ""
        yield from self._row("raised by", ", ".join(map(safe.line, d.raised_by)) + was)
        yield from self._row("because", f"{wording.DROPPED[d.reason]}: {safe.line(d.explanation)}")

    def _events(self, events: Iterable[LedgerEvent]) -> Iterator[str]:
        for e in events:
            about = f"{safe.line(e.kind)}{' ' + safe.line(e.seat) if e.seat else ''}"
            first = f"  {e.at.astimezone(UTC):%H:%M:%S}  {about}  "
            yield from wrap(safe.line(e.text), self._width, first=first, rest=" " * 12)

    def _fates(self, story: Story, seat: str) -> Iterator[str]:
        for f in story.findings:
            for claim in (c for c in f.claims if c.seat == seat):
                yield from self._row(safe.line(f.id), f"{_claim(claim)}; {_ruling(f)}")
        for d in story.dropped:
            if seat in d.raised_by:
                yield from self._row("dropped", f"{safe.line(d.title)}; {wording.DROPPED[d.reason]}")
        for claim in (c for c in story.unplaced if c.seat == seat):
            yield from self._row("nowhere", _claim(claim))

    def _row(self, label: str, text: str) -> Iterator[str]:
        first = f"    {pad(label, _LABEL)}"
        yield from wrap(text, self._prose, first=first, rest=" " * cells(first))

    def _text(self, name: str, text: str | None) -> list[list[str]]:
        if text is None:
            return []
        lines = safe.clean(text).rstrip("\n").split("\n")
        return [[self._bold(f"  {name}"), *(f"  | {line}".rstrip() for line in lines)]]

    def _headed(self, heading: str, parts: Iterable[list[str]]) -> list[list[str]]:
        sections = list(parts)
        if sections:
            sections[0] = [self._bold(heading), *sections[0]]
        return sections

    def _sections(self, sections: Iterable[list[str]]) -> str:
        return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"

    def _bold(self, text: str) -> str:
        return paint(text, Style.BOLD, colour=self._colour)


def _claim(claim: Claim) -> str:
    at = f"line {claim.line}" if claim.line is not None else "no line"
    return f"{safe.line(claim.id)}, {claim.severity}, {at}: {safe.line(claim.title)}"


def _ruling(f: Finding) -> str:
    if f.ruling is None:
        return "no ruling"
    by = f" by {safe.line(f.ruled_by)}" if f.ruled_by else ""
    evidence = f": {safe.line(f.evidence)}" if f.evidence.strip() else ""
    return f"{f.ruling.value}{by}{evidence}"


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _path(path: str) -> str:
    """A path that can be pasted into a shell."""
    return shlex.quote(safe.path(path))
