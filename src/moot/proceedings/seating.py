"""Who sits in a review: from the configuration and what was found on this machine to seats. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from moot.config.model import Config, Role, Runs
from moot.config.names import ALL_ANALYZERS, ANALYZERS, JUDGE, RULES
from moot.core.process import Limits
from moot.core.runs import Reads, SeatResult, SeatStatus
from moot.core.turns import Agent
from moot.seats.run import Seat

ONCE = "reviews a branch once, and has"
#: Kinds that can judge without being asked to by name: a `command` may know nothing but reviewing.
JUDGING = ("claude", "codex")


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found on this machine and in the subject's past; recorded once per run.

    Args:
        missing: agent or built-in analyzer to why it cannot be started.
        analyzers: names of built-in analyzers that are installed and have files to look at.
        idle: analyzer name to why it has nothing to do here.
        seen: seats that answered in an earlier review of this subject.
    """

    missing: dict[str, str] = field(default_factory=dict)
    analyzers: tuple[str, ...] = ()
    idle: dict[str, str] = field(default_factory=dict)
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """Who is asked. `judge` is None where the rules judge; `own_pass` says whether the judge reviews as well."""

    reviewers: tuple[Seat, ...]
    judge: Seat | None
    own_pass: bool
    skipped: tuple[SeatResult, ...]

    def waves(self) -> tuple[tuple[Seat, ...], ...]:
        """The reviewers in the order they can be asked: those who read nobody's report first."""
        done: set[str] = set()
        waiting = list(self.reviewers)
        names = {s.name for s in waiting}
        waves: list[tuple[Seat, ...]] = []
        while waiting:
            ready = tuple(s for s in waiting if all(a in done or a not in names for a in s.after))
            ready = ready or tuple(waiting)  # the configuration refuses circles; never loop on one
            waves.append(ready)
            done |= {s.name for s in ready}
            waiting = [s for s in waiting if s not in ready]
        return tuple(waves)


def seat_name(reviewer: str) -> str:
    """Return the seat of a reviewer named in the configuration."""
    return f"reviewer-{reviewer}"


def panel(config: Config, facts: Facts) -> Panel:
    """Return who sits. The configuration has been checked, so every name in it is known."""
    names = [*config.review.reviewers] or [*config.agents, ALL_ANALYZERS]
    seats: list[Seat] = []
    skipped: list[SeatResult] = []
    for name in dict.fromkeys([*names, *config.review.roles]):
        if name == ALL_ANALYZERS:
            seats += [_analyzer(config, tool) for tool in facts.analyzers]
            skipped += [_idle(config, tool, facts) for tool in ANALYZERS if tool in facts.idle or tool in facts.missing]
        elif name in facts.analyzers:
            seats.append(_analyzer(config, name))
        elif name in ANALYZERS:
            skipped.append(_idle(config, name, facts))
        else:
            role = config.role(name)
            seat = _reviewer(config, facts, role)
            why = _why_not(config, facts, role, seat)
            if why is None:
                seats.append(seat)
            else:
                # Who has done what they were required to do is not missed.
                skipped.append(_absent(replace(seat, required=seat.required and why != ONCE), why))
    judge = _judge(config, facts, seats)
    sitting = {n for s in seats for n in (s.name, s.agent.name)} | {n for s in skipped for n in (s.seat, s.agent)}
    sitting |= {JUDGE, judge.agent.name, config.review.judge} if judge else set()
    skipped += [
        SeatResult(
            name, name, "", SeatStatus.SKIPPED, Reads.READ, note="required, but nobody of that name sits", required=True
        )
        for name in config.policy.required
        if name not in sitting and seat_name(name) not in sitting and name != ALL_ANALYZERS
    ]
    reviewing = {s.agent.name for s in seats}
    return Panel(
        reviewers=tuple({s.name: s for s in seats}.values()),
        judge=judge,
        own_pass=judge is not None and config.review.judge_own_pass and judge.agent.name not in reviewing,
        skipped=tuple(skipped),
    )


def _why_not(config: Config, facts: Facts, role: Role, seat: Seat) -> str | None:
    """Why a reviewer is not asked this time, None when it is. A missing program is a failure of its seat, not this."""
    if role.runs is Runs.NEVER:
        return "the role is switched off (runs = never)"
    if role.runs is Runs.MANUAL and role.name not in config.review.roles:
        return f"asked only with --role {role.name}"
    if role.runs is Runs.FIRST and seat.name in facts.seen:
        return ONCE
    return None


def _reviewer(config: Config, facts: Facts, role: Role) -> Seat:
    name = seat_name(role.name)
    again = name in facts.seen
    agent = replace(role.agent, effort=role.rereview_effort if again else role.agent.effort)
    analyzer = agent.kind == "analyzer"
    return Seat(
        name=name,
        agent=agent,
        limits=role.limits,
        reads=Reads.SCAN if analyzer else Reads.READ,
        substitutes=tuple(config.agent(s) for s in agent.substitutes),
        prompt=role.rereview if again else role.prompt,
        after=tuple(seat for a in role.after for seat in _seats_of(a, facts)),
        required=_required(config, role.name, agent.name),
        optional=_optional(config, role.name, agent.name, *([ALL_ANALYZERS] if analyzer else [])),
        silence_set=role.silence_set,
    )


def _judge(config: Config, facts: Facts, reviewers: Iterable[Seat]) -> Seat | None:
    name = config.review.judge
    if name == RULES:
        return None
    if not name:
        sitting = next((s for s in reviewers if s.agent.kind in JUDGING and s.agent.name not in facts.missing), None)
        if sitting is None:
            return None
        name = sitting.agent.name
    role = config.role(name, "judge")
    agent = role.agent
    here_alone = all(s.agent.name != agent.name for s in reviewers)
    return Seat(
        name=JUDGE,
        agent=agent,
        limits=role.limits,
        reads=Reads.NONE,
        substitutes=tuple(config.agent(s) for s in agent.substitutes),
        prompt=role.prompt,
        required=_required(config, JUDGE, *([role.name, agent.name] if here_alone else [])),
        silence_set=role.silence_set,
    )


def _analyzer(config: Config, tool: str) -> Seat:
    return Seat(
        name=tool,
        agent=Agent(name=tool, kind="analyzer", account=ALL_ANALYZERS),
        limits=Limits(min(config.limits.turn, 300.0)),
        reads=Reads.SCAN,
        required=_required(config, tool, ALL_ANALYZERS),
        optional=_optional(config, tool, ALL_ANALYZERS),
    )


def _seats_of(name: str, facts: Facts) -> tuple[str, ...]:
    """The seats that a name in `after` stands for."""
    if name == ALL_ANALYZERS:
        return facts.analyzers
    return (name,) if name in ANALYZERS else (seat_name(name),)


def _required(config: Config, *names: str) -> bool:
    """Whether a seat that goes by these names (its role, its agent, "analyzers") is required."""
    return any(name in config.policy.required for name in names)


def _optional(config: Config, *names: str) -> bool:
    return not _required(config, *names) and any(name in config.policy.optional for name in names)


def _idle(config: Config, tool: str, facts: Facts) -> SeatResult:
    """An analyzer that is not asked. Missed is only one that is required by its name and is not there."""
    missing = facts.missing.get(tool)
    required = missing is not None and _required(config, tool)
    return SeatResult(
        tool, tool, "analyzer", SeatStatus.SKIPPED, Reads.SCAN, note=missing or facts.idle.get(tool, ""),
        required=required, optional=not required,
    )  # fmt: skip


def _absent(seat: Seat, why: str) -> SeatResult:
    return SeatResult(
        seat.name, seat.agent.name, seat.agent.kind, SeatStatus.SKIPPED, seat.reads, note=why,
        required=seat.required, optional=seat.optional,
    )  # fmt: skip
