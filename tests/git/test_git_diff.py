"""Diffs of real git, the nasty ones above all: every line number is checked against the files themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from git_support import Content, Link, Repo, Tree, import_trees, new_repo, person_environment, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moot.core.change import Change, FileDiff, FileStatus, FrozenDiff, LineKind, Source
from moot.core.errors import RepositoryError
from moot.git.diff import parse, read_diff, render, split
from moot.git.run import Git
from moot.git.store import open_store
from moot.git.target import Range
from moot.process.local import LocalProcess

Froze = Callable[..., tuple[Change, FrozenDiff]]

LINES = [b"line %d" % n for n in range(1, 41)]


def joined(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def edited(changes: Mapping[int, bytes], lines: Sequence[bytes] = LINES) -> list[bytes]:
    return [changes.get(number, line) for number, line in enumerate(lines, 1)]


@dataclass(frozen=True)
class Case:
    before: Mapping[bytes, Content]
    after: Mapping[bytes, Content]
    files: Sequence[tuple[FileStatus, bytes | None, bytes | None]]
    modes: Mapping[bytes, int] = field(default_factory=dict)


def one(path: bytes, before: bytes, after: bytes) -> Case:
    return Case({path: before}, {path: after}, [(FileStatus.MODIFIED, path, path)])


HEADERS = [b"diff --git a/q b/q", b"index 1..2 100644", b"--- a/q", b"+++ b/q", b"@@ -1 +1 @@", b"\\ No newline"]

CASES = {
    "a path with spaces": one(b"a b c.txt", joined(LINES), joined(edited({5: b"X"}))),
    "a path that is not ASCII": one("naïve-文.txt".encode(), joined(LINES), joined(edited({5: b"X"}))),
    "quotes, a tab and a backslash in a path": one(b'we"i\trd\\n.txt', joined(LINES), joined(edited({5: b"X"}))),
    "a line feed in a path": one(b"two\nlines.txt", joined(LINES), joined(edited({5: b"X"}))),
    "a path that reads like a hunk": one(b"x\n@@ -1 +1 @@\n+y", joined(LINES), joined(edited({5: b"X"}))),
    "a path that starts with a colon": one(b":(top)x", joined(LINES), joined(edited({5: b"X"}))),
    "a path that starts with a dash": one(b"--stat", joined(LINES), joined(edited({5: b"X"}))),
    "' b/' in a path": one(b"x b/y b/z.txt", joined(LINES), joined(edited({5: b"X"}))),
    "a path that is not UTF-8": one(b"caf\xe9.txt", joined(LINES), joined(edited({5: b"X"}))),
    "line ends of Windows": one(b"c.txt", b"\r\n".join(LINES) + b"\r\n", b"\r\n".join(edited({5: b"X"})) + b"\r\n"),
    "no line feed at the end, before and after": one(b"n", b"\n".join(LINES), b"\n".join(edited({40: b"Z"}))),
    "the last line feed taken away": one(b"n", joined(LINES), b"\n".join(LINES)),
    "the last line feed added": one(b"n", b"\n".join(LINES), joined(LINES)),
    "only the last of many lines without a line feed": one(b"n", joined(LINES), joined(LINES) + b"more"),
    "binary beside text": Case(
        {b"b.bin": b"\0\1\2" * 50, b"t.txt": joined(LINES)},
        {b"b.bin": b"\0\1\3" * 50, b"t.txt": joined(edited({3: b"q"}))},
        [(FileStatus.MODIFIED, b"b.bin", b"b.bin"), (FileStatus.MODIFIED, b"t.txt", b"t.txt")],
    ),
    "text that becomes binary": one(b"x", joined(LINES), b"\0" * 10),
    "only the mode": Case(
        {b"s.sh": joined(LINES)},
        {b"s.sh": joined(LINES)},
        [(FileStatus.MODIFIED, b"s.sh", b"s.sh")],
        {b"s.sh": 0o755},
    ),
    "mode and content": Case(
        {b"s.sh": joined(LINES)},
        {b"s.sh": joined(edited({7: b"X"}))},
        [(FileStatus.MODIFIED, b"s.sh", b"s.sh")],
        {b"s.sh": 0o755},
    ),
    "a rename between names with spaces": Case(
        {b"old name.txt": joined(LINES)},
        {b"new name.txt": joined(LINES)},
        [(FileStatus.RENAMED, b"old name.txt", b"new name.txt")],
    ),
    "a rename between ' b/' directories": Case(
        {b"p b/q.txt": joined(LINES)},
        {b"p b/r b/q.txt": joined(LINES)},
        [(FileStatus.RENAMED, b"p b/q.txt", b"p b/r b/q.txt")],
    ),
    "a rename with an edit": Case(
        {b"dir/old.txt": joined(LINES)},
        {b"dir2/new.txt": joined(edited({20: b"X"}))},
        [(FileStatus.RENAMED, b"dir/old.txt", b"dir2/new.txt")],
    ),
    "a rename with an edit and a new mode": Case(
        {b"old": joined(LINES)},
        {b"new": joined(edited({20: b"X"}))},
        [(FileStatus.RENAMED, b"old", b"new")],
        {b"new": 0o755},
    ),
    "a removed '-- x' and an added '++ y'": one(
        b"s.sql", joined(edited({5: b"-- old comment"})), joined(edited({5: b"++ y"}))
    ),
    "lines that Python would break, and other separators": one(
        b"f.py",
        joined(edited({4: "a\x0cb\x0bc\x1cd\u2028e\x85f".encode()})),
        joined(edited({4: "a\x0cb\x0bc\x1cd\u2028e\x85f".encode(), 5: "x\u2028y\x0cz".encode()})),
    ),
    "a carriage return inside a line": one(b"r", joined(edited({5: b"a\rb"})), joined(edited({5: b"a\rc\rd"}))),
    "NUL-free bytes that are no text": one(b"l", joined(edited({5: b"caf\xe9"})), joined(edited({5: b"caf\xe9\xe8"}))),
    "a file that becomes a link": Case(
        {b"x": joined(LINES)}, {b"x": Link("target")}, [(FileStatus.TYPECHANGED, b"x", b"x")]
    ),
    "a link that becomes a file": Case(
        {b"x": Link("target")}, {b"x": joined(LINES)}, [(FileStatus.TYPECHANGED, b"x", b"x")]
    ),
    "a link that points elsewhere": Case(
        {b"x": Link("target")}, {b"x": Link("../etc")}, [(FileStatus.MODIFIED, b"x", b"x")]
    ),
    "an empty file added, another deleted": Case(
        {b"gone": b"", b"keep": joined(LINES)},
        {b"new": b"", b"keep": joined(edited({1: b"k"}))},
        [
            (FileStatus.DELETED, b"gone", None),
            (FileStatus.MODIFIED, b"keep", b"keep"),
            (FileStatus.ADDED, None, b"new"),
        ],
    ),
    "a file emptied": one(b"x", joined(LINES), b""),
    "an empty file filled": one(b"x", b"", joined(LINES)),
    "a file that becomes a directory": Case(
        {b"x": joined(LINES)},
        {b"x/y": b"other\n"},
        [(FileStatus.DELETED, b"x", None), (FileStatus.ADDED, None, b"x/y")],
    ),
    "two hunks, and '@@' in the function's line": one(
        b"m.c",
        joined(edited({8: b"int f(@@ -1,2 +3,4 @@ x) {"})),
        joined(edited({8: b"int f(@@ -1,2 +3,4 @@ x) {", 14: b"X", 35: b"Y"})),
    ),
    "added lines that read like a patch": one(b"d", joined(LINES), joined([*LINES[:5], *HEADERS, *LINES[5:]])),
    "removed lines that read like a patch": one(b"d", joined([*LINES[:5], *HEADERS, *LINES[5:]]), joined(LINES)),
    "kept lines that read like a patch": one(
        b"d", joined([*LINES[:5], *HEADERS, *LINES[5:]]), joined([*LINES[:5], *HEADERS, b"X", *LINES[5:]])
    ),
    "a whole patch as the content": Case(
        {},
        {b"p.diff": joined(HEADERS) + b"-a\n+b\n", b"z": b"z\n"},
        [(FileStatus.ADDED, None, b"p.diff"), (FileStatus.ADDED, None, b"z")],
    ),
    "blank lines and trailing spaces": one(b"w", joined(LINES), joined([*LINES[:5], b"", b"", b"   ", *LINES[5:]])),
    "line feeds only": one(b"w", b"\n" * 5, b"\n" * 9),
    "a deletion without a line feed": Case(
        {b"x": b"only", b"k": b"k\n"}, {b"k": b"k\n"}, [(FileStatus.DELETED, b"x", None)]
    ),
    "attributes that say text is binary": Case(
        {b"x.py": joined(LINES)},
        {b"x.py": joined(edited({5: b"X"})), b".gitattributes": b"*.py -diff binary\n"},
        [(FileStatus.ADDED, None, b".gitattributes"), (FileStatus.MODIFIED, b"x.py", b"x.py")],
    ),
}


MODES = {0o644: "100644", 0o755: "100755"}


def tree(content: Mapping[bytes, Content], modes: Mapping[bytes, int] | None = None) -> Tree:
    def entry(path: bytes, value: Content) -> tuple[str, bytes]:
        if isinstance(value, Link):
            return "120000", value.target.encode()
        return MODES[(modes or {}).get(path, 0o644)], value.encode() if isinstance(value, str) else value

    return {path: entry(path, value) for path, value in content.items()}


@dataclass(frozen=True)
class Frozen:
    """Pairs of trees in one repository, and the diff between the two of a pair."""

    git: Git
    store: str
    commits: Sequence[str]

    def diff(self, pair: int) -> FrozenDiff:
        base, head = self.commits[2 * pair : 2 * pair + 2]
        change = Change("", self.store, base, head, base, "base", "head", Source.TREES, "s")
        return run(read_diff(self.git, change))


def frozen(repo: Repo, home: Path, pairs: Sequence[tuple[Tree, Tree]]) -> Frozen:
    git = Git(LocalProcess(), person_environment(repo.home))
    commits = import_trees(repo, [side for pair in pairs for side in pair])
    return Frozen(git, str(run(open_store(git, repo.path, home)).path), commits)


@pytest.fixture(scope="module")
def frozen_cases(tmp_path_factory: pytest.TempPathFactory) -> Frozen:
    home = tmp_path_factory.mktemp("cases")
    pairs = [(tree(case.before), tree(case.after, case.modes)) for case in CASES.values()]
    return frozen(new_repo(home / "r", home / "person"), home / "moot", pairs)


def blob(side: Tree, path: bytes | None) -> bytes:
    return b"" if path is None else side[path][1]


def text(content: bytes) -> list[str]:
    """The lines of a file as a diff has them."""
    lines = content.split(b"\n")
    return [line.decode("utf-8", "replace") for line in (lines[:-1] if lines[-1] == b"" else lines)]


def check_against_contents(file: FileDiff, before: bytes, after: bytes) -> None:
    """Every line stands where the diff says, the lines between hunks are the same, and both ends are told right."""
    old, new = text(before), text(after)
    made: list[str] = []
    reached = 0
    for hunk in file.hunks:
        start = hunk.old_start - (1 if hunk.old_count else 0)
        made += old[reached:start]
        assert sum(line.kind is not LineKind.ADDED for line in hunk.lines) == hunk.old_count
        assert sum(line.kind is not LineKind.REMOVED for line in hunk.lines) == hunk.new_count
        for line in hunk.lines:
            if line.kind is not LineKind.ADDED:
                assert line.old is not None
                assert old[line.old - 1] == line.text
                assert line.newline == (line.old < len(old) or before.endswith(b"\n"))
            else:
                assert line.old is None
            if line.kind is not LineKind.REMOVED:
                assert line.new is not None
                assert new[line.new - 1] == line.text
                assert line.newline == (line.new < len(new) or after.endswith(b"\n"))
                made.append(line.text)
                assert len(made) == line.new
            else:
                assert line.new is None
        reached = start + hunk.old_count
    assert made + old[reached:] == new
    assert file.added == sum(line.kind is LineKind.ADDED for hunk in file.hunks for line in hunk.lines)
    assert file.removed == sum(line.kind is LineKind.REMOVED for hunk in file.hunks for line in hunk.lines)


@pytest.mark.parametrize("name", CASES)
def test_a_nasty_diff_is_read_as_the_files_are(name: str, frozen_cases: Frozen) -> None:
    case = CASES[name]
    diff = frozen_cases.diff(list(CASES).index(name))
    assert [(f.status, f.old_raw, f.new_raw) for f in diff.files] == list(case.files)
    for file in diff.files:
        before, after = blob(tree(case.before), file.old_raw), blob(tree(case.after), file.new_raw)
        assert file.binary == (b"\0" in before + after)
        if file.binary:
            assert not file.hunks
        elif file.status is FileStatus.TYPECHANGED:
            assert [line.text for line in file.hunks[0].lines] == text(before)
            assert [line.text for line in file.hunks[1].lines] == text(after)
        else:
            check_against_contents(file, before, after)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_all_nasty_changes_in_one_diff_do_not_run_into_each_other(
    object_format: str, tmp_path: Path, person_home: Path, moot_home: Path
) -> None:
    before: dict[bytes, tuple[str, bytes]] = {}
    after: dict[bytes, tuple[str, bytes]] = {}
    for number, case in enumerate(CASES.values()):
        before |= {b"%d/%s" % (number, path): entry for path, entry in tree(case.before).items()}
        after |= {b"%d/%s" % (number, path): entry for path, entry in tree(case.after, case.modes).items()}
    repo = new_repo(tmp_path / "r", person_home, f"--object-format={object_format}")
    diff = frozen(repo, moot_home, [(before, after)]).diff(0)
    assert len(diff.files) > len(CASES) - 3
    for file in diff.files:
        assert len(file.old_oid or file.new_oid or "") == (64 if object_format == "sha256" else 40)
        if not file.binary and file.status is not FileStatus.TYPECHANGED:
            check_against_contents(file, blob(before, file.old_raw), blob(after, file.new_raw))


def test_a_submodule_is_told_as_one(repo: Repo, froze: Froze) -> None:
    first, second = "1" * 40, "2" * 40
    base = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    repo.git("commit", "-qm", "submodule")
    added = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--cacheinfo", f"160000,{second},lib")
    repo.git("commit", "-qm", "moved")
    repo.git("update-index", "--force-remove", "lib")
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"now a file\n")
    moved = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},lib")
    repo.git("commit", "-qm", "file")
    for ends, status in [
        ((base, added), FileStatus.ADDED),
        ((added, moved), FileStatus.MODIFIED),
        ((moved, "main"), FileStatus.TYPECHANGED),
    ]:
        file = froze(repo, Range(*ends, ".."))[1].files[0]
        assert (file.path, file.status, file.submodule, file.binary) == ("lib", status, True, False)
    assert file.old_oid == second
    assert [line.text for hunk in file.hunks for line in hunk.lines] == [f"Subproject commit {second}", "now a file"]


def test_function_context_names_the_enclosing_symbol_whatever_gitattributes_say(repo: Repo, moot_home: Path) -> None:
    body = [b"class A:", b"    def method(self):", *(b"        x = %d" % n for n in range(20))]
    head = {b"m.py": joined(edited({18: b"        y"}, body)), b".gitattributes": b"*.py diff=nothing\n"}
    diff = frozen(repo, moot_home, [(tree({b"m.py": joined(body)}), tree(head))]).diff(0)
    assert diff.files[1].hunks[0].section == "def method(self):"


def test_paths_stay_apart_and_harmless_when_shown(repo: Repo, moot_home: Path) -> None:
    shown = {
        b"caf\xe9": "caf\\xe9",
        b"caf\\xe9": "caf\\x5cxe9",
        b"a\nb": "a\\x0ab",
        b"a\x1b[2Jb": "a\\x1b[2Jb",
        "r\u202etl".encode(): "r\\u202etl",
    }
    diff = frozen(repo, moot_home, [({}, tree(dict.fromkeys(shown, b"x\n")))]).diff(0)
    assert {f.new_raw: f.path for f in diff.files} == shown
    assert all(diff.file(path) for path in shown.values())


def test_a_rendered_section_is_what_git_would_print(repo: Repo, moot_home: Path) -> None:
    before = {b"a b.txt": joined(LINES), b"run": b"x\n", b"old": joined(LINES), b"e": b"end"}
    after = {
        b"a b.txt": joined(edited({3: b"X", 30: b"Y"})),
        b"run": b"x\n",
        b"new": joined(edited({9: b"Z"})),
        b"n": b"n",
    }
    cases = frozen(repo, moot_home, [(tree(before), tree(after, {b"run": 0o755}))])
    printed = repo.raw("diff", "-M", *cases.commits).decode()
    kept = [line for line in printed.splitlines(keepends=True) if not line.startswith(("index ", "similarity "))]
    kept = [line.replace("\t\n", "\n") for line in kept]  # git's mark after a name with spaces
    assert "".join(render(f) for f in cases.diff(0).files) == "".join(kept)


def test_binary_files_render_as_such(repo: Repo, moot_home: Path) -> None:
    diff = frozen(repo, moot_home, [({}, tree({b"b.bin": b"\0"}))]).diff(0)
    assert render(diff.files[0]) == "diff --git a/b.bin b/b.bin\nnew file mode 100644\nBinary files differ\n"


def test_a_missing_object_is_an_error_with_a_next_step(repo: Repo, moot_home: Path) -> None:
    cases = frozen(repo, moot_home, [({}, tree({b"x": b"unique\n"}))])
    oid = repo.git("rev-parse", "imported:x")
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError, match="object is missing"):
        cases.diff(0)


def random_edit(lines: list[bytes], chance: random.Random) -> list[bytes]:
    out: list[bytes] = []
    for line in lines:
        kind = chance.random()
        if kind < 0.1:
            continue
        if kind < 0.2:
            out.append(chance.choice(HOSTILE))
        out.append(line if kind < 0.85 else chance.choice(HOSTILE))
    return out


HOSTILE = [
    b"",
    b" ",
    b"-",
    b"+",
    b"\\",
    b"-- x",
    b"++ y",
    b"@@ -1 +1 @@",
    b"diff --git a/x b/x",
    b"a\rb",
    b"\xff",
    b"\x0c",
]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_any_edit_of_any_files_is_read_as_the_files_are(repo: Repo, moot_home: Path, seed: int) -> None:
    chance = random.Random(seed)
    before: dict[bytes, Content] = {}
    after: dict[bytes, Content] = {}
    for n in range(12):
        lines = [chance.choice([*HOSTILE, b"line %d" % k]) for k in range(chance.randrange(60))]
        before[b"f%d" % n] = b"\n".join(lines) + chance.choice([b"", b"\n"])
        after[b"f%d" % n] = b"\n".join(random_edit(lines, chance)) + chance.choice([b"", b"\n"])
    diff = frozen(repo, moot_home, [(tree(before), tree(after))]).diff(0)
    changed = {path for path in before if before[path] != after[path]}
    assert {path for f in diff.files for path in (f.old_raw, f.new_raw)} == changed
    for file in diff.files:
        check_against_contents(file, blob(tree(before), file.old_raw), blob(tree(after), file.new_raw))


RAW = b":100644 100644 %s %s M\0x\0" % (b"1" * 40, b"2" * 40)
PATCH = b"diff --git a/x b/x\nindex %s..%s 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" % (
    b"1" * 40,
    b"2" * 40,
)


def test_the_sample_for_the_broken_patches_is_itself_whole() -> None:
    assert [f.path for f in parse(PATCH, RAW)] == ["x"]
    assert split(RAW + b"\0" + PATCH) == (RAW, PATCH)
    assert split(b"") == (b"", b"")


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (PATCH[:-3], "ends in the middle"),
        (PATCH.replace(b"+c", b"*c"), "line of a hunk"),
        (PATCH.replace(b"-1,2 +1,2", b"-1,1 +1,3"), "hold"),
        (PATCH.replace(b"2222", b"3333"), "do not agree"),
        (PATCH + PATCH, "more files"),
        (b"", "file header"),
        (PATCH.replace(b"@@ -1,2 +1,2 @@", b"@@ broken"), "hunk header"),
    ],
)
def test_a_patch_that_is_not_whole_is_an_error_not_a_smaller_diff(patch: bytes, reason: str) -> None:
    with pytest.raises(RepositoryError, match=reason):
        parse(patch, RAW)
