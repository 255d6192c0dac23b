#!/usr/bin/env python3
"""Goldens for core/text/code: the four parts and the score of CodeBLEU as the package codebleu 0.7.0 gives them for
Python, and its removal of comments and docstrings. It takes Python 3.11, whose module tokenize the package uses, and
the versions of tree-sitter and of the grammar that cmake/fetch_tree_sitter.sh fetches (pip warns that codebleu asks for
an older tree-sitter; it works with this one).

    python3.11 -m venv build/venv-code-bleu
    build/venv-code-bleu/bin/pip install codebleu==0.7.0
    build/venv-code-bleu/bin/pip install tree-sitter==0.23.2 tree-sitter-python==0.23.6
    build/venv-code-bleu/bin/python tests/parity/make_code_bleu_goldens.py

The package keeps names in sets, whose order changes with the seed of Python's hashes. Pairs whose scores do so are left
out: the script scores all of them under several seeds.
"""

import json
import logging
import os
import pathlib
import random
import subprocess
import sys

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "code_bleu.json"
SEEDS = 8

FUNCTION = """def area(width, height=2):
    \"\"\"The area of a rectangle.\"\"\"
    # both in meters
    total = width * height
    return total
"""
LOOP = """total = 0
for item in items:
    total += item  # sum
print(total)
"""
WHILE = """n = 10
while n > 0:
    n = n - 1
    seen.append(n)
"""
BRANCHES = """if a > b:
    x = a
elif a < b:
    x = b
else:
    x = 0
y = x
"""
COMPREHENSION = "squares = [v * v for v in values if v > limit]"
UNPACKING = "first, second = second, first\nboth = (first, second)"
SETTINGS = "cache.port = server.timeout or 372; server.depth = lambda: cache.port;"
CLASS = """class Pool:
    size = 4

    def grow(self, by):
        self.size += by
        return self.size
"""
PYTHON = [FUNCTION, LOOP, WHILE, BRANCHES, COMPREHENSION, UNPACKING, SETTINGS, CLASS]

HAND_MADE = [
    # answer, reference
    ("return pool_size * 4", "return pool_size * 4"),
    ("return pool_size * 8", "return pool_size * 4"),
    ("return pool_size", "return pool_size * 4"),
    ("return size_of_pool * 4", "return pool_size * 4"),
    ("x = 1", "x = 1"),
    ("x = 2", "x = 1"),
    ("y = 1", "x = 1"),
    ("x", "x"),
    ("7392", "7392"),
    ("7393", "7392"),
    ("7392", "server.timeout or 7392;"),
    ("server.timeout or 7392;", "server.timeout or 7392;"),
    ("server.timeout or 7393;", "server.timeout or 7392;"),
    ("server.delay or 7392;", "server.timeout or 7392;"),
    ("server.timeout and 7392;", "server.timeout or 7392;"),
    ("server.timeout or", "server.timeout or 7392;"),
    ("cache.port = server.timeout or 372;", "cache.port = server.timeout or 372;"),
    ("cache.port = server.delay or 118;", "cache.port = server.timeout or 372;"),
    ("cache.port = lambda: server.timeout;", "cache.port = server.timeout or 372;"),
    ("lambda: server.timeout;", "lambda: server.timeout;"),
    ("lambda: server.timeout", "lambda: client.timeout"),
    ("", ""),
    ("", "x = 1"),
    ("x = 1", ""),
    ("   \n\t ", "\u3000\x1c x"),
    ("# only a comment", "# another comment"),
    ("x = 1  # one", "x = 1"),
    ("'a text'", "'a text'"),
    ('"""A docstring."""\nx = y', "x = y"),
    ("x = 'text'  # not 'this'", "x = 'text'"),
    ("x = 'it''s' 'so'", "x = \"it's so\""),
    ("x = f'{a} and {b}'", "x = f'{a} and {c}'"),
    ("x = r'\\d' + rb'\\d' + B'x' + fR'{y}'", "x = r'\\d' + rb'\\d'"),
    ("x = '''a\nb''' # c\ny = x", "x = '''a\nb'''\ny = x"),
    ("x = 'a\\\nb'\ny = x", "x = 'ab'\ny = x"),
    ("x = 'open\ny = x", "x = 'open\ny = x"),
    ("x = '''open\ny = x", "y = x"),
    ("x = (1,\n", "x = (1, 2)"),
    ("x = (1,  # one\n     2)  # two", "x = (1,\n     2)"),
    ("x = 1 + \\\n    2", "x = 1 + 2"),
    ("x = 1 \\", "x = 1"),
    ("if a:\n        b = a\n    c = b", "if a:\n    b = a\n    c = b"),
    ("if a:\n\tb = a\n\tc = b", "if a:\n    b = a\n    c = b"),
    ("\tx = 1\n\ty = x", "x = 1\ny = x"),
    ("x = 1\r\ny = x\r\n", "x = 1\ny = x"),
    ("x = 1\ry = x", "x = 1\ny = x"),
    ("x = )1(", "x = (1)"),
    ("x = $a ? b", "x = a if b else c"),
    ("def f(:\n    return", "def f():\n    return"),
    ("return return return return", "return 1"),
    ("for in x:\n    y = x", "for i in x:\n    y = x"),
    ("x = = 3", "x = 3"),
    ("print 'old'", "print('old')"),
    ("The old river moved slowly.", "The quiet river moved slowly."),
    ("Mara Holt paid 372 to Ada Quill.", "Mara Holt paid 372 to Ada Quill."),
    ("Mara Holt paid 372 to Ada Quill.", "return total"),
    ("caf\u00e9 = '\u00fc'; b = caf\u00e9", "caf\u00e9 = '\u00fc'; b = caf\u00e9"),
    ("caf\u00e9 = 1\nb = caf\u00e9 + caf\u00e9", "cafe = 1\nb = cafe + cafe"),
    ("\u5909\u6570 = 1; y = \u5909\u6570", "x = 1; y = x"),
    ("x\u00a0=\u20031\u2028y", "x = 1 y"),
    ("x = '\U0001f600'; y = x; z = y", "x = 'a'; y = x; z = y"),
    ("\u200bx = 1", "x = 1"),
    ("\ufeffx = 1", "x = 1"),
    ("a = b\nc = a + b", "q = r\nc = q + r"),
    ("a = b\nc = a + b", "a = b\nc = a + d"),
    ("a, b = c, d", "a, b = d, c"),
    ("a = b = c", "a = b = c"),
    ("a.b = c + d", "a.b = d + c"),
    ("x[i] = y", "x[j] = y"),
    ("x: int = y", "x = y"),
    ("x: int", "x = y"),
    ("x += y", "x = x + y"),
    ("x := y", "(x := y)"),
    ("with open(p) as f:\n    t = f.read()", "with open(p) as g:\n    t = g.read()"),
    ("try:\n    x = f()\nexcept E as e:\n    x = e\ny = x", "try:\n    x = f()\nexcept E:\n    x = 0\ny = x"),
    ("def f(a, b=a, *c, d=1, **e):\n    return a + b + d", "def f(a, b=c):\n    return a + b"),
    ("for i in range(n):\n    s = s + i\nelse:\n    t = s", "for j in range(n):\n    s = s + j"),
    ("for i in a:\n    for j in i:\n        t = t + j", "for i in a:\n    for j in i:\n        t = t + j"),
    ("while a:\n    while b:\n        a = b\n        b = a", "while a:\n    a = b"),
    ("{k: v for k, v in d.items()}", "{k: v for k, v in e.items()}"),
    ("x = [i for i in y for j in i]", "x = [j for i in y for j in i]"),
    ("match x:\n    case 1:\n        y = x", "match x:\n    case 2:\n        y = x"),
    ("import os\nx = os.path", "import sys\nx = sys.path"),
    ("async def f():\n    await g()", "def f():\n    g()"),
    ("if a: x = 1\ny = x", "if a: x = 1\nelse: x = 2\ny = x"),
    ("if a:\n    x = 1\nif b:\n    x = 2\ny = x", "if a:\n    x = 1\ny = x"),
    ("x = 1\n\n\n   \n# c\ny = x", "x = 1\ny = x"),
    ("def f():\n    'doc'\n    return 1", "def f():\n    return 1"),
    ("def f():\n    # c\n    'kept after a comment'\n    return 1", "def f():\n    return 1"),
    ("x = (\n'at the start of a line'\n)", "x = ()"),
    ("((((((((((x))))))))))", "x"),
    ("@d\ndef f(): pass", "def f(): pass"),
    ("global x\nx = y\ndel x", "x = y"),
    ("x = y if z else w", "x = w if z else y"),
    ("print(x, y, sep='')", "print(y, x, sep='')"),
]

SOURCES = [  # whose comments are removed
    "x = '''a\n'b' \\''' c\n''' # d\n",
    "'''open\n",
    "x = 'a\\\nb\ny = '''c\n d''' # e\n",
    "x = 'a\\\r\nb' # c\r\n",
    "\r# c\nx\n",
    "  # c\n\tx = 1 # d\n\ty\n",
    "x = 1\n  \n",
    "x = 1\n  ",
    "if x:\n  y # c\n z\n",
    "if x:\n    y\n# c\n  # d\n    z\n",
    "x = [1, # a\n# b\n\n2]\n'doc'\ny\n",
    "x ) # c\n",
    "rb'''a''' + Rb\"b\" + bR'c' + ur'd' + uR'e' # f",
    "x = 0b'1' # c\n",
    "\u00e9r'a' # c\nx\u00b2 '#'\n",
    "''''a''' # c\n'' # d\nx = '' '#'\n",
    "x\f= 1 # c\n\f  y\n",
    "x = 1;# c\ny = '\\'#' # d",
    "\\\nx # c\n",
    "x = '\\",
    "x = '\\\\' # c",
    "class A:\n\n    '''d'''\n    x = 1\n\n    def f(self):\n        '''d'''\n",
]


def mutants(text, rng):
    """The text as answers go wrong: names changed, lines moved, lost or cut off, notes added."""
    lines = text.split("\n")
    names = ["total", "item", "a", "x", "n", "width", "self", "first", "cache", "values"]
    name = next((n for n in names if n in text.replace(".", " ").split()), "v")
    yield text.replace(name, "other")
    yield text.replace(" = ", "=")
    yield "\n".join(line + "  # note" if line.strip() else line for line in lines)
    if len(lines) > 2:
        at = rng.randrange(len(lines) - 1)
        yield "\n".join(lines[:at] + [lines[at + 1], lines[at]] + lines[at + 2 :])
        yield "\n".join(lines[:at] + lines[at + 1 :])
    yield text[: rng.randrange(1, len(text))]
    yield text[rng.randrange(1, len(text)) :]
    yield text.replace("(", "").replace(":", "", 1)


def pairs():
    rng = random.Random(7)
    made = list(HAND_MADE)
    for text in PYTHON:
        made.append((text, text))
        for mutant in mutants(text, rng):
            made.append((mutant, text))
            made.append((text, mutant))
    made += [(a, b) for a in PYTHON for b in PYTHON if a < b]
    return list(dict.fromkeys(made))


def scored():
    """Scores of all pairs under this process's seed of hashes."""
    from codebleu import calc_codebleu

    logging.disable(logging.WARNING)
    rows = []
    for answer, reference in pairs():
        scores = calc_codebleu([reference], [answer], "python")
        rows.append(
            {
                "words": scores["ngram_match_score"],
                "weighted_words": scores["weighted_ngram_match_score"],
                "syntax": scores["syntax_match_score"],
                "data_flow": scores["dataflow_match_score"],
                "score": scores["codebleu"],
            }
        )
    return rows


def without_comments(source):
    from codebleu.parser import remove_comments_and_docstrings

    try:
        return remove_comments_and_docstrings(source, "python")
    except Exception:  # as the package has it
        return None


def main():
    if sys.version_info[:2] != (3, 11):
        sys.exit("error: this takes Python 3.11: tokens differ between versions")
    if sys.argv[1:] == ["--scores"]:
        print(json.dumps(scored()))
        return
    runs = []
    for seed in range(SEEDS):
        environment = dict(os.environ, PYTHONHASHSEED=str(seed))
        run = subprocess.run(
            [sys.executable, __file__, "--scores"], env=environment, check=True, stdout=subprocess.PIPE
        )
        runs.append(json.loads(run.stdout))
    rows, unlike = [], []
    for i, (answer, reference) in enumerate(pairs()):
        if any(run[i] != runs[0][i] for run in runs):
            unlike.append((answer, reference))
        else:
            rows.append({"answer": answer, "reference": reference, **runs[0][i]})
    texts = SOURCES + [text for pair in pairs() for text in pair]
    sources = [{"source": text, "code": without_comments(text)} for text in dict.fromkeys(texts)]
    OUT.write_text(json.dumps({"pairs": rows, "sources": sources}, indent=0) + "\n")
    print(len(rows), "pairs,", len(sources), "sources; left out, as they depend on the seed of hashes:", unlike)


if __name__ == "__main__":
    main()
