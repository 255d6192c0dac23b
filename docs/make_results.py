#!/usr/bin/env python3
"""Measures the results table of README.md and docs/results.md: one command, about ten minutes on two idle cores.

    docs/make_results.py [--cli build/release/app/kvantage-cli] [--out FOLDER] [--print]

Serves the quick start under each policy on five seeds on which nothing was chosen (candidates, alpha and budgets were
chosen on seeds 1 to 3), and writes the table between the markers of README.md and into docs/results.md. A folder of an
earlier call is resumed. --print writes no file.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICIES = {
    "full_prefill": "prefill every time",
    "lru": "uncompressed + LRU",
    "fixed(kivi4,0)": "KIVI + LRU",
    "fixed(keydiff+kivi4,0.4)": "keydiff + KIVI + LRU",
    "evicpress": "joint decisions",
}
FASTER_ALPHA = 0.1  # beside the session's; chosen on seeds 1 to 3, too
FIRST_SEED, SEEDS = 4, 5
SAME_QUALITY = 0.01  # qualities that differ by less are called equal
BEGIN, END = "<!-- results: docs/make_results.py -->", "<!-- end of results -->"


def sweep_command(alpha, out):
    """What is run, without the program's folder."""
    return ["kvantage-cli", "sweep", "quickstart", "--out", str(out), "--policy", ",".join(POLICIES),
            "--alpha", f"{FASTER_ALPHA:g},{alpha:g}", "--seed", str(FIRST_SEED), "--seeds", str(SEEDS)]


def with_interval(figure, unit, digits):
    return (f"{figure['mean'] * unit:.{digits}f} "
            f"[{figure['low'] * unit:.{digits}f}, {figure['high'] * unit:.{digits}f}]")


def name_of(cell):
    policy = cell["policy"]
    alpha = "" if cell["alpha"] is None else f", alpha {cell['alpha']:g}"
    return f"{POLICIES[policy]} (`{policy}`{alpha})"


def table_of(rows):
    lines = ["| policy | mean TTFT, ms | p95 TTFT, ms | quality (token F1) | hit rate | MiB read per request |",
             "|---|---|---|---|---|---|"]
    order = list(POLICIES)
    for row in sorted(rows, key=lambda row: (order.index(row["policy"]), row["alpha"] or 0)):
        mebibytes = row["loaded_bytes"]["mean"] * row["seeds"] / row["requests"] / 2**20
        lines.append(f"| {name_of(row)} | {with_interval(row['ttft_service_seconds'], 1e3, 1)} "
                     f"| {row['ttft_p95_seconds']['mean'] * 1e3:.1f} | {with_interval(row['quality'], 1, 3)} "
                     f"| {row['hit_rate']['mean']:.2f} | {mebibytes:.2f} |")
    return lines


def results_by_seed(out):
    seeds = {}
    for file in sorted((out / "cells").iterdir()):
        result = json.loads(file.read_text())
        seeds.setdefault(result["cell"]["seed"], []).append(result)
    return seeds


def comparison_of(seeds):
    """Per fixed configuration: on how many seeds an alpha of evicpress was at least as fast at no lower quality."""
    lines = []
    for policy, name in POLICIES.items():
        if not policy.startswith("fixed("):
            continue
        ratios = []
        for results in seeds.values():
            fixed = next(result for result in results if result["cell"]["policy"] == policy)
            times = [result["ttft_service_seconds"] for result in results if result["cell"]["policy"] == "evicpress"
                     and result["quality"] >= fixed["quality"] - SAME_QUALITY]
            if times:
                ratios.append(fixed["ttft_service_seconds"] / min(times))
        holds = sum(ratio >= 1 for ratio in ratios)
        lines += [f"- {name}: on {holds} of {len(seeds)} seeds, evicpress is at least as fast at one of its two",
                  f"  alphas, with quality no more than {SAME_QUALITY} lower."]
        if ratios:
            lines += [f"  {name} takes {min(ratios):.2f} to {max(ratios):.2f} times as long to the first token."]
    return lines


def replace_block(path, lines):
    text = path.read_text()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    path.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", type=pathlib.Path, default=ROOT / "build/release/app/kvantage-cli")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--print", action="store_true", dest="only_print")
    arguments = parser.parse_args()
    alpha = json.loads((ROOT / "sample_workloads/quickstart/session.json").read_text())["alpha"]
    out = arguments.out or pathlib.Path(tempfile.mkdtemp(prefix="kvantage-results-"))
    command = sweep_command(alpha, out)
    resume = ["--resume"] if (out / "plan.json").exists() else []
    done = subprocess.run([str(arguments.cli)] + command[1:] + resume, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"the sweep failed (exit code {done.returncode}); repeat with --out {out}")
    table = json.loads((out / "sweep.json").read_text())
    rows = table["rows"]
    machine = table["machines"][0]["hardware"]
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    requests = rows[0]["requests"]
    last_seed = FIRST_SEED + SEEDS - 1
    caption = [f"Quick start, {requests:,} requests per row over seeds {FIRST_SEED} to {last_seed}, "
               f"default model; {date}.", f"{machine}.",
               "Throttled tiers: dram, 12 MiB at 540 MB/s and 0.2 ms; ssd, 28 MiB at 180 MB/s and 1 ms.",
               "KIVI quantizes to 4 bits; keydiff removes 40 % of the tokens, those with the most similar keys.",
               "TTFT: from the start of serving a request to its first token, without queueing.",
               "Token F1: overlap of the answer's words with the reference answer's.",
               "Brackets: 95 % bootstrap interval over seeds.",
               "Each context is requested once before measurement starts, so a hit rate of 1.00 is possible."]
    lines = [""] + table_of(rows) + [""] + caption + [""]
    details = ["", "    " + " ".join(sweep_command(alpha, "OUT")[:5]) + " \\",
               "        --policy '" + ",".join(POLICIES) + "' \\",
               f"        --alpha {FASTER_ALPHA:g},{alpha:g} --seed {FIRST_SEED} --seeds {SEEDS}", ""]
    print("\n".join(lines + comparison_of(results_by_seed(out))))
    if not arguments.only_print:
        replace_block(ROOT / "README.md", lines)
        replace_block(ROOT / "docs/results.md", details + table_of(rows) + [""] + caption + [""] +
                      comparison_of(results_by_seed(out)) + [""])


if __name__ == "__main__":
    main()
