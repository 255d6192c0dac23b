#!/usr/bin/env python3
"""Makes tests/goldens/MODEL.json: greedy answers of a shipped model as transformers computes them.

The texts come from `kvantage-cli workload make` with the options below, which tests/runtime/default_model_test.cpp
repeats; only their digest and the answers are committed. transformers computes in fp32 on the bf16 weights and also
says how far ahead of the next best each token was: a difference smaller than rounding in bf16 is a tie. The tokenizer
is read as PreTrainedTokenizerFast: AutoTokenizer of transformers 5 puts the splitting of Qwen2 in the place of that in
tokenizer.json. Needs torch and transformers:
    python3 -m venv VENV && VENV/bin/pip install torch transformers
    VENV/bin/python tests/parity/make_default_model_goldens.py build/release/app/kvantage-cli default_model
    VENV/bin/python tests/parity/make_default_model_goldens.py build/release/app/kvantage-cli reference-mha
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = [
    "--seed",
    "77",
    "--contexts-per-family",
    "3",
    "--min-tokens",
    "400",
    "--max-tokens",
    "700",
    "--answer-tokens",
    "60",
    "--profile-questions",
    "1",
    "--held-out-questions",
    "8",
]
MAX_TOKENS = 96
FOLDERS = {"default_model": "model", "reference-mha": "reference-mha"}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def main():
    torch.set_grad_enabled(False)
    name = sys.argv[2]
    shipped = ROOT / "resources" / FOLDERS[name]
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(shipped)
    model = transformers.AutoModelForCausalLM.from_pretrained(shipped, dtype=torch.float32)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "workload", "make", "--quiet", "--out", folder, *OPTIONS], check=True)
        checked = subprocess.run([sys.argv[1], "workload", "check", "--json", folder], check=True, capture_output=True)
        digest = json.loads(checked.stdout)["digest"]
        contexts = {context["id"]: context for context in lines(pathlib.Path(folder) / "contexts.jsonl")}
        questions = lines(pathlib.Path(folder) / "questions.jsonl")
    answers, right = [], 0
    for question in questions:
        if question["split"] != "held_out":
            continue
        text = contexts[question["context"]]["text"]
        prompt = tokenizer.apply_chat_template(
            [{"role": "system", "content": text}, {"role": "user", "content": question["question"]}],
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )["input_ids"]
        out = model.generate(
            prompt, max_new_tokens=MAX_TOKENS, do_sample=False, output_scores=True, return_dict_in_generate=True
        )
        tokens = out.sequences[0, prompt.shape[1] :].tolist()
        leads = []
        for scores in out.scores:
            best = torch.topk(scores[0].float(), 2).values
            leads.append(round((best[0] - best[1]).item(), 3))
        right += tokenizer.decode(tokens, skip_special_tokens=True).strip() == question["gold"]
        answers.append(
            {"context": question["context"], "prompt_tokens": prompt.shape[1], "tokens": tokens, "leads": leads}
        )
    (ROOT / "tests" / "goldens" / f"{name}.json").write_text(
        json.dumps(
            {"workload": digest, "transformers": transformers.__version__, "answers": answers}, separators=(",", ":")
        )
        + "\n"
    )
    print(f"{len(answers)} answers, {right} equal to the gold")


main()
