"""Which file of the change a seat means: as git spells it, with what people put around it, or by its last part."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from moot.core.change import FileDiff, FrozenDiff

_LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$")
_DIFF_PREFIX = re.compile(r"[ab]/")


def cleaned(path: str) -> str:
    """Return a path without quotes, `./`, a line number behind it, or backslashes."""
    text = _LINE_SUFFIX.sub("", path.strip().strip("`'\"")).replace("\\", "/")
    while text.startswith("./"):
        text = text[2:]
    return text


def named(diff: FrozenDiff, path: str) -> FileDiff | None:
    """Return the changed file a path names, under its old or new name; None when it names none of them, or several.

    An absolute path and one that begins below the top level count when they fit only one file.
    """
    text = cleaned(path)
    for candidate in (path, text, _DIFF_PREFIX.sub("", text, count=1)):
        if (file := diff.file(candidate)) is not None:
            return file
    if not text:
        return None
    tail = f"/{text.lstrip('/')}"
    fits = [f for f in diff.files if any(tail.endswith(f"/{n}") or f"/{n}".endswith(tail) for n in _names(f))]
    return fits[0] if len(fits) == 1 else None


def of_that_name(diff: FrozenDiff, path: str) -> tuple[FileDiff, ...]:
    """Return the changed files whose last part is the path's."""
    name = PurePosixPath(cleaned(path)).name
    return tuple(f for f in diff.files if any(PurePosixPath(n).name == name for n in _names(f)))


def _names(file: FileDiff) -> list[str]:
    return [n for n in dict.fromkeys((file.new_path, file.old_path)) if n is not None]
