#!/usr/bin/env python3
"""KVPR in sessions on reference-mha, at a quarter of, at, and at four times the bandwidth of break-even, where reading
the keys and values of a step takes as long as recomputing them.

  decode_offload: seconds per decoded token with the split against load only; the same bytes of memory for layer inputs
                  and for keys and values; both with the model's matrices streamed, too; and the tied form.
  columns:        four requests side by side with streamed matrices: each on its own, and in column order; and the
                  tied form, loading only.
  layer_inputs:   TTFT of entries that hold layer inputs against entries of keys and values, against prefill, and
                  against the tied form: the same model with pairs of KV heads averaged, which halves the bytes, too.

Cells take turns: one round runs every cell once. Ratios are those of a round; the table has their median and range.

Usage: kvpr_sessions.py KVANTAGE_CLI WORKLOAD [--rounds N] [--limit N] [--threads N] [--part NAME]...
"""

import argparse
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile


def tie_heads(source, target, head_dim=32):
    """A copy of the model whose pairs of KV heads are averaged."""
    target.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(source / name, target)
    config = json.loads((source / "config.json").read_text())
    config["num_key_value_heads"] //= 2
    (target / "config.json").write_text(json.dumps(config))
    content = (source / "model.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    out, parts, at = {}, [], 0
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        begin, end = tensor["data_offsets"]
        part = data[begin:end]
        if ".k_proj." in name or ".v_proj." in name:
            tensor["shape"][0] //= 2
            row = head_dim * (tensor["shape"][1] if len(tensor["shape"]) > 1 else 1)
            part = average_pairs(part, row)
        tensor["data_offsets"] = [at, at + len(part)]
        out[name] = tensor
        parts.append(part)
        at += len(part)
    words = json.dumps(out).encode()
    words += b" " * (-len(words) % 8)
    (target / "model.safetensors").write_bytes(struct.pack("<Q", len(words)) + words + b"".join(parts))


def average_pairs(data, head):
    """bf16 numbers, heads of `head` numbers one after the other: means of heads 0 and 1, of 2 and 3, ..."""
    bits = struct.unpack(f"<{len(data) // 2}H", data)
    numbers = struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *(bit << 16 for bit in bits)))
    means = []
    for pair in range(0, len(numbers), 2 * head):
        means += [(numbers[i] + numbers[i + head]) / 2 for i in range(pair, pair + head)]
    rounded = struct.unpack(f"<{len(means)}I", struct.pack(f"<{len(means)}f", *means))
    return struct.pack(f"<{len(means)}H", *((bit + 0x7FFF + (bit >> 16 & 1)) >> 16 for bit in rounded))


class Machine:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder

    def run(self, policy, bandwidth, *options, model="reference-mha"):
        """The requests of one session on one throttled tier in host memory."""
        tier = "dram=2GiB" + (f",bandwidth={bandwidth:.0f}B/s" if bandwidth else "")
        database, run = f"{self.folder}/runs.db", f"{self.folder}/run.jsonl"
        self.call("run", self.arguments.workload, "--model", model, "--tier", tier, "--policy", policy,
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
        self.exact_match = mean(records, lambda record: record["quality"]["exact_match"])

    def per_token(self, *names):
        return sum(sum(one[name] for name in names) for one in self.all) / sum(one["steps"] for one in self.all)


def mean(records, value):
    return statistics.mean(value(record) for record in records)


def ratios(of, to):
    """Median and range of the ratios of two lists of the same rounds."""
    each = [a / b for a, b in zip(of, to)]
    return f"{statistics.median(each):.2f} ({min(each):.2f}-{max(each):.2f})"


def offloaded(machine, bandwidth, setting, model="reference-mha", *options):
    return Offloaded(machine.run("full_prefill", bandwidth, "--no-warmup", "--decode-offload", setting, *options,
                                 model=model))


def break_even(machine):
    """Bytes per second."""
    computing = offloaded(machine, 0, "dram(split=recompute_only)")
    reading = offloaded(machine, 0, "dram(split=load_only)")
    even = reading.per_token("kv_bytes") / computing.per_token("recompute_seconds")
    print(f"break-even: {even / 1e6:.0f} MB/s, "
          f"{reading.per_token('kv_bytes') / 1e6:.1f} MB of keys and values per token")
    return even


def columns(machine, rounds, even, tied):
    # Name: setting, model, what it is compared with. A split has no use on the tied form: its inputs are not shorter.
    cells = {}
    for name, setting, model in (("loading only", "split=load_only,weights=all_first", "reference-mha"),
                                 ("solved split", "weights=kv_first", "reference-mha"),
                                 ("tied form, loading only", "split=load_only,weights=all_first", tied)):
        cells[f"{name}, each on its own"] = (f"dram({setting})", model, f"{name}, each on its own")
        cells[f"{name}, column"] = (f"dram({setting},batch=column)", model, f"{name}, each on its own")
    print("\n| bandwidth | setting | per token | / each on its own | matrices per token | measured / predicted | "
          "exact match |")
    print("|---|---|---|---|---|---|---|")
    for factor in (0.25, 1, 4):
        seconds = {name: [] for name in cells}
        last = {}
        for _ in range(rounds):
            for name, (setting, model, _) in cells.items():
                last[name] = offloaded(machine, even * factor, setting, model, "--max-batch", "4")
                seconds[name].append(last[name].per_token("seconds"))
            for of in ("reference-mha", tied):
                if len({tuple(sorted(last[name].answers)) for name in cells if cells[name][1] == of}) != 1:
                    sys.exit("columns: other answers")
        for name, row in last.items():
            print(f"| {factor:g} x | {name} | {1e3 * statistics.median(seconds[name]):.1f} ms | "
                  f"{ratios(seconds[name], seconds[cells[name][2]])} | {row.per_token('weight_bytes') / 1e6:.1f} MB | "
                  f"{row.per_token('seconds') / row.per_token('predicted_seconds'):.2f} | {row.exact_match:.2f} |")


def decode_offload(machine, rounds, even, tied):
    # Name: setting, model, what it is compared with.
    cells = {
        "load only": ("dram(split=load_only)", "reference-mha", "load only"),
        "split": ("dram", "reference-mha", "load only"),
        "resident inputs": ("dram(resident=inputs)", "reference-mha", "load only"),
        "resident KV": ("dram(resident=kv)", "reference-mha", "load only"),
        "tied form, load only": ("dram(split=load_only)", tied, "load only"),
        "streamed weights, load only": ("dram(split=load_only,weights=all_first)", "reference-mha",
                                        "streamed weights, load only"),
        "streamed weights, split": ("dram(weights=kv_first)", "reference-mha", "streamed weights, load only"),
        "streamed weights, resident inputs": ("dram(resident=inputs,weights=kv_first)", "reference-mha",
                                              "streamed weights, load only"),
    }

    print("\n| bandwidth | setting | per token | / load only | tokens/s gained | recomputed tokens | read per token | "
          "waiting + recomputing + rest | computing | measured / predicted | exact match |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for factor in (0.25, 1, 4):
        seconds = {name: [] for name in cells}
        last = {}
        for _ in range(rounds):
            for name, (setting, model, _) in cells.items():
                last[name] = offloaded(machine, even * factor, setting, model)
                seconds[name].append(last[name].per_token("seconds"))
                if model != tied and last[name].answers != last["load only"].answers:
                    sys.exit(f"{setting}: other answers than load only")
        for name, row in last.items():
            to = seconds[cells[name][2]]
            gained = statistics.median(a / b for a, b in zip(to, seconds[name])) - 1
            took, waited, recomputing = map(row.per_token, ("seconds", "waited_seconds", "recompute_seconds"))
            print(f"| {factor:g} x | {name} | {1e3 * statistics.median(seconds[name]):.1f} ms | "
                  f"{ratios(seconds[name], to)} | {100 * gained:+.1f} % | "
                  f"{row.per_token('recomputed_tokens'):.0f} | "
                  f"{row.per_token('input_bytes', 'kv_bytes', 'weight_bytes') / 1e6:.1f} MB | "
                  f"{1e3 * waited:.1f} + {1e3 * recomputing:.1f} + {1e3 * (took - waited - recomputing):.1f} ms | "
                  f"{100 * (1 - waited / took):.0f} % | {took / row.per_token('predicted_seconds'):.2f} | "
                  f"{row.exact_match:.2f} |")


def layer_inputs(machine, rounds, even, tied):
    cells = {
        "keys and values": ("lru", "reference-mha"),
        "half as inputs": ("fixed(layer_inputs(share=0.5),0)", "reference-mha"),
        "all as inputs": ("fixed(layer_inputs,0)", "reference-mha"),
        "prefill": ("full_prefill", "reference-mha"),
        "tied form": ("lru", tied),
    }
    print("\n| bandwidth | entries | TTFT | / keys and values | loaded per request | measured / predicted | "
          "exact match |")
    print("|---|---|---|---|---|---|---|")
    for factor in (0.25, 1, 4):
        seconds = {name: [] for name in cells}
        last = {}
        for _ in range(rounds):
            for name, (policy, model) in cells.items():
                records = machine.run(policy, even * factor, model=model)
                # First requests of a context are misses.
                last[name] = [record for record in records if record["miss_reason"] != "first_contact"]
                seconds[name].append(mean(last[name], lambda record: record["timing"]["ttft_service_seconds"]))
        for name, records in last.items():
            took = mean(records, lambda record: record["timing"]["ttft_service_seconds"])
            print(f"| {factor:g} x | {name} | {1e3 * statistics.median(seconds[name]):.1f} ms | "
                  f"{ratios(seconds[name], seconds['keys and values'])} | "
                  f"{mean(records, lambda record: record['bytes_loaded']) / 1e6:.1f} MB | "
                  f"{took / mean(records, lambda record: record['predicted_ttft_seconds']):.2f} | "
                  f"{mean(records, lambda record: record['quality']['exact_match']):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("workload")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=8)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--part", action="append", choices=["decode", "columns", "ttft"], help="default: all")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(arguments, folder)
        tied = pathlib.Path(folder) / "tied"
        tie_heads(pathlib.Path(__file__).parents[2] / "resources" / "reference-mha", tied)
        even = break_even(machine)
        parts = arguments.part or ["decode", "columns", "ttft"]
        if "decode" in parts:
            decode_offload(machine, arguments.rounds, even, str(tied))
        if "columns" in parts:
            columns(machine, arguments.rounds, even, str(tied))
        if "ttft" in parts:
            layer_inputs(machine, arguments.rounds, even, str(tied))


if __name__ == "__main__":
    main()
