"""The example that `moot demo` reviews: a small service before and after a change with defects planted in it.

The files are data. Each is stored under its name and `.txt`, so that neither tools nor people take it for code of
moot's.
"""

from __future__ import annotations

import shutil
from pathlib import Path

_EXAMPLE = Path(__file__).parent
_SUFFIX = ".txt"


def lay_out(target: Path) -> None:
    """Copy the example to `target/base` and `target/head`, under the names its files have in the service.

    Raises:
        FileExistsError: one of the two is there already.
        OSError: a file cannot be written.
    """
    for side in ("base", "head"):
        root = _EXAMPLE / side
        (target / side).mkdir(parents=True)
        for stored in root.rglob(f"*{_SUFFIX}"):
            file = target / side / stored.relative_to(root).with_suffix("")
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(stored, file)
