"""The reaction table: every failure has one answer, and no answer repeats for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.turns import Failure, FailureKind
from moot.seats.reactions import Again, GiveUp, NextAgent, NextModel, Nudge, Standing, react

K = FailureKind
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RICH = Standing(models=("m2",), agents=("other",), alive=True, resumed=True)


def failure(kind: K, resets_in_s: float | None = None) -> Failure:
    return Failure(kind, "", None if resets_in_s is None else NOW + timedelta(seconds=resets_in_s))


@pytest.mark.parametrize(
    ("kind", "times_before", "standing", "expected"),
    [
        (K.MALFORMED, 0, Standing(alive=True), Nudge()),
        (K.MALFORMED, 0, Standing(alive=False), Again(fresh=True)),
        (K.MALFORMED, 1, Standing(alive=True), Again(fresh=True)),
        (K.MALFORMED, 1, Standing(alive=False), GiveUp()),
        (K.MALFORMED, 2, RICH, NextAgent("other")),
        (K.EMPTY, 0, RICH, Nudge()),
        (K.RATE_LIMITED, 0, RICH, Again(after_s=15)),
        (K.RATE_LIMITED, 1, RICH, Again(after_s=30)),
        (K.RATE_LIMITED, 2, RICH, NextModel("m2")),
        (K.RATE_LIMITED, 2, Standing(), GiveUp(limited=True)),
        (K.USAGE_LIMIT, 0, RICH, NextAgent("other")),
        (K.USAGE_LIMIT, 0, Standing(models=("m2",)), GiveUp(limited=True)),
        (K.MODEL_LIMIT, 0, RICH, NextModel("m2")),
        (K.MODEL_LIMIT, 0, Standing(), GiveUp(limited=True)),
        (K.BILLING, 0, Standing(), GiveUp(limited=True)),
        (K.LOGIN, 0, RICH, NextAgent("other")),
        (K.LOGIN, 0, Standing(models=("m2",)), GiveUp()),
        (K.MODEL_UNAVAILABLE, 0, RICH, NextModel("m2")),
        (K.OVERLOADED, 2, Standing(agents=("other",)), NextAgent("other")),
        (K.NETWORK, 2, Standing(), GiveUp()),
        (K.CONTEXT_TOO_LONG, 0, Standing(resumed=True), Again(fresh=True)),
        (K.CONTEXT_TOO_LONG, 0, Standing(), GiveUp()),
        (K.SILENT, 0, RICH, NextAgent("other")),
        (K.SILENT, 0, Standing(), GiveUp()),
        (K.TIMEOUT, 0, Standing(), GiveUp()),
        (K.KILLED, 0, RICH, GiveUp()),
        (K.LOST, 0, Standing(), Again()),
        (K.LOST, 1, Standing(), GiveUp()),
        (K.CONVERSATION_LOST, 0, Standing(), Again(fresh=True)),
        (K.REFUSED, 0, RICH, NextAgent("other")),
        (K.NOT_INSTALLED, 0, Standing(), GiveUp()),
    ],
)
def test_each_failure_meets_its_reaction(kind, times_before, standing, expected):
    assert react(failure(kind), [failure(kind)] * times_before, standing, NOW) == expected


def test_a_near_reset_is_waited_for_and_a_far_one_is_not():
    assert react(failure(K.RATE_LIMITED, 60), [], Standing(), NOW) == Again(after_s=60)
    assert react(failure(K.RATE_LIMITED, 3600), [], Standing(), NOW) == GiveUp(limited=True)


@given(st.sampled_from(list(K)), st.booleans(), st.booleans())
def test_trouble_of_one_kind_always_ends_in_giving_up(kind, alive, resumed):
    before: list[Failure] = []
    models, agents = ["m2"], ["other"]
    for _ in range(20):
        reaction = react(failure(kind), before, Standing(models, agents, alive, resumed), NOW)
        if isinstance(reaction, GiveUp):
            return
        before.append(failure(kind))
        if isinstance(reaction, NextModel):
            models, before = models[1:], []
        elif isinstance(reaction, NextAgent):
            agents, before = agents[1:], []
    raise AssertionError(f"{kind} is retried for ever")
