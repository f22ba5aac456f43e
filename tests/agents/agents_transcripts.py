"""Captured output of real CLIs: the contract tests write it if RECORD_TRANSCRIPTS is set; replays need no CLI."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict
from pathlib import Path

from agents_harness import Asked, Seat

from moot.core.codec import dump
from moot.core.process import Exited
from moot.core.turns import Failure, Reply

FOLDER = Path(__file__).parent / "transcripts"
HOME = "/home/ann"
#: Fields of Claude Code's first line that say nothing about a turn and are long.
_KEPT_OF_INIT = {"type", "subtype", "session_id", "model", "permissionMode", "tools", "claude_code_version"}


def record(seat: Seat, case: str, asked: Asked) -> None:
    """Write a turn's raw output and what became of it, if the person wants the transcripts renewed."""
    if not os.environ.get("RECORD_TRANSCRIPTS"):
        return
    folder = FOLDER / seat.kind
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{case}.out").write_text(_clean(seat, asked.out))
    (folder / f"{case}.err").write_text(_clean(seat, asked.err))
    kind = Reply if isinstance(asked.result, Reply) else Failure
    facts = {"ended": asdict(asked.ended), "result": kind.__name__, "value": dump(kind, asked.result)}
    (folder / f"{case}.json").write_text(_clean(seat, json.dumps(facts, indent=1).encode()) + "\n")


def cases() -> list[str]:
    """Every recorded case as `<kind>/<case>`."""
    return sorted(str(p.relative_to(FOLDER).with_suffix("")) for p in FOLDER.glob("*/*.json"))


def load(case: str) -> tuple[Exited, Reply | Failure, bytes, bytes]:
    """Return how a recorded turn ended, what the adapter made of it, and its raw output."""
    from moot.core.codec import load as decode

    facts = json.loads((FOLDER / f"{case}.json").read_text())
    value = decode(Reply if facts["result"] == "Reply" else Failure, facts["value"])
    return decode(Exited, facts["ended"]), value, *((FOLDER / f"{case}{e}").read_bytes() for e in (".out", ".err"))


def _clean(seat: Seat, raw: bytes) -> str:
    text = raw.decode().replace(str(seat.folder), HOME).replace(str(seat.agent.program), f"/usr/bin/{seat.kind}")
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1", text)
    return "".join(_shorten(line) for line in text.splitlines(keepends=True))


def _shorten(line: str) -> str:
    if '"subtype":"init"' not in line:
        return line
    return json.dumps({k: v for k, v in json.loads(line).items() if k in _KEPT_OF_INIT}) + "\n"
