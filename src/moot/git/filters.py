"""Files under a filter of `.gitattributes`: what git would commit of them, without running the filter.

Git LFS's is computed (`git.lfs`) where the person has it configured. Files under any other configured filter keep
the content they have in the index: what lies on disk is not what would be committed, and may be exactly what must not
be shown (git-crypt). A filter that is configured nowhere does nothing, for git as here.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.core.errors import RepositoryError
from moot.git import lfs
from moot.git.index import entry, nul_ended, parse_attribute
from moot.git.paths import readable
from moot.git.repository import Repository
from moot.git.run import Git
from moot.git.scratch import Scratch
from moot.git.sorting import Files, Kind, Sorted


@dataclass(frozen=True, slots=True)
class Filtered:
    """What becomes of the files that are under a filter.

    Args:
        pointers: index entries of LFS pointers, by path.
        left_out: paths whose filter is not run, by its name.
    """

    pointers: Mapping[bytes, bytes]
    left_out: Mapping[str, Sequence[bytes]]

    @property
    def paths(self) -> frozenset[bytes]:
        return frozenset((*self.pointers, *(path for group in self.left_out.values() for path in group)))


async def find_filtered(
    git: Git, view: Scratch, repository: Repository, files: Files, paths: Sorted, modes: Mapping[bytes, str]
) -> Filtered:
    """Find the files among `paths` that are under a configured filter, and write the pointers of those under LFS's.

    Args:
        modes: the index's modes of tracked paths.

    Raises:
        RepositoryError: a file cannot be read.
    """
    configured = repository.filters
    asked = (*paths.content, *paths.too_large)
    if not configured or not asked:
        return Filtered({}, {})
    printed = await git(view.place, "check-attr", "-z", "--stdin", "filter", stdin=nul_ended(asked))
    contents: dict[bytes, bytes] = {}
    left_out: dict[str, list[bytes]] = {}
    for path, name in parse_attribute(printed).items():
        if name not in configured or files.look(path)[0] is not Kind.FILE:
            continue
        if name == "lfs":
            contents[path] = _pointer(files, path)
        else:
            left_out.setdefault(name, []).append(path)
    oids = await _write(git, view, list(contents.values()))
    keep_mode = not repository.is_set("core.filemode", default=True)
    pointers = {
        path: entry(
            modes[path] if keep_mode and modes.get(path, "").startswith("10") else _mode(files, path), oid, path
        )
        for path, oid in zip(contents, oids, strict=True)
    }
    return Filtered(pointers, left_out)


def _pointer(files: Files, path: bytes) -> bytes:
    try:
        return lfs.pointer(files.path(path))
    except OSError as error:
        raise RepositoryError(f"cannot read {readable(path)}: {error.strerror}") from error


async def _write(git: Git, view: Scratch, contents: Sequence[bytes]) -> list[str]:
    """Write blobs to the store. Return their ids."""
    if not contents:
        return []
    folder = view.path / "blobs"
    folder.mkdir()
    for number, content in enumerate(contents):
        (folder / str(number)).write_bytes(content)
    names = "".join(f"{folder}/{number}\n" for number in range(len(contents)))
    return (
        (await git(view.place, "hash-object", "-w", "--no-filters", "--stdin-paths", stdin=names.encode()))
        .decode()
        .split()
    )


def _mode(files: Files, path: bytes) -> str:
    found = files.look(path)[1]
    return "100755" if found is not None and found.st_mode & stat.S_IXUSR else "100644"
