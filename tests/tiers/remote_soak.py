#!/usr/bin/env python3
"""Many programs on one redis-server for a while: clients of the store that write, read and erase at random, and whole
sessions that serve requests from it. Clients check every byte they read. Sessions keep contexts uncompressed, so each
answer must be the one of a prefill. Memory, open files and threads of the sessions are sampled; their growth over the
second half of each process's life is printed. At the end nothing unfinished and no lease may be left.

Usage: remote_soak.py BUILD_FOLDER [--minutes N] [--clients N] [--sessions N] [--kill SECONDS]
"""

import argparse
import collections
import json
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Soak:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = pathlib.Path(folder)
        self.cli = f"{arguments.build}/app/kvantage-cli"
        self.client = f"{arguments.build}/tests/tiers_tests"
        self.end = 0
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.trouble = []
        self.samples = {}  # by process: [(seconds, resident KiB, open files, threads)]
        self.port = free_port()
        self.server = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                                        "--dir", str(self.folder)], stdout=subprocess.DEVNULL)

    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def redis(self, *words):
        words = ["redis-cli", "-p", str(self.port), *words]
        return subprocess.run(words, capture_output=True, text=True).stdout.strip()

    def note(self, trouble=None, **counts):
        with self.lock:
            self.counts.update(counts)
            if trouble:
                self.trouble.append(trouble)

    def left(self):
        return self.end - time.monotonic()

    def session(self, name, policy, *tiers):
        """Answers by question of one whole run, or nothing where it was killed."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        database, run = str(folder / "runs.db"), str(folder / "run.jsonl")
        words = [self.cli, "run", "quickstart", "--policy", policy, "--limit", str(self.arguments.requests),
                 "--no-reprofile", "--quiet", "--threads", "1", "--store", str(folder / "store"), "--db", database]
        for tier in tiers:
            words += ["--tier", tier]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        killed = self.watch(process, name)
        error = process.stderr.read()
        if killed:
            return None
        if process.wait() != 0:
            self.note(trouble=f"{name}: exit code {process.returncode}: {error.strip()}")
            return None
        subprocess.run([self.cli, "runs", "export", "last", run, "--db", database, "--quiet"], check=True)
        with open(run) as lines:
            events = [json.loads(line) for line in lines]
        records = [event["data"]["record"] for event in events if event.get("type") == "request.finished"]
        self.note(requests=len(records),
                  remote_hits=sum(1 for one in records if one["source"] == "remote"))
        return {(one["context_id"], one["question"]): one["answer"] for one in records}

    def watch(self, process, name):
        """Samples the process once a second; kills it now and then where that is asked for. True: killed."""
        begun = time.monotonic()
        fate = self.arguments.kill and name != "baseline" and random.expovariate(1 / self.arguments.kill)
        mine = self.samples.setdefault(f"{name} {process.pid}", [])
        while process.poll() is None:
            if fate and time.monotonic() - begun > fate:
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.note(kills=1)
                return True
            try:
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                facts = dict(line.split(":", 1) for line in status.splitlines())
                files = sum(1 for _ in pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
                mine.append((time.monotonic() - begun, int(facts["VmRSS"].split()[0]), files, int(facts["Threads"])))
            except (FileNotFoundError, ProcessLookupError, KeyError, PermissionError):
                pass
            time.sleep(1)
        return False

    def serve(self, number, expected):
        name = f"session-{number}"
        while self.left() > 0:
            answers = self.session(name, "lru", "dram=8MiB", f"remote=300MiB,url={self.url()}")
            if answers is None:
                continue
            wrong = [key for key, answer in answers.items() if key in expected and expected[key] != answer]
            self.note(runs=1, answers=len(answers), wrong_answers=len(wrong))
            for key in wrong[:3]:
                self.note(trouble=f"{name}: {key}: {answers[key]!r} instead of {expected[key]!r}")

    def use_store(self, number):
        seed = 1000 * (number + 1)
        while self.left() > 0:
            seed += 1
            words = [self.client, "remote_sharing_test", "--peer", self.url(), "load", "150", str(seed)]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if self.arguments.kill and random.random() < 0.2:
                time.sleep(random.uniform(0.2, 5))
                process.kill()
                process.wait()
                self.note(kills=1)
                continue
            said, error = process.communicate()
            found = dict(zip(said.split()[::2], map(int, said.split()[1::2])))
            # On a busy machine the server may not answer in time: then reads and writes are refused, which is no loss.
            if found.get("wrong") != 0:
                self.note(trouble=f"client {number}, seed {seed}: {said.strip()} {error.strip()}")
            else:
                self.note(client_runs=1, right_reads=found["right"], missed_reads=found["missed"],
                          refused_reads=found["refused"], refused_writes=found["failed"])

    def growth(self):
        """Of the second half of each process that lived long enough: KiB, files and threads a minute."""
        for name, samples in self.samples.items():
            half = samples[len(samples) // 2:]
            if len(half) < 10:
                continue
            minutes = (half[-1][0] - half[0][0]) / 60
            yield name, *((half[-1][i] - half[0][i]) / minutes for i in (1, 2, 3))

    def left_behind(self):
        """Chunks without an entry, and leases, once everybody is gone."""
        subprocess.run([self.client, "remote_sharing_test", "--peer", self.url(), "load", "20", "7"],
                       capture_output=True)
        return {"unfinished": sum(int(self.redis("HLEN", key)) for key in self.redis("KEYS", "*:unfinished").split()),
                "leases": sum(int(self.redis("ZCARD", key)) for key in self.redis("KEYS", "*:workbenches").split())}

    def run(self):
        expected = self.session("baseline", "full_prefill", "dram=8MiB")
        if not expected:
            print("no baseline:", *self.trouble)
            return 1
        self.counts.clear()
        self.end = time.monotonic() + 60 * self.arguments.minutes
        threads = [threading.Thread(target=self.serve, args=(n, expected)) for n in range(self.arguments.sessions)]
        threads += [threading.Thread(target=self.use_store, args=(n,)) for n in range(self.arguments.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(json.dumps(self.counts), flush=True)
        worst = [max((row[i] for row in self.growth()), default=0) for i in (1, 2, 3)]
        print(f"fastest growth of a session: {worst[0]:.0f} KiB, {worst[1]:.1f} files, {worst[2]:.1f} threads a minute")
        left = self.left_behind()
        print("left behind:", json.dumps(left))
        for line in self.trouble[:20]:
            print("trouble:", line)
        killed = self.arguments.kill > 0  # then leases end by themselves, later
        return 1 if self.trouble or self.counts["wrong_answers"] or (any(left.values()) and not killed) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--requests", type=int, default=2000, help="requests of a session")
    parser.add_argument("--kill", type=float, default=0, help="kill sessions after so many seconds on average, and one "
                        "client run in five; 0: nothing is killed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(arguments, folder)
        try:
            sys.exit(soak.run())
        finally:
            soak.server.kill()


if __name__ == "__main__":
    main()
