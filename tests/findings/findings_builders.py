"""What the tests of this room are made of: changes built from texts with difflib, claims, findings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from moot.core.change import Change, FileDiff, FileStatus, FrozenDiff, Hunk, Line, LineKind, Side, Source
from moot.core.findings import Category, Claim, Finding, Placed, Severity
from moot.findings.anchor import Index

BASE, HEAD = "b" * 40, "h" * 40


def hunks(old: list[str], new: list[str], context: int = 3, section: str = "") -> tuple[Hunk, ...]:
    """Unified hunks as git would show them, from lines without line feeds."""
    made = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        lines = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                pairs = zip(range(i1, i2), range(j1, j2), strict=True)
                lines += [Line(LineKind.CONTEXT, i + 1, j + 1, new[j]) for i, j in pairs]
            else:
                lines += [Line(LineKind.REMOVED, i + 1, None, old[i]) for i in range(i1, i2)]
                lines += [Line(LineKind.ADDED, None, j + 1, new[j]) for j in range(j1, j2)]
        i1, i2, j1, j2 = group[0][1], group[-1][2], group[0][3], group[-1][4]
        made.append(Hunk(i1 + (i2 > i1), i2 - i1, j1 + (j2 > j1), j2 - j1, section, tuple(lines)))
    return tuple(made)


def lines_of(text: str) -> list[str]:
    """Lines as git counts them: only a line feed ends one."""
    return text.removesuffix("\n").split("\n") if text else []


def file_diff(
    path: str,
    old: str | None,
    new: str | None,
    *,
    old_path: str | None = None,
    context: int = 3,
    section: str = "",
    binary: bool = False,
    submodule: bool = False,
) -> FileDiff:
    """What happened to one path; None is a side that does not exist."""
    status = (
        FileStatus.ADDED if old is None else FileStatus.DELETED if new is None
        else FileStatus.RENAMED if old_path else FileStatus.MODIFIED
    )  # fmt: skip
    before = path if old_path is None else old_path
    parts = () if binary or submodule else hunks(lines_of(old or ""), lines_of(new or ""), context, section)
    lines = [x for h in parts for x in h.lines]
    return FileDiff(
        status=status,
        old_path=None if old is None else before,
        new_path=None if new is None else path,
        old_raw=None if old is None else before.encode(),
        new_raw=None if new is None else path.encode(),
        old_mode=None if old is None else "100644",
        new_mode=None if new is None else "100644",
        old_oid=None if old is None else "1" * 40,
        new_oid=None if new is None else "2" * 40,
        binary=binary,
        submodule=submodule,
        added=sum(x.kind is LineKind.ADDED for x in lines),
        removed=sum(x.kind is LineKind.REMOVED for x in lines),
        hunks=parts,
    )


def frozen(*files: FileDiff) -> FrozenDiff:
    change = Change("/repo", "/store", BASE, HEAD, BASE, "main", "topic", Source.BRANCH, "/repo#topic")
    return FrozenDiff(change, files)


def index(diff: FrozenDiff, whole: Mapping[tuple[Side, str], str] | None = None) -> Index:
    """An index that knows the whole files given."""
    texts = {key: lines_of(text) for key, text in (whole or {}).items()}
    return Index(diff, lambda side, path: texts.get((side, path)))


def claim(
    quote: str,
    path: str = "a.py",
    line: int | None = None,
    *,
    side: Side = Side.RIGHT,
    severity: Severity = Severity.MEDIUM,
    category: Category = Category.CORRECTNESS,
    seat: str = "reviewer-opus",
    round_: int = 1,
    number: int = 1,
    title: str = "Retry loop never ends",
    body: str = "A zero delay skips the attempt counter.",
    scenario: str = "",
    end_line: int | None = None,
) -> Claim:
    return Claim(
        id=f"{seat}.{round_}.{number}", seat=seat, round=round_, path=path, side=side, line=line, end_line=end_line,
        severity=severity, category=category, title=title, body=body, quote=quote, scenario=scenario,
    )  # fmt: skip


def place(index_: Index, claim_: Claim) -> Placed:
    """Place a claim that has a place."""
    placed = index_.place(claim_)
    assert isinstance(placed, Placed), placed
    return placed


def finding(id_: str = "F1", **changes: object) -> Finding:
    values: dict[str, object] = {
        "id": id_, "path": "a.py", "side": Side.RIGHT, "line": 1, "end_line": 1, "severity": Severity.MEDIUM,
        "category": Category.CORRECTNESS, "title": "t", "body": "b", "quote": "q", "scenario": "", "suggestion": "",
        "claims": (),
    }  # fmt: skip
    return Finding(**(values | changes))  # type: ignore[arg-type]
