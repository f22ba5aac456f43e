"""Read back what a job prints: whole once it has ended, line by line while it runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from moot.core.limits import MAX_REPLY_BYTES
from moot.process.jobfiles import MAX_OUTPUT_BYTES

CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Output:
    """What a job printed. `omitted` counts the bytes left out at its front because it was too long."""

    data: bytes
    omitted: int = 0


def read_stdout(job: Path, limit: int = MAX_OUTPUT_BYTES) -> Output:
    """Return the job's standard output: all of it, or its last whole lines within `limit` bytes."""
    return _read(job / "stdout", limit)


def read_stderr(job: Path, limit: int = MAX_REPLY_BYTES) -> Output:
    """Return the job's standard error: all of it, or its last whole lines within `limit` bytes."""
    return _read(job / "stderr", limit)


def _read(path: Path, limit: int) -> Output:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return Output(b"")
    with file:
        size = os.fstat(file.fileno()).st_size
        if size <= limit:
            return Output(file.read(limit))
        file.seek(size - limit - 1)
        before, data = file.read(1), file.read(limit)
    if before != b"\n":  # the first line is cut: without its beginning it means nothing
        data = data[data.find(b"\n") + 1 or len(data) :]
    return Output(data, omitted=size - len(data))


class Follower:
    """Gives the lines a job prints, as they come. Each call of `lines` reads on where the last one stopped.

    Args:
        job: the job directory; neither it nor its output need exist yet.
        stream: which output to follow.
        longest: bytes of the longest line that is kept; longer ones are left out.
    """

    def __init__(
        self, job: Path, stream: Literal["stdout", "stderr"] = "stdout", longest: int = MAX_REPLY_BYTES
    ) -> None:
        self.offset = 0
        self._path = job / stream
        self._longest = longest
        self._partial = bytearray()
        self._skipping = False

    def lines(self) -> list[bytes]:
        """Return the lines completed since the last call, without their line ends."""
        complete: list[bytes] = []
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return complete
        with file:
            file.seek(self.offset)
            while chunk := file.read(CHUNK_BYTES):
                self.offset += len(chunk)
                *ends, rest = chunk.split(b"\n")
                for end in ends:
                    self._extend(end)
                    if not self._skipping:
                        complete.append(bytes(self._partial))
                    self._partial.clear()
                    self._skipping = False
                self._extend(rest)
        return complete

    def rest(self) -> bytes:
        """Return what was printed after the last line end; final once the job has ended."""
        return bytes(self._partial)

    def _extend(self, part: bytes) -> None:
        if self._skipping or len(self._partial) + len(part) > self._longest:
            self._skipping = True
            self._partial.clear()
        else:
            self._partial += part
