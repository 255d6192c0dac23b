#!/usr/bin/env python3
"""Goldens for the eviction orders (core/eviction): which requests hit, computed by libCacheSim.

    pip install libcachesim
    python3 tests/parity/make_eviction_goldens.py [TRACES]

Drawn requests come from the same generator as the test's. With TRACES, a folder that holds
mooncake/conversation_trace.jsonl, the first part of that trace is played, too; nothing of it is kept but counts.
"""
import json
import pathlib
import sys

import libcachesim

from splitmix import SplitMix

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "evictions.json"
ORDERS = {
    "lru": libcachesim.LRU,
    "lfu": libcachesim.LFU,
    "s3fifo": libcachesim.S3FIFO,
    "gdsf": libcachesim.GDSF,
    "sieve": libcachesim.Sieve,
    "arc": libcachesim.ARC,
}
TRACE_LINES = 3000


def play(order, capacity, requests):
    """Hits, and an FNV-1a of which requests they were."""
    cache, hits, digest = ORDERS[order](capacity), 0, 0xCBF29CE484222325
    request = libcachesim.Request()
    for at, (key, size) in enumerate(requests):
        request.obj_id, request.obj_size, request.clock_time = key, size, at
        hit = cache.get(request)
        hits += hit
        digest = ((digest ^ hit) * 0x100000001B3) & (1 << 64) - 1
    return {"order": order, "capacity": capacity, "requests": len(requests), "hits": hits, "digest": f"{digest:016x}"}


def drawn(seed, contexts, count, varied):
    random = SplitMix(seed)
    sizes = [100 + random.below(700) if varied else 500 for _ in range(contexts)]
    keys = [min(random.below(contexts), random.below(contexts)) for _ in range(count)]
    return [(key, sizes[key]) for key in keys]


def blocks(file, varied):
    keys = []
    with open(file) as lines:
        for _, line in zip(range(TRACE_LINES), lines):
            keys += json.loads(line)["hash_ids"]
    return [(key, 100 + key * 2654435761 % 2**32 % 700 if varied else 1) for key in keys]


def set_of(varied):
    """ARC moves its target by bytes there and by sizes here; with sizes of one that is the same."""
    return [order for order in ORDERS if order != "arc" or not varied]


def main():
    golden = {"drawn": [], "trace": [], "trace_lines": TRACE_LINES}
    for varied in (False, True):
        for order in set_of(varied=True):
            case = play(order, 10_000, drawn(7, 60, 4000, varied))
            golden["drawn"].append({"seed": 7, "contexts": 60, "varied": varied} | case)
    if len(sys.argv) > 1:
        for varied, capacity in ((False, 2000), (False, 10_000), (True, 2_000_000)):
            requests = blocks(pathlib.Path(sys.argv[1]) / "mooncake" / "conversation_trace.jsonl", varied)
            for order in set_of(varied):
                golden["trace"].append({"varied": varied} | play(order, capacity, requests))
    OUT.write_text(json.dumps(golden, indent=1) + "\n")
    for part in ("drawn", "trace"):
        for case in golden[part]:
            print(part, case["order"], case["varied"], case["capacity"], f"{case['hits'] / case['requests']:.4f}")


if __name__ == "__main__":
    main()
