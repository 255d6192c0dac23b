#!/usr/bin/env python3
"""Goldens for core/text/unigram, word_level and charsmap: what `tokenizers` makes of random Unicode strings.

    python3 -m venv build/venv-text && build/venv-text/bin/pip install tokenizers==0.22.2
    build/venv-text/bin/python tests/parity/make_unigram_goldens.py

Writes into tests/goldens/unigram, in the form of make_tokenizer_goldens.py, whose strings it takes. The table of
characters (precompiled_charsmap) is made here, in SentencePiece's form: NFKC of a few blocks, and lower case.
Training gives another vocabulary of Unigram in each run; everything else follows from the vocabularies.
"""

import base64
import json
import struct
import unicodedata

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from make_tokenizer_goldens import OUT as TABLES_FOLDER
from make_tokenizer_goldens import SEED, TABLES, make_string, metaspace, sequence, write_bases, write_digests

OUT = TABLES_FOLDER.parent / "unigram"
COUNT = 4000


def replacements():
    table = {"\t": " ", "\n": " ", "\r": " ", "\r\n": " ", "\u200b": " ", "\u00ad": "", "\ufeff": "", "\x00a": "b"}
    for low, high in [(0xA0, 0x24F), (0x2000, 0x206F), (0x2070, 0x218F), (0x3000, 0x30FF), (0xFE50, 0xFFEF)]:
        for code in range(low, high):
            wide = unicodedata.normalize("NFKC", chr(code))
            if wide != chr(code):
                table[chr(code)] = wide
    for code in range(0xC0, 0x180):  # spelled with a combining mark, as one grapheme
        apart = unicodedata.normalize("NFD", chr(code))
        if len(apart) == 2:
            table[apart] = chr(code)
    for code in range(0x41, 0x5B):
        table[chr(code)] = chr(code + 32)
    return {spelled: text for spelled, text in table.items() if "\0" not in spelled}


def charsmap(table):
    """darts-clone's double array: a unit holds a byte, whether a value follows, and the offset to its children."""
    texts, begins = b"", {}
    for text in sorted(set(table.values())):
        begins[text] = len(texts)
        texts += text.encode() + b"\0"
    tree = {}
    for spelled, text in table.items():
        node = tree
        for byte in spelled.encode():
            node = node.setdefault(byte, {})
        node[None] = begins[text]
    units, used, bases = {0: 0}, {0}, set()

    def place(position, node):
        labels = [0 if label is None else label for label in node]
        base = 1
        while base in bases or any((base ^ label) in used for label in labels):
            base += 1
        bases.add(base)
        units[position] |= (position ^ base) << 10 | (1 << 8 if None in node else 0)
        for label, child in node.items():
            at = base ^ (label or 0)
            used.add(at)
            units[at] = child | 1 << 31 if label is None else label
        for label, child in node.items():
            if label is not None:
                place(base ^ label, child)

    place(0, tree)
    size = max(units) + 256
    array = b"".join(struct.pack("<I", units.get(at, 0)) for at in range(size))
    return base64.b64encode(struct.pack("<I", len(array)) + array + texts).decode()


def corpus():
    # Only of the strings: the topics of Python's help would change with its version.
    for index in range(6000):
        yield "".join(letter for letter in make_string(TABLES, SEED + 2, index) if ord(letter) < 0x250)


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        corpus(),
        trainers.UnigramTrainer(
            vocab_size=1200, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False
        ),
    )
    state = json.loads(tokenizer.to_str())
    state["model"]["vocab"] = [[piece, round(score, 6)] for piece, score in state["model"]["vocab"]]
    state["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap(replacements())}
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.add_tokens([AddedToken("<mask>", lstrip=True, special=True), AddedToken("word", single_word=True)])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> $B </s>",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")],
    )
    return tokenizer


def word_level():
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(
        corpus(), trainers.WordLevelTrainer(vocab_size=600, special_tokens=["<unk>", "<s>"], show_progress=False)
    )
    return tokenizer


def variants(vocabulary):
    """name, base, JSON merge patch, number of strings."""
    bytes_too = vocabulary + [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]
    strip = {"type": "Strip", "strip_left": False, "strip_right": True}
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    signs = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"}
    table = {"type": "Precompiled", "precompiled_charsmap": charsmap(replacements())}

    def steps(*normalizer_steps):
        return {"type": "Sequence", "normalizers": list(normalizer_steps)}

    yield "unigram", "unigram", {}, COUNT
    yield "t5", "unigram", {
        "normalizer": steps(table, strip, signs),
        "pre_tokenizer": metaspace("always"),
        "decoder": metaspace("always"),
    }, 1000
    yield "xlm_r", "unigram", {
        "normalizer": steps(table, spaces),
        "pre_tokenizer": sequence({"type": "WhitespaceSplit"}, metaspace("always")),
    }, 1000
    quotes = [
        {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
        {"type": "Replace", "pattern": {"String": "''"}, "content": '"'},
    ]
    yield "albert", "unigram", {
        "normalizer": steps(*quotes, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}, table),
    }, 1000
    yield "bytes", "unigram", {
        "model": {"vocab": bytes_too, "byte_fallback": True},
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
        "pre_tokenizer": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
    }, 1000
    for scheme in ("first", "never"):
        yield f"metaspace_{scheme}", "unigram", {"normalizer": None, "pre_tokenizer": metaspace(scheme)}, 500
    yield "metaspace_whole", "unigram", {"normalizer": None, "pre_tokenizer": metaspace("first", False)}, 500
    yield "word_level", "word_level", {}, 1000
    yield "word_level_spaces", "word_level", {
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "normalizer": {"type": "Lowercase"},
    }, 500


def main():
    bases = write_bases(OUT, (("unigram", unigram), ("word_level", word_level)))
    write_digests(OUT, bases, variants(bases["unigram"]["model"]["vocab"]), COUNT, separators=(",", ":"))


if __name__ == "__main__":
    main()
