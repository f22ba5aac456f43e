"""Path names as people read them: git's are bytes, anything but NUL may stand in them."""

from __future__ import annotations

from collections.abc import Sequence


def readable(raw: bytes) -> str:
    """Return a path as text that no two paths share and that cannot break a line or a terminal.

    Bytes that are not UTF-8, control and other unprintable characters, and the backslash itself appear as
    `\\xNN` or `\\uNNNN`; everything else stands for itself.
    """
    text = raw.replace(b"\\", b"\\x5c").decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_plain(raw: bytes) -> bool:
    """Whether a path names something below where it starts, and no repository's own files. Trees may hold others."""
    return all(part not in (b"", b".", b"..") and part.lower() != b".git" for part in raw.split(b"/"))


def listed(paths: Sequence[bytes], shown: int = 5) -> str:
    """Return a few of the paths for one line of a message, and how many more there are."""
    names = ", ".join(readable(p) for p in paths[:shown])
    return names if len(paths) <= shown else f"{names} and {len(paths) - shown:,} more"
