"""Agents' prose read as a handful of blocks, so that every report shows the same text without trusting its Markdown.

A small, forgiving part of Markdown: paragraphs, list items, fenced or indented code, code spans, strong text. All else
(HTML, images, links, tables, quotes) is plain text. Nothing here is ever an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moot.reports import safe


@dataclass(frozen=True, slots=True)
class Text:
    """Plain words."""

    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """A code span."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Emphasised words."""

    text: str


Inline = Text | Span | Strong


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that flow."""

    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One list item. `marker` is `-` or a number with its full stop; `depth` counts from 0."""

    marker: str
    depth: int
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines kept as they are. `language` is what the author called it, or ""."""

    text: str
    language: str


Block = Paragraph | Item | Code

_FENCE = re.compile(r"^(?P<indent>\s*+)(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<language>[\w+#.-]*+)[^`]*+$")
_ITEM = re.compile(r"^(?P<indent>\s*)(?P<marker>[-*+]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?P<text>\S.*)$")
_RULE = re.compile(r"^\s*([-*_=])(\s*\1){2,}\s*$")
_INDENTED = re.compile(r"^(?: {4}|\t)")
_DEEPEST = 3


def parse(text: str) -> tuple[Block, ...]:
    """Return the blocks of `text`, which is cleaned (`safe.clean`) first."""
    return tuple(_Reader(safe.clean(text).expandtabs(4).split("\n")).blocks())


def inlines(text: str) -> tuple[Inline, ...]:
    """Return one line's parts. Images lose their address, links keep it in parentheses."""
    return tuple(_merged(_tokens(text)))


class _Reader:
    """Walks over lines once; each method consumes what it returns."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip() or _RULE.match(line):
                self._at += 1
            elif fence := _FENCE.match(line):
                yield self._fenced(fence)
            elif item := _ITEM.match(line):
                yield self._item(item)
            elif heading := _HEADING.match(line):
                self._at += 1
                yield Paragraph((Strong(heading["text"].rstrip(" #") or "#"),))
            elif _INDENTED.match(line):
                yield self._while(lambda s: not s.strip() or bool(_INDENTED.match(s)), cut=4)
            elif line.lstrip().startswith("|"):
                yield self._while(lambda s: s.lstrip().startswith("|"), cut=0)
            else:
                yield self._paragraph()

    def _fenced(self, fence: re.Match[str]) -> Code:
        mark, indent = fence["mark"], len(fence["indent"])
        self._at += 1
        body = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            bare = line.strip()
            if len(bare) >= len(mark) and set(bare) == {mark[0]}:
                break
            body.append(line[min(indent, len(line) - len(line.lstrip())) :])
        return Code("\n".join(body).strip("\n"), fence["language"])

    def _item(self, item: re.Match[str]) -> Item:
        self._at += 1
        words = [item["text"]]
        while self._at < len(self._lines) and self._continues(self._lines[self._at]):
            words.append(self._lines[self._at].strip())
            self._at += 1
        marker = item["marker"]
        shown = "-" if marker in "-*+" else f"{marker[:-1]}."
        return Item(shown, min(_DEEPEST, len(item["indent"]) // 2), inlines(" ".join(words)))

    def _while(self, belongs: Callable[[str], bool], *, cut: int) -> Code:
        body = []
        while self._at < len(self._lines) and belongs(self._lines[self._at]):
            body.append(self._lines[self._at][cut:])
            self._at += 1
        return Code("\n".join(body).strip("\n"), "")

    def _paragraph(self) -> Paragraph:
        words = []
        while self._at < len(self._lines) and self._flows(self._lines[self._at]):
            words.append(self._lines[self._at].strip())
            self._at += 1
        return Paragraph(inlines(" ".join(words)))

    def _continues(self, line: str) -> bool:
        return self._flows(line) and not line.lstrip().startswith("|")

    def _flows(self, line: str) -> bool:
        stops = (_FENCE, _ITEM, _HEADING, _RULE)
        return bool(line.strip()) and not any(stop.match(line) for stop in stops)


_TOKEN = re.compile(
    r"""
      (?<!`)(?P<ticks>`{1,20}+)(?!`) (?P<span>.+?) (?<!`)(?P=ticks)(?!`)
    | (?<![\w*])\*\*(?=\S) (?P<strong>[^*]{1,300}) (?<=\S)\*\*(?![\w*])
    | (?P<image>!)?\[(?P<label>[^\[\]]{0,300})\]\((?P<address>[^()\s]{0,2000})[^()]{0,300}\)
    """,
    re.VERBOSE,
)


def _tokens(text: str) -> Iterator[Inline]:
    at = 0
    for match in _TOKEN.finditer(text):
        yield Text(text[at : match.start()])
        at = match.end()
        if match["span"]:
            yield Span(match["span"].strip() or match["span"])
        elif match["strong"]:
            yield Strong(match["strong"])
        else:
            yield Text(_link(match))
    yield Text(text[at:])


def _link(match: re.Match[str]) -> str:
    label = match["label"].strip()
    if match["image"]:
        return f"{label or 'image'} (image removed)"
    return label if label == match["address"] else f"{label} ({match['address']})".strip()


def _merged(tokens: Iterator[Inline]) -> Iterator[Inline]:
    """Join neighbouring texts and leave out empty ones."""
    words = ""
    for token in tokens:
        if isinstance(token, Text):
            words += token.text
            continue
        if words:
            yield Text(words)
            words = ""
        yield token
    if words:
        yield Text(words)
