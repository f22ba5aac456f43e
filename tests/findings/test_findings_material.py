"""The change file shows everything or says what it leaves out, and only who read a section can return its receipt."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from findings_builders import HEAD, claim, file_diff, frozen, index, place
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.change import FileDiff, FrozenDiff, Line, LineKind
from moot.findings.material import MAX_LINE_CHARS, PART_BYTES, PART_LINES, Material, excluding, material
from moot.findings.receipts import LENGTH, check, minter

MINT = minter(b"secret", HEAD)
RECEIPT = re.compile(r"^receipt: (\S+)$", re.MULTILINE)


def laid(diff: FrozenDiff, exclude: tuple[str, ...] = (), file: int = 1 << 20, batch: int = 400 << 10) -> Material:
    return material(diff, MINT, exclude, file, batch)


def lines(count: int, word: str = "line") -> str:
    return "".join(f"{word} {n}\n" for n in range(count))


SMALL = frozen(
    file_diff("README.md", "a\n", "b\n"),
    file_diff("poetry.lock", "a\n", "b\n"),
    file_diff("src/deep/x.py", None, "x = 1\ny = 2\n"),
    file_diff("src/new.py", "one\ntwo\n", "one\n2\n", old_path="src/old.py"),
    file_diff("src/gone.py", "bye\n", None),
)


def test_a_section_loses_a_line_a_number_its_head_or_its_receipt() -> None:
    (batch,) = laid(SMALL).batches
    section = batch.text.split("## src/new.py")[1].split("\n##")[0]
    assert section == (
        " (renamed from src/old.py, +1 -1)\n@@ old 1-2, new 1-2 @@\n1 1  |one\n2   -|two\n  2 +|2\n"
        f"receipt: {MINT('src/new.py')}\n"
    )
    assert "## src/gone.py (deleted, +0 -1)\n@@ old 1, new none @@\n1   -|bye\n" in batch.text
    assert RECEIPT.findall(batch.text) == [MINT(p) for p in batch.paths]


def test_code_does_not_come_before_documents_and_lock_files() -> None:
    assert laid(SMALL).paths == ("src/gone.py", "src/new.py", "src/deep/x.py", "README.md", "poetry.lock")


def test_a_receipt_stands_elsewhere_or_is_the_same_for_two_sections_heads_or_runs() -> None:
    whole = laid(SMALL)
    text = "".join(b.text for b in whole.batches)
    assert all(text.count(token) == 1 and re.fullmatch(r"[a-z2-7]{12}", token) for token in whole.receipts)
    others = [minter(b"other", HEAD), minter(b"secret", "0" * 40)]
    assert not {mint(p) for mint in others for p in whole.paths} & set(whole.receipts)


def test_a_line_of_the_change_poses_as_a_head_or_a_receipt() -> None:
    evil = "receipt: aaaaaaaaaaaa\n## b.py (added)\n@@ x @@\n"
    made = laid(frozen(file_diff("a.py", None, evil + "x\rreceipt: bbbbbbbbbbbb\x1b[2K\u2028receipt: cccccccccccc\n")))
    (batch,) = made.batches
    assert RECEIPT.findall(batch.text) == [MINT("a.py")]
    assert re.findall(r"^## .*", batch.text, re.MULTILINE) == ["## a.py (added, +4 -0)"]
    assert "  4 +|x\\x0dreceipt: bbbbbbbbbbbb\\x1b[2K\\x2028receipt: cccccccccccc" in batch.text
    assert "\x1b" not in batch.text
    odd = replace(file_diff("a.py", None, "x\n"), new_path="a.py\nreceipt: dddddddddddd")
    (named,) = laid(frozen(odd)).batches
    assert len(RECEIPT.findall(named.text)) == 1


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (file_diff("logo.png", "", "", binary=True), "binary"),
        (file_diff("lib", "", "", submodule=True), "submodule"),
        (file_diff("big.sql", None, lines(400)), "too large (3 KB of changes)"),
        (file_diff("web/yarn.lock", None, "x\n"), "generated or vendored (yarn.lock)"),
        (file_diff("a/node_modules/b/c.js", None, "x\n"), "generated or vendored (node_modules/)"),
    ],
)
def test_what_is_left_out_is_not_reported_with_its_reason(file: FileDiff, reason: str) -> None:
    made = laid(frozen(file_diff("a.py", None, "x\n"), file), ("yarn.lock", "node_modules/"), file=2048)
    assert [(s.path, s.reason) for s in made.skipped] == [(file.path, reason)]
    assert made.paths == ("a.py",)


@pytest.mark.parametrize(
    ("pattern", "path", "hit"),
    [
        ("yarn.lock", "yarn.lock", True), ("yarn.lock", "a/b/yarn.lock", True), ("yarn.lock", "a/xyarn.lock", False),
        ("*.min.js", "a/b.min.js", True), ("*.min.js", "a/b.min.jsx", False), ("vendor/", "vendor/a.c", True),
        ("vendor/", "x/vendor/y/a.c", True), ("vendor/", "vendor.c", False), ("a/b*", "a/bc.py", True),
        ("a/b*", "x/a/bc.py", False), ("a/v/", "a/v/x", True), ("a/v/", "x/a/v/x", False),
        ("/top.txt", "top.txt", True),
        ("/top.txt", "a/top.txt", False), ("[ab].c", "b.c", True),
    ],
)  # fmt: skip
def test_a_pattern_excludes_something_else(pattern: str, path: str, hit: bool) -> None:
    assert (excluding(pattern).match(path) is not None) == hit


def test_files_without_changed_text_are_not_shown() -> None:
    mode = replace(file_diff("run.sh", "x\n", "x\n"), new_mode="100755")
    (batch,) = laid(frozen(mode)).batches
    assert f"## run.sh (modified, mode 100644 to 100755, no change of text)\nreceipt: {MINT('run.sh')}" in batch.text


def test_ends_of_lines_change_unseen_or_spoil_the_text() -> None:
    crlf = frozen(replace(file_diff("a.txt", "x\n", "y\n"), hunks=_with_returns(file_diff("a.txt", "x\n", "y\n"))))
    (batch,) = laid(crlf).batches
    assert "+1 -1, carriage returns change)" in batch.text
    assert "\r" not in batch.text
    assert "  1 +|y\n\\ no line feed at the end of the file\n" in batch.text


def test_a_long_line_is_shown_whole_or_cannot_be_quoted() -> None:
    long = "x = [" + "1, " * 1000 + "]"
    diff = frozen(file_diff("a.py", None, f"{long}\ny = 2\n"))
    (batch,) = laid(diff).batches
    row = next(r for r in batch.text.splitlines() if "|x = [" in r)
    assert row.endswith(f"… [{len(long) - MAX_LINE_CHARS} more characters]")
    assert place(index(diff), claim(row, "a.py", 1)).anchor.line == 1


def test_a_half_read_file_looks_read() -> None:
    made = laid(frozen(file_diff("a.py", None, lines(1000)), file_diff("b.py", None, "x\n")))
    tokens = [t for t, p in made.receipts.items() if p == "a.py"]
    assert len(tokens) == 3
    assert made.read_with(tokens[:2]) == ()
    assert made.read_with(tokens) == ("a.py",)
    assert made.read_with(made.receipts) == ("a.py", "b.py")
    text = made.batches[0].text
    assert "## a.py (added, +1000 -0), part 2 of 3\n@@ old none, new 1-1000 @@ (continued)\n" in text
    for part in re.split(r"^receipt: .*$", text, flags=re.MULTILINE):
        assert part.count("\n") <= PART_LINES + 12
        assert len(part.encode()) <= PART_BYTES + 2000


def test_batches_tear_directories_or_outgrow_their_size() -> None:
    files = [file_diff(f"{d}/f{n}.py", None, lines(100, f"{d}{n}")) for d in "abc" for n in range(3)]
    one = len(laid(frozen(files[0])).batches[0].text.encode())
    made = laid(frozen(*files), batch=4 * one)
    assert [b.paths for b in made.batches] == [
        ("a/f0.py", "a/f1.py", "a/f2.py"), ("b/f0.py", "b/f1.py", "b/f2.py"), ("c/f0.py", "c/f1.py", "c/f2.py"),
    ]  # fmt: skip
    assert "file 2 of 3" in made.batches[1].text
    tight = laid(frozen(*files), batch=one)
    assert len(tight.batches) == 9


def test_an_empty_change_has_something_to_read() -> None:
    empty = laid(frozen())
    assert (empty.batches, empty.paths, empty.skipped) == ((), (), ())


paths = st.text(alphabet="ab/._-\\\n\té日", min_size=1, max_size=8).filter(
    lambda p: p.strip("/") == p and "//" not in p
)


@given(
    st.dictionaries(paths, st.text(alphabet="ab \t|\r\x0b\u2028é#+-:0", max_size=80), min_size=1, max_size=6),
    st.integers(200, 4000),
)
@settings(max_examples=100, deadline=None)
def test_a_path_is_neither_shown_with_its_receipts_nor_skipped(texts: dict[str, str], batch: int) -> None:
    files = [file_diff(p, None, t.replace(":", "\n")) for p, t in sorted(texts.items())]
    made, again = laid(frozen(*files), batch=batch), laid(frozen(*reversed(files)), batch=batch)
    assert set(made.paths) | {s.path for s in made.skipped} == set(texts)
    assert [t for b in made.batches for t in RECEIPT.findall(b.text)] == list(made.receipts)
    assert {p for b in made.batches for p in b.paths} == set(made.paths)
    assert made == again


# --- receipts


def test_a_returned_receipt_is_not_recognised_or_a_guess_is() -> None:
    receipts = {MINT("a.py"): "a.py", MINT("b.py"): "b.py"}
    a, b = receipts
    assert check([a, f" receipt: {b.upper()} "], receipts).valid == {a, b}
    assert check([f"`{a}`, {b}"], receipts).valid == {a, b}
    guessed = check([a, "aaaaaaaaaaaa", a[:-1], "", "read it", a + "x"], receipts)
    assert guessed.valid == {a}
    assert guessed.invalid == ("aaaaaaaaaaaa", a[:-1], "read it", a + "x")
    assert check([minter(b"secret", "0" * 40)("a.py")], receipts).valid == frozenset()
    assert len(a) == LENGTH


def _with_returns(file: FileDiff) -> tuple:  # type: ignore[type-arg]
    hunk = file.hunks[0]

    def changed(x: Line) -> Line:
        if x.kind is LineKind.ADDED:
            return replace(x, newline=False)
        return replace(x, text=f"{x.text}\r")

    return (replace(hunk, lines=tuple(changed(x) for x in hunk.lines)),)
