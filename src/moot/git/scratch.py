"""A throw-away git directory over the person's work tree: their stat cache and conversions, moot's configuration.

Git is pointed at it instead of at the person's own directory, so that looking at a work tree neither writes there
nor obeys what stands there: of their configuration only the keys that change how bytes and names are read are copied,
none that starts a program. The index is a copy, which keeps git from reading every file again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moot.git.run import Place

# core.trustctime, core.checkStat and the like are left out: with git's defaults a changed file is never overlooked.
_COPIED_KEYS = (
    "core.attributesfile",
    "core.autocrlf",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
)
_COPIED_FILES = ("info/attributes", "info/exclude")


@dataclass(frozen=True, slots=True)
class Scratch:
    """The directory, and the place that makes git use it."""

    path: Path
    place: Place


@contextmanager
def scratch(
    *,
    objects: Path,
    object_format: str,
    work_tree: Path | None = None,
    git_dir: Path | None = None,
    common_dir: Path | None = None,
    settings: Mapping[str, str] | None = None,
    exclude: tuple[Path, ...] = (),
    head: str | None = None,
) -> Iterator[Scratch]:
    """Make one, and remove it at the end.

    Args:
        objects: the object directory to read from and write to.
        object_format: `sha1` or `sha256`.
        work_tree: the files to look at; without them, an empty index and nothing else.
        git_dir: where the index to copy is.
        common_dir: where ignore rules and attributes of the repository are.
        settings: the person's configuration.
        exclude: directories below the work tree that are none of its files.
        head: the commit that is checked out, for commands that compare with it.
    """
    with tempfile.TemporaryDirectory(prefix="moot-git-") as name:
        path = Path(name)
        for folder in ("objects", "refs", "info"):
            (path / folder).mkdir()
        (path / "HEAD").write_text(f"{head or 'ref: refs/heads/none'}\n")
        (path / "config").write_bytes(_config(object_format, work_tree is None, settings or {}))
        if common_dir is not None:
            for file in _COPIED_FILES:
                if (common_dir / file).is_file():
                    shutil.copyfile(common_dir / file, path / file)
        if git_dir is not None:
            copy_index(git_dir, path)
        if work_tree is not None:
            _exclude(path / "info" / "exclude", work_tree, exclude)
        yield Scratch(path, Place(work_tree or path, git_dir=path, work_tree=work_tree, objects=objects))


def _config(object_format: str, bare: bool, settings: Mapping[str, str]) -> bytes:
    sha256 = object_format == "sha256"
    lines = [
        "[core]",
        f"repositoryformatversion = {int(sha256)}",
        f"bare = {str(bare).lower()}",
        "looseCompression = 1",
        *(f"{key.removeprefix('core.')} = {_quoted(settings[key])}" for key in _COPIED_KEYS if key in settings),
    ]
    if sha256:
        lines += ["[extensions]", "objectFormat = sha256"]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def copy_index(source: Path, target: Path) -> None:
    """Copy the index, if there is one, from one git directory to another, with its modification time.

    By that time git knows which entries it must compare by content (https://git-scm.com/docs/racy-git): a copy that
    looks newer would hide an edit made right after the last git command. A split index has a second part.
    """
    try:
        with open(source / "index", "rb") as index, open(target / "index", "wb") as copy:
            stat = os.fstat(index.fileno())
            shutil.copyfileobj(index, copy, 1 << 20)
    except FileNotFoundError:
        return
    os.utime(target / "index", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    for shared in source.glob("sharedindex.*"):
        shutil.copy2(shared, target / shared.name)


def _exclude(file: Path, work_tree: Path, directories: tuple[Path, ...]) -> None:
    inside = [d.relative_to(work_tree) for d in map(Path.resolve, directories) if d.is_relative_to(work_tree)]
    if not inside:
        return
    with open(file, "ab") as rules:
        for directory in inside:
            escaped = b"".join(b"\\" + bytes([c]) if c in b"\\*?[ " else bytes([c]) for c in os.fsencode(directory))
            rules.write(b"\n/" + escaped + b"/\n")
