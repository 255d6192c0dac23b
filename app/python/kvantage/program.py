"""kvantage-cli as a process: where it is, what it takes, and its progress, JSON and errors."""

from __future__ import annotations

import atexit
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._version import __version__
from .errors import BadOutput, KVantageError, ProgramNotFound, UsageError, VersionMismatch, failure_of

PathText = Union[str, "os.PathLike[str]"]

_kept_messages = 200
_kept_progress = 1000


@dataclass(frozen=True)
class Progress:
    """How far a command is.

    Attributes
    ----------
    stage : str
        What is being done: "Loading model", a policy that is served; of a sweep also a cell.
    done, total : int
        Of the stage; total 0: of unknown length.
    seconds_left : float or None
        Of the stage, at the pace since it began; None where it is not known yet.
    cells_done, cells : int
        Of a sweep; 0 elsewhere.
    run : str or None
        Of a sweep: the run that a cell just recorded.
    """

    stage: str = ""
    done: int = 0
    total: int = 0
    seconds_left: Optional[float] = None
    cells_done: int = 0
    cells: int = 0
    run: Optional[str] = None

    @property
    def fraction(self) -> Optional[float]:
        """Share of the sweep's cells, else of the stage, that is done; None: not known."""
        if self.cells:
            return self.cells_done / self.cells
        return self.done / self.total if self.total else None


ProgressCallback = Callable[[Progress], None]
ProgressChoice = Union[ProgressCallback, bool, None]


class _ProgressLine:
    """One line on stderr, rewritten; a line for each stage where stderr is no terminal, as in a notebook."""

    def __init__(self) -> None:
        self._stage: Optional[str] = None

    def __call__(self, progress: Progress) -> None:
        text = progress.stage + (f" {progress.done}/{progress.total}" if progress.total else "")
        if progress.cells:
            text += f", {progress.cells_done} of {progress.cells} cells"
        before, self._stage = self._stage, progress.stage  # first: Ctrl-C may come while it is printed
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif progress.stage != before:
            print(text, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._stage is not None and sys.stderr.isatty():
            print(file=sys.stderr)
            self._stage = None


@dataclass(frozen=True)
class Option:
    """An option or argument of a command, as `kvantage-cli help COMMAND --json` describes it."""

    name: str
    positional: bool
    required: bool
    repeatable: bool
    takes_value: bool
    description: str


class Program:
    """A kvantage-cli.

    Parameters
    ----------
    path : path, optional
        The program. By default the one that the environment variable KVANTAGE_CLI names, else the first on PATH.

    Raises
    ------
    ProgramNotFound
        There is none.
    VersionMismatch
        It is of another version than this package.
    """

    def __init__(self, path: Optional[PathText] = None) -> None:
        self.path: str = _found(path)
        self._options: Dict[str, Dict[str, Option]] = {}
        self.version: str = self._checked_version()

    def _checked_version(self) -> str:
        code, out, error = self._answer(["--version"])
        found = re.match(r"KVantage (\d+(?:\.\d+)*)", out)
        if code != 0 or not found:
            said = _last_line(error) or _last_line(out) or "nothing"
            raise ProgramNotFound(
                f"{self.path}: does not answer --version as kvantage-cli does (it said: {said}); name the program in "
                "KVANTAGE_CLI"
            )
        if found.group(1) != __version__:
            raise VersionMismatch(
                f"{self.path}: is version {found.group(1)}, this package is {__version__}; install the package of that "
                "version, or name another program in KVANTAGE_CLI"
            )
        return found.group(1)

    def _answer(self, words: Sequence[str]) -> Tuple[int, str, str]:
        try:
            ended = subprocess.run(
                [self.path, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
            )
        except subprocess.TimeoutExpired:
            raise ProgramNotFound(f"{self.path}: does not answer within 120 s; is it kvantage-cli?") from None
        except OSError as error:
            raise ProgramNotFound(
                f"{self.path}: cannot be started ({error.strerror}); name the program in KVANTAGE_CLI"
            ) from None
        return ended.returncode, ended.stdout.decode("utf-8", "replace"), ended.stderr.decode("utf-8", "replace")

    def options(self, command: str) -> Dict[str, Option]:
        """The options and arguments of a command, by name.

        Parameters
        ----------
        command : str
            Such as "run" or "workload make".

        Raises
        ------
        UsageError
            There is no such command.
        """
        if command not in self._options:
            code, out, error = self._answer(["help", *command.split(), "--json"])
            if code != 0:
                raise failure_of(code, _error_text(error), ("kvantage-cli", "help", command), (), None)
            options: Dict[str, Option] = {}
            for one in _parsed(out, "help")["options"]:
                for name in one["name"].split(","):
                    options[name] = Option(
                        name, one["positional"], one["required"], one["repeatable"], "value" in one, one["description"]
                    )
            self._options[command] = options
        return self._options[command]

    def words(self, command: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> List[str]:
        """The command line, without the program.

        Parameters
        ----------
        command : str
            Such as "run".
        arguments : sequence
            Positional arguments; None is left out.
        options : mapping
            By their Python names: ``max_batch=4`` is ``--max-batch=4``, a trailing underscore is dropped (``from_``).
            True gives a flag, False and None leave an option out. A list is repeated where the program takes an option
            several times, else joined with commas; a dict is joined as ``NAME=VALUE``.

        Raises
        ------
        UsageError
            The command has no such option.
        TypeError
            True for an option with a value, or another value for a flag.
        """
        known = self.options(command)
        words = command.split()
        for key, value in options.items():
            if value is None or value is False:
                continue
            name = "--" + key.rstrip("_").replace("_", "-")
            if name not in known:
                raise UsageError(
                    f"'{name}' is not an option of 'kvantage-cli {command}'; kvantage.options('{command}') lists them",
                    2,
                    ("kvantage-cli", *command.split()),
                )
            if not known[name].takes_value:
                if value is not True:
                    raise TypeError(f"{key} is a flag: give True or False, not {value!r}")
                words.append(name)
                continue
            if value is True:
                raise TypeError(f"{key} takes a value: {known[name].description}")
            words += [f"{name}={text}" for text in _texts(value, known[name].repeatable)]
        given = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in arguments if one is not None]
        return words + (["--", *given] if given else [])

    def start(
        self,
        command: str,
        *arguments: Any,
        progress: ProgressChoice = None,
        cancel: Optional[threading.Event] = None,
        **options: Any,
    ) -> "Job":
        """Starts a command with --json; see `words` for arguments and options.

        Parameters
        ----------
        progress : callable or True, optional
            Called with a `Progress` while `Job.result` waits. True: a line on stderr.
        cancel : threading.Event, optional
            When it is set, the work ends as after Ctrl-C.
        """
        words = self.words(command, arguments, {**options, "json": True})
        if "--progress" in self.options(command) and not options.get("quiet"):
            words[len(command.split()) : len(command.split())] = ["--progress=json"]
        return Job(self, command, words, progress, cancel)

    def call(self, command: str, *arguments: Any, **options: Any) -> Any:
        """Starts a command and waits for its JSON document. Arguments as in `start`."""
        return self.start(command, *arguments, **options).result()

    def lines(self, command: str, *arguments: Any, **options: Any) -> Iterator[Dict[str, Any]]:
        """The objects of a command that prints one per line, each as soon as it is there."""
        job = self.start(command, *arguments, **options)
        try:
            yield from job.lines()
        finally:
            job.cancel(grace_seconds=0)


class Job:
    """A command that runs. Leaving a ``with`` block, and the end of Python, cancel it.

    Attributes
    ----------
    command : tuple of str
        What was started.
    progress : Progress
        The latest.
    messages : deque of str
        The last 200 lines that the program said to the user.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        words: Sequence[str],
        callback: ProgressChoice = None,
        cancel: Optional[threading.Event] = None,
    ) -> None:
        self.command: Tuple[str, ...] = (program.path, *words)
        self._name = name
        self.progress = Progress()
        self.messages: Deque[str] = collections.deque(maxlen=_kept_messages)
        self._callback: Optional[ProgressCallback] = _ProgressLine() if callback is True else callback or None
        self._cancel = cancel
        self._error: Optional[str] = None
        self._fresh: Deque[Progress] = collections.deque(maxlen=_kept_progress)
        self._out: List[bytes] = []
        self._document: Any = None
        self._ended = False
        try:
            # A session of its own: Ctrl-C reaches it through cancel() alone, so that what it did is reported.
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramNotFound(
                f"{program.path}: cannot be started ({error.strerror}); name the program in KVANTAGE_CLI"
            ) from None
        _running.add(self)
        self._said = threading.Thread(target=self._read_messages, daemon=True)
        self._said.start()
        self._printed: Optional[threading.Thread] = None

    def __enter__(self) -> "Job":
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.cancel()

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return self._process.poll() is None

    def cancel(self, grace_seconds: float = 60) -> None:
        """Ends the work as Ctrl-C does, keeping what was done; after `grace_seconds` by force. Waits for the end."""
        if self.running:
            self._signal(signal.SIGINT if grace_seconds > 0 else signal.SIGTERM)
            try:
                self._drained_wait(grace_seconds if grace_seconds > 0 else 5)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self._process.wait()
        _running.discard(self)

    def result(self, timeout: Optional[float] = None) -> Any:
        """Waits for the document that the command prints.

        Parameters
        ----------
        timeout : float, optional
            Seconds. The command continues after a timeout; call again, or `cancel`.

        Returns
        -------
        object
            The parsed JSON.

        Raises
        ------
        ProgramFailed
            UsageError, RejectedInput, Interrupted, ProgramKilled or itself, with the program's line.
        BadOutput
            What it printed is no JSON.
        TimeoutError
            It took longer than `timeout`.
        """
        try:
            self._wait(timeout)
        except TimeoutError:
            raise
        except BaseException:  # Ctrl-C, or the callback's own
            self.cancel()
            raise
        if not self._ended:
            self._ended = True
            _running.discard(self)
            text = b"".join(self._out).decode("utf-8", "replace")
            code = self._process.returncode
            if code != 0:
                partial = _parsed_or_none(text)
                raise failure_of(code, self._error, self.command, tuple(self.messages), partial)
            self._document = _parsed(text, self._name)
        return self._document

    def lines(self) -> Iterator[Dict[str, Any]]:
        """The objects of a command that prints one per line. Raises as `result`."""
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                if line.strip():
                    yield _parsed(line.decode("utf-8", "replace"), self._name)
        self._process.wait()
        self._said.join()
        _running.discard(self)
        if self._process.returncode != 0:
            raise failure_of(self._process.returncode, self._error, self.command, tuple(self.messages), None)

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._process.pid, number)  # a launcher may stand before the program
        except ProcessLookupError:
            pass

    def _drained_wait(self, seconds: float) -> None:
        self._start_reading()
        self._process.wait(seconds)

    def _start_reading(self) -> None:
        if self._printed is None:
            self._printed = threading.Thread(target=self._read_document, daemon=True)
            self._printed.start()

    def _wait(self, timeout: Optional[float]) -> None:
        until = None if timeout is None else time.monotonic() + timeout
        self._start_reading()
        assert self._printed is not None
        try:
            while self.running or self._said.is_alive() or self._printed.is_alive():
                if self._cancel is not None and self._cancel.is_set() and self.running:
                    self.cancel()
                self._report()
                if until is not None and time.monotonic() > until:
                    raise TimeoutError(f"kvantage-cli {self._name} is still running; call result() again, or cancel()")
                self._said.join(0.05)
                if not self._said.is_alive():
                    self._printed.join(0.05)
            self._process.wait()
            self._report()
        finally:  # also after a timeout, Ctrl-C or an error: what is printed next begins a line
            if isinstance(self._callback, _ProgressLine):
                self._callback.end()

    def _report(self) -> None:
        while self._fresh:
            progress = self._fresh.popleft()
            if self._callback is not None:
                self._callback(progress)

    def _read_document(self) -> None:
        assert self._process.stdout is not None
        if self._process.stdout.closed:  # lines() was left early
            return
        with self._process.stdout as stream:
            for part in iter(lambda: stream.read(1 << 16), b""):
                self._out.append(part)

    def _read_messages(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for raw in iter(lambda: stream.readline(1 << 16), b""):
                line = raw.decode("utf-8", "replace").strip()
                if line:
                    self._read_line(line)

    def _read_line(self, line: str) -> None:
        progress, error = _progress_of(line, self.progress), _error_text(line)
        if progress is not None:
            self.progress = progress
            self._fresh.append(progress)
        elif error is not None:
            self._error = error
        else:
            self.messages.append(line)


_running: "weakref.WeakSet[Job]" = weakref.WeakSet()


@atexit.register
def _end_running() -> None:
    for job in list(_running):
        job.cancel(grace_seconds=10)


_default: Optional[Program] = None


def use(path: Optional[PathText]) -> Program:
    """Makes this kvantage-cli the default of every call; None looks for one again. Raises as `Program`."""
    global _default
    _default = Program(path)
    return _default


def program_of(program: Union[Program, PathText, None]) -> Program:
    """The program of a call: given, a path, or the default one."""
    global _default
    if isinstance(program, Program):
        return program
    if program is not None:
        return Program(program)
    if _default is None:
        _default = Program()
    return _default


def _found(path: Optional[PathText]) -> str:
    named = os.fspath(path) if path is not None else os.environ.get("KVANTAGE_CLI", "")
    found = shutil.which(named or "kvantage-cli")
    if found:
        return found
    if named:
        raise ProgramNotFound(f"{named}: is no program; build KVantage, or name kvantage-cli in KVANTAGE_CLI")
    raise ProgramNotFound(
        "kvantage-cli is not on PATH; install KVantage, or name the program of a build in KVANTAGE_CLI or "
        "kvantage.use()"
    )


def _texts(value: Any, repeatable: bool) -> List[str]:
    if isinstance(value, Mapping):
        value = [f"{name}={_text(one)}" for name, one in value.items()]
    if isinstance(value, (list, tuple)):
        texts = [_text(one) for one in value]
        return texts if repeatable else [",".join(texts)]
    return [_text(value)]


def _text(value: Any) -> str:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, bool):
        raise TypeError(f"{value} is no value of an option")
    return repr(float(value)) if isinstance(value, float) else str(value)


def _error_text(text: str) -> Optional[str]:
    lines = [line for line in text.splitlines() if line.startswith("error: ")]
    return lines[-1][len("error: ") :] if lines else None


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else ""


def _progress_of(line: str, before: Progress) -> Optional[Progress]:
    if not line.startswith("{"):
        return None
    try:
        said = json.loads(line)
        if "stage" in said:
            left = said.get("seconds_left")
            return Progress(
                str(said["stage"]),
                int(said.get("done", 0)),
                int(said.get("total", 0)),
                None if left is None else float(left),
                before.cells_done,
                before.cells,
            )
        if "cells" in said:
            return Progress(
                stage=str(said.get("cell", before.stage)),
                cells_done=int(said.get("cells_done", 0)),
                cells=int(said["cells"]),
                run=said.get("run"),
            )
    except (TypeError, ValueError):  # a message that looks like one
        pass
    return None


def _parsed(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        shown = " ".join(text[:80].split()) or "nothing"
        raise BadOutput(
            f"kvantage-cli {what}: printed no JSON ({error}; it begins with: {shown}); is it of this package's version?"
        ) from None


def _parsed_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


__all__ = ["Job", "KVantageError", "Option", "Program", "Progress", "use"]
