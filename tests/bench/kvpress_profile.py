#!/usr/bin/env python3
"""The cells of contexts' quality curves as kvpress measures them: for each press and ratio a context is prefilled under
the press, then each question is answered greedily over the compressed cache
(KVPressTextGenerationPipeline.generate_answer).
Called by profile_bench_test with a JSON file {model, threads, contexts: [{tokens, questions}], methods, fractions,
max_tokens, stop_ids}; prints seconds by cell and the answers. tests/bench/make_peers.sh installs kvpress.
"""

import json
import sys
import time

import torch
from kvpress import KeyDiffPress, KnormPress, SnapKVPress, StreamingLLMPress, TOVAPress
from transformers import AutoModelForCausalLM, DynamicCache

PRESSES = {
    "knorm": KnormPress,
    "keydiff": KeyDiffPress,
    "snapkv": SnapKVPress,
    "streaming_llm": StreamingLLMPress,
    "tova": TOVAPress,
}


@torch.no_grad()
def answer(model, cache, question, start, job):
    """Greedy; the cache is cut back to the context afterwards, as the pipeline does."""
    lengths = [cache.get_seq_length(layer) for layer in range(len(cache))]
    ids = torch.tensor([question])
    positions = torch.arange(start, start + len(question)).unsqueeze(0)
    tokens = []
    while True:
        logits = model(input_ids=ids, past_key_values=cache, position_ids=positions, logits_to_keep=1).logits
        token = int(logits[0, -1].argmax())
        if token in job["stop_ids"]:
            break
        tokens.append(token)
        if len(tokens) >= job["max_tokens"]:
            break
        ids = torch.tensor([[token]])
        positions = positions[:, -1:] + 1
    for layer, length in enumerate(lengths):
        cache.layers[layer].keys = cache.layers[layer].keys[:, :, :length]
        cache.layers[layer].values = cache.layers[layer].values[:, :, :length]
    return tokens


@torch.no_grad()
def main():
    job = json.load(open(sys.argv[1]))
    torch.set_num_threads(job["threads"])
    model = AutoModelForCausalLM.from_pretrained(job["model"], dtype=torch.bfloat16).eval()
    cells = [("none", 0.0)] + [(method, fraction) for method in job["methods"] for fraction in job["fractions"]]

    def cell(tokens, questions, method, fraction):
        context = torch.tensor([tokens])
        cache = DynamicCache()
        begun = time.perf_counter()
        if method == "none":
            model.model(input_ids=context, past_key_values=cache)
        else:
            with PRESSES[method](compression_ratio=fraction)(model):
                model.model(input_ids=context, past_key_values=cache)
        compressed = time.perf_counter()
        answers = [answer(model, cache, question, context.shape[1], job) for question in questions]
        return compressed - begun, time.perf_counter() - compressed, answers

    rows = []
    for number, context in enumerate(job["contexts"]):
        if number == 0:
            cell(context["tokens"], context["questions"], "none", 0.0)  # warm
        for method, fraction in cells:
            prefill, answering, answers = cell(context["tokens"], context["questions"], method, fraction)
            rows.append(
                {
                    "context": number,
                    "method": method,
                    "removed_fraction": fraction,
                    "prefill_seconds": prefill,
                    "answer_seconds": answering,
                    "answers": answers,
                }
            )
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
