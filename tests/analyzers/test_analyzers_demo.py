"""The bundled example: every planted defect is found, nothing that was there before is, and there is no noise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from analyzers_support import lay_out as lay_out_change
from analyzers_support import run

from moot.agents.analyzers.tools import TOOLS, applies
from moot.cli.demo_example import lay_out

RENAMED = {"scripts/deploy.sh": "scripts/release.sh"}


@dataclass(frozen=True)
class Defect:
    path: str
    text: str
    kind: str
    found_by: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    tool: str
    rule: str
    path: str
    text: str

    def is_(self, defect: Defect) -> bool:
        return (self.path, self.text, f"{self.tool} {self.rule}" in defect.found_by) == (defect.path, defect.text, True)


def defects(section: str) -> list[Defect]:
    rows = json.loads((Path(__file__).parent / "EXPECTED.json").read_text(encoding="utf-8"))[section]
    return [Defect(row["path"], row["text"], row["kind"], tuple(row["found_by"])) for row in rows]


PLANTED, PRE_EXISTING = defects("planted"), defects("pre_existing")


def texts(root: Path) -> dict[str, str]:
    return {str(f.relative_to(root)): f.read_text(encoding="utf-8") for f in root.rglob("*") if f.is_file()}


def review(directory: Path, head: dict[str, str], base: dict[str, str], tools: set[str]) -> list[Found]:
    lay_out_change(directory, head, base, RENAMED)
    return [
        Found(name, f.body.rsplit("\n\n", 1)[-1].removeprefix(f"{name} ").partition(": http")[0], f.path, quoted)
        for name in tools
        if applies(name, head)
        for f in run(name, directory).findings
        for quoted in [f.quote.split("\n")[0].strip()]
    ]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("example")
    lay_out(target)
    return target


@pytest.fixture(scope="module")
def found(example: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Found]:
    base, head = texts(example / "base"), texts(example / "head")
    changed = {path: text for path, text in head.items() if base.get(path) != text}
    before = {path: text for path, text in base.items() if head.get(path) != text}
    return review(tmp_path_factory.mktemp("change"), changed, before, set(TOOLS))


@pytest.mark.parametrize("defect", PLANTED, ids=lambda d: d.kind)
def test_every_planted_defect_is_found(defect: Defect, found: list[Found]) -> None:
    assert any(f.is_(defect) for f in found)


@pytest.mark.parametrize("defect", PRE_EXISTING, ids=lambda d: f"{d.path}: {d.kind}")
def test_nothing_that_was_there_before_is_reported(defect: Defect, found: list[Found]) -> None:
    assert not any(f.is_(defect) for f in found)


def test_nothing_else_is_reported(found: list[Found]) -> None:
    assert [f for f in found if not any(f.is_(d) for d in (*PLANTED, *defects("extra")))] == []


def test_the_old_defects_are_real_and_only_the_comparison_keeps_them_out(
    example: Path, tmp_path: Path, found: list[Found]
) -> None:
    tools = {rule.partition(" ")[0] for defect in PRE_EXISTING for rule in defect.found_by}
    alone = review(tmp_path, texts(example / "head"), {}, tools)
    assert [d for d in PRE_EXISTING if not any(f.is_(d) for f in alone)] == []


def test_the_defects_are_of_many_kinds_and_in_every_language_of_the_example(found: list[Found]) -> None:
    assert len({d.kind for d in PLANTED}) >= 14
    assert {f.path.rpartition(".")[2] for f in found} >= {"py", "ts", "sh", "yml", "Dockerfile"}
    assert {f.tool for f in found} >= {"ruff", "ty", "shellcheck", "hadolint", "zizmor", "detect-secrets", "ast-grep"}


def test_the_example_is_laid_out_under_its_own_names(example: Path) -> None:
    names = {*texts(example / "base"), *texts(example / "head")}
    assert {"Dockerfile", ".github/workflows/ci.yml", "server/app.py", "web/src/upload.ts"} <= names
    assert not [name for name in names if name.endswith(".txt")]


def test_the_example_is_never_laid_over_something(tmp_path: Path) -> None:
    (tmp_path / "head").mkdir()
    with pytest.raises(FileExistsError):
        lay_out(tmp_path)
