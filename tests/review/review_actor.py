"""What every scripted reviewer begins with; the test's own lines run after it. Standard library only.

It has the turn in hand (`prompt`, `change`, `receipts`, `node`, `seat`, `turn`, `calls`) and the words to answer with
(`review`, `rule`). Every turn it is given leaves a BEGIN and, unless it is killed, an END in its diary.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time

DIARY = os.environ["ACTOR_DIARY"]
node, seat, turn = (os.environ[f"MOOT_{word}"] for word in ("NODE", "SEAT", "TURN"))


def note(what: str, **more: object) -> None:
    """Write a line into the diary. One that may not be written is no reason to fail."""
    line = {
        "what": what,
        "run": os.environ["MOOT_RUN"],
        "seat": seat,
        "turn": turn,
        "node": node,
        "at": time.time(),
        "pid": os.getpid(),
        **more,
    }
    try:
        with open(DIARY, "a") as diary:
            diary.write(json.dumps(line) + "\n")
    except OSError:
        pass


def _calls() -> int:
    try:
        with open(DIARY) as diary:
            return sum('"BEGIN"' in line for line in diary)
    except OSError:
        return 0


calls = _calls() + 1  # which turn of this agent this is, over all runs
prompt = sys.stdin.read()
note("BEGIN", argv=sys.argv[1:])
result: dict[str, object] = {}  # what a scripted Claude Code's last line says besides
if "--output-format" in sys.argv:
    sys.stdout = io.StringIO()
try:
    with open(os.environ["MOOT_CHANGE_FILE"]) as file:
        change = file.read()
except OSError:
    change = ""
receipts = re.findall(r"^receipt: (\S+)$", change, re.MULTILINE)


def review(findings: object = (), receipts: object = receipts, summary: str = "looked", **more: object) -> None:
    """Reply to a review."""
    print(json.dumps({"summary": summary, "findings": findings, "receipts": receipts, **more}))


def meet(agent: str, within_s: float = 20.0) -> None:
    """Wait until another agent has begun: whoever is asked at the same time meets."""
    until = time.monotonic() + within_s
    while not os.path.exists(os.path.join(os.path.dirname(DIARY), agent)):
        if time.monotonic() > until:
            sys.exit(f"{agent} never came")
        time.sleep(0.01)


def candidates() -> dict[str, str]:
    """The findings to rule on: title to id. Asked for what was left out, a judge sees no titles: id to id."""
    if "left these ids out" in prompt:
        left = prompt.rsplit("left these ids out: ", 1)[1].split(". ")[0]
        return {name: name for name in left.split(", ")}
    shown = prompt.rsplit("## The findings", 1)[1]
    return {f["title"]: f["id"] for f in json.loads(re.search(r"~~~~~~json\n(.*?)\n~~~~~~", shown, re.DOTALL)[1])}


def rule(by_title: object = (), default: object = "keep", more: object = (), new: object = ()) -> None:
    """Rule on the findings by their titles; the others are kept, or left out when `default` is None."""
    by_title, rulings = dict(by_title), list(more)
    for title, name in candidates().items():
        ruling = by_title.get(title, {"ruling": default} if default else None)
        if ruling:
            rulings.append({"id": name, "evidence": "read the lines around it", **ruling})
    print(json.dumps({"summary": "ruled", "rulings": rulings, "new": list(new)}))


def end() -> None:
    """Close the diary's entry. As Claude Code, say everything in the one line in which that ends."""
    if isinstance(sys.stdout, io.StringIO):
        said = sys.stdout.getvalue()
        burned = {
            "modelUsage": {"m": {"inputTokens": 1000 * calls, "outputTokens": 10}},
            "total_cost_usd": 0.25 * calls,
        }
        line = {"type": "result", "subtype": "success", "is_error": False, "result": said, **burned, **result}
        sys.__stdout__.write(json.dumps({**line, "session_id": os.environ["MOOT_SESSION"]}) + "\n")
    sys.__stdout__.flush()
    note("END")


# ---- the test's own lines ----
