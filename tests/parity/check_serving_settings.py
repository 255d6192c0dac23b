#!/usr/bin/env python3
"""Reads settings written by `kvantage-cli export` with PyYAML and json, and holds every key and value against the list
of keys that LMCache and vLLM know (tests/goldens/serving_keys.json).

usage: check_serving_settings.py lmcache|vllm FILE KEYS.json
prints what it read as JSON; exit code 1 names what is wrong
"""

import json
import sys

import yaml

TYPES = {"int": int, "float": float, "bool": bool, "str": str, "dict": dict, "list": list}


def check(values, known, where):
    for key, value in values.items():
        if key not in known:
            sys.exit(f"{where}: key {key} is not known there")
        wanted = known[key]
        if isinstance(wanted, list):
            if value not in wanted:
                sys.exit(f"{where}: {key}: {value!r} is none of {wanted}")
        elif type(value) is not TYPES[wanted]:
            sys.exit(f"{where}: {key}: {value!r} is no {wanted}")


def main():
    system, path, keys_path = sys.argv[1:]
    with open(keys_path, encoding="utf-8") as file:
        known = json.load(file)[system]
    with open(path, encoding="utf-8") as file:
        values = yaml.safe_load(file)
    check(values, known["keys"], system)
    if system == "vllm" and "kv-transfer-config" in values:
        transfer = json.loads(values["kv-transfer-config"])
        below = known["kv_transfer_config"]
        check(transfer, below["keys"], "kv-transfer-config")
        check(transfer["kv_connector_extra_config"], below["extra_keys"], "kv_connector_extra_config")
        for tier in transfer["kv_connector_extra_config"].get("secondary_tiers", []):
            check(tier, below["tier_keys"], "secondary_tiers")
        values["kv-transfer-config"] = transfer
    print(json.dumps(values))


if __name__ == "__main__":
    main()
