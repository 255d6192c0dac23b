#!/usr/bin/env python3
"""Writes tests/goldens/kvpress/zoo_*.json: what kvpress keeps under every method and budget that it has.

    python3 -m venv build/venv-kv && build/venv-kv/bin/pip install kvpress==0.5.5 torch==2.11.0
    build/venv-kv/bin/python tests/parity/make_kvpress_zoo_goldens.py [--only default_model]

Two small random checkpoints, given as formulas (make_kvpress_goldens.py), and the default model, all in fp32; another
default model needs `--only default_model` again. Prompts are drawn from SplitMix (`draw`), those of the default model
begin texts of sample_workloads. For each prompt, method,
removed fraction and layer, in this order, `cuts` holds the first half of the XXH3-64 of the kept int32 indices, head
after head, each list ascending and after its length, and the margin: how far apart the scores of the last kept and the
first dropped token are, in units of the spread of scores or of 1, whichever is smaller, and where scores are shares of
attention, in units of ten times the score at the cut if that is still smaller; the least of all heads; 0 = a tie. The
presses themselves run, so that what is read from the cache, or of what AdaKVPress and KVzipPress mask, is the truth.
`scores` and `keys` hold samples of scores and of re-rotated keys at places drawn from SplitMix, as kvpress has them
when it computes in double precision throughout, and `traps` what kvpress does where core/compress differs deliberately.
`rounding`: how far kvpress' own fp32 lies from that, over all scores and keys of the prompts sampled.
"""

import argparse
import json
import logging
import pathlib

import numpy as np
import torch
import xxhash
from kvpress import (
    AdaKVPress,
    ChunkKVPress,
    ExpectedAttentionPress,
    KeyDiffPress,
    KeyRerotationPress,
    KnormPress,
    KVzipPress,
    LagKVPress,
    ObservedAttentionPress,
    PyramidKVPress,
    SnapKVPress,
    StreamingLLMPress,
    TOVAPress,
)
from kvpress.utils import compute_n_kept
from kvpress_in_double import REPEAT, RecordingKVzip, TokenizerOf, in_double
from make_kvpress_goldens import BASE, recipe, uniform
from splitmix import SplitMix
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache, PreTrainedTokenizerFast

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests" / "goldens" / "kvpress"
FRACTIONS = [0.2, 0.4, 0.6, 0.8]
SAMPLES = 64
METHODS = {
    "knorm": lambda f: KnormPress(f),
    "keydiff": lambda f: KeyDiffPress(f),
    "snapkv": lambda f: SnapKVPress(f),
    "snapkv(window=16,kernel=7)": lambda f: SnapKVPress(f, window_size=16, kernel_size=7),
    "streaming_llm": lambda f: StreamingLLMPress(f),
    "tova": lambda f: TOVAPress(f),
    "observed_attention": lambda f: ObservedAttentionPress(f),
    "expected_attention": lambda f: ExpectedAttentionPress(f),
    "expected_attention(epsilon=0.01)": lambda f: ExpectedAttentionPress(f, epsilon=0.01),
    "lagkv": lambda f: LagKVPress(f),
    "lagkv(lag=32)": lambda f: LagKVPress(f, lag_size=32),
    "global(kvzip)": lambda f: RecordingKVzip(f),
    "pyramid(snapkv)": lambda f: PyramidKVPress(f),
    "pyramid(snapkv(window=8),beta=4,window=8)": lambda f: PyramidKVPress(f, window_size=8, beta=4),
    "adakv(snapkv)": lambda f: AdaKVPress(SnapKVPress(f)),
    "adakv(expected_attention(epsilon=0.01))": lambda f: AdaKVPress(ExpectedAttentionPress(f, epsilon=0.01)),
    "adakv(keydiff,safeguard=50)": lambda f: AdaKVPress(KeyDiffPress(f), alpha_safeguard=0.5),
    "chunkkv(snapkv)": lambda f: ChunkKVPress(SnapKVPress(f)),
    "chunkkv(knorm,length=7)": lambda f: ChunkKVPress(KnormPress(f), chunk_length=7),
    "rerotate(streaming_llm)": lambda f: KeyRerotationPress(StreamingLLMPress(f)),
    "rerotate(knorm)": lambda f: KeyRerotationPress(KnormPress(f)),
}
SCORED = [
    "knorm",
    "keydiff",
    "snapkv",
    "tova",
    "observed_attention",
    "expected_attention",
    "expected_attention(epsilon=0.01)",
    "lagkv",
    "lagkv(lag=32)",
    "global(kvzip)",
]
PINNED = ("snapkv", "tova", "expected_attention", "kvzip")  # scores of max + 1 say nothing of their spread
SHARES = ("snapkv", "tova", "expected_attention", "kvzip", "observed_attention")
# Many words, as a word said twice is a tie in the first layer.
ZOO = dict(BASE, num_hidden_layers=3, max_position_embeddings=8192, vocab_size=3999)
# LagKV gives each rank once in every part, so most cuts are ties: behind the first ten, lengths at which those of lag
# 32 and, the last two, of lag 128 are none.
LENGTHS = [97 + 16 * i for i in range(10)] + 3 * [199, 239, 279, 319, 454, 489, 524, 559, 594, 629] + 6 * [774, 799]
CHECKPOINTS = {
    # 2,300 tokens: KVzip repeats them in two parts.
    "llama": (
        LENGTHS + [2300],
        dict(
            ZOO,
            model_type="llama",
            architectures=["LlamaForCausalLM"],
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            rope_theta=10000.0,
            mlp_bias=False,
        ),
    ),
    "qwen3": (
        LENGTHS,
        dict(
            ZOO,
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
DEFAULT_LENGTHS = [131, 189, 247, 273, 330, 345, 379, 399]


def draw(seed, tokens, vocab):
    random = SplitMix(seed)
    return [random.below(vocab) for _ in range(tokens)]


def milder(tensors):
    """Attention spread over many tokens: where one takes it all, nothing else can be told apart."""
    for tensor in tensors:
        if ".q_proj" in tensor["name"] or ".k_proj" in tensor["name"]:
            tensor["scale"] = round(0.35 * tensor["scale"], 6)
    return tensors


def digest(heads):
    parts = [np.asarray([len(head), *head], dtype="<i4").tobytes() for head in heads]
    return f"{xxhash.xxh3_64_intdigest(b''.join(parts)):016x}"[:8]


def gap(ordered, kept, scale):
    """Between the last of `kept` and the next, scores descending; nothing can be mistaken where all or none are
    kept."""
    if not 0 < kept < len(ordered):
        return 1.0
    cut, between = float(ordered[kept]), float(ordered[kept - 1] - ordered[kept])
    return between / scale(cut) if between > 3e-7 * abs(cut) else 0.0  # else equal but for rounding: a tie


class Runner:
    """Runs the model once over a prompt; presses then compress what each layer was given and gave."""

    def __init__(self, model, eager):
        self.models = {False: model, True: eager}
        for one in (model, eager):
            for layer in one.model.layers:
                layer.self_attn.rotary_emb = one.model.rotary_emb

    @torch.no_grad()
    def prefill(self, ids):
        self.ids, self.calls, self.memory = ids, {}, {}
        for eager, model in self.models.items():
            calls, cache = [], DynamicCache()

            def hook(module, _, kwargs, output):
                layer = cache.layers[module.layer_idx]
                calls.append((module, kwargs["hidden_states"], layer.keys, layer.values, output[1], kwargs))

            handles = [l.self_attn.register_forward_hook(hook, with_kwargs=True) for l in model.model.layers]
            model(ids, past_key_values=cache)
            for handle in handles:
                handle.remove()
            self.calls[eager] = calls

    @torch.no_grad()
    def run(self, press, eager=False):
        """The way kvpress is used: the cache that it leaves."""
        cache = DynamicCache()
        with press(self.models[eager]):
            self.models[eager](self.ids, past_key_values=cache)
        return cache

    @torch.no_grad()
    def keep(self, text, fraction):
        """Kept indices [layer][head], margins [layer], scores [layer] and the compressed keys [layer]."""
        press, calls = METHODS[text](fraction), self.calls[text == "observed_attention"]
        if isinstance(press, KVzipPress):
            if text not in self.memory:
                self.run(press)
                self.memory[text] = press.recorded
            press.score_val = torch.stack(self.memory[text])
            press.compress_post(self.models[False])
            scores, keys = [layer[0] for layer in self.memory[text]], [call[2] for call in calls]
        else:
            scores, keys = [], []
            inner = press.press if hasattr(press, "press") else press
            score, memory = inner.score, self.memory.setdefault(text, {})

            def remember(module, *args):
                # Only StreamingLLMPress scores by the fraction.
                if module.layer_idx not in memory or isinstance(inner, StreamingLLMPress):
                    memory[module.layer_idx] = score(module, *args)
                return memory[module.layer_idx].clone()

            inner.score = remember
            for module, hidden, k, v, attention, kwargs in calls:
                keys.append(press.compress(module, hidden, k.clone(), v.clone(), attention, kwargs)[0])
                scores.append(memory[module.layer_idx][0])
        kept = [self.indices(press, fraction, call, s, k[0]) for call, s, k in zip(calls, scores, keys)]
        return kept, self.margins(text, press, fraction, scores, kept), scores, keys

    def indices(self, press, fraction, call, scores, left):
        module, _, keys, values = call[:4]
        if isinstance(press, (AdaKVPress, KVzipPress)):
            mask = torch.ones(scores.shape, dtype=torch.bool)
            mask[module.masked_key_indices[1], module.masked_key_indices[2]] = False
            module.masked_key_indices = None
            assert torch.equal(left, keys[0])
            return [head.nonzero().flatten().tolist() for head in mask]
        if isinstance(press, ChunkKVPress):
            places = [{row.numpy().tobytes(): t for t, row in enumerate(head)} for head in keys[0]]
            return [sorted(places[head][row.numpy().tobytes()] for row in rows) for head, rows in enumerate(left)]
        best = scores.topk(left.shape[1], dim=-1).indices
        if not isinstance(press, KeyRerotationPress):  # which turns keys; the choice is ScorerPress'
            assert torch.equal(left, keys[0].gather(1, best.unsqueeze(-1).expand(-1, -1, keys.shape[3])))
        return best.sort().values.tolist()

    def check(self):
        """Compressing what the layers gave is what happens when a press is used as kvpress means it."""
        for text in METHODS:
            press = METHODS[text](0.6)
            cache, keys = self.run(press, text == "observed_attention"), self.keep(text, 0.6)[3]
            assert all(torch.equal(cache.layers[l].keys, k) for l, k in enumerate(keys)), text

    def margins(self, text, press, fraction, scores, kept):
        margins = []
        for layer, heads in enumerate(scores):
            free = heads[heads < heads.max()] if any(name in text for name in PINNED) else heads.flatten()
            spread = min(1.0, float(free.max() - free.min()))
            shares = any(name in text for name in SHARES)

            def scale(cut):
                return max(min(spread, 10 * abs(cut)) if shares else spread, 1e-30)

            if isinstance(press, KVzipPress):
                # A layer changes when one of its own tokens crosses the cut of all layers.
                pooled = torch.cat([s.flatten() for s in scores]).sort(descending=True).values
                n = sum(len(head) for one in kept for head in one)
                flat = heads.flatten()
                last, first = pooled[n - 1 : n], pooled[n : n + 1]
                margin = min(
                    gap(torch.cat([flat[flat >= last].sort(descending=True).values[-1:], first]), 1, scale),
                    gap(torch.cat([last, flat[flat < last].sort(descending=True).values[:1]]), 1, scale),
                )
            elif isinstance(press, AdaKVPress):
                n = compute_n_kept(heads.shape[1], fraction)
                safe = max(1, int(n * press.alpha_safeguard))
                guarded = heads.scatter(-1, heads.topk(safe, dim=-1).indices, torch.finfo(heads.dtype).max)
                pooled = guarded.flatten().sort(descending=True).values
                margin = gap(pooled, n * len(heads), scale)
                for head in heads:  # the edge of what is safe, where the pool would have dropped it
                    ordered = head.sort(descending=True).values
                    if ordered[safe - 1] < pooled[n * len(heads)] + 1e-6:
                        margin = min(margin, gap(ordered, safe, scale))
            elif isinstance(press, ChunkKVPress):
                chunks = heads.sum(0).split(press.chunk_length)
                ordered = torch.stack([chunk.mean() for chunk in chunks]).sort(descending=True).values
                margin = gap(ordered, max(1, int(len(chunks) * (1 - fraction))), scale)
            else:
                margin = min(gap(head.sort(descending=True).values, len(kept[layer][0]), scale) for head in heads)
            margins.append(margin)
        return margins


def trap_goldens(runner):
    """What kvpress does where core/compress differs deliberately, at the first prompt."""
    traps = {}
    places = {row.numpy().tobytes(): t for t, row in enumerate(runner.calls[False][0][2][0, 0])}
    cache = runner.run(KnormPress(0.6))
    traps["knorm_order"] = [places[row.numpy().tobytes()] for row in cache.layers[0].keys[0, 0]]
    try:
        with torch.no_grad(), SnapKVPress(0.5)(runner.models[False]):
            runner.models[False](runner.ids[:, :40], past_key_values=DynamicCache())
        raise SystemExit("SnapKVPress takes short prompts now")
    except AssertionError as error:
        traps["snapkv_of_40_tokens"] = str(error)
    traps["adakv_holds_tokens"] = runner.run(AdaKVPress(SnapKVPress(0.6))).layers[0].keys.shape[2]
    TokenizerOf.template = "a template"
    press = RecordingKVzip(0.4)
    runner.run(press)
    TokenizerOf.template = None
    kept = [runner.indices(press, 0.4, call, s[0], call[2][0]) for call, s in zip(runner.calls[False], press.recorded)]
    traps["kvzip_prefix"] = dict(
        tokens=9, removed_fraction=0.4, kept=sum(4 <= t < 9 for layer in kept for head in layer for t in head)
    )
    return traps


def texts(folder, lengths):
    """The first tokens of sample texts, one of each length, as the default model's tokenizer has them."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    lines = (ROOT / "sample_workloads" / "quickstart" / "contexts.jsonl").read_text().splitlines()
    return [
        tokenizer.encode(json.loads(line)["text"], add_special_tokens=False)[:n] for line, n in zip(lines[::3], lengths)
    ]


def sample(runner, exact, prompt, index, layers, kv_heads):
    """Scores and re-rotated keys in double, and how far those of fp32 lie from them: [scores], [keys], {method: ...},
    keys."""
    exact.prefill(torch.tensor([prompt]))
    scores, keys, off, tokens = [], [], {}, len(prompt)
    keys_off = max(
        float(((a[2] - b[2]).abs() / b[2].abs().clamp(min=1)).max())
        for a, b in zip(runner.calls[False], exact.calls[False])
    )
    for text in SCORED:
        random = SplitMix(tokens)
        seen, true = (one.keep(text, FRACTIONS[0])[2] for one in (runner, exact))
        places = [(random.below(layers), random.below(kv_heads), random.below(tokens)) for _ in range(SAMPLES)]
        values = [float(true[l][h, t]) for l, h, t in places]
        least = 1e-2 if text == "keydiff" else 1e-12  # a cosine next to 0 is a sum of terms that cancel
        off[text] = max(float(((a - b).abs() / b.abs().clamp(min=least)).max()) for a, b in zip(seen, true))
        scores.append(dict(prompt=index, method=text, values=[float(f"{v:.7g}") for v in values]))
    for text in (text for text in METHODS if "rerotate" in text):
        for fraction in (0.4, 0.8):
            random = SplitMix(tokens)
            held = exact.keep(text, fraction)[3]
            places = [
                (
                    random.below(layers),
                    random.below(kv_heads),
                    random.below(held[0].shape[2]),
                    random.below(held[0].shape[3]),
                )
                for _ in range(SAMPLES)
            ]
            keys.append(
                dict(
                    prompt=index,
                    method=text,
                    removed_fraction=fraction,
                    values=[float(f"{held[l][0, h, t, c]:.7g}") for l, h, t, c in places],
                )
            )
    return scores, keys, off, keys_off


def goldens(runner, exact, drawn, config, head):
    layers, kv_heads = config["num_hidden_layers"], config["num_key_value_heads"]
    prompts, scores, keys = [], [], []
    compared, off, keys_off = {text: [0, 0, 0] for text in METHODS}, dict.fromkeys(SCORED, 0.0), 0.0
    for index, (origin, prompt) in enumerate(drawn):
        tokens = len(prompt)
        runner.prefill(torch.tensor([prompt]))
        if index == 0:
            runner.check()
            traps = trap_goldens(runner)
        cuts = []
        for text in METHODS:
            for fraction in FRACTIONS:
                kept, margins = runner.keep(text, fraction)[:2]
                for heads, margin in zip(kept, margins):
                    cuts.append([digest(heads), float(f"{margin:.1e}")])
                    compared[text][0 if margin >= 1e-5 else 1 if margin > 0 else 2] += 1
        if index in (3, 13, len(drawn) - 1):
            some_scores, some_keys, far, keys_far = sample(runner, exact, prompt, index, layers, kv_heads)
            scores, keys, keys_off = scores + some_scores, keys + some_keys, max(keys_off, keys_far)
            off = {text: max(off[text], far[text]) for text in SCORED}
        prompts.append(dict(tokens=tokens, **origin, cuts=cuts))
        print(f"  {tokens} tokens", flush=True)
    for text, (wide, close, ties) in compared.items():
        print(f"  {text}: {wide} cuts, {close} close, {ties} ties")
    rounding = dict(scores={text: float(f"{one:.1e}") for text, one in off.items()}, keys=float(f"{keys_off:.1e}"))
    print("  fp32 against double:", rounding)
    return head | dict(
        rounding=rounding,
        methods=list(METHODS),
        fractions=FRACTIONS,
        repeat=REPEAT,
        traps=traps,
        scores=scores,
        keys=keys,
        prompts=prompts,
    )


def write(name, golden):
    lines = [f'"{key}":{json.dumps(value, separators=(",", ":"))}' for key, value in golden.items()]
    path = OUT / f"zoo_{name}.json"
    path.write_text("{" + ",\n".join(lines) + "}\n")
    print(path.name, path.stat().st_size, "bytes")


def main():
    logging.disable(logging.WARNING)  # KVzipPress says at each turn that it takes its time
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=[*CHECKPOINTS, "default_model"])
    only = parser.parse_args().only
    source = dict(source="kvpress 0.5.5, transformers 5.2.0, torch 2.11.0")
    for name, (lengths, config) in CHECKPOINTS.items():
        if only in (None, name):
            built = [
                AutoModelForCausalLM.from_config(AutoConfig.for_model(**config), attn_implementation=kind)
                .eval()
                .float()
                for kind in ("sdpa", "eager")
            ]
            tensors = milder(recipe(built[0]))
            values = {t["name"]: torch.from_numpy(uniform(t)) for t in tensors}
            for model in built:
                model.load_state_dict(values | {"lm_head.weight": values["model.embed_tokens.weight"]})
            drawn = [
                (dict(seed=1000 * i + n), draw(1000 * i + n, n, config["vocab_size"])) for i, n in enumerate(lengths)
            ]
            exact = Runner(*map(in_double, built))
            write(name, goldens(Runner(*built), exact, drawn, config, source | dict(config=config, tensors=tensors)))
    if only in (None, "default_model"):
        folder = ROOT / "resources" / "model"
        built = [
            AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation=kind).eval()
            for kind in ("sdpa", "eager")
        ]
        config = json.loads((folder / "config.json").read_text())
        weights = xxhash.xxh3_64_hexdigest((folder / "model.safetensors").read_bytes())
        drawn = [(dict(ids=ids), ids) for ids in texts(folder, DEFAULT_LENGTHS)]
        exact = Runner(*map(in_double, built))
        write("default_model", goldens(Runner(*built), exact, drawn, config, source | dict(weights=weights)))


if __name__ == "__main__":
    main()
