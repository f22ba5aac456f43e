"""The figures of `benchmarks/match.py` are what they are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.match import area, at_threshold, main


def test_the_area_or_the_figures_at_the_threshold_are_wrong() -> None:
    scored = [(0.9, True), (0.8, False), (0.7, True), (0.1, False)]
    assert area(scored) == pytest.approx(0.75)
    assert area([(0.5, True), (0.5, False)]) == pytest.approx(0.5)
    assert area([(0.5, True)]) == 0.0
    assert at_threshold(scored, 0.7) == pytest.approx((2 / 3, 1.0, 0.8))
    assert at_threshold([], 0.5) == (0.0, 0.0, 0.0)


def test_a_file_is_not_measured_on_one_line_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"pr": "p", "a": "the retry loop never ends", "b": "endless retry loop", "same": True},
        {"pr": "p", "a": "the retry loop never ends", "b": "sql injection through name", "same": False},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    assert main([str(file)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert list(figures) == ["auc", "f1", "precision", "recall", "threshold", "pairs", "seconds"]
    assert (figures["auc"], figures["pairs"]) == (1.0, 2)


def test_an_absent_file_is_not_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 0
    assert "no such file, nothing measured" in capsys.readouterr().err
    assert main([]) == 2
