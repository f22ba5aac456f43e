"""Agents' text made inert on GitHub: it notifies nobody, links and closes nothing, loads nothing, commands no bot.

GitHub looks for mentions and references in rendered text but never in code, and bots read raw lines; so whatever
could act becomes a code span, and all other Markdown and HTML is escaped. What counts as a mention, a reference and
a closing keyword follows GitHub's documentation on autolinked references and on linking issues.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from moot.reports import markup, safe

_ACTIVE = re.compile(
    r"""
      (?: [a-z][a-z0-9+.-]{1,20}:// | www\. ) [^\s<>"'`()\[\]|]*            # addresses
    | (?: (?<![\w.+-]) [\w.+-]* )? @ [\w.-]* \w [\w./-]*                   # mentions, mail addresses, package@version
    | (?: (?<![\w.-]) [\w.-]+ / [\w.-]+ )? \# \d+                          # issue references
    | GH-\d+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TRAILING = ".,;:!?"
_COMMAND = re.compile(r"/[\w-]+")
_SPECIAL = re.compile(r"[\\`*\[\]~|$<>&]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_LEADING = re.compile(r"^(?P<number>\d+)?(?P<mark>(?(number)[.)]|[-+=#]))")
_BACKTICKS = re.compile(r"`+")
_DRAWN = frozenset({"suggestion", "mermaid", "math", "geojson", "topojson", "stl"})  # GitHub does more than show these
_CODE_COMMAND = re.compile(r"^(?=/[A-Za-z])", re.MULTILINE)


def text(words: str) -> str:
    """Return one line of plain words as Markdown that shows exactly them and does nothing."""
    words = safe.line(words)
    parts, at = [], 0
    for start, end in _active(words):
        parts += [_escape(words[at:start]), span(words[start:end])]
        at = end
    parts.append(_escape(words[at:]))
    return _LEADING.sub(r"\g<number>\\\g<mark>", "".join(parts))


def line(words: str) -> str:
    """Return an agent's prose of one line as Markdown: code spans and emphasis stay, nothing in it acts."""
    return _inlines(markup.inlines(safe.line(words)))


def span(code: str, *, in_table: bool = False) -> str:
    """Return `code` as a code span of one line."""
    code = safe.line(code) or " "
    if in_table:
        code = code.replace("|", "\\|")
    ticks = "`" * (_longest_run(code) + 1)
    space = " " if code[0] == "`" or code[-1] == "`" else ""
    return f"{ticks}{space}{code}{space}{ticks}"


def fence(code: str, language: str = "") -> str:
    """Return `code` as a fenced block that its own text cannot close.

    A line that begins like a bot's command (`/merge`) is moved by one space, for bots that read raw lines.
    """
    code = _CODE_COMMAND.sub(" ", safe.clean(code))
    ticks = "`" * max(3, _longest_run(code) + 1)
    language = re.sub(r"[^A-Za-z0-9+#-]", "", language)
    return f"{ticks}{'' if language.lower() in _DRAWN else language}\n{code}\n{ticks}"


def prose(words: str) -> str:
    """Return an agent's prose as Markdown: its paragraphs, lists and code stay, nothing in it acts."""
    parts: list[str] = []
    previous: markup.Block | None = None
    for block in markup.parse(words):
        if parts:
            parts.append("\n" if isinstance(previous, markup.Item) and isinstance(block, markup.Item) else "\n\n")
        parts.append(_block(block))
        previous = block
    return "".join(parts)


def in_html(words: str) -> str:
    """Return one line of plain words as HTML inside GitHub's Markdown, where mentions and references act as well."""
    words = safe.line(words)
    parts, at = [], 0
    for start, end in _active(words):
        parts += [html.escape(words[at:start]), f"<code>{html.escape(words[start:end])}</code>"]
        at = end
    return "".join((*parts, html.escape(words[at:])))


def _active(words: str) -> Iterator[tuple[int, int]]:
    """Yield where something stands that GitHub or a bot would act upon. Neighbours without a gap are one."""
    command = _COMMAND.match(words)
    start, end = command.span() if command else (0, 0)
    for match in _ACTIVE.finditer(words, end):
        if match.start() > end:
            if end > start:
                yield start, end
            start = match.start()
        end = match.start() + len(match.group().rstrip(_TRAILING))
    if end > start:
        yield start, end


def _block(block: markup.Block) -> str:
    if isinstance(block, markup.Code):
        return fence(block.text, block.language)
    if isinstance(block, markup.Item):
        return f"{'   ' * block.depth}{block.marker} {_inlines(block.inlines)}"
    return _inlines(block.inlines)


def _inlines(inlines: Iterable[markup.Inline]) -> str:
    whole = ""
    for inline in inlines:
        part = _inline(inline)
        whole += f" {part}" if whole.endswith("`") and part.startswith("`") else part  # or they would be one span
    return whole


def _inline(i: markup.Inline) -> str:
    if isinstance(i, markup.Span):
        return span(i.text)
    before, words, after = _edges(i.text)
    inner = text(words)
    return f"{before}**{inner}**{after}" if isinstance(i, markup.Strong) and inner else f"{before}{inner}{after}"


def _edges(words: str) -> tuple[str, str, str]:
    """Split off the spaces at both ends, which `text` would take away."""
    stripped = words.strip()
    return " " * (words[:1].isspace()), stripped, " " * (words[-1:].isspace() and bool(stripped))


def _escape(words: str) -> str:
    return _SPECIAL.sub(lambda m: _ENTITIES.get(m.group(), f"\\{m.group()}"), words)


def _longest_run(code: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(code)), default=0)
