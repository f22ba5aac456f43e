"""Run the scripted model by hand: `PYTHONPATH=tests python -m model_server [--port P] [--script FILE]`.

Without a script it says the same sentence to everyone. Each request is printed as one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from .script import Say, Script, load
from .server import ModelServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="model_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, help="JSON, see script.load")
    options = parser.parse_args()
    scripts = load(json.loads(options.script.read_text())) if options.script else (Script((Say("Scripted reply."),)),)
    with ModelServer(scripts, port=options.port) as server:
        print(server.url, file=sys.stderr, flush=True)
        shown = 0
        try:
            while True:
                for request in server.requests[shown:]:
                    shown += 1
                    print(
                        json.dumps({"path": request.path, "headers": request.headers, "body": request.body}), flush=True
                    )
                time.sleep(0.1)
        except KeyboardInterrupt:
            return


main()
