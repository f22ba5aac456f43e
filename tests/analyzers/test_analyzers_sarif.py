"""The SARIF port: what producers in the field print, and what must never be taken for a clean log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.agents.analyzers.changed_files import Tree
from moot.agents.analyzers.diagnostic import Diagnostic, ToolFailed
from moot.agents.analyzers.sarif import parse

FILES = ("src/a.py", "b é.ts", "100%25.py")


def result(uri: str | None = "src/a.py", region: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"region": region if region is not None else {"startLine": 3}}}
    if uri is not None:
        location["physicalLocation"]["artifactLocation"] = {"uri": uri}
    return {"ruleId": "X1", "message": {"text": "wrong"}, "locations": [location], **more}


def read(*results: dict[str, Any], root: Path = Path("/work/head"), **run: Any) -> list[Diagnostic]:
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": list(results), **run}]}
    return parse(json.dumps(log).encode(), Tree(root), FILES)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src/../src/a.py", "src/a.py"),
        ("file:///work/head/src/a.py", "src/a.py"),
        ("file://localhost/work/head/src/a.py", "src/a.py"),
        ("/work/head/src/a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("b é.ts", "b é.ts"),
        ("b%20%C3%A9.ts", "b é.ts"),
        ("file:///work/head/b%20%C3%A9.ts", "b é.ts"),
        ("100%25.py", "100%25.py"),
        ("100%2525.py", "100%25.py"),
    ],
)
def test_every_way_to_write_a_path_finds_the_file(uri: str, path: str) -> None:
    assert [d.path for d in read(result(uri))] == [path]


@pytest.mark.parametrize(
    "uri", ["../secret.py", "/etc/passwd", "file:///elsewhere/src/a.py", "https://x/src/a.py", "http://[", ""]
)
def test_a_result_outside_the_changed_files_is_left_out(uri: str) -> None:
    assert read(result(uri)) == []


def test_links_to_the_directory_do_not_hide_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert [d.path for d in read(result(f"file://{tmp_path}/real/src/a.py"), root=tmp_path / "link")] == ["src/a.py"]


def test_a_path_may_be_told_by_base_ids_and_by_index() -> None:
    based = result()
    based["locations"][0]["physicalLocation"]["artifactLocation"] = {"uri": "a.py", "uriBaseId": "SRC"}
    indexed = result(None)
    indexed["locations"][0]["physicalLocation"]["artifactLocation"] = {"index": 1}
    found = read(
        based,
        indexed,
        originalUriBaseIds={"ROOT": {"uri": "file:///work/head/"}, "SRC": {"uri": "src/", "uriBaseId": "ROOT"}},
        artifacts=[{"location": {"uri": "other.py"}}, {"location": {"uri": "b%20%C3%A9.ts"}}],
    )
    assert [d.path for d in found] == ["src/a.py", "b é.ts"]


def test_base_ids_that_name_each_other_end() -> None:
    loop = result()
    loop["locations"][0]["physicalLocation"]["artifactLocation"] = {"uri": "a.py", "uriBaseId": "A"}
    ids = {"A": {"uri": "x/", "uriBaseId": "B"}, "B": {"uri": "y/", "uriBaseId": "A"}}
    assert read(loop, originalUriBaseIds=ids) == []


@pytest.mark.parametrize(
    ("region", "lines"),
    [
        ({"startLine": 3}, (3, 3)),
        ({"startLine": 3, "endLine": 5, "endColumn": 9}, (3, 5)),
        ({"startLine": 3, "endLine": 5, "endColumn": 1}, (3, 4)),
        ({"startLine": 3, "endLine": 3, "endColumn": 1}, (3, 3)),
        ({"startLine": 3, "endLine": 1}, (3, 3)),
        ({"charOffset": 7}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_a_region_covers_the_lines_it_means(region: dict[str, Any], lines: tuple[int | None, int | None]) -> None:
    [found] = read(result(region=region))
    assert (found.line, found.end_line) == lines


def test_a_rule_is_found_by_index_id_and_extension() -> None:
    driver = {
        "name": "t",
        "rules": [
            {"id": "X0"},
            {"id": "X1", "helpUri": "https://x1", "defaultConfiguration": {"level": "error"}},
        ],
    }
    extension = {"name": "e", "rules": [{"id": "E0", "helpUri": "https://e0"}]}
    by_index = result(rule={"index": 1})
    del by_index["ruleId"]
    from_extension = result(ruleId="E0", rule={"index": 0, "toolComponent": {"index": 0}})
    found = read(by_index, result(), from_extension, tool={"driver": driver, "extensions": [extension]})
    assert [(d.rule, d.url, d.level) for d in found] == [
        ("X1", "https://x1", "error"),
        ("X1", "https://x1", "error"),
        ("E0", "https://e0", "warning"),
    ]


def test_a_message_comes_from_wherever_the_producer_put_it() -> None:
    rules = [
        {
            "id": "X1",
            "messageStrings": {"default": {"text": "`{0}` hides {1} and {9}"}},
            "shortDescription": {"text": "hiding"},
        }
    ]
    found = read(
        result(message={"markdown": "*wrong*"}),
        result(message={"id": "default", "arguments": ["x", "y"]}),
        result(message={}),
        tool={"driver": {"name": "t", "rules": rules}},
    )
    assert [d.message for d in found] == ["*wrong*", "`x` hides y and {9}", "hiding"]


def test_what_is_no_problem_or_suppressed_or_known_is_left_out() -> None:
    assert (
        read(
            result(kind="pass"),
            result(kind="notApplicable"),
            result(suppressions=[{"kind": "inSource"}]),
            result(suppressions=[{"kind": "external", "status": "accepted"}]),
            result(baselineState="unchanged"),
            result(baselineState="absent"),
        )
        == []
    )


def test_a_rejected_suppression_suppresses_nothing() -> None:
    assert len(read(result(suppressions=[{"kind": "external", "status": "rejected"}]), result(suppressions=[]))) == 2


def test_scores_tags_and_fixes_are_kept() -> None:
    rules = [{"id": "X1", "properties": {"security-severity": "8.1", "tags": ["Security", "external/cwe"]}}]
    fix = {"description": {"text": "Use parameters"}, "artifactChanges": []}
    [found] = read(result(fixes=[fix]), tool={"driver": {"name": "t", "rules": rules}})
    assert (found.score, found.tags, found.fix) == (8.1, ("security", "external/cwe"), "Use parameters")


@pytest.mark.parametrize(
    "out",
    [
        b"",
        b"not json",
        b"{}",
        b"[]",
        b"null",
        b'{"runs": []}',
        b'{"runs": null}',
        b'{"runs": [{}]}',
        b'{"runs": [{"results": null}]}',
        b'{"runs": [{"results": [], "invocations": [{"executionSuccessful": false}]}]}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_log_is_a_failure_and_never_clean(out: bytes) -> None:
    with pytest.raises(ToolFailed):
        parse(out, Tree(Path("/work/head")), FILES)


def test_a_failed_run_says_why() -> None:
    invocation = {
        "executionSuccessful": False,
        "toolExecutionNotifications": [{"message": {"text": "no license"}}],
    }
    with pytest.raises(ToolFailed, match="no license"):
        read(invocations=[invocation])


def test_a_byte_order_mark_is_skipped() -> None:
    log = json.dumps({"runs": [{"results": [result()]}]}).encode()
    assert len(parse(b"\xef\xbb\xbf" + log, Tree(Path("/work/head")), FILES)) == 1


WORDS = """
runs results locations physicalLocation artifactLocation uri uriBaseId index region startLine endLine endColumn ruleId
ruleIndex rule id level kind message text markdown arguments tool driver extensions rules suppressions status fixes
description invocations executionSuccessful properties tags security-severity artifacts location
"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["src/a.py", "X1", "error", "", "{0}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS.split()), inner, max_size=4),
    max_leaves=25,
)


@given(JSON)
def test_no_json_whatever_ends_otherwise_than_in_diagnostics_or_a_failed_tool(value: Any) -> None:
    for log in (value, {"runs": value}, {"runs": [{"results": value}]}, {"runs": [{"results": [value]}]}):
        try:
            found = parse(json.dumps(log).encode(), Tree(Path("/work/head")), FILES)
        except ToolFailed:
            continue
        assert all(d.path in FILES and (d.line is None or d.line >= 1) for d in found)
