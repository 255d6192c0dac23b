"""kvpress as make_kvpress_zoo_goldens.py runs it: KVzipPress with fixed texts and its scores kept, and all of it in
double precision throughout."""

import copy
import functools

import kvpress.presses.kvzip_press as kvzip_module
import torch
from kvpress import KVzipPress

REPEAT = dict(first=[5, 9, 13, 17, 21, 25], next=[7, 11, 15, 19, 23, 27, 31], mark=[3])


class Words:
    """Stands where KVzipPress reads a tokenizer: fixed ids for its texts; with a template, a prefix of 9 tokens."""

    def __init__(self, template):
        self.chat_template = template

    def apply_chat_template(self, messages, **_):
        return "prefix" + messages[0]["content"] + "suffix"

    def encode(self, text, **_):
        ids = {"": [], "\n": REPEAT["mark"], "prefix": [2] * 9, "suffix": REPEAT["mark"]}.get(text)
        if ids is None:
            ids = REPEAT["first" if "previous context exactly." in text else "next"]
        return torch.tensor([ids], dtype=torch.long)


class TokenizerOf:
    template = None

    @staticmethod
    def from_pretrained(_):
        return Words(TokenizerOf.template)


kvzip_module.AutoTokenizer = TokenizerOf


class RecordingKVzip(KVzipPress):
    def _make_mask(self, attn_weights, window_size):
        """As KVzipPress has it, which overflows in double."""
        lowest = torch.finfo(torch.float32).min
        mask = torch.full((window_size, window_size), lowest, dtype=attn_weights.dtype)
        self.causal_mask_score = mask.triu(1)[None, None, None]

    def compress_post(self, model):
        super().compress_post(model)
        self.recorded = [layer.clone() for layer in self.score_val]


def in_double(model):
    """A copy that computes in double, also where transformers has fp32 (RMSNorm; softmax: see below)."""
    model = copy.deepcopy(model).double()

    def norm(module, hidden):
        return module.weight * hidden * torch.rsqrt(hidden.pow(2).mean(-1, keepdim=True) + module.variance_epsilon)

    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = functools.partial(norm, module)
    return model


softmax = torch.nn.functional.softmax
torch.nn.functional.softmax = lambda x, dim=None, dtype=None, **other: softmax(
    x, dim=dim, dtype=None if x.dtype == torch.float64 else dtype, **other
)
