#!/usr/bin/env python3
"""Goldens for core/text: what Hugging Face `tokenizers` makes of random Unicode strings.

    python3 -m venv build/venv-text && build/venv-text/bin/pip install tokenizers==0.22.2
    build/venv-text/bin/python tests/parity/make_tokenizer_goldens.py

Writes into tests/goldens/tokenizers: two small tokenizers trained here (byte-level and SentencePiece-like), variants of
them as JSON merge patches, and for every string a digest of 32 bits over the ids (without and with special tokens) and
the texts decoded from them. The strings are not stored: the test makes them again from generator.json and the seed.
Training gives another SentencePiece-like vocabulary in each run; everything else follows from the vocabularies.
"""

import json
import pathlib
import pydoc_data.topics
import struct
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from splitmix import SplitMix, derived

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "tokenizers"
SEED = 20261121

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def make_string(tables, seed, index):
    random = SplitMix(derived(seed, index))
    parts = 150 if index % 200 == 199 else random.below(13)
    text = ""
    for _ in range(parts):
        kind = random.below(100)
        if kind < 25:
            text += tables["fragments"][random.below(len(tables["fragments"]))] * (1 + random.below(4))
        elif kind < 35:
            text += tables["tokens"][random.below(len(tables["tokens"]))]
        elif kind < 45:
            text += " "
        else:
            low, high = tables["blocks"][random.below(len(tables["blocks"]))]
            for _ in range(1 + random.below(6)):
                character = low + random.below(high - low + 1)
                if not 0xD800 <= character < 0xE000:
                    text += chr(character)
    return text


TABLES = {
    # Printable ASCII often, then scripts, combining marks, symbols, private use, and anything at all.
    "blocks": [[0x20, 0x7E]] * 6
    + [
        [0x30, 0x39],
        [0x00, 0x20],
        [0x7F, 0xFF],
        [0x100, 0x24F],
        [0x2B0, 0x36F],
        [0x370, 0x3FF],
        [0x400, 0x52F],
        [0x530, 0x5FF],
        [0x600, 0x6FF],
        [0x900, 0x97F],
        [0xB80, 0xBFF],
        [0xE00, 0xE7F],
        [0x10A0, 0x11FF],
        [0x1780, 0x180F],
        [0x1E00, 0x1FFF],
        [0x2000, 0x206F],
        [0x2070, 0x218F],
        [0x2190, 0x27BF],
        [0x3000, 0x30FF],
        [0x3100, 0x33FF],
        [0x4E00, 0x9FFF],
        [0xAC00, 0xD7A3],
        [0xE000, 0xE0FF],
        [0xF900, 0xFDFF],
        [0xFE00, 0xFFFF],
        [0x10300, 0x1044F],
        [0x1D400, 0x1D7FF],
        [0x1F000, 0x1FAFF],
        [0x20000, 0x323AF],
        [0xE0000, 0xE01FF],
        [0x80, 0xFFFF],
        [0x0, 0x10FFFF],
    ],
    "fragments": [
        "'s",
        "'RE",
        "'ll",
        "'\u017f",
        "'D",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        " \n ",
        "the",
        "ing",
        " and",
        "Hello",
        " World",
        "123",
        "4567",
        "3.14",
        "e\u0301",
        "A\u030a",
        "\u1100\u1161\u11a8",
        "q\u0307\u0323",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1e9\U0001f1ea",
        "\u180e",
        "\u0085",
        "\u00a0",
        "\u2028",
        "\u3000",
        "\u200b",
        "\ufeff",
        "\u2581",
        "<0x0A>",
        "\u0120",
        "\ufb01",
        "\u0130",
        "\u212a",
        "\u1e9e",
        "\u03a3",
        "\ufffd",
        "</",
        "<|",
        "|>",
        "...",
    ],
    "tokens": [
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|im_start|>",
        "<mask>",
        " <mask> ",
        "<tool>",
        "word",
        "Word",
        "<s>",
        "</s>",
        "<unk>",
    ],
}


def fnv(data, state=0x811C9DC5):
    for byte in data:
        state = ((state ^ byte) * 0x01000193) & 0xFFFFFFFF
    return state


def corpus():
    for text in pydoc_data.topics.topics.values():
        yield from text.split("\n\n")
    for index in range(12000):
        yield make_string(TABLES, SEED + 1, index)


def byte_level():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        corpus(),
        trainers.BpeTrainer(
            vocab_size=1400, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
        ),
    )
    # Words that only ignore_merges can reach.
    state = json.loads(tokenizer.to_str())
    for word in ("\u0120kvantage", "Hello\u0120", "zzzz"):
        state["model"]["vocab"][word] = len(state["model"]["vocab"])
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.add_special_tokens(
        ["<|begin_of_text|>", "<|end_of_text|>", AddedToken("<mask>", lstrip=True, rstrip=True, special=True)]
    )
    tokenizer.add_tokens(
        ["<|im_start|>", AddedToken("<tool>", lstrip=True, normalized=False), AddedToken("word", single_word=True)]
    )
    begin = tokenizer.token_to_id("<|begin_of_text|>")
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<|begin_of_text|> $A",
                pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
                special_tokens=[("<|begin_of_text|>", begin)],
            ),
        ]
    )
    return tokenizer


def sentencepiece():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    # Trained within words, as sentencepiece does; used without a pre-tokenizer.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer.train_from_iterator(
        corpus(), trainers.BpeTrainer(vocab_size=1500, special_tokens=special, limit_alphabet=400, show_progress=False)
    )
    state = json.loads(tokenizer.to_str())
    state["pre_tokenizer"] = None
    state["added_tokens"] = [token for token in state["added_tokens"] if token["id"] < 3]
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.add_tokens(
        [
            "<|im_start|>",
            AddedToken("<mask>", lstrip=True, special=True),
            AddedToken("word", single_word=True, rstrip=True),
        ]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))]
    )
    return tokenizer


def split(pattern, **more):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False, **more}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
DIGITS = {"type": "Digits", "individual_digits": True}


def metaspace(scheme, split_words=True):
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": split_words}


def variants():
    """name, base, JSON merge patch, number of strings."""
    yield "byte_level", "byte_level", {}, 10000
    yield "qwen2", "byte_level", {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": sequence(split(QWEN2), BYTES),
        "model": {"ignore_merges": False},
        "post_processor": BYTES,
    }, 1000
    yield "o200k", "byte_level", {"pre_tokenizer": sequence(split(O200K), BYTES)}, 1000
    yield "gpt2", "byte_level", {
        "pre_tokenizer": dict(BYTES, use_regex=True, add_prefix_space=True),
        "post_processor": None,
    }, 1000
    yield "digits", "byte_level", {"pre_tokenizer": sequence(DIGITS, dict(BYTES, use_regex=True))}, 1000
    yield "inverted", "byte_level", {
        "pre_tokenizer": sequence(split(r"\w+|[^\w\s]+", invert=True, behavior="MergedWithPrevious"), BYTES)
    }, 1000
    yield "contiguous", "byte_level", {"pre_tokenizer": sequence(split(r"\s", behavior="Contiguous"), BYTES)}, 1000
    yield "removed", "byte_level", {
        "pre_tokenizer": sequence(split(r"\d|\W", behavior="Removed"), BYTES),
        "normalizer": {"type": "NFKC"},
    }, 1000
    yield "whitespace", "byte_level", {
        "pre_tokenizer": sequence({"type": "Whitespace"}, BYTES),
        "normalizer": {"type": "NFD"},
    }, 1000
    yield "roberta", "byte_level", {
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["b", 66],
            "cls": ["a", 65],
            "trim_offsets": True,
            "add_prefix_space": True,
        }
    }, 200
    yield "sentencepiece", "sentencepiece", {}, 10000
    yield "unknown_fused", "sentencepiece", {"model": {"byte_fallback": False}}, 1000
    yield "unknown_apart", "sentencepiece", {"model": {"byte_fallback": False, "fuse_unk": False}}, 1000
    yield "unknown_dropped", "sentencepiece", {"model": {"byte_fallback": False, "unk_token": None}}, 1000
    for scheme in ("always", "first", "never"):
        yield f"metaspace_{scheme}", "sentencepiece", {
            "normalizer": None,
            "pre_tokenizer": metaspace(scheme),
            "decoder": dict(metaspace(scheme)),
        }, 1000
    yield "metaspace_whole", "sentencepiece", {"normalizer": None, "pre_tokenizer": metaspace("first", False)}, 1000
    yield "kompatible", "sentencepiece", {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFKC"},
                {"type": "Strip", "strip_left": True, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": r"\s{2,}"}, "content": " "},
                {"type": "Prepend", "prepend": "\u2581"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
            ],
        }
    }, 1000
    yield "no_decoder", "sentencepiece", {
        "decoder": None,
        "normalizer": None,
        "pre_tokenizer": sequence({"type": "WhitespaceSplit"}, DIGITS),
    }, 500
    yield "suffix", "sentencepiece", {
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {"end_of_word_suffix": "e"},
        "decoder": {"type": "BPEDecoder", "suffix": "e"},
    }, 500


def merged(base, patch):
    """JSON merge patch (RFC 7396), but null stays null: every field of a tokenizer may be null."""
    if not isinstance(patch, dict) or not isinstance(base, dict) or "type" in patch:
        return patch
    result = dict(base)
    for key, value in patch.items():
        result[key] = merged(base.get(key), value)
    return result


def write_bases(folder, makers):
    """tokenizer.json of each (name, maker), in a folder of its own; returns them as JSON by name."""
    bases = {}
    for name, make in makers:
        bases[name] = json.loads(make().to_str())
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "tokenizer.json").write_text(
            json.dumps(bases[name], ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
        )
    return bases


def write_digests(folder, bases, variants, count, **style):
    """digests.bin of the strings 0 to count and of what the variants make of them; goldens.json says what is where."""
    strings = [make_string(TABLES, SEED, index) for index in range(count)]
    blob = b"".join(struct.pack("<I", fnv(text.encode())) for text in strings)
    index = {
        "library": "tokenizers " + tokenizers.__version__,
        "python": sys.version.split()[0],
        "seed": SEED,
        "strings": len(strings),
        "variants": [],
    }
    for name, base, patch, used in variants:
        tokenizer = Tokenizer.from_str(json.dumps(merged(bases[base], patch)))
        index["variants"].append({"name": name, "base": base, "patch": patch, "count": used, "offset": len(blob)})
        for text in strings[:used]:
            plain = tokenizer.encode(text, add_special_tokens=False).ids
            framed = tokenizer.encode(text).ids
            decoded = tokenizer.decode(plain, skip_special_tokens=False) + "\0" + tokenizer.decode(framed)
            ids = struct.pack(f"<{len(plain)}I", *plain) + b"\xff" * 4 + struct.pack(f"<{len(framed)}I", *framed)
            blob += struct.pack("<I", fnv(ids + decoded.encode()))
    (folder / "digests.bin").write_bytes(blob)
    (folder / "goldens.json").write_text(json.dumps(index, ensure_ascii=True, **style) + "\n")
    print(f"{len(blob)} bytes of digests, {len(index['variants'])} variants")


def main():
    bases = write_bases(OUT, (("byte_level", byte_level), ("sentencepiece", sentencepiece)))
    (OUT / "generator.json").write_text(json.dumps(TABLES, ensure_ascii=True, indent=1) + "\n")
    write_digests(OUT, bases, variants(), 10000, indent=1)


if __name__ == "__main__":
    main()
