"""The files a configuration is read from: the person's, the repository's at the base commit, and what they include."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moot.config.layers import Layer, Trust
from moot.config.paths import REPOSITORY_FILE, Home
from moot.config.problems import Problem
from moot.config.shelves import Commit, Disk, Shelf
from moot.config.tables import Tables, Value, texts

#: Layers, lowest first, and what is wrong with them.
Files = tuple[tuple[Layer, ...], tuple[Problem, ...]]

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

_MAX_DEPTH = 16  # nothing of ours is deeper than five; more is meant to exhaust the stack
_TOO_DEEP = "nested too deeply to be a configuration"


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository's say, as it stands at the base commit: what the head says is not heard.

    Args:
        root: the repository's top level, or its git directory when it is bare.
        at_base: returns the bytes of a path at the base commit, None where there is no such file.
    """

    root: Path
    at_base: Callable[[str], bytes | None]


def disk(environ: Mapping[str, str]) -> Disk:
    """Return the person's files, `~` standing for `$HOME`."""
    return Disk(Path(environ.get("HOME") or Path.home()))


def person_files(environ: Mapping[str, str], home: Home, config_file: Path | None) -> Files:
    """Read the person's file and what it includes, and what is wrong with them.

    Args:
        config_file: read instead of the person's own file; unlike that it must exist.
    """
    if config_file is None and not home.config_file.exists():
        return (), ()
    path = config_file.expanduser().absolute() if config_file else home.config_file
    return read_files(disk(environ), str(path), Trust.PERSON)


def repository_files(repository: Repository | None) -> Files:
    """Read the repository's file and what it includes, all at the base commit, and what is wrong with them."""
    if repository is None or repository.at_base(REPOSITORY_FILE) is None:
        return (), ()
    return read_files(Commit(repository.at_base), REPOSITORY_FILE, Trust.REPOSITORY)


def working_copy_notice(repository: Repository | None) -> str:
    """Say so where the repository's file in the work tree is not the one that counts; "" where it is."""
    if repository is None:
        return ""
    try:
        here: bytes | None = (repository.root / REPOSITORY_FILE).read_bytes()
    except OSError:
        here = None
    base = repository.at_base(REPOSITORY_FILE)
    if here is not None and base is None:
        return f"{REPOSITORY_FILE} is not at the base commit yet and does not count until it is"
    if base is not None and _lines(here or b"") != _lines(base):
        return f"{REPOSITORY_FILE} counts as it is at the base commit, the working copy differs"
    return ""


def _lines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def read_files(shelf: Shelf, name: str, trust: Trust) -> Files:
    """Read a file and all it includes, lowest first: what is included yields to what includes it.

    A file that is included twice is read once. Problems of all files are collected.
    """
    reader = _Reader(shelf, trust)
    reader.add(name, (), name)
    return tuple(reader.layers), tuple(reader.problems)


class _Reader:
    def __init__(self, shelf: Shelf, trust: Trust) -> None:
        self.shelf = shelf
        self.trust = trust
        self.layers: list[Layer] = []
        self.problems: list[Problem] = []
        self.seen: set[str] = set()

    def add(self, name: str, chain: tuple[str, ...], asked_by: str) -> None:
        if name in chain:
            circle = " → ".join((*chain[chain.index(name) :], name))
            self.problems.append(Problem(asked_by, f"files include each other: {circle}"))
        if name in self.seen:
            return
        self.seen.add(name)
        try:
            data = self.shelf.read(name)
        except ValueError as error:
            self.problems.append(Problem(asked_by, str(error)))
            return
        layer = parse(name, data, self.trust)
        if isinstance(layer, Problem):
            self.problems.append(layer)
            return
        for index, written in enumerate(texts(layer.tables.get("include"))):
            place = layer.where(("include", index))
            try:
                self.add(self.shelf.beside(name, written), (*chain, name), place)
            except ValueError as error:
                self.problems.append(Problem(place, str(error)))
        self.layers.append(layer)


def parse(name: str, data: bytes, trust: Trust) -> Layer | Problem:
    """Return the layer that a TOML file is, or what is wrong with its syntax and on which line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(f"{name}:{line}", "not valid TOML: not UTF-8")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        return Problem(name, _TOO_DEEP)
    except ValueError as error:  # a TOMLDecodeError, or a number of too many digits
        said = str(error)
        place = _PLACE.search(said)
        what = _PLACE.sub("", said)
        line = int(place[1]) if place and place[1] else text.rstrip().count("\n") + 1
        at = f"column {place[2]}" if place and place[2] else "the file ends here"
        return Problem(f"{name}:{line}", f"not valid TOML: {what[:1].lower()}{what[1:]} ({at})")
    return Problem(name, _TOO_DEEP) if _deeper_than(_MAX_DEPTH, tables) else Layer(name, trust, tables, text)


def _deeper_than(depth: int, tables: Tables) -> bool:
    level: list[Value] = [tables]
    for _ in range(depth):
        groups = [v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)]
        level = [value for group in groups for value in group]
    return bool(level)
