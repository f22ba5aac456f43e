"""Untrusted text made safe to show: nothing an agent or a repository wrote reaches a terminal as a command.

What counts as an escape sequence follows ECMA-48 (CSI, OSC, DCS, …) in its 7-bit and 8-bit forms; what counts as
a reordering or invisible character follows Unicode UAX #9 and the "Trojan Source" paper.
"""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    r"""
      (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]                                        # CSI: colours, cursor
    | (?: \x1b[\]PX^_] | [\x9d\x90\x98\x9e\x9f] )                                    # OSC, DCS, APC …
      [^\x07\x1b\x90\x98\x9c-\x9f]*+ (?: \x07 | \x1b\\ | \x9c )
    | \x1b [ -/]* [0-~]                                                              # two-character escapes
    """,
    re.VERBOSE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_REORDERING = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = r"\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_DECEPTIVE = re.compile(f"[{_REORDERING}{_INVISIBLE}]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BREAK = re.compile(r"\r\n?|[\u2028\u2029]")
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """Return `text` with lines and tabs kept, escape sequences and control characters gone.

    Reordering and invisible characters become visible (`<U+202E>`), lone surrogates the replacement character.
    """
    text = _BREAK.sub("\n", _SEQUENCE.sub("", text))
    return _visible(_CONTROL.sub("", text))


def line(text: str) -> str:
    """Return `text` cleaned and on one line, runs of white space collapsed."""
    return _SPACES.sub(" ", clean(text)).strip()


def path(text: str) -> str:
    """Return a path in which every character that could act is written as an escape (`\\x1b`, `\\u202e`).

    Nothing is removed: two different paths stay different.
    """
    return "".join(_escaped(c) if _acts(c) else c for c in text)


def code(text: str) -> str:
    """Return one line of source. Control characters become visible (`␛`, `<U+009B>`), tabs stay, nothing is removed."""
    pictured = "".join(chr(0x2400 + ord(c)) if c < " " and c != "\t" else c for c in text)
    return _visible(_CONTROL.sub(_named, pictured))


def _visible(text: str) -> str:
    text = _DECEPTIVE.sub(_named, text)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _named(character: re.Match[str]) -> str:
    return f"<U+{ord(character.group()):04X}>"


def _acts(c: str) -> bool:
    return not c.isprintable() or bool(_DECEPTIVE.match(c))


def _escaped(c: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(c)
    if short:
        return short
    number = ord(c)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
