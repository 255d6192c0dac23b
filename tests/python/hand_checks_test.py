"""What the checks that are run by hand call a failure: tests/bench/aa_pairs.py, tests/tiers/remote_soak.py."""

import argparse
import collections
import contextlib
import importlib.util
import io
import unittest

from support import ROOT


def script(path):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


AA_PAIRS = script(ROOT / "tests/bench/aa_pairs.py")
REMOTE_SOAK = script(ROOT / "tests/tiers/remote_soak.py")
QUALITY = "quality, token_f1"


class EqualSides(unittest.TestCase):
    def counts(self, ttft, quality):
        counts = AA_PAIRS.Counts()
        for verdicts in zip(ttft, quality):
            counts.take({"figures": [{"name": name, "values": [None, {"verdict": verdict}]}
                                     for name, verdict in zip((AA_PAIRS.TTFT, QUALITY), verdicts)]})
        return counts

    def few(self, counts, pairs):
        arguments = argparse.Namespace(pairs=pairs, judged=80)
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            few = AA_PAIRS.too_few_judged(counts, arguments)
        return few, out.getvalue()

    def test_most_pairs_must_be_judged(self):
        said = ["not significant: [-1, 1] over 12 pairs includes 0", "better: [1, 2] over 12 pairs excludes 0",
                "worse: [1, 2] over 12 pairs excludes 0", "the same for each of 12 questions"]
        disturbed = "not judged: the machine was disturbed"
        alone = "not judged: the difference may be the noise between single runs; serve each several times (--repeat)"
        for unjudged in (disturbed, alone, "not known: without an interval"):
            most = self.counts(said + [unjudged], said + said[:1])
            self.assertEqual(self.few(most, 5), (False, f"{AA_PAIRS.TTFT}: 80.0 % of pairs judged\n"
                                                        f"{QUALITY}: 100.0 % of pairs judged\n"))
            fewer = self.counts(said[:3] + [unjudged], said)
            self.assertEqual(self.few(fewer, 4)[0], True)
            self.assertEqual(self.few(self.counts(said, said[:3] + [unjudged]), 4)[0], True)

    def test_no_verdict_at_all_is_no_judgment(self):
        counts = self.counts(["not significant: x"] * 3, ["not significant: x"] * 3)
        self.assertEqual(self.few(counts, 4)[0], True)  # a pair lacks the figure

    def test_qualities_at_the_chance_level_are_left_out(self):
        at_chance = "quality cannot be compared here: with uncompressed caches token_f1 is 0.1"
        few, out = self.few(self.counts(["not significant: x"] * 2, [at_chance] * 2), 2)
        self.assertFalse(few)
        self.assertIn(f"{QUALITY}: no pair with quality\n", out)


class Cluster(unittest.TestCase):
    failover = (100.0, 104.0)
    nothing_left = {"unfinished": 0, "leases": 0}

    def failures(self, misses=((101.0, "unavailable"),), failover=failover, **counts):
        all_counts = collections.Counter({"remote_hits": 5, **counts})
        return REMOTE_SOAK.failures(all_counts, [], self.nothing_left, False, failover, misses)

    def test_hits_and_misses_are_asked_for(self):
        self.assertEqual(self.failures(), [])
        self.assertEqual(len(self.failures(remote_hits=0)), 1)
        self.assertEqual(len(self.failures(failover=())), 1)
        self.assertEqual(len(self.failures(wrong_answers=2)), 1)

    def test_misses_count_around_the_failover_alone(self):
        for misses in ((), ((99.0, "unavailable"),), ((120.0, "absent"),), ((101.0, "first_contact"),),
                       ((101.0, "computed_sooner"),)):
            self.assertEqual(len(self.failures(misses)), 1, misses)
        self.assertEqual(self.failures(((112.0, "absent"),)), [])  # who has not found the new master yet

    def test_one_server_has_no_failover(self):
        counts = collections.Counter()
        self.assertEqual(REMOTE_SOAK.failures(counts, [], self.nothing_left, False), [])
        left = {"unfinished": 0, "leases": 3}
        self.assertEqual(len(REMOTE_SOAK.failures(counts, ["it ended"], left, False)), 2)
        self.assertEqual(len(REMOTE_SOAK.failures(counts, [], left, True)), 0)


if __name__ == "__main__":
    unittest.main()
