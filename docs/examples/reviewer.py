#!/usr/bin/env python3
"""A reviewer for moot: reports breakpoints that a change leaves in Python code. Any language would do."""

import json
import os
import re

findings, receipts, path = [], [], ""
with open(os.environ["MOOT_CHANGE_FILE"], encoding="utf-8") as change:
    for row in change:
        row = row.rstrip("\n")
        if head := re.match(r"## (.+) \(", row):  # one section per file of the change
            path = head[1]
        elif row.startswith("receipt: "):  # ends it; returned, it counts the file as read
            receipts.append(row.removeprefix("receipt: "))
        elif added := re.match(r" *(\d+) \+\|(.*\bbreakpoint\(\).*)", row):  # number, bar, the line itself
            findings.append({
                "path": path, "line": int(added[1]), "severity": "high", "category": "correctness",
                "title": "A breakpoint is left in the code", "quote": added[2],
                "body": "Whoever gets here is dropped into the debugger, or crashes where there is no terminal.",
            })
print(json.dumps({"summary": f"breakpoints left: {len(findings)}", "findings": findings, "receipts": receipts}))
