from __future__ import annotations

from moot.git.index import Differing, Stage, parse_attribute, parse_differing, parse_entries, parse_paths

OID = "1" * 40


def test_only_entries_that_need_care_are_kept() -> None:
    records = [
        f"H 100644 {OID} 0\tplain",
        f"H 100755 {OID} 0\ttool",
        f"H 120000 {OID} 0\tlink",
        f"H 160000 {OID} 0\tlib\twith tab",
        f"h 100644 {OID} 0\tassumed",
        f"S 100644 {OID} 0\tskipped",
        f"s 160000 {OID} 0\tskipped/lib",
        f"M 100644 {OID} 1\tconflict",
        f"M 100755 {OID} 3\tconflict",
        f"M 160000 {OID} 2\tlib/conflict",
        f"M 160000 {OID} 3\tlib/conflict",
    ]
    entries = parse_entries("\0".join([*records, ""]).encode())
    assert entries.submodules == (b"lib\twith tab", b"lib/conflict")
    assert entries.assumed == (b"assumed",)
    assert entries.skipped == (b"skipped", b"skipped/lib")
    assert entries.unmerged[b"conflict"] == (Stage(1, "100644", OID), Stage(3, "100755", OID))
    assert len(entries.unmerged) == 2
    assert parse_entries(b"").submodules == ()


def test_a_path_in_conflict_is_told_once() -> None:
    zero = "0" * 40
    printed = (
        f":000000 100644 {zero} {zero} U\0x\0:100644 100644 {OID} {zero} M\0x\0:100644 000000 {OID} {zero} D\0y\n\0"
    )
    assert parse_differing(printed.encode()) == (Differing(b"x", "U", "000000"), Differing(b"y\n", "D", "100644"))
    assert parse_differing(b"") == ()


def test_paths_and_attributes_end_with_nul() -> None:
    assert parse_paths(b"a\nb\0c/\0") == (b"a\nb", b"c/")
    assert parse_paths(b"") == ()
    printed = b"x\0filter\0lfs\0y\0filter\0unspecified\0z\0filter\0unset\0"
    assert parse_attribute(printed) == {b"x": "lfs"}
