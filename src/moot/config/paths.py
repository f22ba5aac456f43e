"""Where moot's files live: platformdirs' directories, or all of them below `$MOOT_HOME`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: The repository's own configuration, read at the base commit.
REPOSITORY_FILE = ".moot.toml"


@dataclass(frozen=True, slots=True)
class Home:
    """The places moot writes to. Nothing exists until it is needed: see `private_directory`.

    Args:
        config_file: the person's configuration.
        data: what must not be lost: ledger, runs, stores and checkouts. Checkouts are here and not in the cache,
            so that a cache cleaner cannot take the floor from under a running agent.
        cache: what can be made again.
    """

    config_file: Path
    data: Path
    cache: Path

    @property
    def runs(self) -> Path:
        return self.data / "runs"

    @property
    def ledger_file(self) -> Path:
        return self.data / "ledger.db"

    @property
    def stores(self) -> Path:
        return self.data / "stores"

    @property
    def checkouts(self) -> Path:
        return self.data / "checkouts"


def home(environ: Mapping[str, str]) -> Home:
    """Return the places, all below `$MOOT_HOME` when it is set, else where the platform keeps such files."""
    moved = environ.get("MOOT_HOME")
    if moved:
        root = Path(moved).expanduser().absolute()
        return Home(config_file=root / "config.toml", data=root, cache=root / "cache")
    import platformdirs

    return Home(
        config_file=platformdirs.user_config_path("moot") / "config.toml",
        data=platformdirs.user_data_path("moot"),
        cache=platformdirs.user_cache_path("moot"),
    )


def private_directory(path: Path) -> Path:
    """Create `path`, and each parent that is missing, for this person alone (mode 0700). Returns `path`.

    Raises:
        OSError: it cannot be created, or a file is in the way.
    """
    for folder in reversed((path, *path.parents)):
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)
    return path


def repository_root(start: Path) -> Path | None:
    """Return the top of the work tree that `start` is in: where `.git` is, a directory or a linked tree's file."""
    start = start.absolute()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)
