"""Whether the names in a configuration mean something: seats, agents, roles, kinds, and who waits for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from moot.config.diagnose import meant
from moot.config.model import Config
from moot.config.problems import Problem
from moot.config.tables import KeyPath
from moot.process.environment import FORGE_ACCESS

#: The built-in analyzers, each a seat by that name.
ANALYZERS = (
    "ruff", "ty", "oxlint", "shellcheck", "hadolint", "zizmor", "workflow-schema", "detect-secrets", "typos",
    "ast-grep",
)  # fmt: skip
ALL_ANALYZERS = "analyzers"
RULES = "rules"
#: The judge's seat, whoever sits there.
JUDGE = "judge"
RESERVED = frozenset((*ANALYZERS, ALL_ANALYZERS, RULES))

#: Kinds that are told what to run, the others know it.
COMMAND_KINDS = frozenset(("command", "analyzer"))


def problems(
    config: Config, kinds: tuple[str, ...], where: Callable[[KeyPath], str], withheld: frozenset[str] = frozenset()
) -> Iterator[Problem]:
    """Yield every name that means nothing, or something that cannot be.

    Args:
        kinds: the agent kinds there are.
        where: says where a path is set.
        withheld: agents and roles of a repository that wait for consent.
    """
    check = _Check(config, kinds, where, withheld)
    yield from check.agents()
    yield from check.roles()
    yield from check.circle()
    yield from check.seats()


class _Check:
    def __init__(
        self, config: Config, kinds: tuple[str, ...], where: Callable[[KeyPath], str], withheld: frozenset[str]
    ) -> None:
        self.config = config
        self.kinds = kinds
        self.where = where
        self.withheld = withheld
        own = {name for name, agent in config.agents.items() if agent.kind == "analyzer"}
        self.analyzers = own | set(ANALYZERS) | {ALL_ANALYZERS}
        # Where no agent is configured, the agents will be the CLIs that are found, named after their kind.
        self.agent_names = (config.agents.keys() - own) or (set(kinds) - COMMAND_KINDS)
        self.judges = self.agent_names | config.roles.keys()
        self.reviewers = self.judges | self.analyzers

    def agents(self) -> Iterator[Problem]:
        for name, agent in self.config.agents.items():
            path: KeyPath = ("agents", name)
            if name in RESERVED:
                yield self.bad(path, f'"{name}" is a name of moot\'s own and cannot be an agent')
            if agent.kind not in self.kinds:
                kinds = ", ".join(self.kinds)
                yield self.bad(
                    (*path, "kind"), f'"{agent.kind}" is no kind of agent ({kinds}){meant(agent.kind, self.kinds)}'
                )
            elif agent.kind in COMMAND_KINDS and not agent.command:
                yield self.bad(path, f'agent "{name}" is of kind "{agent.kind}" and needs a "command"')
            elif agent.kind not in COMMAND_KINDS and agent.command:
                yield self.bad(
                    (*path, "command"), f'agent "{name}" is of kind "{agent.kind}": set "program" and "args"'
                )
            if agent.reply == "text" and agent.kind != "command":
                yield self.bad(
                    (*path, "reply"), f'only a "command" answers in prose, agent "{name}" is of kind "{agent.kind}"'
                )
            for key, held in (("pass_env", agent.pass_env), ("env", tuple(agent.env))):
                for variable in held:
                    if variable.upper() in FORGE_ACCESS:
                        yield self.bad((*path, key), f"{variable} gives access to a forge, which no agent may have")
            for other in agent.substitutes:
                known = self.config.agents.get(other)
                if known is not None and known.reply != agent.reply:
                    forms = f'"{other}" answers in {known.reply}, "{name}" in {agent.reply}'
                    yield self.bad((*path, "substitutes"), f"{forms}: one cannot take the other's seat")
            others = self.agent_names - {name}
            yield from self.unknown((*path, "substitutes"), agent.substitutes, others, "another agent")

    def roles(self) -> Iterator[Problem]:
        for name, role in self.config.roles.items():
            path: KeyPath = ("roles", name)
            if name in RESERVED:
                yield self.bad(path, f'"{name}" is a name of moot\'s own and cannot be a role')
            elif name in self.config.agents:
                yield self.bad(path, f'"{name}" is an agent already; a role needs a name of its own')
            yield from self.unknown((*path, "agent"), (role.agent,), self.agent_names, "an agent")
            yield from self.unknown((*path, "after"), role.after, self.reviewers, "an agent, role or analyzer")

    def circle(self) -> Iterator[Problem]:
        try:
            TopologicalSorter({name: role.after for name, role in self.config.roles.items()}).prepare()
        except CycleError as error:
            names = list(reversed(error.args[1]))  # graphlib tells who comes before whom
            yield self.bad(("roles", names[0], "after"), f"roles wait for each other: {' → '.join(names)}")

    def seats(self) -> Iterator[Problem]:
        review, policy = self.config.review, self.config.policy
        seat = "an agent, role or analyzer"
        yield from self.unknown(("review", "reviewers"), review.reviewers, self.reviewers, seat)
        for name in dict.fromkeys(name for name in review.reviewers if review.reviewers.count(name) > 1):
            yield self.bad(("review", "reviewers"), f'"review.reviewers" names "{name}" twice')
        yield from self.unknown(("review", "roles"), review.roles, self.config.roles, "a role")
        required = self.reviewers | {JUDGE} | self.withheld
        yield from self.unknown(
            ("policy", "required"), policy.required, required, f'an agent, role, analyzer or "{JUDGE}"'
        )
        yield from self.unknown(("policy", "optional"), policy.optional, self.reviewers, seat)
        if review.judge in ("", RULES):
            return
        path: KeyPath = ("review", "judge")
        yield from self.unknown(path, (review.judge,), self.judges, f'an agent, a role or "{RULES}"')
        if review.judge in self.judges and self._agent_of(review.judge) in self._prose():
            yield self.bad(path, f'"{review.judge}" answers in prose and cannot be the judge')

    def unknown(self, path: KeyPath, names: Iterable[str], allowed: Iterable[str], what: str) -> Iterator[Problem]:
        known = set(allowed)
        for index, name in enumerate(names):
            if name in known:
                continue
            said = f'"{".".join(str(part) for part in path)}" must name {what}'
            here = (*path, index)
            if name in self.withheld:
                yield self.bad(here, f'{said}; "{name}" waits for its command to be allowed', "moot config allow")
            else:
                yield self.bad(here, f'{said}, not "{name}"{meant(name, sorted(known))}')

    def bad(self, path: KeyPath, message: str, next_step: str | None = None) -> Problem:
        return Problem(self.where(path), message, next_step)

    def _agent_of(self, seat: str) -> str:
        return self.config.roles[seat].agent if seat in self.config.roles else seat

    def _prose(self) -> set[str]:
        return {name for name, agent in self.config.agents.items() if agent.reply == "text"}
