#!/usr/bin/env python3
"""Goldens for models of packed weights (tests/model/gguf_logits_test.cpp): what ggml computes with a packed file, and
with the fp32 numbers that its blocks stand for, as the package `gguf` of the same authors widens them.

    python3 -m venv build/venv-peers
    build/venv-peers/bin/pip install --no-binary llama-cpp-python llama-cpp-python==0.3.36 gguf==0.19.0
    build/release/tests/model_tests gguf_logits_test --write FOLDER
    build/venv-peers/bin/python tests/parity/make_gguf_logits.py FOLDER
"""

import hashlib
import json
import pathlib
import sys

import gguf
import numpy as np
from llama_cpp import Llama

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "gguf_logits.json"
TOKENS = [1, 17, 60, 5, 33, 42, 8, 21, 55, 3, 12, 48]


def logits(path):
    model = Llama(
        str(path), n_ctx=64, n_threads=2, logits_all=True, verbose=False, type_k=0, type_v=0, flash_attn=False
    )
    model.reset()
    model.eval(TOKENS)
    return np.array(model.scores[: len(TOKENS)], np.float32)


def widened(path, wide):
    reader = gguf.GGUFReader(str(path))
    writer = gguf.GGUFWriter(str(wide), "llama")
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        value = field.contents()
        if isinstance(value, str):
            writer.add_string(key, value)
        elif isinstance(value, float):
            writer.add_float32(key, value)
        else:
            writer.add_uint32(key, value)
    for tensor in reader.tensors:
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, numbers.reshape([int(n) for n in reversed(tensor.shape)]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    types = {}
    for path in sorted(folder.glob("*.gguf")):
        if path.stem.endswith("-wide"):
            continue
        wide = folder / f"{path.stem}-wide.gguf"
        widened(path, wide)
        packed, plain = logits(path), logits(wide)
        error = float(np.sqrt(((packed - plain) ** 2).sum() / (plain**2).sum()))
        print(f"{path.stem}: ggml's own distance between packed and wide {error:.2e}")
        types[path.stem] = {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "packed": packed.tobytes().hex(),
            "wide": plain.tobytes().hex(),
        }
    OUT.write_text(json.dumps({"tokens": TOKENS, "types": types}, indent=1) + "\n")


main()
