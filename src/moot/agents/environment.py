"""The environment every agent is started with, and what moot tells it about its turn."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from moot.core.turns import TurnSpec

_NAMESPACE = uuid.UUID("6f1f3c1e-3f0b-5d0a-9a52-0d6a0c6f7a11")


def session_id(t: TurnSpec) -> str:
    """Return the id of the conversation: the CLI's own when it goes on, otherwise a UUID fixed by run, seat and job.

    Every attempt has a job directory of its own, so a second attempt never collides with the first one's session.
    """
    if t.conversation is not None and t.conversation.native is not None:
        return t.conversation.native
    return str(uuid.uuid5(_NAMESPACE, "\0".join((t.run, t.seat, t.job.name))))


def moot_environment(t: TurnSpec) -> dict[str, str]:
    """Return the MOOT_* variables of a turn. Paths are absolute; what there is not is empty."""
    return {
        "MOOT_RUN": t.run,
        "MOOT_SEAT": t.seat,
        "MOOT_TURN": t.key,
        "MOOT_NODE": t.node,
        "MOOT_PROMPT_FILE": str(t.prompt_file),
        "MOOT_SCHEMA_FILE": "" if t.schema_file is None else str(t.schema_file),
        "MOOT_CHANGE_FILE": str(t.change_file),
        "MOOT_SESSION": session_id(t),
        "MOOT_ALLOW_WRITE": "1" if t.write else "0",
        "MOOT_MAILBOX": str(t.job / "mail"),
    }


def agent_environment(t: TurnSpec, defaults: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a turn: `defaults` of the kind, over them `t.env`, MOOT_* last."""
    return {**defaults, **t.env, **moot_environment(t)}
