"""The configuration stored with a run, so that resuming goes on as it began; without secrets.

Left out are the values of agents' variables (their names are kept), the ledger's address and `vars`, whose uses are
expanded already. A secret that somebody expands into another key (`args`, a prompt) is stored: `env` is its place.
"""

from __future__ import annotations

import json

from pydantic import ValidationError

from moot.config.model import Config
from moot.core.errors import ConfigError

_SCHEMA = 1


def snapshot(config: Config) -> str:
    """Return `config` as JSON, prompts included and secrets left out."""
    stored = config.model_dump(mode="json", exclude={"ledger", "vars", "include"})
    for agent in stored["agents"].values():
        agent["env"] = sorted(agent["env"])
    return json.dumps({"schema": _SCHEMA, "config": stored}, ensure_ascii=False, sort_keys=True)


def restore(text: str, current: Config) -> Config:
    """Return the configuration that `snapshot` stored.

    Args:
        text: what `snapshot` returned.
        current: today's configuration: the values of agents' variables, the ledger's address and the budget come
            from it, so that raising a cap is all it takes to go on.

    Raises:
        ConfigError: another version of moot wrote it, or a variable an agent had is set nowhere any more.
    """
    stored = json.loads(text)
    if stored.get("schema") != _SCHEMA:
        raise _foreign()
    for name, agent in stored["config"]["agents"].items():
        agent["env"] = _values(name, agent["env"], current)
    try:
        today = {"ledger": current.ledger.model_dump(), "budget": current.budget.model_dump()}
        return Config.model_validate({**stored["config"], **today})
    except ValidationError as error:
        raise _foreign() from error


def _values(name: str, variables: list[str], current: Config) -> dict[str, str]:
    known = current.agents[name].env if name in current.agents else {}
    missing = [variable for variable in variables if variable not in known]
    if missing:
        raise ConfigError(
            f'the run was created with {", ".join(missing)} in the environment of agent "{name}", set nowhere now',
            next_step=f"set agents.{name}.env.{missing[0]} in your configuration, then resume",
        )
    return {variable: known[variable] for variable in variables}


def _foreign() -> ConfigError:
    return ConfigError(
        "the run's configuration was stored by another version of moot",
        next_step="resume it with that version, or start a new run",
    )
