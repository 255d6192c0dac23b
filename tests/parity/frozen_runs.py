#!/usr/bin/env python3
"""Frozen runs of one build, so that a refactoring can be held against the build before it.

  frozen_runs.py costs CLI            times this machine once and writes tests/goldens/frozen/WORKLOAD.run
  frozen_runs.py record CLI OUT       serves every run, writes OUT/WORKLOAD-POLICY-SEED.jsonl
  frozen_runs.py compare OUT OTHER    exit code 1 and the first differences where two recordings differ;
                                      --decisions: whatever the sentences in them say; keys that all events of
                                      one side lack are listed and left out

A frozen run takes its costs from the committed run file, its session and the shipped profile from
tests/goldens/sessions, so tokens, placements and decisions follow from the program alone. Quality curves rest on the
processor's arithmetic: record both builds on one machine. Recorded: answers, the tier and method that served each
request, plans, moves, failures, profiles. Left out: everything that is a time.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = ["quickstart", "sensitivity-mix", "drifting-questions"]
POLICIES = ["evicpress", "adaptcache", "lru", "fixed(snapkv,0.5)", "important_fraction"]
SEEDS = [1, 2]
# Events that say what was decided and answered; the rest counts and times.
RECORDED = [
    "request.started",
    "request.finished",
    "token.emitted",
    "context.computed",
    "context.profiled",
    "plan.made",
    "placement.committed",
    "placement.failed",
    "read.failed",
    "drift.detected",
    "tier.occupancy",
    "setting.changed",
]


# Sentences for people, which are reworded while what they say stays: left out by `compare --decisions`.
TEXTS = {"reason", "message"}
# Objects whose keys are values: one that a side lacks is a difference.
MAPS = {"bytes_by_method"}


def is_time(key):
    return key.endswith(("_ns", "seconds", "_s")) or key in ("ttft", "timings", "spans", "seconds_by_stage")


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not is_time(k)}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


class Session:
    """A folder with workloads, sessions and shipped profile as they were recorded, a database and a store."""

    def __init__(self, cli):
        self.cli = str(pathlib.Path(cli).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="frozen-"))
        (self.folder / "model").symlink_to(ROOT / "resources" / "model")
        (self.folder / "resources" / "profiles").mkdir(parents=True)
        (self.folder / "resources" / "model").symlink_to(ROOT / "resources" / "model")
        for profile in (ROOT / "tests" / "goldens" / "sessions").glob("*.profile.json"):
            shutil.copy(profile, self.folder / "resources" / "profiles")
        (self.folder / "sample_workloads").mkdir()
        for name in WORKLOADS:
            target = self.folder / "sample_workloads" / name
            shutil.copytree(ROOT / "sample_workloads" / name, target)
            shutil.copyfile(ROOT / "tests" / "goldens" / "sessions" / f"{name}.json", target / "session.json")

    def call(self, *words):
        result = subprocess.run(
            [self.cli, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "KVANTAGE_HOME": str(self.folder)},
        )
        if result.returncode:
            sys.exit(f"{' '.join(words)}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
        return result.stdout

    def close(self):
        shutil.rmtree(self.folder)


def record_costs(cli):
    session = Session(cli)
    for name in WORKLOADS:
        session.call(
            "run",
            f"sample_workloads/{name}",
            "--model",
            "model",
            "--freeze",
            "--policy",
            "lru",
            "--limit",
            "1",
            "--no-warmup",
            "--seed",
            "1",
            "--db",
            f"{name}.db",
            "--store",
            f"{name}.store",
            "--quiet",
        )
        target = ROOT / "tests" / "goldens" / "frozen" / f"{name}.run"
        target.unlink(missing_ok=True)
        session.call("runs", "export", "last", str(target), "--db", f"{name}.db")
        print(target.relative_to(ROOT))
    session.close()


def record(cli, out):
    out.mkdir(parents=True, exist_ok=True)
    session = Session(cli)
    for name in WORKLOADS:
        database = f"{name}.db"
        session.call("runs", "import", str(ROOT / "tests" / "goldens" / "frozen" / f"{name}.run"), "--db", database)
        costs = session.call("runs", "list", "--db", database).split("\n")[1].split()[0]
        for seed in SEEDS:
            session.call(
                "run",
                f"sample_workloads/{name}",
                "--from",
                costs,
                "--model",
                "model",
                "--freeze",
                "--policy",
                ",".join(POLICIES),
                "--limit",
                os.environ.get("FROZEN_REQUESTS", "200"),
                "--seed",
                str(seed),
                "--db",
                database,
                "--store",
                f"{name}.store",
                "--quiet",
            )
            ids = [line.split()[0] for line in session.call("runs", "list", "--db", database).split("\n")[1:] if line]
            newest = [run for run in ids if run != costs]
            seen = 0
            for run in newest:
                events = []
                policy = None
                for line in session.call("replay", run, "--db", database, "--json").split("\n"):
                    if not line:
                        continue
                    event = json.loads(line)
                    if event.get("type") == "run.started":
                        settings = event["data"]["settings"]
                        policy = settings["settings"]["policy"]
                        if settings["environment"]["seed"] != seed:
                            policy = None
                            break
                    if event.get("type") in RECORDED:
                        events.append({"type": event["type"], **without_times(event["data"])})
                if policy is None:
                    continue
                seen += 1
                safe = policy.replace("(", "-").replace(")", "").replace(",", "-")
                with open(out / f"{name}-{safe}-{seed}.jsonl", "w") as file:
                    for event in events:
                        file.write(json.dumps(event, sort_keys=True) + "\n")
                print(f"{name} {policy} seed {seed}: {len(events)} events", flush=True)
            if seen != len(POLICIES):
                sys.exit(f"{name} seed {seed}: {seen} runs are recorded, {len(POLICIES)} were asked for")
    session.close()


def without_texts(value):
    if isinstance(value, dict):
        return {k: without_texts(v) for k, v in value.items() if k not in TEXTS}
    return [without_texts(v) for v in value] if isinstance(value, list) else value


def read_events(file, decisions):
    events = [json.loads(line) for line in file.read_text().splitlines() if line]
    return [without_texts(event) for event in events] if decisions else events


def note_keys(value, path, keys):
    """Adds the keys of every object in `value` to those of its path: "request.finished.record" -> {"answer", ...}."""
    if isinstance(value, dict) and path.rpartition(".")[2] not in MAPS:
        keys.setdefault(path, set()).update(value)
        for key, one in value.items():
            note_keys(one, f"{path}.{key}", keys)
    if isinstance(value, list):
        for one in value:
            note_keys(one, path + "[]", keys)


def keys_of(recordings):
    keys = {}
    for events in recordings.values():
        for event in events:
            note_keys(event, event["type"], keys)
    return keys


def only_in(keys, other):
    """By path, the keys that no event of the other side has there; an object that is in one side alone is one key."""
    return {path: found - other[path] for path, found in keys.items() if path in other and found - other[path]}


def without_keys(value, path, left_out):
    if isinstance(value, dict):
        gone = left_out.get(path, ())
        return {k: without_keys(v, f"{path}.{k}", left_out) for k, v in value.items() if k not in gone}
    return [without_keys(v, path + "[]", left_out) for v in value] if isinstance(value, list) else value


def compare(left, right, decisions):
    names = sorted({p.name for p in left.glob("*.jsonl")} | {p.name for p in right.glob("*.jsonl")})
    shared = [name for name in names if (left / name).exists() and (right / name).exists()]
    sides = [{name: read_events(folder / name, decisions) for name in shared} for folder in (left, right)]
    keys = [keys_of(side) for side in sides]
    left_out = [only_in(keys[0], keys[1]), only_in(keys[1], keys[0])]
    for side, paths in zip("AB", left_out):
        for path in sorted(paths):
            for key in sorted(paths[path]):
                print(f"only in {side}: {key} ({path})")
    different = 0
    for name in names:
        if name not in shared:
            print(f"{name}: only in one of the two")
            different += 1
            continue
        a, b = (
            [json.dumps(without_keys(event, event["type"], paths), sort_keys=True) for event in side[name]]
            for side, paths in zip(sides, left_out)
        )
        if a == b:
            continue
        different += 1
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        print(f"{name}: differs from event {at} on ({len(a)} and {len(b)} events)")
        for side in (a, b):
            print("   ", side[at][:400] if at < len(side) else "(ends)")
    print(f"{len(names) - different} of {len(names)} recordings are equal")
    return 1 if different or not names else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("costs").add_argument("cli")
    one = commands.add_parser("record")
    one.add_argument("cli")
    one.add_argument("out", type=pathlib.Path)
    two = commands.add_parser("compare")
    two.add_argument("out", type=pathlib.Path)
    two.add_argument("other", type=pathlib.Path)
    two.add_argument("--decisions", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "costs":
        record_costs(arguments.cli)
    elif arguments.command == "record":
        record(arguments.cli, arguments.out)
    else:
        sys.exit(compare(arguments.out, arguments.other, arguments.decisions))


if __name__ == "__main__":
    main()
