"""What a report says, whatever its format: the sentences and counts read off a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from moot.core.change import Side
from moot.core.findings import Disposition, DropReason, RulingKind, Severity
from moot.core.runs import Check, Result, ResultFinding, RunStatus, SeatStatus, Verdict
from moot.reports import numbers, safe, turnout

#: The HTML report's file name in the run's directory of artifacts.
HTML_NAME = "report.html"

DROPPED: Mapping[DropReason, str] = {
    DropReason.QUOTE_NOT_FOUND: "quoting code that is not there",
    DropReason.OUTSIDE_CHANGE: "not in this change",
    DropReason.PRE_EXISTING: "there before this change",
    DropReason.DUPLICATE: "said already",
    DropReason.CODEBASE_CONVENTION: "a convention of this codebase",
    DropReason.IMPOSSIBLE: "impossible",
    DropReason.SPECULATIVE: "speculative",
    DropReason.NOT_REPRODUCIBLE: "not reproducible",
    DropReason.STYLE_ONLY: "style only",
    DropReason.FALSE_CLAIM: "refuted",
    DropReason.ENVIRONMENT: "about the environment",
    DropReason.BELOW_FLOOR: "below the floor",
}

_RULED: Mapping[RulingKind, str] = {
    RulingKind.KEEP: "kept by {judge}",
    RulingKind.REWRITE: "rewritten by {judge}",
    RulingKind.DROP: "dropped by {judge}",
    RulingKind.NEW: "raised by {judge}",
    RulingKind.UNVERIFIED: "no ruling",
}

_PROVED: Mapping[str, str] = {
    "proved": "fails on {head}, passes on {base}",
    "also_fails_on_base": "its test fails on {base} too",
    "passes_on_head": "its test passes on {head}",
    "error": "its test could not be run",
    "timeout": "its test ran out of time",
}

_VERDICTS: Mapping[Verdict, str] = {
    Verdict.APPROVE: "APPROVE",
    Verdict.COMMENT: "COMMENT",
    Verdict.REQUEST_CHANGES: "REQUEST CHANGES",
    Verdict.NOT_REVIEWED: "NOT REVIEWED",
}

_UNFINISHED: Mapping[RunStatus, str] = {
    RunStatus.CREATED: "NOT STARTED",
    RunStatus.RUNNING: "RUNNING",
    RunStatus.PARKED: "PARKED",
    RunStatus.STALLED: "STALLED",
    RunStatus.CANCELLED: "CANCELLED",
    RunStatus.FAILED: "FAILED",
}

_OPEN = (Disposition.OPEN, Disposition.UNVERIFIED)


@dataclass(frozen=True, slots=True)
class Step:
    """A command that can be run as printed, and what it does."""

    command: str
    does: str


def headline(result: Result) -> str:
    """Return the verdict, or the status of a run that has none yet, in capitals."""
    return _UNFINISHED.get(result.status) or _VERDICTS[result.verdict]


def outcome(result: Result) -> str:
    """Return what stands beside the headline: what is to fix, or how far the run came."""
    if result.status in _UNFINISHED:
        return _progress(result)
    if result.verdict is Verdict.NOT_REVIEWED:
        return _unreviewed(result)
    incomplete = "incomplete, " if result.status is RunStatus.INCOMPLETE else ""
    if not result.findings:
        return f"{incomplete}nothing to report: {turnout.who_read(result)}"
    return incomplete + tally(result)


def tally(result: Result) -> str:
    """Return `3 to fix, 2 notes`: medium and worse is to fix, what is settled counts as neither."""
    open_ = [f for f in result.findings if f.disposition in _OPEN]
    to_fix = sum(f.severity.at_least(Severity.MEDIUM) for f in open_)
    notes = len(open_) - to_fix
    parts = []
    if to_fix or not notes:
        parts.append(f"{to_fix} to fix" if to_fix else "nothing to fix")
    if notes:
        parts.append(numbers.count(notes, "note"))
    return ", ".join(parts)


def is_clean(result: Result) -> bool:
    """Whether the change is approved and there is nothing at all to report."""
    return not result.findings and is_settled(result) and result.verdict is Verdict.APPROVE


def is_settled(result: Result) -> bool:
    """Whether the run came to a verdict as it was meant to."""
    return result.status is RunStatus.COMPLETE and result.verdict is not Verdict.NOT_REVIEWED


def facts(result: Result, now: datetime | None) -> tuple[str, ...]:
    """Return the run's id, duration, money or tokens, and how long ago it ended."""
    parts = [f"run {short_run(result)}"]
    if result.seconds:
        parts.append(numbers.duration(result.seconds))
    if result.usage.cost_usd is not None:
        parts.append(numbers.money(result.usage.cost_usd))
    elif result.usage.tokens:
        parts.append(f"{numbers.tokens(result.usage.tokens)} tokens")
    if now is not None and result.finished_at is not None:
        parts.append(numbers.ago(result.finished_at, now))
    return tuple(parts)


def size(result: Result) -> str:
    """Return `12 files, +340 −85`."""
    c = result.change
    return f"{numbers.count(c.files, 'file')}, {numbers.lines(c.added, c.removed)}"


def findings(result: Result, *, all_: bool) -> tuple[ResultFinding, ...]:
    """Return the findings to list, worst first, then by place. Those below the floor only with `all_`."""
    listed = [f for f in result.findings if all_ or f.shown]
    return tuple(sorted(listed, key=lambda f: (f.disposition not in _OPEN, f.severity.rank, f.path, f.line, f.id)))


def by_file(listed: Iterable[ResultFinding]) -> tuple[tuple[str, tuple[ResultFinding, ...]], ...]:
    """Return the findings grouped by path, the file with the first finding first."""
    files: dict[str, list[ResultFinding]] = {}
    for finding in listed:
        files.setdefault(finding.path, []).append(finding)
    return tuple((path, tuple(group)) for path, group in files.items())


def hidden(result: Result) -> str:
    """Return `2 nit` for what is below the floor for showing, or ""."""
    counted = Counter(f.severity for f in result.findings if not f.shown)
    return ", ".join(f"{counted[s]} {s}" for s in Severity if counted[s])


def marks(finding: ResultFinding) -> tuple[str, ...]:
    """Return the words that qualify a finding beside its severity."""
    words = []
    if finding.proof is not None and finding.proof.outcome == "proved":
        words.append("proved")
    if finding.ruling is RulingKind.UNVERIFIED:
        words.append("unverified")
    if finding.disposition not in (Disposition.OPEN, Disposition.UNVERIFIED):
        words.append(finding.disposition.value)
    return tuple(words)


def place(finding: ResultFinding, *, whole: bool = False) -> str:
    """Return `path:88`, with the last line too when `whole`, and what side it is on when that is the base."""
    last = f"-{finding.end_line}" if whole and finding.end_line > finding.line else ""
    base = " (base)" if finding.side is Side.LEFT else ""
    return f"{spot(finding.path, finding.line)}{last}{base}"


def spot(path: str, line: int | None) -> str:
    """Return `path:88`, or the path alone where no line is known."""
    return safe.path(path) if line is None else f"{safe.path(path)}:{line}"


def lines(finding: ResultFinding) -> str:
    """Return `line 88` or `lines 88 to 90`, and `of the base` on that side."""
    base = " of the base" if finding.side is Side.LEFT else ""
    if finding.end_line > finding.line:
        return f"lines {finding.line} to {finding.end_line}{base}"
    return f"line {finding.line}{base}"


def provenance(finding: ResultFinding, result: Result) -> tuple[str, ...]:
    """Return who raised a finding, who agreed, what the judge made of it, and what its test showed."""
    short = turnout.seat_names(result)
    parts = []
    if finding.raised_by and finding.ruling is not RulingKind.NEW:
        parts.append(f"raised by {turnout.names(finding.raised_by, short)}")
    if finding.agreed_by:
        parts.append(f"agreed by {turnout.names(finding.agreed_by, short)}")
    parts.append(ruled(finding, result))
    if not finding.in_hunk:
        parts.append("outside the hunks, caused by the change")
    if finding.proof is not None:
        said = _PROVED.get(finding.proof.outcome, safe.line(finding.proof.outcome))
        head, base = short_id(result.change.head), short_id(result.change.merge_base)
        parts.append(said.format(head=head, base=base) if finding.proof.outcome in _PROVED else said)
    return tuple(parts)


def ruled(finding: ResultFinding, result: Result) -> str:
    """Return `kept by the judge`, or what else became of the finding there."""
    judge = "the rules" if result.judge == "rules" else "the judge"
    return _RULED[finding.ruling].format(judge=judge)


def dropped(result: Result) -> str:
    """Return why claims were dropped, the commonest reason first: `2 refuted, 1 not in this change`, or ""."""
    counted = Counter(d.reason for d in result.dropped)
    return ", ".join(f"{number} {DROPPED[reason]}" for reason, number in counted.most_common())


def check(c: Check) -> str:
    """Return `make check ok 41s`."""
    command = safe.line(c.command)
    if c.ok is None:
        return f"{command} could not be run"
    return f"{command} {'ok' if c.ok else 'failed'} {numbers.duration(c.seconds)}"


def next_steps(result: Result) -> tuple[Step, ...]:
    """Return the commands worth running now."""
    run = short_run(result)
    resume = f"moot runs resume {run}"
    if result.status in (RunStatus.CREATED, RunStatus.RUNNING):
        return (Step(f"moot show {run} --story", "says how far it is"),)
    if result.status in (RunStatus.PARKED, RunStatus.STALLED):
        return (Step(resume, "goes on where it stopped, pays for nothing twice"),)
    if result.status is RunStatus.FAILED:
        return (Step(f"moot show {run} --story", "tells what happened"),)
    absent = len(turnout.missing(result))
    if result.status is RunStatus.INCOMPLETE or (result.status is RunStatus.NOT_REVIEWED and absent):
        return (Step(resume, f"asks only the missing {'seat' if absent == 1 else 'seats'} again"),)
    return ()


def html_report(result: Result) -> str:
    """Return the path of the HTML report of a run that is over, or "" where there is none."""
    over = result.status.finished or result.status is RunStatus.STALLED
    return str(PurePath(result.artifacts) / HTML_NAME) if result.artifacts and over else ""


def short_run(result: Result) -> str:
    """Return the last part of the run's id, which is unique in the ledger, so that commands with it are short."""
    return safe.line(result.run).rpartition("-")[2]


def short_id(commit: str) -> str:
    """Return the first seven characters of an object id."""
    return safe.line(commit)[:7]


def _progress(result: Result) -> str:
    answered, asked = turnout.answered(result)
    if not asked:
        return "before any seat was asked"
    so_far = f", {numbers.count(len(result.findings), 'finding')} so far" if result.findings else ""
    return f"{answered} of {numbers.count(asked, 'seat')} answered{so_far}"


def _unreviewed(result: Result) -> str:
    required = [s for s in result.seats if s.required]
    answered = sum(s.status is SeatStatus.OK for s in required)
    if answered < len(required):
        return f"{answered} of {numbers.count(len(required), 'required seat')} answered"
    return _progress(result)
