"""How tests/fuzz/campaign.py shares executions, what it remembers, how slow fuzzers end. Scripts are the fuzzers."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time

from support import Folder, ROOT

# Says what libFuzzer says. $calls gets a line a start: the name and -runs.
HEAD = """#!/bin/sh
name=${0##*fuzz_}
for word; do case $word in -runs=*) runs=${word#-runs=} ;; esac; done
echo "$name $runs" >>calls
echo "#10 INITED cov: 100 ft: 1" >&2
ends() { echo "#$1 DONE cov: 100 ft: 1" >&2; echo "stat::number_of_executed_units: $1" >&2; exit "$2"; }
"""
QUICK = HEAD + "sleep 0.05\nends $runs 0\n"
SLOW = HEAD + "sleep 0.5\nends $runs 0\n"
BROKEN = HEAD + "ends 7 77\n"
BUSY = HEAD + "trap 'ends 50 72' INT\nwhile :; do :; done\n"  # until it is asked to end
WAITING = HEAD + "trap 'ends 60 72' INT\nwhile :; do sleep 0.1; done\n"


class Campaign(Folder):
    def setUp(self):
        super().setUp()
        for name in ("build/fuzz/fuzzers", "build/fuzz/seeds", "tests/fuzz"):
            (self.folder / name).mkdir(parents=True)

    def fuzzers(self, scripts):
        """By name: how it ends, and its script."""
        for name, (_, script) in scripts.items():
            path = self.folder / f"build/fuzz/fuzzers/fuzz_{name}"
            path.write_text(script)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            (self.folder / f"build/fuzz/seeds/{name}.words").write_text("-max_len=10\n")
        rows = [f"{name} {ends} 100" for name, (ends, _) in scripts.items()]
        (self.folder / "tests/fuzz/targets.txt").write_text("# NAME HOW BYTES\n" + "\n".join(rows) + "\n")
        return list(scripts)

    def start(self, *words, **how):
        return subprocess.Popen([sys.executable, "-B", str(ROOT / "tests/fuzz/campaign.py"), *words], cwd=self.folder,
                                stdout=subprocess.PIPE, text=True, **how)

    def run_campaign(self, *words):
        process = self.start(*words)
        said, _ = process.communicate(timeout=120)
        return process.returncode, said

    def state(self):
        return json.loads((self.folder / "build/fuzz/state.json").read_text())

    def calls(self):
        lines = (self.folder / "calls").read_text().splitlines()
        return [(name, int(runs)) for name, runs in map(str.split, lines)]

    def test_fast_ones_make_most_after_each_had_a_quarter_of_its_share(self):
        names = self.fuzzers({"quick": ("runs", QUICK), "slow": ("runs", SLOW)})
        code, said = self.run_campaign("--executions", "8000", "--jobs", "2", *names)
        self.assertEqual(code, 0, said)
        self.assertEqual(sorted(self.calls()[:2]), [("quick", 1000), ("slow", 1000)])
        made = {name: row["executions"] for name, row in self.state().items()}
        self.assertGreaterEqual(made["quick"] + made["slow"], 8000)
        self.assertGreater(made["quick"], made["slow"])
        self.assertGreaterEqual(made["slow"], 1000)
        table = (self.folder / "build/fuzz/results.md").read_text()
        self.assertIn(table, said)
        total = re.search(r"^\| all \| ([\d,]+) \|", table, re.MULTILINE)[1]
        self.assertEqual(int(total.replace(",", "")), made["quick"] + made["slow"])

    def test_the_same_command_continues_and_fresh_begins_again(self):
        names = self.fuzzers({"one": ("runs", QUICK)})
        self.run_campaign("--executions", "1000", *names)
        self.assertEqual(self.calls(), [("one", 250), ("one", 750)])
        self.run_campaign("--executions", "1000", *names)
        self.assertEqual(len(self.calls()), 2)  # it was done
        self.run_campaign("--executions", "1500", *names)
        self.assertEqual(sum(runs for _, runs in self.calls()[2:]), 500)
        self.run_campaign("--executions", "100", "--fresh", *names)
        self.assertEqual(self.state()["one"]["executions"], 100)

    def test_an_interruption_keeps_what_was_made(self):
        names = self.fuzzers({"one": ("runs", WAITING), "other": ("runs", QUICK)})
        process = self.start("--executions", "4000", "--every", "0.2", *names)
        while "10" not in str(self.state_if_there().get("one", {}).get("executions")):
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("running: one; at least", said)
        self.assertEqual(self.state()["one"]["executions"], 60)
        self.fuzzers({"one": ("runs", QUICK), "other": ("runs", QUICK)})
        code, said = self.run_campaign("--executions", "4000", *names)
        self.assertEqual(code, 0, said)
        self.assertIn(("one", 440), self.calls())

    def test_a_signal_to_all_processes_of_a_terminal_is_no_finding(self):
        names = self.fuzzers({"one": ("runs", WAITING)})
        process = self.start("--executions", "4000", "--every", "0.2", *names, start_new_session=True)
        while "10" not in str(self.state_if_there().get("one", {}).get("executions")):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual((self.state()["one"]["executions"], self.state()["one"]["findings"]), (60, 0))

    def test_who_had_its_first_minutes_has_no_others(self):
        names = self.fuzzers({"one": ("runs", QUICK)})
        row = {"executions": 10, "findings": 0, "seconds": 1300.0, "quiet_seconds": 0.0, "edges": []}
        (self.folder / "build/fuzz/state.json").write_text(json.dumps({"one": row}))
        self.run_campaign("--executions", "1000", *names)
        self.assertEqual(self.calls(), [("one", 990)])

    def state_if_there(self):
        return self.state() if (self.folder / "build/fuzz/state.json").exists() else {}

    def test_slow_ones_end_without_new_code_and_count_beside_the_others(self):
        names = self.fuzzers({"one": ("runs", QUICK), "base": ("time", BUSY)})
        code, said = self.run_campaign("--executions", "100", "--still", "0.5", *names)
        self.assertEqual(code, 0, said)
        self.assertEqual(self.calls()[-1], ("base", -1))
        self.assertGreaterEqual(self.state()["one"]["executions"], 100)
        self.assertEqual(self.state()["base"]["executions"], 50)
        self.assertGreaterEqual(self.state()["base"]["quiet_seconds"], 0.5)
        self.run_campaign("--executions", "100", "--still", "0.5", *names)
        self.assertEqual(sum(name == "base" for name, _ in self.calls()), 1)  # it was over

    def test_after_findings_a_fuzzer_starts_three_times_more(self):
        names = self.fuzzers({"broken": ("runs", BROKEN), "one": ("runs", QUICK)})
        code, said = self.run_campaign("--executions", "1000", *names)
        self.assertEqual(code, 1, said)
        self.assertEqual(sum(name == "broken" for name, _ in self.calls()), 4)
        self.assertEqual(self.state()["broken"]["findings"], 4)
        self.assertGreaterEqual(self.state()["one"]["executions"] + 4 * 7, 1000)
        self.fuzzers({"broken": ("runs", QUICK), "one": ("runs", QUICK)})  # mended
        code, said = self.run_campaign("--executions", "3000", *names)
        self.assertEqual(code, 0, said)
        self.assertGreater(sum(name == "broken" for name, _ in self.calls()), 4)
        self.assertEqual(self.state()["broken"]["findings"], 4)
