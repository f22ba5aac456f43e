"""What is done about a failed turn: one pure table. Nothing is retried blindly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from moot.core.data import JSON
from moot.core.turns import LIMITS, Failure, FailureKind

K = FailureKind


@dataclass(frozen=True, slots=True)
class Nudge:
    """Tell the living conversation what was wrong with its reply, with a quarter of the time."""


@dataclass(frozen=True, slots=True)
class Again:
    """Ask again after `after_s` seconds. `fresh` begins a new conversation with the full prompt."""

    after_s: float = 0.0
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class NextModel:
    """Ask the same agent's next model of `fallback`, with the full prompt."""

    model: str


@dataclass(frozen=True, slots=True)
class NextAgent:
    """Hand the seat to the next agent of `substitutes`, with the full prompt."""

    agent: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The seat has failed. `limited`: for want of quota or money, so that a later resume may do better."""

    limited: bool = False


Reaction = Nudge | Again | NextModel | NextAgent | GiveUp
_KINDS: dict[str, type[Reaction]] = {k.__name__: k for k in (Nudge, Again, NextModel, NextAgent, GiveUp)}


def dump(reaction: Reaction) -> JSON:
    """Return a reaction as JSON, to be kept beside the attempt it answers."""
    return {"reaction": type(reaction).__name__, **asdict(reaction)}


def load(data: JSON) -> Reaction:
    """Return the reaction that `dump` made `data` of."""
    assert isinstance(data, dict)
    return _KINDS[str(data["reaction"])](**{k: v for k, v in data.items() if k != "reaction"})


#: Kinds for which the same account will not answer anybody for a while.
PAUSING = frozenset({K.USAGE_LIMIT, K.BILLING})
#: How often a passing trouble is waited out before somebody else is asked.
PATIENCE = {K.RATE_LIMITED: 2, K.OVERLOADED: 2, K.NETWORK: 2, K.LOST: 1, K.CONVERSATION_LOST: 1, K.CONTEXT_TOO_LONG: 1}
#: Kinds for which another model of the same agent may help.
OTHER_MODEL = frozenset({K.MODEL_LIMIT, K.MODEL_UNAVAILABLE, K.OVERLOADED, K.RATE_LIMITED, K.CONTEXT_TOO_LONG})
#: Kinds that say the reply was no reply; one nudge, then one full prompt, then somebody else.
NO_REPLY = frozenset({K.MALFORMED, K.EMPTY})


@dataclass(frozen=True, slots=True)
class Standing:
    """How the seat stands when its turn fails.

    Args:
        models: models of the sitting agent that were not tried yet.
        agents: substitutes that were not tried yet.
        alive: whether the failed turn's conversation can be continued.
        resumed: whether the failed turn continued an earlier conversation.
        pause_s: the configured wait before passing trouble is tried again, seconds.
    """

    models: Sequence[str] = ()
    agents: Sequence[str] = ()
    alive: bool = False
    resumed: bool = False
    pause_s: float = 15.0


def react(failure: Failure, before: Sequence[Failure], standing: Standing, now: datetime) -> Reaction:
    """Say what to do about `failure`.

    Args:
        before: the failures of the *sitting agent and model* in this seat and turn, oldest first, without this one.
        standing: what is left to try.
        now: aware UTC time, to judge how far off a reset is.
    """
    kind = failure.kind
    same = sum(f.kind is kind for f in before)
    if kind in NO_REPLY:
        earlier = sum(f.kind in NO_REPLY for f in before)
        if earlier == 0:
            return Nudge() if standing.alive else Again(fresh=True)
        nudged = any(f.conversation is not None for f in before if f.kind in NO_REPLY)
        if earlier == 1 and (nudged or standing.alive):
            return Again(fresh=True)
    elif kind is K.CONTEXT_TOO_LONG:
        if standing.resumed and same == 0:
            return Again(fresh=True)
    elif kind in PATIENCE and same < PATIENCE[kind]:
        fresh = kind is K.CONVERSATION_LOST
        wait_s = 0.0 if kind in (K.LOST, K.CONVERSATION_LOST) else standing.pause_s * 2**same
        if failure.resets_at is None:
            return Again(after_s=wait_s, fresh=fresh)
        until_reset = (failure.resets_at - now).total_seconds()
        if until_reset <= standing.pause_s * 8:
            return Again(after_s=max(wait_s, until_reset), fresh=fresh)
    if kind in OTHER_MODEL and standing.models:
        return NextModel(standing.models[0])
    if kind is not K.KILLED and standing.agents:
        return NextAgent(standing.agents[0])
    return GiveUp(limited=kind in LIMITS)
