"""Every way in which a reviewer can see nothing, or only a part, shows in its coverage; none ends in an approval."""

from __future__ import annotations

import pytest
from findings_builders import HEAD, file_diff, frozen

from moot.core.runs import Reads, RunStatus, SeatResult, SeatStatus, Verdict
from moot.findings.coverage import PAGE_LINES, SeatCoverage, seat_coverage, total
from moot.findings.material import material
from moot.findings.receipts import minter
from moot.findings.verdict import PolicyView, status, verdict

MINT = minter(b"secret", HEAD)
LONG = "".join(f"line {n}\n" for n in range(900))
DIFF = frozen(
    file_diff("src/a.py", None, "x = 1\n"),
    file_diff("src/b.py", "x = 1\n", "y = 1\n"),
    file_diff("src/long.py", None, LONG),
    file_diff("old.py", "gone\n", None),
    file_diff("logo.png", "", "", binary=True),
)
MATERIAL = material(DIFF, MINT, (), 1 << 20, 400 << 10)
ALL = tuple(MATERIAL.receipts)
PATHS = ("old.py", "src/a.py", "src/b.py", "src/long.py")


def seat(read: SeatCoverage, name: str = "reviewer-opus") -> SeatResult:
    return SeatResult(
        name, "opus", "claude", SeatStatus.OK, Reads.READ, coverage=read.fraction, read=read.read
    )  # fmt: skip


def outcome(*reads: SeatCoverage) -> tuple[Verdict, RunStatus]:
    seats = [seat(r, f"reviewer-{n}") for n, r in enumerate(reads)]
    together = total(seats, MATERIAL)
    return verdict([], together, seats, PolicyView()).verdict, status(together, seats, PolicyView())


def test_a_reviewer_that_read_everything_is_not_believed() -> None:
    read = seat_coverage(ALL, MATERIAL, DIFF)
    assert read == SeatCoverage(1.0, PATHS)
    assert outcome(read) == (Verdict.APPROVE, RunStatus.COMPLETE)


def test_wrong_directory() -> None:
    read = seat_coverage([], MATERIAL, DIFF, opened=["/home/me/src/a.py", "../src/a.py", "/co2/src/a.py"], root="/co")
    assert read == SeatCoverage(0.0, ())
    assert outcome(read) == (Verdict.NOT_REVIEWED, RunStatus.NOT_REVIEWED)


def test_unreadable_change_file() -> None:
    tried = ["/run/files/change.md", "/co/src/a.py"]
    read = seat_coverage([], MATERIAL, DIFF, opened=tried, root="/co")
    assert read.read == ()
    assert outcome(read)[0] is Verdict.NOT_REVIEWED


def test_truncated_file() -> None:
    parts = [t for t, p in MATERIAL.receipts.items() if p == "src/long.py"]
    assert len(parts) == 3
    read = seat_coverage([t for t in ALL if t != parts[-1]], MATERIAL, DIFF)
    assert (read.read, read.begun, read.fraction) == (("old.py", "src/a.py", "src/b.py"), ("src/long.py",), 0.75)
    assert outcome(read) == (Verdict.COMMENT, RunStatus.COMPLETE)


def test_guessed_tokens() -> None:
    read = seat_coverage(
        ["aaaabbbbcccc", "ddddeeeeffff", "src/a.py"], MATERIAL, DIFF, opened=["/co/src/a.py"], root="/co"
    )
    assert read == SeatCoverage(0.0, (), (), ("aaaabbbbcccc", "ddddeeeeffff", "src/a.py"))
    assert outcome(read)[0] is Verdict.NOT_REVIEWED
    whole = seat_coverage(ALL, MATERIAL, DIFF)
    assert outcome(read, whole) == (Verdict.COMMENT, RunStatus.INCOMPLETE)


def test_tokens_of_another_head() -> None:
    other = material(DIFF, minter(b"secret", "0" * 40), (), 1 << 20, 400 << 10)
    read = seat_coverage(other.receipts, MATERIAL, DIFF)
    assert (read.fraction, len(read.invalid)) == (0.0, len(ALL))


def test_empty_change() -> None:
    nothing = material(frozen(), MINT, (), 1, 1)
    read = seat_coverage([], nothing, frozen())
    assert read == SeatCoverage(1.0, ())
    seats = [seat(read)]
    assert verdict([], total(seats, nothing), seats, PolicyView()).verdict is Verdict.NOT_REVIEWED


def test_only_what_nobody_can_read() -> None:
    diff = frozen(file_diff("logo.png", "", "", binary=True))
    nothing = material(diff, MINT, (), 1 << 20, 1 << 20)
    seats = [seat(seat_coverage([], nothing, diff))]
    assert verdict([], total(seats, nothing), seats, PolicyView()).verdict is Verdict.COMMENT


@pytest.mark.parametrize(
    ("opened", "read"),
    [
        ("/co/src/long.py", True),
        ("src/long.py", True),
        ("./src/long.py", True),
        ("/co/src/b.py", False),  # it removed a line that the head does not show
        ("/co/old.py", False),
        ("/run/files/change.md", False),
        ("/other/src/long.py", False),
    ],
)
def test_opening_a_file_counts_for_more_or_less_than_it_shows(opened: str, read: bool) -> None:
    one = [MINT("src/a.py")]
    found = seat_coverage(one, MATERIAL, DIFF, opened=[opened], root="/co")
    assert ("src/long.py" in found.read) == read
    assert "src/b.py" not in found.read
    assert "old.py" not in found.read


def test_opening_files_counts_without_a_receipt_where_receipts_were_asked_for() -> None:
    opened = ["/co/src/long.py"]
    assert seat_coverage([], MATERIAL, DIFF, opened=opened, root="/co").read == ()
    assert seat_coverage(None, MATERIAL, DIFF, opened=opened, root="/co").read == ("src/long.py",)


def test_what_lies_beyond_a_tools_page_counts_as_seen() -> None:
    base = "".join(f"line {n}\n" for n in range(PAGE_LINES + 10))
    far = frozen(file_diff("a.py", base, base + "more\n"), file_diff("b.py", base, "more\n" + base))
    made = material(far, MINT, (), 1 << 20, 1 << 20)
    assert seat_coverage(None, made, far, opened=["a.py", "b.py"]).read == ("b.py",)


def test_what_only_analyzers_or_failed_seats_saw_counts_as_read() -> None:
    read = seat_coverage([MINT("src/a.py")], MATERIAL, DIFF)
    failed = SeatResult("reviewer-x", "x", "claude", SeatStatus.FAILED, Reads.READ, coverage=1.0, read=PATHS)
    scan = SeatResult("ruff", "ruff", "analyzer", SeatStatus.OK, Reads.SCAN, read=("src/a.py", "src/b.py"))
    judge = SeatResult("judge", "x", "claude", SeatStatus.OK, Reads.NONE, read=PATHS)
    together = total([seat(read), failed, scan, judge], MATERIAL)
    assert (together.files, together.read) == (4, 1)
    assert together.unread == ("old.py", "src/b.py", "src/long.py")
    assert together.scanned == ("src/b.py",)
    assert [s.path for s in together.skipped] == ["logo.png"]
