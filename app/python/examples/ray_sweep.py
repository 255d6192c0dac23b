"""Serves the cells of a sweep on a Ray cluster, a Ray task per cell.

    python ray_sweep.py PLAN OUT [CPUS]

PLAN is plan.json of a sweep or of an experiment of the window (docs/sweeps.md), OUT the folder of results on this
machine, CPUS those of a task (default: 2). Run again, it serves only what is missing. Workload, model and kvantage-cli
(on PATH, or KVANTAGE_CLI) are at the same path on all nodes. Nothing else is shared: each task returns the cell's
result and its recorded run.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import kvantage
import ray


def serve(plan, cell, threads):
    """Serves one cell; returns the name and the text of its result, and its run as text."""
    program = kvantage.Program()
    with tempfile.TemporaryDirectory(prefix="kvantage-ray-") as name:
        folder = Path(name)
        out = folder / "out"
        (folder / "plan.json").write_text(json.dumps({**plan, "cells": [cell]}), encoding="utf-8")
        kvantage.sweep(plan=folder / "plan.json", out=out, threads=threads, program=program)
        (result,) = (out / "cells").glob("*.json")
        text = result.read_text(encoding="utf-8")
        run = folder / "cell.run"
        program.call("runs export", json.loads(text)["run_id"], run, db=out / "kvantage.db")
        return result.name, text, run.read_text(encoding="utf-8")


def keep(out, program, name, result, run):
    """The run first: a result is never there without it."""
    with tempfile.TemporaryDirectory(prefix="kvantage-ray-") as folder:
        file = Path(folder) / "cell.run"
        file.write_text(run, encoding="utf-8")
        program.call("runs import", file, db=out / "kvantage.db")
    temporary = out / "cells" / f".{name}.new"
    temporary.write_text(result, encoding="utf-8")
    os.replace(temporary, out / "cells" / name)


def main(plan_file, out, cpus=2):
    program = kvantage.Program()
    plan = json.loads(plan_file.read_text(encoding="utf-8"))
    plan["group"] = plan.get("group") or f"sweep-{time.time_ns()}"
    (out / "cells").mkdir(parents=True, exist_ok=True)
    if plan_file.resolve() != (out / "plan.json").resolve():
        (out / "plan.json").write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
    done = [json.loads(one.read_text(encoding="utf-8"))["cell"] for one in (out / "cells").glob("*.json")]
    missing = [cell for cell in plan["cells"] if cell not in done]

    ray.init(ignore_reinit_error=True)
    task = ray.remote(num_cpus=cpus, max_retries=3)(serve)
    pending = [task.remote(plan, cell, cpus) for cell in missing]
    count = 0
    while pending:
        (ready,), pending = ray.wait(pending, num_returns=1)
        try:
            keep(out, program, *ray.get(ready))
            count += 1
            print(f"{count} of {len(missing)} cells done", file=sys.stderr)
        except (ray.exceptions.RayError, kvantage.KVantageError) as error:
            print(f"a cell failed: {error}", file=sys.stderr)  # the sweep below says which, and serves it here

    table = kvantage.sweep(plan=out / "plan.json", out=out, resume=True, program=program)
    print(table.rows)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) == 4 else 2)
