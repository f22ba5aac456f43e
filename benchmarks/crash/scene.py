"""What is reviewed in the crash harness, and by whom: a small repository, and a panel whose every word is known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

AGENT = Path(__file__).with_name("agent.py")

BASE = {
    "shop/cart.py": "def total(items):\n    return sum(item.price * item.count for item in items)\n",
    "shop/client.py": "import time\n\n\ndef fetch(session, url):\n    return session.get(url)\n",
    "README.md": "# Shop\n",
}
HEAD = {
    "shop/cart.py": """\
def total(items):
    result = 0
    for index in range(len(items) + 1):
        result += items[index].price * items[index].count
    return result


def with_discount(items, rate):
    return total(items) / (1 - rate)
""",
    "shop/client.py": """\
import time


def fetch(session, url):
    while True:
        answer = session.get(url)
        if answer.status == 200:
            return answer
        time.sleep(answer.retry_after)
""",
    "shop/mail.py": """\
def send(smtp, to, body):
    try:
        smtp.sendmail("shop@example.org", to, body)
    except Exception:
        pass
""",
}


def _finding(path: str, line: int, severity: str, title: str, body: str) -> dict[str, object]:
    quote = HEAD[path].splitlines()[line - 1]
    said = {"severity": severity, "category": "correctness", "title": title, "body": body}
    return {"path": path, "line": line, "quote": quote, **said}


RANGE = _finding(
    "shop/cart.py", 3, "high", "The loop over the items runs one past the end",
    "range(len(items) + 1) yields an index that does not exist, so every call raises IndexError.",
)  # fmt: skip
RANGE_AGAIN = _finding(
    "shop/cart.py", 3, "critical", "Off by one: the loop over the items runs past the end of the list",
    "The last index of range(len(items) + 1) does not exist: IndexError on every call.",
)  # fmt: skip
DISCOUNT = _finding(
    "shop/cart.py", 9, "medium", "The discount is divided by and not multiplied with",
    "total / (1 - rate) makes a cart dearer the larger the discount is.",
)  # fmt: skip
RETRY = _finding(
    "shop/client.py", 5, "medium", "The retries never end",
    "A server that always fails keeps the client in this loop for ever.",
)  # fmt: skip
SWALLOWED = _finding(
    "shop/mail.py", 4, "medium", "A failed mail is swallowed",
    "Nobody learns that the mail was not sent, since every exception is dropped.",
)  # fmt: skip
INVENTED = {**_finding("shop/mail.py", 3, "high", "The mail is sent twice", "It is."), "quote": "smtp.send_twice(body)"}
DOUBTED = _finding(
    "shop/client.py", 9, "low", "The wait may be negative", "retry_after might be below zero, then sleep raises."
)

#: Agent to what it says, as `agent.py` reads it.
PANEL: dict[str, dict[str, object]] = {
    "patient": {"findings": [RANGE, RETRY], "read": 1.0, "useless": False},
    "hasty": {"findings": [RANGE_AGAIN, DISCOUNT], "read": 0.5, "useless": True},
    "blunt": {"findings": [RETRY, INVENTED, DOUBTED], "read": 1.0, "useless": False},
    "dean": {
        "findings": [SWALLOWED],
        "read": 1.0,
        "useless": False,
        "rulings": {
            DOUBTED["title"]: {"ruling": "drop", "reason": "speculative", "evidence": "No server sends that."},
            DISCOUNT["title"]: {
                "ruling": "rewrite",
                "evidence": "The division is there.",
                "finding": {**DISCOUNT, "severity": "high", "title": "A discount makes the cart dearer"},
            },
        },
        "new": [
            _finding("shop/client.py", 9, "medium", "It sleeps for ever when there is no Retry-After",
                     "retry_after is None without the header, and sleep(None) raises TypeError."),
        ],
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scene:
    """The repository with the change, and the folder with the agents' scripts."""

    repo: Path
    scripts: Path


def build(folder: Path, seconds: tuple[float, float]) -> Scene:
    """Make the repository and the scripts in an empty folder.

    Args:
        seconds: the shortest and the longest time that a turn takes.
    """
    scene = Scene(folder / "shop", folder / "scripts")
    scene.repo.mkdir()
    _git(scene.repo, "init", "-q", "-b", "main")
    _commit(scene.repo, BASE, "Sell things")
    _git(scene.repo, "switch", "-q", "-c", "topic")
    _commit(scene.repo, HEAD, "Be robust, and cheaper")
    scene.scripts.mkdir()
    for name, said in PANEL.items():
        script = {"rulings": {}, "new": [], **said, "seconds": seconds}
        (scene.scripts / f"{name}.json").write_text(json.dumps(script), encoding="utf-8")
    return scene


def configure(scene: Scene, home: Path, log: Path, seed: int) -> None:
    """Write the configuration of a `MOOT_HOME` whose agents write to the log file `log`."""
    lines = ['[review]\nreviewers = ["patient", "hasty", "blunt"]\njudge = "dean"\n']
    for name in PANEL:
        # The system's interpreter and not the virtual environment's: it starts at once and needs nothing of it.
        command = [os.path.realpath(sys.executable), "-I", "-S", str(AGENT), str(scene.scripts / f"{name}.json")]
        lines.append(
            f'[agents.{name}]\nkind = "command"\ncommand = {json.dumps(command)}\n'
            f"write = [{json.dumps(str(log.parent))}]\n"
            f"env = {{ CRASH_LOG = {json.dumps(str(log))}, CRASH_SEED = {json.dumps(str(seed))} }}\n"
        )
    home.mkdir(parents=True)
    log.parent.mkdir(parents=True)
    (home / "config.toml").write_text("\n".join(lines), encoding="utf-8")


def environment(home: Path) -> dict[str, str]:
    """The environment of a moot that lives in `home`, whatever the person's own says."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOOT_", "GIT_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "MOOT_HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def _commit(repo: Path, files: dict[str, str], message: str) -> None:
    for path, text in files.items():
        (repo / path).parent.mkdir(exist_ok=True)
        (repo / path).write_text(text, encoding="utf-8")
    _git(repo, "add", "-A")
    _git(repo, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", message)


def _git(repo: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=repo, env=environment(repo), check=True)
