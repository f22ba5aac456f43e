"""The rule of admission, without a database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_samples import NOW, later

from moot.core.ledger import Admitted, Caps, Refused, Wait
from moot.core.runs import RunStatus
from moot.ledger.admission import AccountState, Facts, Spent, decide

FREE = AccountState("anthropic-main")


def facts(**matters: object) -> Facts:
    return Facts(**{"status": RunStatus.RUNNING, "asked_for": None, "account": FREE} | matters)


def test_nothing_in_the_way_admits() -> None:
    assert decide(facts(), Caps(), NOW) == Admitted()


@pytest.mark.parametrize(
    ("status", "asked_for", "what"),
    [
        (RunStatus.PARKED, None, "parked"),
        (RunStatus.RUNNING, "park", "parked"),
        (RunStatus.CANCELLED, None, "cancelled"),
        (RunStatus.RUNNING, "cancel", "cancelled"),
        (RunStatus.PARKED, "cancel", "cancelled"),
        (RunStatus.PARKED, "resume", "parked"),  # until the driver has taken the request up
    ],
)
def test_a_stopped_run_gets_no_turn(status: RunStatus, asked_for: str | None, what: str) -> None:
    answer = decide(facts(status=status, asked_for=asked_for), Caps(), NOW)
    assert isinstance(answer, Refused)
    assert answer.what == what


def test_a_request_to_resume_stops_nothing() -> None:
    assert decide(facts(asked_for="resume"), Caps(), NOW) == Admitted()


def test_a_paused_account_waits_until_its_reset() -> None:
    account = AccountState("main", paused_until=later(60), why="usage_limit: resets at 16:10")
    assert decide(facts(account=account), Caps(), NOW) == Wait(
        "main is paused: usage_limit: resets at 16:10", later(60)
    )
    assert decide(facts(account=account), Caps(), later(60)) == Admitted()


def test_after_a_pause_only_one_turn_goes_first() -> None:
    probing = AccountState("main", in_flight=1, paused_until=NOW, probing=True)
    answer = decide(facts(account=probing), Caps(), later(60))
    assert isinstance(answer, Wait)
    assert answer.until is None


def test_a_spent_budget_refuses_even_where_the_account_would_have_to_wait() -> None:
    account = AccountState("main", paused_until=later(60))
    answer = decide(facts(account=account, run=Spent(turns=3)), Caps(run_turns=3), NOW)
    assert answer == Refused("budget", "this run's turns: 3 of 3 are used")


def test_a_refusal_names_the_budget_and_its_figures() -> None:
    spent = Spent(usd=18.5, in_flight_usd=1.0)
    answer = decide(facts(run=spent), Caps(run_cost_usd=20, expected_usd=0.75), NOW)
    assert answer == Refused(
        "budget", "this run: $18.50 spent, $1.00 in flight, $0.75 expected of the next turn, of $20.00"
    )


@pytest.mark.parametrize(
    ("caps", "spent", "named"),
    [
        (Caps(run_tokens=10), {"run": Spent(tokens=10)}, "this run's tokens: 10 of 10 are used"),
        (Caps(day_tokens=1000), {"day": Spent(tokens=1234)}, "today's tokens: 1,234 of 1,000 are used"),
        (Caps(day_cost_usd=1), {"day": Spent(usd=1)}, "today: $1.00 spent, of $1.00"),
        (Caps(repo_day_cost_usd=1), {"repo_day": Spent(usd=2)}, "this repository today: $2.00 spent, of $1.00"),
        (Caps(run_cost_usd=0), {}, "this run: $0.00 spent, of $0.00"),
    ],
)
def test_every_budget_is_checked_against_what_it_is_for(caps: Caps, spent: dict[str, Spent], named: str) -> None:
    assert decide(facts(**spent), caps, NOW) == Refused("budget", named)
    others = {"run", "day", "repo_day"} - set(spent)
    if spent:
        elsewhere = dict.fromkeys(others, Spent(turns=10**6, tokens=10**9, usd=10**6))
        assert decide(facts(**elsewhere), caps, NOW) == Admitted()


cents = st.integers(0, 500).map(lambda n: n / 100)


@given(cap=cents, expected=cents, costs=st.lists(cents, max_size=30), in_flight=st.integers(1, 4))
def test_turns_that_cost_no_more_than_expected_never_exceed_the_budget(
    cap: float, expected: float, costs: list[float], in_flight: int
) -> None:
    """Up to `in_flight` turns run at once and settle in order; each costs at most what was expected."""
    caps = Caps(run_cost_usd=cap, expected_usd=expected)
    booked, running = 0.0, []
    for cost in costs:
        if len(running) == in_flight:
            booked += running.pop(0)
        spent = Spent(usd=booked, in_flight_usd=expected * len(running))
        if isinstance(decide(facts(run=spent), caps, NOW), Admitted):
            running.append(min(cost, expected))
        elif not running:
            break
        assert booked + expected * len(running) <= cap + 1e-6 or not running


@given(cap=cents, expected=cents, usd=cents, flying=cents, more=cents)
def test_who_is_refused_stays_refused_when_more_is_spent(
    cap: float, expected: float, usd: float, flying: float, more: float
) -> None:
    caps = Caps(day_cost_usd=cap, expected_usd=expected)
    less = decide(facts(day=Spent(usd=usd, in_flight_usd=flying)), caps, NOW)
    for spent in (Spent(usd=usd + more, in_flight_usd=flying), Spent(usd=usd, in_flight_usd=flying + more)):
        if isinstance(less, Refused):
            assert isinstance(decide(facts(day=spent), caps, NOW), Refused)


@given(cap=st.integers(1, 5), in_flight=st.integers(0, 7), pause=st.integers(-5, 5))
def test_an_account_never_holds_more_turns_than_its_cap(cap: int, in_flight: int, pause: int) -> None:
    account = AccountState("main", in_flight, paused_until=NOW + timedelta(seconds=pause))
    if isinstance(decide(facts(account=account), Caps(account_concurrency=cap), NOW), Admitted):
        assert in_flight < cap
        assert pause <= 0
