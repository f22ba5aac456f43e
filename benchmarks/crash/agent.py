"""A slow reviewer and judge for the crash harness, told by a file what to say. Standard library only.

    python3 -I -S agent.py SCRIPT

It writes a line to the harness' log when it begins and when it has printed its reply: what was paid for is counted
there, not where moot keeps its books. SCRIPT is a JSON object:

    findings        what it reports as a reviewer
    read            share of the change file's sections it reads, whose receipts it returns
    useless         whether its first reply is `{}`
    rulings         as a judge: title of a finding to a ruling; everything else is kept
    new             findings it adds as a judge
    seconds         [shortest, longest] time a turn takes
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from typing import Any

JSON = dict[str, Any]


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        script: JSON = json.load(file)
    note("begin")
    rng = random.Random("/".join(os.environ[name] for name in ("CRASH_SEED", "MOOT_SEAT", "MOOT_TURN")))
    time.sleep(rng.uniform(*script["seconds"]))
    useless = script["useless"] and os.environ["MOOT_TURN"].endswith(".1")
    reply = {} if useless else rule(script) if os.environ["MOOT_NODE"] == "judge" else review(script)
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
    note("end", usable=not useless)


def note(event: str, **more: object) -> None:
    """Append a line to the log in one write, which O_APPEND keeps whole."""
    said = {"event": event, "at": time.time(), **more}
    said |= {name: os.environ[f"MOOT_{name.upper()}"] for name in ("run", "seat", "turn")}
    log = os.open(os.environ["CRASH_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, (json.dumps(said) + "\n").encode())
    os.close(log)


def review(script: JSON) -> JSON:
    with open(os.environ["MOOT_CHANGE_FILE"], encoding="utf-8") as file:
        receipts = re.findall(r"^receipt: (\S+)$", file.read(), re.MULTILINE)
    read = round(len(receipts) * script["read"])
    return {"summary": "Read it.", "findings": script["findings"], "receipts": receipts[:read]}


def rule(script: JSON) -> JSON:
    with open(os.environ["MOOT_PROMPT_FILE"], encoding="utf-8") as file:
        prompt = file.read()
    listed = prompt.index("[", prompt.index("## The findings"))
    candidates, _ = json.JSONDecoder().raw_decode(prompt, listed)
    keep = {"ruling": "keep", "evidence": "The quoted lines show it."}
    rulings = [{"id": c["id"], **script["rulings"].get(c["title"], keep)} for c in candidates]
    return {"summary": "Ruled.", "rulings": rulings, "new": script["new"]}


if __name__ == "__main__":
    main()
