"""Real repositories for tests, made with the plain git command, isolated from the configuration of who runs them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def run(awaitable: Awaitable[T]) -> T:
    async def main() -> T:
        return await awaitable

    return asyncio.run(main())


def person_environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}


@dataclass(frozen=True)
class Link:
    """A symbolic link to write."""

    target: str


Content = bytes | str | Link


@dataclass(frozen=True)
class Repo:
    """A repository at `path`, worked on as the person with that home would."""

    path: Path
    home: Path

    def git(self, *args: str | bytes, stdin: bytes | None = None, check: bool = True, **env: str) -> str:
        return self.raw(*args, stdin=stdin, check=check, **env).decode("utf-8", "surrogateescape").strip()

    def raw(self, *args: str | bytes, stdin: bytes | None = None, check: bool = True, **env: str) -> bytes:
        who = {f"GIT_{role}_{what}": "ann" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        when = {"GIT_AUTHOR_DATE": "@1700000000 +0000", "GIT_COMMITTER_DATE": "@1700000000 +0000"}
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            input=stdin or b"",
            capture_output=True,
            env={**person_environment(self.home), **who, **when, **env},
        )
        if check and done.returncode:
            raise AssertionError(f"git {args!r}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def file(self, name: str | bytes) -> Path:
        return self.path / os.fsdecode(name)

    def write(self, name: str | bytes, content: Content, mode: int | None = None) -> Path:
        file = self.file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_symlink() or file.is_file():
            file.unlink()
        if isinstance(content, Link):
            file.symlink_to(content.target)
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)
            file.chmod(mode or 0o644)
        return file

    def remove(self, name: str | bytes) -> None:
        file = self.file(name)
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink()

    def clear(self) -> None:
        for entry in self.path.iterdir():
            if entry.name != ".git":
                self.remove(entry.name)

    def commit(self, message: str = "more", **files: Content) -> str:
        for name, content in files.items():
            self.write(name, content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def content(self, rev: str, path: bytes) -> bytes:
        return self.raw("cat-file", "blob", rev.encode() + b":" + path)


Tree = Mapping[bytes, tuple[str, bytes]]  # path → mode and content


def import_trees(repo: Repo, trees: Sequence[Tree]) -> list[str]:
    """Commit each tree, the next on top of the one before, in one git process. Return the commits."""
    stream = bytearray()
    for number, tree in enumerate(trees, 1):
        stream += b"commit refs/heads/imported\nmark :%d\ncommitter a <a@x> 1700000000 +0000\ndata 1\nx\n" % number
        stream += b"deleteall\n"
        for path, (mode, content) in tree.items():
            quoted = b"".join(b"\\%03o" % byte for byte in path)
            stream += b'M %s inline "%s"\ndata %d\n%s\n' % (mode.encode(), quoted, len(content), content)
    marks = repo.path.parent / "marks"
    repo.git("fast-import", "--quiet", "--force", f"--export-marks={marks}", stdin=bytes(stream))
    commits = dict(line.split(" ") for line in marks.read_text().splitlines())
    return [commits[f":{number}"] for number in range(1, len(trees) + 1)]


def new_repo(path: Path, home: Path, *init: str) -> Repo:
    path.mkdir(parents=True)
    home.mkdir(parents=True, exist_ok=True)
    repo = Repo(path, home)
    repo.git("init", "-q", "-b", "main", *init)
    return repo


def fingerprint(top: Path) -> dict[str, tuple[str, int, str]]:
    """Everything below `top`: kind and mode, modification time (0 for objects), and a digest of the content.

    Git bumps the time of an object that is asked for again; what is in it cannot change.
    """
    found: dict[str, tuple[str, int, str]] = {}
    for folder, folders, files in os.walk(os.fsencode(top)):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            entry = os.lstat(path)
            content = b""
            if stat.S_ISLNK(entry.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(entry.st_mode):
                with open(path, "rb") as file:
                    content = file.read()
            time = 0 if b"/objects/" in path else entry.st_mtime_ns
            found[os.fsdecode(path)] = (oct(entry.st_mode), time, hashlib.sha256(content).hexdigest())
    return found
