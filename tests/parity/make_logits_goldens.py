#!/usr/bin/env python3
"""Makes tests/goldens/models: logits of small random checkpoints, as transformers computes them.

A case is a config.json and a list of tensors; the numbers of a tensor follow from a formula (below and in
tests/model/tiny_checkpoint.h), so that only the logits are committed. Needs torch and transformers:
    python3 -m venv VENV && VENV/bin/pip install torch transformers
    VENV/bin/python tests/parity/make_logits_goldens.py [CASE...]
"""

import json
import math
import pathlib
import sys
import tempfile

import numpy
import torch
import transformers
from safetensors.torch import save_file

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "goldens" / "models"
TOKENS = 48
VOCAB = 256
BASE = {
    "vocab_size": VOCAB,
    "hidden_size": 64,
    "intermediate_size": 112,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "max_position_embeddings": 512,
    "tie_word_embeddings": False,
    "eos_token_id": 2,
    "bos_token_id": 1,
}


def model(architecture, **changes):
    names = {
        "llama": "LlamaForCausalLM",
        "mistral": "MistralForCausalLM",
        "qwen2": "Qwen2ForCausalLM",
        "qwen3": "Qwen3ForCausalLM",
        "opt": "OPTForCausalLM",
    }
    return {**BASE, "architectures": [names[architecture]], "model_type": architecture, **changes}


def opt(**changes):
    return {
        "architectures": ["OPTForCausalLM"],
        "model_type": "opt",
        "vocab_size": VOCAB,
        "hidden_size": 64,
        "ffn_dim": 176,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "max_position_embeddings": 128,
        "word_embed_proj_dim": 64,
        "activation_function": "relu",
        "bos_token_id": 2,
        "eos_token_id": 2,
        "pad_token_id": 1,
        "dtype": "float32",
        **changes,
    }


LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
CASES = {  # name: (config, shards)
    "llama": (model("llama", rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, dtype="float32"), 1),
    "llama_mha_linear": (
        model(
            "llama",
            num_attention_heads=4,
            num_key_value_heads=4,
            torch_dtype="float32",
            rope_theta=5000.0,
            rope_scaling={"type": "linear", "factor": 4.0},
        ),
        1,
    ),
    "llama_llama3_old_keys": (
        model(
            "llama",
            rope_theta=500000.0,
            rope_scaling={"rope_type": "llama3", **LLAMA3},
            torch_dtype="float32",
            tie_word_embeddings=True,
        ),
        1,
    ),
    "llama_llama3_biases": (
        model(
            "llama",
            head_dim=24,
            num_attention_heads=4,
            num_key_value_heads=1,
            attention_bias=True,
            mlp_bias=True,
            dtype="float32",
            rope_parameters={"rope_type": "llama3", "rope_theta": 10000.0, **LLAMA3},
        ),
        1,
    ),
    "mistral_sharded": (
        model(
            "mistral",
            head_dim=32,
            num_attention_heads=4,
            num_key_value_heads=2,
            rope_theta=1e6,
            sliding_window=None,
            torch_dtype="float32",
        ),
        3,
    ),
    "mistral_linear": (
        model(
            "mistral",
            dtype="float32",
            sliding_window=None,
            rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0},
        ),
        1,
    ),
    "qwen2": (
        model(
            "qwen2",
            tie_word_embeddings=True,
            rope_theta=1e6,
            torch_dtype="float32",
            use_sliding_window=False,
            sliding_window=16,
        ),
        1,
    ),
    "qwen2_odd_heads": (
        model(
            "qwen2",
            num_attention_heads=6,
            num_key_value_heads=2,
            hidden_size=60,
            dtype="float32",
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        ),
        2,
    ),
    "qwen3": (
        model(
            "qwen3",
            head_dim=32,
            tie_word_embeddings=True,
            dtype="float32",
            rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        ),
        1,
    ),
    "qwen3_bias_llama3": (
        model(
            "qwen3",
            head_dim=16,
            attention_bias=True,
            rope_theta=10000.0,
            torch_dtype="float32",
            rope_scaling={"rope_type": "llama3", **LLAMA3},
        ),
        1,
    ),
    "opt": (opt(), 2),
    "opt_norm_after": (opt(do_layer_norm_before=False, enable_bias=False, tie_word_embeddings=False), 1),
}
GREEDY = 24  # tokens of the answers that OPT cases come with


def splitmix(seed, count):
    """SplitMix64's numbers seed+1 .. seed+count steps on, as in core/base/random.h."""
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(seed) + numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return z ^ (z >> numpy.uint64(31))


def numbers(seed, shape, mean, half_width):
    """mean + half_width * u, u uniform in [-1, 1), rounded to bf16 so that both stored types hold the same numbers."""
    u = (splitmix(seed, math.prod(shape)) >> numpy.uint64(40)).astype(numpy.float64) * 2.0**-23 - 1.0
    return torch.from_numpy((u * half_width + mean).astype(numpy.float32)).to(torch.bfloat16).reshape(shape)


def tensors_of(config):
    """Name, shape, mean and half width of every tensor; widths chosen so that attention is far from uniform."""
    with torch.device("meta"):
        skeleton = transformers.AutoModelForCausalLM.from_config(config)
    names = dict(skeleton.named_parameters())
    result = []
    for index, name in enumerate(sorted(names)):
        shape = list(names[name].shape)
        if len(shape) == 1:
            mean, std = (1.0, 0.2) if "norm" in name and not name.endswith("bias") else (0.0, 0.3)
        else:
            mean, std = 0.0, 1.0 / math.sqrt(shape[1])
            if "embed_tokens" in name or "lm_head" in name:
                std = 0.3
            if "embed_positions" in name:
                std = 1.0  # so that answers move with the position
            if "q_proj" in name or "k_proj" in name:
                std *= 1.8
        result.append(
            {
                "name": name,
                "shape": shape,
                "seed": 1000 + 7919 * index,
                "mean": mean,
                "half_width": std * math.sqrt(3.0),
            }
        )
    return result


def write_checkpoint(folder, config_json, tensors, shards, dtype):
    (folder / "config.json").write_text(json.dumps(config_json))
    data = {
        t["name"]: numbers(t["seed"], t["shape"], t["mean"], t["half_width"]).to(dtype).contiguous() for t in tensors
    }
    if shards == 1:
        save_file(data, folder / "model.safetensors", metadata={"format": "pt"})
        return
    weight_map = {}
    for shard in range(shards):
        name = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        part = {key: value for i, (key, value) in enumerate(data.items()) if i % shards == shard}
        save_file(part, folder / name, metadata={"format": "pt"})
        weight_map.update({key: name for key in part})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def greedy(net, tokens):
    """The likeliest tokens one after the other, from logits of the whole sequence each time: no cache."""
    ids = list(tokens)
    for _ in range(GREEDY):
        ids.append(int(net(torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[len(tokens) :]


def main():
    torch.manual_seed(0)
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    tokens = [int(t) for t in splitmix(42, TOKENS) % numpy.uint64(VOCAB)]
    for name, (config_json, shards) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "config.json").write_text(json.dumps(config_json))
            tensors = tensors_of(transformers.AutoConfig.from_pretrained(folder))
            logits, answer = {}, {}
            for dtype in (torch.float32, torch.bfloat16):
                write_checkpoint(folder, config_json, tensors, shards, dtype)
                net = transformers.AutoModelForCausalLM.from_pretrained(
                    folder, dtype=dtype, attn_implementation="eager"
                )
                with torch.no_grad():
                    logits[dtype] = net(torch.tensor([tokens])).logits[0].float()
                    if dtype == torch.float32 and name.startswith("opt"):
                        answer = {"greedy": greedy(net, tokens)}
        exact = logits[torch.float32]
        deviation = exact.std().item()
        assert deviation >= 1, (name, deviation)
        own_difference = (logits[torch.bfloat16] - exact).abs().max().item()
        target = GOLDENS / name
        target.mkdir(parents=True, exist_ok=True)
        (target / "logits.bin").write_bytes(exact.numpy().astype("<f4").tobytes())
        (target / "case.json").write_text(
            json.dumps(
                {
                    "made_by": f"transformers {transformers.__version__}",
                    "shards": shards,
                    "logits_std": deviation,
                    "bf16_difference": own_difference,
                    "tokens": tokens,
                    **answer,
                    "config": config_json,
                    "tensors": tensors,
                }
            )
            + "\n"
        )
        print(f"{name:24} std {deviation:.2f}  bf16 to fp32: {own_difference:.3f}")


if __name__ == "__main__":
    main()
