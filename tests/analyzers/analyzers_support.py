"""What the analyzers' tests share: the real tools, real processes, and changes laid out on disk."""

from __future__ import annotations

import asyncio
import difflib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from moot.agents.analyzers.run import review
from moot.agents.analyzers.tools import TOOLS, Tool, present
from moot.core.replies import ReviewReply
from moot.process.local import LocalProcess


def program(name: str) -> str:
    """The installed tool's path. A missing one is a skip by name, and a failure where everything must be there."""
    found = present(name, os.environ)
    if found is None:
        message = f"{TOOLS[name].executable} is not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return found


def lay_out(
    directory: Path, head: Mapping[str, str], base: Mapping[str, str], renamed: Mapping[str, str] | None = None
) -> Path:
    """Write a change as analyzers find it; `renamed` maps head names to base names."""
    before = {path: (renamed or {}).get(path, path) for path in head}
    rows = []
    for side, files in (("head", head), ("base", base)):
        for path, text in files.items():
            file = directory / side / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (directory / side).mkdir(exist_ok=True)
    for path, text in head.items():
        old = before[path] if before[path] in base else None
        rows.append({"head": path, "base": old, "status": "modified", "added": added(base.get(old or "", ""), text)})
    gone = base.keys() - set(before.values())
    rows += [{"head": None, "base": path, "status": "deleted", "added": []} for path in sorted(gone)]
    (directory / "files.json").write_text(json.dumps(rows))
    return directory


def added(old: str, new: str) -> list[int]:
    """The 1-based lines of `new` that a diff against `old` shows as added."""
    matcher = difflib.SequenceMatcher(None, old.split("\n"), new.split("\n"), autojunk=False)
    return [n + 1 for tag, _, _, a, b in matcher.get_opcodes() if tag in ("insert", "replace") for n in range(a, b)]


def run(tool: Tool | str, directory: Path, executable: str | None = None) -> ReviewReply:
    """Review the change in `directory` with one tool, as the job does, and hold the reply against its schema."""
    known = TOOLS[tool] if isinstance(tool, str) else tool
    path = executable or program(known.name)
    answer = asyncio.run(review(LocalProcess(), known, path, directory, dict(os.environ)))
    assert isinstance(answer["scanned"], list)
    return ReviewReply.model_validate(answer)


def places(reply: ReviewReply) -> Sequence[tuple[str, int | None]]:
    return [(f.path, f.line) for f in reply.findings]
