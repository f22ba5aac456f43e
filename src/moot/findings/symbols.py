"""Which function or class a line stands in, as far as its text and git's own guess tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moot.core.change import Line

_LONGEST = 80
_LONGEST_DEFINITION = 300  # characters; nobody's function begins on a longer line
_FARTHEST_LINES = 400
_DEFINITION = re.compile(
    r"""\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|override|async|pub(?:\([^)]*\))?
    |unsafe|extern|virtual|inline|open|data|sealed|partial|declare)\s+)*
    (?:def|class|func|fn|function\*?|interface|struct|enum|impl|trait|module|namespace|object|protocol|record|macro_rules!)
    \b[\s(<*]""",
    re.VERBOSE,
)
#: `name(arguments) {` in languages without a keyword; `if (…) {` and its like are told by their first word.
_BRACED = re.compile(r"\s*(?:[\w:<>,*&\[\]~.?]+\s+)*([\w$~#]+)\s*\([^;]*\)[^;=]*\{\s*$")
_STATEMENTS = frozenset({"if", "for", "while", "switch", "catch", "else", "return", "with", "do", "try", "match"})
_SPACE = re.compile(r"\s+")


def enclosing(lines: Sequence[Line], at: int, section: str = "") -> str:
    """Return the first line of the innermost definition around the line at position `at`, trimmed, or "".

    Args:
        lines: consecutive lines of one side.
        section: git's function context of their hunk, for when the definition begins above it.
    """
    depth = _indent(lines[at].text)
    if _defines(lines[at].text):
        return _trimmed(lines[at].text)
    for i in range(at - 1, max(-1, at - _FARTHEST_LINES), -1):
        text = lines[i].text
        if not text.strip():
            continue
        indent = _indent(text)
        if indent < depth:
            if _defines(text):
                return _trimmed(text)
            depth = indent
        if depth == 0:
            return ""
    return _trimmed(section)


def _defines(text: str) -> bool:
    if _DEFINITION.match(text):
        return True
    if len(text) > _LONGEST_DEFINITION or not text.rstrip().endswith("{"):
        return False
    braced = _BRACED.match(text)
    return braced is not None and braced[1] not in _STATEMENTS and text.split(None, 1)[0] not in _STATEMENTS


def _indent(text: str) -> int:
    if not text.strip():
        return 1 << 30  # a blank line is inside of whatever surrounds it
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _trimmed(text: str) -> str:
    return _SPACE.sub(" ", text).strip().rstrip("{:").rstrip()[:_LONGEST]
