#!/usr/bin/env python3
"""Measures the table of docs/scale.md: one command for each row, some minutes on two idle cores.

    docs/make_scale.py [--cli build/release/app/kvantage-cli] [--print]

Writes between the markers of docs/scale.md. --print writes no file.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 120
BEGIN, END = "<!-- scale: docs/make_scale.py -->", "<!-- end of scale -->"
COMMON = ["--store-bandwidth", "5GB/s", "--epochs", "3", "--drift", "0.02"]
SCARCE = ["--tier", "dram=2%", "--store-bytes", "2%"]  # room for one context in 25, uncompressed
BIG = ["--engines", "1000", "--contexts", "100000000"]
ROWS = [
    ("1,000 engines, 10^6 contexts", ["--engines", "1000", "--contexts", "1000000", "--engine-zipf", "0.8"] + SCARCE),
    ("1,000 engines, 10^7 contexts", ["--engines", "1000", "--contexts", "10000000", "--engine-zipf", "0.8"] + SCARCE),
    ("1,000 engines, 10^8 contexts", BIG + ["--engine-zipf", "0.8"] + SCARCE),
    ("the same, engines alike", BIG + SCARCE),
    ("the same, 5 % of messages lost", BIG + ["--engine-zipf", "0.8", "--loss", "0.05"] + SCARCE),
    ("the same, 30 % lost", BIG + ["--engine-zipf", "0.8", "--loss", "0.3"] + SCARCE),
    ("the same, all lost", BIG + ["--engine-zipf", "0.8", "--loss", "1"] + SCARCE),
    ("the same, loads limited", BIG + ["--engine-zipf", "0.8", "--store-load", "5GB/s", "--rate", "1000"] + SCARCE),
    ("budgets of the quick start", BIG + ["--engine-zipf", "0.8"]),
]


def run(cli, words):
    """The document, and the most memory that the program held, in MiB."""
    read, write = os.pipe()
    child = subprocess.Popen([cli, "fleet", *words, "--json", "--quiet"], stdout=write)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"error: {' '.join(words)} ended with {child.returncode}")
    return json.loads(text), used.ru_maxrss / 1024


def lines_of(name, document, memory):
    lines = []
    for epoch in document["epochs"]:
        gaps = {plan["plan"]: plan["gain_gap"] * 100 for plan in epoch["plans"]}
        whole = next(plan["gap"] for plan in epoch["plans"] if plan["plan"] == "prices") * 100
        seconds = epoch["seconds"]
        first = epoch["epoch"] == 1
        lines.append(f"| {name if first else ''} | {epoch['epoch']} | {len(epoch['rounds'])} | {whole:.2g} "
                     f"| {gaps['prices']:.2g} | {gaps['equal']:.2g} | {gaps['greedy']:.2g} | {epoch['messages']:,} "
                     f"| {epoch['message_bytes'] / 2**20:.2f} | {seconds['streaming']:.1f} "
                     f"| {seconds['exchanging'] + seconds['planning']:.1f} | {f'{memory:.0f}' if first else ''} |")
    return lines


def command_lines(words):
    """The command of a row, without an option apart from its value, in lines of at most 120 columns."""
    lines = ["kvantage-cli fleet"]
    pieces = [" ".join(words[i:i + 2]) for i in range(0, len(words), 2)]
    pieces[-1] += " ..."  # the options of all rows
    for piece in pieces:
        if len(lines[-1]) + 1 + len(piece) + len(" \\") > COLUMNS:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += " " + piece
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", default=str(ROOT / "build/release/app/kvantage-cli"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    arguments = parser.parse_args()
    cores = os.cpu_count()
    today = datetime.date.today().isoformat()
    lines = [f"Measured on {today} with {cores} cores at rest. All rows have these options, too:",
             f"`{' '.join(COMMON)}`.", "",
             "| fleet | epoch | rounds | gap % | of gain % | equal split % | greedy % | messages | MiB | draw s "
             "| plan s | peak MiB |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    commands = []
    for name, words in ROWS:
        document, memory = run(arguments.cli, words + COMMON)
        lines += lines_of(name, document, memory)
        commands += command_lines(words)
        print("\n".join(lines[-len(document["epochs"]):]), file=sys.stderr, flush=True)
    lines += ["", "```sh", *commands, "```"]
    text = "\n".join(lines)
    if arguments.only_print:
        print(text)
        return
    page = ROOT / "docs/scale.md"
    old = page.read_text()
    begin, end = old.index(BEGIN) + len(BEGIN), old.index(END)
    page.write_text(old[:begin] + "\n" + text + "\n" + old[end:])


if __name__ == "__main__":
    main()
