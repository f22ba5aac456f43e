"""What moot itself remembers of each checkout. Nothing that stands in a checkout is believed instead."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Record:
    """A finished checkout: written last, deleted before anything about it changes.

    Args:
        store: the store whose worktree it is.
        part: the text of its sparse-checkout file.
        hide: the patterns of what is hidden.
        hidden: the paths that therefore are not there, as `os.fsdecode` gives them.
        submodules: directories where submodules would be; empty.
        holders: who uses it.
        admin: the name of its administrative directory in the store's `worktrees`.
    """

    store: str
    commit: str
    part: str
    sparse: bool
    hide: tuple[str, ...]
    hidden: tuple[str, ...]
    submodules: tuple[str, ...]
    total_files: int
    holders: tuple[str, ...]
    admin: str


def load(path: Path) -> Record | None:
    """Read a record; None when there is none, or none that this version understands."""
    try:
        data = json.loads(path.read_text(encoding="ascii"))
        return Record(
            store=str(data["store"]),
            commit=str(data["commit"]),
            part=str(data["part"]),
            sparse=bool(data["sparse"]),
            hide=tuple(map(str, data["hide"])),
            hidden=tuple(map(str, data["hidden"])),
            submodules=tuple(map(str, data["submodules"])),
            total_files=int(data["total_files"]),
            holders=tuple(map(str, data["holders"])),
            admin=str(data["admin"]),
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def save(path: Path, record: Record) -> None:
    """Write a record, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        json.dump(asdict(record), file)
    os.replace(name, path)
