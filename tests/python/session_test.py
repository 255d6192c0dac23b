"""The package with the real program on a tiny text: profile, plan, run, sweep, recorded runs, and a live session."""

import json
import os
import shutil
import signal
import socket
import stat
import tempfile
import threading
import time
import unittest
from pathlib import Path

import kvantage
from support import Folder, facts, real_program


class Sessions(unittest.TestCase):
    """One profile and one run for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.program = kvantage.Program(real_program())
        cls.folder = Path(tempfile.mkdtemp(prefix="kvantage-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.text = cls.folder / "facts.txt"
        cls.text.write_text(facts(60))
        cls.db = cls.folder / "store" / "kvantage.db"
        cls.session = {
            "store": cls.folder / "store",
            "context_tokens": 256,
            "probes": 2,
            "threads": 1,
            "tier": {"dram": "30%", "ssd": "60%"},
            "methods": ["knorm"],
            "removed": [0.5],
            "program": cls.program,
        }
        cls.seen = []
        cls.curves = kvantage.profile(cls.text, progress=cls.seen.append, **cls.session)
        cls.report = kvantage.run(cls.text, policy=["lru", "evicpress"], alpha=0.5, limit=3, **cls.session)

    def test_profile(self):
        cells = self.curves.cells
        self.assertGreaterEqual(len(cells), 2)
        self.assertEqual({(row["method"], row["removed_fraction"]) for row in cells} - {("none", 0)}, {("knorm", 0.5)})
        self.assertTrue(all(0 <= quality <= 1 for quality in cells["quality"]))
        self.assertEqual(self.curves.tiers["tier"], ["dram", "ssd"])
        stages = {one.stage for one in self.seen}
        self.assertTrue(any("rofil" in stage for stage in stages), stages)
        done = [one for one in self.seen if one.total and one.done == one.total]
        self.assertTrue(done, self.seen)

    def test_plan(self):
        plan = kvantage.plan(self.text, policy=["evicpress", "lru"], alpha=[0.01, 1, 100], **self.session)
        self.assertEqual(plan.points["policy"], ["evicpress"] * 3 + ["lru"])
        self.assertEqual(plan.points["alpha"], [0.01, 1, 100, None])
        self.assertEqual(plan.points["provenance"], ["predicted"] * 3 + ["modelled"])
        contexts = {row["context"] for row in self.curves.cells}
        for alpha in (0.01, 1, 100):
            placed = plan.placements.where(alpha=alpha)
            self.assertEqual(set(placed["context"]), contexts)
            used = plan.tiers.where(alpha=alpha, policy="evicpress")
            for tier in used:
                self.assertLessEqual(tier["used_bytes"], tier["budget_bytes"])
                self.assertEqual(
                    tier["used_bytes"], sum(row["bytes"] for row in placed if row["tier"] == tier["tier"])
                )

    def test_run_and_what_is_recorded(self):
        rows = self.report.rows
        self.assertEqual(rows["policy"], ["lru", "evicpress"])
        self.assertEqual(rows["requests"], [3, 3])
        self.assertTrue(all(ttft > 0 for ttft in rows["ttft_service_seconds.mean"]))
        self.assertEqual(len(self.report.run_ids), 2)
        listed = kvantage.runs(db=self.db, program=self.program)
        self.assertLessEqual(set(self.report.run_ids), set(listed["run_id"]))
        one = kvantage.read_run(self.report.run_ids[1], db=self.db, program=self.program)
        self.assertEqual(one.rows["policy"], ["evicpress"])
        # The journal has the warm-up as well; the report counts the others.
        requests = one.requests()
        self.assertEqual(set(requests["run_id"]), {self.report.run_ids[1]})
        counted = requests.rows[-3:]
        mean = sum(row["timing.ttft_service_seconds"] for row in counted) / 3
        self.assertAlmostEqual(one.rows[0]["ttft_service_seconds.mean"], mean, places=9)
        self.assertGreaterEqual(len(one.plans()), 1)
        self.assertEqual(one.definitions.columns, ["formula", "meaning", "name", "unit"])

    def test_decisions_and_events(self):
        both = kvantage.events(self.report.run_ids[0], db=self.db, program=self.program)
        types = [event["type"] for event in both]
        self.assertEqual((types[0], types.count("request.finished") >= 3), ("run.started", True))
        decisions = kvantage.decisions(self.report.run_ids[0], db=self.db, program=self.program)
        self.assertEqual(len(decisions), sum(one.startswith("placement.") for one in types))
        for row in decisions:
            self.assertIn(row["to_tier"], ("dram", "ssd", None))
            self.assertTrue(row["action.reason"] is not None)
        left = kvantage.events(self.report.run_ids[0], db=self.db, program=self.program)
        next(left)
        left.close()  # leaves no process behind

    def test_compare(self):
        differences = kvantage.compare(*self.report.run_ids, db=self.db, program=self.program)
        self.assertGreater(len(differences), 5)

    def test_errors_of_the_program(self):
        with self.assertRaises(kvantage.UsageError) as caught:
            kvantage.run(self.text, policy="lruu", **self.session)
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("'lru'", str(caught.exception))
        with self.assertRaises(kvantage.RejectedInput) as caught:
            kvantage.read_run("no-such-run", db=self.db, program=self.program)
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertNotIn("\n", str(caught.exception))

    def test_cancel_keeps_what_was_served(self):
        cancel = threading.Event()

        def begun(progress):
            if progress.stage == "lru" and progress.done >= 8:  # beyond the warm-up
                cancel.set()

        with self.assertRaises(kvantage.Interrupted) as caught:
            kvantage.run(self.text, policy="lru", limit=100000, progress=begun, cancel=cancel, **self.session)
        self.assertEqual(caught.exception.exit_code, 130)
        served = caught.exception.partial.rows[0]["requests"]
        self.assertTrue(0 < served < 100000, served)

    def test_a_killed_run(self):
        def kill(progress):
            if progress.stage == "lru" and progress.done >= 1:
                os.kill(job._process.pid, signal.SIGKILL)

        options = {key: value for key, value in self.session.items() if key != "program"}
        job = self.program.start("run", self.text, policy="lru", limit=100000, progress=kill, **options)
        with self.assertRaises(kvantage.ProgramKilled) as caught:
            job.result(timeout=600)
        self.assertEqual(caught.exception.exit_code, -9)
        killed = kvantage.runs(db=self.db, program=self.program)[-1]
        self.assertEqual((killed["policy"], killed["finished_utc_ns"]), ("lru", 0))

    def test_sweep(self):
        workload = self.folder / "workload"
        self.program.call(
            "workload make",
            families="registry",
            contexts_per_family=2,
            min_tokens=200,
            max_tokens=300,
            out=workload,
        )
        seen = []
        table = kvantage.sweep(
            workload,
            out=self.folder / "sweep",
            policy=["lru", "full_prefill"],
            tier={"dram": "64MiB"},
            limit=2,
            threads=1,
            progress=seen.append,
            program=self.program,
        )
        self.assertEqual(sorted(table.rows["policy"]), ["full_prefill", "lru"])
        self.assertEqual(len(table.run_ids), 2)
        self.assertEqual(len(table.failed), 0)
        self.assertTrue(set(table.frontier["policy"]) <= {"lru", "full_prefill"})
        cells = [one for one in seen if one.cells]
        self.assertEqual({one.cells for one in cells}, {2})
        self.assertEqual({one.run for one in cells if one.run}, set(table.run_ids))
        with self.assertRaises(kvantage.ProgramFailed):  # the folder has results
            kvantage.sweep(workload, out=self.folder / "sweep", tier={"dram": "64MiB"}, program=self.program)

    def test_a_running_session(self):
        path = self.folder / "socket"
        options = {key: value for key, value in self.session.items() if key != "program"}
        stops = []

        def stop_when_served(one):
            if one.total >= 100000 and one.done >= 30 and not stops:  # the warm-up counts, too
                stops.append(one.done)
                live.stop()

        job = self.program.start(
            "run",
            self.text,
            policy="evicpress",
            alpha=1,
            limit=100000,
            listen=path,
            progress=stop_when_served,
            **options,
        )
        with job, kvantage.connect(path, wait=120) as live:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertIn(self.program.version, live.program)
            live.wait_until("running")
            self.assertEqual(live.settings()["alpha"], 1)
            contexts = live.contexts()
            self.assertEqual(set(contexts["id"]), {row["context"] for row in self.curves.cells})
            changed = live.set(alpha=0.25, budgets={"dram": "1MiB"})
            self.assertEqual(changed["alpha"], 0.25)
            until = time.monotonic() + 60
            found = live.decisions()
            while not any(one["type"] == "setting.changed" for one in found) and time.monotonic() < until:
                time.sleep(0.1)
                found += live.decisions()
            self.assertTrue(any(one["type"] == "setting.changed" for one in found), found)
            while live.snapshot()["alpha"] != 0.25 and time.monotonic() < until:  # it follows the settings
                time.sleep(0.1)
            self.assertEqual(live.snapshot()["alpha"], 0.25)
            answers = live.ask(
                "What is the badge of Ada Holt 0 ?",
                text=facts(12),
                columns=[{}, {"method": "knorm", "removed_fraction": 0.5}],
            )
            self.assertEqual([one.method for one in answers], ["none", "knorm"])
            self.assertTrue(all(one.ttft_seconds > 0 for one in answers))
            with self.assertRaisesRegex(kvantage.UsageError, "the session has no tier 'gpu'"):
                live.set(budgets={"gpu": 5})
            with self.assertRaises(kvantage.Interrupted) as caught:
                job.result(timeout=120)
        rows = caught.exception.partial.get("rows")  # one for each setting that served
        self.assertGreater(sum(row["requests"] for row in rows), 0, (stops, rows))
        self.assertFalse(path.exists())
        with self.assertRaisesRegex(kvantage.ConnectionLost, "no session listens there"):
            kvantage.connect(path)


class WrongSockets(Folder):
    def serve(self, *lines):
        """A socket that answers every line with the next of these, and then leaves."""
        path = str(self.folder / "s")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen(1)

        def answer():
            peer, _ = listener.accept()
            with peer:
                for i, line in enumerate(lines):
                    if i:
                        peer.recv(1 << 16)
                    if line is None:
                        time.sleep(5)
                    else:
                        peer.sendall(line.encode() + b"\n")

        threading.Thread(target=answer, daemon=True).start()
        return path

    GREETING = json.dumps({"format": "kvantage-session", "version": 1, "program": "KVantage"})

    def test_who_is_no_session(self):
        with self.assertRaisesRegex(kvantage.BadOutput, "is no session of KVantage"):
            kvantage.connect(self.serve("SSH-2.0"))

    def test_who_refuses(self):
        with self.assertRaisesRegex(kvantage.BadOutput, "8 programs are connected"):
            kvantage.connect(self.serve('{"id": null, "error": "8 programs are connected", "exit_code": 1}'))

    def test_who_leaves(self):
        live = kvantage.connect(self.serve(self.GREETING))
        self.addCleanup(live.close)
        with self.assertRaisesRegex(kvantage.ConnectionLost, "the session has ended"):
            live.state()

    def test_who_answers_something_else(self):
        live = kvantage.connect(self.serve(self.GREETING, '{"id": 99, "result": {}}'))
        self.addCleanup(live.close)
        with self.assertRaisesRegex(kvantage.BadOutput, "answered something else than 'state'"):
            live.state()

    def test_who_says_nothing(self):
        live = kvantage.connect(self.serve(self.GREETING, None), timeout=0.2)
        with self.assertRaisesRegex(TimeoutError, "no answer within 0.2 s"):
            live.state()

    def test_a_text_that_is_too_long(self):
        live = kvantage.connect(self.serve(self.GREETING, None))
        self.addCleanup(live.close)
        with self.assertRaisesRegex(kvantage.KVantageError, "at most 1 MiB can be sent"):
            live.ask("q", text="x" * (1 << 20))


if __name__ == "__main__":
    unittest.main()
