#!/usr/bin/env python3
"""What PyYAML's safe_load makes of the examples in tests/goldens/serving_files and of words whose type is easy to get
wrong: tests/goldens/serving_files/yaml.json, for core/imported/serving/yaml_json.h.

usage: make_yaml_goldens.py      needs PyYAML; writes the file
"""

import json
import pathlib

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "goldens" / "serving_files"
TEXTS = ["a: yes", "a: Off", "a: TRUE", "a: nUll", "a: ~", "a:", "a: 0x1F", "a: -0x1F", "a: 017", "a: 09", "a: 0o17",
         "a: 0b101", "a: 1_000", "a: +5", "a: -7", "a: 0", "a: 00", "a: 18446744073709551615", "a: 1e9", "a: 1e+3",
         "a: 1.5e+3", "a: 1.0E5", "a: .5", "a: 1.", "a: -0.25", "a: 12_34.5_6", "a: '5'", 'a: "yes"', "a: 5GB",
         "a: 1.2.3", "a: +", "a: .", 'a: "x\\ny"', "a: [1, two, {b: 3.0}]", "a: |\n  text\n  more\n",
         "a: >\n  one\n  line\n", "a: 1\na: 2", "- 1\n- [2, 3]", "", "# nothing\n", "5", "yes: no", "1: one",
         "? a\n: b", "a: 'it''s'", "a: b # c", "a: b#c", "{a: 1, b: [x]}", "---\na: 1\n...\n"]


def as_json(value):
    """Keys as texts, as JSON has them."""
    if isinstance(value, dict):
        return {key_text(key): as_json(one) for key, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, list) else value


def key_text(key):
    return {True: "yes", False: "no"}[key] if isinstance(key, bool) else str(key)


def main():
    rows = [{"text": text, "values": as_json(yaml.safe_load(text))} for text in TEXTS]
    for path in sorted((FOLDER / "lmcache").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        rows.append({"text": text, "values": as_json(yaml.safe_load(text))})
    (FOLDER / "yaml.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
