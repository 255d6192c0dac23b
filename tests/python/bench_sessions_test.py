"""Scripts of tests/bench that serve sessions, on a program that answers in an instant: what they run and print."""

import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import types
import unittest

BENCH = pathlib.Path(__file__).parents[1] / "bench"


def script(name):
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def offloaded(answer, steps=150, **others):
    offload = {"steps": steps, "seconds": 3.0, "predicted_seconds": 2.0, "kv_bytes": 10, "input_bytes": 5,
               "weight_bytes": 1, "recompute_seconds": 1.0, "recomputed_tokens": 600, "waited_seconds": 1.0, **others}
    return {"decoding": {"offload": offload}, "answer": answer, "quality": {"exact_match": 1.0}}


class KvprSessions(unittest.TestCase):
    def setUp(self):
        self.module = script("kvpr_sessions")

    def test_cells_bring_their_bases(self):
        chosen = self.module.chosen(self.module.DECODE, ["split", "invariant_split"])
        self.assertEqual([cell.name for cell in chosen],
                         ["load_only", "split", "invariant_load_only", "invariant_split"])
        self.assertEqual(self.module.chosen(self.module.DECODE, []), self.module.DECODE)
        self.assertEqual(self.module.chosen(self.module.TTFT, ["split"]), [])

    def test_every_base_is_a_cell_of_its_part(self):
        names = []
        for cells in self.module.PARTS.values():
            own = [cell.name for cell in cells]
            self.assertTrue(all(cell.reference() in own for cell in cells))
            names += own
        self.assertEqual(len(names), len(set(names)))

    def test_answers_of_codecs_may_differ(self):
        cells = {cell.name: cell for cell in self.module.DECODE}
        used = [cells[name] for name in ("load_only", "split", "load_only_4bit", "tied_load_only", "invariant_split")]
        answers = {"load_only": "a", "split": "a", "load_only_4bit": "b", "tied_load_only": "c", "invariant_split": "d"}
        last = {name: self.module.Offloaded([offloaded(answer)]) for name, answer in answers.items()}
        self.module.check_answers(used, last)
        last["split"] = self.module.Offloaded([offloaded("other")])
        with self.assertRaises(SystemExit):
            self.module.check_answers(used, last)

    def test_steps_are_counted_per_request(self):
        means = self.module.Offloaded([offloaded("a", 200), offloaded("b", 100), offloaded("c", 0)])
        self.assertEqual(means.steps_per_request, 100)
        self.assertEqual(means.per_token("seconds"), 6.0 / 300)
        self.assertEqual(means.off_by(), 1.5)

    def test_the_table_has_a_row_for_each_cell(self):
        sessions = []

        def run(policy, bandwidth, *options, model):
            sessions.append((bandwidth, options, model))
            return [offloaded("a")]

        arguments = types.SimpleNamespace(rounds=2, bandwidths=[0.25, 1])
        cells = self.module.chosen(self.module.DECODE, ["invariant_split", "streamed_split_all_first"])
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.module.decode_offload(types.SimpleNamespace(run=run), arguments, 1000, cells)
        self.assertEqual(len(sessions), 2 * 2 * 4)
        self.assertIn((250, ("--no-warmup", "--decode-offload", "dram", "--products", "batch_invariant"),
                       "reference-mha"), sessions)
        self.assertIn((1000, ("--no-warmup", "--decode-offload", "dram(weights=all_first)"), "reference-mha"), sessions)
        rows = [line for line in out.getvalue().splitlines() if line.startswith("| 0.25 x")]
        self.assertEqual(len(rows), 4)
        self.assertTrue(all(row.split("|")[3].strip() == "150" for row in rows))


class DecodeSessions(unittest.TestCase):
    def test_the_share_is_left_out_without_passes(self):
        module = script("decode_sessions")
        served = []

        def call(sessions, *words):
            if words[0] == "run":
                served.append(words[words.index("--decode-eviction") + 1])
            elif words[0] == "runs":
                passes = 2 if served[-1].startswith("knorm") else 0
                record = {"answer_tokens": 11, "timing": {"mean_itl_seconds": 0.01},
                          "decoding": {"compactions": {"passes": passes, "seconds": 0.001}, "peak_bytes": 2048}}
                event = {"type": "request.finished", "data": {"record": record}}
                pathlib.Path(words[3]).write_text(json.dumps(event) + "\n")

        module.Sessions.call = call
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            sys.argv = ["decode_sessions.py", "cli", "--rounds", "1"]
            module.main()
        rows = {cells[1].strip(): cells for cells in (line.split("|") for line in out.getvalue().splitlines())
                if len(cells) == 8}
        for method in ("scissorhands", "r_kv", "triattention", "cur", "quest"):
            self.assertEqual(rows[method][4].strip(), "")
        self.assertEqual(rows["knorm"][4].strip(), "1.00 %")
        self.assertIn("quest(budget=25%)", served)
        self.assertIn("cur(budget=25%,compact_every=128)", served)


if __name__ == "__main__":
    unittest.main()
