#!/usr/bin/env python3
"""Decode-time eviction in sessions, on long answers (ledgers of 1,024 tokens), without stored caches:

  - inter-token latency, memory, and the share of it that compaction takes, by method at a quarter of the prompt
  - peak memory where the prompt is cut to the budget after its prefill, and layer by layer during it

Cells take turns, one round runs each once; ratios are those of a round.

Usage: decode_sessions.py KVANTAGE_CLI [--model MODEL] [--rounds N] [--limit N] [--threads N]
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile

METHODS = ["streaming_llm", "h2o", "scissorhands", "tova", "r_kv", "triattention", "knorm", "cur", "keydiff",
           "paged_eviction", "quest"]
SELECTORS = ["quest"]  # evict nothing, so there is nothing to compact


class Sessions:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.call("workload", "make", "--out", f"{folder}/ledgers", "--families", "ledger",
                  "--contexts-per-family", "4", "--min-tokens", "1000", "--max-tokens", "1100",
                  "--answer-tokens", "320", "--profile-questions", "1", "--held-out-questions", "2",
                  "--tier", "dram=64MiB", "--quiet")

    def run(self, decode_eviction):
        """The records of one session."""
        database, run = f"{self.folder}/runs.db", f"{self.folder}/run.jsonl"
        self.call("run", f"{self.folder}/ledgers", "--policy", "full_prefill", "--decode-eviction", decode_eviction,
                  "--limit", str(self.arguments.limit), "--threads", str(self.arguments.threads), "--no-warmup",
                  "--store", f"{self.folder}/store", "--db", database, "--no-reprofile", "--quiet",
                  *(["--model", self.arguments.model] if self.arguments.model else []))
        self.call("runs", "export", "last", run, "--db", database, "--quiet")
        with open(run) as lines:
            events = [json.loads(line) for line in lines]
        records = [event["data"]["record"] for event in events if event.get("type") == "request.finished"]
        return [record for record in records if record["answer_tokens"] > 1]

    def call(self, *words):
        done = subprocess.run([self.arguments.cli, *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")


def latency(records):
    """Mean seconds between two tokens."""
    gaps = [record["answer_tokens"] - 1 for record in records]
    return sum(record["timing"]["mean_itl_seconds"] * n for record, n in zip(records, gaps)) / sum(gaps)


def compaction_share(records):
    spent = sum(record["decoding"]["compactions"]["seconds"] for record in records)
    decoding = sum(record["timing"]["mean_itl_seconds"] * (record["answer_tokens"] - 1) for record in records)
    return spent / decoding


def peak(records):
    return statistics.mean(record["decoding"]["peak_bytes"] for record in records)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=8)
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    cells = {"none": "none"}
    for method in METHODS:
        cells[method] = f"{method}(budget=25%)" if method in SELECTORS else f"{method}(budget=25%,compact_every=128)"
    with tempfile.TemporaryDirectory() as folder:
        sessions = Sessions(arguments, folder)
        seconds, last = {name: [] for name in cells}, {}
        for _ in range(arguments.rounds):
            for name, setting in cells.items():
                last[name] = sessions.run(setting)
                seconds[name].append(latency(last[name]))
        print("| method | ms between tokens | / none | compaction, share of it | passes | mean peak, KiB |")
        print("|---|---|---|---|---|---|")
        for name, records in last.items():
            each = [a / b for a, b in zip(seconds[name], seconds["none"])]
            passes = sum(record["decoding"]["compactions"]["passes"] for record in records)
            share = f"{100 * compaction_share(records):.2f} %" if passes > 0 else ""
            print(f"| {name} | {1e3 * statistics.median(seconds[name]):.3f} | "
                  f"{statistics.median(each):.2f} ({min(each):.2f}-{max(each):.2f}) | "
                  f"{share} | {passes} | {peak(records) / 1024:.0f} |")
        print("\n| paged_eviction(budget=25%) | mean peak, KiB |\n|---|---|")
        for cut in ("first_token", "prefill"):
            records = sessions.run(f"paged_eviction(budget=25%,cut={cut})")
            print(f"| cut={cut} | {peak(records) / 1024:.0f} |")


if __name__ == "__main__":
    main()
