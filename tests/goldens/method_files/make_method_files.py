"""Writes the method files that tests read: scorers as somebody else would write them, and hostile ones.

    python tests/goldens/method_files/make_method_files.py [FOLDER]

Needs torch (2.11). knorm, keydiff, snapkv and tova are kvpress's formulas (kvpress 0.5.5: KnormPress, KeyDiffPress,
SnapKVPress, TOVAPress) in TorchScript; tests compare what they keep with the program's own. Hostile files are named
after what is wrong with them. What torch notes about where a file was made is left out, so that equal versions of torch
write equal files.
"""

import io
import os
import pathlib
import struct
import sys
import zipfile

if os.environ.get("PYTHONHASHSEED") != "0":  # constants of a class are written in the order of a set
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})

import torch
from torch import Tensor

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)


def save(name: str, scorer) -> None:
    path = FOLDER / f"{name}.pt"
    torch.jit.save(scorer, str(path))
    leave_out_origin(path)


def leave_out_origin(path: pathlib.Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {
            entry: archive.read(entry)
            for entry in archive.namelist()
            if not entry.endswith((".debug_pkl", "/.data/serialization_id"))
        }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for entry, data in members.items():
            archive.writestr(zipfile.ZipInfo(entry), data)


def as_torch_writes(path: pathlib.Path) -> bytes:
    """The file with its longer records deflated and the end of large archives before the other, as torch has both."""
    packed = io.BytesIO()
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(packed, "w") as other:
        for record in archive.infolist():
            deflated = record.file_size > 200 and not record.filename.endswith(".pkl")
            other.writestr(
                zipfile.ZipInfo(record.filename),
                archive.read(record),
                zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED,
            )
    head, end = packed.getvalue()[:-22], packed.getvalue()[-22:]
    records, size, offset = struct.unpack("<HLL", end[10:20])
    wide_end = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 0x31E, 45, 0, 0, records, records, size, offset)
    return head + wide_end + struct.pack("<4sLQL", b"PK\6\7", 0, len(head), 1) + end


# --- Scorers ---


@torch.jit.script
def knorm(keys: Tensor) -> Tensor:
    return -torch.linalg.vector_norm(keys, dim=-1)


@torch.jit.script
def keydiff(keys: Tensor) -> Tensor:
    norms = torch.linalg.vector_norm(keys, dim=-1).clamp_min(1e-8)
    anchor = torch.nn.functional.normalize(torch.matmul((1.0 / norms).unsqueeze(1), keys), p=2.0, dim=-1, eps=1e-8)
    return -(keys * anchor).sum(dim=-1) / norms


class SnapKV(torch.nn.Module):
    """Average pooling over 5 tokens; the window itself is kept. A context within the window: its second half scores."""

    def __init__(self):
        super().__init__()
        self.name = "script_snapkv"
        self.summary = "keeps tokens that the last queries attend to"
        self.source = "Li et al. 2024, arXiv 2404.14469"
        self.window_queries = 64
        self.matmul_precision = "medium"

    def forward(self, keys: Tensor, queries: Tensor) -> Tensor:
        heads, tokens, dim = keys.shape
        window = 64 if tokens > 64 else max(tokens // 2, 1)
        scored = tokens - window
        if scored == 0:
            return torch.ones(heads, tokens)
        q = queries[:, :, queries.size(2) - window :] / (float(dim) ** 0.5)
        logits = torch.matmul(q.flatten(1, 2), keys.transpose(1, 2))
        logits = logits.view(heads, q.size(1), window, tokens)
        hidden = torch.ones(window, window, dtype=torch.bool).triu(1)
        logits[..., scored:].masked_fill_(hidden, float("-inf"))
        paid = torch.softmax(logits, -1).flatten(1, 2).mean(dim=1)[:, :scored]  # over the group and the window
        smoothed = torch.nn.functional.avg_pool1d(paid, 5, stride=1, padding=2)
        return torch.cat([smoothed, torch.full((heads, window), float(smoothed.max()) + 1.0)], dim=1)


class Recent(torch.nn.Module):
    """Positions alone, and allowed while answers are decoded."""

    def __init__(self):
        super().__init__()
        self.decode_eviction = True
        self.cadence = 4
        self.summary = "keeps the most recent tokens"

    def forward(self, positions: Tensor) -> Tensor:
        return positions.float()


class Tova(torch.nn.Module):
    """Attention of the last query, the mean over all query heads, alike for every KV head; the last token stays."""

    def __init__(self):
        super().__init__()
        self.window_queries = 1
        self.decode_eviction = True

    def forward(self, attention: Tensor) -> Tensor:
        scores = attention[:, :, -1].mean(dim=[0, 1])
        if scores.size(0) > 1:
            scores[-1] = scores[:-1].max() + 1
        return scores.unsqueeze(0).expand(attention.size(0), -1)


class HiddenNorm(torch.nn.Module):
    """Norms of hidden states, alike for every head."""

    def forward(self, keys: Tensor, hidden_states: Tensor, layer: int) -> Tensor:
        return torch.linalg.vector_norm(hidden_states, dim=-1).unsqueeze(0).expand(keys.size(0), -1) + float(layer)


class AllQueries(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.all_queries = True

    def forward(self, keys: Tensor, values: Tensor, queries: Tensor, frequencies: Tensor, sequence_length: int):
        mean = queries.mean(dim=[1, 2]).unsqueeze(1)
        return (keys * mean).sum(dim=-1) + values.norm(2, -1) + float(sequence_length) * frequencies[0]


class Exported(torch.nn.Module):
    """The method is `score`, and its facts are constants of the class."""

    window_queries: torch.jit.Final[int] = 8
    name: torch.jit.Final[str] = "exported"

    @torch.jit.export
    def score(self, keys: Tensor, queries: Tensor) -> Tensor:
        return torch.matmul(queries.mean(dim=[1, 2]).unsqueeze(1), keys.transpose(1, 2)).squeeze(1)


@torch.jit.script
def unnamed(k: Tensor, v: Tensor) -> Tensor:
    return v.norm(2, -1) / k.norm(2, -1)


@torch.jit.script
def drawn(keys: Tensor) -> Tensor:
    return torch.rand([keys.size(0), keys.size(1)])


# --- Hostile files ---


@torch.jit.script
def reads_file(keys: Tensor) -> Tensor:
    stolen = torch.from_file("/etc/passwd", False, 64, dtype=torch.uint8)
    return keys.sum(dim=-1) + stolen.float().sum()


@torch.jit.script
def writes_file(keys: Tensor) -> Tensor:
    torch.save(keys, "/tmp/kvantage-method-was-here")
    return keys.sum(dim=-1)


@torch.jit.script
def takes_memory(keys: Tensor) -> Tensor:
    return keys.sum(dim=-1) + torch.ones([100_000_000_000], dtype=torch.uint8)[0]


@torch.jit.script
def grows(keys: Tensor) -> Tensor:
    kept = [keys]
    while len(kept) > 0:
        kept.append(torch.ones([1 << 26]))
    return kept[0].sum(dim=-1)


@torch.jit.script
def loops(keys: Tensor) -> Tensor:
    total = keys.sum(dim=-1)
    while total.size(0) > 0:
        total = total + 1
    return total


class LoopsOnLoad(torch.nn.Module):
    """Code of a file runs as soon as it is loaded."""

    def __init__(self):
        super().__init__()
        self.count = 1

    @torch.jit.export
    def __getstate__(self) -> tuple[int, bool]:
        return (self.count, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[int, bool]) -> None:
        self.count = state[0]
        self.training = state[1]
        while self.count > 0:
            self.count += 1 if self.count < 1000 else -1

    def forward(self, keys: Tensor) -> Tensor:
        return keys.sum(dim=-1) + float(self.count)


@torch.jit.script
def returns_nan(keys: Tensor) -> Tensor:
    scores = keys.sum(dim=-1)
    scores[-1, 3] = float("nan")
    return scores


@torch.jit.script
def returns_infinity(keys: Tensor) -> Tensor:
    return keys.sum(dim=-1) / 0.0


@torch.jit.script
def wrong_shape(keys: Tensor) -> Tensor:
    return keys.sum(dim=1)


@torch.jit.script
def wrong_type(keys: Tensor) -> Tensor:
    return keys.sum(dim=-1).long()


@torch.jit.script
def throws(keys: Tensor) -> Tensor:
    if keys.size(0) > 0:
        raise RuntimeError("<b>not today</b>")
    return keys


@torch.jit.script
def fails_in_an_op(keys: Tensor) -> Tensor:
    return torch.matmul(keys, keys)


@torch.jit.script
def crashes(keys: Tensor) -> Tensor:
    # Reads terabytes beyond its input: the check of the lengths is turned off.
    far = torch.segment_reduce(keys.flatten(), "sum", lengths=torch.full([1], 1 << 42), axis=0, unsafe=True)
    return keys.sum(dim=-1) + far


@torch.jit.script
def forks(keys: Tensor) -> Tensor:
    waiting = [torch.jit.fork(knorm, keys) for _ in range(8)]
    return torch.jit.wait(waiting[7])


@torch.jit.script
def returns_list(keys: Tensor):
    return [keys]


@torch.jit.script
def takes_a_word(keys: Tensor, word: str) -> Tensor:
    return keys.sum(dim=-1)


@torch.jit.script
def unknown_argument(keys: Tensor, weights: Tensor) -> Tensor:
    return keys.sum(dim=-1)


class NoMethod(torch.nn.Module):
    @torch.jit.export
    def other(self, keys: Tensor) -> Tensor:
        return keys.sum(dim=-1)


class BuiltInName(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.name = "snapkv"

    def forward(self, keys: Tensor) -> Tensor:
        return keys.sum(dim=-1)


class BadWindow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.window_queries = -5

    def forward(self, keys: Tensor, queries: Tensor) -> Tensor:
        return keys.sum(dim=-1)


class Markup(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.summary = "<b>bold</b> \u202e and\na second line"
        self.source = "x" * 5000

    def forward(self, keys: Tensor) -> Tensor:
        return keys.sum(dim=-1)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("knorm", "keydiff"):
        save(f"script_{name}", globals()[name])
    example = torch.randn(2, 8, 4)
    save("traced_knorm", torch.jit.trace(lambda keys, values: -keys.norm(2, -1), (example, example)))
    modules = {
        "script_snapkv": SnapKV(),
        "recent": Recent(),
        "script_tova": Tova(),
        "hidden_norm": HiddenNorm(),
        "all_queries": AllQueries(),
        "exported": Exported(),
        "loops_on_load": LoopsOnLoad(),
        "no_method": NoMethod(),
        "built_in_name": BuiltInName(),
        "bad_window": BadWindow(),
        "markup": Markup(),
    }
    for name, module in modules.items():
        save(name, torch.jit.script(module))
    for name in (
        "unnamed", "drawn", "reads_file", "writes_file", "takes_memory", "grows", "loops", "returns_nan",
        "returns_infinity", "wrong_shape", "wrong_type", "throws", "fails_in_an_op", "crashes", "forks", "returns_list",
        "takes_a_word", "unknown_argument",
    ):
        save(name, globals()[name])
    torch.save({"weights": torch.ones(3)}, FOLDER / "tensors.pt")
    leave_out_origin(FOLDER / "tensors.pt")
    (FOLDER / "as_torch_writes.pt").write_bytes(as_torch_writes(FOLDER / "script_snapkv.pt"))
    (FOLDER / "truncated.pt").write_bytes((FOLDER / "script_knorm.pt").read_bytes()[:900])
    (FOLDER / "text.pt").write_text("no archive at all\n")


if __name__ == "__main__":
    main()
