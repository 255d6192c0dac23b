#!/usr/bin/env python3
"""Writes inputs for a fuzzer that are binary, or parts of larger files of the repository: seeds.py NAME FOLDER.

A fuzzer that is not named here gets none. tests/fuzz/run.sh calls it in the root of the repository.
"""

import json
import pathlib
import re
import struct
import sys

TEXT, ARRAY = 8, 9


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


class Gguf:
    """A GGUF file of version 3; extents of a tensor are slowest first."""

    def __init__(self, alignment=32):
        self.keys, self.tensors, self.data = [], [], b""
        self.alignment = alignment
        if alignment != 32:
            self.number("general.alignment", 4, "<I", alignment)

    def number(self, key, kind, form, value):
        self.keys.append(text(key) + struct.pack("<I", kind) + struct.pack(form, value))
        return self

    def u32(self, key, value):
        return self.number(key, 4, "<I", value)

    def f32(self, key, value):
        return self.number(key, 6, "<f", value)

    def text(self, key, value):
        self.keys.append(text(key) + struct.pack("<I", TEXT) + text(value))
        return self

    def texts(self, key, values):
        head = struct.pack("<IIQ", ARRAY, TEXT, len(values))
        self.keys.append(text(key) + head + b"".join(map(text, values)))
        return self

    def numbers(self, key, kind, form, values):
        head = struct.pack("<IIQ", ARRAY, kind, len(values))
        self.keys.append(text(key) + head + b"".join(struct.pack(form, value) for value in values))
        return self

    def padded(self, data):
        return data + b"\0" * (-len(data) % self.alignment)

    def tensor(self, name, shape, kind, data):
        extents = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        self.tensors.append(text(name) + extents + struct.pack("<IQ", kind, len(self.data)))
        self.data += self.padded(data)
        return self

    def floats(self, name, *shape):
        count = 1
        for extent in shape:
            count *= extent
        values = [(i * 37 % 64) / 32 - 1 for i in range(count)]
        return self.tensor(name, shape, 0, struct.pack(f"<{count}f", *values))

    def bytes(self):
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.keys))
        head += b"".join(self.keys) + b"".join(self.tensors)
        return (self.padded(head) if self.tensors else head) + self.data


def gguf():
    every_kind = Gguf().text("general.architecture", "llama").u32("llama.block_count", 2).f32("eps", 1e-5)
    every_kind.number("yes", 7, "<B", 1).number("i8", 1, "<b", -1).number("u64", 10, "<Q", 7)
    every_kind.texts("tokens", ["a", "bc", ""]).numbers("scores", 6, "<f", [0.5, 1.5])
    every_kind.floats("a", 3, 2).tensor("b", (2, 32), 8, b"b" * 68).tensor("c", (256,), 12, b"c" * 144)
    return {"every_kind": every_kind, "aligned": Gguf(8).floats("a", 2).floats("b", 2, 1, 1, 1)}


def tokenizer_keys(file, kind):
    space = {"llama": "\u2581", "gpt2": "\u0120", "bert": "\u2581a"}[kind]
    names = ["[UNK]", "[CLS]", "[SEP]"] if kind == "bert" else ["<unk>", "<s>", "</s>"]
    file.text("tokenizer.ggml.model", kind)
    file.texts("tokenizer.ggml.tokens", names + [space, "a", "b", "ab", "<|x|>"])
    file.numbers("tokenizer.ggml.token_type", 5, "<i", [2, 3, 3, 1, 1, 1, 1, 4])
    file.u32("tokenizer.ggml.eos_token_id", 2)
    if kind == "gpt2":
        file.text("tokenizer.ggml.pre", "qwen2").texts("tokenizer.ggml.merges", ["a b"])
    if kind == "llama":
        file.numbers("tokenizer.ggml.scores", 6, "<f", [0, 0, 0, -1, -2, -3, -1, 0])
    return file


def gguf_tokenizer():
    return {kind: tokenizer_keys(Gguf(), kind) for kind in ("llama", "gpt2", "bert")}


def gguf_model():
    models = {}
    for kind, bias in (("llama", False), ("qwen2", True)):
        file = Gguf().text("general.architecture", kind)
        for key, value in (("embedding_length", 8), ("block_count", 1), ("feed_forward_length", 4),
                           ("attention.head_count", 2), ("attention.head_count_kv", 1), ("context_length", 32),
                           ("rope.dimension_count", 4)):
            file.u32(f"{kind}.{key}", value)
        file.f32(f"{kind}.attention.layer_norm_rms_epsilon", 1e-5).f32(f"{kind}.rope.freq_base", 1e4)
        file.floats("token_embd.weight", 8, 8).floats("output_norm.weight", 8)
        for name, shape in (("attn_norm", (8,)), ("ffn_norm", (8,)), ("attn_q", (8, 8)), ("attn_k", (4, 8)),
                            ("attn_v", (4, 8)), ("attn_output", (8, 8)), ("ffn_gate", (4, 8)), ("ffn_up", (4, 8)),
                            ("ffn_down", (8, 4))):
            file.floats(f"blk.0.{name}.weight", *shape)
        if bias:
            file.floats("blk.0.attn_q.bias", 8)
        models[kind] = file
    return models


def model_config():
    configs = {}
    for case in sorted(pathlib.Path("tests/goldens/models").glob("*/case.json")):
        config = json.dumps(json.loads(case.read_text())["config"], indent=1)
        configs[case.parent.name] = config + "\x1e" + '{"eos_token_id": [1, 2]}'
    return configs


def profile_file():
    lines = pathlib.Path("tests/goldens/sessions/quickstart.profile.json").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith('"cells"')) + 1
    return {"three_cells": "\n".join(lines[:head + 2] + [lines[head + 2].rstrip(","), "]}"]) + "\n"}


def database():
    """What lies beside a database: journals that name another file, with a right sum and with a wrong one."""
    mark, sector, page = bytes.fromhex("d9d505f920a163d7"), 512, 4096
    seeds = {"nothing": b"\0", "log": b"\0\x1e" + bytes.fromhex("377f0682002de218") + struct.pack(">I", page) * 6}
    for name, wrong in (("journal", 0), ("journal_wrong_sum", 1)):
        other = b"precious"
        head = (mark + struct.pack(">IIIII", 0, 0, 16, sector, page)).ljust(sector, b"\0")
        tail = struct.pack(">I", 0x40000000 // page + 1) + other + struct.pack(">II", len(other), sum(other) + wrong)
        seeds[name] = b"\0" + head + tail + mark
    return seeds


def store_index():
    return {"nothing": b"\0", "log": b"\0" + bytes.fromhex("377f0682002de218") + struct.pack(">I", 4096) * 6,
            "journal": b"\0\x1e" + bytes.fromhex("d9d505f920a163d7").ljust(512, b"\0")}


def goldens_of(kind, source):
    """Published files behind the byte with which a fuzzer recognizes their format: the number of all formats."""
    count = int(re.search(r"std::array<\w+, (\d+)>", pathlib.Path(source).read_text()).group(1))
    folder = pathlib.Path("tests/goldens/formats")
    names = json.loads((folder / "expected.json").read_text())[kind]
    files = [folder / name for name in names if not name.endswith(".parquet")]
    return {file.name: bytes([count]) + file.read_bytes()[:16000] for file in files}


def trace():
    return goldens_of("traces", "core/trace/open_trace.cpp")


def import_():
    return goldens_of("data_sets", "core/workload/datasets/import_formats.cpp")


def chat_template():
    cases = json.loads(pathlib.Path("tests/goldens/chat.json").read_text())["cases"]
    return {str(i): case["template"][:4000] + "\x1eHello there" for i, case in enumerate(cases)}


def code_answer():
    pairs = json.loads(pathlib.Path("tests/goldens/code_bleu.json").read_text())["pairs"]
    return {str(i): pair["answer"] + "\x1e" + pair["reference"] for i, pair in enumerate(pairs[:60])}


def main():
    made_here = (chat_template, code_answer, database, gguf, gguf_model, gguf_tokenizer, import_, model_config,
                 profile_file, store_index, trace)
    makers = {made.__name__.rstrip("_"): made for made in made_here}
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if name not in makers:
        return
    for seed, made in makers[name]().items():
        if isinstance(made, Gguf):
            made = made.bytes()
        (folder / seed).write_bytes(made if isinstance(made, bytes) else made.encode())


main()
