"""Receipts: tokens that only somebody who read a section of the change file can return."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

LENGTH = 12  # letters and digits, 60 bits: nobody guesses one
_TOKEN = re.compile(rf"(?<![a-z0-9])[a-z2-7]{{{LENGTH}}}(?![a-z0-9])")
_MOST_REMEMBERED = 20


def minter(secret: bytes, head: str) -> Callable[[str], str]:
    """Return the function from a section's name to its receipt.

    Args:
        secret: the run's own; whoever knows it can write receipts without reading.
        head: the commit under review, so that a receipt of an earlier state is worth nothing.
    """

    def mint(section: str) -> str:
        text = f"{head}\0{section}".encode("utf-8", "surrogatepass")
        digest = hmac.new(secret, text, hashlib.sha256).digest()
        return base64.b32encode(digest).decode("ascii").lower()[:LENGTH]

    return mint


@dataclass(frozen=True, slots=True)
class Returned:
    """What a seat returned: the valid tokens, and what is none (guessed, mistyped, of another head)."""

    valid: frozenset[str]
    invalid: tuple[str, ...]


def check(returned: Iterable[str], receipts: Mapping[str, str]) -> Returned:
    """Sort what a seat returned. `receipt: abc…`, quotes, commas and capitals around a token do no harm."""
    valid: set[str] = set()
    invalid: dict[str, None] = {}
    for text in returned:
        lower = text.lower()
        if lower.strip() in receipts:
            valid.add(lower.strip())
            continue
        tokens = [t for t in _TOKEN.findall(lower) if t in receipts]
        valid.update(tokens)
        if not tokens and text.strip():
            invalid[text.strip()[:80]] = None
    return Returned(frozenset(valid), tuple(invalid))
