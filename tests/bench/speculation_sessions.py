#!/usr/bin/env python3
"""Speculation in sessions: time per answer token and TTFT with drafts, over those without, on workloads.

Without --workload: one whose answers quote their context at length (ledgers), and one of short answers (registry).
Cells (a setting and a batch) take turns in an order drawn for each round; ratios are those of a round to its own `off`.
Answers that differ from those without drafts end the script with an error: they must be the same tokens.

Usage: speculation_sessions.py KVANTAGE_CLI [--model MODEL] [--workload FOLDER]... [--settings off,lookup,auto]
                               [--batches 1,4] [--rounds N] [--limit N] [--threads N] [--seed N]
"""

import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile


class Sessions:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def make(self, family, *more):
        target = f"{self.folder}/{family}"
        self.call("workload", "make", "--out", target, "--families", family, "--contexts-per-family", "4",
                  "--min-tokens", "1000", "--max-tokens", "1100", "--profile-questions", "1",
                  "--held-out-questions", "4", "--tier", "dram=64MiB", "--quiet", *more)
        return target

    def run(self, workload, setting, batch):
        """The records of one session, by request."""
        database, run = f"{self.folder}/runs.db", f"{self.folder}/run.jsonl"
        self.call("run", workload, "--policy", "lru", "--speculation", setting, "--max-batch", str(batch),
                  "--limit", str(self.arguments.limit), "--threads", str(self.arguments.threads),
                  "--seed", str(self.arguments.seed), "--store", f"{self.folder}/store", "--db", database,
                  "--no-reprofile", "--quiet",
                  *(["--model", self.arguments.model] if self.arguments.model else []))
        self.call("runs", "export", "last", run, "--db", database, "--quiet")
        with open(run) as lines:
            events = [json.loads(line) for line in lines]
        records = [event["data"]["record"] for event in events if event.get("type") == "request.finished"]
        records = [record for record in records if not record["cancelled"]]
        return sorted(records, key=lambda record: record["id"])

    def call(self, *words):
        done = subprocess.run([self.arguments.cli, *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")


def seconds_per_token(records):
    """Between two tokens of an answer, over all answers."""
    gaps = [gap for record in records for gap in record["timing"]["token_gaps_seconds"]]
    return sum(gaps) / len(gaps) if gaps else float("nan")


def ttft(records):
    return statistics.median(record["timing"]["ttft_service_seconds"] for record in records)


def drafts(records):
    """Tokens per pass, drafts, and the share of them that was accepted."""
    every = [record["decoding"].get("speculation") for record in records]
    every = [one for one in every if one]
    passes, drafted, accepted = (sum(one[key] for one in every) for key in ("passes", "drafted", "accepted"))
    return (1 + accepted / passes if passes else float("nan"), drafted, accepted / drafted if drafted else float("nan"))


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f}-{max(values):.3f})"


def measure(sessions, arguments, name, workload):
    cells = [(setting, batch) for batch in arguments.batches for setting in arguments.settings]
    order = random.Random(arguments.seed)
    per_token, first, last = {cell: [] for cell in cells}, {cell: [] for cell in cells}, {}
    for _ in range(arguments.rounds):
        turn = cells[:]
        order.shuffle(turn)
        for cell in turn:
            last[cell] = sessions.run(workload, *cell)
            per_token[cell].append(seconds_per_token(last[cell]))
            first[cell].append(ttft(last[cell]))
        for setting, batch in cells:
            plain = last[("off", batch)]
            if [record["answer"] for record in last[(setting, batch)]] != [record["answer"] for record in plain]:
                sys.exit(f"{name}: answers with speculation {setting}, batch {batch}, are not those without it")
    for cell in cells:
        plain = ("off", cell[1])
        tokens, drafted, accepted = drafts(last[cell])
        faster = [a / b for a, b in zip(per_token[cell], per_token[plain])]
        sooner = [a / b for a, b in zip(first[cell], first[plain])]
        print(f"| {name} | {cell[1]} | {cell[0]} | {1e3 * statistics.median(per_token[cell]):.3f} | {spread(faster)} | "
              f"{spread(sooner)} | {tokens:.2f} | {drafted} | {100 * accepted:.0f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", default="")
    parser.add_argument("--workload", action="append", default=[])
    # Commas between settings, not those inside their parentheses.
    parser.add_argument("--settings", type=lambda text: re.split(r",(?![^(]*\))", text),
                        default=["off", "lookup", "auto"])
    parser.add_argument("--batches", type=lambda text: [int(batch) for batch in text.split(",")], default=[1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=16)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if "off" not in arguments.settings:
        sys.exit("--settings: needs off, which the others are compared with")
    with tempfile.TemporaryDirectory() as folder:
        sessions = Sessions(arguments, folder)
        workloads = [(pathlib.Path(path).name, path) for path in arguments.workload]
        if not workloads:
            workloads = [("ledger", sessions.make("ledger", "--answer-tokens", "320")),
                         ("registry", sessions.make("registry"))]
        print("| workload | batch | speculation | ms per token | / off | TTFT / off | tokens per pass | drafts "
              "| accepted |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, workload in workloads:
            measure(sessions, arguments, name, workload)


if __name__ == "__main__":
    main()
