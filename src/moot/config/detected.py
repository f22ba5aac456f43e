"""The agents there are when nobody configured any: the agent CLIs found on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from moot.config.model import AgentTable, Config


def with_detected(config: Config, kinds: Sequence[str]) -> Config:
    """Return `config` with an agent for each of `kinds`, named after it, where no agent to ask is configured.

    Args:
        config: a checked configuration; analyzers of its own are no agents to ask.
        kinds: of the CLIs that are installed and logged in, the preferred first.
    """
    if any(agent.kind != "analyzer" for agent in config.agents.values()):
        return config
    found = {kind: AgentTable(kind=kind) for kind in kinds}
    return config.model_copy(update={"agents": {**found, **config.agents}})
