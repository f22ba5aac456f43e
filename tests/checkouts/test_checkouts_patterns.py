"""Patterns mean what they mean to git: checked against git itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from git_support import Repo, import_trees, new_repo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moot.checkouts.patterns import WHOLE, Hide, Part, around

PIECE = st.sampled_from(
    ["CLAUDE.md", ".claude", ".env", ".env.*", "a*", "?b", "[ab]c", "[!x]y", "x", "a b", "e.f", "*"]
)
PATTERN = st.builds(
    lambda slash, double, parts: f"{slash}{double}{'/'.join(parts)}",
    st.sampled_from(["", "/"]),
    st.sampled_from(["", "**/"]),
    st.lists(PIECE, min_size=1, max_size=2),
)
NAME = st.sampled_from(
    ["CLAUDE.md", ".claude", ".env", ".env.x", "a", "ab", "bb", "ac", "xy", "y", "x", "a b", "e.f", "exf"]
)
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)


def git_hides(repo: Repo, patterns: Sequence[str], paths: Sequence[str]) -> set[str]:
    """What git would ignore. A pattern with a slash is anchored there; ours count at any depth."""
    rules = "".join(f"{p}\n" if p.startswith(("/", "**/")) or "/" not in p else f"**/{p}\n" for p in patterns)
    repo.write("../rules", rules)
    asked = "".join(f"{p}\0" for p in paths).encode()
    told = repo.raw(
        "-c",
        f"core.excludesFile={repo.path}/../rules",
        "check-ignore",
        "--no-index",
        "--stdin",
        "-z",
        stdin=asked,
        check=False,
    )
    return set(told.decode().split("\0")[:-1])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PATTERN, max_size=3), st.lists(PATH, min_size=1, max_size=12, unique=True))
def test_hidden_is_what_git_would_ignore(tmp_path: Path, patterns: list[str], paths: list[str]) -> None:
    if not (tmp_path / "r").exists():
        new_repo(tmp_path / "r", tmp_path / "person")
    repo = Repo(tmp_path / "r", tmp_path / "person")
    hide = Hide(patterns)
    assert {p for p in paths if hide.matches(p.encode())} == git_hides(repo, patterns, paths)


@pytest.mark.parametrize(
    ("pattern", "path", "hidden"),
    [
        ("CLAUDE.md", b"CLAUDE.md", True),
        ("CLAUDE.md", b"a/b/CLAUDE.md", True),
        ("CLAUDE.md", b"CLAUDE.mdx", False),
        ("CLAUDE.md", b"XCLAUDE.md", False),
        ("CLAUDE.md", b"claude.md", False),
        (".claude", b"a/.claude/settings.json", True),
        (".claude/", b".claude/x", True),
        (".github/hooks", b"sub/.github/hooks/x", True),
        (".github/hooks", b".github/workflows/x", False),
        ("/top", b"a/top", False),
        (".env.*", b".env.production", True),
        (".env.*", b".env", False),
        ("a.b", b"axb", False),
        ("\\*", b"*", True),
        ("\\*", b"x", False),
        ("**/x/**", b"a/x/y", True),
        ("n\\e", b"ne", True),
        ("[", b"[", True),
        ("x", b"\xff/x", True),
        ("", b"x", False),
    ],
)
def test_a_pattern_hides_at_any_depth_and_no_more(pattern: str, path: bytes, hidden: bool) -> None:
    assert Hide([pattern]).matches(path) is hidden


def test_case_counts_only_where_the_file_system_says_so() -> None:
    assert Hide(["AGENTS.md"], ignore_case=True).matches(b"sub/agents.MD")
    assert not Hide([]).matches(b"x")


def test_a_part_is_the_directories_of_the_paths_and_those_above() -> None:
    part = around([b"a/b/c.py", b"top.py", b"d/e.py"])
    assert part == Part(frozenset({b"a", b"a/b", b"d"}))
    held = [b"x", b"a/x", b"a/b/x", b"d/x"]
    assert [p for p in [*held, b"a/c/x", b"a/b/c/x", b"e/x"] if part.holds(p)] == held
    assert WHOLE.holds(b"any/thing")


def test_a_directory_that_no_pattern_can_name_is_in_with_the_one_above() -> None:
    part = around([b"a/b\nc/d/e.py"])
    assert part == Part(frozenset(), frozenset({b"a"}))
    assert part.holds(b"a/x/y")
    assert not part.holds(b"ab/x")
    assert around([b"a\nb/x"]).patterns() == b"/*\n"


FOLDERS = st.sampled_from(
    [b"a", b"b", b"a b", b"c*", b"d[e]", b"f?", b"#g", b"!h", b"i\\j", b"\xff", b" k ", b"\xc3\xa4"]
)
DEEP = st.lists(FOLDERS, max_size=3).map(lambda parts: b"/".join([*parts, b"file"]))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(DEEP, min_size=1, max_size=15, unique=True), st.data())
def test_git_checks_out_the_part_that_is_held(tmp_path: Path, paths: list[bytes], data: st.DataObject) -> None:
    if not (tmp_path / "r").exists():
        new_repo(tmp_path / "r", tmp_path / "person")
    repo = Repo(tmp_path / "r", tmp_path / "person")
    touched = data.draw(st.lists(st.sampled_from(paths), max_size=3))
    (commit,) = import_trees(repo, [dict.fromkeys(paths, ("100644", b"x"))])
    part = around(touched)
    repo.git("config", "core.sparseCheckout", "true")
    repo.git("config", "core.sparseCheckoutCone", "true")
    (repo.path / ".git" / "info" / "sparse-checkout").write_bytes(part.patterns())
    repo.git("read-tree", "-u", "--reset", commit)
    entries = repo.raw("ls-files", "-t", "-z").split(b"\0")[:-1]
    assert {e[2:] for e in entries if e.startswith(b"H")} == {p for p in paths if part.holds(p)}
