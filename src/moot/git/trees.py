"""Files of a commit, read from objects: nothing is checked out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moot.core.errors import RepositoryError
from moot.core.limits import MAX_FILE_BYTES
from moot.git.index import GITLINK
from moot.git.paths import is_plain, readable
from moot.git.run import Git
from moot.git.store import Store

SYMLINK = "120000"
MAX_ARGUMENT_BYTES = 64 * 1024  # more paths than that, and the whole tree is listed instead

# Files in which a repository says how its code is to be written, to agents and to people. The first three count in
# every directory, the others at the top.
INSTRUCTION_NAMES = (b"AGENTS.md", b"CLAUDE.md", b"GEMINI.md")
CONVENTION_PATHS = (b"CONTRIBUTING.md", b".github/CONTRIBUTING.md", b"docs/CONTRIBUTING.md")
MAX_CONVENTION_BYTES = 64 * 1024
MAX_CONVENTION_FOLDERS = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, link or submodule of a tree."""

    mode: str
    oid: str
    path: bytes

    @property
    def regular(self) -> bool:
        return self.mode not in (SYMLINK, GITLINK)


@dataclass(frozen=True, slots=True)
class Convention:
    """A file that says how a repository wants its code; `cut` when it was longer than is read."""

    path: str
    text: str
    cut: bool = False


async def entries(git: Git, store: Store, commit: str, paths: Sequence[bytes] | None = None) -> tuple[Entry, ...]:
    """List the files of a commit in git's order: all, or those of `paths` that are there.

    Of `paths`, names that would leave a directory they are put in, or pass for a repository, are never there.

    Raises:
        RepositoryError: the commit is not in the store.
    """
    wanted = None if paths is None else {path for path in paths if is_plain(path)}
    limited: tuple[str, ...] = ()
    if wanted is not None and sum(map(len, wanted)) <= MAX_ARGUMENT_BYTES:
        if not wanted:
            return ()
        limited = tuple(os.fsdecode(path) for path in sorted(wanted))
    listing = ("ls-tree", "-z", commit, "--", *limited) if limited else ("ls-tree", "-r", "-z", commit)
    printed = await git(store.place, *listing, env={"GIT_LITERAL_PATHSPECS": "1"})
    found = _parse(printed)
    return found if wanted is None else tuple(e for e in found if e.path in wanted)


def _parse(printed: bytes) -> tuple[Entry, ...]:
    """Read `MODE TYPE OID<TAB>PATH<NUL>`. Directories are not entries."""
    out: list[Entry] = []
    for record in printed.split(b"\0")[:-1]:
        meta, _, path = record.partition(b"\t")
        mode, kind, oid = meta.decode("ascii").split(" ")
        if kind != "tree":
            out.append(Entry(mode, oid, path))
    return tuple(out)


_LISTED = re.compile(rb"([0-9]{6}) [a-z]+ [0-9a-f]+\t([^\0]+)\0")


async def listing(git: Git, store: Store, commit: str) -> list[tuple[bytes, bytes]]:
    """Return mode and path of every file, link and submodule of a commit, in git's order. For very large trees."""
    return _LISTED.findall(await git(store.place, "ls-tree", "-r", "-z", commit))


async def tree_size(git: Git, store: Store, commit: str) -> int:
    """Return how many files a commit has."""
    return (await git(store.place, "ls-tree", "-r", "-z", "--name-only", commit)).count(b"\0")


async def paths_exist(git: Git, store: Store, commit: str, paths: Sequence[bytes]) -> frozenset[bytes]:
    """Return those of `paths` that are files of the commit."""
    return frozenset(e.path for e in await entries(git, store, commit, paths))


async def read_blobs(git: Git, store: Store, oids: Iterable[str], limit: int = MAX_FILE_BYTES) -> dict[str, bytes]:
    """Return the content of each blob that is there and no longer than `limit` bytes, by id."""
    asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
    if not asked:
        return {}
    sizes = await git(store.place, "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", stdin=asked)
    fitting: list[str] = []
    for line in sizes.decode("ascii").splitlines():
        oid, kind, *size = line.split(" ")
        if kind == "blob" and int(size[0]) <= limit:
            fitting.append(oid)
    if not fitting:
        return {}
    printed = await git(store.place, "cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in fitting).encode())
    contents: dict[str, bytes] = {}
    start = 0
    for oid in fitting:
        body = printed.index(b"\n", start) + 1
        end = body + int(printed[start:body].split()[2])
        contents[oid] = printed[body:end]
        start = end + 1
    return contents


async def read_blob(git: Git, store: Store, oid: str, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of one blob.

    Raises:
        RepositoryError: it is missing, or longer than `limit` bytes.
    """
    content = (await read_blobs(git, store, (oid,), limit)).get(oid)
    if content is None:
        raise RepositoryError(f"no blob {oid[:12]} of at most {limit:,} bytes", where=str(store.path))
    return content


async def read_path(git: Git, store: Store, commit: str, path: bytes, limit: int = MAX_FILE_BYTES) -> bytes | None:
    """Return what a file holds at a commit, None where there is no such regular file.

    Raises:
        RepositoryError: it is longer than `limit` bytes.
    """
    found = [e for e in await entries(git, store, commit, (path,)) if e.regular]
    return await read_blob(git, store, found[0].oid, limit) if found else None


async def conventions(git: Git, store: Store, commit: str, touched: Sequence[bytes] = ()) -> tuple[Convention, ...]:
    """Return the repository's own instruction and convention files at a commit, the top level's first.

    Links are skipped: they name another file of the list, or something outside the repository. Files of equal
    content count once.

    Args:
        touched: paths of the change; instruction files beside and above them count too.
    """
    folders = {b"/".join(parts[:depth]) for parts in (p.split(b"/") for p in touched) for depth in range(len(parts))}
    nested = sorted(folders - {b""}, key=lambda folder: (folder.count(b"/"), folder))[:MAX_CONVENTION_FOLDERS]
    asked = [*INSTRUCTION_NAMES, *CONVENTION_PATHS]
    asked += [folder + b"/" + name for folder in nested for name in INSTRUCTION_NAMES]
    found = {e.path: e for e in await entries(git, store, commit, asked) if e.regular}
    unique = {found[path].oid: path for path in reversed(asked) if path in found}
    contents = await read_blobs(git, store, unique, MAX_FILE_BYTES)
    ordered = sorted(unique.items(), key=lambda item: asked.index(item[1]))
    return tuple(
        Convention(
            readable(path),
            contents[oid][:MAX_CONVENTION_BYTES].decode("utf-8", "replace"),
            cut=len(contents[oid]) > MAX_CONVENTION_BYTES,
        )
        for oid, path in ordered
        if oid in contents
    )
