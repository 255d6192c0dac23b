#!/usr/bin/env python3
"""Peers of the model's runtime, measured on the same weights. Called by engine_speed_bench_test.

    peer_engines.py make FOLDER SHAPE [TYPE]  a checkpoint of random weights (config.json, model.safetensors) and the
                                              same as model-TYPE.gguf, of each TYPE given
    peer_engines.py gguf MODEL FILE [TYPE]    an existing bf16 checkpoint as GGUF, without a vocabulary
    peer_engines.py llama JOB.json            llama.cpp through llama-cpp-python
    peer_engines.py transformers JOB.json     transformers on the CPU, bf16
TYPE is bf16, q8_0, q4_0, q4_k or q6_k; the last three are written by llama.cpp's own quantization.
A job: {model, gguf, threads, prompt: [ids], decoded, repeats}; printed is JSON {prefill_seconds, decode_seconds} (the
best of the repeats, decode_seconds for `decoded` tokens behind the prompt) and {tokens: [ids chosen greedily]}.

tests/bench/make_peers.sh installs what is needed.
"""

import json
import struct
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

QWEN2 = dict(
    model_type="qwen2",
    architectures=["Qwen2ForCausalLM"],
    num_key_value_heads=2,
    vocab_size=151936,
    rope_theta=1000000.0,
    rms_norm_eps=1e-6,
    tie_word_embeddings=True,
    hidden_act="silu",
    torch_dtype="bfloat16",
)
SHAPES = {
    "qwen2-0.5b": dict(
        QWEN2,
        hidden_size=896,
        num_hidden_layers=24,
        num_attention_heads=14,
        intermediate_size=4864,
        max_position_embeddings=40960,
    ),
    "qwen2-1.5b": dict(
        QWEN2,
        hidden_size=1536,
        num_hidden_layers=28,
        num_attention_heads=12,
        intermediate_size=8960,
        max_position_embeddings=32768,
    ),
}

# Quantized by llama.cpp itself, as published files are: the number of its mixture (llama_ftype). q4_k is Q4_K_M. Where
# rows are not whole blocks of 256, it takes Q5_0 and Q8_0 instead of Q4_K and Q6_K.
LLAMA_MIXTURES = {"q4_0": 2, "q4_k": 15, "q6_k": 18}


def bf16(values):
    """fp32 array -> uint16 with the bits of bf16, rounded to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def widened(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def tensors_of(config):
    h, kv = (
        config["hidden_size"],
        config["hidden_size"] // config["num_attention_heads"] * config["num_key_value_heads"],
    )
    yield "model.embed_tokens.weight", (config["vocab_size"], h)
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}."
        yield p + "input_layernorm.weight", (h,)
        for name, rows in (("q", h), ("k", kv), ("v", kv)):
            yield p + f"self_attn.{name}_proj.weight", (rows, h)
            if config["model_type"] == "qwen2":
                yield p + f"self_attn.{name}_proj.bias", (rows,)
        yield p + "self_attn.o_proj.weight", (h, h)
        yield p + "post_attention_layernorm.weight", (h,)
        yield p + "mlp.gate_proj.weight", (config["intermediate_size"], h)
        yield p + "mlp.up_proj.weight", (config["intermediate_size"], h)
        yield p + "mlp.down_proj.weight", (h, config["intermediate_size"])
    yield "model.norm.weight", (h,)


def make(folder, shape, types):
    config = SHAPES[shape]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    random = np.random.default_rng(7)
    header, at, made = {}, 0, {}
    for name, dims in tensors_of(config):
        if name.endswith("norm.weight"):
            values = np.ones(dims, np.float32)
        else:
            values = random.standard_normal(dims, np.float32) * (0.02 if len(dims) == 2 else 0.1)
        made[name] = bf16(values)
        size = made[name].nbytes
        header[name] = {"dtype": "BF16", "shape": list(dims), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for bits in made.values():
            out.write(bits.tobytes())
    for kind in types:
        write_gguf(folder / f"model-{kind}.gguf", config, made, kind)


def read_safetensors(path):
    raw = np.fromfile(path, np.uint8)
    (length,) = struct.unpack("<Q", raw[:8].tobytes())
    header = json.loads(raw[8 : 8 + length].tobytes())
    made = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        part = raw[8 + length + begin : 8 + length + end]
        bits = part.view(np.uint16) if entry["dtype"] == "BF16" else bf16(part.view(np.float32))
        made[name] = bits.reshape(entry["shape"])
    return made


NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name):
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    if name == "lm_head.weight":
        return "output.weight"
    _, _, layer, rest = name.split(".", 3)
    stem, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{NAMES[stem]}.{kind}"


def quantized_by_llama(source, path, kind):
    import ctypes

    import llama_cpp

    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = LLAMA_MIXTURES[kind]
    parameters.nthread = 2
    if llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(), ctypes.byref(parameters)) != 0:
        raise SystemExit(f"llama.cpp cannot quantize {source} to {kind}")


def write_gguf(path, config, made, kind):
    if kind in LLAMA_MIXTURES:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            plain = Path(folder) / "plain.gguf"
            write_gguf(plain, config, made, "bf16")
            quantized_by_llama(plain, path, kind)
        return
    import gguf

    arch = config["model_type"]
    heads = config["num_attention_heads"]
    writer = gguf.GGUFWriter(str(path), arch)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    head_dim = config.get("head_dim") or config["hidden_size"] // heads
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_freq_base(config.get("rope_theta", 10000.0))
    writer.add_rope_dimension_count(head_dim)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    wanted = getattr(gguf.GGMLQuantizationType, kind.upper())
    for name, bits in made.items():
        values = widened(bits)
        if values.ndim == 1:
            writer.add_tensor(gguf_name(name), values)
        else:
            writer.add_tensor(gguf_name(name), gguf.quants.quantize(values, wanted), raw_dtype=wanted)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def best_of(job, once):
    best = {"prefill_seconds": float("inf"), "decode_seconds": float("inf")}
    for _ in range(job["repeats"]):
        prefill, decode, tokens = once()
        best["prefill_seconds"] = min(best["prefill_seconds"], prefill)
        best["decode_seconds"] = min(best["decode_seconds"], decode)
        best["tokens"] = tokens
    print(json.dumps(best))


def llama(job):
    import llama_cpp
    from llama_cpp import llama_cpp as c

    model = llama_cpp.Llama(
        job["gguf"],
        n_ctx=len(job["prompt"]) + job["decoded"] + 8,
        n_threads=job["threads"],
        n_threads_batch=job["threads"],
        n_batch=job.get("batch", 512),
        n_ubatch=job.get("batch", 512),
        verbose=False,
        logits_all=False,
    )
    vocabulary = job["vocab_size"]

    def logits():
        return np.ctypeslib.as_array(c.llama_get_logits_ith(model.ctx, -1), shape=(vocabulary,))

    def once():
        model.reset()
        memory = getattr(model, "_ctx", None)
        if memory is not None:
            memory.kv_cache_clear()
        start = time.perf_counter()
        model.eval(job["prompt"])
        token = int(np.argmax(logits()))
        prefill = time.perf_counter() - start
        tokens = [token]
        start = time.perf_counter()
        for _ in range(job["decoded"]):
            model.eval([token])
            token = int(np.argmax(logits()))
            tokens.append(token)
        return prefill, time.perf_counter() - start, tokens

    best_of(job, once)


def transformers(job):
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(job["threads"])
    model = AutoModelForCausalLM.from_pretrained(job["model"], dtype=torch.bfloat16)
    model.eval()

    @torch.inference_mode()
    def once():
        ids = torch.tensor([job["prompt"]])
        start = time.perf_counter()
        out = model(ids, use_cache=True, logits_to_keep=1)
        token = int(out.logits[0, -1].argmax())
        prefill = time.perf_counter() - start
        tokens = [token]
        start = time.perf_counter()
        for _ in range(job["decoded"]):
            out = model(torch.tensor([[token]]), past_key_values=out.past_key_values, use_cache=True, logits_to_keep=1)
            token = int(out.logits[0, -1].argmax())
            tokens.append(token)
        return prefill, time.perf_counter() - start, tokens

    best_of(job, once)


def main():
    command = sys.argv[1]
    if command == "make":
        make(Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
    elif command == "gguf":
        folder = Path(sys.argv[2])
        write_gguf(
            Path(sys.argv[3]),
            json.loads((folder / "config.json").read_text()),
            read_safetensors(folder / "model.safetensors"),
            sys.argv[4] if len(sys.argv) > 4 else "bf16",
        )
    else:
        job = json.loads(Path(sys.argv[2]).read_text())
        {"llama": llama, "transformers": transformers}[command](job)


main()
