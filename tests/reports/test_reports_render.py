"""The one door to every format: it knows its formats, stays pure, and a text report stays cheap to start."""

from __future__ import annotations

import subprocess
import sys

import pytest
from report_samples import BLOCKING, DIFF, HOSTILE, NOW

from moot.reports import FORMATS, render


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_with_one_line_feed_and_is_the_same_each_time(name: str) -> None:
    text = render(BLOCKING, name, diff=DIFF, now=NOW)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert text == render(BLOCKING, name, diff=DIFF, now=NOW)


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_text_reaches_no_reader_as_a_command(name: str) -> None:
    text = render(HOSTILE, name, diff=DIFF, now=NOW, all=True)
    text.encode()
    assert not [c for c in "\x1b\x9b\x9d\x07\x08\r\u202e\u2066" if c in text]


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'xml' is not one of text, md, json, sarif, html"):
        render(BLOCKING, "xml")


def test_a_text_report_does_not_pay_for_the_page() -> None:
    code = "import sys, moot.reports.text; print(*sorted({'jinja2', 'pygments', 'markupsafe'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
