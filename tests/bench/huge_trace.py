#!/usr/bin/env python3
"""`kvantage-cli simulate` on a trace of many requests: requests per second, and whether memory grows with them.

Writes a trace in libCacheSim's oracleGeneral (24 bytes a request): every key once, then keys by a power law (Zipf,
exponent 1). So a tenth of the requests has all the keys, too. Each order is run on that tenth and on all requests, as a
process of its own. Numbers of the next request are left out (-1): only caches that read them from the file need them.

Prints a table, then one line of JSON. Exit code 1: the peak of resident memory of all requests is more than --bound
times that of a tenth of them.

Usage: huge_trace.py KVANTAGE_CLI [--requests N] [--keys N] [--policy ORDER,...] [--capacity N] [--folder DIR]
                     [--bound RATIO] [--seed N]
"""

import argparse
import array
import json
import math
import multiprocessing
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    numpy = None

RECORD_BYTES = 24
SPREAD = 0x9E3779B97F4A7C15  # keys in all 64 bits
CHUNK = 1_000_000
PER_SECOND = 1_000  # requests of a second of the trace


class Ids:
    """Ids of one request after another, as packed 64-bit numbers."""

    def __init__(self, keys, seed):
        self.keys = keys
        self.given = 0
        self.random = numpy.random.default_rng(seed) if numpy else random.Random(seed)

    def take(self, count):
        first = range(self.given, min(self.given + count, self.keys))
        self.given += count
        return self.packed_first(first) + self.packed_drawn(count - len(first))

    def packed_first(self, first):
        return self.packed([key + 1 for key in first]) if len(first) else b""

    def packed_drawn(self, count):
        # keys^u for u in [0, 1) has the density 1 / (x ln keys).
        if numpy:
            return self.packed(numpy.exp(self.random.random(count) * math.log(self.keys)))
        draw, exp, log = self.random.random, math.exp, math.log(self.keys)
        return self.packed([int(exp(draw() * log)) for _ in range(count)])

    @staticmethod
    def packed(keys):
        if numpy:
            return (numpy.asarray(keys).astype("<u8") * numpy.uint64(SPREAD)).tobytes()
        ids = array.array("Q", [key * SPREAD & 0xFFFFFFFFFFFFFFFF for key in keys])
        if sys.byteorder == "big":
            ids.byteswap()
        return ids.tobytes()


def seconds_from(request, count):
    """Packed 32-bit numbers."""
    begin, end = request // PER_SECOND, (request + count - 1) // PER_SECOND
    whole = b"".join(struct.pack("<I", second) * PER_SECOND for second in range(begin, end + 1))
    at = 4 * (request % PER_SECOND)
    return whole[at : at + 4 * count]


def write_trace(path, requests, keys, seed):
    ids = Ids(keys, seed)
    with open(path, "wb") as file:
        for request in range(0, requests, CHUNK):
            count = min(CHUNK, requests - request)
            records = bytearray(struct.pack("<IQIq", 0, 0, 2048, -1) * count)  # 2048 bytes: one block of 512 tokens
            for at, packed, width in ((0, seconds_from(request, count), 4), (4, ids.take(count), 8)):
                for byte in range(width):
                    records[at + byte :: RECORD_BYTES] = packed[byte::width]
            file.write(records)


def write_trace_aside(*words):
    """In a process of its own: Linux counts the peak of a parent's memory as one of the programs that it starts."""
    process = multiprocessing.Process(target=write_trace, args=words)
    process.start()
    process.join()
    if process.exitcode != 0:
        sys.exit("the trace could not be written")


def simulate(arguments, trace, order, limit):
    """Wall-clock seconds, seconds of the processor, peak of resident bytes."""
    words = [arguments.cli, "simulate", str(trace), "--format", "oracle-general", "--mode", "contexts", "--policy",
             order, "--capacity-blocks", str(arguments.capacity), "--limit", str(limit), "--json", "--quiet"]
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(words, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        out.seek(0)
        text = out.read().decode()
    if process.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{text}")
    row = json.loads(text)["policies"][0]
    if row["requests"] != limit:
        sys.exit(f"{order}: {row['requests']} requests were simulated, not {limit}")
    return {"wall_seconds": round(wall, 2), "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
            "peak_bytes": usage.ru_maxrss * 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--requests", type=int, default=100_000_000)
    parser.add_argument("--keys", type=int, default=8_000_000, help="the simulator takes up to 8,388,608")
    parser.add_argument("--policy", default="lru,fifo,s3fifo,sieve")
    parser.add_argument("--capacity", type=int, default=400_000, help="entries")
    parser.add_argument("--folder", default=None, help="for the trace (default: the one of temporary files)")
    parser.add_argument("--bound", type=float, default=1.2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    tenth = arguments.requests // 10
    if not 2 <= arguments.keys <= tenth:
        parser.error("a tenth of --requests has every key once: give at least ten times as many as --keys")
    rows, grows = [], False
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        trace = pathlib.Path(folder) / "trace.oracleGeneral"
        begin = time.monotonic()
        write_trace_aside(trace, arguments.requests, arguments.keys, arguments.seed)
        print(f"{arguments.requests:,} requests, {arguments.keys:,} keys, {trace.stat().st_size / 1e9:.2f} GB, written "
              f"in {time.monotonic() - begin:.0f} s\n")
        print("| order | M requests/s | s | peak, MiB | peak of a tenth, MiB | ratio | more bytes per request |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for order in arguments.policy.split(","):
            few = simulate(arguments, trace, order, tenth)
            all_of_them = simulate(arguments, trace, order, arguments.requests)
            ratio = all_of_them["peak_bytes"] / few["peak_bytes"]
            more = (all_of_them["peak_bytes"] - few["peak_bytes"]) / (arguments.requests - tenth)
            speed = arguments.requests / all_of_them["wall_seconds"] / 1e6
            print(f"| {order} | {speed:.2f} | {all_of_them['wall_seconds']:.1f} | "
                  f"{all_of_them['peak_bytes'] / 2**20:.0f} | {few['peak_bytes'] / 2**20:.0f} | {ratio:.3f} | "
                  f"{more:.3f} |", flush=True)
            rows.append({"order": order, "tenth": few, "all": all_of_them, "ratio": round(ratio, 4)})
            grows = grows or ratio > arguments.bound
    print(json.dumps({"requests": arguments.requests, "keys": arguments.keys, "capacity": arguments.capacity,
                      "orders": rows,
                      "peak_of_all_bytes": max(row[part]["peak_bytes"] for row in rows for part in ("tenth", "all"))}))
    return grows


if __name__ == "__main__":
    sys.exit(int(main()))
