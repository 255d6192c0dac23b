"""Method files from kvpress presses: the `score` of a press as TorchScript, for `kvantage-cli --method-file`.

A method file declares by the names of its arguments what it reads (docs/add-a-method.md). So a press becomes one where
its score depends on keys, values, hidden states and attention weights alone, in tensor operations. Whether it does is
found out by tracing it and comparing with the press itself on other shapes; nothing is guessed.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from .errors import ExportError, MissingDependency
from .program import PathText

if TYPE_CHECKING:
    import torch

_all_queries = 2**31 - 1
_reads_none = "does not read attention weights"
_inputs = ("keys", "values", "attention", "hidden_states")
# kv_heads, query heads of each, tokens, head_dim, hidden size. The first is traced; the others differ in each number,
# and most presses look at no more than the last 64 tokens in a way of their own.
_shapes = ((2, 3, 701, 16, 48), (1, 1, 130, 8, 8), (4, 2, 257, 32, 40), (3, 1, 1033, 24, 72))


@dataclass(frozen=True)
class MethodFile:
    """What `export_press` wrote.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        As methods name it: ``knorm_press``, ``adakv(knorm_press)+kivi4``.
    inputs : tuple of str
        What it reads: keys, values, attention, hidden_states.
    window_queries : int
        Tokens at the end whose attention it reads; 0: none, 2147483647: all.
    bytes : int
        Size of the file.
    """

    path: Path
    name: str
    inputs: Tuple[str, ...]
    window_queries: int
    bytes: int


def export_press(press: Any, file: PathText, *, name: Optional[str] = None) -> MethodFile:
    """Writes the `score` of a kvpress press as a method file.

    The share of tokens to remove is not part of it: KVantage chooses that.

    Parameters
    ----------
    press : kvpress.ScorerPress
        Such as ``KnormPress()``, or an object of your own class with its `score`.
    file : path
        To write; replaced if it exists.
    name : str, optional
        Lower-case letters, digits and ``_``, at most 40. By default that of the class: KnormPress is ``knorm_press``.

    Returns
    -------
    MethodFile

    Raises
    ------
    ExportError
        The press wraps another one, does more than score, needs the model or randomness, or its score has conditions or
        loops over tensors. The message names it.
    MissingDependency
        torch is not installed.
    """
    torch = _torch()
    kind = type(press).__name__
    name = name or _snake(kind)
    if not re.fullmatch(r"[a-z0-9_]{1,40}", name):
        raise ExportError(f"name '{name}': is not of 1 to 40 lower-case letters, digits and '_'; give another name")
    _check_kind(press, kind)
    refusals: List[str] = []
    for window in _windows(press):
        try:
            traced, inputs = _traced(torch, press, kind, window)
        except ExportError as error:
            refusals.append(str(error))
            continue
        return _written(torch, press, traced, inputs, window, Path(file), name)
    # A press that reads attention says without it only that there is none.
    raise ExportError([one for one in refusals if not one.endswith(_reads_none)][-1])


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingDependency(
            "export_press: torch is not installed; install it with pip install 'kvantage[press]'"
        ) from None
    return torch


def _snake(kind: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()


def _check_kind(press: Any, kind: str) -> None:
    if hasattr(press, "press") or hasattr(press, "presses"):
        raise ExportError(
            f"{kind}: wraps another press; export that one, and wrap its method in KVantage, as in adakv(METHOD)"
        )
    if not callable(getattr(press, "score", None)):
        raise ExportError(f"{kind}: has no score(); only presses that score tokens can be method files")
    for base in type(press).__mro__:
        if base.__name__ != "ScorerPress" or not base.__module__.startswith("kvpress"):
            continue
        if type(press).score is base.score:
            raise ExportError(f"{kind}: has no score() of its own; override it")
        if type(press).compress is not base.compress:
            raise ExportError(
                f"{kind}: compresses by more than its score (it has a compress() of its own), which a method file "
                "cannot hold; write a class with its score() alone"
            )


def _windows(press: Any) -> List[int]:
    """Attention of how many tokens at the end is offered, one after another; 0: none, as with other implementations
    than eager."""
    own = getattr(press, "window_size", None)
    windows = [0, 1]
    if isinstance(own, int) and 1 < own < min(shape[2] for shape in _shapes):
        windows.append(own)
    return windows + [_all_queries]


class _Needs(Exception):
    pass


class _Absent:
    """In place of what a method file does not have; says what was asked of it."""

    def __init__(self, what: str, **known: Any) -> None:
        self.__dict__.update(known)
        self._what = what

    def __getattr__(self, name: str) -> Any:
        raise _Needs(f"{self._what}.{name}")


class _NoArguments(dict):
    def __missing__(self, key: Any) -> Any:
        raise _Needs(f"kwargs[{key!r}]")

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key]


def _press_score(press: Any, given: Dict[str, "torch.Tensor"]) -> "torch.Tensor":
    """The score of a press, [kv_heads, tokens], from the inputs of a method file."""
    keys = given["keys"]
    heads = keys.shape[0]
    known: Dict[str, Any] = {"head_dim": keys.shape[2]}
    config: Dict[str, Any] = {"num_key_value_heads": keys.shape[0], "head_dim": keys.shape[2]}
    attentions = None
    if "attention" in given:
        weights = given["attention"]
        heads = weights.shape[0] * weights.shape[1]
        attentions = weights.reshape(1, heads, weights.shape[2], weights.shape[3])
        known["num_key_value_groups"] = weights.shape[1]
        config["num_attention_heads"] = heads
    module = _Absent("module", config=_Absent("module.config", **config), **known)
    values = given["values"] if "values" in given else keys.new_zeros(keys.shape)
    hidden = given["hidden_states"] if "hidden_states" in given else keys.new_zeros((keys.shape[1], 1))
    scores = press.score(module, hidden[None], keys[None], values[None], attentions, _NoArguments())
    return scores[0].float()


def _example(torch: Any, shape: Tuple[int, int, int, int, int], window: int) -> Dict[str, "torch.Tensor"]:
    """Random inputs of a layer; causal attention, of the last tokens alone where there is a window."""
    heads, group, tokens, dim, hidden = shape
    drawn = torch.Generator().manual_seed(tokens)
    given = {
        "keys": torch.randn(heads, tokens, dim, generator=drawn),
        "values": torch.randn(heads, tokens, dim, generator=drawn),
        "hidden_states": torch.randn(tokens, hidden, generator=drawn),
    }
    if window:
        logits = torch.randn(heads, group, tokens, tokens, generator=drawn)
        future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        attention = logits.masked_fill(future, float("-inf")).softmax(-1)
        given["attention"] = attention[:, :, -min(window, tokens) :].contiguous()
    return given


def _traced(torch: Any, press: Any, kind: str, window: int) -> Tuple[Any, Tuple[str, ...]]:
    """The traced score and the names of its inputs, held against the press. ExportError: it is not the same."""
    offered = [one for one in _inputs if one != "attention" or window]
    traced, places = _trace(torch, press, kind, offered, window)
    used = [one for one, value in zip(offered, list(traced.score.graph.inputs())[1:]) if value.uses()]
    if window and "attention" not in used:
        raise ExportError(f"{kind}: {_reads_none}")
    inputs = tuple(one for one in offered if one in used or one == "keys")
    if list(inputs) != offered:
        traced, places = _trace(torch, press, kind, list(inputs), window)
    _check_same(torch, press, kind, traced, inputs, window, places)
    return traced, inputs


def _trace(torch: Any, press: Any, kind: str, names: List[str], window: int) -> Tuple[Any, List[str]]:
    """Traces the score; also where it turned tensors into Python numbers, as "press.py line 12"."""

    class Score(torch.nn.Module):
        def score(self, *inputs: Any) -> Any:
            return _press_score(press, dict(zip(names, inputs)))

    example = _example(torch, _shapes[0], window)
    with warnings.catch_warnings(record=True) as seen, torch.no_grad():
        warnings.simplefilter("always")
        try:
            traced = torch.jit.trace_module(
                Score(), {"score": tuple(example[one] for one in names)}, check_trace=False
            )
        except _Needs as needs:
            raise ExportError(f"{kind}: its score reads {needs}, which a method file does not have") from None
        except Exception as error:  # of the press's own code
            raise ExportError(f"{kind}: its score fails ({_first_line(error)})") from None
    here, library = os.path.abspath(__file__), os.path.dirname(os.path.abspath(torch.__file__))
    places = [
        f"{os.path.basename(one.filename)} line {one.lineno}"
        for one in seen
        if issubclass(one.category, torch.jit.TracerWarning)
        and os.path.abspath(one.filename) != here
        and not os.path.abspath(one.filename).startswith(library)
    ]
    return traced, list(dict.fromkeys(places))


def _check_same(
    torch: Any, press: Any, kind: str, module: Any, inputs: Tuple[str, ...], window: int, places: List[str]
) -> None:
    for shape in _shapes:
        heads, _, tokens, _, _ = shape
        whole = _example(torch, shape, _all_queries if window else 0)
        given = dict(whole)
        if window:
            given["attention"] = whole["attention"][:, :, -min(window, tokens) :].contiguous()
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted, again = _press_score(press, whole), _press_score(press, whole)
        except _Needs as needs:
            raise ExportError(f"{kind}: its score reads {needs}, which a method file does not have") from None
        except Exception as error:  # of the press's own code
            raise ExportError(f"{kind}: its score fails for {tokens} tokens ({_first_line(error)})") from None
        if tuple(wanted.shape) != (heads, tokens):
            raise ExportError(
                f"{kind}: its score has the shape {list(wanted.shape)} for {heads} KV heads and {tokens} tokens"
            )
        if not torch.equal(wanted, again):
            raise ExportError(f"{kind}: its score is random: two calls differ; a method file must not be")
        if not bool(torch.isfinite(wanted).all()):
            raise ExportError(f"{kind}: its score is not finite for random inputs")
        try:
            with torch.no_grad():
                found = module.score(*(given[one] for one in inputs))
            same = found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-4, atol=1e-6)
        except Exception:  # shapes that the trace has kept as they were
            same = False
        if not same:
            why = f"it makes a Python number or condition of a tensor ({', '.join(places[:3])})" if places else (
                "it reads more attention than is offered" if window else "it depends on the shape that was traced"
            )
            raise ExportError(
                f"{kind}: its traced score differs from score() for {heads} KV heads and {tokens} tokens: {why}; write "
                "it in TorchScript by hand"
            )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200]


def _source(press: Any) -> str:
    module = type(press).__module__.split(".")[0]
    try:
        version = " " + importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        version = ""
    return f"{module}{version}, {type(press).__name__}"


def _written(
    torch: Any, press: Any, traced: Any, inputs: Tuple[str, ...], window: int, file: Path, name: str
) -> MethodFile:
    class MethodModule(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = traced
            self.name = name
            self.summary = f"score of {type(press).__name__}"
            self.source = _source(press)
            self.window_queries = window
            self.all_queries = window == _all_queries
            self.attention = "attention" in inputs
            self.values = "values" in inputs
            self.hidden_states = "hidden_states" in inputs

    arguments = ", ".join(f"{one}: Tensor" for one in inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of torch announce another way
        module = torch.jit.script(MethodModule())
        module.define(f"def score(self, {arguments}) -> Tensor:\n    return self.inner.score({', '.join(inputs)})\n")
        with tempfile.TemporaryDirectory(dir=file.absolute().parent, prefix=".kvantage-") as folder:
            draft = Path(folder) / "method.pt"
            torch.jit.save(module, str(draft))
            _check_same(torch, press, type(press).__name__, torch.jit.load(str(draft)), inputs, window, [])
            os.replace(draft, file)
    return MethodFile(file, name, inputs, window, file.stat().st_size)
