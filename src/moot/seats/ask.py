"""Ask one seat: the only door to an agent. Continuity, admission, nudge and fall-back are here."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from moot.agents.base import Adapter
from moot.agents.registry import adapter
from moot.agents.selection import resolve
from moot.core import codec
from moot.core.ledger import Admitted, Caps, Refused, TurnId, Wait
from moot.core.limits import MAX_REPLY_BYTES
from moot.core.turns import LIMITS, SCAN, Agent, Conversation, Failure, FailureKind, Prompt, Reply, Usage
from moot.engine import Suspend
from moot.ledger import conversations, turns
from moot.prompts.render import render
from moot.seats import attempts, reactions, turn
from moot.seats.attempts import Attempt, Form
from moot.seats.reactions import PAUSING, Again, GiveUp, NextAgent, NextModel, Nudge, Reaction, Standing, react
from moot.seats.run import Answered, Expect, Failed, Run, Seat
from moot.seats.turn import Place, Told

#: A paused account is waited for when it opens again within this many seconds; else somebody else is asked.
PATIENCE_S = 600.0
#: An account whose reset nobody knows is left alone for this long.
UNKNOWN_RESET = timedelta(minutes=30)
#: How the detail of a failure begins that is no agent's: nobody else in the run has more to spend.
BUDGET = "budget: "


@dataclass
class _Sitting:
    """How the seat stands between two attempts; rebuilt from the attempts on disk when the step runs again."""

    agent: Agent
    model: str | None
    conversation: Conversation | None
    form: Form
    models: list[str]
    agents: list[Agent]
    problem: str = ""
    delay_s: float = 0.0
    failures: list[Failure] = field(default_factory=list)  # of the sitting agent and model
    trail: list[str] = field(default_factory=list)
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    remembered: Conversation | None = None  # of the last turn

    def seat_agent(self, agent: Agent) -> None:
        self.agent, self.model, self.models = agent, agent.model, list(agent.fallback)
        self.start_over()
        self.failures = []

    def start_over(self) -> None:
        self.conversation, self.form, self.problem, self.delay_s = None, "full", "", 0.0


async def ask(run: Run, seat: Seat, prompt: Prompt, expect: Expect, at: Place, key: str) -> Answered | Failed:
    """Ask a seat and return its answer, whatever has to be gone through for it. ONE engine step; trouble is a value.

    Every attempt is a directory that is decided before it begins and adopted when it exists, so this can be killed
    anywhere and run again without a turn being paid twice.

    Args:
        prompt: `live` goes to a seat that remembers an earlier turn of this subject, `full` to everyone else.
        key: of this question in the run; attempts are `turns/<seat>/<key>.<n>`.

    Raises:
        Suspend: the run was parked or cancelled; nothing is lost.
    """
    asked = attempts.digest(prompt.full, prompt.about)
    sitting = _begin(run, seat, prompt)
    number = 0
    while True:
        number += 1
        job = attempts.job_folder(run.folder / "turns", seat.name, key, number)
        attempt = attempts.load(job)
        earlier = attempt is not None and (attempt.generation < run.generation or attempt.digest != asked)
        if attempt is None:
            attempt = _decide(run, seat, sitting, number, asked)
            attempts.save(job, attempt)
        elif earlier and attempt.digest != asked:
            continue
        agent = _agent(seat, attempt.agent)
        kind = adapter(agent.kind)
        outcome = await _turn(run, seat, agent, kind, attempt, job, prompt, expect, at, key, sitting)
        if isinstance(outcome, Told):
            return _answered(seat, sitting, agent, kind, attempt, job, at, outcome)
        if earlier:
            continue  # an earlier generation's failure: this one starts with a clean slate
        if outcome.kind is FailureKind.KILLED and run.halt.why:
            raise Suspend(run.halt.why)
        reaction = _react(run, seat, sitting, attempt, job, outcome)
        if isinstance(reaction, GiveUp):
            return _failed(seat, sitting, outcome, limited=reaction.limited)


def _begin(run: Run, seat: Seat, prompt: Prompt) -> _Sitting:
    ledger, agent = run.world.ledger, seat.agent
    conversation = None
    if prompt.continues is not None:
        conversation = conversations.get(ledger, prompt.continues)
    elif prompt.live is not None and run.generation == 0:
        latest = conversations.find(
            ledger, run.change.subject, seat.name, kind=agent.kind, account=agent.account, machine=run.world.machine
        )
        # Two runs of a subject at once must not talk in one conversation.
        free = latest is not None and not turns.continued_elsewhere(ledger, latest.id, run.id)
        conversation = latest if free else None
    return _Sitting(
        agent=agent,
        model=agent.model,
        conversation=conversation,
        form="live" if conversation else "full",
        models=list(agent.fallback),
        agents=list(seat.substitutes),
    )


def _agent(seat: Seat, name: str) -> Agent:
    return next(a for a in (seat.agent, *seat.substitutes) if a.name == name)


def _decide(run: Run, seat: Seat, sitting: _Sitting, number: int, asked: str) -> Attempt:
    share = run.config.limits.nudge if sitting.form == "nudge" else 1.0
    return Attempt(
        number=number,
        generation=run.generation,
        agent=sitting.agent.name,
        model=sitting.model,
        form=sitting.form,
        digest=asked,
        conversation=sitting.conversation.id if sitting.conversation else None,
        wall_s=seat.limits.wall_s * share,
        silence_s=seat.limits.silence_s,
        problem=sitting.problem,
        delay_s=sitting.delay_s,
    )


async def _turn(
    run: Run,
    seat: Seat,
    agent: Agent,
    kind: Adapter,
    attempt: Attempt,
    job: Path,
    prompt: Prompt,
    expect: Expect,
    at: Place,
    key: str,
    sitting: _Sitting,
) -> Told | Failure:
    """Do one attempt, or adopt what it has come to already."""
    ledger = run.world.ledger
    refused = _refused(job)
    if refused is not None:
        return refused
    resolved = resolve(agent, run.world.environ)
    if resolved is None and turn.fresh(run, job):
        failure = Failure(
            FailureKind.NOT_INSTALLED, f"{(agent.command or (agent.program or agent.kind,))[0]} is not installed"
        )
        _refuse(job, failure)
        return failure
    agent = resolved or agent  # what was started is read, wherever its program has gone since
    conversation = conversations.get(ledger, attempt.conversation) if attempt.conversation else None
    spec = turn.spec(
        run, seat, agent, kind, attempt, node=prompt.node, key=key, job=job, expect=expect, place=at,
        conversation=conversation,
    )  # fmt: skip
    name = TurnId(run.id, seat.name, key, attempt.number)

    async def start() -> Failure | None:
        await turn.pause(run, attempt.delay_s)
        denied = await _admit(run, agent, attempt, name, prompt.node, conversation)
        if denied is not None:
            _refuse(job, denied)
            return denied
        said = {"job": str(job), "agent": agent.name, "kind": agent.kind, "form": attempt.form}
        run.note("turn.started", f"{agent.name} is asked ({prompt.node})", seat.name, {**said})
        turn.begin(run, kind, spec, _text(prompt, attempt, expect, run.config.language), at)
        turns.mark_running(ledger, name, run.world.now())
        return None

    ended = await turn.see_through(run, job, start)
    if isinstance(ended, Failure):
        return ended
    outcome = turn.outcome(kind, spec, ended, expect)
    brought = outcome.reply if isinstance(outcome, Told) else outcome
    booked = turns.settle(ledger, name, brought, brought.usage, run.world.now(), _pause_until(run, brought))
    sitting.remembered = _remember(run, seat, agent, at, name, conversation, brought)
    sitting.turns += 1
    sitting.usage = sitting.usage + booked
    sitting.seconds += turn.seconds(ended)
    return outcome


def _remember(
    run: Run,
    seat: Seat,
    agent: Agent,
    at: Place,
    name: TurnId,
    earlier: Conversation | None,
    outcome: Reply | Failure,
) -> Conversation | None:
    """Keep the conversation for the seat's next turn and return it; forget one that its CLI no longer knows."""
    ledger = run.world.ledger
    if isinstance(outcome, Failure) and outcome.kind is FailureKind.CONVERSATION_LOST and earlier is not None:
        conversations.forget(ledger, earlier.id)
    if outcome.conversation is None:
        return None
    known = earlier is not None and earlier.native == outcome.conversation
    conversation = Conversation(
        id=earlier.id if known and earlier else f"{name.run}/{name.seat}/{name.folder}",
        kind=agent.kind,
        native=outcome.conversation,
        account=agent.account,
        machine=run.world.machine,
        cwd=at.cwd,
        subject=run.change.subject,
        seat=seat.name,
        cumulative=outcome.usage if outcome.cumulative else Usage(),
    )
    conversations.save(ledger, conversation, now=run.world.now())
    return conversation


async def _admit(
    run: Run, agent: Agent, attempt: Attempt, name: TurnId, node: str, conversation: Conversation | None
) -> Failure | None:
    """Wait for the ledger's leave to begin a paid turn; a refusal that waiting will not cure is a failure."""
    world, caps, announced, wait_s = run.world, run.config.caps(agent.account), "", 0.05
    if node == SCAN:
        caps = Caps(account_concurrency=caps.account_concurrency)
    while True:
        leave = turns.admit(
            world.ledger, name, agent.account, caps, world.now(), repo=run.change.repo, node=node, agent=agent.name,
            model=attempt.model, conversation=conversation,
        )  # fmt: skip
        match leave:
            case Admitted():
                return None
            case Refused(what="budget", why=why):
                return Failure(FailureKind.BILLING, f"{BUDGET}{why}")
            case Refused(what=what):
                raise Suspend(what)
            case Wait(why=why, until=until):
                if until is not None and (until - world.now()).total_seconds() > PATIENCE_S:
                    return Failure(FailureKind.USAGE_LIMIT, why, resets_at=until)
                if why != announced:
                    run.note("seat.waits", why, name.seat)
                    announced = why
                turns.reap(world.ledger, world.alive, machine=world.machine, now=world.now(), account=agent.account)
                await turn.pause(run, wait_s)
                wait_s = min(1.0, wait_s * 1.5)


def _text(prompt: Prompt, attempt: Attempt, expect: Expect, language: str) -> str:
    if attempt.form == "nudge":
        schema = json.dumps(expect.schema, indent=1) if expect.schema is not None else ""
        return render("nudge", problem=attempt.problem, schema=schema, language=language)
    return prompt.live if attempt.form == "live" and prompt.live is not None else prompt.full


def _refuse(job: Path, failure: Failure) -> None:
    """Write down that the attempt was over before it began, so that a second pass comes to the same."""
    attempts.write(job / "refused.json", json.dumps(codec.dump(Failure, failure)))


def _refused(job: Path) -> Failure | None:
    try:
        text = (job / "refused.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    failure: Failure = codec.load(Failure, json.loads(text))
    return failure


def _react(run: Run, seat: Seat, sitting: _Sitting, attempt: Attempt, job: Path, failure: Failure) -> Reaction:
    """Decide what to do about a failure, once: a second pass does what the first one decided."""
    reaction = _decided(job)
    line = f"{failure.kind.replace('_', ' ')}: {failure.detail} → "
    if reaction is None:
        reaction = _choose(run, sitting, attempt, failure)
        attempts.write(job / "reaction.json", json.dumps(reactions.dump(reaction)))
        if not isinstance(reaction, GiveUp):  # whoever seated it says how it ended
            said = line + _done(reaction)
            run.note(f"seat.{_EVENTS[type(reaction)]}", said, seat.name, {"failure": failure.kind.value})
    sitting.trail.append(line + _done(reaction))
    _prepare(sitting, reaction, failure)
    return reaction


def _choose(run: Run, sitting: _Sitting, attempt: Attempt, failure: Failure) -> Reaction:
    if failure.kind is FailureKind.BILLING and failure.detail.startswith(BUDGET):
        return GiveUp(limited=True)
    standing = Standing(
        models=sitting.models,
        agents=[a.name for a in sitting.agents],
        alive=failure.conversation is not None,
        resumed=attempt.conversation is not None,
        pause_s=run.config.limits.retry_after,
    )
    return react(failure, sitting.failures, standing, run.world.now())


def _prepare(sitting: _Sitting, reaction: Reaction, failure: Failure) -> None:
    """Set the seat up for its next attempt."""
    sitting.failures.append(failure)
    sitting.delay_s = 0.0
    match reaction:
        case Nudge():
            sitting.conversation, sitting.form, sitting.problem = sitting.remembered, "nudge", failure.detail
        case Again(after_s=after_s, fresh=fresh):
            if fresh or sitting.form == "nudge":
                sitting.start_over()
            sitting.delay_s = after_s
        case NextModel(model=model):
            sitting.start_over()
            sitting.model, sitting.failures = model, []
            sitting.models.remove(model)
        case NextAgent(agent=name):
            sitting.seat_agent(next(a for a in sitting.agents if a.name == name))
            sitting.agents = [a for a in sitting.agents if a.name != name]
        case GiveUp():
            pass


def _decided(job: Path) -> Reaction | None:
    try:
        return reactions.load(json.loads((job / "reaction.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


_EVENTS: dict[type[Reaction], str] = {Nudge: "nudged", Again: "again", NextModel: "handed", NextAgent: "handed"}


def _done(reaction: Reaction) -> str:
    match reaction:
        case Nudge():
            return "asked to mend the reply"
        case Again(after_s=after_s):
            return f"asked again{f' after {after_s:.0f}s' if after_s else ''}"
        case NextModel(model=model):
            return f"handed to model {model}"
        case NextAgent(agent=agent):
            return f"handed to {agent}"
        case GiveUp():
            return "given up"


def _pause_until(run: Run, outcome: Reply | Failure) -> datetime | None:
    if isinstance(outcome, Reply) or outcome.kind not in LIMITS:
        return None
    if outcome.resets_at is not None and outcome.kind is not FailureKind.MODEL_LIMIT:
        return outcome.resets_at
    return run.world.now() + UNKNOWN_RESET if outcome.kind in PAUSING else None


def _answered(
    seat: Seat,
    sitting: _Sitting,
    agent: Agent,
    kind: Adapter,
    attempt: Attempt,
    job: Path,
    at: Place,
    told: Told,
) -> Answered:
    return Answered(
        seat=seat.name,
        agent=agent.name,
        kind=agent.kind,
        model=attempt.model,
        text=_bounded(told.reply.text) if told.data is None else "",
        data=told.data,
        attempt=attempt.number,
        turns=sitting.turns,
        usage=sitting.usage,
        seconds=sitting.seconds,
        cwd=str(at.cwd),
        conversation=sitting.remembered.id if sitting.remembered else None,
        touched=turn.touched(kind, job),
        trail=tuple(sitting.trail),
        replaced=seat.agent.name if agent.name != seat.agent.name else None,
    )


def _bounded(prose: str) -> str:
    """What is kept of a reply in prose: it goes into the engine's record, the judge's file and the report."""
    if len(prose) <= MAX_REPLY_BYTES:
        return prose
    return f"{prose[:MAX_REPLY_BYTES]}\n\n[moot kept {MAX_REPLY_BYTES:,} of {len(prose):,} characters]"


def _failed(seat: Seat, sitting: _Sitting, failure: Failure, *, limited: bool) -> Failed:
    return Failed(
        seat=seat.name,
        agent=sitting.agent.name,
        kind=sitting.agent.kind,
        failure=failure,
        turns=sitting.turns,
        usage=sitting.usage,
        seconds=sitting.seconds,
        limited=limited,
        trail=tuple(sitting.trail),
        replaced=seat.agent.name if sitting.agent.name != seat.agent.name else None,
    )
