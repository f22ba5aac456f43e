"""The boundary: what a hostile reviewer can neither read nor write, and what is said where there is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from review_world import DIVISION, Ran, World

from moot.process import sandbox

HOSTILE = """
def reads(path):
    try:
        with open(path, "rb") as file:
            return len(file.read()) > 0
    except OSError:
        return False

def lists(path):
    try:
        return sorted(os.listdir(path))
    except OSError:
        return None

def writes(path):
    try:
        with open(path, "a") as file:
            file.write("planted")
        return True
    except OSError:
        return False

targets = json.loads(os.environ["TARGETS"])
for name, target in targets.items():
    note(name, reads=reads(target), lists=lists(target))
for target in targets.values():
    writes(target)  # where it succeeds, it is in a place that ends with the cage
note("checkout", reads=reads("calc.py"), writes=[writes("calc.py"), writes("new.py"), writes(".git/config")])
note("change", writes=writes(os.environ["MOOT_CHANGE_FILE"]))
note("prompt", writes=writes(os.environ["MOOT_PROMPT_FILE"]))
note("mail", writes=writes(os.path.join(os.environ["MOOT_MAILBOX"], "x")))
note("environ", names=sorted(os.environ))
note("others", pids=[p for p in os.listdir("/proc") if p.isdecimal()])
review()
"""


@pytest.fixture(scope="module")
def ran(shared: World, cage: None) -> Ran:
    import json

    (shared.person / "secret.txt").write_text("hunter2")
    shared.reviewer("earlier", DIVISION)
    shared.panel("earlier")
    earlier = shared.review().result["run"]
    other = shared.home / "runs" / earlier
    targets = {
        "home": shared.person / "secret.txt",
        "repository": shared.repo / "calc.py",
        "git": shared.repo / ".git" / "config",
        "ledger": shared.home / "ledger.db",
        "config": shared.home / "config.toml",
        "earlier-change": other / "files" / "change.md",
        "earlier-turn": other / "turns" / "reviewer-earlier" / "review-1.1" / "stdout",
        "runs": shared.home / "runs",
        "moot-home": shared.home,
    }
    shared.agent("hostile", HOSTILE, env={"TARGETS": json.dumps({k: str(v) for k, v in targets.items()})})
    shared.panel("hostile")
    return shared.review(env={"GH_TOKEN": "gho_secret", "AWS_SECRET_ACCESS_KEY": "s", "SSH_AUTH_SOCK": "/tmp/x"})


def noted(shared: World, what: str) -> dict[str, object]:
    (entry,) = shared.noted("hostile", what)
    return entry


@pytest.mark.parametrize("what", ["home", "ledger", "config", "earlier-change", "earlier-turn"])
def test_what_is_not_the_seats_is_not_there(ran: Ran, shared: World, what: str) -> None:
    assert noted(shared, what)["reads"] is False


def test_nothing_outside_the_cage_was_written(ran: Ran, shared: World) -> None:
    files = [p for top in (shared.person, shared.repo, shared.home) for p in top.rglob("*") if p.is_file()]
    planted = [p for p in files if b"planted" in p.read_bytes()]
    assert planted == [shared.job("reviewer-hostile") / "mail" / "x"]


def test_of_the_runs_a_seat_sees_its_own(ran: Ran, shared: World) -> None:
    assert noted(shared, "runs")["lists"] == [ran.result["run"]]
    assert noted(shared, "moot-home")["lists"] == ["checkouts", "runs", "stores"]


def test_a_reading_seat_reads_its_checkout_and_writes_only_its_mailbox(ran: Ran, shared: World) -> None:
    checkout = noted(shared, "checkout")
    assert (checkout["reads"], checkout["writes"]) == (True, [False, False, False])
    assert (noted(shared, "change")["writes"], noted(shared, "prompt")["writes"]) == (False, False)
    assert noted(shared, "mail")["writes"] is True


def test_the_persons_secrets_are_not_in_a_seats_environment(ran: Ran, shared: World) -> None:
    names = noted(shared, "environ")["names"]
    assert isinstance(names, list)
    assert not {"GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "MOOT_HOME"} & set(names)
    assert {"MOOT_RUN", "MOOT_SEAT", "MOOT_CHANGE_FILE", "PATH", "HOME"} <= set(names)


def test_a_seat_sees_no_process_but_its_own(ran: Ran, shared: World) -> None:
    pids = noted(shared, "others")["pids"]
    assert isinstance(pids, list)
    assert len(pids) <= 4


def test_a_cage_needs_no_notice(ran: Ran) -> None:
    assert not any("boundary" in n for n in ran.result["notices"])


VANDAL = """
open("calc.py", "a").write("planted")
open("new.py", "w").write("planted")
os.remove("store.py")
review()
"""


def test_without_a_boundary_what_a_seat_wrote_is_undone_and_told(world: World) -> None:
    world.agent("vandal", VANDAL)
    world.agent("honest", "meet('vandal'); time.sleep(0.3); note('SEEN', text=open('calc.py').read()); review()")
    world.table("sandbox", mode="off")
    world.panel("vandal", "honest")
    ran = world.review()
    (told,) = [n for n in ran.result["notices"] if "wrote in its checkout" in n]
    assert "calc.py" in told
    assert "new.py" in told
    assert "store.py" in told
    assert "It was undone." in told
    assert "There was no boundary around the agents (switched off)." in ran.result["notices"]
    (seen,) = world.noted("honest", "SEEN")
    assert "planted" not in seen["text"]
    assert world.git("status", "--porcelain") == ""
    assert "no boundary" in world.moot("show", ran.result["run"]).out


@pytest.fixture
def no_bwrap(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A PATH on which everything is but bubblewrap."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(folder).iterdir() if Path(folder).is_dir() else ():
            if program.name in ("git", "sh", "env", "cat"):
                (programs / program.name).unlink(missing_ok=True)
                (programs / program.name).symlink_to(program)
    sandbox.available.cache_clear()
    yield {"PATH": str(programs)}
    sandbox.available.cache_clear()


def test_a_boundary_that_is_required_and_missing_is_an_error(world: World, no_bwrap: dict[str, str]) -> None:
    world.reviewer("one")
    world.table("sandbox", mode="require")
    world.panel("one")
    ran = world.review(env=no_bwrap)
    assert (ran.code, ran.out) == (2, "")
    assert (
        "error: sandbox.mode: this machine has no boundary for agents: bubblewrap (bwrap) is not installed" in ran.err
    )
    assert 'next: install bubblewrap (moot doctor), or set sandbox.mode to "prefer"' in ran.err
    assert world.diary() == []


def test_a_boundary_that_is_preferred_and_missing_is_told(world: World, no_bwrap: dict[str, str]) -> None:
    world.reviewer("one")
    world.panel("one")
    ran = world.review(env=no_bwrap)
    assert ran.code == 0
    assert "There was no boundary around the agents (bubblewrap (bwrap) is not installed)." in ran.result["notices"]
