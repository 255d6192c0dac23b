#!/usr/bin/env python3
"""KVPR in sessions on reference-mha, at a quarter of, at, and at four times the bandwidth of break-even, where reading
the keys and values of a step takes as long as recomputing them.

  decode_offload: seconds per decoded token with the split against load only; the same bytes of memory for layer inputs
                  and for keys and values; keys and values in 4 bits; all with the model's matrices streamed, too; with
                  batch-invariant products; and the tied form.
  columns:        four requests side by side with streamed matrices: each on its own, and in column order; and the
                  tied form, loading only.
  layer_inputs:   TTFT of entries that hold layer inputs against entries of keys and values, against prefill, and
                  against the tied form: the same model with pairs of KV heads averaged, which halves the bytes, too.

Cells take turns: one round runs every cell once. Ratios are those of a round, to the cell's base; the table has their
median and range. Answers must be those of the base, but for codecs, which are lossy.

--cells runs some cells alone, with their bases. Names are those that --list prints.

Usage: kvpr_sessions.py KVANTAGE_CLI WORKLOAD [--rounds N] [--limit N] [--threads N] [--part NAME]...
                        [--cells NAME,NAME,...] [--bandwidths FACTOR,FACTOR,...]
       kvpr_sessions.py --list
"""

import argparse
import dataclasses
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


MHA, TIED = "reference-mha", "tied form"
INVARIANT = ("--products", "batch_invariant")


@dataclasses.dataclass(frozen=True)
class Cell:
    name: str
    setting: str  # what is in the parentheses of decode_offload, or the policy
    base: str = ""  # the cell that its times are compared with; empty: itself
    model: str = MHA
    options: tuple = ()

    def reference(self):
        return self.base or self.name

    def answers_like(self):
        """Cells whose answers are the same bit for bit."""
        return None if "codec=" in self.setting else (self.model, INVARIANT[1] in self.options)


# A split has no use on the tied form: its inputs are not shorter.
DECODE = [
    Cell("load_only", "split=load_only"),
    Cell("split", "", "load_only"),
    Cell("resident_inputs", "resident=inputs", "load_only"),
    Cell("resident_kv", "resident=kv", "load_only"),
    Cell("load_only_4bit", "split=load_only,codec=kivi4(residual=0)", "load_only"),
    Cell("resident_inputs_4bit", "resident=inputs,codec=kivi4(residual=0)", "load_only"),
    Cell("tied_load_only", "split=load_only", "load_only", TIED),
    Cell("streamed_load_only", "split=load_only,weights=all_first"),
    Cell("streamed_split", "weights=kv_first", "streamed_load_only"),
    Cell("streamed_split_all_first", "weights=all_first", "streamed_load_only"),
    Cell("streamed_resident_inputs", "resident=inputs,weights=kv_first", "streamed_load_only"),
    Cell("invariant_load_only", "split=load_only", "", MHA, INVARIANT),
    Cell("invariant_split", "", "invariant_load_only", MHA, INVARIANT),
]
SIDE_BY_SIDE = ("--max-batch", "4")
COLUMNS = [
    Cell("separate_load_only", "split=load_only,weights=all_first", "", MHA, SIDE_BY_SIDE),
    Cell("column_load_only", "split=load_only,weights=all_first,batch=column", "separate_load_only", MHA, SIDE_BY_SIDE),
    Cell("separate_split", "weights=kv_first", "", MHA, SIDE_BY_SIDE),
    Cell("column_split", "weights=kv_first,batch=column", "separate_split", MHA, SIDE_BY_SIDE),
    Cell("separate_tied_load_only", "split=load_only,weights=all_first", "", TIED, SIDE_BY_SIDE),
    Cell("column_tied_load_only", "split=load_only,weights=all_first,batch=column", "separate_tied_load_only", TIED,
         SIDE_BY_SIDE),
]
TTFT = [
    Cell("keys_and_values", "lru"),
    Cell("half_as_inputs", "fixed(layer_inputs(share=0.5),0)", "keys_and_values"),
    Cell("all_as_inputs", "fixed(layer_inputs,0)", "keys_and_values"),
    Cell("prefill", "full_prefill", "keys_and_values"),
    Cell("tied_keys_and_values", "lru", "keys_and_values", TIED),
]
PARTS = {"decode": DECODE, "columns": COLUMNS, "ttft": TTFT}


def chosen(cells, names):
    """Those of these names, with their bases; all without names."""
    if not names:
        return cells
    wanted = {cell.name for cell in cells if cell.name in names}
    wanted |= {cell.reference() for cell in cells if cell.name in wanted}
    return [cell for cell in cells if cell.name in wanted]


class Machine:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.models = {MHA: MHA}
        tied = pathlib.Path(folder) / "tied"
        tie_heads(pathlib.Path(__file__).parents[2] / "resources" / "reference-mha", tied)
        self.models[TIED] = str(tied)

    def run(self, policy, bandwidth, *options, model=MHA):
        """The requests of one session on one throttled tier in host memory."""
        tier = "dram=2GiB" + (f",bandwidth={bandwidth:.0f}B/s" if bandwidth else "")
        database, run = f"{self.folder}/runs.db", f"{self.folder}/run.jsonl"
        self.call("run", self.arguments.workload, "--model", self.models[model], "--tier", tier, "--policy", policy,
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
        self.steps = sum(one["steps"] for one in self.all)
        self.steps_per_request = self.steps / len(records)
        self.answers = sorted(record["answer"] for record in records)  # side by side, requests end in any order
        self.exact_match = mean(records, lambda record: record["quality"]["exact_match"])

    def per_token(self, *names):
        return sum(sum(one[name] for name in names) for one in self.all) / self.steps

    def off_by(self):
        return self.per_token("seconds") / self.per_token("predicted_seconds")


def mean(records, value):
    return statistics.mean(value(record) for record in records)


def ratios(of, to):
    """Median and range of the ratios of two lists of the same rounds."""
    each = [a / b for a, b in zip(of, to)]
    return f"{statistics.median(each):.2f} ({min(each):.2f}-{max(each):.2f})"


def offloaded(machine, bandwidth, cell):
    setting = f"dram({cell.setting})" if cell.setting else "dram"
    return Offloaded(machine.run("full_prefill", bandwidth, "--no-warmup", "--decode-offload", setting, *cell.options,
                                 model=cell.model))


def break_even(machine):
    """Bytes per second."""
    computing = offloaded(machine, 0, Cell("", "split=recompute_only"))
    reading = offloaded(machine, 0, Cell("", "split=load_only"))
    even = reading.per_token("kv_bytes") / computing.per_token("recompute_seconds")
    print(f"break-even: {even / 1e6:.0f} MB/s, "
          f"{reading.per_token('kv_bytes') / 1e6:.1f} MB of keys and values per token")
    return even


def check_answers(cells, last):
    """Of one round: lossless cells of one model and one kind of products answer alike."""
    first = {}
    for cell in cells:
        kind = cell.answers_like()
        if kind is None or cell.name not in last:
            continue
        same = first.setdefault(kind, cell)
        if last[cell.name].answers != last[same.name].answers:
            sys.exit(f"{cell.name}: other answers than {same.name}")


def offloaded_rounds(machine, arguments, even, cells):
    """Per bandwidth: factor, seconds per token by cell, the last round's means by cell."""
    for factor in arguments.bandwidths:
        seconds, last = {cell.name: [] for cell in cells}, {}
        for _ in range(arguments.rounds):
            for cell in cells:
                last[cell.name] = offloaded(machine, even * factor, cell)
                seconds[cell.name].append(last[cell.name].per_token("seconds"))
            check_answers(cells, last)
        yield factor, seconds, last


def columns(machine, arguments, even, cells):
    print("\n| bandwidth | setting | steps per request | per token | / each on its own | matrices per token | "
          "measured / predicted | exact match |")
    print("|---|---|---|---|---|---|---|---|")
    for factor, seconds, last in offloaded_rounds(machine, arguments, even, cells):
        for cell in cells:
            row = last[cell.name]
            print(f"| {factor:g} x | {cell.name} | {row.steps_per_request:.0f} | "
                  f"{1e3 * statistics.median(seconds[cell.name]):.1f} ms | "
                  f"{ratios(seconds[cell.name], seconds[cell.reference()])} | "
                  f"{row.per_token('weight_bytes') / 1e6:.1f} MB | {row.off_by():.2f} | {row.exact_match:.2f} |")


def decode_offload(machine, arguments, even, cells):
    print("\n| bandwidth | setting | steps per request | per token | / load only | tokens/s gained | "
          "recomputed tokens | read per token | waiting + recomputing + rest | computing | measured / predicted | "
          "exact match |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for factor, seconds, last in offloaded_rounds(machine, arguments, even, cells):
        for cell in cells:
            row, to = last[cell.name], seconds[cell.reference()]
            gained = statistics.median(a / b for a, b in zip(to, seconds[cell.name])) - 1
            took, waited, recomputing = map(row.per_token, ("seconds", "waited_seconds", "recompute_seconds"))
            print(f"| {factor:g} x | {cell.name} | {row.steps_per_request:.0f} | "
                  f"{1e3 * statistics.median(seconds[cell.name]):.1f} ms | "
                  f"{ratios(seconds[cell.name], to)} | {100 * gained:+.1f} % | "
                  f"{row.per_token('recomputed_tokens'):.0f} | "
                  f"{row.per_token('input_bytes', 'kv_bytes', 'weight_bytes') / 1e6:.1f} MB | "
                  f"{1e3 * waited:.1f} + {1e3 * recomputing:.1f} + {1e3 * (took - waited - recomputing):.1f} ms | "
                  f"{100 * (1 - waited / took):.0f} % | {row.off_by():.2f} | {row.exact_match:.2f} |")


def layer_inputs(machine, arguments, even, cells):
    print("\n| bandwidth | entries | TTFT | / keys and values | loaded per request | measured / predicted | "
          "exact match |")
    print("|---|---|---|---|---|---|---|")
    for factor in arguments.bandwidths:
        seconds = {cell.name: [] for cell in cells}
        last = {}
        for _ in range(arguments.rounds):
            for cell in cells:
                records = machine.run(cell.setting, even * factor, model=cell.model)
                # First requests of a context are misses.
                last[cell.name] = [record for record in records if record["miss_reason"] != "first_contact"]
                seconds[cell.name].append(
                    mean(last[cell.name], lambda record: record["timing"]["ttft_service_seconds"]))
        for cell in cells:
            records, each = last[cell.name], seconds[cell.name]
            took = mean(records, lambda record: record["timing"]["ttft_service_seconds"])
            print(f"| {factor:g} x | {cell.name} | {1e3 * statistics.median(each):.1f} ms | "
                  f"{ratios(each, seconds[cell.reference()])} | "
                  f"{mean(records, lambda record: record['bytes_loaded']) / 1e6:.1f} MB | "
                  f"{took / mean(records, lambda record: record['predicted_ttft_seconds']):.2f} | "
                  f"{mean(records, lambda record: record['quality']['exact_match']):.2f} |")


def list_of(kind):
    return lambda text: [kind(part) for part in text.split(",") if part]


class ListCells(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        for part, cells in PARTS.items():
            for cell in cells:
                print(f"{part}: {cell.name}: {' '.join((cell.setting or 'solved split', *cell.options))}, {cell.model}")
        parser.exit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("workload")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=8)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--part", action="append", choices=list(PARTS), help="default: all")
    parser.add_argument("--cells", type=list_of(str), default=[], help="names of cells; default: all")
    parser.add_argument("--bandwidths", type=list_of(float), default=[0.25, 1, 4], help="multiples of break-even")
    parser.add_argument("--list", action=ListCells, nargs=0, help="print the cells and exit")
    arguments = parser.parse_args()
    unknown = set(arguments.cells) - {cell.name for cells in PARTS.values() for cell in cells}
    if unknown:
        parser.error(f"no cells: {', '.join(sorted(unknown))}; --list prints those that there are")
    tables = {"decode": decode_offload, "columns": columns, "ttft": layer_inputs}
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(arguments, folder)
        even = break_even(machine)
        for part in arguments.part or PARTS:
            cells = chosen(PARTS[part], arguments.cells)
            if cells:
                tables[part](machine, arguments, even, cells)


if __name__ == "__main__":
    main()
