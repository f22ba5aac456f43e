"""The tables: every rule they name exists in the tool, and the cases a name does not decide."""

from __future__ import annotations

import json
import subprocess

import pytest
from analyzers_support import program

from moot.agents.analyzers import grades, grading
from moot.agents.analyzers.diagnostic import Diagnostic, Grade
from moot.core.findings import Category, Severity


def ask(tool: str, *arguments: str) -> str:
    return subprocess.run([program(tool), *arguments], capture_output=True, text=True, check=True).stdout


def named(table: str) -> list[str]:
    return [rule for row in table.strip().splitlines() for rule in row.split()[2:]]


def known(rule: str, names: set[str]) -> bool:
    return any(n.startswith(rule[:-1]) for n in names) if rule.endswith("*") else rule in names


def test_every_ruff_rule_of_the_table_exists_and_is_stable() -> None:
    rules = json.loads(ask("ruff", "rule", "--all", "--output-format", "json"))
    stable = {r["code"] for r in rules if not r["preview"]} | {"invalid-syntax"}
    assert [rule for rule in named(grades.RUFF) if not known(rule, stable)] == []


def test_every_ty_rule_of_the_table_exists() -> None:
    rules = {r["name"] for r in json.loads(ask("ty", "explain", "rule", "--output-format", "json"))}
    assert [rule for rule in named(grades.TY) if rule not in rules] == []


def test_every_oxlint_rule_of_the_table_exists() -> None:
    rules = {r["value"] for r in json.loads(ask("oxlint", "--rules", "-f", "json"))} | {"OXL0001"}
    assert [rule for rule in named(grades.OXLINT) if rule not in rules] == []


@pytest.mark.parametrize(
    "table", [grades.RUFF, grades.TY, grades.OXLINT, grades.SHELLCHECK, grades.HADOLINT, grades.ZIZMOR]
)
def test_every_table_reads(table: str) -> None:
    assert grades.Grades(table).reported()


@pytest.mark.parametrize("table", ["awful correctness A1", "high nonsense A1", "high style A1 A1", "high style A* A*"])
def test_a_row_that_does_not_read_is_an_error(table: str) -> None:
    with pytest.raises(ValueError, match=r"A1|A\*|awful|nonsense"):
        grades.Grades(table)


def test_an_exact_name_wins_over_a_prefix_and_a_longer_prefix_over_a_shorter() -> None:
    table = grades.Grades("high style A*\nlow style A1*\noff style A12")
    assert [g.severity if (g := table.of(rule)) else None for rule in ("A9", "A1", "A11", "A12", "B1")] == [
        Severity.HIGH,
        Severity.LOW,
        Severity.LOW,
        None,
        None,
    ]
    assert table.reported() == ("A", "A1")


def severity(grade: Grade | None) -> str | None:
    return grade.severity.value if grade else None


@pytest.mark.parametrize(
    ("rule", "path", "message", "line", "expected"),
    [
        ("S602", "app.py", "`subprocess` call with `shell=True` identified", "run(x, shell=True)", "high"),
        ("S602", "app.py", "call with `shell=True` seems safe, but may be changed", "run('ls', shell=True)", None),
        ("S602", "tests/test_app.py", "`subprocess` call with `shell=True` identified", "run(x, shell=True)", None),
        ("F821", "tests/test_app.py", "Undefined name `x`", "x", "high"),
        ("T100", "app.py", "Import for `pdb` found", "import pdb", None),
        ("T100", "app.py", "Trace found: `pdb.set_trace` used", "pdb.set_trace()", "medium"),
        ("E501", "app.py", "Line too long", "", None),
    ],
)
def test_ruff(rule: str, path: str, message: str, line: str, expected: str | None) -> None:
    assert severity(grading.ruff(Diagnostic(rule, path, message, 1), line)) == expected


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ("call()", "app.py", "high"),
        ("call()  # type: ignore[call-arg]", "app.py", None),
        ("call()  # pyright: ignore", "app.py", None),
        ("call()", "tests/test_app.py", None),
    ],
)
def test_ty(line: str, path: str, expected: str | None) -> None:
    assert severity(grading.ty(Diagnostic("missing-argument", path, "missing", 1), line)) == expected


@pytest.mark.parametrize(
    ("rule", "line", "expected"),
    [
        ("SC2086", "rm -rf $DIR", "medium"),
        ("SC2086", "mypy $FILES", "low"),
        ("SC2086", "confirm $FILES", "low"),
        ("SC2115", "rm -rf $DIR/$1", "high"),
        ("SC2034", "x=1", None),
        ("SC3010", "[[ -n $x ]]", "low"),
        ("SC1073", "if", "high"),
    ],
)
def test_shellcheck_and_hadolint_agree_on_shell(rule: str, line: str, expected: str | None) -> None:
    found = Diagnostic(rule, "deploy", "m", 1)
    assert severity(grading.shellcheck(found, line)) == expected
    assert severity(grading.hadolint(found, line)) == expected


@pytest.mark.parametrize(
    ("rule", "level", "message", "line", "expected"),
    [
        ("zizmor/template-injection", "error", "m", "run: echo ${{ x }}", "high"),
        ("zizmor/template-injection", "note", "m", "run: echo ${{ matrix.x }}", "low"),
        ("zizmor/unpinned-uses", "error", "m", "- uses: actions/checkout@v4", "nit"),
        ("zizmor/unpinned-uses", "error", "m", '- uses: "somebody/thing@v1"', "low"),
        ("zizmor/excessive-permissions", "warning", "default permissions used", "job:", "low"),
        ("zizmor/excessive-permissions", "error", "contents: write", "permissions: write-all", "medium"),
        ("zizmor/self-hosted-runner", "note", "m", "runs-on: mine", None),
    ],
)
def test_zizmor(rule: str, level: str, message: str, line: str, expected: str | None) -> None:
    assert severity(grading.zizmor(Diagnostic(rule, "w.yml", message, 1, level=level), line)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Not a valid workflow: at $.jobs.a.steps[0].run, True is not of type 'string'", None),
        ("Not a valid workflow: at $.jobs.a, 'runs-on' is a required property", "high"),
        ("Not a valid workflow: at $.jobs.a.runs-on, [] is not of type 'string'", "high"),
    ],
)
def test_scalars_are_strings_to_github(message: str, expected: str | None) -> None:
    assert severity(grading.workflow_schema(Diagnostic("schema", "w.yml", message, 1), "")) == expected


@pytest.mark.parametrize(
    ("kind", "line", "path", "expected"),
    [
        ("Secret Keyword", 'PASSWORD = "vX3-harbor-4711"', "app.py", "high"),
        ("Secret Keyword", "password: vX3-harbor-4711", "config.yml", "high"),
        ("Secret Keyword", 'PASSWORD = "vX3-harbor-4711"', "tests/test_app.py", None),
        ("Secret Keyword", 'password: "password",', "app.ts", None),
        ("Secret Keyword", 'secret = "passphrase"', "app.py", None),
        ("Secret Keyword", "password = read_password()", "app.py", None),
        ("Basic Auth Credentials", 'URL = "http://ann:secret@db.internal/"', "app.py", "high"),
        ("Basic Auth Credentials", 'URL = "http://ann:secret@localhost:1/"', "app.py", None),
        ("Basic Auth Credentials", 'URL = "http://ann:secret@www.example.org/"', "app.py", None),
        ("AWS Access Key", "key", "tests/test_app.py", "high"),
        ("Private Key", "-----BEGIN", "docs/setup.md", "high"),
    ],
)
def test_secrets(kind: str, line: str, path: str, expected: str | None) -> None:
    assert severity(grading.detect_secrets(Diagnostic(kind, path, "m", 1), line)) == expected


def test_our_rules_spare_tests_from_what_only_hurts_in_production() -> None:
    leak = Diagnostic("r", "tests/test_a.py", "m", 1, grade=Grade(Severity.MEDIUM, Category.RESOURCE_LEAK))
    wrong = Diagnostic("r", "tests/test_a.py", "m", 1, grade=Grade(Severity.HIGH, Category.CONCURRENCY))
    assert (grading.ast_grep(leak, ""), severity(grading.ast_grep(wrong, ""))) == (None, "high")


def test_hooks_are_reacts_only_where_there_is_jsx() -> None:
    rule = "react-hooks(rules-of-hooks)"
    assert [severity(grading.oxlint(Diagnostic(rule, p, "m", 1), "")) for p in ("a.tsx", "a.ts")] == ["high", None]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Diagnostic("r", "a", "m", level="error"), Grade(Severity.HIGH, Category.CORRECTNESS)),
        (Diagnostic("r", "a", "m", level="note"), Grade(Severity.LOW, Category.CORRECTNESS)),
        (Diagnostic("r", "a", "m", level="odd"), Grade(Severity.MEDIUM, Category.CORRECTNESS)),
        (Diagnostic("r", "a", "m", level="note", score=9.8), Grade(Severity.CRITICAL, Category.SECURITY)),
        (Diagnostic("r", "a", "m", score=0.0), Grade(Severity.NIT, Category.SECURITY)),
        (Diagnostic("r", "a", "m", tags=("cwe", "performance")), Grade(Severity.MEDIUM, Category.PERFORMANCE)),
    ],
)
def test_a_strangers_own_words_decide_where_we_have_no_table(found: Diagnostic, expected: Grade) -> None:
    assert grading.stranger(found, "") == expected
