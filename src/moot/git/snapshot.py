"""The work tree as it stands, as a tree object in moot's store. Reads the person's files, writes none of them.

Every call works on a scratch index. Paths reach git NUL-separated on standard input, never as arguments: there they
would be patterns. What cannot be part of a change is left out and named in the notes.

Filters (`.gitattributes`: `filter=NAME`) are not run. Git LFS's is computed (`git.lfs`) where the person has it
configured; files under another configured filter keep the content they have in the index, because what lies on disk
is not what would be committed, and may be exactly what must not be shown (git-crypt).
"""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.core.errors import RepositoryError
from moot.git import lfs
from moot.git.index import Entries, Stage, parse_attribute, parse_differing, parse_entries, parse_paths
from moot.git.paths import listed
from moot.git.repository import Repository
from moot.git.run import Git, plain
from moot.git.scratch import Scratch, scratch
from moot.git.sorting import Files, Kind, Sorted, sort
from moot.git.store import Store
from moot.git.submodules import dirty_submodules

MAX_UNTRACKED = 50_000  # paths; more are no change but a forgotten ignore rule
MAX_FILE_BYTES = 50 * 1024 * 1024  # of one changed or untracked file

_IGNORING = b"Ignoring path "  # how update-index says that it does not track such a name


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a work tree is taken: untracked paths in all, bytes of one file."""

    untracked: int = MAX_UNTRACKED
    file_bytes: int = MAX_FILE_BYTES


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A frozen work tree: the tree's id, and one line for each thing that is not in it as a person might expect."""

    tree: str
    notes: tuple[str, ...]


async def snapshot(
    git: Git, repository: Repository, store: Store, home: Path, bounds: Bounds | None = None
) -> Snapshot:
    """Write the work tree's content as a tree: tracked and untracked files that are not ignored.

    Args:
        home: moot's own directory, which is no part of a work tree it happens to lie in.

    Raises:
        RepositoryError: there are too many untracked paths, or git cannot read a file.
    """
    assert repository.top is not None
    bounds = bounds or Bounds()
    with scratch(
        objects=store.objects,
        object_format=repository.object_format,
        work_tree=repository.top,
        git_dir=repository.git_dir,
        common_dir=repository.common_dir,
        settings=repository.settings,
        exclude=(home,),
    ) as view:
        differing, others, staged = await asyncio.gather(
            # `dirty` compares a submodule's commit, and does not start git inside it.
            git(view.place, "diff-files", "--raw", "-z", "--no-abbrev", "--ignore-submodules=dirty"),
            git(view.place, "ls-files", "--others", "-z", "--exclude-standard"),
            git(view.place, "ls-files", "--stage", "-v", "-z"),
        )
        known, untracked, changed = parse_entries(staged), parse_paths(others), parse_differing(differing)
        if len(untracked) > bounds.untracked:
            raise RepositoryError(
                f"{len(untracked):,} untracked files are more than the {bounds.untracked:,} moot looks at",
                where=str(repository.root),
                next_step="ignore them in .gitignore, or review committed work only: moot review HEAD",
            )
        files = Files(repository.top)
        paths = sort(files, changed, untracked, known.submodules, bounds.file_bytes)
        filters = await _filters(git, view, repository, files, paths.content)
        modes = {d.path: d.mode for d in changed}
        info = await _pointer_entries(git, view, repository, files, filters.pointers, modes)
        info += [_removed(path, repository) for path in paths.gone]
        left_out = (*paths.too_large, *paths.unreadable, *(p for group in filters.left_out.values() for p in group))
        for path in known.unmerged.keys() & set(left_out):
            info += _settled(path, known.unmerged[path], repository)
        dirty, untrackable = await asyncio.gather(
            dirty_submodules(git, repository, known.submodules), _update(git, view, info, filters.content)
        )
        tree = (await git(view.place, "write-tree", "--missing-ok")).decode().strip()
    notes = _notes(repository, known, paths, filters.left_out, dirty, untrackable, bounds)
    return Snapshot(tree, notes)


@dataclass(frozen=True, slots=True)
class _Filtered:
    """Content paths git can take, LFS pointers to stand for others, and paths whose filter is not run, by filter."""

    content: Sequence[bytes]
    pointers: Mapping[bytes, bytes]
    left_out: Mapping[str, list[bytes]]


async def _filters(
    git: Git, view: Scratch, repository: Repository, files: Files, content: Sequence[bytes]
) -> _Filtered:
    configured = repository.filters
    if not configured or not content:
        return _Filtered(content, {}, {})
    printed = await git(view.place, "check-attr", "-z", "--stdin", "filter", stdin=_nul(content))
    names = parse_attribute(printed)
    plain_content: list[bytes] = []
    pointers: dict[bytes, bytes] = {}
    left_out: dict[str, list[bytes]] = {}
    for path in content:
        name = names.get(path, "")
        if name not in configured or files.look(path)[0] is not Kind.FILE:
            plain_content.append(path)
        elif name == "lfs":
            pointers[path] = lfs.pointer(files.path(path))
        else:
            left_out.setdefault(name, []).append(path)
    return _Filtered(plain_content, pointers, left_out)


async def _pointer_entries(
    git: Git,
    view: Scratch,
    repository: Repository,
    files: Files,
    pointers: Mapping[bytes, bytes],
    modes: Mapping[bytes, str],
) -> list[bytes]:
    """Write LFS pointers to the store. Return their index entries."""
    if not pointers:
        return []
    folder = view.path / "pointers"
    folder.mkdir()
    for number, content in enumerate(pointers.values()):
        (folder / str(number)).write_bytes(content)
    names = "".join(f"{folder}/{number}\n" for number in range(len(pointers)))
    hashed = await git(view.place, "hash-object", "-w", "--no-filters", "--stdin-paths", stdin=names.encode())

    def mode(path: bytes) -> str:
        found = files.look(path)[1]
        if modes.get(path, "").startswith("10") and not repository.is_set("core.filemode", default=True):
            return modes[path]
        return "100755" if found is not None and found.st_mode & stat.S_IXUSR else "100644"

    return [
        f"{mode(path)} {oid}\t".encode() + path + b"\0"
        for path, oid in zip(pointers, hashed.decode().split(), strict=True)
    ]


def _removed(path: bytes, repository: Repository) -> bytes:
    zero = b"0" * (64 if repository.object_format == "sha256" else 40)
    return b"0 " + zero + b"\t" + path + b"\0"


def _settled(path: bytes, sides: Iterable[Stage], repository: Repository) -> list[bytes]:
    """Index entries that settle a conflict for our side, where it has the path."""
    ours = [f"{s.mode} {s.oid}\t".encode() + path + b"\0" for s in sides if s.stage == 2]
    return [_removed(path, repository), *ours]


async def _update(git: Git, view: Scratch, info: Sequence[bytes], content: Sequence[bytes]) -> list[bytes]:
    """Bring the scratch index up to date. Return the paths git does not track, whatever is done (`.GIT/x`)."""
    if info:
        await git(view.place, "update-index", "-z", "--index-info", stdin=b"".join(info))
    if not content:
        return []
    # --replace: a file may now stand where there was a directory; --remove: it may just have been deleted.
    update = ("update-index", "--add", "--replace", "--remove", "-z", "--stdin")
    done = await git.run(view.place, *update, stdin=_nul(content))
    if not done.ok:
        said = [line for line in done.err.splitlines() if not line.startswith(_IGNORING)]
        reason = "; ".join(plain(line.decode(errors="replace")) for line in said[:2])  # the second names the path
        raise RepositoryError(f"cannot freeze the work tree: {reason}", where=str(view.place.cwd))
    return [line.removeprefix(_IGNORING) for line in done.err.splitlines() if line.startswith(_IGNORING)]


def _nul(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _notes(
    repository: Repository,
    known: Entries,
    paths: Sorted,
    filtered: Mapping[str, list[bytes]],
    dirty: Sequence[bytes],
    untrackable: Sequence[bytes],
    bounds: Bounds,
) -> tuple[str, ...]:
    # In a sparse checkout most files are skipped, as the person wants it; elsewhere the flag hides edits.
    skipped = () if repository.is_set("core.sparsecheckout") else known.skipped
    said: list[tuple[str, Sequence[bytes]]] = [
        ("in conflict, taken as the work tree has them", tuple(known.unmerged)),
        ("submodules with work of their own that is not part of the change", dirty),
        ("nested repositories left out", paths.nested),
        (f"left out, larger than {bounds.file_bytes // 1024**2} MB", paths.too_large),
        ("left out, not readable", paths.unreadable),
        ("neither file nor link, taken as removed", paths.special),
        ("left out, git does not track such names", untrackable),
        ("marked assume-unchanged or skip-worktree, edits there are not seen", (*known.assumed, *skipped)),
        *((f"left out, moot does not run the filter {plain(name)}", group) for name, group in filtered.items()),
    ]
    return tuple(f"{what}: {listed(group)}" for what, group in said if group)
