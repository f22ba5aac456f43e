"""JSON objects inside a text, found in one pass: a reply may be fenced, stand in prose, or be hostile.

A value is looked for at each opening brace. When reading fails, every bracket still open has failed with it, so the
search goes on behind the innermost of them and never re-reads what nested brackets have already ruled out. That keeps
a megabyte of `{` or of half-open lists linear; a budget of looks stands behind it for what nobody thought of.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from moot.core.data import JSON

#: Deeper than any reply; what goes deeper is not one.
MAX_DEPTH = 100
#: Characters looked at, for each character of the text.
_LOOKS = 8

_BEGINNING = re.compile(r'\{(?=[ \t\r\n]*+["}])')
_BROKEN_OFF = re.compile(r'[ \t\r\n]*+(?:"(?:[^"\\]++|\\.)*+\\?)?\Z', re.DOTALL)
_STRING = r'"(?:[^"\\]++|\\.)*+"'
_SIGN = r"[{}\[\],:]"
_PLAIN = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+|true|false|null"
_TOKEN = re.compile(rf"[ \t\r\n]*+(?:({_STRING})|({_SIGN})|{_PLAIN})", re.DOTALL)


class Scan:
    """One search for objects. `looked` counts the characters read, those read again included.

    `spans` are begin and end of the outermost complete objects, from left to right; `cut` is where an object begins
    that the text's end breaks off.
    """

    def __init__(self, text: str) -> None:
        self.spans: list[tuple[int, int]] = []
        self.cut: int | None = None
        self.looked = 0
        self._text = text
        self._ends: dict[int, int] = {}
        budget = _LOOKS * len(text) + 1000
        beginning = _BEGINNING.search(text)
        while beginning is not None and self.looked < budget:
            beginning = _BEGINNING.search(text, self._read(beginning.start()))

    def _read(self, start: int) -> int:
        """Read an object that begins at `start`, note every object in it, and return where to search on."""
        text, open_, state = self._text, [start], "key?"
        kinds = [text[start]]
        at = start + 1
        while open_:
            token = _TOKEN.match(text, at)
            if token is None:
                if self.cut is None and _BROKEN_OFF.match(text, at):
                    self.cut = start
                return open_[-1] + 1
            self.looked += token.end() - at
            at = token.end()
            string, sign = token.groups()
            state = _next(state, kinds[-1], string is not None, sign)
            if state == "open":
                if len(open_) >= MAX_DEPTH:
                    return at
                skip = self._ends.get(at - 1)
                if skip is not None:
                    at, state = skip, "after"
                    continue
                open_.append(at - 1)
                kinds.append(sign)
                state = "key?" if sign == "{" else "value?"
            elif state == "close":
                begun = open_.pop()
                if kinds.pop() == "{":
                    self._note(begun, at)
                state = "after"
            elif state == "wrong":
                return open_[-1] + 1
        return at

    def _note(self, begun: int, end: int) -> None:
        self._ends[begun] = end
        while self.spans and self.spans[-1][0] > begun:
            self.spans.pop()
        self.spans.append((begun, end))


@dataclass(frozen=True, slots=True)
class Objects:
    """The outermost JSON objects of a text, from first to last.

    `cut`: the text ends in the middle of an object; then only what stands complete inside of that one counts.
    """

    values: tuple[JSON, ...]
    cut: bool


def objects(text: str) -> Objects:
    """Return the JSON objects that stand in a text."""
    scan = Scan(text)
    found: list[JSON] = []
    for begin, end in scan.spans:
        if scan.cut is not None and begin < scan.cut:
            continue
        try:
            found.append(json.loads(text[begin:end], strict=False, parse_constant=_refuse))
        except ValueError:
            continue  # a number too long to hold
    return Objects(tuple(found), scan.cut is not None)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _next(state: str, kind: str, is_string: bool, sign: str | None) -> str:
    """Return what comes after a token, by JSON's grammar: a state, `open`, `close` or `wrong`."""
    if state in ("key?", "key"):
        if is_string:
            return "colon"
        return "close" if state == "key?" and sign == "}" else "wrong"
    if state == "colon":
        return "value" if sign == ":" else "wrong"
    if state in ("value?", "value"):
        if state == "value?" and sign == "]":
            return "close"
        if sign is None:
            return "after"
        return "open" if sign in "{[" else "wrong"
    if sign == ",":
        return "key" if kind == "{" else "value"
    return "close" if sign == ("}" if kind == "{" else "]") else "wrong"
