#!/usr/bin/env python3
"""Runs fuzzers until they made so many executions together, several at a time, and prints a table for docs/testing.md.

Each gets an equal share. One that is too slow for its share ends when it reached no new code for --still seconds; what
it leaves goes to the others. After a finding a fuzzer is started again, three times at most. tests/fuzz/run.sh builds
the fuzzers, and prepares their inputs and the words of their command lines, before it calls this in the root of the
repository.

Usage: campaign.py --executions N [--jobs J] [--still SECONDS] [--last MINUTES] NAME...
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import threading
import time

PROGRESS = re.compile(rb"^#(\d+)\s+\S+\s+cov: (\d+)")
EXECUTED = re.compile(rb"^stat::number_of_executed_units: (\d+)")
INTERRUPTED, MAX_RESTARTS = 72, 3
FOLDER = pathlib.Path("build/fuzz")


class Fuzzer:
    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments
        self.log = FOLDER / "logs" / f"{name}.log"
        self.executions = self.findings = 0
        self.seconds = 0.0
        self.edges = []  # (seconds, edges) whenever there were more than ever
        self.is_still = False

    def words(self, runs):
        words = (FOLDER / "seeds" / f"{self.name}.words").read_text().splitlines()
        return [str(FOLDER / "fuzzers" / f"fuzz_{self.name}"), f"-runs={runs}", *words]

    def may_continue(self):
        return not self.is_still and self.findings <= MAX_RESTARTS and not stopping.is_set()

    def run(self, runs):
        """So many more executions, or fewer."""
        end = self.executions + runs
        while self.executions < end and self.may_continue():
            before = self.executions
            code = self.run_once(end - self.executions)
            if code not in (0, INTERRUPTED):
                self.findings += 1
                print(f"finding of {self.name}: {self.log}", flush=True)
            elif self.executions == before:
                break
        return self

    def run_once(self, runs):
        environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1")
        begun, before, executed = time.monotonic(), self.seconds, 0
        with open(self.log, "ab") as log:
            process = subprocess.Popen(["nice", *self.words(runs)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=environment)
            last_new, rest, asked = begun, b"", False
            while True:
                ready, _, _ = select.select([process.stderr], [], [], 1)
                now = time.monotonic()
                chunk = os.read(process.stderr.fileno(), 1 << 16) if ready else b""
                if ready and not chunk:
                    break
                log.write(chunk)
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if found := PROGRESS.match(line):
                        executed = int(found[1])
                        if not self.edges or int(found[2]) > self.edges[-1][1]:
                            self.edges.append((before + now - begun, int(found[2])))
                            last_new = now
                    elif found := EXECUTED.match(line):
                        executed = int(found[1])
                if now - last_new > self.arguments.still and not asked:
                    self.is_still = True
                if (self.is_still or stopping.is_set()) and not asked:
                    asked = True
                    process.send_signal(signal.SIGINT)
            code = process.wait()
        self.seconds = before + time.monotonic() - begun
        self.executions += executed
        return code

    def new_edges(self):
        """Of the last minutes; of all where there were fewer, but for those of the inputs to begin with."""
        if not self.edges:
            return 0
        since = self.seconds - 60 * self.arguments.last
        known = [edges for seconds, edges in self.edges if seconds <= since] or [self.edges[0][1]]
        return self.edges[-1][1] - known[-1]

    def row(self):
        edges = self.edges[-1][1] if self.edges else 0
        rate = self.executions / self.seconds if self.seconds else 0
        return (f"| `{self.name}` | {self.executions:,} | {self.seconds:,.0f} | {rate:,.0f} | {edges:,} | "
                f"{self.new_edges():,} | {self.findings} |")


def table_of(fuzzers, last):
    total = sum(fuzzer.executions for fuzzer in fuzzers)
    seconds = sum(fuzzer.seconds for fuzzer in fuzzers)
    rate = total / seconds if seconds else 0
    lines = [f"| fuzzer | executions | seconds | a second | edges | new in the last {last:g} min | findings |",
             "|---|---|---|---|---|---|---|"]
    lines += [fuzzer.row() for fuzzer in fuzzers]
    lines.append(f"| all | {total:,} | {seconds:,.0f} | {rate:,.0f} | | {sum(f.new_edges() for f in fuzzers):,} | "
                 f"{sum(f.findings for f in fuzzers)} |")
    return "\n".join(lines) + "\n"


def share_of(executions, fuzzers):
    return -(-executions // len(fuzzers))


def run_all(fuzzers, arguments):
    left, able = arguments.executions, fuzzers
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while left > 0 and able:
            made = sum(fuzzer.executions for fuzzer in fuzzers)
            runs = share_of(left, able)
            for done in concurrent.futures.as_completed([pool.submit(fuzzer.run, runs) for fuzzer in able]):
                print(done.result().row(), flush=True)
            able = [fuzzer for fuzzer in able if fuzzer.may_continue()]
            now = sum(fuzzer.executions for fuzzer in fuzzers)
            left = arguments.executions - now
            if now == made:
                break


stopping = threading.Event()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=int, required=True, help="of all together")
    parser.add_argument("--jobs", type=int, default=1, help="fuzzers at a time")
    parser.add_argument("--still", type=float, default=7200, help="seconds without new code that end a fuzzer")
    parser.add_argument("--last", type=float, default=10, help="minutes of the table's column of new edges")
    parser.add_argument("names", nargs="+", metavar="NAME")
    arguments = parser.parse_args()
    (FOLDER / "logs").mkdir(parents=True, exist_ok=True)
    fuzzers = [Fuzzer(name, arguments) for name in arguments.names]
    signal.signal(signal.SIGINT, lambda *_: stopping.set())
    run_all(fuzzers, arguments)
    table = table_of(fuzzers, arguments.last)
    (FOLDER / "results.md").write_text(table)
    print("\n" + table, end="")
    sys.exit(1 if any(fuzzer.findings for fuzzer in fuzzers) else 0)


if __name__ == "__main__":
    main()
