"""On which line of a TOML text each key stands: tomllib does not say."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from moot.config.tables import KeyPath

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})' r"|'''.*?'''(?:'{0,2})" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]+")


@lru_cache(maxsize=32)
def scan(text: str) -> Mapping[KeyPath, int]:
    """Return the 1-based line of every table, key and array item of `text`, which tomllib has accepted.

    A table without a header of its own (`a` in `[a.b]` or `a.b = 1`) stands where it is first mentioned.
    """
    return MappingProxyType(_Scanner(text).document())


def line_of(text: str, path: KeyPath) -> int | None:
    """Return the line of `path`, or of its nearest parent that stands in the text; None when none does."""
    lines = scan(text)
    for end in range(len(path), 0, -1):
        line = lines.get(path[:end])
        if line is not None:
            return line
    return None


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[KeyPath, int] = {}
        self.breaks = [i for i, char in enumerate(text) if char == "\n"]
        self.last_item: dict[KeyPath, int] = {}  # array of tables → number of its latest element

    def document(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self.more():
            start = self.at
            if self.accept("[["):
                table = self.below((), self.key("]]"), start, item=True)
            elif self.accept("["):
                table = self.below((), self.key("]"), start)
            else:
                self.pair(table)
        return self.found

    def pair(self, table: KeyPath) -> None:
        start = self.at
        self.value(self.below(table, self.key("="), start))

    def value(self, path: KeyPath) -> None:
        self.skip(_SPACE)
        if self.accept("["):
            index = 0
            while self.more() and not self.accept("]"):
                self.record((*path, index), self.at)
                self.value((*path, index))
                index += 1
                self.more()
                self.accept(",")
        elif self.accept("{"):
            while self.more() and not self.accept("}"):
                self.pair(path)
                self.more()
                self.accept(",")
        elif not self.skip(_STRING):
            self.skip(_BARE_VALUE)

    def key(self, end: str) -> tuple[str, ...]:
        parts: list[str] = []
        while not self.accept(end) and self.at < len(self.text):
            start = self.at
            if self.skip(_BARE_KEY):
                parts.append(self.text[start : self.at])
            elif self.skip(_STRING):
                parts.append(tomllib.loads(f"key = {self.text[start : self.at]}")["key"])
            else:
                self.at += 1  # a dot or a space
        return tuple(parts)

    def below(self, table: KeyPath, key: tuple[str, ...], start: int, *, item: bool = False) -> KeyPath:
        """Record `key` under `table` and return its full path, array elements counted."""
        path = table
        for depth, part in enumerate(key):
            path = (*path, part)
            self.record(path, start)
            if item and depth == len(key) - 1:
                self.last_item[path] = self.last_item.get(path, -1) + 1
            if path in self.last_item:
                path = (*path, self.last_item[path])
                self.record(path, start)
        return path

    def record(self, path: KeyPath, start: int) -> None:
        self.found.setdefault(path, bisect_right(self.breaks, start - 1) + 1)

    def more(self) -> bool:
        self.skip(_BLANK)
        return self.at < len(self.text)

    def accept(self, token: str) -> bool:
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.text, self.at)
        if not found:
            return False
        self.at = found.end()
        return True
