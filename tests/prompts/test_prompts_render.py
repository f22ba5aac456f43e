"""Prompts: strict, whole, and free of what only costs tokens."""

from __future__ import annotations

import jinja2
import pytest

from moot.core.replies import JudgeReply, ReviewReply
from moot.prompts.render import render, schema_text

SHARED = {"language": "en", "role_prompt": "", "conventions": "", "base_instructions": ()}


def review(**changes: object) -> str:
    values = {
        **SHARED, "change_file": "/r/change.md", "batch": 1, "batches": 1, "sparse": False, "has_git": True,
        "shell": True, "reports_file": None, "checks_file": None, "schema": schema_text(ReviewReply),
    }  # fmt: skip
    return render("review", **{**values, **changes})


def judge(**changes: object) -> str:
    values = {
        **SHARED, "change_files": ("/r/change.md",), "sparse": False, "checks_file": None, "prose_file": None,
        "findings": "[]", "schema": schema_text(JudgeReply),
    }  # fmt: skip
    return render("judge", **{**values, **changes})


def test_a_missing_value_is_an_error_and_never_an_empty_place():
    with pytest.raises(jinja2.UndefinedError):
        render("review", change_file="/r/change.md")


@pytest.mark.parametrize("text", [review(), review(batches=3, batch=2), judge(), judge(sparse=True)])
def test_every_list_item_stands_on_its_own_line(text):
    for line in text.splitlines():
        assert line.count("- `") <= 1 or not line.startswith("- `/"), line
        assert not line.endswith(" ")
    assert "\n\n\n" not in text


def test_each_part_of_a_large_change_says_which_part_it_is():
    assert "(part 2 of 3; the other parts are asked for separately)" in review(batches=3, batch=2)
    assert "part" not in review().split("## What counts")[0].split("Each section")[0]


def test_the_persons_conventions_and_the_role_stand_under_headings_of_their_own():
    text = review(conventions="Use tabs.", role_prompt="Look at locking.")
    assert "## Conventions of this repository\n\nUse tabs." in text
    assert "## Your particular task\n\nLook at locking." in text


def test_the_judges_prompt_names_every_part_of_the_change():
    text = judge(change_files=("/r/a.md", "/r/b.md"))
    assert "- `/r/a.md`: the change, frozen (part 1 of 2)\n- `/r/b.md`: the change, frozen (part 2 of 2)\n" in text


def test_a_prose_reviewer_is_not_asked_for_json():
    assert "Answer in prose" in review(schema="")
    assert "JSON" not in review(schema="").split("## Your reply")[1]


def test_a_schema_keeps_its_fields_and_loses_generated_titles():
    text = schema_text(ReviewReply)
    assert '"title": {' in text  # the field of a finding
    assert '"title": "' not in text
