#!/usr/bin/env python3
"""Goldens for core/text/wordpiece and core/model/bert_encoder: ids of transformers' BertTokenizer and cosines of
transformers' BertModel with mean pooling over the attention mask, as sentence-transformers does it.

    build/venv-minilm/bin/pip install transformers torch
    build/venv-minilm/bin/python tests/parity/make_minilm_goldens.py ~/.cache/kvantage/all-minilm-l6-v2

Strings come from a generator that the test repeats (SplitMix64), so only digests of their ids are written.
"""

import hashlib
import json
import pathlib
import sys

import torch
from transformers import AutoModel, BertTokenizer

from splitmix import SplitMix

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "minilm.json"

# Where random characters come from: first, last of a stretch of code points.
STRETCHES = [
    (0x20, 0x7E),
    (0x61, 0x7A),
    (0x41, 0x5A),
    (0xA0, 0xFF),
    (0x100, 0x24F),
    (0x300, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x4FF),
    (0x5D0, 0x5EA),
    (0x600, 0x6FF),
    (0x900, 0x97F),
    (0xE00, 0xE7F),
    (0x1E00, 0x1EFF),
    (0x2000, 0x206F),
    (0x20A0, 0x20BF),
    (0x2190, 0x21FF),
    (0x3040, 0x30FF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xFF00, 0xFFEF),
    (0x1F300, 0x1F6FF),
    (0x0, 0x1F),
]
WORDS = [
    "the",
    "badge",
    "Holt",
    "NAÏVE",
    "café",
    "unaffable",
    "tokenization",
    "2048",
    "3.14",
    "don't",
    "e-mail",
    "x" * 101,
    "Straße",
    "İstanbul",
    "[MASK]",
    "[SEP]",
    "[mask]",
    "ΟΔΥΣΣΕΥΣ",
    "\u0301",
    "a\u0301b",
    "字",
    "…",
    "\u200b",
    "\u00ad",
    "\ufffd",
    "##ing",
    "[",
    "]",
    "_",
    "\t",
    "\n",
    "東京 tower",
]


def random_string(rng):
    text = ""
    for _ in range(1 + rng.below(12)):
        if rng.below(3) == 0:
            text += WORDS[rng.below(len(WORDS))]
        else:
            first, last = STRETCHES[rng.below(len(STRETCHES))]
            for _ in range(1 + rng.below(6)):
                text += chr(first + rng.below(last - first + 1))
        if rng.below(2) == 0:
            text += " "
    return text


def digest(rows):
    return hashlib.sha256("".join(",".join(map(str, ids)) + ";" for ids in rows).encode()).hexdigest()[:16]


SUBJECTS = [
    "The harbour office",
    "A young engineer",
    "My neighbour's dog",
    "The northern line",
    "Doctor Amara Cole",
    "The old library",
    "Our supplier",
    "The night shift",
    "A flock of geese",
    "The committee",
    "Nobody in the village",
    "The red notebook",
]
VERBS = [
    "moved its records to",
    "was late for",
    "quietly repaired",
    "has never seen",
    "paid twice for",
    "wrote a letter about",
    "opens before",
    "lost sight of",
    "keeps asking about",
    "finally agreed on",
]
OBJECTS = [
    "the budget of next year",
    "a broken pump",
    "the morning train",
    "the bridge at Elm Street",
    "invoice 4471",
    "the winter storm",
    "three crates of lemons",
    "the new timetable",
    "badge number 7392",
    "a proof of the theorem",
    "the choir's last concert",
    "an unusual recipe",
]
SHORT = [
    "7392",
    "7 392",
    "Monday",
    "on Monday",
    "Tuesday",
    "yes",
    "no",
    "Ada Holt",
    "ada holt",
    "Holt",
    "red",
    "blue",
    "not stated",
    "I do not know.",
    "42",
    "forty-two",
    "",
    ".",
    "Café",
    "cafe",
    "北京",
    "Beijing",
    "e4",
    "port = 8080",
    "port: 8080",
    "the 3rd of May",
    "May 3",
]


def sentence(rng):
    return f"{SUBJECTS[rng.below(len(SUBJECTS))]} {VERBS[rng.below(len(VERBS))]} {OBJECTS[rng.below(len(OBJECTS))]}."


def text_of(rng):
    kind = rng.below(10)
    if kind < 4:
        return SHORT[rng.below(len(SHORT))]
    if kind < 8:
        return sentence(rng)
    if kind == 8:
        return " ".join(sentence(rng) for _ in range(2 + rng.below(4)))
    return " ".join(sentence(rng) for _ in range(25 + rng.below(12)))  # past the limit of 256 tokens


def main():
    folder = sys.argv[1]
    tokenizer = BertTokenizer.from_pretrained(folder)
    encode = lambda texts: tokenizer(texts, truncation=True, max_length=256)["input_ids"]
    rng = SplitMix(11)
    strings = [random_string(rng) for _ in range(2560)]
    ids = encode(strings)
    hand = [
        "",
        " ",
        "Hello, World!",
        "unaffable",
        "a" * 100,
        "a" * 101,
        "[CLS] x [SEP]",
        "x[MASK]y",
        "[ MASK ]",
        "[[MASK]]",
        "é",
        "e\u0301",
        "ﬁ",
        "Ⅷ",
        "½",
        "\u00a0",
        "日本語テキスト",
        "ß",
        "ẞ",
        "İ",
        "ǅ",
        "don't",
        "a_b",
        "1,234.56",
        "$5",
        "™",
        "👍🏽",
        "\x00a\x01",
        "a\u200db",
        "ΑΣ",
        "\u1734",
        "\u1885",
        "\ua9bd",
        "\u1ab0",
        "word " * 300,
    ]
    # Every character there is, each in a word of its own place.
    points = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    blocks = []
    for start in range(0, len(points), 16384):
        blocks.append(digest(encode(["a%sb" % chr(c) for c in points[start : start + 16384]])))

    model = AutoModel.from_pretrained(folder).eval()
    rng = SplitMix(23)
    pairs = [(text_of(rng), text_of(rng)) for _ in range(500)]
    texts = sorted({text for pair in pairs for text in pair})
    vectors = {}
    with torch.no_grad():
        for at in range(0, len(texts), 16):
            batch = tokenizer(texts[at : at + 16], truncation=True, max_length=256, padding=True, return_tensors="pt")
            hidden = model(**batch).last_hidden_state
            mask = batch["attention_mask"].unsqueeze(-1).float()
            pooled = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)
            for text, vector in zip(texts[at : at + 16], pooled):
                vectors[text] = vector
    index = {text: i for i, text in enumerate(texts)}
    cosines = [round(float(vectors[a] @ vectors[b]), 6) for a, b in pairs]
    first = [round(float(v), 6) for v in vectors["Ada Holt"][:8]]
    OUT.write_text(
        json.dumps(
            {
                "strings": len(strings),
                "ids": [digest(ids[at : at + 40]) for at in range(0, len(ids), 40)],
                "characters": blocks,
                "hand_made": [{"text": t, "ids": i} for t, i in zip(hand, encode(hand))],
                "texts": texts,
                "pairs": [[index[a], index[b]] for a, b in pairs],
                "cosines": cosines,
                "ada_holt": first,
            },
            indent=None,
            separators=(",", ":"),
        )
        + "\n"
    )
    print(
        len(strings),
        "strings,",
        len(points),
        "characters,",
        len(pairs),
        "pairs of",
        len(texts),
        "texts; cosine",
        min(cosines),
        "to",
        max(cosines),
        "mean",
        sum(cosines) / 500,
    )


if __name__ == "__main__":
    main()
