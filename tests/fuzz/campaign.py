#!/usr/bin/env python3
"""Runs fuzzers until they made so many executions together, several at a time, and prints a table for docs/testing.md.

A row of tests/fuzz/targets.txt says how a fuzzer ends:

- runs: it shares the executions. First each makes a quarter of an equal share, for 20 minutes at most. What is left is
  divided so that all take the same time: fast parsers make most of it.
- time: it ends when it reached no new code for --still seconds of processor time. Its executions come on top.

After a finding a fuzzer is started again, three times at most in one call; exit code 1: this call had findings. What
was done is in build/fuzz/state.json, so the same command continues after an interruption, and makes more where it asks
for more. tests/fuzz/run.sh builds the fuzzers, and prepares their inputs and the words of their command lines, before
it calls this in the root of the repository.

Usage: campaign.py --executions N [--jobs J] [--still SECONDS] [--last MINUTES] [--fresh] NAME...
"""

import argparse
import concurrent.futures
import json
import math
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
FIRST_SHARE, FIRST_SECONDS = 4, 1200  # a quarter, at most so long
FOLDER = pathlib.Path("build/fuzz")
TARGETS = pathlib.Path("tests/fuzz/targets.txt")
STATE = FOLDER / "state.json"
TICKS = os.sysconf("SC_CLK_TCK")

stopping = threading.Event()


def processor_seconds(process):
    """That a process has taken, 0 where it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    except (OSError, IndexError):
        return 0.0


def duration(seconds):
    minutes = int(seconds + 59) // 60
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


class Fuzzer:
    KEPT = ("executions", "findings", "seconds", "quiet_seconds", "edges")

    def __init__(self, name, is_timed, arguments):
        self.name, self.is_timed, self.arguments = name, is_timed, arguments
        self.log = FOLDER / "logs" / f"{name}.log"
        self.executions = self.findings = 0
        self.new_findings = 0  # of this call: what earlier ones found may be mended
        self.seconds = 0.0
        self.quiet_seconds = 0.0  # of the processor, since it reached new code
        self.edges = []  # [seconds, edges] whenever there were more than ever
        self.live = self.live_seconds = 0  # of the process that runs now
        self.is_running = False

    def restore(self, state):
        for field in self.KEPT:
            setattr(self, field, state.get(field, getattr(self, field)))

    def state(self):
        kept = {field: getattr(self, field) for field in self.KEPT}
        return {**kept, "executions": self.made(), "seconds": self.seconds + self.live_seconds}

    def made(self):
        return self.executions + self.live

    def rate(self):
        seconds = self.seconds + self.live_seconds
        return self.made() / seconds if seconds > 0 else 0.0

    def is_over(self):
        return self.is_timed and self.quiet_seconds >= self.arguments.still

    def may_continue(self):
        return not self.is_over() and self.new_findings <= MAX_RESTARTS and not stopping.is_set()

    def run(self, runs=-1, most_seconds=0.0):
        """So many more executions, or fewer: where `most_seconds` pass. -1: until it is over."""
        end = self.executions + runs
        ends_at = self.seconds + most_seconds
        while self.may_continue() and (runs < 0 or self.executions < end):
            left = ends_at - self.seconds if most_seconds > 0 else 0.0
            if most_seconds > 0 and left <= 0:
                break
            before = self.executions
            self.is_running = True
            code = self.run_once(runs if runs < 0 else end - self.executions, left)
            self.is_running = False
            if code not in (0, INTERRUPTED, -signal.SIGINT):  # the last: asked to end before it could take that
                self.findings += 1
                self.new_findings += 1
                print(f"finding of {self.name}: {self.log}", flush=True)
            elif self.executions == before:
                break
        return self

    def words(self, runs, most_seconds):
        words = (FOLDER / "seeds" / f"{self.name}.words").read_text().splitlines()
        limit = [f"-max_total_time={int(most_seconds) + 1}"] if most_seconds > 0 else []
        return ["nice", str(FOLDER / "fuzzers" / f"fuzz_{self.name}"), f"-runs={runs}", *limit, *words]

    def run_once(self, runs, most_seconds):
        environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1")
        begun, rest, asked, taken = time.monotonic(), b"", False, 0.0
        with open(self.log, "ab") as log:
            # In a session of its own: signals of the terminal would end it as a finding does.
            process = subprocess.Popen(self.words(runs, most_seconds), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, env=environment, start_new_session=True)
            while True:
                ready, _, _ = select.select([process.stderr], [], [], 1)
                chunk = os.read(process.stderr.fileno(), 1 << 16) if ready else b""
                if ready and not chunk:
                    break
                log.write(chunk)
                self.live_seconds = time.monotonic() - begun
                now = max(taken, processor_seconds(process.pid))
                self.quiet_seconds += now - taken
                taken = now
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self.take(line)
                if (self.is_over() or stopping.is_set()) and not asked:
                    asked = True
                    process.send_signal(signal.SIGINT)
            code = process.wait()
        made = self.made()
        self.live = self.live_seconds = 0  # first: what is saved meanwhile may be too few, but not too many
        self.executions, self.seconds = made, self.seconds + time.monotonic() - begun
        return code

    def take(self, line):
        if found := PROGRESS.match(line):
            self.live = int(found[1])
            if not self.edges or int(found[2]) > self.edges[-1][1]:
                self.edges.append([self.seconds + self.live_seconds, int(found[2])])
                self.quiet_seconds = 0.0
        elif found := EXECUTED.match(line):
            self.live = int(found[1])

    def new_edges(self):
        """Of the last minutes; of all where there were fewer, but for those of the inputs to begin with."""
        if not self.edges:
            return 0
        since = self.seconds - 60 * self.arguments.last
        known = [edges for seconds, edges in self.edges if seconds <= since] or [self.edges[0][1]]
        return self.edges[-1][1] - known[-1]

    def row(self):
        edges = self.edges[-1][1] if self.edges else 0
        return (f"| `{self.name}` | {self.made():,} | {self.seconds:,.0f} | {self.rate():,.0f} | {edges:,} | "
                f"{self.new_edges():,} | {self.quiet_seconds / 60:,.0f} | {self.findings} |")


class Campaign:
    def __init__(self, fuzzers, arguments):
        self.arguments = arguments
        self.fuzzers = fuzzers
        self.by_runs = [fuzzer for fuzzer in fuzzers if not fuzzer.is_timed]
        self.by_time = [fuzzer for fuzzer in fuzzers if fuzzer.is_timed]
        self.lock = threading.Lock()

    def restore(self):
        states = json.loads(STATE.read_text()) if STATE.exists() else {}
        for fuzzer in self.fuzzers:
            if not self.arguments.fresh:
                fuzzer.restore(states.get(fuzzer.name, {}))

    def save(self):
        """Others' rows stay as they are. A file that is cut off would lose what was done, so it is replaced."""
        with self.lock:
            states = json.loads(STATE.read_text()) if STATE.exists() else {}
            states.update((fuzzer.name, fuzzer.state()) for fuzzer in self.fuzzers)
            made = STATE.with_suffix(".part")
            made.write_text(json.dumps(states, indent=1))
            os.replace(made, STATE)

    def made(self):
        return sum(fuzzer.made() for fuzzer in self.by_runs)

    def left(self):
        return max(0, self.arguments.executions - self.made()) if self.by_runs else 0

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            first = -(-self.arguments.executions // (FIRST_SHARE * max(1, len(self.by_runs))))
            lacking = [(fuzzer, first - fuzzer.executions, FIRST_SECONDS - fuzzer.seconds) for fuzzer in self.by_runs]
            self.wait_for([pool.submit(fuzzer.run, runs, seconds) for fuzzer, runs, seconds in lacking
                           if runs > 0 and seconds > 0])
            while (left := self.left()) > 0 and not stopping.is_set():
                able = [fuzzer for fuzzer in self.by_runs if fuzzer.may_continue() and fuzzer.rate() > 0]
                seconds = left / max(1e-9, sum(fuzzer.rate() for fuzzer in able))
                runs = [(fuzzer, max(1, math.ceil(fuzzer.rate() * seconds - 1e-6))) for fuzzer in able]
                self.wait_for([pool.submit(fuzzer.run, some) for fuzzer, some in runs])
                if self.left() == left:
                    break
            self.wait_for([pool.submit(fuzzer.run) for fuzzer in self.by_time if fuzzer.may_continue()])

    def wait_for(self, futures):
        for done in concurrent.futures.as_completed(futures):
            print(done.result().row(), flush=True)
            self.save()

    def seconds_left(self):
        """At least: the slow ones begin again with each new edge."""
        rates = [fuzzer.rate() for fuzzer in self.by_runs if fuzzer.rate() > 0]
        executions = self.left() * len(rates) / sum(rates) if rates else 0.0
        timed = sum(max(0.0, self.arguments.still - fuzzer.quiet_seconds) for fuzzer in self.by_time)
        return (executions * len(self.by_runs) / max(1, len(rates)) + timed) / self.arguments.jobs

    def progress(self):
        running = ", ".join(fuzzer.name for fuzzer in self.fuzzers if fuzzer.is_running)
        share = 100 * self.made() / self.arguments.executions
        return (f"{self.made():,} of {self.arguments.executions:,} executions ({share:.1f} %), "
                f"{sum(fuzzer.findings for fuzzer in self.fuzzers)} findings; running: {running or 'none'}; "
                f"at least {duration(self.seconds_left())} left")

    def report_until(self, over):
        while not over.wait(self.arguments.every):
            print(self.progress(), flush=True)
            self.save()

    def table(self):
        total = sum(fuzzer.made() for fuzzer in self.fuzzers)
        seconds = sum(fuzzer.seconds for fuzzer in self.fuzzers)
        rate = total / seconds if seconds else 0
        last = f"{self.arguments.last:g}"
        lines = [f"| fuzzer | executions | seconds | a second | edges | new in the last {last} min | "
                 "min without new ones | findings |",
                 "|---|---|---|---|---|---|---|---|"]
        lines += [fuzzer.row() for fuzzer in self.fuzzers]
        lines.append(f"| all | {total:,} | {seconds:,.0f} | {rate:,.0f} | | "
                     f"{sum(fuzzer.new_edges() for fuzzer in self.fuzzers):,} | | "
                     f"{sum(fuzzer.findings for fuzzer in self.fuzzers)} |")
        return "\n".join(lines) + "\n"


def timed_targets():
    rows = [line.split() for line in TARGETS.read_text().splitlines() if line and not line.startswith("#")]
    return {row[0]: row[1] == "time" for row in rows}


def positive(text):
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=positive, required=True, help="of all together")
    parser.add_argument("--jobs", type=positive, default=1, help="fuzzers at a time")
    parser.add_argument("--still", type=float, default=7200, help="processor seconds without new code (7200)")
    parser.add_argument("--last", type=float, default=10, help="minutes of the table's column of new edges")
    parser.add_argument("--every", type=float, default=60, help="seconds between two lines of progress")
    parser.add_argument("--fresh", action="store_true", help="forget what these fuzzers did before")
    parser.add_argument("names", nargs="+", metavar="NAME")
    arguments = parser.parse_args()
    (FOLDER / "logs").mkdir(parents=True, exist_ok=True)
    timed = timed_targets()
    campaign = Campaign([Fuzzer(name, timed[name], arguments) for name in arguments.names], arguments)
    campaign.restore()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, lambda *_: stopping.set())
    over = threading.Event()
    reporter = threading.Thread(target=campaign.report_until, args=(over,))
    reporter.start()
    try:
        campaign.run()
    finally:
        over.set()
        reporter.join()
        campaign.save()
    table = campaign.table()
    (FOLDER / "results.md").write_text(table)
    print("\n" + table, end="")
    if stopping.is_set():
        print("interrupted; the same command continues")
        sys.exit(130)
    sys.exit(1 if any(fuzzer.new_findings for fuzzer in campaign.fuzzers) else 0)


if __name__ == "__main__":
    main()
