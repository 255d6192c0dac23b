"""A running session, through the socket that ``--listen PATH`` makes."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import BadOutput, ConnectionLost, KVantageError, ProgramFailed, failure_of
from .program import PathText
from .table import Table

_max_line_bytes = 1 << 20


@dataclass(frozen=True)
class Answer:
    """An answer from one form of a text's KV cache.

    Attributes
    ----------
    text : str
        The answer.
    method, removed_fraction, tier
        The form, as applied, and where it was read from; an empty tier: the text was prefilled.
    ttft_seconds : float
        Until the first token.
    bytes : int
        Of the form.
    details : dict
        All that the session said of it.
    """

    text: str
    method: str
    removed_fraction: float
    tier: str
    ttft_seconds: float
    bytes: int
    details: Dict[str, Any]


class LiveSession:
    """A session of ``kvantage-cli run --listen PATH`` or of the window, ``kvantage --listen PATH``.

    One thread at a time. Close it, or use it in a ``with`` block.

    Parameters
    ----------
    path : path
        Of the socket.
    timeout : float
        Seconds to wait for an answer; questions have a timeout of their own.
    wait : float
        Seconds to wait for the socket to appear, where the session is just starting.

    Raises
    ------
    ConnectionLost
        Nobody listens there.
    BadOutput
        Who listens is no session of KVantage.
    """

    def __init__(self, path: PathText, *, timeout: float = 60, wait: float = 0) -> None:
        self.path = os.fspath(path)
        self._timeout = timeout
        self._number = 0
        self._read = b""
        self._next_decision = 0
        self._socket = self._connected(wait)
        try:
            greeting = self._line(timeout)
            if greeting.get("format") != "kvantage-session":
                raise BadOutput(f"{self.path}: {greeting.get('error') or 'is no session of KVantage'}")
        except BaseException:
            self.close()
            raise
        self.program: str = str(greeting.get("program", ""))

    def _connected(self, wait: float) -> socket.socket:
        until = time.monotonic() + wait
        while True:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                made.connect(self.path)
                return made
            except OSError as error:
                made.close()
                if time.monotonic() >= until:
                    raise ConnectionLost(
                        f"{self.path}: no session listens there ({error.strerror or error}); start one with --listen"
                    ) from None
            time.sleep(0.05)

    def __enter__(self) -> "LiveSession":
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; the session continues."""
        self._socket.close()

    def state(self) -> Dict[str, Any]:
        """``state`` (loading, ready, running, paused, finished, failed), ``run_id``, ``model``, ``workload``, ..."""
        return self._asked("state")

    def wait_until(self, *states: str, timeout: float = 600) -> str:
        """Waits until the session is in one of these states, by default ready, running or finished.

        Raises
        ------
        TimeoutError
            It took longer.
        ConnectionLost
            The session has ended.
        """
        wanted = states or ("ready", "running", "finished")
        until = time.monotonic() + timeout
        while True:
            state = str(self.state()["state"])
            if state in wanted:
                return state
            if time.monotonic() > until:
                raise TimeoutError(f"{self.path}: is {state} after {timeout:g} s, not {' or '.join(wanted)}")
            time.sleep(0.1)

    def snapshot(self) -> Dict[str, Any]:
        """What decisions depend on now: alpha, tiers, fits, and each context with placement and profile.

        As the event ``snapshot.taken`` of docs/file-formats.md.
        """
        return self._asked("snapshot")

    def contexts(self) -> Table:
        """The contexts of `snapshot` without their profiles: a row each."""
        return Table(
            {key: value for key, value in context.items() if key != "profile"}
            for context in self.snapshot()["contexts"]
        )

    def settings(self) -> Dict[str, Any]:
        """The settings of the session."""
        return self._asked("settings")

    def set(
        self,
        *,
        alpha: Optional[float] = None,
        policy: Optional[str] = None,
        budgets: Optional[Mapping[str, Union[int, str]]] = None,
    ) -> Dict[str, Any]:
        """Changes settings; they take effect between two requests, and the run records them.

        Parameters
        ----------
        alpha : float, optional
            Seconds that one unit of quality is worth.
        policy : str, optional
            Such as ``evicpress``.
        budgets : mapping, optional
            By tier: bytes, or a text like ``64MiB``, ``40%`` or ``unlimited``; tiers that are not named keep theirs.

        Returns
        -------
        dict
            The new settings.
        """
        change: Dict[str, Any] = {}
        if alpha is not None:
            change["alpha"] = alpha
        if policy is not None:
            change["policy"] = policy
        if budgets is not None:
            change["budgets"] = dict(budgets)
        return self._asked("settings", **change)

    def decisions(self, since: Optional[int] = None) -> List[Dict[str, Any]]:
        """Placements, plans and changed settings, as journals have them (docs/file-formats.md).

        Parameters
        ----------
        since : int, optional
            Number of the first, from 0. By default those since the last call, at first from the oldest that the session
            has kept, which are 4,096 at most.
        """
        at = self._next_decision if since is None else since
        found: List[Dict[str, Any]] = []
        while True:
            page = self._asked("decisions", since=at)
            found += page["events"]
            at = page["next"]
            if not page["events"]:
                break
        self._next_decision = at
        return found

    def ask(
        self,
        question: str,
        *,
        context: str = "",
        text: str = "",
        columns: Sequence[Mapping[str, Any]] = ({},),
        timeout: float = 600,
    ) -> List[Answer]:
        """A question about a context of the workload, or about a text, answered from several forms of its KV cache.

        Parameters
        ----------
        question : str
        context : str
            Id of a context of the workload; empty: `text` is asked about.
        text : str
        columns : sequence of mapping
            1 to 4 forms: ``{"method": "knorm", "removed_fraction": 0.5, "tier": "ssd"}``; by default the full cache.
        timeout : float
            Seconds. Requests are served before.

        Returns
        -------
        list of Answer
            One per column.
        """
        result = self._asked(
            "ask",
            timeout=timeout,
            question=question,
            context=context,
            text=text,
            columns=[dict(column) for column in columns],
        )
        return [
            Answer(
                one["text"],
                one["method"],
                one["removed_fraction"],
                one["tier"],
                one["ttft_seconds"],
                one["bytes"],
                dict(one),
            )
            for one in result["answers"]
        ]

    def stop(self) -> None:
        """Ends the work, as Ctrl-C of the command line and *Stop* of the window do. What was served is kept."""
        self._asked("stop")

    def _asked(self, do: str, *, timeout: Optional[float] = None, **fields: Any) -> Dict[str, Any]:
        self._number += 1
        line = json.dumps({"id": self._number, "do": do, **fields}, ensure_ascii=False).encode("utf-8") + b"\n"
        if len(line) > _max_line_bytes:
            raise KVantageError(f"{do}: has {len(line)} bytes, at most 1 MiB can be sent; ask about a shorter text")
        try:
            self._socket.settimeout(self._timeout)
            self._socket.sendall(line)
        except OSError as error:
            raise ConnectionLost(f"{self.path}: the session has ended ({error.strerror or error})") from None
        answer = self._line(self._timeout if timeout is None else timeout)
        if "error" in answer:
            failure: ProgramFailed = failure_of(int(answer.get("exit_code", 1)), str(answer["error"]), (), (), None)
            raise failure
        if answer.get("id") != self._number or not isinstance(answer.get("result"), dict):
            raise BadOutput(f"{self.path}: answered something else than '{do}'")
        return answer["result"]

    def _line(self, timeout: float) -> Dict[str, Any]:
        until = time.monotonic() + timeout
        parts = [self._read]
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            try:
                self._socket.settimeout(max(0.001, left))
                part = self._socket.recv(1 << 16)
            except (socket.timeout, TimeoutError):
                # Its answer would be taken for the next one's.
                self.close()
                raise TimeoutError(f"{self.path}: no answer within {timeout:g} s; this connection is closed") from None
            except OSError as error:
                raise ConnectionLost(f"{self.path}: the session has ended ({error.strerror or error})") from None
            if not part:
                raise ConnectionLost(f"{self.path}: the session has ended")
            parts.append(part)
        line, _, self._read = b"".join(parts).partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise BadOutput(f"{self.path}: is no session of KVantage: it answers without JSON")
        return answer


def connect(path: PathText, *, timeout: float = 60, wait: float = 0) -> LiveSession:
    """Connects to the socket of a running session. Arguments and errors as of `LiveSession`."""
    return LiveSession(path, timeout=timeout, wait=wait)
