#!/usr/bin/env python3
"""Makes core/text/unicode_additions.inc: characters whose general category `tokenizers` knows and Unicode 14 does not.

    build/venv-text/bin/python tests/parity/make_unicode_additions.py

Run with a Python whose unicodedata is version 14.0 (Python 3.11), the version of PCRE2 10.42; `tokenizers` is asked
what its regular expressions take for a member of each category.
"""

import pathlib
import unicodedata

from tokenizers import Regex, pre_tokenizers

OUT = pathlib.Path(__file__).resolve().parents[2] / "core" / "text" / "unicode_additions.inc"
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So".split()


def members(category):
    """What \\p{category} matches."""
    cut = pre_tokenizers.Split(Regex(r"\p{%s}" % category), "removed")
    characters = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    found = set()
    for begin in range(0, len(characters), 4096):
        block = characters[begin : begin + 4096]
        rest = {ord(c) for piece, _ in cut.pre_tokenize_str("".join(map(chr, block))) for c in piece}
        found.update(c for c in block if c not in rest)
    return found


def main():
    assert unicodedata.unidata_version == "14.0.0", unicodedata.unidata_version
    rows = []
    for category in CATEGORIES:
        new = sorted(c for c in members(category) if unicodedata.category(chr(c)) == "Cn")
        while new:
            first = last = new.pop(0)
            while new and new[0] == last + 1:
                last = new.pop(0)
            rows.append((first, last, category))
    print(len(rows), "ranges")
    lines = [f'{{0x{first:X}, 0x{last:X}, "{category}"}},' for first, last, category in sorted(rows)]
    text = "// Made by tests/parity/make_unicode_additions.py: first, last, general category.\n"
    line = ""
    for entry in lines:
        if len(line) + len(entry) + 1 > 118:
            text += line + "\n"
            line = ""
        line += (" " if line else "") + entry
    OUT.write_text(text + line + "\n")


if __name__ == "__main__":
    main()
