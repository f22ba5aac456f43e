"""What is struck down, and when: the kinds of blow, and the plan that deals them out over step boundaries and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

MOST_AT_ONCE = 3  # blows at one run
JUST_BEFORE_S = 0.04  # how long before a step is recorded counts as just before


class Kind(StrEnum):
    """Who gets which signal."""

    MOOT = "moot"
    RUNNER = "one runner of each pair"
    RUNNERS = "all runners"
    BOTH = "moot, then all runners"
    INTERRUPT = "moot parked by SIGINT"
    TERMINATE = "moot parked by SIGTERM"

    @property
    def hits_moot(self) -> bool:
        return self not in (Kind.RUNNER, Kind.RUNNERS)

    @property
    def hits_runners(self) -> bool:
        return self in (Kind.RUNNER, Kind.RUNNERS, Kind.BOTH)


KILLS = (Kind.MOOT, Kind.RUNNER, Kind.RUNNERS, Kind.BOTH)
PARKS = (Kind.INTERRUPT, Kind.TERMINATE)


@dataclass(frozen=True, slots=True)
class Moment:
    """When to strike.

    Args:
        step: once this many steps are recorded; None for a time.
        delay_s: seconds after that, or after moot was started.
    """

    step: int | None
    delay_s: float


@dataclass(frozen=True, slots=True)
class Blow:
    """One that fell: when, as a Unix time, and whether moot itself was hit."""

    at: float
    hit_moot: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The blows at one run, in their order."""

    kind: Kind
    moments: tuple[Moment, ...]


def plans(kills: int, recorded: Sequence[float], rng: Random) -> list[Plan]:
    """Deal `kills` blows out to runs, and a tenth as many interruptions of each kind.

    Two thirds strike at step boundaries, every boundary of every kind if there are enough of them; the rest at random.

    Args:
        recorded: when each step of an undisturbed run was recorded, seconds after moot was started.
    """
    every = [(kind, moment) for kind in KILLS for moment in boundaries(recorded, rng)]
    dealt = rng.sample(every, min(len(every), -(-kills * 2 // 3)))
    dealt += [(KILLS[n % len(KILLS)], at_random(recorded, rng)) for n in range(kills - len(dealt))]
    for kind in PARKS:
        some = rng.sample(list(boundaries(recorded, rng)), min(len(recorded), max(1, kills // 20)))
        dealt += [(kind, moment) for moment in some]
        dealt += [(kind, at_random(recorded, rng)) for _ in range(max(1, kills // 10) - len(some))]
    return bundled(dealt, rng)


def boundaries(recorded: Sequence[float], rng: Random) -> Iterator[Moment]:
    """Yield a moment just before and one just after each step is recorded."""
    for step, (before, at) in enumerate(zip((0.0, *recorded), recorded, strict=False)):
        yield Moment(step or None, max(0.0, at - before - rng.uniform(0, JUST_BEFORE_S)))
        yield Moment(step + 1, 0.0)


def at_random(recorded: Sequence[float], rng: Random) -> Moment:
    """Draw a time at which an undisturbed run would still be going."""
    return Moment(None, rng.uniform(0, recorded[-1]))


def bundled(dealt: Iterable[tuple[Kind, Moment]], rng: Random) -> list[Plan]:
    """Put blows of one kind together, a few to a run, those at steps in the order of the steps."""
    left: dict[Kind, list[Moment]] = {}
    for kind, moment in dealt:
        left.setdefault(kind, []).append(moment)
    made: list[Plan] = []
    for kind, moments in left.items():
        rng.shuffle(moments)
        while moments:
            taken = [moments.pop() for _ in range(min(len(moments), rng.randint(1, MOST_AT_ONCE)))]
            steps = {m.step: m for m in taken if m.step is not None}
            moments += [m for m in taken if m.step is not None and steps[m.step] is not m]  # another run's
            made.append(Plan(kind, (*(m for m in taken if m.step is None), *(steps[step] for step in sorted(steps)))))
    rng.shuffle(made)
    return made
