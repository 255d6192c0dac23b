#!/usr/bin/env python3
"""Goldens for tensors of GGUF files (core/model/gguf_blocks): random blocks of every type that is computed with,
widened by the package `gguf` of llama.cpp's authors, and the sizes of all types that the package knows.

    python3 -m venv build/venv-gguf && build/venv-gguf/bin/pip install gguf==0.19.0
    build/venv-gguf/bin/python tests/parity/make_gguf_goldens.py
"""

import json
import pathlib

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "gguf_blocks.json"
# Where a block has its half-precision scales: everything else may be any byte.
SCALES = {
    "Q8_0": [0],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "IQ4_NL": [0],
    "IQ4_XS": [0],
    "IQ3_S": [0],
    "MXFP4": [],
}
BLOCKS = {"IQ4_XS": 2, "IQ3_S": 4, "MXFP4": 8}  # others: 2 of 256 numbers, 3 of 32
UNKNOWN_SIZE = {"Q8_1"}  # the package and ggml differ, and no file holds it


def blocks(name, count, random):
    _, size = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    rows = random.integers(0, 256, size=(count, size), dtype=np.uint8)
    for at in SCALES[name]:
        scales = (random.standard_normal(count) * 2.0 ** random.integers(-12, 3, count)).astype(np.float16)
        scales[0] = np.float16(2.0**-24 * 5)  # subnormal: the first block's
        rows[:, at : at + 2] = scales.view(np.uint8).reshape(count, 2)
    return rows


def plain(name, random):
    numbers = np.concatenate(
        [
            random.standard_normal(20) * 2.0 ** random.integers(-14, 14, 20),
            [0.0, -0.0, 65504, -65504, 2.0**-24, -(2.0**-15), np.inf, -np.inf],
        ]
    )
    if name == "F32":
        return numbers.astype(np.float32).view(np.uint8)
    if name == "F16":
        return numbers.astype(np.float16).view(np.uint8)
    return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)


def main():
    random = np.random.default_rng(20240607)
    cases = []
    for name in ["F32", "F16", "BF16", *SCALES]:
        stored = plain(name, random) if name not in SCALES else blocks(
            name, BLOCKS.get(name, 2 if name.endswith("K") else 3), random
        )
        wide = dequantize(stored, GGMLQuantizationType[name]).astype("<f4").reshape(-1)
        cases.append({"type": name, "bytes": stored.tobytes().hex(), "numbers": wide.tobytes().hex()})
    sizes = {kind.name: [int(kind), *size] for kind, size in GGML_QUANT_SIZES.items() if kind.name not in UNKNOWN_SIZE}
    OUT.write_text(json.dumps({"cases": cases, "sizes": sizes}, indent=1) + "\n")


main()
