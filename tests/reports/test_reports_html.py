"""The HTML report is one file that loads nothing, runs nothing, and can be read by everyone."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from report_samples import BLOCKING, DIFF, EVIL, HOSTILE, NOT_REVIEWED, RETRY_FINDING, SAMPLES

from moot.core.change import FrozenDiff
from moot.core.runs import Result
from moot.reports import render

_VOID = {"meta", "input", "br"}


@dataclass
class Page(HTMLParser):
    """What a browser would see of the page."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.styles if self.open[-1:] == ["style"] else self.words).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def _page(result: Result, diff: FrozenDiff | None = DIFF, **options: bool) -> Page:
    page = Page()
    page.feed(render(result, "html", diff=diff, **options))
    page.close()
    return page


def _has_class(page: Page, tag: str, name: str) -> int:
    return sum(name in (attrs.get("class") or "").split() for attrs in page.all(tag))


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("diff", [DIFF, None])
def test_it_is_well_formed_loads_nothing_and_runs_nothing(name: str, diff: FrozenDiff | None) -> None:
    page = _page(SAMPLES[name], diff)
    assert page.open == []
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "iframe", "object", "embed", "link", "base", "form", "svg", "video", "audio"}
    for tag, attrs in page.tags:
        assert not [a for a in attrs if a.startswith("on") or a in ("style", "src", "srcset", "action")], (tag, attrs)
        assert (attrs.get("href") or "#").startswith("#")
    assert "url(" not in page.styles[0]
    assert "@import" not in page.styles[0]


def test_the_policy_allows_its_own_style_sheet_and_nothing_else() -> None:
    page = _page(BLOCKING)
    (policy,) = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256("".join(page.styles).encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_reference_inside_the_page_has_its_target(name: str) -> None:
    page = _page(SAMPLES[name])
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = {(a.get("href") or "")[1:] for a in page.all("a")}
    targets |= {label for _, attrs in page.tags for label in (attrs.get("aria-labelledby") or "").split()}
    assert targets <= set(ids)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_headings_skip_no_level(name: str) -> None:
    levels = [int(tag[1]) for tag, _ in _page(SAMPLES[name]).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_hostile_text_is_text() -> None:
    page = _page(HOSTILE)
    said = "".join(page.words)
    assert "<script>alert(1)</script>" in said
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", said)
    for _, attrs in page.tags:
        assert not any(EVIL in (value or "") for value in attrs.values())
    assert "{{ 7 * 7 }}" in said


def test_both_sides_of_the_code_are_shown_coloured_with_the_finding_marked() -> None:
    page = _page(replace(BLOCKING, findings=(BLOCKING.findings[3],)))
    assert _has_class(page, "tr", "removed") == 3
    assert _has_class(page, "tr", "marked") == 3
    assert _has_class(page, "tr", "added") == 2
    assert _has_class(page, "span", "hk") > 0  # keywords
    assert _has_class(page, "span", "hs") > 0  # strings


def test_without_the_diff_the_quote_is_shown() -> None:
    page = _page(replace(BLOCKING, findings=(RETRY_FINDING,)), diff=None)
    assert _has_class(page, "tr", "marked") == 3


def test_what_is_below_the_floor_can_be_switched_on() -> None:
    for all_ in (False, True):
        page = _page(BLOCKING, all=all_)
        (switch,) = [i for i in page.all("input") if i["id"] == "show-floor"]
        assert ("checked" in switch) == all_
    assert not [i for i in _page(NOT_REVIEWED).all("input") if i["id"] == "show-floor"]


def test_every_switch_has_a_rule_that_obeys_it() -> None:
    page = _page(BLOCKING)
    for switch in page.all("input"):
        assert f"body:has(#{switch['id']}:not(:checked))" in page.styles[0]


def test_every_class_of_the_page_is_known_to_the_style_sheet() -> None:
    plain = {
        "context",
        "claim",
        "nit",
        "file",
        "read",
        "parsed",
        "skipped",
        "unknown",
        "ok",
        "failed",
        "waiting",
        "code",
    }
    used: set[str] = set()
    for name in SAMPLES:
        for _, attrs in _page(SAMPLES[name]).tags:
            used |= set((attrs.get("class") or "").split())
    known = set(re.findall(r"\.([a-z][a-z0-9-]*)", "".join(_page(BLOCKING).styles)))
    assert used - known - plain - {"depth-0"} == set()


def test_a_run_without_a_verdict_names_the_missing_seat_and_the_next_step_at_the_top() -> None:
    said = " ".join("".join(_page(NOT_REVIEWED).words).split())
    top = said[: said.index("Findings")]
    assert "gpt gave no structured reply" in top
    assert "moot runs resume bad1" in top
