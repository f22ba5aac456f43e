"""The change files that seats read: one section per path, a receipt under each, in batches of bearable size.

A section shows the hunks with both sides' line numbers and ends with a line `receipt: …`. Every line of code stands
behind its numbers and a bar, so that nothing in a change can pose as a section's head or receipt. Long sections come
in parts with a receipt each: who read half of a file returns half of its receipts. What is not shown is listed as
skipped, with the reason. The same diff gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import PurePosixPath

from moot.core.change import FileDiff, FileStatus, FrozenDiff, Hunk, Line, LineKind
from moot.core.runs import Skipped

#: A part is no longer than this: a page of the reading tools that agents have.
PART_LINES = 400
PART_BYTES = 32 * 1024
#: A longer line is cut; tools cut it too, but say nothing.
MAX_LINE_CHARS = 1500

_DOCUMENTS = frozenset({".md", ".mdx", ".rst", ".txt", ".adoc", ".org", ".tex"})
_LOCKS = re.compile(
    r"(?:.*\.lock|.*-lock\.(?:json|ya?ml)|.*\.lockb|npm-shrinkwrap\.json|go\.sum|packages\.lock\.json|gradle\.lockfile"
    r"|Package\.resolved)\Z"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Batch:
    """One change file: its text, and the paths it shows, wholly or in part."""

    text: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """What the seats are given to read.

    Args:
        receipts: token to the path whose section, or part of a section, it ends.
    """

    batches: tuple[Batch, ...]
    skipped: tuple[Skipped, ...]
    receipts: Mapping[str, str]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths there are to read, in the order they are shown."""
        return tuple(dict.fromkeys(self.receipts.values()))

    def read_with(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """Return the paths all of whose receipts are among the tokens."""
        shown = set(tokens)
        missing = {path for token, path in self.receipts.items() if token not in shown}
        return tuple(p for p in self.paths if p not in missing)


@dataclass(frozen=True, slots=True)
class _Part:
    path: str
    text: str
    token: str

    @property
    def size(self) -> int:
        return len(self.text.encode("utf-8", "replace"))


def material(
    diff: FrozenDiff,
    token: Callable[[str], str],
    exclude: Sequence[str],
    max_file_bytes: int,
    batch_bytes: int,
) -> Material:
    """Lay out a change for reading.

    Args:
        token: a section's name to its receipt (`receipts.minter`).
        exclude: patterns of paths not to show: `name` and `*.ext` match anywhere, `name/` a directory and all below
            it, `a/b*` from the top.
        max_file_bytes: a file whose section is larger is skipped.
        batch_bytes: how large a change file may become; a single part never is larger.
    """
    skipped: list[Skipped] = []
    parts: list[list[_Part]] = []
    patterns = [(pattern, excluding(pattern)) for pattern in exclude]
    for file in sorted(diff.files, key=_order):
        why = _why_skipped(file, patterns) or _too_large(file, max_file_bytes)
        if why is not None:
            skipped.append(Skipped(file.path, why))
        else:
            parts.append(list(_section(file, token)))
    packed = list(_packed(parts, batch_bytes))
    return Material(
        batches=tuple(_batch(diff, n, len(packed), inside) for n, inside in enumerate(packed, 1)),
        skipped=tuple(sorted(skipped, key=lambda s: s.path)),
        receipts={p.token: p.path for section in parts for p in section},
    )


def excluding(pattern: str) -> re.Pattern[str]:
    """Return what a pattern of `[change] exclude` matches, to be used with `match` on a whole path."""
    if pattern.endswith("/"):
        begin = "" if "/" in pattern[:-1] else "(?:.*/)?"
        return re.compile(f"{begin}{_glob(pattern[:-1].lstrip('/'))}/")
    begin = "" if "/" in pattern else "(?:.*/)?"
    return re.compile(f"{begin}{_glob(pattern.lstrip('/'))}\\Z")


def _glob(pattern: str) -> str:
    return translate(pattern).removesuffix(r"\Z").removesuffix(r"\z")


def _why_skipped(file: FileDiff, patterns: Iterable[tuple[str, re.Pattern[str]]]) -> str | None:
    if file.submodule:
        return "submodule"
    for pattern, matches in patterns:
        if matches.match(file.path):
            return f"generated or vendored ({pattern})"
    return "binary" if file.binary else None


def _too_large(file: FileDiff, limit: int) -> str | None:
    size = sum(len(line.text.encode("utf-8", "replace")) + 1 for hunk in file.hunks for line in hunk.lines)
    return f"too large ({size // 1024} KB of changes)" if size > limit else None


def _order(file: FileDiff) -> tuple[int, str, str]:
    """Code before documents, lock files last; within that by directory."""
    path = PurePosixPath(file.path)
    rank = 2 if _LOCKS.match(path.name) else 1 if path.suffix.lower() in _DOCUMENTS else 0
    return rank, str(path.parent), file.path


def _section(file: FileDiff, token: Callable[[str], str]) -> Iterator[_Part]:
    bodies = list(_pages(file.hunks)) or [[]]
    for n, body in enumerate(bodies, 1):
        head = _head(file) if len(bodies) == 1 else f"{_head(file)}, part {n} of {len(bodies)}"
        receipt = token(file.path if len(bodies) == 1 else f"{file.path}\0{n}/{len(bodies)}")
        yield _Part(file.path, "\n".join([head, *body, f"receipt: {receipt}", ""]), receipt)


def _head(file: FileDiff) -> str:
    facts = [file.status.value]
    if file.status in (FileStatus.RENAMED, FileStatus.COPIED) and file.old_path is not None:
        facts = [f"{file.status.value} from {_plain(file.old_path)}"]
    if file.old_mode != file.new_mode and file.old_mode is not None and file.new_mode is not None:
        facts.append(f"mode {file.old_mode} to {file.new_mode}")
    facts.append(f"+{file.added} -{file.removed}" if file.hunks else "no change of text")
    if _returns(file, LineKind.REMOVED) != _returns(file, LineKind.ADDED) and file.added and file.removed:
        facts.append("carriage returns change")
    return f"## {_plain(file.path)} ({', '.join(facts)})"


def _returns(file: FileDiff, kind: LineKind) -> bool:
    return any(line.text.endswith("\r") for hunk in file.hunks for line in hunk.lines if line.kind is kind)


def _pages(hunks: Iterable[Hunk]) -> Iterator[list[str]]:
    page: list[str] = []
    size = 0
    for hunk in hunks:
        width = len(str(max(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count)))
        head = f"@@ old {_range(hunk.old_start, hunk.old_count)}, new {_range(hunk.new_start, hunk.new_count)} @@"
        head += f" {_plain(hunk.section)}" if hunk.section else ""
        for n, line in enumerate(hunk.lines):
            row = _row(line, width)
            length = len(row.encode("utf-8", "replace")) + 1
            if page and (len(page) >= PART_LINES or size + length > PART_BYTES):
                yield page
                page, size = [], 0
            if n == 0:
                page.append(head)
            elif not page:
                page.append(f"{head} (continued)")
            page.append(row)
            if not line.newline:
                page.append("\\ no line feed at the end of the file")
            size += length
    if page:
        yield page


def _range(start: int, count: int) -> str:
    return f"{start}-{start + count - 1}" if count > 1 else f"{start}" if count else "none"


def _row(line: Line, width: int) -> str:
    old = "" if line.old is None else str(line.old)
    new = "" if line.new is None else str(line.new)
    text = line.text.removesuffix("\r")
    if len(text) > MAX_LINE_CHARS:
        text = f"{text[:MAX_LINE_CHARS]}… [{len(text) - MAX_LINE_CHARS} more characters]"
    return f"{old:>{width}} {new:>{width}} {line.kind.value}|{_plain(text)}"


def _plain(text: str) -> str:
    """Make control characters visible: none of them may start a new line or hide what follows."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", text.replace("\n", "\\n"))


def _packed(sections: Iterable[Sequence[_Part]], limit: int) -> Iterator[list[_Part]]:
    """Fill batches in order, keeping a directory together where it fits into one."""
    batch: list[_Part] = []
    size = 0
    for group in _directories(sections):
        together = sum(p.size for p in group)
        if batch and size + together > limit:
            yield batch
            batch, size = [], 0
        for part in group:
            if batch and size + part.size > limit:
                yield batch
                batch, size = [], 0
            batch.append(part)
            size += part.size
    if batch:
        yield batch


def _directories(sections: Iterable[Sequence[_Part]]) -> Iterator[list[_Part]]:
    group: list[_Part] = []
    for section in sections:
        if group and PurePosixPath(group[0].path).parent != PurePosixPath(section[0].path).parent:
            yield group
            group = []
        group.extend(section)
    if group:
        yield group


def _batch(diff: FrozenDiff, number: int, count: int, parts: Sequence[_Part]) -> Batch:
    paths = tuple(dict.fromkeys(p.path for p in parts))
    change = diff.change
    which = f", file {number} of {count}" if count > 1 else ""
    intro = [
        f"# {_plain(change.head_name)} against {_plain(change.base_name)}{which}",
        "",
        f"{change.merge_base[:12]}..{change.head[:12]}, {len(paths)} path{'s' * (len(paths) != 1)} here.",
        "Rows: old line number, new line number, + added or - removed, a bar, the line.",
        "",
        "",
    ]
    return Batch("\n".join(intro) + "\n".join(p.text for p in parts), paths)
