"""Generated repositories, any size in a second or two: written by `git fast-import`, not one file at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

WORDS = (
    *("retry", "loop", "attempt", "counter", "server", "delay", "zero", "seconds", "client", "answer", "total"),
    *("price", "item", "cart", "upload", "token"),
)
PER_FOLDER = 100


def generate(folder: Path, *, files: int, lines: int, changed: int, seed: int = 1) -> Path:
    """Make a repository whose branch `topic`, checked out, changes some files of `main`.

    Args:
        files: how many there are.
        lines: of each file.
        changed: how many files `topic` changes, a tenth of the lines of each.
    """
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    importing = subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=folder, env=environment(), stdin=subprocess.PIPE
    )
    assert importing.stdin is not None
    with importing.stdin as stream:
        for part in _history(files, lines, changed, Random(seed)):
            stream.write(part)
    if importing.wait() != 0:
        raise RuntimeError("git fast-import failed")
    git(folder, "checkout", "-q", "topic")
    return folder


def git(folder: Path, *args: str) -> bytes:
    """Run git, whatever the person's own settings, and return what it prints."""
    return subprocess.run(["git", *args], cwd=folder, env=environment(), check=True, stdout=subprocess.PIPE).stdout


def environment() -> dict[str, str]:
    """The person's environment without what would change what git or moot does, and with bytecode allowed."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("MOOT_", "GIT_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def path(number: int) -> str:
    """The path of a file by its number."""
    return f"src/part{number // PER_FOLDER:04}/module{number:06}.py"


def _history(files: int, lines: int, changed: int, rng: Random) -> Iterator[bytes]:
    texts = {}
    yield _commit("main", 1, "Begin")
    for number in range(files):
        text = [f"{rng.choice(WORDS)}_{number}_{i} = {rng.choice(WORDS)!r}" for i in range(lines)]
        if number < changed:
            texts[number] = text
        yield _file(number, text)
    yield _commit("topic", 2, "Change") + b"from :1\n"
    for number, text in texts.items():
        for i in rng.sample(range(lines), max(1, lines // 10)):
            text[i] = f"{rng.choice(WORDS)}_{number}_{i} = {rng.choice(WORDS)!r}  # changed"
        yield _file(number, text)


def _commit(branch: str, mark: int, message: str) -> bytes:
    who = "Ann <ann@example.org> 1700000000 +0000"
    head = f"commit refs/heads/{branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\n"
    return f"{head}data {len(message)}\n{message}\n".encode()


def _file(number: int, text: list[str]) -> bytes:
    content = ("\n".join(text) + "\n").encode()
    return f"M 100644 inline {path(number)}\ndata {len(content)}\n".encode() + content + b"\n"
