"""What KVantage does, one function per command: run, sweep, profile, plan, simulate, and recorded runs."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, TypeVar, Union

from .errors import BadOutput, ProgramFailed
from .program import Option, PathText, Program, ProgressChoice, program_of
from .table import Table

ProgramChoice = Union[Program, PathText, None]
Result = TypeVar("Result")


class _Document:
    """What a command prints with ``--json``, as it is, in `document`."""

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document

    def _table(self, name: str) -> Table:
        return Table(_field(self.document, name))


class Report(_Document):
    """What `run` and `read_run` give: the report of one or several runs.

    Attributes
    ----------
    document : dict
        report.json as docs/file-formats.md describes it.
    """

    @property
    def rows(self) -> Table:
        """A row per policy and setting, with every metric; times in seconds, such as ``ttft_seconds.mean``."""
        return self._table("rows")

    @property
    def definitions(self) -> Table:
        """Each metric with unit, formula and meaning."""
        return self._table("definitions")

    @property
    def claim(self) -> str:
        """The report's own sentence."""
        return str(_field(self.document, "claim"))

    @property
    def run_ids(self) -> List[str]:
        """The recorded runs, in the order of the rows. One whose settings changed has a row for each."""
        ids = _field(self.document, "environment").get("run_id", [])
        return [ids] if isinstance(ids, str) else [one for one in ids if one]

    def __repr__(self) -> str:
        return f"<Report of {', '.join(self.run_ids) or 'no run'}: {self.claim}>"


class RecordedRun(Report):
    """A recorded run, or the runs of one command. Its events are read from the database when they are asked for.

    Parameters
    ----------
    document : dict
        Of `kvantage-cli report --json`.
    run : str
        Id, unique prefix, group or ``last``.
    db : path or None
        Database; None: the default one.
    program : Program
        Reads them.
    """

    def __init__(self, document: Dict[str, Any], run: str, db: Optional[PathText], program: Program) -> None:
        super().__init__(document)
        self.run = run
        self._db = db
        self._program = program

    def events(self, types: Union[str, Sequence[str], None] = None) -> Iterator[Dict[str, Any]]:
        """As `events` of the package."""
        return events(self.run, types, db=self._db, program=self._program)

    def requests(self) -> Table:
        """A row per answered request: the record of ``request.finished`` in docs/file-formats.md."""
        return _event_table(self.events("request.finished"), "record")

    def decisions(self) -> Table:
        """As `decisions` of the package."""
        return decisions(self.run, db=self._db, program=self._program)

    def plans(self) -> Table:
        """A row per plan that a policy made, with its predictions."""
        return _event_table(self.events("plan.made"))


class Curves(_Document):
    """What `profile` gives.

    Attributes
    ----------
    document : dict
        Of `kvantage-cli profile --json`.
    """

    @property
    def cells(self) -> Table:
        """Quality and bytes by context, method and removed fraction."""
        return self._table("cells")

    @property
    def chance(self) -> Table:
        """The quality by chance of each context."""
        return self._table("chance")

    @property
    def tiers(self) -> Table:
        """The fit of each tier: latency, bytes per second, seconds per token."""
        return self._table("tiers")

    @property
    def decode_options(self) -> Table:
        """Measured ways to decode; empty where none was profiled."""
        return Table(self.document.get("decode_options", []))

    def __repr__(self) -> str:
        return repr(self.cells)


class Plans(_Document):
    """What `plan` gives.

    Attributes
    ----------
    document : dict
        Of `kvantage-cli plan --json`.
    """

    @property
    def points(self) -> Table:
        """A row per policy, alpha and budget: mean TTFT in seconds, mean quality, utility, provenance."""
        return Table(
            {key: value for key, value in point.items() if key not in ("contexts", "tiers")}
            for point in _field(self.document, "points")
        )

    @property
    def tiers(self) -> Table:
        """Budget and used bytes of every tier in every point."""
        return self._inner("tiers")

    @property
    def placements(self) -> Table:
        """Where every planned point puts each context, with the reason; simulated points have none."""
        return self._inner("contexts")

    def _inner(self, key: str) -> Table:
        return Table(
            {**{name: point[name] for name in ("policy", "alpha", "budget")}, **inner}
            for point in _field(self.document, "points")
            for inner in point[key] or []
        )

    def __repr__(self) -> str:
        return repr(self.points)


class SweepTable(_Document):
    """What `sweep` gives.

    Attributes
    ----------
    document : dict
        sweep.json as docs/sweeps.md describes it.
    """

    @property
    def rows(self) -> Table:
        """A row per combination but the seed, over its seeds."""
        return self._table("rows")

    @property
    def frontier(self) -> Table:
        """The rows that no other row of the same budget and rate beats in both service TTFT and quality."""
        return self.rows.where(on_frontier=True) if len(self.rows) else self.rows

    @property
    def failed(self) -> Table:
        """Cells that could not be served, with the reason."""
        return self._table("failed")

    @property
    def run_ids(self) -> List[str]:
        """The recorded runs of all rows."""
        return [one for row in _field(self.document, "rows") for one in row["run_ids"]]

    def __repr__(self) -> str:
        return repr(self.rows)


class Simulation(_Document):
    """What `simulate` gives.

    Attributes
    ----------
    document : dict
        Of `kvantage-cli simulate --json`.
    """

    @property
    def policies(self) -> Table:
        """A row per policy and capacity."""
        return self._table("policies")

    def __repr__(self) -> str:
        return repr(self.policies)


def run(
    workload: Optional[PathText] = None,
    *,
    progress: ProgressChoice = None,
    cancel: Optional[threading.Event] = None,
    program: ProgramChoice = None,
    **options: Any,
) -> Report:
    """Serves a workload under one or several policies; every serving is a recorded run.

    Parameters
    ----------
    workload : path, optional
        Folder of a workload, name of a sample, text file or folder of texts. Not needed with ``from_``.
    progress : callable or True, optional
        Called with a `Progress`, in this thread. An exception of it cancels the work. True: a line on stderr; a new
        method of ``method_file`` is profiled before anything is served, which takes a while.
    cancel : threading.Event, optional
        When another thread sets it, the work ends as after Ctrl-C.
    program : Program or path, optional
        By default as in `Program`.
    **options
        Those of ``kvantage-cli run`` (docs/cli.md; `options`): ``policy=["lru", "evicpress"]``, ``alpha=1``,
        ``tier={"dram": "20%", "ssd": "60%"}``, ``limit=60``, ``store=``, ``db=``, ...

    Returns
    -------
    Report

    Raises
    ------
    UsageError, RejectedInput
        An option or an input is wrong.
    Interrupted
        Canceled; `partial` is the `Report` of what was served, or None.
    ProgramKilled, ProgramFailed, BadOutput
        See there.
    """
    return _called(Report, "run", workload, program, progress=progress, cancel=cancel, **options)


def sweep(
    workload: Optional[PathText] = None,
    *,
    out: PathText,
    progress: ProgressChoice = None,
    cancel: Optional[threading.Event] = None,
    program: ProgramChoice = None,
    **options: Any,
) -> SweepTable:
    """Runs a workload under every combination of policies, alphas, budgets, rates and seeds.

    Parameters
    ----------
    workload
        As in `run`. Not needed with ``plan``.
    out : path
        Folder of results. ``resume=True`` serves only what is missing there.
    progress, cancel, program
        As in `run`; `Progress.cells_done` counts cells.
    **options
        Those of ``kvantage-cli sweep``: ``alpha=[0.1, 1, 10]``, ``budgets=["10%", "20%"]``, ``seeds=3``, ...

    Returns
    -------
    SweepTable

    Raises
    ------
    ProgramFailed
        Also where cells could not be served: `partial` is the `SweepTable` of the others.
    """
    return _called(SweepTable, "sweep", workload, program, progress=progress, cancel=cancel, out=out, **options)


def profile(
    workload: PathText,
    *,
    progress: ProgressChoice = None,
    cancel: Optional[threading.Event] = None,
    program: ProgramChoice = None,
    **options: Any,
) -> Curves:
    """Measures quality curves of every context, and what tiers cost. What the database has is not measured again.

    Parameters
    ----------
    workload, progress, cancel, program
        As in `run`.
    **options
        Those of ``kvantage-cli profile``: ``methods=["knorm", "kivi4"]``, ``removed=[0.2, 0.5]``, ...

    Returns
    -------
    Curves
    """
    return _called(Curves, "profile", workload, program, progress=progress, cancel=cancel, **options)


def plan(
    workload: PathText,
    *,
    progress: ProgressChoice = None,
    cancel: Optional[threading.Event] = None,
    program: ProgramChoice = None,
    **options: Any,
) -> Plans:
    """Predicts what policies would do at each alpha and budget, from the quality curves. Serves nothing.

    Parameters
    ----------
    workload, progress, cancel, program
        As in `run`.
    **options
        Those of ``kvantage-cli plan``: ``policy=["evicpress", "lru"]``, ``alpha=[0.1, 1, 10]``, ``budgets=["20%"]``.

    Returns
    -------
    Plans
    """
    return _called(Plans, "plan", workload, program, progress=progress, cancel=cancel, **options)


def simulate(trace: PathText, *, program: ProgramChoice = None, **options: Any) -> Simulation:
    """Simulates caches on a trace with a virtual clock; needs no model.

    Parameters
    ----------
    trace : path
        In any of the formats of docs/traces.md.
    program
        As in `run`.
    **options
        Those of ``kvantage-cli simulate``: ``policy=["lru", "sieve"]``, ``capacity_blocks=[1000, 5000]``, ...

    Returns
    -------
    Simulation
    """
    return _called(Simulation, "simulate", trace, program, **options)


def runs(*, db: Optional[PathText] = None, program: ProgramChoice = None) -> Table:
    """The recorded runs of a database, oldest first."""
    return Table(program_of(program).call("runs list", db=db))


def read_run(run: str = "last", *, db: Optional[PathText] = None, program: ProgramChoice = None) -> RecordedRun:
    """A recorded run, or all runs of one command.

    Parameters
    ----------
    run : str
        Id, unique prefix of one, group of a command, or ``last``: the newest and its group.
    db : path, optional
        Database that it was recorded in.
    """
    chosen = program_of(program)
    return RecordedRun(chosen.call("report", run, db=db), run, db, chosen)


def events(
    run: str = "last",
    types: Union[str, Sequence[str], None] = None,
    *,
    db: Optional[PathText] = None,
    program: ProgramChoice = None,
) -> Iterator[Dict[str, Any]]:
    """The events of a recorded run in order, one at a time: memory does not grow with the run.

    Parameters
    ----------
    run, db
        As in `read_run`.
    types : str or sequence of str, optional
        Only these, such as ``request.finished``. By default all.

    Yields
    ------
    dict
        ``run_id``, ``sequence``, ``utc_ns``, ``monotonic_ns``, ``type``, ``data`` (docs/file-formats.md).
    """
    wanted = [types] if isinstance(types, str) else None if types is None else list(types)
    asked = wanted if wanted is None or "run.started" in wanted else [*wanted, "run.started"]
    run_id = None
    for line in program_of(program).lines("replay", run, db=db, type=asked):
        if "report" in line:  # the last one
            continue
        if _field(line, "type") == "run.started":
            run_id = line["data"].get("run_id")
            if wanted is not None and "run.started" not in wanted:
                continue
        yield {"run_id": run_id, **line}


def decisions(run: str = "last", *, db: Optional[PathText] = None, program: ProgramChoice = None) -> Table:
    """What policies did in a recorded run: every placement that was committed or failed, with its reason.

    Parameters
    ----------
    run, db
        As in `read_run`.

    Returns
    -------
    Table
        ``action.kind``, ``action.to.method``, ``action.reason``, ``context_id``, ...; ``action.from.tier`` and
        ``action.to.tier`` are numbers of tiers, -1: not stored, and ``from_tier`` and ``to_tier`` their names.
    """
    names: List[str] = []
    rows = []
    types = ["run.started", "placement.committed", "placement.failed"]
    for event in events(run, types, db=db, program=program):
        if event["type"] == "run.started":
            names = _tier_names(event["data"])
            continue
        data = event.pop("data")
        ends = {f"{end}_tier": _tier_name(names, data["action"][end]) for end in ("from", "to")}
        rows.append({**event, **data, **ends})
    return Table(rows)


def compare(*run: str, db: Optional[PathText] = None, program: ProgramChoice = None) -> Table:
    """Differences of 2 to 8 recorded runs to the first, each with its interval and judgment."""
    return Table(_field(program_of(program).call("compare", *run, db=db), "figures"))


def methods(*, program: ProgramChoice = None) -> Table:
    """Compression and eviction methods with parameters, needs, costs and sources."""
    return Table(program_of(program).call("methods"))


def policies(*, program: ProgramChoice = None) -> Table:
    """Placement and compression policies with parameters and sources."""
    return Table(program_of(program).call("policies"))


def options(command: str, *, program: ProgramChoice = None) -> Table:
    """The options and arguments of a command, such as "run".

    Their Python names have underscores: ``--max-batch`` is ``max_batch``.
    """
    listed: List[Option] = list(program_of(program).options(command).values())
    return Table(vars(one) for one in listed)


def _called(
    make: Callable[[Dict[str, Any]], Result],
    command: str,
    argument: Optional[PathText],
    program: ProgramChoice,
    /,
    **given: Any,
) -> Result:
    """`given`: as keywords of `Program.start`."""
    job = program_of(program).start(command, argument, **given)
    try:
        return make(job.result())
    except ProgramFailed as failed:
        if failed.partial is not None:
            failed.partial = make(failed.partial)
        raise


def _field(document: Any, name: str) -> Any:
    if not isinstance(document, dict) or name not in document:
        raise BadOutput(f"kvantage-cli: printed JSON without '{name}'; is it of this package's version?")
    return document[name]


def _tier_names(started: Dict[str, Any]) -> List[str]:
    """Of the event run.started, whose settings are those of `runs.settings`."""
    settings = started.get("settings") or {}
    return [str(tier.get("name")) for tier in settings.get("settings", settings).get("tiers", [])]


def _tier_name(names: Sequence[str], place: Dict[str, Any]) -> Optional[str]:
    at = place.get("tier", -1)
    return names[at] if 0 <= at < len(names) else None


def _event_table(found: Iterator[Dict[str, Any]], inner: Optional[str] = None) -> Table:
    """A row per event: what all have, then its data, or what is in the data's field `inner`."""
    rows = []
    for event in found:
        data = event.pop("data")
        rows.append({**event, **(data[inner] if inner else data)})
    return Table(rows)
