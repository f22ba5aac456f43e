"""The code shown beside a finding is the finding's own, on its own side."""

from __future__ import annotations

from dataclasses import replace

from report_samples import BLOCKING, DIFF, RETRY_FINDING, file, finding

from moot.core.change import FrozenDiff, LineKind, Side
from moot.reports import excerpt


def test_the_findings_lines_are_marked_and_their_surroundings_shown() -> None:
    found = excerpt.around(RETRY_FINDING, DIFF)
    assert found is not None
    assert [row.new for row in found.rows if row.marked] == [86, 87, 88]
    assert found.rows[0].new == 82
    assert len(found.rows) == 3 + 2 * excerpt.AROUND
    assert found.section == "class Uploader:"


def test_a_finding_on_the_base_side_marks_removed_lines_only() -> None:
    left = BLOCKING.findings[3]
    found = excerpt.around(left, DIFF)
    assert found is not None
    assert left.side is Side.LEFT
    assert {row.kind for row in found.rows if row.marked} == {LineKind.REMOVED}


def test_lines_the_diff_does_not_hold_are_not_guessed() -> None:
    assert excerpt.around(replace(RETRY_FINDING, line=500, end_line=500), DIFF) is None
    assert excerpt.around(replace(RETRY_FINDING, path="elsewhere.py"), DIFF) is None
    assert excerpt.around(RETRY_FINDING, None) is None


def test_a_quote_is_numbered_on_its_side() -> None:
    quoted = excerpt.quoted(replace(RETRY_FINDING, side=Side.LEFT))
    assert [(row.old, row.new) for row in quoted.rows] == [(86, None), (87, None), (88, None)]


def test_a_very_long_finding_is_cut_and_the_rest_counted() -> None:
    body = "".join(f"+line {n}\n" for n in range(1, 201))
    diff = FrozenDiff(DIFF.change, (file("big.py", f"@@ -0,0 +1,200 @@\n{body}"),))
    found = excerpt.around(finding(1, path="big.py", line=1, end_line=200, title="", body="", quote=""), diff)
    assert found is not None
    assert len(found.rows) == excerpt.LONGEST
    assert found.left_out == 200 - excerpt.LONGEST


def test_a_renamed_file_is_found_by_its_old_name_on_the_base_side() -> None:
    moved = replace(file("old.py", "@@ -1,1 +1,1 @@\n-a\n+b\n"), new_path="new.py", new_raw=b"new.py")
    left = finding(1, path="old.py", side=Side.LEFT, line=1, title="", body="", quote="a")
    found = excerpt.around(left, FrozenDiff(DIFF.change, (moved,)))
    assert found is not None
    assert [row.text for row in found.rows if row.marked] == ["a"]
