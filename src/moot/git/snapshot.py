"""The work tree as it stands, as a tree object in moot's store. Reads the person's files, writes none of them.

Every call works on a scratch index. Paths reach git NUL-separated on standard input, never as arguments: there they
would be patterns. What cannot be part of a change is left out and named in the notes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.core.errors import RepositoryError
from moot.git.filters import Filtered, find_filtered
from moot.git.index import (
    Entries,
    nul_ended,
    parse_differing,
    parse_entries,
    parse_paths,
    removal,
    settlement,
)
from moot.git.paths import listed
from moot.git.repository import Repository
from moot.git.run import Git, plain
from moot.git.scratch import Scratch, scratch
from moot.git.sorting import Files, Sorted, sort
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
        known, changed, untracked = parse_entries(staged), parse_differing(differing), parse_paths(others)
        if len(untracked) > bounds.untracked:
            raise RepositoryError(
                f"{len(untracked):,} untracked files are more than the {bounds.untracked:,} moot looks at",
                where=str(repository.root),
                next_step="ignore them in .gitignore, or review committed work only: moot review HEAD",
            )
        files = Files(repository.top)
        paths = sort(files, changed, untracked, frozenset(known.submodules), bounds.file_bytes)
        filtered = await find_filtered(git, view, repository, files, paths, {d.path: d.mode for d in changed})
        paths = paths.without(filtered.paths)
        dirty, untrackable = await asyncio.gather(
            dirty_submodules(git, repository, known.submodules),
            _update(git, view, _corrections(known, paths, filtered, repository.object_format), paths.content),
        )
        tree = (await git(view.place, "write-tree", "--missing-ok")).decode().strip()
    hidden = known.assumed if repository.is_set("core.sparsecheckout") else (*known.assumed, *known.skipped)
    said: list[tuple[str, Sequence[bytes]]] = [
        ("in conflict, taken as the work tree has them", tuple(known.unmerged)),
        ("submodules with work of their own that is not part of the change", dirty),
        ("nested repositories left out", paths.nested),
        (f"left out, larger than {bounds.file_bytes // 1024**2} MB", paths.too_large),
        ("left out, not readable", paths.unreadable),
        ("neither file nor link, taken as removed", paths.special),
        ("left out, git does not track such names", untrackable),
        # In a sparse checkout most files are skipped, as the person wants it; elsewhere the flag hides edits.
        ("marked assume-unchanged or skip-worktree, edits there are not seen", hidden),
        *((f"left out, moot does not run the filter {plain(name)}", left) for name, left in filtered.left_out.items()),
    ]
    return Snapshot(tree, tuple(f"{what}: {listed(which)}" for what, which in said if which))


def _corrections(known: Entries, paths: Sorted, filtered: Filtered, object_format: str) -> bytes:
    """What the scratch index is told before git reads files: deletions, pointers, conflicts of what is left out."""
    left_out = {*paths.too_large, *paths.unreadable, *filtered.paths} - filtered.pointers.keys()
    return b"".join(
        (
            *(removal(path, object_format) for path in paths.gone),
            *(removal(path, object_format) for path in filtered.pointers.keys() & known.unmerged.keys()),
            *filtered.pointers.values(),
            *(settlement(path, sides, object_format) for path, sides in known.unmerged.items() if path in left_out),
        )
    )


async def _update(git: Git, view: Scratch, corrections: bytes, content: Sequence[bytes]) -> list[bytes]:
    """Bring the scratch index up to date. Return the paths git does not track, whatever is done (`.GIT/x`)."""
    if corrections:
        await git(view.place, "update-index", "-z", "--index-info", stdin=corrections)
    if not content:
        return []
    # --replace: a file may now stand where there was a directory; --remove: it may just have been deleted.
    update = ("update-index", "--add", "--replace", "--remove", "-z", "--stdin")
    done = await git.run(view.place, *update, stdin=nul_ended(content))
    if not done.ok:
        said = [line for line in done.err.splitlines() if not line.startswith(_IGNORING)]
        reason = "; ".join(plain(line.decode(errors="replace")) for line in said[:2])  # the second names the path
        raise RepositoryError(f"cannot freeze the work tree: {reason}", where=str(view.place.cwd))
    return [line.removeprefix(_IGNORING) for line in done.err.splitlines() if line.startswith(_IGNORING)]
