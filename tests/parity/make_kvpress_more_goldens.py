#!/usr/bin/env python3
"""Writes tests/goldens/kvpress/zoo_*_more.json: what kvpress keeps under the presses that make_kvpress_zoo_goldens.py
leaves out: wrappers, presses with trained weights, presses that choose how many tokens stay.

    build/venv-kv/bin/python tests/parity/make_kvpress_more_goldens.py [--only llama]

The two random checkpoints and the form of the files are those of make_kvpress_zoo_goldens.py. `files`: tensors that
stand for published weights, as formulas; @NAME in a method's text is such a file. `channels`: digests of the key
channels that ThinKPress prunes. Margins of presses that are no plain choice of the best tokens are found by trying:
1 if the same tokens stay when every score moves by about 4e-6 of its scale, 1e-6 if not. The Gaussian matrices that
LeverageScorePress draws without a seed are those of core/compress/leverage/leverage.cpp.
"""

import argparse
import logging
import math
from types import SimpleNamespace

import kvpress.presses.leverage_press as leverage_module
import torch
from kvpress import (
    BlockPress,
    CapPress,
    ChunkPress,
    CompactorPress,
    CriticalAdaKVPress,
    CriticalKVPress,
    CURPress,
    DMSPress,
    DuoAttentionPress,
    EntropyGatedChunkKVPress,
    ExpectedAttentionPress,
    ExpectedAttentionStatsPress,
    FastKVzipPress,
    FinchPress,
    KeyDiffPress,
    KnormPress,
    KVzapPress,
    LagKVPress,
    LeverageScorePress,
    NonCausalAttnPress,
    PerLayerCompressionPress,
    QFilterPress,
    SimLayerKVPress,
    SnapKVPress,
    ThinKPress,
)
from kvpress.presses.fastkvzip_press import FastKVzipGate
from kvpress.presses.kvzap_press import KVzapConfig, KVzapModel
from kvpress_in_double import REPEAT, RecordingKVzip, in_double
from make_kvpress_goldens import recipe, uniform
from make_kvpress_zoo_goldens import CHECKPOINTS, FRACTIONS, LENGTHS, SAMPLES, Runner, digest, draw, gap, milder, write
from splitmix import SplitMix, derived
from transformers import AutoConfig, AutoModelForCausalLM

KVZAP_HIDDEN, GATE_DIM, GATE_SINKS = 32, 8, 4
NOISE, DRAWS = 4e-6, 4
SHAPE = SimpleNamespace()  # of the checkpoint at work: layers, heads, kv_heads, head_dim, hidden
FILES = {}  # name -> {tensor: torch.Tensor}
SNAP = dict(window_size=16, kernel_size=7)
SNAP_TEXT = "snapkv(window=16,kernel=7)"


def finch(fraction, chunk=None):
    press = FinchPress(fraction, chunk_length=chunk, rerotate_keys=False)
    press.window_size = 8
    return press


def qfilter(fraction):
    press = QFilterPress(fraction)
    press.q_filters = FILES["qfilter"]["q_filters"]
    return press


def statistics(fraction):
    press = ExpectedAttentionStatsPress(fraction)
    press.mu, press.cov = FILES["stats"]["query_mean"], FILES["stats"]["query_cov"]
    return press


def kvzap(fraction):
    press = KVzapPress(fraction)
    config = KVzapConfig(
        input_dim=SHAPE.hidden, output_dim=SHAPE.kv_heads, n_modules=SHAPE.layers, hidden_dim=KVZAP_HIDDEN
    )
    press.kvzap_model = KVzapModel(config)
    press.kvzap_model.load_state_dict(FILES["kvzap"])
    return press


def fastkvzip(fraction):
    press = FastKVzipPress(fraction)
    press.gates = []
    for layer in range(SHAPE.layers):
        gate = FastKVzipGate(
            layer, SHAPE.hidden, SHAPE.kv_heads, SHAPE.heads // SHAPE.kv_heads, torch.float32, GATE_DIM, GATE_SINKS
        )
        start = f"layers.{layer}."
        gate.load_state_dict({k[len(start) :]: v for k, v in FILES["fastkvzip"].items() if k.startswith(start)})
        press.gates.append(gate)
    return press


def duo(fraction):
    press = DuoAttentionPress(fraction)
    press.load_attention_pattern = lambda model: (4, 16, FILES["pattern"]["heads"].numpy().astype(float))
    return press


def per_layer(fraction):
    press = PerLayerCompressionPress(SnapKVPress(fraction, **SNAP), [0.2, 0.5, 0.8])
    return press


METHODS = {
    "cur": lambda f: CURPress(f),
    "cur(leverage=kv_avg,window=0)": lambda f: CURPress(f, leverage_type="kv_avg", use_local_approximation=False),
    "leverage": lambda f: LeverageScorePress(f),
    "non_causal_attention(chunk=64)": lambda f: NonCausalAttnPress(f, chunk_size=64),
    "compactor": lambda f: CompactorPress(f),
    "compactor(chunk=64,blending=0.35)": lambda f: CompactorPress(f, chunk_size=64, blending=0.35),
    "capkv": lambda f: CapPress(f),
    "global(kvzip_plus)": lambda f: RecordingKVzip(f, kvzip_plus_normalization=True),
    "global(kvzip,layerwise=yes)": lambda f: RecordingKVzip(f, layerwise=True),
    "finch(window=8)": finch,
    "chunk(finch(window=8),length=128,scores=whole)": lambda f: finch(f, 128),
    "chunk(keydiff,length=64)": lambda f: ChunkPress(KeyDiffPress(f), chunk_length=64),
    "chunk(cur,length=100)": lambda f: ChunkPress(CURPress(f), chunk_length=100),
    "block(keydiff,size=32)": lambda f: BlockPress(KeyDiffPress(f), block_size=32),
    f"criticalkv({SNAP_TEXT})": lambda f: CriticalKVPress(SnapKVPress(f, **SNAP)),
    f"criticaladakv({SNAP_TEXT})": lambda f: CriticalAdaKVPress(SnapKVPress(f, **SNAP)),
    f"per_layer({SNAP_TEXT},removed=20/50/80)": per_layer,
    "entropy_chunkkv(cur(sinks=0))": lambda f: EntropyGatedChunkKVPress(CURPress(f, num_sinks=0)),
    "entropy_chunkkv(keydiff,length=16,spiky=3)": lambda f: EntropyGatedChunkKVPress(
        KeyDiffPress(f), chunk_length=16, low_entropy_chunk_length=3
    ),
    "dms(kvzap(weights=@kvzap),threshold=0.02,window=32)": lambda f: DMSPress(kvzap(f), 0.02, 32),
    "simlayerkv(threshold=0.28,recent=48)": lambda f: SimLayerKVPress(0.28, n_recent=48),
    "duo_attention(pattern=@pattern,sinks=4,recent=16)": duo,
    "qfilter(filters=@qfilter)": qfilter,
    "kvzap(weights=@kvzap)": kvzap,
    "global(fastkvzip(weights=@fastkvzip))": fastkvzip,
    "expected_attention(stats=@stats)": statistics,
    "expected_attention(covariance=no,vnorm=no)": lambda f: ExpectedAttentionPress(
        f, use_covariance=False, use_vnorm=False
    ),
    "lagkv(lag=32,cross=yes)": lambda f: LagKVPress(f, lag_size=32, cross_scoring=True),
}
SCORED = [
    "cur",
    "leverage",
    "non_causal_attention(chunk=64)",
    "compactor(chunk=64,blending=0.35)",
    "capkv",
    "global(kvzip_plus)",
    "finch(window=8)",
    "qfilter(filters=@qfilter)",
    "kvzap(weights=@kvzap)",
    "global(fastkvzip(weights=@fastkvzip))",
    "expected_attention(stats=@stats)",
    "lagkv(lag=32,cross=yes)",
]
PINNED = ("snapkv", "expected_attention", "kvzip", "finch", "cur", "capkv", "compactor", "lagkv")
SHARES = ("snapkv", "expected_attention", "kvzip", "finch", "cur", "capkv")
UNBOUNDED = ("leverage", "non_causal", "compactor", "qfilter", "finch")
TRIED = ("chunk(", "block(", "critical", "entropy")  # more than the best of each head
BY_FRACTION = ("compactor", "block(", "per_layer")  # their scores are not the same for every fraction
THINK = {
    "think(removed=0.4,window=32)": (None, lambda: ThinKPress(0.4, window_size=32)),
    f"{SNAP_TEXT}+think(removed=0.5,window=16)": (SnapKVPress(0.5, **SNAP), lambda: ThinKPress(0.5, window_size=16)),
}


def tensor(name, shape, scale, offset=0.0):
    return dict(name=name, shape=shape, seed=sum(map(ord, name)) * 1009 + len(name), scale=scale, offset=offset)


def file_recipes():
    s, group = SHAPE, SHAPE.heads // SHAPE.kv_heads
    gate, zap = [], []
    for layer in range(s.layers):
        start, width = f"layers.{layer}.", round((3 / s.hidden) ** 0.5, 6)
        zap += [
            tensor(start + "0.weight", [KVZAP_HIDDEN, s.hidden], width),
            tensor(start + "0.bias", [KVZAP_HIDDEN], 0.1),
            tensor(start + "2.weight", [s.kv_heads, KVZAP_HIDDEN], 0.3),
            tensor(start + "2.bias", [s.kv_heads], 0.1),
        ]
        gate += [
            tensor(start + "q_proj.weight", [s.heads * GATE_DIM, s.hidden], width),
            tensor(start + "q_proj.bias", [s.heads * GATE_DIM], 0.1),
            tensor(start + "k_proj.weight", [s.kv_heads * GATE_DIM, s.hidden], width),
            tensor(start + "q_norm.weight", [GATE_DIM], 0.2, 1.0),
            tensor(start + "k_norm.weight", [GATE_DIM], 0.2, 1.0),
            tensor(start + "k_base", [s.kv_heads, 1, GATE_SINKS, GATE_DIM], 1.0),
            tensor(start + "b", [s.kv_heads, 1, group], 0.2),
        ]
    return dict(
        qfilter=[tensor("q_filters", [s.layers, s.kv_heads, s.head_dim], 1.0)],
        stats=[
            tensor("query_mean", [s.layers, s.heads, s.head_dim], 0.3),
            tensor("query_cov", [s.layers, s.heads, s.head_dim, s.head_dim], 0.1),
        ],
        kvzap=zap,
        fastkvzip=gate,
        pattern=[tensor("heads", [s.layers, s.kv_heads], 0.5, 0.5)],
    )


class Sketches:
    """torch.randn of LeverageScorePress: the numbers of Random(derive_seed(0, layer)).normal()."""

    layer, drawn = 0, {}

    @staticmethod
    def randn(_, heads, dim, sketch, device=None, dtype=None):
        key = (Sketches.layer, heads, dim, sketch)
        if key not in Sketches.drawn:
            random = SplitMix(derived(0, Sketches.layer))
            values = []
            for _ in range(heads * dim * sketch):
                radius = math.sqrt(-2.0 * math.log(1.0 - random.uniform()))
                values.append(radius * math.cos(2.0 * math.pi * random.uniform()))
            Sketches.drawn[key] = torch.tensor(values, dtype=torch.float64).view(1, heads, dim, sketch)
        return Sketches.drawn[key].to(dtype)


class TorchWithSketches:
    """The module torch as leverage_press sees it."""

    randn = staticmethod(Sketches.randn)

    def __getattr__(self, name):
        return getattr(torch, name)


leverage_module.torch = TorchWithSketches()


def spread_of(scores, text):
    """The unit of margins. Scores without a bound round by their size, so there it may be above 1."""
    free = scores[scores < scores.max()] if any(name in text for name in PINNED) else scores.flatten()
    spread = float(free.max() - free.min()) if len(free) else 1.0
    return spread if any(name in text for name in UNBOUNDED) else min(1.0, spread)


def moved(scores, text, random):
    """Every score by about 4e-6 of its scale; sums of attention also by less where they are small."""
    scale = torch.full_like(scores, max(spread_of(scores, text), 1e-30))
    if any(name in text for name in SHARES):
        scale = torch.minimum(scale, 10 * scores.abs())
    return scores + NOISE * scale * (2 * torch.rand(scores.shape, generator=random, dtype=scores.dtype) - 1)


class MoreRunner(Runner):
    @torch.no_grad()
    def keep(self, text, fraction):
        """Kept indices [layer][head], margins [layer] and scores [layer]."""
        press = METHODS[text](fraction)
        if isinstance(press, (RecordingKVzip, FastKVzipPress)):
            return self.keep_global(text, press)
        dtype = self.calls[False][0][2].dtype
        if isinstance(press, DuoAttentionPress):
            press.post_init_from_model(self.models[False])
        elif isinstance(press, QFilterPress):
            press.q_filters = press.q_filters.to(dtype)
        elif isinstance(press, ExpectedAttentionStatsPress):
            press.mu, press.cov = press.mu.to(dtype), press.cov.to(dtype)
        kept, margins, scores = [], [], []
        for call in self.calls[False]:
            Sketches.layer = call[0].layer_idx
            one, seen = self.keep_layer(text, press, call, None)
            kept.append(one)
            scores.append(seen)
            margins.append(self.margin(text, press, call, one, seen, fraction))
        return kept, margins, scores

    def keep_layer(self, text, press, call, random):
        """What a press keeps of one layer, with its scores moved if there is a generator."""
        module, hidden, keys, values, attention, kwargs = call
        inner = press.press if hasattr(press, "press") else press
        seen = []
        if hasattr(inner, "score"):
            score = type(inner).score

            def record(*args):
                key = (text, module.layer_idx)
                cached = not any(name in text for name in BY_FRACTION) and "chunk(keydiff" not in text
                cached = cached and "chunk(cur" not in text
                if not cached or key not in self.memory:
                    self.memory[key] = score(inner, *args)
                seen.append(self.memory[key][0].clone())
                found = self.memory[key].clone()
                return found if random is None else moved(found, text, random)

            inner.score = record
        if isinstance(press, DMSPress):
            press.forward_hook(module, None, kwargs, [None, None])
            left = keys
        elif isinstance(press, PerLayerCompressionPress):
            inner.compression_ratio = press.compression_ratios[module.layer_idx]
            left = inner.compress(module, hidden, keys.clone(), values.clone(), None, kwargs)[0]
        else:
            left = press.compress(module, hidden, keys.clone(), values.clone(), None, kwargs)[0]
        masked = getattr(module, "masked_key_indices", None)
        if masked is not None or isinstance(press, (DMSPress, DuoAttentionPress, CriticalAdaKVPress)):
            module.masked_key_indices = None
            assert torch.equal(left, keys)
            mask = torch.ones(keys.shape[1:3], dtype=torch.bool)
            if masked is not None:
                mask[masked[1], masked[2]] = False
            kept = [head.nonzero().flatten().tolist() for head in mask]
        else:
            places = [{row.numpy().tobytes(): t for t, row in enumerate(head)} for head in keys[0]]
            kept = [sorted(places[head][row.numpy().tobytes()] for row in rows) for head, rows in enumerate(left[0])]
        return kept, torch.cat(seen, dim=-1) if seen else None

    def margin(self, text, press, call, kept, scores, fraction):
        if isinstance(press, DuoAttentionPress):
            return 1.0
        if isinstance(press, SimLayerKVPress):
            near = [SimLayerKVPress(0.28 + d, n_recent=48) for d in (-1e-4, 1e-4)]
            others = [self.keep_layer(text, one, call, None)[0] for one in near]
            return 1.0 if all(one == kept for one in others) else 1e-6
        if isinstance(press, DMSPress):
            return float((scores - press.threshold).abs().min() / max(spread_of(scores, text), 1e-30))
        if any(name in text for name in TRIED):
            random = torch.Generator().manual_seed(len(text))
            same = all(self.keep_layer(text, press, call, random)[0] == kept for _ in range(DRAWS))
            return 1.0 if same else 1e-6
        spread, shares = spread_of(scores, text), any(name in text for name in SHARES)

        def scale(cut):
            return max(min(spread, 10 * abs(cut)) if shares else spread, 1e-30)

        return min(gap(head.sort(descending=True).values, len(kept[0]), scale) for head in scores)

    def keep_global(self, text, press):
        """KVzipPress and FastKVzipPress, which compress after the prefill."""
        model = self.models[False]
        if text not in self.memory:
            if isinstance(press, FastKVzipPress):
                press.score_val = [None] * SHAPE.layers
                for gate in press.gates:
                    gate.to(next(model.parameters()).dtype)
                for module, hidden, *_ in self.calls[False]:
                    press._score_fast(module, hidden)
                self.memory[text] = list(press.score_val)
            else:
                self.run(press)
                self.memory[text] = press.recorded
        scores = self.memory[text]
        press.score_val = [one.clone() for one in scores] if isinstance(press, FastKVzipPress) else torch.stack(scores)
        press.compress_post(model)
        kept = []
        for module, *_ in self.calls[False]:
            mask = torch.ones(scores[0][0].shape, dtype=torch.bool)
            mask[module.masked_key_indices[1], module.masked_key_indices[2]] = False
            module.masked_key_indices = None
            kept.append([head.nonzero().flatten().tolist() for head in mask])
        margins = []
        for layer, heads in enumerate(one[0] for one in scores):
            spread = spread_of(heads, text)

            def scale(cut):
                return max(min(spread, 10 * abs(cut)), 1e-30)

            flat = heads.flatten()
            n = sum(len(head) for head in kept[layer])
            if press.layerwise:
                margins.append(gap(flat.sort(descending=True).values, n, scale))
                continue
            pooled = torch.cat([one[0].flatten() for one in scores]).sort(descending=True).values
            total = sum(len(head) for one in kept for head in one)
            last, first = pooled[total - 1 : total], pooled[total : total + 1]
            above = torch.cat([flat[flat >= last].sort(descending=True).values[-1:], first])
            below = torch.cat([last, flat[flat < last].sort(descending=True).values[:1]])
            margins.append(min(gap(above, 1, scale), gap(below, 1, scale)))
        return kept, margins, [one[0] for one in scores]

    @torch.no_grad()
    def channels(self):
        """Digests of the pruned channels and margins, by method and layer."""
        found = []
        for first, make in THINK.values():
            for module, hidden, keys, values, _, kwargs in self.calls[False]:
                k, v = keys.clone(), values.clone()
                if first is not None:
                    k, v = first.compress(module, hidden, k, v, None, kwargs)
                press = make()
                queries = press.compute_window_queries(module, hidden, kwargs["position_embeddings"])
                weight = queries.square().mean(2).view(1, SHAPE.kv_heads, -1, SHAPE.head_dim).mean(2)
                ordered = (weight * k.square().mean(2))[0].sort(dim=-1).values
                left = press.compress(module, hidden, k.clone(), v, None, kwargs)[0]
                pruned = [(head == 0).all(0).nonzero().flatten().tolist() for head in left[0]]
                margin = 1.0
                for head, gone in zip(ordered, pruned):
                    n = len(gone)
                    margin = min(margin, float((head[n] - head[n - 1]) / head[n]))
                found.append([digest(pruned), float(f"{margin:.1e}")])
        return found


def sample(runner, exact, prompt, index, layers, kv_heads):
    """Scores in double at drawn places, and how far those of fp32 lie from them."""
    exact.prefill(torch.tensor([prompt]))
    scores, off = [], {}
    for text in SCORED:
        random = SplitMix(len(prompt))
        seen, true = (one.keep(text, FRACTIONS[0])[2] for one in (runner, exact))
        places = [(random.below(layers), random.below(kv_heads), random.below(len(prompt))) for _ in range(SAMPLES)]
        values = [float(true[l][h, t]) for l, h, t in places]
        off[text] = max(float(((a - b).abs() / b.abs().clamp(min=1e-12)).max()) for a, b in zip(seen, true))
        scores.append(dict(prompt=index, method=text, values=[float(f"{v:.7g}") for v in values]))
    return scores, off


def goldens(runner, exact, drawn, config, head):
    prompts, scores, compared, off = [], [], {text: [0, 0, 0] for text in METHODS}, dict.fromkeys(SCORED, 0.0)
    for index, (origin, prompt) in enumerate(drawn):
        runner.prefill(torch.tensor([prompt]))
        cuts = []
        for text in METHODS:
            for fraction in FRACTIONS:
                kept, margins = runner.keep(text, fraction)[:2]
                for heads, margin in zip(kept, margins):
                    cuts.append([digest(heads), float(f"{margin:.1e}")])
                    compared[text][0 if margin >= 1e-5 else 1 if margin > 0 else 2] += 1
        if index in (3, 13):
            some, far = sample(runner, exact, prompt, index, config["num_hidden_layers"], config["num_key_value_heads"])
            scores += some
            off = {text: max(off[text], far[text]) for text in SCORED}
        prompts.append(dict(tokens=len(prompt), **origin, cuts=cuts, channels=runner.channels()))
        print(f"  {len(prompt)} tokens", flush=True)
    for text, (wide, close, ties) in compared.items():
        print(f"  {text}: {wide} cuts, {close} close, {ties} ties")
    rounding = dict(scores={text: float(f"{one:.1e}") for text, one in off.items()}, keys=0.0)
    print("  fp32 against double:", rounding)
    return head | dict(
        rounding=rounding,
        methods=list(METHODS),
        fractions=FRACTIONS,
        repeat=REPEAT,
        think=list(THINK),
        scores=scores,
        keys=[],
        prompts=prompts,
    )


def main():
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=list(CHECKPOINTS))
    only = parser.parse_args().only
    for name, (_, config) in CHECKPOINTS.items():
        if only not in (None, name):
            continue
        SHAPE.__dict__.update(
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            kv_heads=config["num_key_value_heads"],
            head_dim=config["head_dim"],
            hidden=config["hidden_size"],
        )
        recipes = file_recipes()
        FILES.clear()
        for file, tensors in recipes.items():
            FILES[file] = {t["name"]: torch.from_numpy(uniform(t)) for t in tensors}
        built = [
            AutoModelForCausalLM.from_config(AutoConfig.for_model(**config), attn_implementation=kind).eval().float()
            for kind in ("sdpa", "eager")
        ]
        tensors = milder(recipe(built[0]))
        values = {t["name"]: torch.from_numpy(uniform(t)) for t in tensors}
        for model in built:
            model.load_state_dict(values | {"lm_head.weight": values["model.embed_tokens.weight"]})
        drawn = [(dict(seed=1000 * i + n), draw(1000 * i + n, n, config["vocab_size"])) for i, n in enumerate(LENGTHS)]
        source = "kvpress 0.5.5, transformers 5.2.0, torch 2.11.0"
        head = dict(source=source, config=config, tensors=tensors, files=recipes)
        exact = MoreRunner(*map(in_double, built))
        write(name + "_more", goldens(MoreRunner(*built), exact, drawn, config, head))


if __name__ == "__main__":
    main()
