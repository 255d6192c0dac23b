#!/usr/bin/env python3
"""From the start of the window's process to its first painted curve, with its files on the disk only, on a copy of the
quick start with settings and stores of its own each time.

The files are those that a started window has mapped (program, libraries, fonts), with the model, the workload and
resources/. Their pages are dropped with posix_fadvise, which needs no root; pages that another process has mapped stay,
and the share that stays is printed. Rounds take turns: warm, cold, and reading the same files, dropped as well, one
after the other. A bench in C++ cannot do this: it maps the libraries itself.

Of files that the user may not write, the kernel says that all pages are in memory: the share is exact for root.

With --bounds the exit code is 1 where the median of cold starts exceeds that of warm starts plus MAX_READS times that
of reading.

Usage: cold_start.py KVANTAGE [--rounds N] [--bounds]        KVANTAGE: build/release/app/kvantage
"""

import argparse
import ctypes
import json
import mmap
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

MAX_READS = 2.0  # a cold start may take a warm one and so many times what reading its files takes
GOALS = {"warm": 2.0, "cold": 4.0}  # seconds, printed beside the medians
PATIENCE_SECONDS = 180
SOURCE = pathlib.Path(__file__).resolve().parents[3]
MOMENTS = ["main", "application", "session_opened", "window_made", "window_shown", "session_ready",
           "sensitivity_curve", "frontier_curve"]
PAGE = mmap.PAGESIZE


def mapped_files(pid):
    """Files that the process has mapped."""
    files = set()
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        path = line[line.find("/"):] if "/" in line else ""
        if path and not path.startswith("/dev/") and os.path.isfile(path):
            files.add(path)
    return files


def data_files():
    """Files that the quick start reads."""
    folders = [SOURCE / "resources", SOURCE / "sample_workloads" / "quickstart"]
    return {str(path) for folder in folders for path in folder.rglob("*") if path.is_file()}


def drop(files):
    """Drops the pages of the files that nobody has mapped."""
    os.sync()  # pages that are to be written stay
    for path in files:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def resident_share(files):
    """The share of the files' pages that is in memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    resident = total = 0
    for path in files:
        size = os.path.getsize(path)
        if size == 0:
            continue
        with open(path, "rb") as file, mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ | mmap.PROT_WRITE,
                                                 flags=mmap.MAP_PRIVATE) as mapped:
            pages = (size + PAGE - 1) // PAGE
            states = (ctypes.c_ubyte * pages)()
            start = ctypes.c_char.from_buffer(mapped)
            if libc.mincore(ctypes.addressof(start), size, states) == 0:
                resident += sum(state & 1 for state in states)
                total += pages
            del start  # or the map could not be closed
    return resident / total if total else 0.0


def read_all(files):
    """Seconds to read the files, one after the other."""
    began = time.monotonic()
    block = bytearray(1 << 20)
    for path in files:
        with open(path, "rb", buffering=0) as file:
            while file.readinto(block):
                pass
    return time.monotonic() - began


def has_all_curves(times):
    """Whether the first curve and that of the Frontier were painted."""
    return times.exists() and "frontier_curve" in json.loads(times.read_text())["seconds"]


def start(program, parent, dropped=()):
    """Starts the window, behind dropping `dropped` and its workload if there are any. Returns its times, the files that
    it has mapped by then, and the share of the dropped pages that stayed."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
    shutil.copytree(SOURCE / "sample_workloads" / "quickstart", folder / "quickstart")
    stayed = 0.0
    if dropped:
        dropped = [*dropped, *(str(path) for path in (folder / "quickstart").iterdir())]
        drop(dropped)
        stayed = resident_share(dropped)
    environment = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY",
                                                                                     "GOMP_SPINCOUNT")}
    environment.update(QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=str(folder / "config"),
                       KVANTAGE_CACHE=str(folder / "cache"))
    times = folder / "times.json"
    process = subprocess.Popen(
        [program, str(folder / "quickstart"), "--model", str(SOURCE / "resources" / "model"), "--store",
         str(folder / "store"), "--language", "en", "--startup-timing", str(times)],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        ends = time.monotonic() + PATIENCE_SECONDS
        while not has_all_curves(times):
            if process.poll() is not None or time.monotonic() > ends:
                process.kill()
                sys.exit(f"error: no curve was painted: {process.communicate()[1].decode(errors='replace')[:500]}")
            time.sleep(0.02)
        mapped = mapped_files(process.pid)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_SECONDS)
        report = json.loads(times.read_text())
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    own = str(folder)
    shutil.rmtree(folder)
    return report, {path for path in mapped if not path.startswith(own)}, stayed


def first_curve(report):
    return report["seconds"][report["first_curve"]]


def show(name, reports):
    seconds = [first_curve(report) for report in reports]
    print(f"{name}: first curve after {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}), "
          f"goal {GOALS[name]:.0f} s")
    reached = []
    for moment in MOMENTS:
        known = [report["seconds"][moment] for report in reports if moment in report["seconds"]]
        if known:
            reached.append(f"{moment} {statistics.median(known):.2f} s")
    print("    " + "  ".join(reached))
    return statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bounds", action="store_true")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: give 1 or more")
    program = os.path.abspath(arguments.program)
    warm, cold, reads, left = [], [], [], []
    with tempfile.TemporaryDirectory() as parent:
        files = sorted(start(program, parent)[1] | data_files())  # not counted: reads them into memory
        for _ in range(arguments.rounds):
            warm.append(start(program, parent)[0])
            report, _, stayed = start(program, parent, files)
            cold.append(report)
            left.append(stayed)
            drop(files)
            reads.append(read_all(files))
    size = sum(os.path.getsize(path) for path in files) / 2**20
    print(f"{len(files)} files, {size:.0f} MiB; after dropping, {100 * statistics.median(left):.1f} % of their pages "
          "were still in memory")
    warm_seconds, cold_seconds = show("warm", warm), show("cold", cold)
    read_seconds = statistics.median(reads)
    limit = warm_seconds + MAX_READS * read_seconds
    print(f"reading these files, dropped as well: {read_seconds:.2f} s; cold is {cold_seconds / warm_seconds:.2f} "
          f"times warm and {cold_seconds / limit:.2f} of the limit (warm and {MAX_READS:g} times reading)")
    if arguments.bounds and cold_seconds > limit:
        sys.exit("error: a cold start takes longer than its limit")


if __name__ == "__main__":
    main()
