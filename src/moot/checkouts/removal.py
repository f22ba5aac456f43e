"""Directories are taken away at once and deleted in the background: a large tree takes seconds."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path


def take_away(path: Path, gone: Path) -> None:
    """Move what is at `path` to a directory of its own below `gone`, on the same file system, and start deleting it.

    Whatever is left when the process ends is for `sweep`.
    """
    gone.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(dir=gone))
    try:
        path.rename(place / "gone")
    except FileNotFoundError:
        place.rmdir()
        return
    threading.Thread(target=delete, args=(place,), daemon=True).start()


def sweep(gone: Path) -> None:
    """Delete what was taken away earlier and is still there."""
    if gone.is_dir():
        for left in gone.iterdir():
            delete(left)


def delete(path: Path) -> None:
    """Delete a directory and all below it, following no link. What was made unwritable is made writable first."""
    shutil.rmtree(path, ignore_errors=True)
    if not path.is_dir():
        return
    path.chmod(0o700)
    for folder, names, _ in os.walk(path):
        for name in names:
            below = Path(folder, name)
            if not below.is_symlink():
                below.chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)
