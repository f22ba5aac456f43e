"""Code in the HTML report is coloured in the language that its file name says."""

from __future__ import annotations

import pytest
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from moot.reports import highlight

NAMES = (
    "a.py", "a.ts", "a.tsx", "a.d.ts", "a.js", "a.go", "a.rs", "a.c", "a.h", "a.cpp", "a.cs", "a.java", "a.kt",
    "a.swift", "a.rb", "a.php", "a.pl", "a.m", "a.sh", "a.sql", "a.html", "a.css", "a.md", "a.yml", "a.toml", "a.json",
    "a.v", "Dockerfile", "Makefile", "CMakeLists.txt", "setup.cfg", "nothing", "a.unknown",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_coloured_in_another_language_than_pygments_would(name: str) -> None:
    try:
        expected = get_lexer_for_filename(name).name
    except ClassNotFound:
        expected = None
    chosen = highlight.lexer_for(name)
    assert (chosen.name if chosen else None) == expected
