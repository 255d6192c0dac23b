"""The package against programs that are missing, of another version, killed or wrong; its tables. Needs no model."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import kvantage
from support import Folder, ROOT, real_program


class MissingPrograms(Folder):
    def test_no_program(self):
        with self.assertRaisesRegex(kvantage.ProgramNotFound, "nowhere/kvantage-cli: is no program; build KVantage"):
            kvantage.Program(self.folder / "nowhere" / "kvantage-cli")

    def test_not_on_path(self):
        code = "import kvantage\ntry: kvantage.runs()\nexcept kvantage.ProgramNotFound as e: print(e)"
        clean = {key: value for key, value in os.environ.items() if key not in ("KVANTAGE_CLI", "PATH")}
        out = subprocess.run(
            [sys.executable, "-c", code], env={**clean, "PATH": str(self.folder)}, capture_output=True, text=True
        )
        self.assertTrue(out.stdout.startswith("kvantage-cli is not on PATH; install KVantage"), out)

    def test_another_program(self):
        with self.assertRaisesRegex(kvantage.ProgramNotFound, "does not answer --version as kvantage-cli does"):
            kvantage.Program("/bin/true")

    def test_a_file_that_does_not_start(self):
        path = self.folder / "broken"
        path.write_bytes(b"\x7fELF nothing")
        path.chmod(0o700)
        with self.assertRaisesRegex(kvantage.ProgramNotFound, "broken: cannot be started"):
            kvantage.Program(path)

    def test_another_version(self):
        with self.assertRaises(kvantage.VersionMismatch) as caught:
            self.stand_in("true", version="99.0.1")
        self.assertIn("is version 99.0.1, this package is " + kvantage.__version__, str(caught.exception))


class WrongAnswers(Folder):
    def call(self, body, **options):
        return kvantage.run("w", program=self.stand_in(body), **options)

    def test_errors_carry_message_and_exit_code(self):
        for code, kind in ((1, kvantage.ProgramFailed), (2, kvantage.UsageError), (3, kvantage.RejectedInput)):
            with self.assertRaises(kind) as caught:
                self.call(f'echo "warning: slow" >&2; echo "error: w: is wrong; mend it" >&2; exit {code}')
            self.assertEqual(str(caught.exception), "w: is wrong; mend it")
            self.assertEqual(caught.exception.exit_code, code)
            self.assertEqual(caught.exception.messages, ("warning: slow",))
            self.assertEqual(caught.exception.command[1:2], ("run",))
            self.assertIsNone(caught.exception.partial)

    def test_an_end_without_a_word(self):
        with self.assertRaisesRegex(kvantage.ProgramFailed, "ended with exit code 7"):
            self.call("exit 7")

    def test_killed(self):
        with self.assertRaises(kvantage.ProgramKilled) as caught:
            self.call("kill -KILL $$")
        self.assertEqual(caught.exception.exit_code, -signal.SIGKILL)
        self.assertIn("SIGKILL", str(caught.exception))

    def test_no_json(self):
        for printed in ("", "hello", '{"rows": [', "[1] [2]"):
            with self.assertRaisesRegex(kvantage.BadOutput, "run: printed no JSON"):
                self.call(f"printf '%s' '{printed}'")

    def test_json_of_something_else(self):
        with self.assertRaisesRegex(kvantage.BadOutput, "without 'rows'"):
            self.call("echo '{}'").rows
        with self.assertRaisesRegex(kvantage.BadOutput, "without 'rows'"):
            self.call("echo '[]'").rows

    def test_interrupted_with_what_was_done(self):
        with self.assertRaises(kvantage.Interrupted) as caught:
            self.call("echo '{\"rows\": [{\"policy\": \"lru\"}]}'; echo 'interrupted: lru was stopped' >&2; exit 130")
        self.assertEqual(str(caught.exception), "interrupted: lru was stopped")
        self.assertEqual(caught.exception.partial.rows["policy"], ["lru"])

    def test_much_on_both_streams(self):
        notes = "i=0; while [ $i -lt 20000 ]; do echo note number $i of many >&2; i=$((i+1)); done"
        document = "head -c 5000000 /dev/zero | tr '\\0' ' '; echo '{\"rows\": []}'"
        with self.stand_in(f"{notes}; {document}").start("run") as job:
            self.assertEqual(job.result(), {"rows": []})
            self.assertEqual(len(job.messages), 200)
            self.assertTrue(job.messages[-1].startswith("note number 19999 "))


class ProgressAndCancel(Folder):
    LOOP = (
        "trap 'echo \"{\\\"rows\\\": []}\"; exit 130' INT\n"
        'while :; do echo \'{"stage": "lru", "done": 1, "total": 4, "seconds_left": 9.5}\' >&2; sleep 0.02; done'
    )

    def test_progress_as_a_line(self):
        body = (
            'echo \'{"stage": "Profiling", "done": 1, "total": 2}\' >&2\n'
            'echo \'{"stage": "Profiling", "done": 2, "total": 2}\' >&2\n'
            'echo \'{"stage": "lru", "done": 1, "total": 5}\' >&2\n'
            "echo '{}'"
        )
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.stand_in(body).start("run", progress=True).result()
        # A line for each stage: a notebook is no terminal.
        self.assertEqual(said.getvalue(), "Profiling 1/2\nlru 1/5\n")

    def test_the_line_is_ended(self):
        class Terminal(io.StringIO):
            interrupt = False

            def isatty(self):
                return True

            def flush(self):
                if self.interrupt and self.getvalue():
                    self.interrupt = False
                    raise KeyboardInterrupt

        def wait_for_progress(job):
            before, until = job.progress, time.monotonic() + 60
            while job.progress is before and time.monotonic() < until:
                time.sleep(0.01)

        line = "\r\x1b[Klru 1/4"
        cancel = threading.Event()
        with contextlib.redirect_stderr(Terminal()) as said:
            with self.stand_in(self.LOOP).start("run", progress=True, cancel=cancel) as job:
                for times in (1, 2):  # a line for each wait, ended once
                    wait_for_progress(job)
                    with self.assertRaises(TimeoutError):
                        job.result(timeout=0.1)
                    self.assertTrue(said.getvalue().endswith(line + "\n"), said.getvalue())
                    self.assertEqual(said.getvalue().count("\n"), times)
                wait_for_progress(job)
                cancel.set()
                with self.assertRaises(kvantage.Interrupted):
                    job.result()
                self.assertTrue(said.getvalue().endswith(line + "\n"), said.getvalue())
                self.assertEqual(said.getvalue().count("\n"), 3)
        with contextlib.redirect_stderr(Terminal()) as said:
            said.interrupt = True
            with self.assertRaises(KeyboardInterrupt):
                self.stand_in(self.LOOP).start("run", progress=True).result()
            self.assertEqual(said.getvalue(), line + "\n")
        # Where stderr is no terminal, a stage has one line however often its result is asked for.
        with contextlib.redirect_stderr(io.StringIO()) as said:
            with self.stand_in(self.LOOP).start("run", progress=True) as job:
                for _ in range(2):
                    wait_for_progress(job)
                    with self.assertRaises(TimeoutError):
                        job.result(timeout=0.1)
        self.assertEqual(said.getvalue(), "lru 1/4\n")

    def test_progress_is_told(self):
        seen = []
        body = (
            'for n in 0 1 2; do echo "{\\"stage\\": \\"lru\\", \\"done\\": $n, \\"total\\": 2}" >&2; done\n'
            'echo \'{"cells_done": 1, "cells": 4, "cell": "lru seed 0"}\' >&2\n'
            'echo \'{"cells_done": 2, "cells": 4, "run": "r1"}\' >&2\n'
            'echo \'{"stage": "x", "done": "many"}\' >&2\n'
            'echo \'{"no": "progress"}\' >&2\n'
            "echo '{\"rows\": []}'"
        )
        job = self.stand_in(body).start("run", progress=seen.append)
        job.result()
        self.assertEqual([(one.stage, one.done, one.total) for one in seen[:3]], [("lru", n, 2) for n in range(3)])
        self.assertEqual([one.fraction for one in seen], [0, 0.5, 1, 0.25, 0.5])
        self.assertEqual((seen[4].run, seen[4].stage), ("r1", "lru seed 0"))
        self.assertEqual(list(job.messages), ['{"stage": "x", "done": "many"}', '{"no": "progress"}'])

    def test_an_event_cancels(self):
        cancel = threading.Event()
        threading.Timer(0.2, cancel.set).start()
        with self.assertRaises(kvantage.Interrupted) as caught:
            kvantage.run("w", cancel=cancel, program=self.stand_in(self.LOOP))
        self.assertEqual(len(caught.exception.partial.rows), 0)

    def test_an_exception_of_the_callback_cancels(self):
        jobs = []

        def refuse(progress):
            raise RuntimeError(f"enough at {progress.seconds_left}")

        program = self.stand_in(self.LOOP)
        job = program.start("run", progress=refuse)
        jobs.append(job)
        with self.assertRaisesRegex(RuntimeError, "enough at 9.5"):
            job.result()
        self.assertFalse(job.running)

    def test_a_timeout_leaves_it_running(self):
        with self.stand_in(self.LOOP).start("run") as job:
            with self.assertRaisesRegex(TimeoutError, "still running"):
                job.result(timeout=0.1)
            self.assertTrue(job.running)
            self.assertEqual(job.progress.stage, "lru")
        self.assertFalse(job.running)

    def test_what_does_not_end_is_killed(self):
        job = self.stand_in("trap '' INT\nwhile :; do sleep 0.02; done").start("run")
        time.sleep(0.2)
        job.cancel(grace_seconds=0.2)
        self.assertFalse(job.running)
        with self.assertRaises(kvantage.ProgramKilled):
            job.result()

    def test_the_end_of_python_ends_it(self):
        program = self.stand_in(f"trap 'touch {self.folder}/ended; exit 130' INT\nwhile :; do sleep 0.02; done")
        code = f"import kvantage, time\njob = kvantage.Program({program.path!r}).start('run')\ntime.sleep(0.5)"
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
        self.assertTrue((self.folder / "ended").exists())


class CommandLines(Folder):
    def test_options_become_words(self):
        program = kvantage.Program(real_program())
        words = program.words(
            "run",
            ["text.txt"],
            {
                "policy": ["lru", "fixed(snapkv,0.5)"],
                "tier": {"dram": "20%", "ssd": "60%"},
                "alpha": 0.1,
                "max_batch": 2,
                "freeze": True,
                "keep_store": False,
                "store": Path("/a b"),
                "from_": None,
                "allow_remote": ["h1", "h2:3"],
            },
        )
        self.assertEqual(
            words,
            [
                "run",
                "--policy=lru,fixed(snapkv,0.5)",
                "--tier=dram=20%",
                "--tier=ssd=60%",
                "--alpha=0.1",
                "--max-batch=2",
                "--freeze",
                "--store=/a b",
                "--allow-remote=h1",
                "--allow-remote=h2:3",
                "--",
                "text.txt",
            ],
        )
        with self.assertRaisesRegex(kvantage.UsageError, "'--polcy' is not an option of 'kvantage-cli run'"):
            program.words("run", [], {"polcy": "lru"})
        with self.assertRaisesRegex(TypeError, "policy takes a value"):
            program.words("run", [], {"policy": True})
        with self.assertRaisesRegex(TypeError, "freeze is a flag"):
            program.words("run", [], {"freeze": 3})
        with self.assertRaisesRegex(kvantage.UsageError, "unknown command"):
            program.options("rum")

    def test_every_function_has_its_command(self):
        program = kvantage.Program(real_program())
        for command in ("run", "sweep", "profile", "plan"):
            self.assertIn("--progress", program.options(command), command)
        for command in ("simulate", "report", "replay", "compare", "runs list", "methods", "policies"):
            self.assertIn("--json", program.options(command), command)
        self.assertIn("--listen", kvantage.options("run", program=program)["name"])

    def test_versions_agree(self):
        project = (ROOT / "CMakeLists.txt").read_text()
        self.assertIn(f"project(kvantage VERSION {kvantage.__version__} ", project)
        self.assertEqual(kvantage.Program(real_program()).version, kvantage.__version__)


class Tables(unittest.TestCase):
    def test_rows_columns_and_texts(self):
        table = kvantage.Table([{"a": 1, "b": {"c": 2.5, "d": {}}}, {"a": "x<y", "e": [1, {"f": 2}]}])
        self.assertEqual(table.columns, ["a", "b.c", "b.d", "e"])
        self.assertEqual(table["b.c"], [2.5, None])
        self.assertEqual(table[1], {"a": "x<y", "b.c": None, "b.d": None, "e": [1, {"f": 2}]})
        self.assertEqual(table[:1].rows, [table[0]])
        self.assertEqual(table.where(a=1).select("b.c").rows, [{"b.c": 2.5}])
        self.assertIn("x&lt;y", table._repr_html_())
        self.assertEqual(repr(table.select("a", "b.c")), "a    b.c\n1    2.5\nx<y  -")
        with self.assertRaisesRegex(KeyError, "no column 'z'; the columns are a, b.c, b.d, e"):
            table["z"]
        self.assertEqual(len(kvantage.Table([])), 0)

    def test_without_pandas_and_pyarrow(self):
        code = (
            "import sys\n"
            "sys.modules['pandas'] = sys.modules['pyarrow'] = sys.modules['torch'] = None\n"
            "import kvantage\n"
            "for call in (kvantage.Table([]).to_pandas, kvantage.Table([]).to_arrow,"
            " lambda: kvantage.export_press(object(), 'x')):\n"
            "  try: call()\n"
            "  except kvantage.MissingDependency as error: print(error)\n"
        )
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(
            out.splitlines(),
            [
                "to_pandas: pandas is not installed; install it with pip install 'kvantage[pandas]'",
                "to_arrow: pyarrow is not installed; install it with pip install 'kvantage[arrow]'",
                "export_press: torch is not installed; install it with pip install 'kvantage[press]'",
            ],
        )

    def test_frames(self):
        table = kvantage.Table([{"a": 1, "b": {"c": 0.5}}, {"a": 2, "b": {"c": None}}])
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = table.to_pandas()
        self.assertEqual(list(frame.columns), ["a", "b.c"])
        self.assertEqual(frame["a"].sum(), 3)
        self.assertTrue(pandas.isna(frame["b.c"][1]))

    def test_arrow(self):
        table = kvantage.Table([{"a": 1, "l": ["x"], "m": 1}, {"a": 2.5, "l": [], "m": "text"}])
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        with self.assertRaisesRegex(kvantage.KVantageError, "column 'm' has values of several types"):
            table.to_arrow()
        arrow = table.select("a", "l").to_arrow()
        self.assertEqual(arrow.column("a").type, pyarrow.float64())
        self.assertEqual(arrow.column("l").to_pylist(), [["x"], []])


if __name__ == "__main__":
    unittest.main()
