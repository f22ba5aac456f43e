"""Source code as HTML with a handful of classes, so that the page's own style sheet can colour both schemes."""

# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import itemgetter
from pathlib import PurePosixPath

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from moot.reports import safe

#: Longer lines are data, not code: they are shown plain, cut, and never given to a lexer.
LONGEST_LINE = 1000

#: The first kind a token belongs to names its class; everything else stays plain.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Token.Comment, "hc"),
    (Token.Literal.String, "hs"),
    (Token.Literal.Number, "hn"),
    (Token.Keyword, "hk"),
    (Token.Operator.Word, "hk"),
    (Token.Name.Tag, "hk"),
    (Token.Name.Function, "hf"),
    (Token.Name.Class, "hf"),
    (Token.Name.Decorator, "hf"),
    (Token.Name.Builtin, "hb"),
    (Token.Name.Attribute, "hb"),
    (Token.Name.Constant, "hb"),
)


def by_path(lines: Sequence[str], path: str) -> list[Markup]:
    """Return each line as HTML, coloured by what the file's name says it is."""
    return _highlight(lines, lexer_for(PurePosixPath(path).name))


def by_language(lines: Sequence[str], language: str) -> list[Markup]:
    """Return each line as HTML, coloured by what its author called the language."""
    return _highlight(lines, _lexer_named(language.lower()))


def _highlight(lines: Sequence[str], lexer: Lexer | None) -> list[Markup]:
    clean = [safe.code(line) for line in lines]
    if lexer is None or any(len(line) > LONGEST_LINE for line in clean):
        return [escape(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…") for line in clean]
    done: list[list[Markup]] = [[]]
    for kind, text in lexer.get_tokens("\n".join(clean)):
        name = _class_of(kind)
        for i, part in enumerate(text.split("\n")):
            if i:
                done.append([])
            if part:
                done[-1].append(Markup('<span class="{}">{}</span>').format(name, part) if name else escape(part))
    return [Markup("").join(parts) for parts in done[: len(clean)]] + [Markup("")] * (len(clean) - len(done))


@cache
def _class_of(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if kind in parent), "")


@cache
def lexer_for(name: str) -> Lexer | None:
    """Return the lexer for a file name, None for plain text.

    The choice is that of `pygments.lexers.get_lexer_for_filename`, which compiles hundreds of patterns first.
    """
    patterns = {name, *(f"*{name[i:]}" for i, char in enumerate(name) if char == ".")}
    rated: list[tuple[float, Lexer]] = []
    for _, aliases, known, _ in get_all_lexers(plugins=False):
        found = patterns.intersection(known)
        if aliases and found and (lexer := _lexer_named(aliases[0])) is not None:
            rated.append((lexer.priority + (0.5 if name in found else 0.0), lexer))
    return max(reversed(rated), key=itemgetter(0))[1] if rated else None


@cache
def _lexer_named(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None
