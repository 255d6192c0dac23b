#!/usr/bin/env python3
"""KVPR in sessions on reference-mha, at a quarter of, at, and at four times the bandwidth of break-even, where reading
the keys and values of a step takes as long as recomputing them.

  decode_offload: seconds per decoded token with the split against load only; the same bytes of memory for layer inputs
                  and for keys and values.
  layer_inputs:   TTFT of entries that hold layer inputs against entries of keys and values, and against prefill.

Cells take turns: one round runs every cell once. Ratios are those of a round; the table has their median and range.

Usage: kvpr_sessions.py KVANTAGE_CLI WORKLOAD [--rounds N] [--limit N] [--threads N]
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile


class Machine:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def run(self, policy, bandwidth, *options):
        """The requests of one session on one throttled tier in host memory."""
        tier = "dram=2GiB" + (f",bandwidth={bandwidth:.0f}B/s" if bandwidth else "")
        database, run = f"{self.folder}/runs.db", f"{self.folder}/run.jsonl"
        self.call("run", self.arguments.workload, "--model", "reference-mha", "--tier", tier, "--policy", policy,
                  "--limit", str(self.arguments.limit), "--threads", str(self.arguments.threads),
                  "--store", f"{self.folder}/store", "--db", database, "--compute-or-load", "off", "--no-reprofile",
                  "--quiet", *options)
        self.call("runs", "export", "last", run, "--db", database, "--quiet")
        with open(run) as lines:
            events = [json.loads(line) for line in lines]
        return [event["data"]["record"] for event in events if event.get("type") == "request.finished"]

    def call(self, *words):
        done = subprocess.run([self.arguments.cli, *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")


class Offloaded:
    """Means per decoded token of requests with decode_offload."""

    def __init__(self, records):
        self.all = [record["decoding"]["offload"] for record in records if record["decoding"]["offload"]["steps"] > 0]
        self.answers = [record["answer"] for record in records]

    def per_token(self, *names):
        return sum(sum(one[name] for name in names) for one in self.all) / sum(one["steps"] for one in self.all)


def mean(records, value):
    return statistics.mean(value(record) for record in records)


def ratios(of, to):
    """Median and range of the ratios of two lists of the same rounds."""
    each = [a / b for a, b in zip(of, to)]
    return f"{statistics.median(each):.2f} ({min(each):.2f}-{max(each):.2f})"


def decode_offload(machine, rounds):
    settings = {
        "load only": "dram(split=load_only)",
        "split": "dram",
        "resident inputs": "dram(resident=inputs)",
        "resident KV": "dram(resident=kv)",
    }

    def offloaded(bandwidth, setting):
        return Offloaded(machine.run("full_prefill", bandwidth, "--no-warmup", "--decode-offload", setting))

    computing, reading = offloaded(0, "dram(split=recompute_only)"), offloaded(0, "dram(split=load_only)")
    even = reading.per_token("kv_bytes") / computing.per_token("recompute_seconds")
    print(f"break-even: {even / 1e6:.0f} MB/s, "
          f"{reading.per_token('kv_bytes') / 1e6:.1f} MB of keys and values per token\n")
    print("| bandwidth | setting | per token | / load only | tokens/s gained | recomputed tokens | read per token | "
          "computing | measured / predicted |")
    print("|---|---|---|---|---|---|---|---|---|")
    for factor in (0.25, 1, 4):
        seconds = {name: [] for name in settings}
        last = {}
        for _ in range(rounds):
            for name, setting in settings.items():
                last[name] = offloaded(even * factor, setting)
                seconds[name].append(last[name].per_token("seconds"))
                if last[name].answers != last["load only"].answers:
                    sys.exit(f"{setting}: other answers than load only")
        for name, row in last.items():
            gained = statistics.median(a / b for a, b in zip(seconds["load only"], seconds[name])) - 1
            waited = row.per_token("waited_seconds") / row.per_token("seconds")
            print(f"| {factor:g} x | {name} | {1e3 * statistics.median(seconds[name]):.1f} ms | "
                  f"{ratios(seconds[name], seconds['load only'])} | {100 * gained:+.1f} % | "
                  f"{row.per_token('recomputed_tokens'):.0f} | "
                  f"{row.per_token('input_bytes', 'kv_bytes') / 1e6:.1f} MB | "
                  f"{100 * (1 - waited):.0f} % | {row.per_token('seconds') / row.per_token('predicted_seconds'):.2f} |")
    return even


def layer_inputs(machine, rounds, even):
    policies = {
        "keys and values": "lru",
        "half as inputs": "fixed(layer_inputs(share=0.5),0)",
        "all as inputs": "fixed(layer_inputs,0)",
        "prefill": "full_prefill",
    }
    print("\n| bandwidth | entries | TTFT | / keys and values | loaded per request | measured / predicted |")
    print("|---|---|---|---|---|---|")
    for factor in (0.25, 1, 4):
        seconds = {name: [] for name in policies}
        last = {}
        for _ in range(rounds):
            for name, policy in policies.items():
                records = machine.run(policy, even * factor)
                # First requests of a context are misses.
                last[name] = [record for record in records if record["miss_reason"] != "first_contact"]
                seconds[name].append(mean(last[name], lambda record: record["timing"]["ttft_service_seconds"]))
        for name, records in last.items():
            took = mean(records, lambda record: record["timing"]["ttft_service_seconds"])
            print(f"| {factor:g} x | {name} | {1e3 * statistics.median(seconds[name]):.1f} ms | "
                  f"{ratios(seconds[name], seconds['keys and values'])} | "
                  f"{mean(records, lambda record: record['bytes_loaded']) / 1e6:.1f} MB | "
                  f"{took / mean(records, lambda record: record['predicted_ttft_seconds']):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("workload")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=8)
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(arguments, folder)
        even = decode_offload(machine, arguments.rounds)
        layer_inputs(machine, arguments.rounds, even)


if __name__ == "__main__":
    main()
