"""The machine the figures are of, without its name or its paths."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import subprocess
import tempfile
from pathlib import Path


def machine() -> str:
    """Return one line: cores, processor, system, versions, and how busy it was."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    load = os.getloadavg()[0]
    parts = [
        f"{os.cpu_count()} cores of {_processor()}",
        f"{platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}",
        f"git {git}",
        f"SQLite {sqlite3.sqlite_version}",
        f"files on {_file_system(tempfile.gettempdir())}",
        f"load {load:.1f} at the start",
    ]
    return ", ".join(parts)


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except FileNotFoundError:
        found = None
    return found[1].strip() if found else platform.processor() or "an unnamed processor"


def _file_system(folder: str) -> str:
    """Return the type of the file system that a folder is on."""
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    except FileNotFoundError:
        return "an unknown file system"
    holding = [(point, kind) for point, kind in mounts if Path(folder).resolve().is_relative_to(point)]
    return max(holding, key=lambda mount: len(mount[0]))[1]
