#!/usr/bin/env python3
"""Anytime profiling on a model of the shape of Qwen2-0.5B with random weights: 8 texts of about 1,000 tokens, 4
methods, 5 removed fractions, 8 questions.

  - seconds to prefill every text once, from a run without stored caches
  - what `profile --anytime` has reached after so many of these (--times, default 2), answers included: contexts with
    at least three points of each method, the median half-width of intervals, pooled points; for each context its
    points, answers and median half-width
  - with --full: the seconds of the full grid

With the products `batch_invariant`, questions and forms are measured together; with `library` they are not. Of two
products, the ratios of the second to the first are printed: answers per second, and with --full, the time of the grid.

Answers of random weights are meaningless; only times and counts mean something.

Usage: anytime_profile.py KVANTAGE_CLI [--products library,batch_invariant] [--tokenizer FOLDER] [--times N]
                          [--threads N] [--answer-tokens N] [--full] [--copy FOLDER]
"""

import argparse
import json
import pathlib
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

METHODS = ["knorm", "keydiff", "snapkv", "streaming_llm"]
FRACTIONS = ["0.2", "0.4", "0.6", "0.8", "0.9"]
CONFIG = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864,
          "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936,
          "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "max_position_embeddings": 32768,
          "tie_word_embeddings": True, "hidden_act": "silu", "torch_dtype": "bfloat16", "use_sliding_window": False}


def bf16_block(count, half_width, mean=0.0):
    """Random numbers as bf16, little endian."""
    draw = random.Random(1).uniform
    return b"".join(struct.pack("<f", draw(mean - half_width, mean + half_width))[2:] for _ in range(count))


def write_model(folder, tokenizer):
    """A checkpoint whose weights repeat one block of random numbers, scaled to keep a vector's norm."""
    hidden, inner, layers = CONFIG["hidden_size"], CONFIG["intermediate_size"], CONFIG["num_hidden_layers"]
    head = hidden // CONFIG["num_attention_heads"]
    narrow = head * CONFIG["num_key_value_heads"]
    tensors = [("model.embed_tokens.weight", [CONFIG["vocab_size"], hidden]), ("model.norm.weight", [hidden])]
    for layer in range(layers):
        at = f"model.layers.{layer}."
        tensors += [(at + "input_layernorm.weight", [hidden]), (at + "post_attention_layernorm.weight", [hidden])]
        for name, out in (("q", hidden), ("k", narrow), ("v", narrow)):
            tensors += [(f"{at}self_attn.{name}_proj.weight", [out, hidden]),
                        (f"{at}self_attn.{name}_proj.bias", [out])]
        tensors += [(at + "self_attn.o_proj.weight", [hidden, hidden]), (at + "mlp.gate_proj.weight", [inner, hidden]),
                    (at + "mlp.up_proj.weight", [inner, hidden]), (at + "mlp.down_proj.weight", [hidden, inner])]
    header, offset = {}, 0
    for name, shape in tensors:
        size = 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    blocks = {"norm": bf16_block(1 << 10, 0.01, 1.0)}
    folder.mkdir(parents=True)
    with open(folder / "model.safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(words)) + words)
        for name, shape in tensors:
            fan_in = shape[1] if len(shape) > 1 else 0
            kind = "norm" if "norm" in name else fan_in or 1
            if kind not in blocks:
                blocks[kind] = bf16_block((1 << 16) + 37, (3.0 / kind) ** 0.5 if fan_in else 0.01)
            block, left = blocks[kind], 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
            while left > 0:
                out.write(block[:left])
                left -= len(block)
    own = json.loads((tokenizer / "config.json").read_text())
    ends = {key: own[key] for key in ("eos_token_id", "bos_token_id", "pad_token_id") if key in own}
    (folder / "config.json").write_text(json.dumps({**CONFIG, **ends}))
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        if (tokenizer / name).exists():
            shutil.copy(tokenizer / name, folder / name)


def call(arguments, *words):
    start = time.monotonic()
    done = subprocess.run([arguments.cli, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout, time.monotonic() - start


def prefill_seconds(arguments, folder, products, common):
    """Of all contexts once."""
    database, run = f"{folder}/prefill-{products}.db", f"{folder}/prefill-{products}.jsonl"
    call(arguments, "run", f"{folder}/texts", "--policy", "full_prefill", "--limit", "32", "--no-warmup",
         "--no-reprofile", "--db", database, "--quiet", *common)
    call(arguments, "runs", "export", "last", run, "--db", database, "--quiet")
    seconds = {}
    with open(run) as lines:
        for event in map(json.loads, lines):
            if event.get("type") == "request.finished":
                record = event["data"]["record"]
                seconds.setdefault(record["context"], []).append(record["timing"]["context_prefill_seconds"])
    return 8 * statistics.mean(statistics.median(of_one) for of_one in seconds.values())


def half_width(cell):
    return (cell["quality_high"] - cell["quality_low"]) / 2


def report(cells, profiling):
    points, contexts = {}, {}
    for cell in cells:
        points.setdefault((cell["context"], cell["method"]), []).append(cell)
        contexts.setdefault(cell["context"], []).append(cell)
    methods = [of for (_, method), of in points.items() if method != "none"]
    enough = sum(1 for of in methods if len(of) >= 3)
    halves = [half_width(cell) for cell in cells]
    pooled = sum(1 for cell in cells if cell.get("pooled"))
    print(f"contexts x methods with at least 3 points: {enough} of {8 * len(METHODS)}")
    print(f"median half-width of the 95 % interval: {statistics.median(halves):.3f} (at most .15 is wanted)")
    print(f"points: {len(cells)}, of them pooled and marked: {pooled}; answers: {profiling['answers']} of "
          f"{profiling['full_answers']}; may rise: {100 * profiling['may_rise']:.1f} %")
    print(f"{'context':24} points  measured  answers  median half-width")
    for context, of in sorted(contexts.items()):
        measured = [cell for cell in of if not cell.get("pooled")]
        print(f"{context:24} {len(of):6}  {len(measured):8}  {sum(cell['n'] for cell in measured):7}  "
              f"{statistics.median(half_width(cell) for cell in of):.3f}")


def measure(arguments, folder, products):
    """Answers per second beyond the prefills, and seconds of the full grid or None."""
    session = pathlib.Path(folder) / "texts" / "session.json"
    settings = json.loads(session.read_text()) if session.exists() else {}
    session.write_text(json.dumps({**settings, "products": products}))
    model = ["--model", f"{folder}/model", "--threads", str(arguments.threads)]
    prefill = prefill_seconds(arguments, folder, products, [*model, "--store", f"{folder}/first-{products}"])
    print(f"products {products}: prefilling 8 texts once: {prefill:.1f} s")
    candidates = [*model, "--methods", ",".join(METHODS), "--removed", ",".join(FRACTIONS), "--json", "--quiet"]
    limit = arguments.times * prefill
    out, _ = call(arguments, "profile", f"{folder}/texts", "--anytime", "--time-limit", f"{limit:.3f}s",
                  "--store", f"{folder}/anytime-{products}", *candidates)
    print(f"after {limit:.1f} s of anytime profiling, prefill included:")
    profile = json.loads(out)
    report(profile["cells"], profile["profiling"])
    full = None
    if arguments.full:
        _, full = call(arguments, "profile", f"{folder}/texts", "--grid", "full", "--store",
                       f"{folder}/full-{products}", *candidates)
        print(f"the full grid: {full:.1f} s, loading and timing included")
    return profile["profiling"]["answers"] / max(limit - prefill, 1e-9), full


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--tokenizer", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2] / "resources" / "model")
    parser.add_argument("--times", type=float, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--answer-tokens", type=int, default=16)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--copy", type=pathlib.Path, help="folder for a copy of the model, for profile_bench_test")
    parser.add_argument("--products", default="library", help="library, batch_invariant, or both with a comma between")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_model(pathlib.Path(folder) / "model", arguments.tokenizer)
        if arguments.copy:
            shutil.copytree(pathlib.Path(folder) / "model", arguments.copy, dirs_exist_ok=True)
        call(arguments, "workload", "make", "--out", f"{folder}/texts", "--families", "inventory",
             "--contexts-per-family", "8", "--min-tokens", "950", "--max-tokens", "1050", "--profile-questions", "8",
             "--held-out-questions", "4", "--tier", "dram=64MiB", "--quiet")
        questions = pathlib.Path(folder) / "texts" / "questions.jsonl"
        limited = [{**json.loads(line), "max_answer_tokens": arguments.answer_tokens}
                   for line in questions.read_text().splitlines() if line]
        questions.write_text("".join(json.dumps(line) + "\n" for line in limited))
        names = arguments.products.split(",")
        measured = [measure(arguments, folder, products) for products in names]
        for products, (rate, full) in zip(names[1:], measured[1:]):
            first_rate, first_full = measured[0]
            if first_rate > 0:
                print(f"{products} / {names[0]}: {rate / first_rate:.2f} times the answers per second")
            if full and first_full:
                print(f"{products} / {names[0]}: {full / first_full:.2f} of the time of the full grid")


if __name__ == "__main__":
    main()
