"""Golden files: what a person or a program gets for each kind of result. `UPDATE_GOLDEN=1` rewrites them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from report_samples import DIFF, NOW, SAMPLES

import moot
from moot.reports import render

GOLDEN = Path(__file__).parent / "golden"

_TEXT = [(f"{name}.txt", name, "text", {}) for name in SAMPLES]
_MORE = [
    ("blocking.all.txt", "blocking", "text", {"all": True, "width": 120}),
    ("rules.all.txt", "rules", "text", {"all": True}),
    ("not-reviewed.narrow.txt", "not-reviewed", "text", {"width": 50}),
    ("blocking.colour.txt", "blocking", "text", {"colour": True}),
    *((f"{name}.md", name, "md", {}) for name in ("blocking", "clean", "not-reviewed", "rules", "hostile")),
    *((f"{name}.json", name, "json", {}) for name in ("blocking", "clean", "hostile")),
    *((f"{name}.sarif", name, "sarif", {}) for name in ("blocking", "not-reviewed", "hostile")),
    *((f"{name}.html", name, "html", {}) for name in ("blocking", "clean", "not-reviewed", "hostile")),
]


def _stable(text: str) -> str:
    """Leave out what changes without the report changing: the program's version, and the style sheet (tested alone)."""
    text = text.replace(f"moot {moot.__version__}", "moot VERSION")
    text = re.sub(rf'("(?:semanticV|v)ersion": )"{re.escape(moot.__version__)}"', r'\1"VERSION"', text)
    text = re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.DOTALL)
    return re.sub(r"'sha256-[^']+'", "'sha256-'", text)


@pytest.mark.parametrize(
    ("file", "name", "kind", "options"), [*_TEXT, *_MORE], ids=lambda v: v if "." in str(v) else ""
)
def test_the_report_is_as_it_was_agreed(file: str, name: str, kind: str, options: dict[str, object]) -> None:
    drawn = _stable(render(SAMPLES[name], kind, diff=DIFF, now=NOW, **options))  # type: ignore[arg-type]
    golden = GOLDEN / file
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(drawn, encoding="utf-8", newline="")
    assert drawn == golden.read_bytes().decode(), f"{file} differs; look at it, then UPDATE_GOLDEN=1"


def test_no_golden_file_is_left_over() -> None:
    assert {p.name for p in GOLDEN.iterdir()} == {file for file, *_ in (*_TEXT, *_MORE)}
