"""Git LFS pointers, made without running Git LFS.

A file under `filter=lfs` is committed as a pointer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
Computing it here shows the change git itself would commit, and starts no program a configuration names.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_VERSION = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER_SIZE = 1024  # longer files are never pointers


def pointer(path: Path) -> bytes:
    """Return what is committed for the file: its pointer, or itself when it is empty or a pointer already.

    Raises:
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    if size == 0:
        return b""
    with path.open("rb") as file:
        if size <= _POINTER_SIZE:
            content = file.read()
            if content.startswith(_VERSION):
                return content
            file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return _VERSION + f"oid sha256:{digest}\nsize {size}\n".encode()
