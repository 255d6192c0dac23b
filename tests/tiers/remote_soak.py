#!/usr/bin/env python3
"""Many programs on one redis-server, or one cluster, for a while: clients of the store that write, read and erase at
random, and whole sessions that serve requests from it. Clients check every byte they read. Sessions keep contexts
uncompressed, so each answer must be the one of a prefill. Memory, open files and threads of the sessions are sampled;
their growth over the second half of each process's life is printed. At the end nothing unfinished and no lease may be
left.

With --cluster: three masters and three replicas; after a third of the time a master is killed, after two thirds a slot
moves to another node, key by key. Sessions must have been served from the cluster. From the death of the master until
a replica has taken its place, and a little longer, they must have missed entries: otherwise nothing was disturbed.

Exit code 1: any of that is not so, an answer or a byte was wrong, a program failed, or something was left behind.

Usage: remote_soak.py BUILD_FOLDER [--minutes N] [--clients N] [--sessions N] [--kill SECONDS] [--cluster]
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


class Server:
    """One redis-server."""

    def __init__(self, folder, *settings):
        self.port = free_port()
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
        self.process = subprocess.Popen([*words, *settings], stdout=subprocess.DEVNULL)

    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def redis(self, *words):
        words = ["redis-cli", "-p", str(self.port), *words]
        return subprocess.run(words, capture_output=True, text=True).stdout.strip()

    def count(self, command, pattern, *more):
        return sum(int(self.redis(command, key, *more)) for key in self.redis("KEYS", pattern).split())

    def close(self):
        self.process.kill()


class Cluster:
    """Three masters with a third of the slots each, and a replica of each."""

    def __init__(self, folder):
        self.nodes = []
        for number in range(6):
            home = folder / f"node-{number}"
            home.mkdir()
            self.nodes.append(Server(home, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                                     "--cluster-allow-replica-migration", "no", "--repl-diskless-sync-delay", "0"))
        wait_until(lambda: all(node.redis("PING") == "PONG" for node in self.nodes))
        for number, node in enumerate(self.nodes[:3]):
            node.redis("CLUSTER", "ADDSLOTSRANGE", str(number * 16384 // 3), str((number + 1) * 16384 // 3 - 1))
        for node in self.nodes[1:]:
            self.nodes[0].redis("CLUSTER", "MEET", "127.0.0.1", str(node.port))
        wait_until(lambda: all(len(node.redis("CLUSTER", "NODES").splitlines()) == 6 for node in self.nodes))
        for master, replica in zip(self.nodes[:3], self.nodes[3:]):
            identity = master.redis("CLUSTER", "MYID")
            wait_until(lambda: replica.redis("CLUSTER", "REPLICATE", identity) == "OK")
        wait_until(self.healthy)
        wait_until(lambda: all("master_link_status:up" in node.redis("INFO", "replication") for node in self.nodes[3:]))

    def living(self):
        return [node for node in self.nodes if node.process.poll() is None]

    def healthy(self):
        return all("cluster_state:ok" in node.redis("CLUSTER", "INFO") for node in self.living())

    def masters(self):
        return [node for node in self.living() if node.redis("ROLE").startswith("master")]

    def url(self):
        return "redis-cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:3])

    def count(self, command, pattern, *more):
        return sum(node.count(command, pattern, *more) for node in self.masters())

    def kill_a_master(self):
        """From its death until a replica is a master in its place, in seconds since 1970."""
        masters = len(self.masters())
        begun = time.time()
        self.nodes[0].process.kill()
        self.nodes[0].process.wait()
        wait_until(lambda: len(self.masters()) == masters and self.healthy())
        return begun, time.time()

    def move_a_slot(self):
        """The one with the most keys of one master."""
        source, target = self.masters()[:2]
        slots = collections.Counter(source.redis("CLUSTER", "KEYSLOT", key)
                                    for key in source.redis("KEYS", "*:index").split())
        slot = slots.most_common(1)[0][0]
        ids = source.redis("CLUSTER", "MYID"), target.redis("CLUSTER", "MYID")
        target.redis("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[0])
        source.redis("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[1])
        while keys := source.redis("CLUSTER", "GETKEYSINSLOT", slot, "1"):
            source.redis("MIGRATE", "127.0.0.1", str(target.port), keys, "0", "5000", "REPLACE")
        for node in target, source, *self.masters():
            node.redis("CLUSTER", "SETSLOT", slot, "NODE", ids[1])

    def close(self):
        for node in self.nodes:
            node.close()


def wait_until(holds):
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            sys.exit("the servers did not become ready")
        time.sleep(0.1)


def misses_within(misses, span, settling=10):
    """Of (seconds, reason): those within a span, and for some seconds after it, while clients look for the new master.
    The first request for a context misses everywhere, and what is computed sooner was not looked for."""
    begun, ended = span
    return sum(1 for seconds, reason in misses
               if begun <= seconds <= ended + settling and reason not in ("first_contact", "computed_sooner"))


def failures(counts, trouble, left, killing, failover=None, misses=()):
    """What was not as it must be, a line each. `failover`: of a cluster its span and the misses of sessions."""
    lines = [f"trouble: {len(trouble)}"] if trouble else []
    if counts["wrong_answers"]:
        lines.append(f"wrong answers: {counts['wrong_answers']}")
    if any(left.values()) and not killing:  # leases of the killed end by themselves, later
        lines.append(f"left behind: {json.dumps(left)}")
    if failover is None:
        return lines
    if not counts["remote_hits"]:
        lines.append("no request of a session was served from the cluster")
    if not failover:
        lines.append("no master was killed")
    elif not misses_within(misses, failover):
        lines.append("no session missed an entry around the failover: it disturbed nothing")
    return lines


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
        self.misses = []  # of sessions: (seconds since 1970, reason)
        self.failover = ()  # when a master was away: (begin, end)
        self.samples = {}  # by process: [(seconds, resident KiB, open files, threads)]
        self.server = Cluster(self.folder) if arguments.cluster else Server(self.folder)

    def url(self):
        return self.server.url()

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
        finished = [event for event in events if event.get("type") == "request.finished"]
        records = [event["data"]["record"] for event in finished]
        with self.lock:
            self.misses += [(event["utc_ns"] / 1e9, event["data"]["record"]["miss_reason"]) for event in finished
                            if event["data"]["record"]["source"] == "prefill"]
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
        end = time.monotonic() + 40
        while self.arguments.cluster and self.leases() and time.monotonic() < end:
            time.sleep(1)  # who ended while a master was away could not give its lease back: it ends by itself
        return {"unfinished": self.server.count("HLEN", "*:unfinished"), "leases": self.leases()}

    def leases(self):
        """Of a cluster those that have not ended: others remain for a day, and count for nothing."""
        if not self.arguments.cluster:
            return self.server.count("ZCARD", "*:workbenches")
        return self.server.count("ZCOUNT", "*:workbenches", str(int(1000 * time.time())), "+inf")

    def disturb(self):
        """What happens to a cluster meanwhile."""
        time.sleep(20 * self.arguments.minutes)
        self.failover = self.server.kill_a_master()
        self.note(masters_killed=1)
        time.sleep(max(0, self.left() / 2))
        self.server.move_a_slot()
        self.note(slots_moved=1)

    def run(self):
        expected = self.session("baseline", "full_prefill", "dram=8MiB")
        if not expected:
            print("no baseline:", *self.trouble)
            return 1
        self.counts.clear()
        self.misses.clear()
        self.end = time.monotonic() + 60 * self.arguments.minutes
        threads = [threading.Thread(target=self.serve, args=(n, expected)) for n in range(self.arguments.sessions)]
        threads += [threading.Thread(target=self.use_store, args=(n,)) for n in range(self.arguments.clients)]
        if self.arguments.cluster:
            threads.append(threading.Thread(target=self.disturb))
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
        cluster = self.arguments.cluster
        if cluster and self.failover:
            print(f"a master was away for {self.failover[1] - self.failover[0]:.1f} s; misses of sessions around that:",
                  misses_within(self.misses, self.failover))
        failed = failures(self.counts, self.trouble, left, self.arguments.kill > 0, self.failover if cluster else None,
                          self.misses)
        for line in failed:
            print("failed:", line)
        return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--requests", type=int, default=2000, help="requests of a session")
    parser.add_argument("--kill", type=float, default=0, help="kill sessions after so many seconds on average, and one "
                        "client run in five; 0: nothing is killed")
    parser.add_argument("--cluster", action="store_true", help="six servers instead of one, two of which are disturbed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(arguments, folder)
        try:
            sys.exit(soak.run())
        finally:
            soak.server.close()


if __name__ == "__main__":
    main()
