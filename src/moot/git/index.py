"""What git prints about an index and a work tree, and what it is told about them, as values. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

GITLINK = "160000"


@dataclass(frozen=True, slots=True)
class Stage:
    """One side of a path in conflict: 1 the common ancestor, 2 ours, 3 theirs."""

    stage: int
    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of an index that need care.

    Args:
        submodules: paths of gitlinks, in conflict or not.
        unmerged: the sides of each path in conflict.
        assumed: paths git was told to assume unchanged.
        skipped: paths git was told not to look for in the work tree.
    """

    submodules: tuple[bytes, ...] = ()
    unmerged: Mapping[bytes, tuple[Stage, ...]] = field(default_factory=dict)
    assumed: tuple[bytes, ...] = ()
    skipped: tuple[bytes, ...] = ()


def parse_entries(printed: bytes) -> Entries:
    """Read `git ls-files --stage -v -z`: `TAG MODE OID STAGE<TAB>PATH<NUL>`.

    The tag is `H`, `M` for a path in conflict, `S` for skip-worktree; a small letter means assume-unchanged
    (https://git-scm.com/docs/git-ls-files#Documentation/git-ls-files.txt--v).
    """
    submodules: list[bytes] = []
    unmerged: dict[bytes, tuple[Stage, ...]] = {}
    assumed: list[bytes] = []
    skipped: list[bytes] = []
    for record in printed.split(b"\0"):
        # Nearly every entry is an ordinary file; only the rest is taken apart. (Modes: 100644, 100755, 120000, 160000.)
        if record.startswith(b"H 10"):
            continue
        meta, _, path = record.partition(b"\t")
        if not meta:
            continue
        tag, mode, oid, stage = meta.decode("ascii").split(" ")
        if stage != "0":
            unmerged[path] = (*unmerged.get(path, ()), Stage(int(stage), mode, oid))
            if mode == GITLINK:
                submodules.append(path)
        elif tag.upper() == "S":
            skipped.append(path)
        elif mode == GITLINK:
            submodules.append(path)
        elif tag.islower():
            assumed.append(path)
    return Entries(tuple(dict.fromkeys(submodules)), unmerged, tuple(assumed), tuple(skipped))


@dataclass(frozen=True, slots=True)
class Differing:
    """A tracked path that is, or may be, not as the index has it. `mode` is the index's, `status` git's letter."""

    path: bytes
    status: str
    mode: str


def parse_differing(printed: bytes) -> tuple[Differing, ...]:
    """Read `git diff-files --raw -z`. A path in conflict is told twice there; once is kept."""
    fields = printed.split(b"\0")
    found: dict[bytes, Differing] = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        mode, _, _, _, status = meta.decode("ascii").removeprefix(":").split(" ")
        if path not in found:
            found[path] = Differing(path, status[:1], mode)
    return tuple(found.values())


def parse_paths(printed: bytes) -> tuple[bytes, ...]:
    """Read paths that end with NUL each."""
    return tuple(printed.split(b"\0")[:-1])


def parse_attribute(printed: bytes) -> dict[bytes, str]:
    """Read `git check-attr -z NAME`: the value of each path that has one."""
    fields = printed.split(b"\0")
    values: dict[bytes, str] = {}
    for path, value in zip(fields[::3], fields[2::3], strict=False):
        text = value.decode("utf-8", "replace")
        if text not in ("unspecified", "unset"):
            values[path] = text
    return values


def nul_ended(paths: Iterable[bytes]) -> bytes:
    """Return paths as git reads them with `-z --stdin`: nothing in a name has a meaning there."""
    return b"".join(path + b"\0" for path in paths)


def entry(mode: str, oid: str, path: bytes) -> bytes:
    """Return an entry for `git update-index -z --index-info`."""
    return f"{mode} {oid}\t".encode() + path + b"\0"


def removal(path: bytes, object_format: str) -> bytes:
    """Return what removes a path there, all sides of a conflict included."""
    return entry("0", "0" * (64 if object_format == "sha256" else 40), path)


def settlement(path: bytes, sides: Iterable[Stage], object_format: str) -> bytes:
    """Return what settles a conflict for our side, where it has the path."""
    ours = (entry(side.mode, side.oid, path) for side in sides if side.stage == 2)
    return b"".join((removal(path, object_format), *ours))
