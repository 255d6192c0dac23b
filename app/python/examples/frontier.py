# %% [markdown]
# From a text to a frontier: profile it, plan at three alphas, serve the plans, and put both side by side.
# Each part between two `# %%` is a cell of an editor or of Jupyter; the whole is also a script:
#
#     python frontier.py [TEXT] [FOLDER]
#
# FOLDER keeps stores and runs; without it they are removed at the end.

# %%
import sys
import tempfile
from pathlib import Path

import kvantage

GIVEN = [] if "ipykernel" in sys.modules else sys.argv[1:]
NAMES = ["Ada Holt", "Ben Moss", "Cora Lane", "Dan York", "Eve Shaw", "Finn Drake", "Gwen Pike", "Hugo Crane"]


def some_text() -> str:
    """A text of facts, for who brings none."""
    facts = [
        f"The badge of {name} {number} is {1000 + 37 * number + 11 * at} ."
        for number in range(12)
        for at, name in enumerate(NAMES)
    ]
    return " ".join(facts) + "\n"


folder = Path(GIVEN[1]) if len(GIVEN) > 1 else Path(tempfile.mkdtemp(prefix="kvantage-example-"))
folder.mkdir(parents=True, exist_ok=True)
text = Path(GIVEN[0]) if GIVEN else folder / "facts.txt"
if not GIVEN:
    text.write_text(some_text(), encoding="utf-8")

# What every step shares: the same text, tiers, candidates and database. A profile is measured once.
session = {
    "store": folder / "store",
    "context_tokens": 512,
    "probes": 2,
    "tier": {"dram": "20%", "ssd": "60%"},
    "methods": ["knorm", "kivi4"],
    "removed": [0.5],
}
alphas = [0.01, 0.1, 1]


def show(progress: kvantage.Progress) -> None:
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
    print(f"  {progress.stage}: {progress.done} of {progress.total or '?'}{left}", file=sys.stderr)


# %% [markdown]
# How well does each context tolerate compression?

# %%
curves = kvantage.profile(text, progress=show, **session)
print(curves.cells.select("context", "method", "removed_fraction", "quality", "bytes"))

# %% [markdown]
# What would EvicPress do with that, and what does it predict?

# %%
plan = kvantage.plan(text, policy="evicpress", alpha=alphas, **session)
print(plan.points)
print(plan.placements.select("alpha", "context", "tier", "method", "removed_fraction"))

# %% [markdown]
# Serve it. Every run is recorded; lru is the baseline.

# %%
served = {None: kvantage.run(text, policy="lru", limit=6, progress=show, **session)}
for alpha in alphas:
    served[alpha] = kvantage.run(text, policy="evicpress", alpha=alpha, limit=6, progress=show, **session)

# %% [markdown]
# Prediction beside measurement, times in ms. The last table says why contexts are where they are.

# %%
predicted = {point["alpha"]: point for point in plan.points}
rows = []
for alpha, report in served.items():
    row = report.rows[0]
    metric = "quality.token_f1.mean"
    rows.append(
        {
            "policy": row["policy"],
            "alpha": alpha,
            "TTFT": 1000 * row["ttft_service_seconds.mean"],
            "TTFT predicted": 1000 * predicted[alpha]["mean_ttft_seconds"] if alpha in predicted else None,
            "quality": row.get(metric),
            "quality predicted": predicted[alpha]["mean_quality"] if alpha in predicted else None,
            "run": report.run_ids[0],
        }
    )
table = kvantage.Table(rows)
print(table)

# %%
last = kvantage.read_run(served[alphas[-1]].run_ids[0], db=folder / "store" / "kvantage.db")
decisions = last.decisions()
if len(decisions):
    print(decisions.select("context_id", "action.kind", "action.to.method", "action.reason"))

# %%
try:
    print(table.to_pandas().describe())
except kvantage.MissingDependency as missing:
    print(missing)

# %%
if len(GIVEN) < 2:
    import shutil

    shutil.rmtree(folder)
