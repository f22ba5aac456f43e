"""The error tree. Everything moot raises on purpose is here.

MootError                     what happened, where, and what to do next
├── UsageError                the command line asks for something that cannot be        (exit 2)
├── ConfigError               a configuration file is wrong: file, line, key            (exit 2)
├── RepositoryError           git cannot give what was asked: no repository, revision … (exit 2)
├── BusyError                 somebody else holds it: a run's driver, a checkout        (exit 2)
├── NotFoundError             no run, seat, finding or agent of that name               (exit 2)
├── LedgerError               the ledger cannot be opened or is newer than this moot    (exit 2)
├── EngineError               a run's recorded steps do not fit the program             (exit 3)
├── ProcessError              a short command failed where it must not                  (exit 3)
└── SandboxError              a boundary was required and cannot be had                 (exit 2)

Trouble with an *agent* is never an exception: it is a `core.turns.Failure`, a value that a reaction answers.
"""

from __future__ import annotations


class MootError(Exception):
    """An error a person can act on.

    Args:
        message: what happened, one line, no full stop needed.
        where: the file, key or command at fault (`.moot.toml:7`), printed first.
        next_step: what to type or change, printed after `next:`.
    """

    exit_code = 2

    def __init__(self, message: str, *, where: str | None = None, next_step: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.next_step = next_step

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.where else self.message
        return f"{head}\nnext: {self.next_step}" if self.next_step else head


class UsageError(MootError):
    """The command line asks for something that cannot be."""


class ConfigError(MootError):
    """A configuration file is wrong."""


class RepositoryError(MootError):
    """git cannot give what was asked for."""


class BusyError(MootError):
    """Another process holds what is needed."""


class NotFoundError(MootError):
    """Nothing of that name exists."""


class LedgerError(MootError):
    """The ledger cannot be opened, or was written by a newer moot."""


class EngineError(MootError):
    """A run's recorded steps do not fit this program."""

    exit_code = 3


class ProcessError(MootError):
    """A short command failed where it must not."""

    exit_code = 3


class SandboxError(MootError):
    """A boundary was required and this machine cannot give it."""
