"""SARIF must be valid by the official schema and place, grade and identify every finding."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from report_samples import BLOCKING, DIFF, NOT_REVIEWED, RETRY_FINDING, SAMPLES, file

from moot.core.change import FrozenDiff, Side
from moot.core.findings import Category, Disposition, Severity
from moot.core.runs import Result
from moot.reports import render

_URI_REFERENCE = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+")


@cache
def _validator() -> jsonschema.Draft4Validator:
    path = Path(__file__).parent / "schemas" / "sarif-2.1.0.json"
    return jsonschema.Draft4Validator(json.loads(path.read_text(encoding="utf-8")))


def _run(result: Result, **options: Any) -> dict[str, Any]:
    log = json.loads(render(result, "sarif", **options))
    _validator().validate(log)
    run: dict[str, Any] = log["runs"][0]
    return run


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("all_", [False, True])
def test_it_is_valid_by_the_official_schema(name: str, all_: bool) -> None:
    text = render(SAMPLES[name], "sarif", diff=DIFF, all=all_)
    text.encode()
    _validator().validate(json.loads(text))


def test_the_schema_can_refuse() -> None:
    assert not _validator().is_valid({"version": "2.1.0", "runs": [{}]})


def test_every_category_is_a_rule_and_every_result_names_one() -> None:
    run = _run(BLOCKING)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert set(rules) == set(Category)
    assert all(rules[r["ruleIndex"]] == r["ruleId"] for r in run["results"])


@pytest.mark.parametrize(
    ("severity", "level"),
    [("critical", "error"), ("high", "error"), ("medium", "warning"), ("low", "note"), ("nit", "note")],
)
def test_levels(severity: str, level: str) -> None:
    found = replace(RETRY_FINDING, severity=Severity(severity))
    assert _run(replace(BLOCKING, findings=(found,)))["results"][0]["level"] == level


def test_a_finding_on_the_base_side_is_located_in_the_base() -> None:
    run = _run(BLOCKING)
    left = next(r for r in run["results"] if r["properties"]["side"] == "LEFT")
    place = left["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/upload/client.ts", "uriBaseId": "BASE"}
    assert place["region"]["startLine"] == 37
    assert place["region"]["endLine"] == 39
    revisions = {p["mappedTo"]["uriBaseId"]: p["revisionId"] for p in run["versionControlProvenance"]}
    assert revisions == {"HEAD": BLOCKING.change.head, "BASE": BLOCKING.change.merge_base}


def test_results_can_be_recognised_again() -> None:
    found = _run(BLOCKING)["results"]
    fingerprints = [r["partialFingerprints"]["mootFingerprint/v1"] for r in found]
    assert set(fingerprints) == {f.fingerprint for f in BLOCKING.findings if f.shown}


def test_what_is_below_the_floor_comes_only_on_request() -> None:
    assert len(_run(BLOCKING)["results"]) == 6
    assert len(_run(BLOCKING, all=True)["results"]) == 7


def test_dropped_claims_are_no_results_but_recorded() -> None:
    run = _run(BLOCKING)
    assert [d["reason"] for d in run["properties"]["dropped"]] == [d.reason for d in BLOCKING.dropped]
    assert not any("suppressions" in r for r in run["results"])


def test_a_settled_finding_is_suppressed() -> None:
    deferred = replace(RETRY_FINDING, disposition=Disposition.DEFERRED)
    found = _run(replace(BLOCKING, findings=(deferred,)))["results"][0]
    assert found["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "deferred"}]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü#?.py", "a%20b/%C3%BC%23%3F.py"),
        ("c:/x.py", "c%3A/x.py"),
        ("100%.py", "100%25.py"),
        ("new\nline.py", "new%0Aline.py"),
    ],
)
def test_paths_are_percent_encoded(path: str, uri: str) -> None:
    found = _run(replace(BLOCKING, findings=(replace(RETRY_FINDING, path=path),)))["results"][0]
    location = found["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == uri
    assert _URI_REFERENCE.fullmatch(location["uri"])


def test_a_path_that_is_not_utf8_is_encoded_from_its_bytes() -> None:
    shown = "caf\\xe9.py"
    named = replace(file(shown, "@@ -1,1 +1,1 @@\n-a\n+b\n"), new_raw=b"caf\xe9.py", old_raw=b"caf\xe9.py")
    result = replace(BLOCKING, findings=(replace(RETRY_FINDING, path=shown),))
    for side in Side:
        found = replace(result, findings=(replace(result.findings[0], side=side),))
        run = _run(found, diff=FrozenDiff(DIFF.change, (named,)))
        assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "caf%E9.py"


def test_a_run_without_a_verdict_says_that_it_did_not_succeed_and_why() -> None:
    invocation = _run(NOT_REVIEWED)["invocations"][0]
    assert invocation["executionSuccessful"] is False
    said = [(n["level"], n["message"]["text"]) for n in invocation["toolExecutionNotifications"]]
    assert ("error", "reviewer-gpt: gave no structured reply: prose where JSON was asked for, twice") in said
    assert ("note", "nobody read scripts/deploy.sh") in said


def test_text_cannot_become_an_embedded_link() -> None:
    found = _run(replace(BLOCKING, findings=(replace(RETRY_FINDING, body="see [here](https://evil.example)"),)))
    assert "](" not in found["results"][0]["message"]["text"]
