"""Errors of the package. Each message is one line: what failed, why, and what to do."""

from __future__ import annotations

import signal
from typing import Any, Optional, Sequence


class KVantageError(Exception):
    """Base of all errors of this package."""


class ProgramNotFound(KVantageError):
    """There is no kvantage-cli, or it cannot be started."""


class VersionMismatch(KVantageError):
    """The program is of another version than this package, so its JSON may differ."""


class BadOutput(KVantageError):
    """The program, or who answers in its place, printed something other than its JSON."""


class MissingDependency(KVantageError, ImportError):
    """An optional package is needed for this call."""


class ConnectionLost(KVantageError):
    """The session behind a socket is not there, or not any more."""


class ExportError(KVantageError):
    """A press cannot become a method file; the message names what stands against it."""


class ProgramFailed(KVantageError):
    """kvantage-cli ended with an error.

    Attributes
    ----------
    message : str
        The program's own line.
    exit_code : int
        1 failure, 2 usage error, 3 rejected input, 130 interrupted; below 0: the signal that killed it.
    command : tuple of str
        What was started.
    messages : tuple of str
        Warnings and notes, the last 200.
    partial : object or None
        What the program printed in spite of the error, in the form that the call would have returned.
    """

    def __init__(
        self,
        message: str,
        exit_code: int = 1,
        command: Sequence[str] = (),
        messages: Sequence[str] = (),
        partial: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.command = tuple(command)
        self.messages = tuple(messages)
        self.partial = partial


class UsageError(ProgramFailed):
    """An option or argument is wrong (exit code 2)."""


class RejectedInput(ProgramFailed):
    """A file, model or workload was refused (exit code 3)."""


class Interrupted(ProgramFailed):
    """The work was canceled (exit code 130); what was done so far is kept and in `partial`."""


class ProgramKilled(ProgramFailed):
    """A signal ended the program, for instance SIGKILL where memory ran out."""


def failure_of(
    exit_code: int, message: Optional[str], command: Sequence[str], messages: Sequence[str], partial: Any
) -> ProgramFailed:
    """The error of an exit code.

    Parameters
    ----------
    exit_code : int
        As `subprocess` gives it: below 0, the signal.
    message : str or None
        The program's own line, if it printed one.
    command, messages, partial
        As in `ProgramFailed`.
    """
    if exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        text = f"kvantage-cli was killed ({name}); what it recorded so far is kept, see kvantage.runs()"
        return ProgramKilled(message or text, exit_code, command, messages, partial)
    kind = {2: UsageError, 3: RejectedInput, 130: Interrupted}.get(exit_code, ProgramFailed)
    text = message or (messages[-1] if messages else f"kvantage-cli ended with exit code {exit_code}")
    return kind(text, exit_code, command, messages, partial)
