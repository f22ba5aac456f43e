"""The diff of a frozen change: git's own list of files joined with the hunks of its patch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from moot.core.change import Change, FileDiff, FileStatus, FrozenDiff, Line, LineKind
from moot.core.errors import RepositoryError
from moot.git.hunks import Patch, Section
from moot.git.index import GITLINK
from moot.git.paths import readable
from moot.git.run import Git
from moot.git.store import at

_STATUS = {
    "A": FileStatus.ADDED,
    "D": FileStatus.DELETED,
    "M": FileStatus.MODIFIED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "T": FileStatus.TYPECHANGED,
}

# What decides how a diff looks is said here, so that it does not depend on the version's defaults.
_DIFF = (
    *("diff-tree", "-r", "-z", "--raw", "--patch", "--full-index", "--no-abbrev", "--no-color"),
    *(
        "--no-ext-diff",
        "--no-textconv",
        "--find-renames=50%",
        "--no-rename-empty",
        "--diff-algorithm=myers",
        "--indent-heuristic",
    ),
    *("--unified=3", "--inter-hunk-context=0", "--submodule=short", "--ignore-submodules=none"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)


async def read_diff(git: Git, change: Change) -> FrozenDiff:
    """Return what the change does, from its merge base to its head.

    Raises:
        RepositoryError: an object is missing, or git printed what cannot be read.
    """
    done = await git.run(at(change.store).place, *_DIFF, change.merge_base, change.head)
    if not done.ok:
        raise RepositoryError(
            "the change cannot be read: an object is missing",
            where=change.repo,
            next_step=f"git diff {change.merge_base[:12]} {(change.head_tip or change.head)[:12]} in the repository "
            "says which, and fetches it into a partial clone",
        )
    raw, patch = split(done.out)
    return FrozenDiff(change, parse(patch, raw))


def split(printed: bytes) -> tuple[bytes, bytes]:
    """Part what `git diff-tree -z --raw --patch` prints: NUL-ended records, an empty one, the patch."""
    end = 0
    for record in _records(printed):
        end = record.end
    return printed[:end], printed[end:].removeprefix(b"\0")


def parse(patch: bytes, raw: bytes) -> tuple[FileDiff, ...]:
    """Return the files of a diff, in git's order.

    Which files there are, their names and their object ids come from `raw`; the patch only adds the lines. Its
    sections stand in the same order, and where they name objects these must be the same.

    Args:
        patch: what `git diff-tree -z --patch --full-index` prints after the records.
        raw: what `git diff-tree -z --raw` prints.

    Raises:
        RepositoryError: the two do not belong together, or are not what git prints.
    """
    reader = Patch(patch)
    files = tuple(_file(record, reader) for record in _records(raw))
    if not reader.finished:
        raise RepositoryError("git's patch holds more files than its list")
    return files


@dataclass(frozen=True, slots=True)
class _Record:
    """One record of a raw diff. `end` is where it ends in the output."""

    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str
    status: str
    old_path: bytes
    new_path: bytes
    end: int


def _records(raw: bytes) -> Iterator[_Record]:
    """Read `:OLDMODE NEWMODE OLDOID NEWOID STATUS<NUL>PATH<NUL>[PATH<NUL>]`, up to whatever follows."""
    at_byte = 0

    def field() -> bytes:
        nonlocal at_byte
        end = raw.index(b"\0", at_byte)
        value = raw[at_byte:end]
        at_byte = end + 1
        return value

    while raw[at_byte : at_byte + 1] == b":":
        old_mode, new_mode, old_oid, new_oid, status = field().decode("ascii").removeprefix(":").split(" ")
        old_path = field()
        new_path = field() if status[0] in "RC" else old_path
        yield _Record(old_mode, new_mode, old_oid, new_oid, status[0], old_path, new_path, at_byte)


def _file(record: _Record, reader: Patch) -> FileDiff:
    status = _STATUS.get(record.status)
    if status is None:
        raise RepositoryError(f"git lists a file with status {record.status!r}", where=readable(record.new_path))
    # git tells a change of type as a deletion and an addition.
    sections = [reader.section() for _ in range(2 if status is FileStatus.TYPECHANGED else 1)]
    _check(record, sections)
    has_old, has_new = status is not FileStatus.ADDED, status is not FileStatus.DELETED
    hunks = tuple(hunk for section in sections for hunk in section.hunks)
    kinds = [line.kind for hunk in hunks for line in hunk.lines]
    return FileDiff(
        status=status,
        old_path=readable(record.old_path) if has_old else None,
        new_path=readable(record.new_path) if has_new else None,
        old_raw=record.old_path if has_old else None,
        new_raw=record.new_path if has_new else None,
        old_mode=record.old_mode if has_old else None,
        new_mode=record.new_mode if has_new else None,
        old_oid=record.old_oid if has_old else None,
        new_oid=record.new_oid if has_new else None,
        binary=any(section.binary for section in sections),
        submodule=GITLINK in (record.old_mode, record.new_mode),
        added=kinds.count(LineKind.ADDED),
        removed=kinds.count(LineKind.REMOVED),
        hunks=hunks,
    )


def _check(record: _Record, sections: list[Section]) -> None:
    said = (sections[0].old_oid, sections[-1].new_oid)
    listed = (record.old_oid, record.new_oid)
    # A section without object ids is one of equal content: only the name or the mode changed.
    if said != listed and not (said == (None, None) and record.old_oid == record.new_oid):
        raise RepositoryError("git's patch and its list of files do not agree", where=readable(record.new_path))


def render(file: FileDiff) -> str:
    """Return the file's section as unified diff text, for reading: paths are readable ones, never quoted."""
    old = file.old_path if file.old_path is not None else file.new_path
    out = [f"diff --git a/{old} b/{file.path}"]
    if file.old_mode is None:
        out.append(f"new file mode {file.new_mode}")
    elif file.new_mode is None:
        out.append(f"deleted file mode {file.old_mode}")
    elif file.old_mode != file.new_mode:
        out += [f"old mode {file.old_mode}", f"new mode {file.new_mode}"]
    if file.status in (FileStatus.RENAMED, FileStatus.COPIED):
        verb = "rename" if file.status is FileStatus.RENAMED else "copy"
        out += [f"{verb} from {file.old_path}", f"{verb} to {file.new_path}"]
    if file.binary:
        out.append("Binary files differ")
    if file.hunks:
        out.append("--- /dev/null" if file.old_path is None else f"--- a/{file.old_path}")
        out.append("+++ /dev/null" if file.new_path is None else f"+++ b/{file.new_path}")
    for hunk in file.hunks:
        ranges = f"-{_range(hunk.old_start, hunk.old_count)} +{_range(hunk.new_start, hunk.new_count)}"
        out.append(f"@@ {ranges} @@ {hunk.section}".rstrip(" "))
        out += map(_line, hunk.lines)
    return "\n".join(out) + "\n"


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def _line(line: Line) -> str:
    return f"{line.kind}{line.text}" if line.newline else f"{line.kind}{line.text}\n\\ No newline at end of file"
