"""How an execution of a run can end, as values. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass

from moot.core.data import JSON


class Suspend(BaseException):
    """Raised in a step or wait to stop the run here with nothing recorded; driving it again comes back to here.

    Not an `Exception`: no handler for trouble may swallow it, and the engine records nothing of it.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Expired:
    """A wait whose `until` has passed without an answer."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The run's procedure came to its end with this value."""

    value: JSON


@dataclass(frozen=True, slots=True)
class Suspended:
    """The run stopped at a step on purpose: it is parked, or waits for an answer."""

    why: str


@dataclass(frozen=True, slots=True)
class Superseded:
    """Another execution owns the run now; this one started nothing more."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Something raised that nobody expected. Nothing of it was recorded: once mended, the run goes on from there."""

    error: Exception


Outcome = Finished | Suspended | Superseded | Broken
