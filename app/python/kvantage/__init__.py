"""Scripting of KVantage, a workbench for KV-cache compression and eviction.

Every function starts ``kvantage-cli`` and reads its JSON, or talks to a running session through its socket; nothing is
computed here. Tables become pandas DataFrames by `Table.to_pandas` and Arrow tables by `Table.to_arrow`.

>>> import kvantage
>>> report = kvantage.run("quickstart", policy=["lru", "evicpress"], alpha=1, limit=60)
>>> report.rows.select("policy", "ttft_service_seconds.mean", "hit_rate.value")
"""

from __future__ import annotations

from ._version import __version__
from .commands import (
    Curves,
    Plans,
    RecordedRun,
    Report,
    Simulation,
    SweepTable,
    compare,
    decisions,
    events,
    methods,
    options,
    plan,
    policies,
    profile,
    read_run,
    run,
    runs,
    simulate,
    sweep,
)
from .errors import (
    BadOutput,
    ConnectionLost,
    ExportError,
    Interrupted,
    KVantageError,
    MissingDependency,
    ProgramFailed,
    ProgramKilled,
    ProgramNotFound,
    RejectedInput,
    UsageError,
    VersionMismatch,
)
from .live import Answer, LiveSession, connect
from .press import MethodFile, export_press
from .program import Job, Option, Program, Progress, use
from .table import Table

__all__ = [
    "Answer",
    "BadOutput",
    "ConnectionLost",
    "Curves",
    "ExportError",
    "Interrupted",
    "Job",
    "KVantageError",
    "LiveSession",
    "MethodFile",
    "MissingDependency",
    "Option",
    "Plans",
    "Program",
    "ProgramFailed",
    "ProgramKilled",
    "ProgramNotFound",
    "Progress",
    "RecordedRun",
    "RejectedInput",
    "Report",
    "Simulation",
    "SweepTable",
    "Table",
    "UsageError",
    "VersionMismatch",
    "__version__",
    "compare",
    "connect",
    "decisions",
    "events",
    "export_press",
    "methods",
    "options",
    "plan",
    "policies",
    "profile",
    "read_run",
    "run",
    "runs",
    "simulate",
    "sweep",
    "use",
]
