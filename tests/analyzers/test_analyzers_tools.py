"""Each built-in analyzer with the real tool: it finds, it is quiet, and the change cannot switch it off."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from analyzers_support import lay_out, places, program, run

from moot.agents.analyzers.diagnostic import ToolFailed
from moot.agents.analyzers.tools import TOOLS, applies, configured, present
from moot.core.findings import Severity

#: For each tool a file, what is wrong in it (the first line with `!`), and how the repository would silence the tool.
CASES = {
    "ruff": ("app.py", "import sys\n\n\ndef main():\n    print(naem)!\n", {"ruff.toml": 'lint.ignore = ["ALL"]\n'}),
    "ty": (
        "app.py",
        "async def send():\n    pass\n\n\nasync def main():\n    send()!\n",
        {"ty.toml": '[rules]\nunused-awaitable = "ignore"\n', "pyproject.toml": '[tool.ty.src]\nexclude = ["**"]\n'},
    ),
    "oxlint": (
        "web/app.ts",
        "export function f(x: number) {\n  return x === NaN;!\n}\n",
        {".oxlintrc.json": '{"rules": {"use-isnan": "off"}, "ignorePatterns": ["**"]}', "web/.oxlintrc.json": "{}"},
    ),
    "shellcheck": ("run.sh", '#!/bin/sh\nset -e\nrm -rf "$BASE/"*!\n', {".shellcheckrc": "disable=all\n"}),
    "hadolint": ("Dockerfile", "FROM debian:latest!\nUSER app\n", {".hadolint.yaml": "ignored: [DL3007]\n"}),
    "zizmor": (
        ".github/workflows/ci.yml",
        "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.head_commit.message }}!\n",
        {"zizmor.yml": "rules:\n  template-injection:\n    disable: true\n"},
    ),
    "workflow-schema": (
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    setps: []!\n    steps: [{run: ls}]\n",
        {},
    ),
    "detect-secrets": ("settings.py", 'import os\n\nPASSWORD = "tr0ub4dor-harbor"!\n', {".secrets.baseline": "{}"}),
    "typos": (
        "notes.txt",
        "one\nYou will recieve it.!\n",
        {"typos.toml": '[default.extend-words]\nrecieve = "recieve"\n'},
    ),
    "ast-grep": ("app.py", "def f(p):\n    h = open(p)!\n    return h.read()\n", {"sgconfig.yml": "ruleDirs: []\n"}),
}
IGNORE = dict.fromkeys((".gitignore", ".ignore", ".eslintignore", ".dockerignore"), "*\n")


def case(name: str) -> tuple[str, str, int]:
    path, marked, _ = CASES[name]
    line = next(n for n, text in enumerate(marked.split("\n"), 1) if text.endswith("!"))
    return path, marked.replace("!\n", "\n"), line


def test_there_is_a_case_for_every_tool() -> None:
    assert CASES.keys() == TOOLS.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_new_defect_is_found_where_it_stands(name: str, tmp_path: Path) -> None:
    path, text, line = case(name)
    reply = run(name, lay_out(tmp_path, {path: text}, {}))
    assert (path, line) in places(reply)
    for finding in reply.findings:
        source = text.split("\n")[(finding.line or 0) - 1 : finding.end_line]
        assert finding.quote == "\n".join(source).strip()
        assert finding.title
        assert name in finding.body


@pytest.mark.parametrize("name", CASES)
def test_the_same_defect_in_the_base_is_not_the_changes(name: str, tmp_path: Path) -> None:
    path, text, _ = case(name)
    head = text.replace("\n", "\n# a new first line\n", 1) if path.endswith((".py", ".yml")) else text + "\n"
    assert run(name, lay_out(tmp_path, {path: head}, {path: text})).findings == []


@pytest.mark.parametrize("name", CASES)
def test_the_repositorys_own_settings_silence_nothing(name: str, tmp_path: Path) -> None:
    path, text, line = case(name)
    reply = run(name, lay_out(tmp_path, {path: text, **CASES[name][2], **IGNORE}, {}))
    assert (path, line) in places(reply)


ODD = {
    "ruff": ["-x.py", "@a.py", "b é.py", "dist/a b.py"],
    "ty": ["-x.py", "b é.py"],
    "oxlint": ["-x.ts", "b é.ts", "[id].ts", "dist/a%20b.ts"],
    "shellcheck": ["-x.sh", "b é.sh", "bin/deploy"],
    "hadolint": ["-x.Dockerfile", "b é/Dockerfile"],
    "zizmor": [".github/workflows/-x.yml", ".github/workflows/b é.yml"],
    "workflow-schema": [".github/workflows/b é.yml"],
    "detect-secrets": ["-x.py", "b é.py", ".env"],
    "typos": ["-x.txt", "b é.txt", ".hidden/notes.txt"],
    "ast-grep": ["-x.py", "b é.py", ".hidden/a%20b.py"],
}


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in ODD.items() for path in paths])
def test_no_name_of_a_file_hides_it(name: str, path: str, tmp_path: Path) -> None:
    _, text, line = case(name)
    assert (path, line) in places(run(name, lay_out(tmp_path, {path: text}, {})))


def test_a_suppression_the_change_adds_to_a_security_finding_is_told(tmp_path: Path) -> None:
    text = 'import subprocess\n\n\ndef f(x):\n    subprocess.run(f"ls {x}", shell=True)  # noqa: S602\n'
    [finding] = run("ruff", lay_out(tmp_path, {"app.py": text}, {})).findings
    assert (finding.severity, finding.line) == (Severity.LOW, 5)
    assert finding.title.startswith("Silenced by this change: ")


def test_a_suppression_for_the_whole_file_is_told_too(tmp_path: Path) -> None:
    before = 'import subprocess\n\n\ndef f(x):\n    subprocess.run(f"ls {x}")\n'
    after = "# ruff: noqa\n" + before.replace('x}")', 'x}", shell=True)')
    assert len(run("ruff", lay_out(tmp_path, {"app.py": after}, {"app.py": before})).findings) == 1


def test_a_suppression_that_was_there_is_the_codes_own_convention(tmp_path: Path) -> None:
    before = 'import subprocess\n\n\ndef f(x):\n    subprocess.run(f"ls {x}", shell=True)  # noqa: S602\n'
    after = before + "\n\ndef g(x):\n    return undefined  # noqa: F821\n"
    assert run("ruff", lay_out(tmp_path, {"app.py": after}, {"app.py": before})).findings == []


def test_an_import_made_unused_elsewhere_is_reported_on_its_old_line(tmp_path: Path) -> None:
    before = "import os\n\n\ndef f():\n    return os.name\n"
    after = "import os\n\n\ndef f():\n    return 1\n"
    [finding] = run("ruff", lay_out(tmp_path, {"app.py": after}, {"app.py": before})).findings
    assert (finding.line, finding.severity) == (1, Severity.NIT)
    assert "unchanged" in finding.body


def test_several_findings_of_a_rule_on_one_line_are_one(tmp_path: Path) -> None:
    text = "#!/bin/sh\ncp $1 $2 $3\n"
    assert len(run("shellcheck", lay_out(tmp_path, {"a.sh": text}, {})).findings) == 1


def test_a_file_that_does_not_parse_is_a_finding_and_not_read(tmp_path: Path) -> None:
    reply = run("ruff", lay_out(tmp_path, {"bad.py": "def f(:\n", "good.py": "x = 1\n"}, {}))
    assert {f.path for f in reply.findings} == {"bad.py"}
    assert "read 1 file" in reply.summary


def test_mending_a_broken_file_does_not_bring_its_old_findings_up(tmp_path: Path) -> None:
    before = "def f(:\n\n\nimport os\nimport sys\n"
    after = "def f():\n    pass\n\n\nimport os\nimport sys\n"
    assert run("ruff", lay_out(tmp_path, {"a.py": after}, {"a.py": before})).findings == []


def test_one_refused_workflow_does_not_hide_the_others(tmp_path: Path) -> None:
    _, text, line = case("zizmor")
    good, bad = ".github/workflows/good.yml", ".github/workflows/bad.yml"
    reply = run("zizmor", lay_out(tmp_path, {good: text, bad: "on: push\njobs: 3\n"}, {}))
    assert places(reply) == [(good, line)]
    assert f"Not read: {bad}" in reply.summary


def test_a_workflow_that_nobody_can_read_fails_the_seat(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="zizmor"):
        run("zizmor", lay_out(tmp_path, {".github/workflows/bad.yml": "on: push\njobs: 3\n"}, {}))


def test_an_instruction_of_several_lines_is_one_place(tmp_path: Path) -> None:
    before = "FROM debian:12\nUSER app\nRUN set -e; \\\n    true\n"
    after = before.replace("true", "curl -s https://a.example | tar x")
    [finding] = run("hadolint", lay_out(tmp_path, {"Dockerfile": after}, {"Dockerfile": before})).findings
    assert (finding.line, finding.end_line) == (3, 4)
    assert "unchanged" not in finding.body


def test_only_added_lines_are_spelled(tmp_path: Path) -> None:
    reply = run("typos", lay_out(tmp_path, {"a.txt": "recieve\nrecieve it\n"}, {"a.txt": "recieve\n"}))
    assert places(reply) == [("a.txt", 2)]


def test_more_findings_than_a_reply_holds_are_cut_aloud(tmp_path: Path) -> None:
    text = "".join(f"print(unknown_{n})\n" for n in range(250))
    reply = run("ruff", lay_out(tmp_path, {"a.py": text}, {}))
    assert len(reply.findings) == 200
    assert "introduces 250 findings. Only the 200 worst" in reply.summary


@pytest.mark.parametrize(
    "text", ["x = '" + "a" * 6_000 + "'\nprint(naem)\n", "print(naem)\n\0", "print(naem)\n" + "#\n" * 600_000]
)
def test_minified_binary_and_huge_files_are_not_scanned(text: str, tmp_path: Path) -> None:
    reply = run("ruff", lay_out(tmp_path, {"a.py": text}, {}))
    assert (reply.findings, reply.summary) == ([], "ruff found no file that it reads.")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("print(naem)\n")
    lay_out(tmp_path / "change", {"a.py": "x = 1\n"}, {})
    (tmp_path / "change/head/a.py").unlink()
    (tmp_path / "change/head/a.py").symlink_to(tmp_path / "secret.py")
    assert run("ruff", tmp_path / "change").findings == []


@pytest.mark.parametrize(
    ("path", "first_line", "read"),
    [
        ("bin/deploy", "#!/usr/bin/env bash", True),
        ("bin/deploy", "#!/usr/bin/env python3", False),
        ("a.sh", "#!/usr/bin/env zsh", False),
        ("a.sh", "echo no shebang", True),
        ("LICENSE", "#!/bin/sh", False),
    ],
)
def test_a_script_is_known_by_its_first_line(path: str, first_line: str, read: bool, tmp_path: Path) -> None:
    reply = run("shellcheck", lay_out(tmp_path, {path: f"{first_line}\ncd /nowhere\n"}, {}))
    assert ("read 1 file" in reply.summary) is read


@pytest.mark.parametrize(
    ("name", "paths", "expected"),
    [
        ("ruff", ["a.py"], True),
        ("ruff", ["a.ts", "README.md"], False),
        ("ruff", ["tests/fixtures/broken.py"], False),
        ("shellcheck", ["Makefile"], False),
        ("shellcheck", ["bin/run"], True),
        ("hadolint", ["docker/Dockerfile.prod"], True),
        ("hadolint", ["Dockerfile.dockerignore"], False),
        ("zizmor", [".github/workflows/ci.yaml"], True),
        ("zizmor", ["sub/action.yml"], True),
        ("zizmor", ["docs/ci.yml"], False),
        ("detect-secrets", ["package-lock.json"], False),
        ("typos", ["node_modules/a/index.js"], False),
        ("ast-grep", ["a.mjs"], True),
        ("ast-grep", [], False),
    ],
)
def test_whether_a_tool_has_anything_to_do_is_told_from_the_paths(name: str, paths: list[str], expected: bool) -> None:
    assert applies(name, paths) is expected


def test_an_absent_tool_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin/python"))
    assert present("ruff", {"PATH": str(tmp_path)}) is None
    tool = tmp_path / "ruff"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    assert present("ruff", {"PATH": str(tmp_path)}) == str(tool)


SARIF = (
    '{"runs": [{"tool": {"driver": {"name": "mine"}}, "results": [{"ruleId": "no-print", "level": "note", "message":'
    ' {"text": "print is not a log"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"},'
    ' "region": {"startLine": %s}}}]}]}]}'
)


def script(tmp_path: Path, text: str) -> str:
    file = tmp_path / "mine"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_any_program_that_prints_sarif_is_a_seat(tmp_path: Path) -> None:
    # It finds `print` by itself, so that the base's finding is subtracted like any tool's.
    mine = script(tmp_path, f"""n=$(grep -n print "$1" | tail -1 | cut -d: -f1); printf '{SARIF}' "$n"; exit 3""")
    change = lay_out(tmp_path / "change", {"a.py": "x = 1\nprint(x)\n"}, {"a.py": "print(1)\n"})
    [finding] = run(configured("mine", [mine, "{files}"]), change, mine).findings
    assert (finding.path, finding.line, finding.severity, finding.title) == (
        "a.py",
        2,
        Severity.LOW,
        "Print is not a log",
    )
    moved = lay_out(tmp_path / "moved", {"a.py": "x = 1\nprint(1)\n"}, {"a.py": "print(1)\nx = 1\n"})
    assert run(configured("mine", [mine, "{files}"]), moved, mine).findings == []


def test_a_configured_program_may_ask_for_the_directory(tmp_path: Path) -> None:
    mine = script(tmp_path, f"""test "$1" = "$(pwd -P)" && printf '{SARIF}' 1""")
    change = lay_out(tmp_path / "change", {"a.py": "print(1)\n"}, {})
    assert len(run(configured("mine", [mine, "{dir}"]), change, mine).findings) == 1


@pytest.mark.parametrize("name", ["shellcheck", "detect-secrets", "workflow-schema", "ast-grep"])
@pytest.mark.parametrize("out", ["", "{}", "[]x", "[3]", '{"comments": [{}], "results": {"a": [1]}, "errors": [{}]}'])
def test_output_of_another_form_is_a_failed_tool(name: str, out: str, tmp_path: Path) -> None:
    path, text, _ = case(name)
    mine = script(tmp_path, f"echo '{out}'")
    with pytest.raises(ToolFailed, match="nothing that can be read"):
        run(name, lay_out(tmp_path / "change", {path: text}, {}), mine)


@pytest.mark.parametrize(("lines", "spared"), [(1_000, False), (1_001, True)])
def test_a_large_script_is_spared_the_analysis_that_takes_minutes(lines: int, spared: bool, tmp_path: Path) -> None:
    mine = script(tmp_path, f"""echo "$@" >> {tmp_path}/asked; echo '{{"comments": []}}'""")
    run("shellcheck", lay_out(tmp_path / "change", {"a.sh": "\n".join(["true"] * lines)}, {}), mine)
    assert ("--extended-analysis=false" in (tmp_path / "asked").read_text()) is spared


@pytest.mark.parametrize(
    "text",
    ["exit 0", "echo done", "echo '{}'", "echo crashed >&2; exit 2", "kill -9 $$", """printf '{"runs": []}'"""],
)
def test_a_tool_that_prints_nothing_readable_has_failed_whatever_its_exit_code(text: str, tmp_path: Path) -> None:
    mine = script(tmp_path, text)
    change = lay_out(tmp_path / "change", {"a.py": "print(1)\n"}, {})
    with pytest.raises(ToolFailed, match="mine"):
        run(configured("mine", [mine, "{files}"]), change, mine)


def test_a_tool_that_fails_only_on_the_base_still_judges_added_lines(tmp_path: Path) -> None:
    mine = script(tmp_path, f"""case "$PWD" in */base) exit 9;; esac; printf '{SARIF}' 2""")
    change = lay_out(tmp_path / "change", {"a.py": "print(1)\nprint(2)\n"}, {"a.py": "print(1)\n"})
    reply = run(configured("mine", [mine, "{files}"]), change, mine)
    assert places(reply) == [("a.py", 2)]
    assert "could not be scanned" in reply.summary


@pytest.mark.parametrize(
    "listing", ["", "{}", "[1]", '[{"head": "a.py"}]', '[{"head": "a", "base": null, "added": 3}]']
)
def test_a_list_of_files_that_cannot_be_read_fails_the_seat(listing: str, tmp_path: Path) -> None:
    (tmp_path / "files.json").write_text(listing)
    with pytest.raises(ToolFailed, match=r"files\.json"):
        run("ruff", tmp_path)


def test_many_files_go_in_batches(tmp_path: Path) -> None:
    files = {f"package/module_{n}.py": f"print(unknown_{n})\n" for n in range(450)}
    reply = run("ruff", lay_out(tmp_path, files, {}))
    assert "read 450 files" in reply.summary


def test_the_programs_of_the_extra_are_found_beside_this_python() -> None:
    assert {
        name for name in TOOLS if Path(program(name)).parent != Path(os.path.abspath(os.sys.executable)).parent
    } == set()  # type: ignore[attr-defined]
