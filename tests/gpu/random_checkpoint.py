#!/usr/bin/env python3
"""Writes a checkpoint of random weights whose prefill takes longer than loading its cache: a model for times of
sessions on a GPU, whose answers mean nothing. It has the default model's tokenizer, so that workloads can be read.

Usage: random_checkpoint.py OUT [LAYERS HIDDEN INTERMEDIATE HEADS KV_HEADS HEAD_DIM]   (Llama 3.1 8B's, by default)
"""

import array
import json
import pathlib
import random
import shutil
import struct
import sys

SHAPE = [32, 4096, 14336, 32, 8, 128]
DRAWN = 1048573  # numbers, a prime: repeated, they are in no two rows of a matrix in the same columns


def bf16(number):
    return struct.unpack("<I", struct.pack("<f", number))[0] + 0x8000 >> 16


class Numbers:
    """Normal numbers that keep the norm of a vector of `columns`, as many as are asked for."""

    def __init__(self, columns, draw):
        self.block = array.array("H", [bf16(columns**-0.5 * draw.gauss(0, 1)) for _ in range(DRAWN)]).tobytes() * 32
        self.at = 0

    def write(self, file, count):
        left = 2 * count
        while left > 0:
            part = memoryview(self.block)[self.at : self.at + left]
            file.write(part)
            left -= len(part)
            self.at = (self.at + len(part)) % len(self.block)


def config_of(layers, hidden, intermediate, heads, kv_heads, head_dim, vocabulary):
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": hidden,
        "intermediate_size": intermediate,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": head_dim,
        "vocab_size": vocabulary,
        "rms_norm_eps": 1e-05,
        "rope_theta": 500000.0,
        "max_position_embeddings": 32768,
        "tie_word_embeddings": True,
        "hidden_act": "silu",
        "torch_dtype": "bfloat16",
        "eos_token_id": 4,
        "bos_token_id": None,
        "pad_token_id": 0,
    }


def tensors_of(layers, hidden, intermediate, heads, kv_heads, head_dim, vocabulary):
    """(name, extents) in the order of the file."""
    yield "model.embed_tokens.weight", [vocabulary, hidden]
    yield "model.norm.weight", [hidden]
    for layer in range(layers):
        part = f"model.layers.{layer}."
        yield part + "input_layernorm.weight", [hidden]
        yield part + "post_attention_layernorm.weight", [hidden]
        yield part + "self_attn.q_proj.weight", [heads * head_dim, hidden]
        yield part + "self_attn.k_proj.weight", [kv_heads * head_dim, hidden]
        yield part + "self_attn.v_proj.weight", [kv_heads * head_dim, hidden]
        yield part + "self_attn.o_proj.weight", [hidden, heads * head_dim]
        yield part + "mlp.gate_proj.weight", [intermediate, hidden]
        yield part + "mlp.up_proj.weight", [intermediate, hidden]
        yield part + "mlp.down_proj.weight", [hidden, intermediate]


def main():
    if len(sys.argv) not in (2, 8):
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    shape = [int(word) for word in sys.argv[2:]] or SHAPE
    tokenizer = pathlib.Path(__file__).resolve().parents[2] / "resources/model"
    shape.append(json.loads((tokenizer / "config.json").read_text())["vocab_size"])
    out.mkdir(parents=True, exist_ok=True)
    for name in ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]:
        shutil.copy(tokenizer / name, out / name)
    (out / "config.json").write_text(json.dumps(config_of(*shape), indent=1))
    header, end, parameters = {}, 0, 0
    for name, extents in tensors_of(*shape):
        count = extents[0] * (extents[1] if len(extents) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": extents, "data_offsets": [end, end + 2 * count]}
        end += 2 * count
        parameters += count
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    draw, numbers = random.Random(1), {}
    with open(out / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, extents in tensors_of(*shape):
            if len(extents) == 1:
                file.write(struct.pack("<H", bf16(1.0)) * extents[0])
                continue
            columns = extents[1]
            if columns not in numbers:
                numbers[columns] = Numbers(columns, draw)
            numbers[columns].write(file, extents[0] * columns)
    print(f"{out}: {parameters / 1e9:.2f} G parameters")


if __name__ == "__main__":
    main()
