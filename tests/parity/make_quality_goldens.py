#!/usr/bin/env python3
"""Goldens for the metrics of words of core/text/quality: exact_match and token_f1 of transformers' copy of the official
SQuAD evaluation script, rouge_l of rouge-score (rougeL, F-measure, no stemmer), and a bootstrap interval of numpy.
torchmetrics' SQuAD metric is held against the same pairs; where it differs from the official script, the script says
so.

    build/venv-quality/bin/pip install 'transformers<5' numpy rouge-score torchmetrics torch
    build/venv-quality/bin/python tests/parity/make_quality_goldens.py
"""

import json
import pathlib
import random

import numpy
from rouge_score.rouge_scorer import RougeScorer
from torchmetrics.functional.text import squad
from transformers.data.metrics.squad_metrics import compute_exact, compute_f1, normalize_answer

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "quality.json"

HAND_MADE = [
    ("", ""),
    ("the", ""),
    ("", "7392"),
    (" 7392 ", "7392"),
    ("7392.", "7392"),
    ("The badge", "badge"),
    ("an apple", "An Apple!"),
    ("a-b", "ab"),
    ("the-cat", "thecat"),
    ("cat the", "the cat"),
    ("Bob and Bob", "Bob"),
    ("Bob", "Bob and Bob"),
    ("on Monday", "Monday"),
    ("a.", "b"),
    ("A", "the"),
    ("It's", "its"),
    ("don't   stop", "dont stop"),
    ("\u00c9cole", "\u00e9cole"),
    ("\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2"),
    ("the\u00e9", "th\u00e9"),
    ("a\u0301 b", "b"),
    ("an\u00a0apple", "apple"),
    ("1\u20442", "12"),
    ("\u201cquote\u201d", "quote"),
    ("\u0130stanbul", "istanbul"),
    ("x\x1cy", "x y"),
    ("x\u200by", "x y"),
    ("theatre the", "theatre"),
    ("the_the", "thethe"),
    ("\u5b57 the \u5b57a", "\u5b57"),
    ("a b c d", "b c d e"),
]
WORDS = [
    "the",
    "a",
    "an",
    "The",
    "A",
    "cat",
    "Cat",
    "badge",
    "7392",
    "Ann",
    "and",
    "O'Neil",
    "x-y",
    "...",
    "\u00e9t\u00e9",
    "\u0660",
    "\u4e00",
    "!",
    "theme",
]
SPACES = [" ", "  ", "\t", "\n", "\u3000", "-", ", "]


def main():
    rng = random.Random(7)
    pairs = list(HAND_MADE)
    for _ in range(400):
        pairs.append(
            tuple("".join(rng.choice(WORDS) + rng.choice(SPACES) for _ in range(rng.randint(0, 6))) for _ in range(2))
        )
    for _ in range(120):  # an answer and the same with words lost, doubled or moved, as long answers go wrong
        words = [rng.choice(WORDS) for _ in range(rng.randint(5, 60))]
        other = list(words)
        for _ in range(rng.randint(0, 8)):
            at = rng.randrange(len(other))
            kind = rng.randrange(3)
            if kind == 0 and len(other) > 1:
                other.pop(at)
            elif kind == 1:
                other.insert(at, rng.choice(WORDS))
            else:
                other.insert(rng.randrange(len(other)), other.pop(at))
        pairs.append((" ".join(words), " ".join(other)))
    rouge = RougeScorer(["rougeL"], use_stemmer=False)
    rows = [
        {
            "answer": a,
            "gold": g,
            "normalized": normalize_answer(a),
            "exact_match": compute_exact(g, a),
            "token_f1": compute_f1(g, a),
            "rouge_l": rouge.score(g, a)["rougeL"].fmeasure,
        }
        for a, g in pairs
    ]
    unlike = []
    for row in rows:
        other = squad(
            [{"prediction_text": row["answer"], "id": "1"}],
            [{"answers": {"answer_start": [0], "text": [row["gold"]]}, "id": "1"}],
        )
        if (
            abs(float(other["f1"]) / 100 - row["token_f1"]) > 1e-6
            or float(other["exact_match"]) / 100 != row["exact_match"]
        ):
            unlike.append((row["answer"], row["gold"]))
    print("torchmetrics differs in", len(unlike), "pairs:", unlike[:6])
    scores = [row["token_f1"] for row in rows]
    generator = numpy.random.default_rng(1)
    means = numpy.array([numpy.mean(generator.choice(scores, len(scores))) for _ in range(20000)])
    interval = {
        "mean": float(numpy.mean(scores)),
        "low": float(numpy.quantile(means, 0.025)),
        "high": float(numpy.quantile(means, 0.975)),
    }
    OUT.write_text(json.dumps({"pairs": rows, "interval": interval}, indent=0) + "\n")
    print(len(rows), interval)


if __name__ == "__main__":
    main()
