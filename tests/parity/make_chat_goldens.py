#!/usr/bin/env python3
"""Goldens for core/text/jinja and core/text/chat: what Python's jinja2, set as transformers sets it, makes of chat
templates and of generated small templates.

    build/venv-text/bin/pip install jinja2==3.1.6
    build/venv-text/bin/python tests/parity/make_chat_goldens.py

The chat templates are in tests/parity/chat_templates.py: written from memory after published ones, no copies of them.
Writes tests/goldens/chat.json: conversations, what each template renders of them, and generated templates with their
texts.

Published templates themselves, which have licenses of their own, are compared without being committed:
    build/venv-text/bin/python tests/parity/make_chat_goldens.py FOLDER OUT.json  # of all FOLDER/*.jinja
    KVANTAGE_CHAT_TEMPLATES=OUT.json build/dev/tests/text_tests jinja_test
"""

import copy
import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

from chat_templates import TEMPLATES
from splitmix import SplitMix, derived

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "chat.json"
NOW = datetime.datetime(2024, 7, 26)
SEED = 20261130
GENERATED = 3000


class Generation(jinja2.ext.Extension):
    """{% generation %}, as in transformers: a block of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

    def _same(self, caller):
        return caller()


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = NOW.strftime
    return made


USER = "The badge of Ada Vale is 5742 .\n\nWhat is <her> \"badge\"?"
CONVERSATIONS = {
    "question": [{"role": "user", "content": USER}],
    "turns": [
        {"role": "user", "content": " What is 2 + 2? "},
        {"role": "assistant", "content": "4\n"},
        {"role": "user", "content": "And 3 + 3?"},
    ],
    "system": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who are you?"}],
    "answered": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}],
}


def rendered(template, **variables):
    try:
        return environment().from_string(template).render(**copy.deepcopy(variables))  # Python changes lists
    except Exception:  # of any kind: Python's own, too
        return None


VARIABLES = {
    "messages": [
        {"role": "system", "content": " Be brief. "},
        {"role": "user", "content": 'Hé <b>"x"</b>\n', "tags": ["b", "A"]},
        {"role": "assistant", "content": "A </think> b"},
    ],
    "n": -7,
    "f": 2.5,
    "t": True,
    "nothing": None,
    "s": "Hello wörld",
    "empty": "",
    "l": [3, 1, 2, 1],
    "words": ["pear", "Apple", "fig", "apple"],
    "d": {"b": 1, "A": [1, 2, {"k": None}], "z": "x\ty"},
}
TEXTS = ["s", "empty", "'a,b'", "'é😀'", '"it\'s\\n"', "messages[0].content", "messages[1]['content']", "words[0]",
         "d.z"]
NUMBERS = ["n", "f", "1", "0", "12", "l[0]", "l|length", "2.0", "-3", "d['b']"]
LISTS = ["l", "words", "messages", "[1, 'a', none]", "range(4)", "s.split()", "d.keys()", "[]", "(1, 2)", "d['A']"]
THINGS = TEXTS + NUMBERS + LISTS + ["d", "t", "nothing", "missing", "{'a': 1, 'b': [2]}", "false", "d.A[2].k", "d.x"]
TEXT_FILTERS = ["upper", "lower", "trim", "title", "capitalize", "length", "replace('l', 'L')", "replace('', '-')",
                "indent(2)", "indent(1, true, true)", "list", "reverse", "first", "last", "int", "float", "string",
                "tojson", "default('D', true)", "wordcount", "trim('Hd')", "int(5)"]
LIST_FILTERS = ["length", "first", "last", "join(', ')", "list", "reverse|list", "unique|list", "map('string')|list",
                "select|list", "reject('string')|list", "tojson", "sort", "max", "min", "sum", "map('upper')|join",
                "selectattr('role', 'equalto', 'user')|list", "map(attribute='role')|list", "rejectattr('tags')|list",
                "map(attribute='tags.0', default='-')|join('+')", "join", "string", "sort(reverse=true)", "count"]
METHODS = ["strip()", "split()", "split(',')", "upper()", "title()", "startswith('H')", "endswith('d')", "find('l')",
           "replace('l', '1', 1)", "rsplit(' ', 1)", "lstrip('H')", "count('l')", "splitlines()", "partition(' ')",
           "isdigit()", "capitalize()", "rfind('l')", "zfill(12)",
           "join(['x', 'y'])", "islower()", "removeprefix('He')"]
TESTS = ["defined", "none", "string", "mapping", "iterable", "number", "sequence", "true", "false", "odd", "even",
         "integer", "float", "boolean", "undefined", "eq 1", "in [1, 'a', none]", "not none", "ne('a')", "upper",
         "divisibleby 3", "gt 2", "sameas true", "callable", "not defined"]
SLICES = ["[1:]", "[:-1]", "[::-1]", "[1:3]", "[-2:]", "[::2]", "[5:1:-1]", "[0]", "[-1]", "[99]", "[:0]"]
OPERATORS = ["+", "-", "*", "/", "//", "~", "==", "!=", "<", ">=", "in", "not in", "and", "or", "**"]
SPACES = ["", " ", "\n", "  \n", "\n  ", "x", " é\n", "a {b} c", "\t"]


class Maker:
    def __init__(self, index):
        self.random = SplitMix(derived(SEED, index))

    def one(self, things):
        return things[self.random.below(len(things))]

    def expression(self, depth=0):
        kind = self.random.below(12 if depth < 3 else 6)
        if kind < 2:
            return self.one(THINGS)
        if kind == 2:
            return f"{self.one(TEXTS)}|{self.one(TEXT_FILTERS)}"
        if kind == 3:
            return f"{self.one(LISTS)}|{self.one(LIST_FILTERS)}"
        if kind == 4:
            return f"{self.one(TEXTS)}.{self.one(METHODS)}"
        if kind == 5:
            return f"{self.one(TEXTS + LISTS)}{self.one(SLICES)}"
        if kind == 6:
            return f"{self.expression(depth + 1)} {self.one(OPERATORS)} {self.expression(depth + 1)}"
        if kind == 7:
            if self.random.below(6) == 0:
                return f"{self.one(NUMBERS)} % {self.one(NUMBERS)}"  # of a text it would be a form
            return f"({self.expression(depth + 1)}) is {self.one(TESTS)}"
        if kind == 8:
            return f"{self.expression(depth + 1)} if {self.expression(depth + 1)} else {self.one(THINGS)}"
        if kind == 9:
            return f"[{self.expression(depth + 1)}, {self.one(THINGS)}]"
        if kind == 10:
            return f"not {self.expression(depth + 1)}"
        return f"({self.expression(depth + 1)})|{self.one(TEXT_FILTERS + LIST_FILTERS)}"

    def tag(self, inside):
        return "{%" + self.one(["", "", "-", "+"]) + " " + inside + " " + self.one(["", "", "-", "+"]) + "%}"

    def block(self, depth=0):
        text = ""
        for _ in range(1 + self.random.below(3)):
            text += self.one(SPACES)
            kind = self.random.below(9 if depth < 2 else 3)
            if kind < 3:
                text += "{{" + self.one(["", "-"]) + " " + self.expression() + " " + self.one(["", "-"]) + "}}"
            elif kind == 3:
                text += self.tag("if " + self.expression()) + self.block(depth + 1)
                if self.random.below(2):
                    text += self.tag("elif " + self.expression()) + self.block(depth + 1)
                if self.random.below(2):
                    text += self.tag("else") + self.block(depth + 1)
                text += self.tag("endif")
            elif kind == 4:
                only = " if " + self.one(["x", "x is string", "x != 1"]) if self.random.below(3) == 0 else ""
                text += self.tag("for x in " + self.one(LISTS) + only)
                shown = ["x", "loop.index", "loop.last", "loop.revindex0", "loop.previtem", "x ~ loop.index0"]
                text += "{{ " + self.one(shown) + " }}" + self.block(depth + 1)
                if self.random.below(4) == 0:
                    text += "{% if loop.index == 2 %}{% " + self.one(["break", "continue"]) + " %}{% endif %}|"
                if self.random.below(3) == 0:
                    text += self.tag("else") + self.block(depth + 1)
                text += self.tag("endfor")
            elif kind == 5:
                text += self.tag(f"set y = {self.expression()}") + "{{ y }}"
            elif kind == 6:
                text += "{% set ns = namespace(v=" + self.one(NUMBERS) + ") %}{% for k, v in d.items() %}"
                text += self.tag("set ns.v = ns.v ~ k") + "{% endfor %}{{ ns.v }}"
            elif kind == 7:
                text += "{# " + self.one(["note", "-", "a\nb"]) + " " + self.one(["", "-"]) + "#}"
            else:
                text += self.tag("macro m(a, b=" + self.one(THINGS) + ")") + self.block(depth + 1) + "{{ a }}{{ b }}"
                text += self.tag("endmacro") + "{{ m(" + self.one(THINGS) + ") }}"
        return text + self.one(SPACES)


def published(folder):
    """As TEMPLATES; tokens are stand-ins."""
    tokens = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    files = sorted(pathlib.Path(folder).glob("*.jinja"))
    return [(file.stem, str(file.name), file.read_text(encoding="utf-8"), tokens) for file in files]


def rendered_cases(templates):
    cases = []
    for name, source, template, tokens in templates:
        texts = {
            key: rendered(
                template,
                messages=messages,
                tools=None,
                documents=None,
                add_generation_prompt=key != "answered",
                enable_thinking=False,
                **tokens,
            )
            for key, messages in CONVERSATIONS.items()
        }
        cases.append({"name": name, "after": source, "template": template, "tokens": tokens, "texts": texts})
    return cases


def main():
    if sys.argv[1:]:
        cases = rendered_cases(published(sys.argv[1]))
        pathlib.Path(sys.argv[2]).write_text(json.dumps({"cases": cases}, ensure_ascii=False), encoding="utf-8")
        refused = [case["name"] for case in cases if case["texts"]["question"] is None]
        print(f"{len(cases)} chat templates; Python itself refuses a question in {refused}")
        return
    cases = rendered_cases(TEMPLATES)
    for case in cases:
        assert case["texts"]["question"], case["name"]
    generated, refused = [], 0
    for index in range(GENERATED):
        template = Maker(index).block()
        text = rendered(template, **VARIABLES)
        # Python's own forms of objects are not written here.
        foreign = (" object at 0x", "range(", "dict_", "<built")
        if len(template) > 1500 or text and any(mark in text for mark in foreign):
            continue
        refused += text is None
        # A template that is refused as a whole says little: only some are kept.
        if text is not None or index % 8 == 0:
            generated.append([template, text])
    OUT.write_text(
        json.dumps(
            {
                "library": "jinja2 " + jinja2.__version__,
                "conversations": CONVERSATIONS,
                "cases": cases,
                "variables": VARIABLES,
                "generated": generated,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )
        + "\n",
        encoding="utf-8",
    )
    print(f"{len(cases)} chat templates, {len(generated)} generated ({refused} refused), {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
