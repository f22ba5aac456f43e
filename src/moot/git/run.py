"""The one hardened way to call git: nothing a repository says makes git run a program, reach a network or ask.

What is closed, and how (git 2.39 is what Debian 12 carries; older and newer ones ignore keys they do not know):

- The environment starts empty: no GIT_* of the person's shell reaches a call.
- Configuration of the machine and the person is not read, except in the calls that ask for it (`Place.person`).
- Every key with which a repository's own configuration could start a program is overridden: the file system
  monitor, hooks, pagers, editors, ssh, credential helpers, signature checks. Submodules are never entered.
- `GIT_ALLOW_PROTOCOL` is empty: nothing is fetched, not even a partial clone's missing objects. It also beats a
  `protocol.ext.allow` in the repository, which a `protocol.allow` on the command line does not.
- Filters, external diffs and textconv cannot be overridden by key, their names are free. They are configured nowhere
  moot works: objects are written and compared only in directories whose configuration is moot's (`git.store`,
  `git.scratch`); in the person's own repository only names and object ids are looked up.

See https://git-scm.com/docs/git-config and https://git-scm.com/docs/git#_environment_variables.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moot.core.errors import ProcessError, RepositoryError
from moot.core.process import Command, Done, Ending, Limits, Process

WALL_S = 600.0

# Of the person's environment: where programs and the person's git configuration are.
_INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME")

_FIXED: Mapping[str, str] = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_NO_PERSON: Mapping[str, str] = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}

_OVERRIDES: tuple[tuple[str, str], ...] = (
    ("commit.gpgSign", "false"),
    ("core.askPass", ""),
    ("core.editor", "false"),
    ("core.filesRefLockTimeout", "10000"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.safecrlf", "false"),
    ("core.sshCommand", "false"),
    ("core.untrackedCache", "false"),
    ("credential.helper", ""),
    ("gc.auto", "0"),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call works, and on what.

    Args:
        cwd: the working directory.
        git_dir: the repository's own directory; None lets git find it from `cwd`, as the person's git would.
        work_tree: the directory whose files are looked at; None where none is.
        objects: where new objects are written, in the place of the repository's own directory.
        index: the index file, in the place of the repository's own.
        person: whether configuration files of the machine and the person are read. Only for calls that start
            nothing whatever they say.
    """

    cwd: Path
    git_dir: Path | None = None
    work_tree: Path | None = None
    objects: Path | None = None
    index: Path | None = None
    person: bool = False

    def environment(self) -> dict[str, str]:
        """The GIT_* variables that say all this."""
        named = {
            "GIT_DIR": self.git_dir,
            "GIT_WORK_TREE": self.work_tree,
            "GIT_OBJECT_DIRECTORY": self.objects,
            "GIT_INDEX_FILE": self.index,
        }
        env = {name: str(path) for name, path in named.items() if path is not None}
        env["GIT_CONFIG_COUNT"] = str(len(_OVERRIDES))
        for i, (key, value) in enumerate(_OVERRIDES):
            env[f"GIT_CONFIG_KEY_{i}"] = key
            env[f"GIT_CONFIG_VALUE_{i}"] = value
        return env if self.person else {**env, **_NO_PERSON}


class Git:
    """Calls git. `git(place, "rev-parse", "HEAD")` returns what it printed.

    Args:
        process: where processes are born.
        environ: the person's environment, of which a few variables are kept; None takes this process's own.
    """

    def __init__(self, process: Process, environ: Mapping[str, str] | None = None) -> None:
        person = os.environ if environ is None else environ
        env = {name: person[name] for name in _INHERITED if name in person}
        # A relative entry would find `./git` in whatever repository is the working directory.
        env["PATH"] = os.pathsep.join(p for p in env.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(p))
        self._process = process
        self._env = {**env, **_FIXED}
        self._program = shutil.which("git", path=env["PATH"])

    async def __call__(
        self, at: Place | Path, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> bytes:
        """Run `git *args` and return its standard output.

        Args:
            at: where; a plain path lets git find the repository from there.
            stdin: its standard input.
            env: further variables (author and committer of a commit).

        Raises:
            RepositoryError: git is missing, took too long or failed; the message is the first line git gave.
        """
        done = await self.run(at, *args, stdin=stdin, env=env)
        if not done.ok:
            raise trouble(done, args, at)
        return done.out

    async def run(
        self, at: Place | Path, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> Done:
        """Like calling, for commands whose exit code is an answer: one that is not 0 raises nothing.

        Raises:
            RepositoryError: git is missing, took too long or printed too much.
        """
        place = at if isinstance(at, Place) else Place(at)
        if self._program is None:
            raise RepositoryError("git is not installed, or not on PATH", next_step="install git 2.34 or newer")
        command = Command(
            argv=(self._program, *args),
            cwd=place.cwd,
            env={**self._env, **place.environment(), **(env or {})},
            limits=Limits(wall_s=WALL_S),
        )
        try:
            done = await self._process.run(command, stdin)
        except ProcessError as error:  # it printed more than anybody reads
            raise RepositoryError(f"git {args[0]} {error.message}", where=str(place.cwd)) from error
        if done.ending is not Ending.EXITED:
            raise trouble(done, args, at)
        return done


def trouble(done: Done, args: tuple[str, ...], at: Place | Path) -> RepositoryError:
    """Return the error that says how a call went wrong: git's own first line, without control characters."""
    what = f"git {args[0]}"
    where = str(at.cwd if isinstance(at, Place) else at)
    if done.ending is Ending.TIMEOUT:
        return RepositoryError(f"{what} took longer than {WALL_S:.0f} s and was ended", where=where)
    lines = [plain(line) for line in done.err.decode(errors="replace").splitlines()]
    said = [line for line in lines if line.startswith(("fatal:", "error:"))] or [line for line in lines if line]
    if done.ending is not Ending.EXITED or done.code is None:
        return RepositoryError(f"{what} could not run: {said[0] if said else done.ending.value}", where=where)
    reason = re.sub(r"^(fatal|error): ", "", said[0]) if said else f"exit code {done.code}"
    trust = next((line.strip() for line in lines if "--add safe.directory" in line), None)
    return RepositoryError(f"{what}: {reason}", where=where, next_step=trust)


def plain(text: str) -> str:
    """Return untrusted text without control characters: nothing in it moves a cursor or starts a line."""
    return "".join(c if c.isprintable() else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
