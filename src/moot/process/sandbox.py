"""The cage: a command inside bubblewrap, which shows it the system read-only and of the rest what it was granted.

The shape of the cage was measured against nine agent CLIs; see bwrap(1) for its options.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from moot.core.errors import SandboxError
from moot.core.process import Command, Sandbox

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix")

# What programs need of /etc to resolve names, trust certificates, know users and find libraries; nothing else of it.
ETC = (
    *("ssl", "ca-certificates", "pki", "resolv.conf", "hosts", "host.conf", "nsswitch.conf", "gai.conf"),
    *("protocols", "services", "passwd", "group", "localtime", "timezone", "os-release", "mime.types"),
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"),
)

EMPTY = ("/tmp", "/var/tmp", "/run")  # noqa: S108  these are mount points, not files
TEMPORARY = "/var/tmp"  # noqa: S108  likewise; apart from /tmp, which some CLIs treat as part of the workspace

NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--new-session")

# bubblewrap lets root keep every capability, with which it could leave. So root gets a user namespace and loses them,
# but for the one without which a CLI that runs as root could not make a cage of its own in here: mapping user 0.
FOR_ROOT = ("--unshare-user", "--cap-drop", "ALL", "--cap-add", "CAP_SETFCAP")


@dataclass(frozen=True, slots=True)
class Boundary:
    """Whether this machine can cage a process.

    Args:
        ok: whether it can; it was tried.
        program: the bubblewrap that does it.
        version: what that calls itself.
        why: why it cannot, for a person; empty if it can.
    """

    ok: bool
    program: str | None = None
    version: str | None = None
    why: str = ""


@cache
def available() -> Boundary:
    """Try a cage around `true`, once per process: an installed bubblewrap may still be forbidden to make one."""
    program = shutil.which("bwrap")
    if program is None:
        return Boundary(ok=False, why="bubblewrap (bwrap) is not installed")
    argv = [program, *_namespaces(), "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        version = _output([program, "--version"]).stdout.strip()
        tried = _output(argv)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return Boundary(ok=False, program=program, why=str(problem))
    if tried.returncode != 0:
        return Boundary(ok=False, program=program, version=version, why=tried.stderr.strip() or "bubblewrap failed")
    return Boundary(ok=True, program=program, version=version)


def wrap(command: Command, *, outlives_parent: bool = False) -> Command:
    """Return the command as it runs inside the cage it asks for; unchanged if it asks for none.

    It sees the system directories and a few files of /etc, read-only; /proc of its own process namespace; empty /tmp,
    /var/tmp and /run; then what `command.sandbox` says, the home counting as masked. Those paths are laid from the
    shortest to the longest, so the narrower one wins: a read-only `.git` inside a writable checkout, a masked folder
    inside a readable one. For one path, reading beats masking and writing beats reading. A masked file is empty.
    Temporary files go to /var/tmp.

    Args:
        command: its environment says where the home is, besides the user database.
        outlives_parent: whether it goes on when the process that starts it dies.

    Raises:
        FileNotFoundError: there is no such program, so that the cage would only hide the reason.
        SandboxError: this machine has no cage.
    """
    if command.sandbox is None:
        return command
    _require_program(command)
    boundary = available()
    if not boundary.ok or boundary.program is None:
        raise SandboxError(
            f"no sandbox: {boundary.why}",
            where="sandbox.mode",
            next_step='install bubblewrap or allow it user namespaces; or set mode = "off" to run without a boundary',
        )
    argv = [
        boundary.program,
        *_namespaces(),
        *(() if outlives_parent else ("--die-with-parent",)),
        *(() if command.sandbox.network else ("--unshare-net",)),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        *(word for path in EMPTY for word in ("--tmpfs", path)),
        *_layers(command.sandbox, _homes(command)),
        *("--chdir", str(command.cwd)),
        "--",
        *command.argv,
    ]
    return replace(command, argv=tuple(argv), env={**command.env, "TMPDIR": TEMPORARY}, sandbox=None)


def _output(argv: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=10, check=False)


def _namespaces() -> tuple[str, ...]:
    return (*NAMESPACES, *FOR_ROOT) if os.getuid() == 0 else NAMESPACES


def _require_program(command: Command) -> None:
    program = command.argv[0]
    if os.sep in program:
        found = os.access(command.cwd / program, os.X_OK)
    else:
        found = shutil.which(program, path=command.env.get("PATH", os.defpath)) is not None
    if not found:
        raise FileNotFoundError(2, "No such file or directory", program)


def _system() -> Iterator[str]:
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), name)
        elif path.is_dir():
            yield from ("--ro-bind", name, name)
    for name in ETC:
        path = Path("/etc", name)
        if path.exists():
            yield from ("--ro-bind", str(path), str(path))


def _homes(command: Command) -> list[Path]:
    """Return every directory that counts as the person's home, under each of its names."""
    homes = {command.env.get("HOME", ""), os.path.expanduser("~")}
    with suppress(KeyError):  # a user without an entry, as containers have
        homes.add(pwd.getpwuid(os.getuid()).pw_dir)
    homes |= {os.path.realpath(home) for home in homes if home}
    return [Path(home) for home in homes if os.path.isabs(home) and home != "/" and os.path.isdir(home)]


def _layers(sandbox: Sandbox, homes: list[Path]) -> Iterator[str]:
    layers = [
        *((path, "masked") for path in (*homes, *sandbox.masked)),
        *((path, "--ro-bind-try") for path in sandbox.read),
        *((path, "--bind") for path in sandbox.write),
    ]
    for path, option in sorted(layers, key=lambda layer: len(layer[0].parts)):
        if option != "masked":
            yield from (option, str(path), str(path))
        elif path.is_dir():
            yield from ("--tmpfs", str(path))
        elif path.exists():
            yield from ("--ro-bind", os.devnull, str(path))
