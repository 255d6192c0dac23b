#!/usr/bin/env python3
"""Sessions with 16 requests in flight whose questions and short contexts prefill together, beside one at a time.

The products are batch-invariant in every cell, so all answers must be the same tokens: others end the script with an
error. Cells (values of --prefill-batch-tokens) take turns in an order drawn for each round; ratios are those of a
round to its own cell 0, above 1 where it is faster:

- question prefill: seconds that the engine spends on it per request, a step of several counted once for all of them;
- TTFT: median time of service to the first token, the step in full for each that waits for it;
- requests/s: answered after the warm-up, by the time from its end to the last answer.

Usage: prefill_sessions.py KVANTAGE_CLI [--model MODEL] [--workload FOLDER]... [--tokens 0,512] [--batch 16]
                           [--rounds N] [--limit N] [--threads N] [--seed N]
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


class Sessions:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def make(self, name, tokens, *more):
        target = f"{self.folder}/{name}"
        self.call("workload", "make", "--out", target, "--families", "registry", "--contexts-per-family", "16",
                  "--min-tokens", str(tokens), "--max-tokens", str(tokens + 60), "--profile-questions", "1",
                  "--held-out-questions", "4", "--tier", "dram=256MiB", "--quiet", *more)
        return target

    def run(self, workload, policy, tokens):
        """The events of one session."""
        database, run = f"{self.folder}/runs.db", f"{self.folder}/run.jsonl"
        self.call("run", workload, "--policy", policy, "--products", "batch_invariant", "--prefill-batch-tokens",
                  str(tokens), "--max-batch", str(self.arguments.batch), "--rate", "0",
                  "--limit", str(self.arguments.limit), "--threads", str(self.arguments.threads),
                  "--seed", str(self.arguments.seed), "--store", f"{self.folder}/store", "--db", database,
                  "--compute-or-load", "off", "--no-reprofile", "--quiet",
                  *(["--model", self.arguments.model] if self.arguments.model else []))
        self.call("runs", "export", "last", run, "--db", database, "--quiet")
        with open(run) as lines:
            return [json.loads(line) for line in lines]

    def call(self, *words):
        done = subprocess.run([self.arguments.cli, *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")


class Cell:
    """What is measured of a session, from the end of its warm-up on."""

    def __init__(self, events):
        begun = next((i for i, event in enumerate(events) if event["type"] == "engine.counted"), -1)
        finished = [event for event in events[begun + 1:] if event["type"] == "request.finished"]
        records = [event["data"]["record"] for event in finished]
        records = [record for record in records if not record["cancelled"]]
        start = events[max(begun, 0)]["monotonic_ns"]
        self.answers = {(record["context_id"], record["question"]): record["answer"] for record in records}
        self.requests_per_second = len(records) / (1e-9 * (finished[-1]["monotonic_ns"] - start))
        self.ttft = statistics.median(record["timing"]["ttft_service_seconds"] for record in records)
        self.question = statistics.fmean(self.own_question(record["timing"]) for record in records)
        self.shared = statistics.fmean(self.shared_steps(record["timing"]) > 0 for record in records)

    @staticmethod
    def own_question(timing):
        shared = (timing.get("shared_prefill") or {}).get("question", {"seconds": 0, "own_seconds": 0})
        return timing["question_prefill_seconds"] - shared["seconds"] + shared["own_seconds"]

    @staticmethod
    def shared_steps(timing):
        shared = timing.get("shared_prefill")
        return shared["question"]["steps"] + shared["context"]["steps"] if shared else 0


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f}-{max(values):.3f})"


def measure(sessions, arguments, name, workload, policy):
    order = random.Random(arguments.seed)
    cells = {tokens: [] for tokens in arguments.tokens}
    for _ in range(arguments.rounds):
        turn = arguments.tokens[:]
        order.shuffle(turn)
        for tokens in turn:
            cells[tokens].append(Cell(sessions.run(workload, policy, tokens)))
    plain = cells[0]
    for tokens, measured in cells.items():
        for one, other in zip(measured, plain):
            if one.answers != other.answers:
                sys.exit(f"{name}: answers with --prefill-batch-tokens {tokens} are not those with 0")
        question = [other.question / one.question for one, other in zip(measured, plain)]
        ttft = [other.ttft / one.ttft for one, other in zip(measured, plain)]
        rate = [one.requests_per_second / other.requests_per_second for one, other in zip(measured, plain)]
        print(f"| {name} | {tokens} | {100 * measured[-1].shared:.0f} % "
              f"| {1e3 * statistics.median(one.question for one in measured):.3f} ms | {spread(question)} "
              f"| {spread(ttft)} | {spread(rate)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", default="")
    parser.add_argument("--workload", action="append", default=[])
    parser.add_argument("--tokens", type=lambda text: [int(one) for one in text.split(",")], default=[0, 512])
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=96)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if 0 not in arguments.tokens:
        sys.exit("--tokens: needs 0, which the others are compared with")
    with tempfile.TemporaryDirectory() as folder:
        sessions = Sessions(arguments, folder)
        cases = [(pathlib.Path(path).name, path, "lru") for path in arguments.workload]
        if not cases:
            stored, short = sessions.make("stored", 1000), sessions.make("short", 150)
            cases = [("1,000 tokens, stored", stored, "lru"), ("150 tokens, computed", short, "full_prefill")]
        print("| contexts | tokens together | requests that shared | question prefill | times as fast | TTFT, times as "
              "fast | requests/s, ratio |")
        print("|---|---|---|---|---|---|---|")
        for name, workload, policy in cases:
            measure(sessions, arguments, name, workload, policy)


if __name__ == "__main__":
    main()
