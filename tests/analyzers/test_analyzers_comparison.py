"""What a change introduced: moved, renamed and copied lines are old, whatever the line numbers say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from analyzers_support import added
from hypothesis import given
from hypothesis import strategies as st

from moot.agents.analyzers.changed_files import ChangedFile, Tree
from moot.agents.analyzers.comparison import Introduced, introduced
from moot.agents.analyzers.diagnostic import Diagnostic

MARK = "BAD"  # our little tool finds every line with it; the word after it is the rule


def scan(files: Mapping[str, str]) -> list[Diagnostic]:
    found = []
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if MARK in line:
                rule = line.split(MARK, 1)[1].split()[0]
                found.append(Diagnostic(rule, path, "wrong", number, number))
    return found


def tree(files: Mapping[str, str]) -> Tree:
    return Tree(Path("/nowhere"), {path: tuple(text.split("\n")) for path, text in files.items()})


def compare(
    base: Mapping[str, str],
    head: Mapping[str, str],
    renamed: Mapping[str, str] | None = None,
    base_read: frozenset[str] | None = None,
    base_found: Sequence[Diagnostic] | None = None,
) -> list[Introduced]:
    names = renamed or {}
    pairs = [(path, names.get(path, path)) for path in head]
    files = [
        ChangedFile(path, old if old in base else None, frozenset(added(base.get(old, ""), head[path])))
        for path, old in pairs
    ]
    files += [ChangedFile(None, path) for path in base.keys() - {old for _, old in pairs}]
    read = frozenset(base) if base_read is None else base_read
    old_ones = scan(base) if base_found is None else base_found
    return introduced(scan(head), old_ones, files, tree(head), tree(base), read)


def lines(found: Sequence[Introduced]) -> list[tuple[str, int | None]]:
    return [(f.diagnostic.path, f.diagnostic.line) for f in found]


OLD = "def one():\n    value = compute(1)\n    BAD x-rule value\n    return value"
OTHER = "def two():\n    answer = compute(2)\n    log(answer)\n    return answer"


def test_a_new_defect_is_reported_where_it_stands() -> None:
    found = compare({"a": OTHER}, {"a": f"{OTHER}\n{OLD}"})
    assert lines(found) == [("a", 7)]
    assert found[0].on_added


def test_an_old_defect_is_not_new_when_lines_are_inserted_above_it() -> None:
    assert compare({"a": OLD}, {"a": f"import new\n\n{OTHER}\n\n{OLD}"}) == []


def test_a_moved_function_brings_no_new_defects() -> None:
    assert compare({"a": f"{OLD}\n\n{OTHER}"}, {"a": f"{OTHER}\n\n{OLD}"}) == []


def test_a_function_moved_to_another_file_brings_no_new_defects() -> None:
    assert compare({"a": f"{OLD}\n\n{OTHER}", "b": "pass"}, {"a": OTHER, "b": f"pass\n\n{OLD}"}) == []


def test_a_function_moved_out_of_a_deleted_file_brings_no_new_defects() -> None:
    assert compare({"gone": OLD}, {"b": OLD}) == []


def test_a_reindented_defect_is_not_new() -> None:
    inner = "\n".join("    " + line for line in OLD.split("\n"))
    assert compare({"a": OLD}, {"a": f"class Thing:\n{inner}"}) == []


def test_a_renamed_file_keeps_its_old_defects() -> None:
    assert compare({"old": OLD}, {"new": f"{OLD}\n# moved"}, renamed={"new": "old"}) == []


def test_a_copied_file_keeps_its_old_defects() -> None:
    assert compare({"a": OLD}, {"a": OLD, "copy": OLD}, renamed={"copy": "a"}) == []


def test_a_second_occurrence_of_a_known_line_is_new() -> None:
    again = OLD.replace("one", "three")
    assert lines(compare({"a": OLD}, {"a": f"{OLD}\n\n{again}"})) == [("a", 8)]


def test_of_three_occurrences_with_one_in_the_base_the_added_ones_are_new() -> None:
    line = "    BAD rule a quite telling line of source code"
    base = f"start()\n{line}\nend()"
    head = f"start()\n{line}\n{line}\n{line}\nend()"
    assert len(compare({"a": base}, {"a": head})) == 2


def test_mending_one_swallowed_error_does_not_excuse_another() -> None:
    base = "first()\nBAD swallow\n\nsecond()\nlast()"
    head = "first()\nhandle()\n\nsecond()\nBAD swallow\nlast()"
    assert lines(compare({"a": base}, {"a": head})) == [("a", 5)]


def test_a_defect_on_an_old_line_is_kept_and_known_for_it() -> None:
    text = "import os BAD unused\nprint(os.name)"
    found = compare({"a": text}, {"a": "import os BAD unused\nprint(1)"}, base_found=[])
    assert lines(found) == [("a", 1)]
    assert not found[0].on_added


def test_what_the_tool_could_not_read_before_is_only_judged_on_added_lines() -> None:
    found = compare({"a": OLD}, {"a": f"{OLD}\nBAD y-rule"}, base_read=frozenset(), base_found=[])
    assert lines(found) == [("a", 5)]


def test_another_rule_on_the_same_line_is_new() -> None:
    assert lines(
        compare({"a": "BAD one long and telling line of code"}, {"a": "BAD two long and telling line of code"})
    )


def test_a_diagnostic_of_a_whole_file_is_old_when_the_base_has_it() -> None:
    whole = Diagnostic("header", "a", "no license header")
    files = [ChangedFile("a", "a", frozenset({2}))]
    both = tree({"a": "one\ntwo"})
    assert introduced([whole], [whole], files, both, both, frozenset({"a"})) == []
    assert len(introduced([whole], [], files, both, both, frozenset({"a"}))) == 1


@pytest.mark.parametrize("line", [0, 99])
def test_a_line_the_file_does_not_have_breaks_nothing(line: int) -> None:
    odd = Diagnostic("r", "a", "wrong", line, line)
    files = [ChangedFile("a", "a", frozenset())]
    both = tree({"a": "one"})
    assert introduced([odd], [odd], files, both, both, frozenset({"a"})) == []


blocks = st.lists(
    st.integers(0, 99).map(
        lambda n: f"def block_{n}(argument):\n    BAD rule-{n % 3} call_number_{n}(argument)\n    return argument * {n}"
    ),
    unique=True,
    max_size=6,
)


@given(blocks, st.randoms(use_true_random=False))
def test_shuffled_blocks_are_never_new(parts: list[str], random: object) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert compare({"a": "\n\n".join(parts)}, {"a": "\n\n".join(shuffled)}) == []


@given(blocks, blocks)
def test_exactly_the_blocks_that_came_are_new(before: list[str], after: list[str]) -> None:
    found = compare({"a": "\n\n".join(before)}, {"a": "\n\n".join(after)})
    text = "\n\n".join(after).split("\n")
    assert {text[(f.diagnostic.line or 0) - 1] for f in found} == {b.split("\n")[1] for b in set(after) - set(before)}


@given(blocks, st.integers(0, 5))
def test_a_split_into_two_files_brings_nothing_new(parts: list[str], at: int) -> None:
    whole, one, two = ("\n\n".join(p) for p in (parts, parts[:at], parts[at:]))
    assert compare({"a": whole}, {"a": one, "b": two}) == []
