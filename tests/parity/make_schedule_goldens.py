#!/usr/bin/env python3
"""Goldens for request schedules (core/workload): the same definitions written a second time, in whole numbers and in
the standard library's floating point, so that sequences stay the same on every machine and in every release.

    python3 tests/parity/make_schedule_goldens.py
"""

import bisect
import json
import math
import pathlib

from splitmix import SplitMix, derived

OUT = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "schedules.json"


def schedule(contexts, per_phase, seed, run_seed, arrivals, limit):
    """Questions are numbered context by context, those of phase 0 first."""
    total = sum(per_phase)
    ranked = SplitMix(derived(seed, 1)).shuffled(range(contexts))
    zipf = [(rank + 1) ** -arrivals["zipf_exponent"] for rank in range(contexts)]
    tail = arrivals.get("tail_share", 0)
    chances = [(1 - tail) * weight / sum(zipf) + tail / contexts for weight in zipf]
    cumulative = [math.fsum(chances[: rank + 1]) for rank in range(contexts)]
    choice = SplitMix(derived(seed ^ run_seed, 2))
    burst_draws, order, inside = SplitMix(derived(seed ^ run_seed, 3)), list(range(contexts)), False
    drift_draws = SplitMix(derived(seed ^ run_seed, 5))
    bursts, drift = arrivals.get("bursts"), arrivals.get("drift")
    if drift:
        begin, end = (math.floor(drift[side] * arrivals["requests"] + 0.5) for side in ("begin", "end"))
        places = SplitMix(derived(seed, 4)).shuffled(range(contexts))
        changes = {context: begin + (end - begin) * (place + 1) // contexts for place, context in enumerate(places)}
    gaps, at, asked, made = SplitMix(derived(seed ^ run_seed, 0x617272)), 0.0, {}, []
    for index in range(limit):
        rank = min(bisect.bisect_right(cumulative, choice.uniform()), contexts - 1)
        pace = 1.0
        if bursts:
            on, off = bursts["mean_requests"], bursts["mean_quiet_requests"]
            about = min(bursts["contexts"], contexts)
            if index > 0 and burst_draws.uniform() < 1 / (on if inside else off):
                inside = not inside
                if inside:
                    for i in range(about):
                        other = i + burst_draws.below(contexts - i)
                        order[i], order[other] = order[other], order[i]
            pace = (off + on / bursts["factor"]) / (on + off)
            if inside:
                pace *= bursts["factor"]
                rank = order[burst_draws.below(about)]
        context = ranked[rank]
        phase = 0
        if drift:
            draw = drift_draws.next()
            if drift["one_by_one"]:
                phase = int(index >= changes[context])
            elif index >= end:
                phase = 1
            elif index >= begin:
                phase = int((draw * (end - begin)) >> 64 < index - begin)
        if per_phase[phase] == 0:
            phase = 1 - phase
        turn = asked.get((context, phase), 0)
        asked[(context, phase)] = turn + 1
        question = context * total + (per_phase[0] if phase else 0) + turn % per_phase[phase]
        if arrivals["requests_per_second"] > 0:
            at += -math.log1p(-gaps.uniform()) / (arrivals["requests_per_second"] * pace)
        made.append([question, at])
    return made


def main():
    plain = {"requests_per_second": 0.0, "zipf_exponent": 0.9, "requests": 60}
    bursts = {"factor": 6.0, "mean_requests": 5.0, "mean_quiet_requests": 7.0, "contexts": 2}
    drift = {"begin": 0.25, "end": 0.75, "one_by_one": False}
    cases = {
        "power law": plain,
        "flat tail": {**plain, "zipf_exponent": 1.4, "tail_share": 0.6},
        "all alike": {**plain, "tail_share": 1.0},
        "bursts": {**plain, "bursts": bursts},
        "bursts at a rate": {**plain, "requests_per_second": 12.5, "bursts": bursts},
        "one context a burst": {**plain, "bursts": {**bursts, "contexts": 1, "mean_requests": 1.0}},
        "a burst about all": {**plain, "bursts": {**bursts, "contexts": 99}},
        "drift together": {**plain, "drift": drift},
        "drift one by one": {**plain, "drift": {**drift, "one_by_one": True}},
        "drift at once": {**plain, "drift": {"begin": 0.5, "end": 0.5, "one_by_one": False}},
        "all of it": {
            "requests_per_second": 3.0,
            "zipf_exponent": 0.5,
            "requests": 40,
            "tail_share": 0.3,
            "bursts": bursts,
            "drift": {**drift, "one_by_one": True},
        },
    }
    goldens = []
    for name, arrivals in cases.items():
        for contexts, per_phase, seed, run_seed in (
            (7, (2, 3), 5, 0),
            (1, (1, 2), 11, 3),
            (12, (3, 0), 2026, 9),
            (4, (0, 2), 8, 8),
        ):
            made = schedule(contexts, per_phase, seed, run_seed, arrivals, 80)
            goldens.append(
                {
                    "name": f"{name}, {contexts} contexts",
                    "contexts": contexts,
                    "per_phase": per_phase,
                    "seed": seed,
                    "run_seed": run_seed,
                    "arrivals": arrivals,
                    "questions": [question for question, _ in made],
                    "last_arrival_seconds": made[-1][1],
                }
            )
    OUT.write_text("[\n" + ",\n".join(json.dumps(golden) for golden in goldens) + "\n]\n")
    print(f"{OUT.name}: {len(goldens)} sequences, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
