"""What commands share: the person's home, configuration and ledger, opened only when a command needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from moot.config.paths import Home, home

if TYPE_CHECKING:
    from moot.config.load import Loaded
    from moot.ledger.database import Ledger


@dataclass
class Context:
    """Of one invocation of `moot`.

    Args:
        debug: show tracebacks.
        config_file: replaces the person's own configuration file.
    """

    debug: bool = False
    config_file: Path | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def home(self) -> Home:
        return home(self.environ)

    def ledger_url(self) -> str:
        """Where the ledger is, found without importing anything heavy."""
        from moot.config.peek import ledger_url

        return ledger_url(self.home, self.environ, self.config_file)

    def ledger(self) -> Ledger:
        """Open the ledger."""
        from moot.config.paths import private_directory
        from moot.ledger.database import open_ledger

        private_directory(self.home.data)
        return open_ledger(self.ledger_url())

    def config(self) -> Loaded:
        """Load the person's configuration, without a repository's say."""
        from moot.agents.registry import KINDS
        from moot.config.load import load

        return load(self.home, self.environ, kinds=KINDS, config_file=self.config_file)
