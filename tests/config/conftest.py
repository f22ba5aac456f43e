"""A person and a repository whose configuration files a test writes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moot.config.environment import Flag
from moot.config.files import Repository
from moot.config.load import Loaded, load
from moot.config.paths import Home, home
from moot.core.errors import ConfigError

KINDS = ("claude", "codex", "command", "analyzer")


@dataclass
class Place:
    """A machine with one person and one repository. Texts are dedented."""

    folder: Path
    base: dict[str, bytes] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Home:
        return home({"MOOT_HOME": str(self.folder / "home")})

    @property
    def repository(self) -> Repository:
        return Repository(self.folder / "repo", self.base.get)

    def user(self, text: str, name: str = "config.toml") -> Path:
        path = self.folder / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def repo(self, text: str, name: str = ".moot.toml") -> None:
        """Commit a file; the working copy is the same."""
        self.base[name] = textwrap.dedent(text).encode()
        path = self.folder / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.base[name])

    def load(
        self,
        *,
        config_file: Path | None = None,
        flags: Mapping[str, Flag] | None = None,
        allowed: Callable[[str], bool] = lambda _: False,
        inside: bool = True,
    ) -> Loaded:
        return load(
            self.home,
            {"HOME": str(self.folder), **self.environ},
            kinds=KINDS,
            config_file=config_file,
            repository=self.repository if inside else None,
            flags=flags,
            allowed=allowed,
        )

    def refusal(self, **given: object) -> str:
        """What a person reads, the folder of the test left out."""
        with pytest.raises(ConfigError) as caught:
            self.load(**given)  # type: ignore[arg-type]
        return self.shown(str(caught.value))

    def shown(self, text: str) -> str:
        return text.replace(f"{self.folder}/", "")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "repo").mkdir()
    return Place(tmp_path)
