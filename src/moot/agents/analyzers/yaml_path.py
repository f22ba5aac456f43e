"""Find the line of a YAML file that a JSON path (`$.jobs.build.steps[2].run`) points at.

Schema checkers name the place by path; a reviewer needs the line. This reads block style by indentation alone, which
is what people write by hand; inside anything else (flow style, anchors merged in) the nearest line found so far is
the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]|\[['\"](.*?)['\"]\]|\.['\"](.*?)['\"]")
_KEY = re.compile(
    r"""(?P<dashes>(?:-\s+)*)(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<plain>[^\s'"#\[{][^:#]*?))\s*:(?:\s|$)"""
)


def locate(lines: Sequence[str], path: str) -> int:
    """Return the 1-based line of the deepest part of `path` that can be found; 1 when none can."""
    first, last, indent, found = 0, len(lines), -1, 0
    for key, index, quoted, dotted in _STEP.findall(path):
        step = (
            _item(lines, first, last, indent, int(index))
            if index
            else _entry(lines, first, last, indent, key or quoted or dotted)
        )
        if step is None:
            break
        found, indent = step
        first, last = found, _block_end(lines, found, indent)
    return found + 1


def _entry(lines: Sequence[str], first: int, last: int, above: int, name: str) -> tuple[int, int] | None:
    """Find the mapping entry `name` among the direct children of a node indented by `above`."""
    level: int | None = None
    for number in range(first, last):
        match = _KEY.match(lines[number].lstrip())
        if match is None:
            continue
        # `- key:` holds the key deeper than the dash stands.
        indent = _indent(lines[number]) + len(match["dashes"])
        if indent <= above:
            continue
        level = indent if level is None else level
        if indent == level and name in (match["double"], match["single"], match["plain"]):
            return number, indent
    return None


def _item(lines: Sequence[str], first: int, last: int, above: int, index: int) -> tuple[int, int] | None:
    """Find the sequence item `index` below a key indented by `above`; items may stand as deep as their key."""
    level: int | None = None
    for number in range(first + (above >= 0), last):
        if not re.match(r"\s*-(\s|$)", lines[number]):
            continue
        indent = _indent(lines[number])
        if indent < above:
            continue
        level = indent if level is None else level
        if indent == level:
            if index == 0:
                return number, indent
            index -= 1
    return None


def _block_end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the first line after `start` that no longer belongs to the node indented by `indent`."""
    for number in range(start + 1, len(lines)):
        text = lines[number].strip()
        if not text or text.startswith("#"):
            continue
        here = _indent(lines[number])
        if here < indent or (here == indent and not text.startswith("-")):
            return number
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
