"""Method files from kvpress: each is loaded as the program loads it and held against kvpress's own score; what cannot
become one is named. Needs torch and kvpress, and is skipped without."""

import unittest
from dataclasses import dataclass

import kvantage
from support import Folder, real_program

try:
    import kvpress
    import torch
    from kvpress import ScorerPress
except ImportError:
    kvpress, ScorerPress = None, object


@dataclass
class OwnPress(ScorerPress):
    """A user's own: far from the mean key and with a large value."""

    sharpness: float = 2.0

    def score(self, module, hidden_states, keys, values, attentions, kwargs):
        far = (keys - keys.mean(dim=2, keepdim=True)).norm(dim=-1)
        return far.pow(self.sharpness) * values.norm(dim=-1)


class HiddenPress(ScorerPress):
    def score(self, module, hidden_states, keys, values, attentions, kwargs):
        return hidden_states.norm(dim=-1)[:, None, :].expand(-1, keys.shape[1], -1)


class WindowPress(ScorerPress):
    window_size = 32

    def score(self, module, hidden_states, keys, values, attentions, kwargs):
        groups = module.config.num_attention_heads // keys.shape[1]
        last = attentions[:, :, -self.window_size :].mean(dim=2)
        return last.view(1, keys.shape[1], groups, keys.shape[2]).mean(dim=2)


class LayerPress(ScorerPress):
    def score(self, module, hidden_states, keys, values, attentions, kwargs):
        return keys.norm(dim=-1) * (module.layer_idx + 1)


class BranchPress(ScorerPress):
    def score(self, module, hidden_states, keys, values, attentions, kwargs):
        if keys.mean() > 0:
            return keys.sum(dim=-1)
        return values.sum(dim=-1)


class ShapePress(ScorerPress):
    def score(self, module, hidden_states, keys, values, attentions, kwargs):
        return keys.sum(dim=(1, -1))


@unittest.skipIf(kvpress is None, "torch and kvpress are not installed")
class Exports(Folder):
    def exported(self, press, **options):
        return kvantage.export_press(press, self.folder / "method.pt", **options)

    def inputs(self, heads, group, tokens, dim):
        torch.manual_seed(tokens)
        future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        attention = torch.randn(heads, group, tokens, tokens).masked_fill(future, float("-inf")).softmax(-1)
        return {
            "keys": torch.randn(heads, tokens, dim),
            "values": torch.randn(heads, tokens, dim),
            "attention": attention,
            "hidden_states": torch.randn(tokens, 20),
        }

    def check(self, press, inputs, window, name):
        made = self.exported(press)
        self.assertEqual((made.name, made.inputs, made.window_queries), (name, inputs, window))
        self.assertEqual(made.bytes, made.path.stat().st_size)
        module = torch.jit.load(str(made.path))
        arguments = [one.name for one in module.score.schema.arguments]
        self.assertEqual(arguments, ["self", *inputs])
        self.assertEqual((module.name, module.window_queries), (name, window))
        self.assertEqual(module.attention, "attention" in inputs)
        self.assertEqual(module.values, "values" in inputs)
        self.assertEqual(module.hidden_states, "hidden_states" in inputs)
        for heads, group, tokens, dim in ((2, 2, 300, 16), (1, 4, 95, 8), (5, 1, 517, 64)):
            given = self.inputs(heads, group, tokens, dim)
            whole = given["attention"].reshape(1, heads * group, tokens, tokens)
            layer = torch.nn.Module()
            layer.config = type("Config", (), {"num_attention_heads": heads * group})()
            wanted = press.score(
                layer, given["hidden_states"][None], given["keys"][None], given["values"][None], whole, {}
            )[0]
            if window:
                given["attention"] = given["attention"][:, :, -min(window, tokens) :]
            found = module.score(*(given[one] for one in inputs))
            self.assertEqual(found.dtype, torch.float32)
            self.assertTrue(torch.allclose(found, wanted.float(), rtol=1e-4, atol=1e-6), (name, tokens))

    def test_what_kvpress_scores_by_tensors_alone(self):
        self.check(kvpress.KnormPress(), ("keys",), 0, "knorm_press")
        self.check(kvpress.KeyDiffPress(), ("keys",), 0, "key_diff_press")
        self.check(kvpress.CURPress(), ("keys", "values"), 0, "cur_press")
        self.check(kvpress.ObservedAttentionPress(), ("keys", "attention"), 2**31 - 1, "observed_attention_press")

    def test_the_program_takes_it(self):
        program = kvantage.Program(real_program())
        for press in (OwnPress(), WindowPress(), HiddenPress()):
            made = self.exported(press)
            program.call("method check", made.path)

    def test_presses_of_ones_own(self):
        self.check(OwnPress(), ("keys", "values"), 0, "own_press")
        self.check(HiddenPress(), ("keys", "hidden_states"), 0, "hidden_press")
        self.check(WindowPress(), ("keys", "attention"), 32, "window_press")
        self.assertEqual(self.exported(OwnPress(), name="mine").name, "mine")

    def test_what_cannot_become_one_is_named(self):
        rows = [
            (kvpress.AdaKVPress(kvpress.KnormPress()), "AdaKVPress: wraps another press"),
            (kvpress.PyramidKVPress(), "PyramidKVPress: compresses by more than its score"),
            (kvpress.ExpectedAttentionPress(), r"ExpectedAttentionPress: its score reads module\.q_proj"),
            (kvpress.RandomPress(), "RandomPress: its score is random"),
            (kvpress.LagKVPress(), r"LagKVPress: .*lagkv_press\.py line \d+\); write it in TorchScript"),
            (kvpress.TOVAPress(), r"TOVAPress: .*tova_press\.py line \d+"),
            (kvpress.ThinKPress(), r"ThinKPress: has no score\(\)"),
            (LayerPress(), r"LayerPress: its score reads module\.layer_idx"),
            (BranchPress(), r"BranchPress: .*press_test\.py line \d+"),
            (ShapePress(), r"ShapePress: its score has the shape \[\d+\] for"),
            (kvpress.ScorerPress(), r"ScorerPress: has no score\(\) of its own"),
        ]
        for press, message in rows:
            with self.assertRaisesRegex(kvantage.ExportError, message):
                self.exported(press)
        self.assertFalse((self.folder / "method.pt").exists())
        self.assertEqual(list(self.folder.iterdir()), [])
        with self.assertRaisesRegex(kvantage.ExportError, "name 'A b': is not of 1 to 40"):
            self.exported(kvpress.KnormPress(), name="A b")


if __name__ == "__main__":
    unittest.main()
