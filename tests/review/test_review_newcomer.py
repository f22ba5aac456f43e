"""What a person meets first: the demo, the doctor, and a machine that is not as it should be."""

from __future__ import annotations

import json
import os
from pathlib import Path

from review_world import World, finding


def test_the_demo_reviews_its_example_with_nothing_configured(world: World, tmp_path: Path) -> None:
    ran = world.moot("demo", "--dir", str(tmp_path / "demo"), "--format", "json")
    assert ran.code in (0, 1), ran.err
    result = json.loads(ran.out)
    assert result["status"] == "complete"
    assert result["findings"]
    assert (tmp_path / "demo").is_dir()


def test_the_demo_takes_no_directory_that_holds_something(world: World, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("keep")
    ran = world.moot("demo", "--dir", str(tmp_path))
    assert ran.code == 2
    assert (tmp_path / "mine").read_text() == "keep"


def test_the_doctor_says_what_works_and_probes_only_when_asked(world: World) -> None:
    world.agent("one", 'print(\'{"answer": "4"}\')')
    world.panel("one")
    plain = json.loads(world.moot("doctor", "--json").out)
    assert {"moot", "git", "files"} <= {point["name"] for point in plain}
    assert all(point["fix"] for point in plain if point["state"] == "fail")
    assert world.diary("one") == []
    world.moot("doctor", "--json", "--probe")
    assert {turn.node for turn in world.diary("one")} == {"probe"}


def test_a_program_lying_in_the_repository_is_not_taken_for_the_one_on_the_path(world: World) -> None:
    world.reviewer("one", finding("calc.py", 6, "return a / b", "Division by zero"))
    world.panel("one")
    trap = world.repo / "git"
    trap.write_text(f'#!/bin/sh\ntouch {world.folder}/sprung\nexec /usr/bin/git "$@"\n')
    trap.chmod(0o755)
    ran = world.review(env={"PATH": f":.:{os.environ['PATH']}"})
    assert ran.titles == ["Division by zero"]
    assert not (world.folder / "sprung").exists()


def test_a_home_that_cannot_be_made_is_an_error_with_a_way_out(world: World) -> None:
    (world.folder / "file").write_text("")
    ran = world.moot("review", env={"MOOT_HOME": f"{world.folder}/file/moot"})
    assert ran.code == 2
    assert "set MOOT_HOME" in ran.err
