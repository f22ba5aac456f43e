"""`--json` is the whole result in a stable order, fits its published schema, and can be looked at on a terminal."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from report_samples import BLOCKING, HOSTILE, SAMPLES

from moot.core.codec import dump, load
from moot.core.runs import Result
from moot.reports import render
from moot.reports.json import schema


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_it_fits_the_published_schema(name: str) -> None:
    jsonschema.Draft202012Validator(schema()).validate(json.loads(render(SAMPLES[name], "json")))


def test_it_holds_everything_and_comes_back_as_it_went_in() -> None:
    data = json.loads(render(BLOCKING, "json"))
    assert data == dump(Result, BLOCKING)
    assert load(Result, data) == BLOCKING


def test_the_keys_readers_look_for_come_first() -> None:
    data = json.loads(render(BLOCKING, "json"))
    assert list(data)[:8] == [
        "schema", "run", "proceeding", "status", "verdict", "verdict_reasons", "change", "findings",
    ]  # fmt: skip
    assert data["schema"] == 1


def test_hostile_text_is_data_that_utf8_can_hold_and_no_terminal_obeys() -> None:
    text = render(HOSTILE, "json")
    text.encode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert json.loads(text)["findings"][0]["title"].startswith("\x1b[2J")
