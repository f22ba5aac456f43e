"""A few files of a commit in a plain directory: no .git, no links, nothing but their content."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from moot.core.limits import MAX_FILE_BYTES
from moot.git.run import Git
from moot.git.store import Store
from moot.git.trees import entries, read_blobs

# A name too long, of bytes the file system does not know, or in the way of another that differs in case only.
_NAMELESS = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)


async def files_at(
    git: Git, store: Store, commit: str, paths: Sequence[bytes], into: Path, limit: int = MAX_FILE_BYTES
) -> tuple[bytes, ...]:
    """Write those of `paths` that are regular files of the commit below `into`. May be repeated.

    Args:
        into: a directory of moot's own; made when missing. Nobody else writes there.
        limit: bytes of the largest file that is written.

    Returns:
        The paths that were written. Symbolic links, submodules, larger files, names this file system cannot hold and
        names that would leave `into` or pass for a repository (`git.trees.entries` knows none) are not.

    Raises:
        RepositoryError: the commit is not in the store.
    """
    found = [e for e in await entries(git, store, commit, paths) if e.regular]
    contents = await read_blobs(git, store, (e.oid for e in found), limit)
    written = []
    for entry in found:
        if entry.oid in contents:
            mode = 0o755 if entry.mode == "100755" else 0o644
            try:
                _write(into / os.fsdecode(entry.path), contents[entry.oid], mode)
            except OSError as problem:
                if problem.errno not in _NAMELESS:
                    raise
                continue
            written.append(entry.path)
    return tuple(written)


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
