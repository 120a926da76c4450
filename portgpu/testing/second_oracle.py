"""PyTorch in float64 as a second oracle: it must agree with the NumPy one where both know an op."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from portgpu.testing.reference import Call, Expected

# Ours -> torch function, where name or arguments differ.
_NAMES = {
    "sub": "sub", "neg": "neg", "pow": "pow", "equal": "eq", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip
_SAME = """abs neg sign square sqrt rsqrt reciprocal floor ceil trunc round relu isnan isinf
isfinite logical_not bitwise_not exp exp2 expm1 log log1p log2 log10 erf sinh cosh tanh sigmoid sin
cos tan asin acos atan asinh acosh atanh add mul minimum maximum div atan2 logaddexp logical_and
logical_or logical_xor bitwise_and bitwise_or bitwise_xor remainder"""


def _plain(function: Any) -> Callable[[Call, list[Any]], Any]:
    return lambda call, xs: function(*xs)


def _functions(torch: Any) -> dict[str, Callable[[Call, list[Any]], Any]]:
    table: dict[str, Callable[[Call, list[Any]], Any]] = {}
    for name in [*_SAME.split(), *_NAMES]:
        table[name] = _plain(getattr(torch, _NAMES.get(name, name)))
    nn = torch.nn.functional

    def axes(call: Call, x: Any) -> list[int]:
        return list(call.params.get("axes") or range(x.ndim))

    table["softplus"] = lambda call, xs: torch.logaddexp(xs[0], torch.zeros_like(xs[0]))
    table["gelu"] = lambda call, xs: nn.gelu(xs[0])
    table["gelu_tanh"] = lambda call, xs: nn.gelu(xs[0], approximate="tanh")
    table["silu"] = lambda call, xs: nn.silu(xs[0])
    table["where"] = lambda call, xs: torch.where(xs[0], xs[1], xs[2])
    table["copy"] = lambda call, xs: xs[0].clone()
    table["sum"] = lambda call, xs: torch.sum(xs[0], axes(call, xs[0]))
    table["mean"] = lambda call, xs: torch.mean(xs[0], axes(call, xs[0]))
    table["min"] = lambda call, xs: torch.amin(xs[0], axes(call, xs[0]))
    table["max"] = lambda call, xs: torch.amax(xs[0], axes(call, xs[0]))
    table["logsumexp"] = lambda call, xs: torch.logsumexp(xs[0], axes(call, xs[0]))
    table["softmax"] = lambda call, xs: torch.softmax(xs[0], call.params["axis"])
    table["log_softmax"] = lambda call, xs: torch.log_softmax(xs[0], call.params["axis"])
    table["layer_norm"] = lambda call, xs: nn.layer_norm(
        xs[0], xs[0].shape[-1:], xs[1], xs[2], call.params["eps"]
    )
    table["take_along"] = lambda call, xs: torch.take_along_dim(
        xs[0], torch.where(xs[1] < 0, xs[1] + xs[0].shape[call.params["axis"]], xs[1]).long(),
        call.params["axis"],
    )  # fmt: skip
    return table


def _applies(call: Call, inputs: Sequence[Any]) -> bool:
    arrays = [x for x in inputs if x is not None]
    if not arrays or any(x.size == 0 or x.ndim == 0 for x in arrays):
        return False
    if any(x.dtype.kind == "u" and x.dtype.itemsize > 1 for x in arrays):
        return False
    if call.op == "sign" and np.isnan(arrays[0]).any():
        return False  # 0 there; NaN in NumPy and here
    if call.op == "sum" and arrays[0].dtype.kind != "f":
        return False  # wraps in 64 bits there
    if call.op == "remainder":
        if arrays[0].dtype.kind != "f":
            return False  # division by zero raises there
        with np.errstate(all="ignore"):
            return bool(np.isfinite(arrays[0] / arrays[1]).all())  # NaN there where this overflows
    if call.op == "take_along":
        extent = inputs[0].shape[call.params["axis"]]
        return bool((inputs[1] < extent).all() and (inputs[1] >= -extent).all())
    return True


def load() -> Callable[[Call, Sequence[Expected]], str] | None:
    """The second oracle as a function that returns a disagreement or ""; None without PyTorch."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return None
    table = _functions(torch)

    def check(call: Call, expected: Sequence[Expected]) -> str:
        function = table.get(call.op)
        if function is None or not _applies(call, call.inputs):
            return ""
        tensors = [
            None if x is None else torch.from_numpy(np.ascontiguousarray(x)) for x in call.inputs
        ]
        try:
            other = np.asarray(function(call, tensors).numpy())
        except (RuntimeError, TypeError, NotImplementedError, IndexError):
            return ""  # PyTorch does not do this one
        want = np.asarray(expected[0].value)
        other = other.reshape(want.shape)
        if want.dtype.kind != "f":
            same = want == other
        else:
            scale = np.abs(want if expected[0].scale is None else expected[0].scale)
            scale = np.nan_to_num(scale, nan=0.0, posinf=0.0)
            room = 1e-12 * np.maximum(scale, np.abs(np.nan_to_num(want, posinf=0, neginf=0)))
            with np.errstate(all="ignore"):
                close = np.abs(want - other) <= room + 1e-290
            same = close | (want == other) | (np.isnan(want) & np.isnan(other))
        if same.all():
            return ""
        at = tuple(int(i) for i in np.argwhere(~same)[0])
        return f"at {at} NumPy says {want[at]!r}, PyTorch {other[at]!r}"

    return check


def version() -> str:
    """Version of PyTorch, or an empty string."""
    try:
        return f"PyTorch {importlib.import_module('torch').__version__}"
    except ImportError:
        return ""
