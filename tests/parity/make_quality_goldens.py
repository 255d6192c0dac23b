#!/usr/bin/env python3
"""Goldens for the SQuAD metrics of core/text/quality: values of transformers' copy of the official evaluation script,
and a bootstrap interval of numpy.

    build/venv-text/bin/pip install 'transformers<5' numpy
    build/venv-text/bin/python tests/parity/make_quality_goldens.py
"""
import json
import pathlib
import random

import numpy
from transformers.data.metrics.squad_metrics import compute_exact, compute_f1, normalize_answer

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "quality.json"

HAND_MADE = [
    ("", ""), ("the", ""), ("", "7392"), (" 7392 ", "7392"), ("7392.", "7392"), ("The badge", "badge"), ("an apple", "An Apple!"),
    ("a-b", "ab"), ("the-cat", "thecat"), ("cat the", "the cat"), ("Bob and Bob", "Bob"), ("Bob", "Bob and Bob"), ("on Monday", "Monday"),
    ("a.", "b"), ("A", "the"), ("It's", "its"), ("don't   stop", "dont stop"), ("\u00c9cole", "\u00e9cole"), ("\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2"),
    ("the\u00e9", "th\u00e9"), ("a\u0301 b", "b"), ("an\u00a0apple", "apple"), ("1\u20442", "12"), ("\u201cquote\u201d", "quote"), ("\u0130stanbul", "istanbul"),
    ("x\x1cy", "x y"), ("x\u200by", "x y"), ("theatre the", "theatre"), ("the_the", "thethe"), ("\u5b57 the \u5b57a", "\u5b57"), ("a b c d", "b c d e"),
]
WORDS = ["the", "a", "an", "The", "A", "cat", "Cat", "badge", "7392", "Ann", "and", "O'Neil", "x-y", "...", "\u00e9t\u00e9", "\u0660", "\u4e00", "!", "theme"]
SPACES = [" ", "  ", "\t", "\n", "\u3000", "-", ", "]


def main():
    rng = random.Random(7)
    pairs = list(HAND_MADE)
    for _ in range(400):
        pairs.append(tuple("".join(rng.choice(WORDS) + rng.choice(SPACES) for _ in range(rng.randint(0, 6))) for _ in range(2)))
    rows = [{"answer": a, "gold": g, "normalized": normalize_answer(a), "exact_match": compute_exact(g, a), "token_f1": compute_f1(g, a)}
            for a, g in pairs]
    scores = [row["token_f1"] for row in rows]
    generator = numpy.random.default_rng(1)
    means = numpy.array([numpy.mean(generator.choice(scores, len(scores))) for _ in range(20000)])
    interval = {"mean": float(numpy.mean(scores)), "low": float(numpy.quantile(means, 0.025)), "high": float(numpy.quantile(means, 0.975))}
    OUT.write_text(json.dumps({"pairs": rows, "interval": interval}, indent=0) + "\n")
    print(len(rows), interval)


if __name__ == "__main__":
    main()
