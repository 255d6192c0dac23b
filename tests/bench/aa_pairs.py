#!/usr/bin/env python3
"""How often a comparison calls two sides different that were served under equal settings, on a machine under load.

Of each pair, one command serves the workload 2 * REPEAT times under one policy. Of every two runs in a row, a drawn one
is of one side and the other one of the other side, as `run --interleave` serves two policies. A process beside them
keeps one core busy for half of the time: of every two blocks of the same length, a drawn one. Then `compare --json`
says of TTFT and of each quality metric whether they differ.

With --planted PERCENT, the tier of one side has a latency that makes TTFT longer by so much, and the sides have as many
runs as the program's own estimate of power recommends for 10 %. Then it is counted how often that is found.

Prints a table, the share of pairs that were judged, then one line of JSON. Exit code 1: more pairs were called
different than --bound percent, TTFT and each quality metric by itself; with --planted, fewer than --found percent had a
worse TTFT; or fewer than --judged percent were judged at all, as the machine was disturbed or single runs say nothing.

Usage: aa_pairs.py KVANTAGE_CLI [--pairs N] [--seed N] [--workload FOLDER] [--policy POLICY] [--limit N] [--repeat N]
                   [--rate N] [--threads N] [--bound PERCENT] [--planted PERCENT] [--found PERCENT]
                   [--judged PERCENT] [--no-load]
"""

import argparse
import contextlib
import json
import multiprocessing
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

TTFT = "TTFT, service"
CALLED = ("better", "worse")
JUDGED = ("better", "worse", "not significant", "same")
NO_QUALITY = "no quality"  # the model answers no better than chance: there is nothing to judge
OUTCOMES = (*JUDGED, "not judged", "not known", NO_QUALITY)


def keep_busy(seed):
    """Of every two blocks of the same length a drawn one; one thread, so one core."""
    draw = random.Random(seed)
    while True:
        length, first = draw.uniform(0.5, 2.0), draw.random() < 0.5
        for is_busy in (first, not first):
            end = time.monotonic() + length
            if is_busy:
                while time.monotonic() < end:
                    pass
            else:
                time.sleep(length)


def outcome(verdict):
    if verdict.startswith("the same"):
        return "same"
    if verdict.startswith("quality cannot be compared"):
        return NO_QUALITY
    start = verdict.split(":")[0]
    return start if start in OUTCOMES else "not judged"


class Pairs:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = pathlib.Path(folder)
        self.database = self.folder / "runs.db"

    def call(self, *words):
        done = subprocess.run([self.arguments.cli, *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr}")
        return done.stdout

    def serve(self, seed, *options):
        """Ids of the runs of one command, in order of service."""
        before = self.newest()
        self.call("run", self.arguments.workload, "--limit", str(self.arguments.limit), "--rate",
                  str(self.arguments.rate), "--threads", str(self.arguments.threads), "--seed", str(seed), "--store",
                  str(self.folder / "store"), "--db", str(self.database), "--no-reprofile", "--quiet", *options)
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return [row[0] for row in database.execute("SELECT run_id FROM runs WHERE id > ? ORDER BY id", (before,))]

    def newest(self):
        if not self.database.exists():
            return 0
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return database.execute("SELECT COALESCE(MAX(id), 0) FROM runs").fetchone()[0]

    def mark(self, sides, group):
        """Runs with one group and one mark are repetitions of one side."""
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            for run, side in sides.items():
                (text,) = database.execute("SELECT settings FROM runs WHERE run_id = ?", (run,)).fetchone()
                settings = json.loads(text)
                settings["group"] = group
                settings["environment"]["side"] = side
                database.execute("UPDATE runs SET settings = ? WHERE run_id = ?", (json.dumps(settings), run))

    def compare(self, sides, group):
        """The baseline is side "a"."""
        self.mark(sides, group)
        runs = sorted(sides, key=sides.get)
        compared = json.loads(self.call("compare", *runs, "--db", str(self.database), "--json"))
        lengths = [len(members) for members in compared["run_ids"]]
        if lengths != [len(sides) // 2] * 2:
            sys.exit(f"{group}: compare joined {lengths} runs, not two sides of {len(sides) // 2}")
        return compared

    def same(self, number):
        """Two sides of one command."""
        draw = random.Random(f"{self.arguments.seed} {number}")
        runs = self.serve(draw.randrange(1 << 30), "--policy", self.arguments.policy, "--no-warmup", "--repeat",
                          str(2 * self.arguments.repeat))
        sides = {}
        for block in range(self.arguments.repeat):
            sides.update(zip(runs[2 * block : 2 * block + 2], draw.choice(("ab", "ba"))))
        return self.compare(sides, f"pair-{number}")

    def planted(self, name, runs, more_seconds):
        """Every run is a command of its own, as the sides have tiers of their own; all requests load from the tier."""
        draw = random.Random(f"{self.arguments.seed} {name}")
        seed, sides = draw.randrange(1 << 30), {}
        for _ in range(runs):
            for side in draw.choice(("ab", "ba")):
                latency = 2e-4 + (more_seconds if side == "b" else 0)
                (run,) = self.serve(seed, "--policy", "lru", "--tier",
                                    f"dram=256MiB,bandwidth=540MB/s,latency={1e6 * latency:.0f}us", "--compute-or-load",
                                    "off")
                sides[run] = side
        return self.compare(sides, f"pair-{name}")


def figure(compared, name):
    """Values of the two sides."""
    return next(one["values"] for one in compared["figures"] if one["name"] == name)


class Counts:
    def __init__(self):
        self.figures = {}

    def take(self, compared):
        for one in compared["figures"]:
            if one["name"] != TTFT and not one["name"].startswith("quality, "):
                continue
            value = one["values"][1]
            counts = self.figures.setdefault(one["name"], dict.fromkeys(OUTCOMES, 0))
            counts["not known" if value is None else outcome(value["verdict"])] += 1

    def called(self, name):
        return sum(self.figures[name][word] for word in CALLED)

    def judged_percent(self, name, pairs):
        """Of all pairs but those without quality; nothing where none is left."""
        counts = self.figures[name]
        left = pairs - counts[NO_QUALITY]
        return 100 * sum(counts[word] for word in JUDGED) / left if left > 0 else None

    def print(self):
        print("| figure | pairs | " + " | ".join(OUTCOMES) + " |")
        print("|---" * (len(OUTCOMES) + 2) + "|")
        for name, counts in self.figures.items():
            print(f"| {name} | {sum(counts.values())} | " + " | ".join(str(counts[word]) for word in OUTCOMES) + " |")


def count(pairs, serve):
    """Verdicts of all pairs, and how long each took."""
    counts, seconds = Counts(), []
    for number in range(pairs):
        begin = time.monotonic()
        counts.take(serve(number))
        seconds.append(time.monotonic() - begin)
        print(f"\rpair {number + 1} of {pairs}, {seconds[-1]:.1f} s", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return counts, seconds


def longer_by(compared):
    """Share of the baseline's TTFT."""
    before, after = (value["value"] for value in figure(compared, TTFT))
    return after / before - 1


def plant(pairs, arguments):
    """A latency that makes TTFT so much longer, and the runs that the program recommends for each side."""
    share, pilot = arguments.planted / 100, 5
    first = pairs.planted("pilot", pilot, 0)
    # In ms. A read may wait more than once, or while something else is computed: one more measurement corrects it.
    more = share * figure(first, TTFT)[0]["value"] / 1e3
    effect = longer_by(pairs.planted("effect", pilot, more))
    if effect > share / 4:
        more *= share / effect
    runs = next((one["runs_needed"] for one in first["power"] if one["name"] == TTFT), None)
    if runs is None:
        sys.exit("the comparison recommends no number of runs; give a larger --limit")
    return more, max(runs, 2)


def too_few_judged(counts, arguments):
    """Prints the share of each figure. Whether one is too small: then what was called different says nothing."""
    few = False
    for name in counts.figures:
        share = counts.judged_percent(name, arguments.pairs)
        print(f"{name}: {'no pair with quality' if share is None else f'{share:.1f} % of pairs judged'}")
        few = few or (share is not None and share < arguments.judged)
    if few:
        print(f"fewer than {arguments.judged:g} % of pairs were judged; use a machine without other work, or a larger "
              "--repeat", file=sys.stderr)
    return few


def wrongly_called(counts, arguments):
    """Whether too many pairs of equal sides were called different, or too few planted ones found."""
    if arguments.planted:
        return 100 * counts.figures[TTFT]["worse"] < arguments.found * arguments.pairs
    return any(100 * counts.called(name) > arguments.bound * arguments.pairs for name in counts.figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workload", default="quickstart")
    parser.add_argument("--policy", default="evicpress")
    parser.add_argument("--limit", type=int, default=12, help="requests of a run")
    parser.add_argument("--repeat", type=int, default=3, help="runs of a side, at least 2")
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--bound", type=float, default=10, help="most percent of pairs that may be called different")
    parser.add_argument("--planted", type=float, default=0, help="percent of TTFT")
    parser.add_argument("--found", type=float, default=90, help="least percent of planted pairs to be found")
    parser.add_argument("--judged", type=float, default=80, help="least percent of pairs to be judged")
    parser.add_argument("--no-load", action="store_true")
    arguments = parser.parse_args()
    if arguments.repeat < 2 or arguments.pairs < 1:
        parser.error("--repeat takes 2 or more, --pairs 1 or more")
    load = multiprocessing.Process(target=keep_busy, args=(arguments.seed,), daemon=True)
    with tempfile.TemporaryDirectory() as folder:
        pairs = Pairs(arguments, folder)
        shown = {"seed": arguments.seed, "limit": arguments.limit, "load": not arguments.no_load}
        if not arguments.planted:
            pairs.same("first")  # profiles what is not profiled yet; not counted
        if not arguments.no_load:
            load.start()
        try:
            if arguments.planted:
                more, runs = plant(pairs, arguments)
                effects = []

                def serve(number):
                    compared = pairs.planted(number, runs, more)
                    effects.append(longer_by(compared))
                    return compared

                counts, seconds = count(arguments.pairs, serve)
                shown |= {"planted_percent": arguments.planted, "runs": runs, "latency_seconds": more,
                          "median_effect_percent": round(100 * statistics.median(effects), 2)}
            else:
                counts, seconds = count(arguments.pairs, pairs.same)
                shown |= {"policy": arguments.policy, "runs": arguments.repeat}
        finally:
            if load.is_alive():
                load.terminate()
    counts.print()
    few = too_few_judged(counts, arguments)
    shown |= {"pairs": arguments.pairs, "figures": counts.figures,
              "judged_percent": {name: counts.judged_percent(name, arguments.pairs) for name in counts.figures},
              "median_seconds_of_a_pair": round(statistics.median(seconds), 2)}
    print(json.dumps(shown))
    if TTFT not in counts.figures or len(counts.figures) < 2:
        sys.exit("the comparisons have no TTFT or no quality")
    return few or wrongly_called(counts, arguments)


if __name__ == "__main__":
    sys.exit(int(main()))
