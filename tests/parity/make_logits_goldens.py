#!/usr/bin/env python3
"""Makes tests/goldens/models, tests/goldens/architectures and tests/goldens/lengths: logits of small random
checkpoints, as transformers computes them.

A case is a config.json and a list of tensors; the numbers of a tensor follow from a formula (below and in
tests/model/tiny_checkpoint.h), so that only the logits are committed. Of longer cases, the logits of the last
TAIL tokens are. Tensors may be packed (GPTQ, AWQ, FP8, MXFP4): then transformers computes with the numbers that the
packed ones stand for, widened here by the formats' definitions. Needs torch and transformers:
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
from safetensors import safe_open
from safetensors.torch import save_file
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "goldens" / "models"
ARCHITECTURES = GOLDENS.parent / "architectures"
LENGTHS = GOLDENS.parent / "lengths"
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
        "gemma": "GemmaForCausalLM",
        "gemma2": "Gemma2ForCausalLM",
        "gemma3_text": "Gemma3ForCausalLM",
        "qwen3_moe": "Qwen3MoeForCausalLM",
        "mixtral": "MixtralForCausalLM",
        "phi3": "Phi3ForCausalLM",
        "olmo2": "Olmo2ForCausalLM",
        "granite": "GraniteForCausalLM",
        "smollm3": "SmolLM3ForCausalLM",
        "gpt_neox": "GPTNeoXForCausalLM",
        "gpt_oss": "GptOssForCausalLM",
        "deepseek_v2": "DeepseekV2ForCausalLM",
        "deepseek_v3": "DeepseekV3ForCausalLM",
    }
    return {
        **BASE,
        "architectures": [names[architecture]],
        "model_type": architecture,
        "pad_token_id": 0,
        "dtype": "float32",
        **changes,
    }


def without(config, *keys):
    return {key: value for key, value in config.items() if key not in keys}


def old(architecture, **changes):
    """As model(), of the first five architectures: without the keys that later cases have besides."""
    return without(model(architecture, **changes), *({"pad_token_id", "dtype"} - changes.keys()))


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
    "llama": (old("llama", rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, dtype="float32"), 1),
    "llama_mha_linear": (
        old(
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
        old(
            "llama",
            rope_theta=500000.0,
            rope_scaling={"rope_type": "llama3", **LLAMA3},
            torch_dtype="float32",
            tie_word_embeddings=True,
        ),
        1,
    ),
    "llama_llama3_biases": (
        old(
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
        old(
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
        old(
            "mistral",
            dtype="float32",
            sliding_window=None,
            rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0},
        ),
        1,
    ),
    "qwen2": (
        old(
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
        old(
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
        old(
            "qwen3",
            head_dim=32,
            tie_word_embeddings=True,
            dtype="float32",
            rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        ),
        1,
    ),
    "qwen3_bias_llama3": (
        old(
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
WINDOW = 24
PLAIN_ROPE = {"rope_type": "default", "rope_theta": 10000.0}
GEMMA = {
    "head_dim": 16,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "hidden_size": 60,
    "tie_word_embeddings": True,
    "hidden_activation": "gelu_pytorch_tanh",
}
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 16, "desc_act": True, "sym": False}


def phi3_longrope(original):
    return model(
        "phi3",
        partial_rotary_factor=0.75,
        original_max_position_embeddings=original,
        sliding_window=WINDOW,
        rope_scaling={
            "type": "longrope",
            "short_factor": [1.0, 1.25, 2.0],
            "long_factor": [1.5, 2.5, 4.0],
        },
        rope_theta=10000.0,
    )


LATER = {  # name: (config, shards); TOKENS_LATER tokens: beyond every window
    "mistral_window": (model("mistral", sliding_window=WINDOW, rope_parameters=PLAIN_ROPE), 1),
    "qwen2_mixed": (
        model(
            "qwen2",
            use_sliding_window=True,
            sliding_window=WINDOW,
            max_window_layers=1,
            rope_parameters=PLAIN_ROPE,
        ),
        1,
    ),
    "qwen3_layer_types": (
        model(
            "qwen3",
            head_dim=24,
            use_sliding_window=True,
            sliding_window=WINDOW + 1,
            layer_types=["sliding_attention", "full_attention", "sliding_attention"],
            rope_parameters=PLAIN_ROPE,
        ),
        1,
    ),
    "llama_yarn": (
        model(
            "llama",
            head_dim=24,
            rope_parameters={
                "rope_type": "yarn",
                "rope_theta": 10000.0,
                "factor": 4.0,
                "original_max_position_embeddings": 64,
            },
            max_position_embeddings=256,
        ),
        1,
    ),
    "llama_yarn_odd": (
        model(
            "llama",
            rope_parameters={
                "rope_type": "yarn",
                "rope_theta": 50000.0,
                "factor": 8.0,
                "beta_fast": 16.0,
                "beta_slow": 2.0,
                "truncate": False,
                "attention_factor": 1.25,
                "original_max_position_embeddings": 32,
            },
        ),
        1,
    ),
    "llama_dynamic": (
        model("llama", rope_parameters={"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}),
        1,
    ),
    "gemma": (without(model("gemma", **GEMMA, rope_parameters=PLAIN_ROPE), "hidden_act", "hidden_activation"), 1),
    "gemma2": (
        without(
            model(
                "gemma2",
                **GEMMA,
                sliding_window=WINDOW,
                query_pre_attn_scalar=24,
                attn_logit_softcapping=5.0,
                final_logit_softcapping=12.0,
                rope_parameters=PLAIN_ROPE,
            ),
            "hidden_act",
        ),
        1,
    ),
    "gemma3": (
        without(
            model(
                "gemma3_text",
                **GEMMA,
                num_hidden_layers=4,
                sliding_window=WINDOW,
                query_pre_attn_scalar=20,
                layer_types=["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"],
                rope_parameters={
                    "full_attention": {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0},
                    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                },
            ),
            "hidden_act",
        ),
        1,
    ),
    "qwen3_moe": (
        model(
            "qwen3_moe",
            head_dim=16,
            num_experts=5,
            num_experts_per_tok=2,
            moe_intermediate_size=40,
            norm_topk_prob=True,
            mlp_only_layers=[1],
            rope_parameters=PLAIN_ROPE,
        ),
        1,
    ),
    "qwen3_moe_unnormalized": (
        model(
            "qwen3_moe",
            head_dim=16,
            num_experts=6,
            num_experts_per_tok=3,
            moe_intermediate_size=24,
            norm_topk_prob=False,
            decoder_sparse_step=2,
            rope_parameters=PLAIN_ROPE,
        ),
        2,
    ),
    "mixtral": (
        model("mixtral", num_local_experts=5, intermediate_size=72, sliding_window=None, rope_parameters=PLAIN_ROPE),
        1,
    ),
    "phi3_longrope": (phi3_longrope(original=128), 1),
    "phi3_longrope_long": (phi3_longrope(original=64), 1),
    "phi3": (model("phi3", sliding_window=None, rope_theta=10000.0, rope_scaling=None), 1),
    "olmo2": (model("olmo2", num_attention_heads=6, num_key_value_heads=2, hidden_size=60), 1),
    "granite": (
        model(
            "granite",
            attention_bias=True,
            mlp_bias=True,
            embedding_multiplier=6.0,
            attention_multiplier=0.3,
            residual_multiplier=0.4,
            logits_scaling=1.5,
            tie_word_embeddings=True,
            rope_parameters=PLAIN_ROPE,
        ),
        1,
    ),
    "smollm3": (
        model("smollm3", no_rope_layers=[1, 0, 1], tie_word_embeddings=True, rope_parameters=PLAIN_ROPE),
        1,
    ),
    "gpt_neox": (without(model("gpt_neox", hidden_act="gelu", rotary_pct=0.25), "num_key_value_heads"), 1),
    "gpt_neox_sequential": (
        without(
            model("gpt_neox", hidden_act="gelu_new", rotary_pct=0.5, use_parallel_residual=False),
            "num_key_value_heads",
        ),
        1,
    ),
    "gpt_oss": (
        model(
            "gpt_oss",
            head_dim=16,
            num_local_experts=5,
            num_experts_per_tok=2,
            intermediate_size=64,
            sliding_window=WINDOW,
            rope_parameters={
                "rope_type": "yarn",
                "rope_theta": 150000.0,
                "factor": 4.0,
                "beta_fast": 32.0,
                "beta_slow": 1.0,
                "truncate": False,
                "original_max_position_embeddings": 32,
            },
        ),
        1,
    ),
    "gpt_oss_mxfp4": (
        model(
            "gpt_oss",
            head_dim=16,
            num_hidden_layers=2,
            num_local_experts=3,
            num_experts_per_tok=2,
            intermediate_size=64,
            sliding_window=WINDOW,
            rope_parameters=PLAIN_ROPE,
            quantization_config={"quant_method": "mxfp4"},
        ),
        1,
    ),
    "llama_gptq": (model("llama", num_hidden_layers=1, rope_parameters=PLAIN_ROPE, quantization_config=GPTQ), 1),
    "llama_gptq_v2": (
        model(
            "llama",
            num_hidden_layers=1, rope_parameters=PLAIN_ROPE,
            quantization_config={**GPTQ, "bits": 8, "desc_act": False, "checkpoint_format": "gptq_v2"},
        ),
        1,
    ),
    "llama_awq": (
        model(
            "llama",
            num_hidden_layers=1, rope_parameters=PLAIN_ROPE,
            quantization_config={"quant_method": "awq", "bits": 4, "group_size": 16, "version": "gemm"},
        ),
        1,
    ),
    "llama_fp8": (
        model(
            "llama",
            num_hidden_layers=1, rope_parameters=PLAIN_ROPE,
            quantization_config={"quant_method": "fp8", "weight_block_size": [48, 40]},
        ),
        1,
    ),
    "llama_fp16": (model("llama", rope_parameters=PLAIN_ROPE, dtype="float16"), 1),
}
DEEPSEEK = {
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "kv_lora_rank": 32,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "n_routed_experts": 8,
    "moe_intermediate_size": 24,
    "first_k_dense_replace": 1,
}
LATER |= {
    "deepseek_v2_lite": (
        model(
            "deepseek_v2",
            **DEEPSEEK,
            q_lora_rank=None,
            n_shared_experts=2,
            num_experts_per_tok=3,
            n_group=1,
            topk_group=1,
            topk_method="greedy",
            norm_topk_prob=False,
            rope_theta=10000.0,
            rope_scaling={
                "type": "yarn",
                "factor": 40.0,
                "beta_fast": 32.0,
                "beta_slow": 1.0,
                "mscale": 0.707,
                "mscale_all_dim": 0.707,
                "original_max_position_embeddings": 32,
            },
        ),
        1,
    ),
    "deepseek_v2": (
        model(
            "deepseek_v2",
            **DEEPSEEK,
            q_lora_rank=40,
            n_shared_experts=1,
            num_experts_per_tok=3,
            n_group=4,
            topk_group=2,
            topk_method="group_limited_greedy",
            norm_topk_prob=False,
            routed_scaling_factor=1.5,
            rope_theta=10000.0,
        ),
        1,
    ),
    "deepseek_v3": (
        model(
            "deepseek_v3",
            **DEEPSEEK,
            q_lora_rank=40,
            n_shared_experts=1,
            num_experts_per_tok=3,
            n_group=4,
            topk_group=2,
            norm_topk_prob=True,
            routed_scaling_factor=1.5,
            num_nextn_predict_layers=0,
            rope_theta=10000.0,
        ),
        1,
    ),
}
# As many tokens as the length that is served, beyond those of plain rotations: transformers goes by the text's own.
BY_LENGTH = {
    "llama_dynamic_beyond": (
        model(
            "llama",
            max_position_embeddings=64,
            rope_parameters={"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0},
        ),
        1,
    ),
    "gpt_neox_dynamic_beyond": (
        without(
            model(
                "gpt_neox",
                hidden_act="gelu",
                rotary_pct=0.5,
                max_position_embeddings=40,
                rope_parameters={
                    "rope_type": "dynamic",
                    "rope_theta": 10000.0,
                    "factor": 2.5,
                    "partial_rotary_factor": 0.5,
                },
            ),
            "num_key_value_heads",
        ),
        1,
    ),
}
# Of a case's numbers, where other than 1000: such that transformers' own bf16 chooses other experts for some tokens.
SEEDS = {"qwen3_moe": 2003, "qwen3_moe_unnormalized": 2001, "deepseek_v2": 2002, "deepseek_v2_lite": 2002}
# Of cases that are longer than their factors are made for; transformers goes by the text's own length.
MAX_MODEL_LEN = {"phi3_longrope_long": 512, "llama_dynamic_beyond": 96, "gpt_neox_dynamic_beyond": 96}
TOKENS_LATER = 96
TAIL = 40  # tokens whose logits are kept of these
GREEDY = 24  # tokens of the answers that OPT and later cases come with


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


def disk_shapes(config):
    """Name and shape of every tensor of a checkpoint, as transformers itself writes it."""
    net = transformers.AutoModelForCausalLM.from_config(config)
    with tempfile.TemporaryDirectory() as folder:
        net.save_pretrained(folder)
        with safe_open(pathlib.Path(folder) / "model.safetensors", "pt") as file:
            return {name: list(file.get_slice(name).get_shape()) for name in file.keys()}


def spread(name, shape):
    """Mean and standard deviation; chosen so that attention is far from uniform."""
    if "sinks" in name:
        return 0.5, 1.0
    if len(shape) == 1 or name.endswith("_proj_bias"):
        return (1.0, 0.2) if "norm" in name and not name.endswith("bias") else (0.0, 0.3)
    std = 1.0 / math.sqrt(shape[1])  # also of stacks [experts, in, out]
    if "embed_tokens" in name or "lm_head" in name or "embed_in" in name or "embed_out" in name:
        std = 0.3
    if "embed_positions" in name:
        std = 1.0  # so that answers move with the position
    if "q_proj" in name or "k_proj" in name or "qkv" in name or "query_key_value" in name:
        std *= 1.8
    if "router" in name or name.endswith("mlp.gate.weight") or name.endswith("moe.gate.weight"):
        std *= 3  # so that experts are chosen clearly
    return 0.0, std


def quantized(name, shape, method):
    """Whether a tensor of a case is packed."""
    if method == "mxfp4":
        return name.endswith("experts.gate_up_proj") or name.endswith("experts.down_proj")
    return len(shape) == 2 and name.startswith("model.layers.") and ("_proj" in name)


def tensors_of(config, config_json, seed=1000):
    """Name, shape, mean and half width of every tensor of a checkpoint."""
    quantization = config_json.get("quantization_config", {}).get("quant_method", "")
    unit_offset = config_json["model_type"].startswith("gemma")
    result = []
    shapes = disk_shapes(config)
    for index, name in enumerate(sorted(shapes)):
        shape = shapes[name]
        mean, std = spread(name, shape)
        if unit_offset and "norm" in name:
            mean = 0.0
        entry = {
            "name": name,
            "shape": shape,
            "seed": seed + 7919 * index,
            "mean": mean,
            "half_width": std * math.sqrt(3.0),
        }
        if quantization and quantized(name, shape, quantization):
            entry["packed"] = quantization
        result.append(entry)
    return result


def codes(seed, count, limit):
    return (splitmix(seed, count) >> numpy.uint64(33)).astype(numpy.int64) % limit


def packed_scales(t, shape, bits):
    """Scales of a packed tensor, rounded to fp16: such that its numbers spread as plain ones do."""
    mean = t["half_width"] / (0.7 * 2**bits)
    return numbers(t["seed"] + 2, shape, mean, mean / 4).to(torch.float16)


def pack_words(values, bits, axis):
    """Integers, consecutive ones along `axis` in one 32-bit word, the first lowest."""
    per_word = 32 // bits
    moved = numpy.moveaxis(values, axis, -1)
    words = moved.reshape(*moved.shape[:-1], -1, per_word).astype(numpy.uint64)
    shifts = numpy.arange(per_word, dtype=numpy.uint64) * numpy.uint64(bits)
    packed = (words << shifts).sum(axis=-1, dtype=numpy.uint64).astype(numpy.uint32).view(numpy.int32)
    return torch.from_numpy(numpy.ascontiguousarray(numpy.moveaxis(packed, -1, axis)))


def pack_gptq(t, form):
    """AutoGPTQ's format: the tensors of the checkpoint, and the matrix they stand for."""
    rows, columns = t["shape"]
    bits, group = form["bits"], form["group_size"]
    groups, less = columns // group, form.get("checkpoint_format", "gptq") == "gptq"
    code = codes(t["seed"], columns * rows, 2**bits).reshape(columns, rows)
    zero = codes(t["seed"] + 1, groups * rows, 2**bits).reshape(groups, rows)
    scale = packed_scales(t, [groups, rows], bits)
    order = numpy.arange(columns) // group
    if form.get("desc_act"):
        order = order[::-1].copy()
    matrix = scale.numpy().astype(numpy.float64)[order] * (code - (zero + (1 if less else 0))[order])
    stem = t["name"].removesuffix(".weight")
    stored = {
        stem + ".qweight": pack_words(code, bits, 0),
        stem + ".qzeros": pack_words(zero, bits, 1),
        stem + ".scales": scale,
        stem + ".g_idx": torch.from_numpy(order.astype(numpy.int32)),
    }
    return stored, torch.from_numpy(matrix.T.astype(numpy.float32).copy())


def pack_awq(t, form):
    """AutoAWQ's format for GEMM."""
    rows, columns = t["shape"]
    group = form["group_size"]
    groups = columns // group
    code = codes(t["seed"], columns * rows, 16).reshape(columns, rows)
    zero = codes(t["seed"] + 1, groups * rows, 16).reshape(groups, rows)
    scale = packed_scales(t, [groups, rows], 4)
    order = numpy.arange(columns) // group
    matrix = scale.numpy().astype(numpy.float64)[order] * (code - zero[order])

    def interleaved(values):  # AutoAWQ's order_map
        return values.reshape(values.shape[0], -1, 8)[:, :, [0, 2, 4, 6, 1, 3, 5, 7]].reshape(values.shape)

    stem = t["name"].removesuffix(".weight")
    stored = {
        stem + ".qweight": pack_words(interleaved(code), 4, 1),
        stem + ".qzeros": pack_words(interleaved(zero), 4, 1),
        stem + ".scales": scale,
    }
    return stored, torch.from_numpy(matrix.T.astype(numpy.float32).copy())


def pack_fp8(t, form):
    """A scale for each block of rows and columns."""
    rows, columns = t["shape"]
    down, across = form["weight_block_size"]
    code = numbers(t["seed"], t["shape"], 0.0, 16.0).to(torch.float32).to(torch.float8_e4m3fn)
    shape = [-(-rows // down), -(-columns // across)]
    scale = numbers(t["seed"] + 2, shape, t["half_width"] / 16, t["half_width"] / 64).to(torch.float32)
    each = scale.repeat_interleave(down, 0)[:rows].repeat_interleave(across, 1)[:, :columns]
    return {t["name"]: code, t["name"] + "_scale_inv": scale}, code.to(torch.float32) * each


def pack_mxfp4(t, _form):
    """Stacks [experts, in, out], packed as [experts, out, in / 32] blocks of 16 bytes, widened by transformers."""
    experts, columns, rows = t["shape"]
    blocks = torch.from_numpy(codes(t["seed"], experts * rows * columns // 2, 256).astype(numpy.uint8))
    blocks = blocks.reshape(experts, rows, columns // 32, 16)
    scales = torch.from_numpy((codes(t["seed"] + 1, experts * rows * columns // 32, 3) + 121).astype(numpy.uint8))
    scales = scales.reshape(experts, rows, columns // 32)
    wide = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)
    return {t["name"] + "_blocks": blocks, t["name"] + "_scales": scales}, wide.contiguous()


PACKED = {"gptq": pack_gptq, "awq": pack_awq, "fp8": pack_fp8, "mxfp4": pack_mxfp4}


def write_checkpoint(folder, config_json, tensors, shards, dtype):
    """What transformers computes with: packed tensors widened."""
    wide = without(config_json, "quantization_config")
    (folder / "config.json").write_text(json.dumps(wide))
    data = {}
    for t in tensors:
        if "packed" in t:
            value = PACKED[t["packed"]](t, config_json["quantization_config"])[1]
        else:
            value = numbers(t["seed"], t["shape"], t["mean"], t["half_width"])
        data[t["name"]] = value.to(dtype).contiguous()
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


def write_packed(target, config_json, tensors):
    """The packed tensors of a case: their codes come from no formula that the test could repeat."""
    packed = {}
    for t in tensors:
        if "packed" in t:
            packed.update(PACKED[t["packed"]](t, config_json["quantization_config"])[0])
    if packed:
        save_file({key: value.contiguous() for key, value in packed.items()}, target / "packed.safetensors")


def greedy(net, tokens):
    """The likeliest tokens one after the other, from logits of the whole sequence each time: no cache. And the least
    distance between the two likeliest, below which the answer would be a tie."""
    ids, least = list(tokens), math.inf
    for _ in range(GREEDY):
        best = net(torch.tensor([ids])).logits[0, -1].topk(2).values
        least = min(least, (best[0] - best[1]).item())
        ids.append(int(net(torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[len(tokens) :], least


def main():
    torch.manual_seed(0)
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    for name, (config_json, shards) in {**CASES, **LATER, **BY_LENGTH}.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        later = name not in CASES
        tokens = [int(t) for t in splitmix(42, TOKENS_LATER if later else TOKENS) % numpy.uint64(VOCAB)]
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "config.json").write_text(json.dumps(without(config_json, "quantization_config")))
            shape = transformers.AutoConfig.from_pretrained(folder)
            tensors = tensors_of(shape, config_json, SEEDS.get(name, 1000))
            logits, answer = {}, {}
            for dtype in (torch.float32, torch.bfloat16):
                write_checkpoint(folder, config_json, tensors, shards, dtype)
                net = transformers.AutoModelForCausalLM.from_pretrained(
                    folder, dtype=dtype, attn_implementation="eager"
                )
                with torch.no_grad():
                    logits[dtype] = net(torch.tensor([tokens])).logits[0].float()
                    if dtype == torch.float32 and (name in LATER or name.startswith("opt")):
                        ids, least = greedy(net, tokens)
                        answer = {"greedy": ids, **({"greedy_margin": least} if later else {})}
        exact = logits[torch.float32]
        deviation = exact.std().item()
        assert deviation >= 1, (name, deviation)
        own_difference = (logits[torch.bfloat16] - exact).abs().max().item()
        target = (LENGTHS if name in BY_LENGTH else ARCHITECTURES if later else GOLDENS) / name
        target.mkdir(parents=True, exist_ok=True)
        kept = exact[-TAIL:] if later else exact
        (target / "logits.bin").write_bytes(kept.numpy().astype("<f4").tobytes())
        write_packed(target, config_json, tensors)
        (target / "case.json").write_text(
            json.dumps(
                {
                    "made_by": f"transformers {transformers.__version__}",
                    "shards": shards,
                    **({"max_model_len": MAX_MODEL_LEN[name]} if name in MAX_MODEL_LEN else {}),
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
        print(f"{name:24} std {deviation:.2f}  bf16 to fp32: {own_difference:.3f}  {answer.get('greedy_margin', '')}")


if __name__ == "__main__":
    main()
