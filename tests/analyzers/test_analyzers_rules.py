"""Our own rules on what they must find and on what looks alike and must stay quiet."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from analyzers_support import program

from moot.agents.analyzers.changed_files import Tree
from moot.agents.analyzers.rule_pack import RULES
from moot.agents.analyzers.scan import scan
from moot.agents.analyzers.tools import TOOLS
from moot.process.local import LocalProcess

HERE = "»"  # begins the line of a snippet on which the finding is expected


@dataclass(frozen=True)
class Snippet:
    rule: str
    name: str
    text: str

    @property
    def file(self) -> str:
        suffix = ".py" if self.rule.startswith("python-") else ".ts"
        return f"{self.rule}/{self.name}{suffix}"

    @property
    def lines(self) -> list[int]:
        return [n for n, line in enumerate(self.text.split("\n"), 1) if line.startswith(HERE)]


def snippets() -> Iterator[Snippet]:
    """`tests/analyzers/snippets/RULE.txt`: snippets under headings `=== name`."""
    for file in sorted((Path(__file__).parent / "snippets").glob("*.txt")):
        for part in re.split(r"^=== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition("\n")
            yield Snippet(file.stem, name.strip().replace(" ", "-"), text)


ALL = list(snippets())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], set[int]]:
    """Lines by file and rule, from one scan of every snippet."""
    root = tmp_path_factory.mktemp("snippets")
    for snippet in ALL:
        path = root / snippet.file
        path.parent.mkdir(exist_ok=True)
        path.write_text(snippet.text.replace(HERE, ""), encoding="utf-8")
    files = [snippet.file for snippet in ALL]
    result = asyncio.run(
        scan(LocalProcess(), TOOLS["ast-grep"], program("ast-grep"), Tree(root), files, dict(os.environ))
    )
    lines: dict[tuple[str, str], set[int]] = {}
    for d in result.diagnostics:
        lines.setdefault((d.path, d.rule), set()).add(d.line or 0)
    return lines


@pytest.mark.parametrize("snippet", ALL, ids=lambda s: f"{s.rule}:{s.name}")
def test_a_rule_marks_the_lines_it_must_and_no_other(snippet: Snippet, found: dict[tuple[str, str], set[int]]) -> None:
    assert sorted(found.get((snippet.file, snippet.rule), set())) == snippet.lines


def test_no_snippet_trips_a_rule_it_was_not_written_for(found: dict[tuple[str, str], set[int]]) -> None:
    assert {key: lines for key, lines in found.items() if not key[0].startswith(f"{key[1]}/")} == {}


@pytest.mark.parametrize("rule", sorted(file.stem for file in RULES.glob("*.yml")))
def test_every_rule_has_hits_and_near_misses(rule: str) -> None:
    mine = [snippet for snippet in ALL if snippet.rule == rule]
    assert sum(bool(s.lines) for s in mine) >= 2
    assert sum(not s.lines for s in mine) >= 2
