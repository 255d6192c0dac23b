#!/usr/bin/env python3
"""Writes tests/goldens/kvpress: which tokens kvpress keeps on small random checkpoints, to hold core/compress against.

    python3 -m venv build/venv-kv && build/venv-kv/bin/pip install kvpress==0.5.5 torch==2.11.0
    build/venv-kv/bin/python tests/parity/make_kvpress_goldens.py

For each case NAME.json holds the checkpoint as a formula (config.json, and for each tensor shape, seed, scale and
offset, see `uniform`), the prompt, and for each method, removed fraction, layer and KV head the number of kept tokens,
the XXH3-64 of their ascending int32 indices and the score margin at the cut (0 = a tie: which of them kvpress keeps is
chance). NAME.bin holds fp32 keys after RoPE [layers, kv_heads, tokens, head_dim], then the queries of the last 64
tokens [layers, heads, 64, head_dim], so that scoring can be tested without running a model.
"""

import json
import pathlib

import numpy as np
import torch
import xxhash
from kvpress import KeyDiffPress, KnormPress, SnapKVPress, StreamingLLMPress
from kvpress.utils import compute_n_kept, get_prerope_query_states
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache
from transformers.models.llama.modeling_llama import rotate_half

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "kvpress"
WINDOW = 64
FRACTIONS = [0.2, 0.4, 0.6, 0.8]
METHODS = {
    "knorm": lambda f: KnormPress(f),
    "keydiff": lambda f: KeyDiffPress(f),
    "snapkv": lambda f: SnapKVPress(f),
    "snapkv(window=32,kernel=7)": lambda f: SnapKVPress(f, window_size=32, kernel_size=7),
    "streaming_llm": lambda f: StreamingLLMPress(f),
    "streaming_llm(sinks=8)": lambda f: StreamingLLMPress(f, n_sink=8),
}
BASE = dict(
    vocab_size=199,
    hidden_size=48,
    intermediate_size=96,
    num_hidden_layers=2,
    max_position_embeddings=1024,
    rms_norm_eps=1e-6,
    hidden_act="silu",
    tie_word_embeddings=True,
    torch_dtype="float32",
    bos_token_id=1,
    eos_token_id=2,
    attention_bias=False,
)
CASES = {
    "llama": (
        300,
        dict(
            BASE,
            model_type="llama",
            architectures=["LlamaForCausalLM"],
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            rope_theta=10000.0,
            mlp_bias=False,
        ),
    ),
    "llama_short": (
        97,
        dict(
            BASE,
            model_type="llama",
            architectures=["LlamaForCausalLM"],
            num_attention_heads=3,
            num_key_value_heads=3,
            head_dim=16,
            rope_theta=500000.0,
            mlp_bias=False,
        ),
    ),
    "qwen3": (
        260,
        dict(
            BASE,
            model_type="qwen3",
            architectures=["Qwen3ForCausalLM"],
            num_attention_heads=6,
            num_key_value_heads=2,
            head_dim=24,
            rope_theta=1000000.0,
            use_sliding_window=False,
        ),
    ),
}


def splitmix64(seed, count):
    """The first `count` outputs of SplitMix64, as core/base/random.h gives them."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def uniform(tensor):
    """offset + scale * (2u - 1), u uniform in [0, 1) with 53 bits, computed in double and rounded to fp32."""
    u = (splitmix64(tensor["seed"], int(np.prod(tensor["shape"]))) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (tensor["offset"] + tensor["scale"] * (2 * u - 1)).astype(np.float32).reshape(tensor["shape"])


def recipe(model):
    """Scales that give attention some contrast: queries and keys with a standard deviation well above 1."""
    tensors = []
    for seed, (name, parameter) in enumerate(sorted(model.named_parameters()), 1000):
        shape = list(parameter.shape)
        if name.endswith("norm.weight"):
            scale, offset = 0.75, 1.25
        else:
            gain = 2.0 if ".q_proj" in name or ".k_proj" in name else 1.0
            scale, offset = round(gain * (3 / shape[-1]) ** 0.5, 6), 0.0
        tensors.append(dict(name=name, shape=shape, seed=seed, scale=scale, offset=offset))
    return tensors


def build(config):
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config), attn_implementation="sdpa").eval().float()
    tensors = recipe(model)
    values = {t["name"]: torch.from_numpy(uniform(t)) for t in tensors}
    model.load_state_dict(values | {"lm_head.weight": values["model.embed_tokens.weight"]})
    return model, tensors


@torch.no_grad()
def uncompressed(model, ids):
    """Keys and window queries of every layer, in a run that nothing compresses."""
    queries = {}

    def hook(module, _, kwargs, output):
        q = get_prerope_query_states(module, kwargs["hidden_states"][:, -WINDOW:])
        cos, sin = (t[:, -WINDOW:].unsqueeze(1) for t in kwargs["position_embeddings"])
        queries[module.layer_idx] = (q * cos + rotate_half(q) * sin)[0]
        return output

    handles = [l.self_attn.register_forward_hook(hook, with_kwargs=True) for l in model.model.layers]
    cache = DynamicCache()
    model(ids, past_key_values=cache)
    for handle in handles:
        handle.remove()
    return [layer.keys[0] for layer in cache.layers], [queries[i] for i in range(len(queries))]


@torch.no_grad()
def cuts(model, ids, keys, text, fraction):
    press = METHODS[text](fraction)
    recorded = []
    score = press.score

    def record(module, *args):
        recorded.append(score(module, *args))
        return recorded[-1]

    press.score = record
    cache = DynamicCache()
    with press(model):
        model(ids, past_key_values=cache)
    n = compute_n_kept(ids.shape[1], fraction)
    for layer, scores in enumerate(recorded):
        kept = scores.topk(n, dim=-1).indices[0]
        for head in range(kept.shape[0]):
            # kvpress itself must have kept exactly these keys.
            assert torch.equal(cache.layers[layer].keys[0, head], keys[layer][head][kept[head]])
            ordered = scores[0, head].sort(descending=True).values
            indices = np.sort(kept[head].numpy()).astype("<i4")
            free = ordered[ordered < ordered[0]] if "snapkv" in text else ordered
            yield dict(
                method=text,
                removed_fraction=fraction,
                layer=layer,
                head=head,
                kept=n,
                digest=f"{xxhash.xxh3_64_intdigest(indices.tobytes()):016x}",
                margin=float(ordered[n - 1] - ordered[n]),
                spread=float(free.max() - free.min()) if len(free) else 0.0,
            )


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, (tokens, config) in CASES.items():
        model, tensors = build(config)
        prompt = (splitmix64(7 * tokens, tokens) % np.uint64(config["vocab_size"])).astype(int).tolist()
        ids = torch.tensor([prompt])
        keys, queries = uncompressed(model, ids)
        rows = [c for text in METHODS for f in FRACTIONS for c in cuts(model, ids, keys, text, f)]
        with open(OUT / f"{name}.bin", "wb") as file:
            for tensor in keys + queries:
                file.write(tensor.contiguous().numpy().astype("<f4").tobytes())
        shape = dict(
            layers=len(keys),
            heads=config["num_attention_heads"],
            kv_heads=config["num_key_value_heads"],
            head_dim=config["head_dim"],
            tokens=tokens,
            window=WINDOW,
        )
        head = json.dumps(dict(source="kvpress 0.5.5, transformers 5.2.0, torch 2.11.0", shape=shape, config=config))
        lines = lambda items: ",\n".join(json.dumps(item) for item in items)
        (OUT / f"{name}.json").write_text(
            f'{head[:-1]},\n"prompt": {json.dumps(prompt)},\n'
            f'"tensors": [\n{lines(tensors)}],\n"cuts": [\n{lines(rows)}]}}\n'
        )
        print(
            name,
            len(rows),
            "cuts, margin below 1e-5:",
            sum(r["margin"] < 1e-5 for r in rows),
            "below 1e-5 of the spread:",
            sum(r["margin"] < 1e-5 * r["spread"] for r in rows),
        )


if __name__ == "__main__":
    main()
