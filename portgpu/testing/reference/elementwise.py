"""References of elementwise ops, casts and fills."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from portgpu.ops.dtypes import DTYPES
from portgpu.testing import numeric
from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference

_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])
_inverse_normal = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + small), small / (1 + small)))


def _gelu_tanh(x: Array) -> Array:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return np.asarray(x * _sigmoid(2 * inner))


def _erfinv(x: Array) -> Array:
    a = np.abs(np.asarray(x, np.float64))
    inside = a < 1
    a = np.where(inside, a, 0.0)
    # The inverse normal is up to 5 ulp off; a Newton step is not, on erfc where 1 - a is exact.
    y = -_inverse_normal((1 - a) / 2) / math.sqrt(2)
    slope = math.sqrt(math.pi) / 2 * np.exp(y * y)
    y = y - np.where(a < 0.5, _erf(y) - a, (1 - a) - _erfc(y)) * slope
    y = np.where(a < 1e-8, a * math.sqrt(math.pi) / 2, y)
    beyond = np.where(np.abs(x) == 1, np.inf, np.nan)
    return np.asarray(np.copysign(np.where(inside, y, beyond), x))


def _relu(x: Array) -> Array:
    return np.asarray(np.where(np.isnan(x), x, np.maximum(x, 0)))


_UNARY: dict[str, Callable[[Array], Any]] = {
    "abs": np.abs,
    "neg": np.negative,
    "sign": np.sign,
    "square": np.square,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "relu": _relu,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": lambda x: x == 0,
    "bitwise_not": np.invert,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "erf": _erf,
    "erfinv": _erfinv,
    "degrees": np.degrees,
    "radians": np.radians,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "gelu": lambda x: x * (0.5 * _erfc(-x / math.sqrt(2))),
    "gelu_tanh": _gelu_tanh,
    "silu": lambda x: x * _sigmoid(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}
# The sign of a zero result is part of these ops' meaning.
_SIGNED_ZERO = {"abs", "neg", "sqrt", "floor", "ceil", "trunc", "round", "mul", "div", "copy"}
# 0.5 * x * (1 + f(x)) cancels for negative x: errors are relative to x there.
_CANCELS = {"gelu", "gelu_tanh"}


@reference(*_UNARY)
def unary(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    with np.errstate(all="ignore"):
        value = np.asarray(_UNARY[call.op](x))
    scale = np.abs(x) if call.op in _CANCELS else None
    return [Expected(value, scale, zero_sign=call.op in _SIGNED_ZERO)]


def _remainder(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.asarray(np.remainder(a, b))
    return np.asarray(np.where(b == 0, 0, np.remainder(a, np.where(b == 0, 1, b)))).astype(a.dtype)


def _shift(a: Array, b: Array, left: bool) -> Array:
    bits = a.dtype.itemsize * 8
    inside = (b >= 0) & (b < bits)
    count = np.where(inside, b, 0).astype(a.dtype)
    if left:
        return np.asarray(np.where(inside, np.left_shift(a, count), 0)).astype(a.dtype)
    outside = np.where(a < 0, -1, 0).astype(a.dtype)
    return np.asarray(np.where(inside, np.right_shift(a, count), outside))


def _floor_divide(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.asarray(np.floor_divide(a, b))
    return np.asarray(np.where(b == 0, 0, np.floor_divide(a, np.where(b == 0, 1, b)))).astype(
        a.dtype
    )


_BINARY: dict[str, Callable[[Array, Array], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "remainder": _remainder,
    "floor_divide": _floor_divide,
    "pow": np.power,
    "atan2": np.arctan2,
    "logaddexp": np.logaddexp,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "left_shift": lambda a, b: _shift(a, b, True),
    "right_shift": lambda a, b: _shift(a, b, False),
}


@reference(*_BINARY)
def binary(call: Call) -> Sequence[Expected]:
    a, b = call.inputs
    with np.errstate(all="ignore"):
        value = np.asarray(_BINARY[call.op](a, b))
        scale = np.abs(a) + np.abs(b) if call.op == "logaddexp" else None
    return [Expected(value, scale, zero_sign=call.op in _SIGNED_ZERO)]


@reference("divmod")
def divmod_(call: Call) -> Sequence[Expected]:
    a, b = call.inputs
    with np.errstate(all="ignore"):
        return [Expected(_floor_divide(a, b)), Expected(_remainder(a, b))]


def _in_compute_type(values: Any, dtype: str) -> Array:
    """As the library computes with them: f64 for f64, else f32."""
    return np.asarray(values, np.float64 if dtype == "f64" else np.float32)


@reference("isclose")
def isclose(call: Call) -> Sequence[Expected]:
    a, b = (_in_compute_type(x, call.dtype) for x in call.inputs)
    relative, absolute = (
        _in_compute_type(call.params[n], call.dtype) for n in ("relative", "absolute")
    )
    with np.errstate(all="ignore"):
        room = relative.astype(np.float64) * np.abs(b) + absolute.astype(np.float64)  # one rounding
        close = np.isfinite(b) & (np.abs(a - b) <= room.astype(a.dtype))
        both = np.isnan(a) & np.isnan(b) & bool(call.params["equal_nan"])
        return [Expected(close | (a == b) | both)]


@reference("clip")
def clip(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    with np.errstate(all="ignore"):
        low, high = (convert(np.array(float(call.params[n])), call.dtype) for n in ("low", "high"))
    return [Expected(np.minimum(np.maximum(x, low), high).astype(x.dtype))]


@reference("nan_to_num")
def nan_to_num(call: Call) -> Sequence[Expected]:
    x, most = call.inputs[0], numeric.largest(call.dtype)
    given = [float(call.params[n]) for n in ("nan", "posinf", "neginf")]
    with np.errstate(all="ignore"):
        nan, high, low = (float(numeric.round_to(v, call.dtype)) for v in given)
    high, low = (
        math.copysign(most, rounded) if math.isinf(asked) else rounded
        for asked, rounded in zip(given[1:], (high, low), strict=True)
    )
    value = np.where(np.isnan(x), nan, np.where(np.isposinf(x), high, x))
    return [Expected(np.where(np.isneginf(x), low, value))]


@reference("round_decimals")
def round_decimals(call: Call) -> Sequence[Expected]:
    x = _in_compute_type(call.inputs[0], call.dtype)
    decimals = int(call.params["decimals"])
    scale = x.dtype.type(10.0 ** abs(decimals))
    with np.errstate(all="ignore"):
        value = np.rint(x / scale) * scale if decimals < 0 else np.rint(x * scale) / scale
        return [Expected(value.astype(np.float64))]


@reference("masked_fill")
def masked_fill(call: Call) -> Sequence[Expected]:
    x, mask = call.inputs
    with np.errstate(all="ignore"):
        value = convert(np.array(float(call.params["value"])), call.dtype)
    return [Expected(np.where(mask, value, x).astype(x.dtype), zero_sign=True)]


@reference("where")
def where(call: Call) -> Sequence[Expected]:
    cond, a, b = call.inputs
    return [Expected(np.where(cond, a, b), zero_sign=True)]


@reference("copy")
def copy(call: Call) -> Sequence[Expected]:
    return [Expected(np.asarray(call.inputs[0]), zero_sign=True)]


def convert(values: Array, dtype: str) -> Array:
    """Logical values as `cast` makes them: toward zero and saturating from float to integer."""
    if dtype == "bool":
        return np.asarray(values != 0)
    if numeric.is_float(dtype):
        if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and dtype != "f64":
            return _wide_to_float(values, dtype)
        return numeric.round_to(values, dtype)
    kind = DTYPES[dtype].numpy
    if values.dtype.kind != "f":
        return np.asarray(values.astype(kind))
    info = np.iinfo(kind)
    whole = np.trunc(np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf))
    # 2^63 and 2^64 are exact in float64, their predecessors are not: compare, then convert.
    over = whole >= float(info.max) + (0.0 if info.max >= 2**53 else 1.0)
    under = whole <= float(info.min)
    result = np.where(over | under, 0.0, whole).astype(kind)
    result = np.where(over, kind.type(info.max), result)
    return np.asarray(np.where(under, kind.type(info.min), result).astype(kind))


def _wide_to_float(values: Array, dtype: str) -> Array:
    # 64-bit integers: sticky low bit first, so that rounding happens once.
    negative = values < 0
    magnitude = np.where(
        negative, np.uint64(0) - values.astype(np.uint64), values.astype(np.uint64)
    )
    low = magnitude & np.uint64(0xFFF)
    sticky = np.where(
        magnitude >= np.uint64(2**53),
        (magnitude - low) | (np.uint64(0x1000) * (low != 0)),
        magnitude,
    )
    wide = sticky.astype(np.float64)
    return numeric.round_to(np.where(negative, -wide, wide), dtype)


@reference("cast")
def cast(call: Call) -> Sequence[Expected]:
    with np.errstate(all="ignore"):
        return [Expected(convert(np.asarray(call.inputs[0]), call.outputs[0][1]), zero_sign=True)]


@reference("fill")
def fill(call: Call) -> Sequence[Expected]:
    shape, dtype = call.outputs[0]
    value = np.full(shape, float(call.params["value"]))
    with np.errstate(all="ignore"):
        return [Expected(convert(value, dtype), zero_sign=True)]


@reference("arange")
def arange(call: Call) -> Sequence[Expected]:
    shape, dtype = call.outputs[0]
    count = math.prod(shape)
    start, step = float(call.params["start"]), float(call.params["step"])
    steps = np.arange(count, dtype=np.float64) * step
    value = (start + steps).reshape(shape)
    # In f64 the product is rounded here, and may not be where it is fused with the sum.
    scale = (abs(start) + np.abs(steps)).reshape(shape) if dtype == "f64" else np.zeros(shape)
    with np.errstate(all="ignore"):
        return [Expected(convert(value, dtype), scale)]
