"""moot's own bare repository for each of the person's: everything moot writes goes there, nothing to theirs.

A store borrows the person's objects (objects/info/alternates, https://git-scm.com/docs/gitrepository-layout), adds
its own, and keeps frozen commits by refs below `refs/moot/`. Its configuration and attributes are moot's alone, so
that neither depends on what a repository says. It is laid out without calling git, under another name, and renamed
into place: any number of moot processes may open it at once.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from moot.core.errors import RepositoryError
from moot.git.repository import Repository, locate
from moot.git.run import Git, Place

# A store is never garbage collected by moot, and holds no work tree of its own. Its worktrees are seats' checkouts:
# symbolic links become plain files there, and cone patterns with a sparse index keep large trees cheap.
_CONFIG = """\
[core]
	repositoryformatversion = {version}
	bare = true
	filemode = true
	symlinks = false
	ignorecase = {ignorecase}
	precomposeunicode = {precompose}
	logAllRefUpdates = false
	attributesFile = /dev/null
	bigFileThreshold = 20m
	sparseCheckout = true
	sparseCheckoutCone = true
[index]
	sparse = true
[checkout]
	workers = 0
[gc]
	auto = 0
"""
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"

# What a seat reads is what is committed, byte for byte: no line ending, keyword or filter is applied, and no
# `.gitattributes` can hide text from a diff. The drivers only tell git how a function's first line looks.
_DRIVERS = {
    "ada": "*.ada *.adb *.ads",
    "bash": "*.bash *.sh",
    "cpp": "*.c *.cc *.cpp *.cxx *.h *.hh *.hpp *.m *.mm",
    "csharp": "*.cs",
    "css": "*.css *.scss",
    "elixir": "*.ex *.exs",
    "golang": "*.go",
    "html": "*.htm *.html",
    "java": "*.java",
    "kotlin": "*.kt *.kts",
    "markdown": "*.markdown *.md",
    "php": "*.php",
    "python": "*.py *.pyi",
    "ruby": "*.rb",
    "rust": "*.rs",
}
_ATTRIBUTES = "* -text !eol !ident !filter !working-tree-encoding !diff\n" + "".join(
    f"{pattern} diff={driver}\n" for driver, patterns in _DRIVERS.items() for pattern in patterns.split()
)


@dataclass(frozen=True, slots=True)
class Store:
    """A store. `objects` is its own object directory, `borrowed` are all the others it reads, the person's first."""

    path: Path
    borrowed: tuple[Path, ...] = ()

    @property
    def place(self) -> Place:
        return Place(self.path, git_dir=self.path)

    @property
    def objects(self) -> Path:
        return self.path / "objects"

    @property
    def ignores_case(self) -> bool:
        """Whether the file system it is on takes names that differ in case for the same."""
        return _ignores_case(self.path)

    async def keep(self, git: Git, commit: str) -> None:
        """Hold on to a commit moot made."""
        await git(self.place, "update-ref", f"refs/moot/frozen/{commit}", commit)


def at(path: Path | str) -> Store:
    """Return the store a `Change` names.

    Raises:
        RepositoryError: it is gone.
    """
    store = Path(path)
    if not (store / "HEAD").is_file():
        raise RepositoryError("moot's store of this repository is gone", where=str(store), next_step="start a new run")
    return Store(store, _borrowed(store / "objects"))


async def open_store(git: Git, repo: Path, home: Path) -> Store:
    """Return the store of the repository `repo` is in, made when there is none yet.

    Raises:
        RepositoryError: `repo` is in none.
    """
    return prepare(await locate(git, repo), home)


def prepare(repository: Repository, home: Path) -> Store:
    """Return the repository's store below `home`, made or brought up to date."""
    stores = home / "stores"
    path = stores / f"{repository.id}.git"
    if not path.exists():
        stores.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=stores))
        _lay_out(fresh, repository)
        try:
            fresh.rename(path)
        except OSError:  # another process was faster
            shutil.rmtree(fresh)
            if not path.exists():
                raise
    _lay_out(path, repository)
    return Store(path, _borrowed(path / "objects"))


def _lay_out(path: Path, repository: Repository) -> None:
    """Write every file that is not as it should be. Also heals what somebody changed."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "info", "worktrees"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    sha256 = repository.object_format == "sha256"
    config = _CONFIG.format(
        version=int(sha256),
        ignorecase=str(_ignores_case(path)).lower(),
        precompose=str(sys.platform == "darwin").lower(),
    )
    _write(path / "config", (config + (_SHA256 if sha256 else "")).encode())
    _write(path / "info" / "attributes", _ATTRIBUTES.encode())
    _write(path / "objects" / "info" / "alternates", _alternate(repository.common_dir / "objects"))
    shallow = repository.common_dir / "shallow"
    _write(path / "shallow", shallow.read_bytes() if shallow.is_file() else None)
    _write(path / "HEAD", b"ref: refs/heads/none\n")


def _ignores_case(path: Path) -> bool:
    return (path / "OBJECTS").exists()


def _write(path: Path, content: bytes | None) -> None:
    try:
        if path.read_bytes() == content:
            return
    except FileNotFoundError:
        if content is None:
            return
    if content is None:
        path.unlink(missing_ok=True)
        return
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(name, path)


def _alternate(objects: Path) -> bytes:
    """One line of an alternates file: quoted as in C where a plain line would be read otherwise."""
    raw = os.fsencode(objects)
    if b"\n" in raw or raw.startswith((b'"', b"#")):
        escaped = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        raw = b'"' + escaped + b'"'
    return raw + b"\n"


def _borrowed(objects: Path, depth: int = 5) -> tuple[Path, ...]:
    """Follow alternates, which may themselves have some; git stops at five."""
    try:
        lines = (objects / "info" / "alternates").read_bytes().splitlines()
    except OSError:
        return ()
    found: list[Path] = []
    for line in lines:
        if line and not line.startswith(b"#") and depth:
            other = objects / os.fsdecode(_unquoted(line))
            found += [other, *_borrowed(other, depth - 1)]
    return tuple(dict.fromkeys(found))


def _unquoted(line: bytes) -> bytes:
    if not line.startswith(b'"'):
        return line
    inner = line.removeprefix(b'"').removesuffix(b'"')
    return re.sub(rb"\\(.)", lambda escape: b"\n" if escape[1] == b"n" else escape[1], inner)
