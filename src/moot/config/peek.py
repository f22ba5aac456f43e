"""Where the ledger is, read without pydantic: what commands that must start at once can afford."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from moot.config.attach import attach
from moot.config.expand import Names, expand_layers
from moot.config.files import disk, person_files
from moot.config.layers import Layer, Trust, merge
from moot.config.paths import Home
from moot.config.problems import refuse_if
from moot.config.tables import lookup

_VARIABLE = "MOOT_LEDGER__URL"


def ledger_url(home: Home, environ: Mapping[str, str], config_file: Path | None = None) -> str:
    """Return the ledger's URL or file, the same that `load` would find: a repository has no say in it.

    Raises:
        ConfigError: a file is not there or is not TOML; other mistakes are `load`'s to find.
    """
    layers, problems = person_files(environ, home, config_file)
    refuse_if(problems)
    layers, _ = expand_layers(layers, Names(environ, None))
    if _VARIABLE in environ:
        layers = (*layers, Layer("the environment", Trust.PERSON, {"ledger": {"url": environ[_VARIABLE]}}))
    url = lookup(merge(attach(layer, disk(environ))[0] for layer in layers), ("ledger", "url"))
    return url if isinstance(url, str) and url else str(home.ledger_file)
