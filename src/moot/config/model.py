"""The configuration as a tree of frozen tables: every key, its default and its meaning.

`defaults.toml` shows the same to a person; a test keeps the two equal. What a table means to the rest of moot
is said by `Config.agent`, `Config.role` and `Config.caps`, which return values of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, WithJsonSchema

from moot.config.fields import Count, Duration, Effort, Model, Money, Name, Size, Variable, Words
from moot.core.errors import NotFoundError
from moot.core.findings import Severity
from moot.core.ledger import Caps
from moot.core.process import Limits
from moot.core.turns import Agent, Files


class Runs(StrEnum):
    """When a role is asked."""

    ALWAYS = "always"
    FIRST = "first"  # only in the first review of a branch or pull request
    MANUAL = "manual"  # only when named with --role
    NEVER = "never"


class Incomplete(StrEnum):
    """What a review counts for when a seat that is neither required nor optional gave no answer."""

    BLOCK = "block"
    WARN = "warn"


class SandboxMode(StrEnum):
    """Whether agents run behind a boundary."""

    REQUIRE = "require"
    PREFER = "prefer"
    OFF = "off"


class Table(BaseModel):
    """A table of the configuration."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PromptFile(Table):
    """A prompt of a role: the name a person wrote and the text that was read from that file."""

    file: str
    text: str


Prompt = Annotated[PromptFile, WithJsonSchema({"type": "string"})]


class AgentTable(Table):
    """A program that can be asked."""

    kind: Words = Field(
        description='What drives it: "claude", "codex", "command" (any program), "analyzer" (prints SARIF).'
    )
    model: Model | None = Field(default=None, description="Model; unset: the CLI's own choice.")
    effort: Effort | None = Field(default=None, description="Reasoning effort; unset: the CLI's own choice.")
    account: Name | None = Field(
        default=None,
        description="Whose quota it burns. Unset: agents of one CLI share an account named after its kind, "
        "a command has one of its own.",
    )
    program: Words | None = Field(default=None, description="Path of the CLI; unset: found on PATH.")
    command: tuple[str, ...] = Field(
        default=(),
        description="Program and arguments of a command or analyzer; {base} {head} {prompt_file} {cwd} {session} "
        "{label} are filled in.",
    )
    reply: Literal["json", "text"] = Field(default="json", description="What a command answers with: JSON or prose.")
    env: dict[Variable, str] = Field(
        default_factory=dict,
        description="Variables set for it. The right place for a secret: never stored with a run.",
    )
    pass_env: tuple[Variable, ...] = Field(default=(), description="Variables of your environment it may see.")
    read: tuple[Words, ...] = Field(
        default=(), description="Paths it may read inside the sandbox, besides its checkout and what its CLI needs."
    )
    write: tuple[Words, ...] = Field(default=(), description="Paths it may change inside the sandbox. They must exist.")
    args: tuple[str, ...] = Field(default=(), description="Extra arguments for the CLI.")
    fallback: tuple[Model, ...] = Field(default=(), description="Models tried next when this one hits its limit.")
    substitutes: tuple[Name, ...] = Field(default=(), description="Agents that take its seat over when it cannot.")
    files: Files = Field(
        default=Files.AUTO,
        description='What lies in its checkout: the whole "tree", what "changed" and its surroundings, or "auto": '
        "the tree unless the repository is large (see checkouts.full_limit).",
    )
    timeout: Duration | None = Field(
        default=None, gt=0, description="Time for one turn; unset: limits.turn, or limits.judge for the judge."
    )


class AccountTable(Table):
    """Whose quota turns burn."""

    concurrency: Count = Field(default=3, description="Turns at once. An account without a table has 3.")


class RoleTable(Table):
    """An agent and how it is asked. Seats name an agent or a role."""

    agent: Name = Field(description="Who is asked.")
    prompt: Prompt | None = Field(
        default=None, description="File appended to the built-in prompt, relative to the file that names it."
    )
    rereview: Prompt | None = Field(
        default=None, description="File appended instead when the agent reviews the same branch again."
    )
    model: Model | None = Field(default=None, description="Model; unset: the agent's.")
    effort: Effort | None = Field(default=None, description="Reasoning effort; unset: the agent's.")
    rereview_effort: Effort | None = Field(default=None, description="Effort when reviewing again; unset: effort.")
    runs: Runs = Field(
        default=Runs.ALWAYS,
        description='"always", "first" (once per branch), "manual" (only when named with --role) or "never".',
    )
    after: tuple[Name, ...] = Field(default=(), description="Seats whose reports it reads: it starts after them.")
    timeout: Duration | None = Field(default=None, gt=0, description="Time for one turn; unset: the agent's.")
    silence: Duration | None = Field(
        default=None, description="As limits.silence, for this role, and also when its agent is a command."
    )


class PromptsTable(Table):
    """What every prompt of moot ends with, under a heading of its own. Appended, never a replacement."""

    all: str = Field(default="", description="For every seat.")
    review: str = Field(default="", description="For reviewers.")
    judge: str = Field(default="", description="For the judge.")


class ReviewTable(Table):
    """Who reviews a change."""

    mode: Literal["panel"] = Field(default="panel", description='How: "panel" (reviewers in parallel, then a judge).')
    reviewers: tuple[Name, ...] = Field(
        default=(),
        description='Agents, roles and analyzers that review; "analyzers" is every built-in analyzer that is present. '
        "Empty: every agent and the analyzers. Where no agent is configured, the CLIs that are installed and logged "
        "in are the agents.",
    )
    judge: Name | Literal[""] = Field(
        default="",
        description='Who proves or rejects the findings: an agent, a role, or "rules" (no model). '
        'Empty: the first reviewer that asks a model, else "rules".',
    )
    roles: tuple[Name, ...] = Field(default=(), description="Roles to ask although they run manually.")
    judge_own_pass: StrictBool = Field(
        default=True, description="Whether the judge also reviews, blind to the others and at the same time."
    )
    checks: tuple[Words, ...] = Field(
        default=(),
        description="Shell commands run once per head in the sandbox; the judge and the report get their results.",
    )
    check_timeout: Duration = Field(default=600.0, gt=0, description="Time for each check.")


class PolicyTable(Table):
    """What a verdict needs and what counts."""

    required: tuple[Name, ...] = Field(default=(), description="Seats without whose answer a change is not reviewed.")
    optional: tuple[Name, ...] = Field(
        default=("analyzers",),
        description="Seats whose failure leaves the review complete. A seat that is also required is required.",
    )
    incomplete: Incomplete = Field(
        default=Incomplete.BLOCK,
        description='When a seat that is neither gave no answer: "block" (not reviewed) or "warn" (the rest decides).',
    )
    blocking: Severity = Field(default=Severity.HIGH, description="From which severity on a finding requests changes.")
    show: Severity = Field(default=Severity.LOW, description="From which severity on a finding is shown without --all.")
    fail_on: Severity = Field(default=Severity.HIGH, description="From which severity on the exit code is 1.")


class LimitsTable(Table):
    """How long things may take."""

    turn: Duration = Field(default=1200.0, gt=0, description="Time for one turn of a reviewer.")
    judge: Duration = Field(default=1200.0, gt=0, description="Time for one turn of the judge.")
    silence: Duration = Field(
        default=300.0, description="An agent that streams and says nothing for so long is stopped; 0s: never."
    )
    retry_after: Duration = Field(
        default=15.0, gt=0, description="Wait before passing trouble is tried again, twice as long each time."
    )
    nudge: float = Field(
        default=0.25,
        strict=True,
        gt=0,
        le=1,
        description="Share of a turn's time to ask again after an unusable reply.",
    )


class BudgetTable(Table):
    """What may be spent, checked before each turn, turns in flight counted. An unset cap is no cap."""

    run_cost_usd: Money | None = Field(default=None, description="US dollars per run.")
    run_tokens: Count | None = Field(default=None, description="Tokens per run, in and out.")
    run_turns: Count | None = Field(default=None, description="Turns per run.")
    day_cost_usd: Money | None = Field(default=None, description="US dollars per day, over all runs.")
    day_tokens: Count | None = Field(default=None, description="Tokens per day, over all runs.")
    repo_day_cost_usd: Money | None = Field(default=None, description="US dollars per day and repository.")
    expected_turn_usd: float = Field(
        default=0.5, strict=True, ge=0, description="US dollars a turn counts for while its cost is not known."
    )


class SandboxTable(Table):
    """The boundary around agents and checks (bubblewrap)."""

    mode: SandboxMode = Field(
        default=SandboxMode.PREFER,
        description='"require" (no boundary, no run), "prefer" (the report says when there is none) or "off".',
    )
    read: tuple[Words, ...] = Field(default=(), description="More paths that agents may read.")


class CheckoutsTable(Table):
    """The directories seats work in."""

    full_limit: Count = Field(default=20_000, description='Files up to which files = "auto" means the whole tree.')


class LedgerTable(Table):
    """The database of runs, seats, turns and findings."""

    url: str = Field(default="", description="postgresql://… or a SQLite file; empty: one in moot's data directory.")


class ChangeTable(Table):
    """What of a change is read."""

    exclude: tuple[Words, ...] = Field(
        default=(
            "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
            "deno.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum",
            "composer.lock", "Gemfile.lock", "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved",
            "packages.lock.json", "gradle.lockfile", "flake.lock", "*.min.js", "*.min.css", "*.map", "*_pb2.py",
            "*_pb2_grpc.py", "*.pb.go", "node_modules/", "vendor/",
        ),
        description="Generated and vendored files, reported as skipped. `name` and `*.ext` match anywhere, `name/` "
        "a directory and all below it, `a/b*` from the top.",
    )  # fmt: skip
    max_file: Size = Field(default=1024 * 1024, gt=0, description="A larger file is skipped, and reported so.")
    batch: Size = Field(default=400 * 1024, gt=0, description="A larger change is read in several parts.")


@dataclass(frozen=True, slots=True)
class Role:
    """An agent and how it is asked, with everything filled in that the configuration leaves to defaults.

    Args:
        name: of the role, or of the agent when a seat names an agent.
        agent: with the role's model and effort.
        prompt, rereview: text appended to the built-in prompt; `rereview` is `prompt` where a role has only one.
        rereview_effort: the effort to use when reviewing again, None for the CLI's own choice.
        after: seats whose reports it reads.
        limits: of one turn; `silence_s` is for kinds that stream.
        silence_set: whether the role itself sets the silence, which then holds for kinds that do not stream too.
    """

    name: str
    agent: Agent
    prompt: str
    rereview: str
    rereview_effort: str | None
    runs: Runs
    after: tuple[str, ...]
    limits: Limits
    silence_set: bool = False


class Config(Table):
    """The whole configuration."""

    language: Words = Field(default="en", description="Language of prose from agents.")
    include: tuple[Words, ...] = Field(
        default=(), description="Files read before this one, relative to it; what this one says wins."
    )
    vars: dict[Variable, str] = Field(
        default_factory=dict,
        description="Values for {{ vars.NAME }}; there are also {{ env.NAME }} and {{ repo }}. A literal {{ is {{{{.",
    )
    agents: dict[Name, AgentTable] = Field(default_factory=dict, description="Programs that can be asked, by name.")
    accounts: dict[Name, AccountTable] = Field(default_factory=dict, description="Whose quota turns burn, by name.")
    roles: dict[Name, RoleTable] = Field(default_factory=dict, description="Agents and how they are asked, by name.")
    prompts: PromptsTable = PromptsTable()
    review: ReviewTable = ReviewTable()
    policy: PolicyTable = PolicyTable()
    limits: LimitsTable = LimitsTable()
    budget: BudgetTable = BudgetTable()
    sandbox: SandboxTable = SandboxTable()
    checkouts: CheckoutsTable = CheckoutsTable()
    ledger: LedgerTable = LedgerTable()
    change: ChangeTable = ChangeTable()

    def agent(self, name: str) -> Agent:
        """Return the configured agent of that name.

        Raises:
            NotFoundError: there is none.
        """
        table = self.agents.get(name)
        if table is None:
            raise NotFoundError(f'no agent is named "{name}"', next_step="moot config show")
        shared = table.kind not in ("command", "analyzer")
        return Agent(
            name=name,
            kind=table.kind,
            model=table.model,
            effort=table.effort,
            account=table.account or (table.kind if shared else name),
            program=table.program,
            command=table.command,
            reply=table.reply,
            env=table.env,
            pass_env=table.pass_env,
            read=table.read,
            write=table.write,
            args=table.args,
            fallback=table.fallback,
            substitutes=table.substitutes,
            files=table.files,
        )

    def role(self, name: str, node: str = "review") -> Role:
        """Return how the role or agent of that name is asked for `node`, the judge's nodes being slower by default.

        Raises:
            NotFoundError: neither a role nor an agent is named so.
        """
        table = self.roles.get(name)
        agent = self.agent(table.agent if table else name)
        wall_s = self.agents[agent.name].timeout or (self.limits.judge if node == "judge" else self.limits.turn)
        if table is None:
            limits = Limits(wall_s, self.limits.silence or None)
            return Role(name, agent, "", "", agent.effort, Runs.ALWAYS, (), limits)
        asked = replace(agent, model=table.model or agent.model, effort=table.effort or agent.effort)
        silence_s = self.limits.silence if table.silence is None else table.silence
        prompt = table.prompt.text if table.prompt else ""
        return Role(
            name=name,
            agent=asked,
            prompt=prompt,
            rereview=table.rereview.text if table.rereview else prompt,
            rereview_effort=table.rereview_effort or asked.effort,
            runs=table.runs,
            after=table.after,
            limits=Limits(table.timeout or wall_s, silence_s or None),
            silence_set=table.silence is not None,
        )

    def concurrency(self, account: str) -> int:
        """Return how many turns `account` takes at once."""
        table = self.accounts.get(account)
        if table is None:
            # Analyzers burn nothing but this machine's time, and little of it.
            return 8 if account == "analyzers" else AccountTable().concurrency
        return table.concurrency

    def caps(self, account: str) -> Caps:
        """Return what admission checks for a turn on `account`."""
        budget = self.budget
        return Caps(
            account_concurrency=self.concurrency(account),
            run_turns=budget.run_turns,
            run_tokens=budget.run_tokens,
            run_cost_usd=budget.run_cost_usd,
            day_cost_usd=budget.day_cost_usd,
            day_tokens=budget.day_tokens,
            repo_day_cost_usd=budget.repo_day_cost_usd,
            expected_usd=budget.expected_turn_usd,
        )
