"""Fused elementwise functions against NumPy in float64: types, layouts, numbers, errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from portgpu import jit
from portgpu.jit import trace
from portgpu.ops import OpDtypeError, OpError, OpShapeError, OpStrideError

pytestmark = pytest.mark.usefixtures("cache")


@jit.fuse
def mixed(x: Any, y: Any, rate: Any) -> Any:
    error = jit.sigmoid(x) - y
    return jit.where(x > y, error * rate, jit.maximum(x, -y)), (x <= y) | (y != y)


def numpy_mixed(x: Any, y: Any, rate: float) -> tuple[Any, Any]:
    a, b = x.astype(np.float64), y.astype(np.float64)
    error = 1 / (1 + np.exp(-a)) - b
    return np.where(a > b, error * rate, np.maximum(a, -b)), a <= b


def test_layouts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((6, 5, 34)).astype(np.float32)
    y = rng.standard_normal((5, 1)).astype(np.float32)
    pairs = [
        (x, x[::-1]), (x, y), (x.transpose(2, 0, 1), y.reshape(5)), (x[::2, ::-1, 3:], y),
        (x.reshape(-1)[1:], x.reshape(-1)[:-1]), (x[:, :0], y[:0]),
    ]  # fmt: skip
    for a, b in pairs:
        got, flags = mixed(a, b, 0.25)
        want, want_flags = numpy_mixed(a, b, 0.25)
        assert got.shape == want.shape and got.dtype == np.float32 and flags.dtype == np.bool_
        assert np.abs(got - want).max(initial=0) < 1e-6 and np.array_equal(flags, want_flags)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_types(dtype: str, seed: int) -> None:
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    x = np.random.default_rng(seed).standard_normal(301).astype(kind)
    got, _ = mixed(x, x[::-1].copy(), 0.5)
    want, _ = numpy_mixed(x, x[::-1], 0.5)
    assert got.dtype == kind
    room = {"float64": 1e-14, "float16": 2e-3, "bfloat16": 2e-2}[dtype]
    assert np.abs(got.astype(np.float64) - want).max() < room


def test_integers_wrap_as_in_numpy(seed: int) -> None:
    x = np.random.default_rng(seed).integers(-(2**31), 2**31, 500).astype(np.int32)
    hash_ = jit.fuse(lambda a: (a * 1103515245 + 12345) ^ (a & 255) | 1)
    with np.errstate(over="ignore"):
        assert np.array_equal(
            hash_(x), (x * np.int32(1103515245) + np.int32(12345)) ^ (x & 255) | 1
        )


def test_every_function_against_numpy(seed: int) -> None:
    """All named functions in one kernel."""
    x = np.random.default_rng(seed).uniform(0.05, 0.95, 257).astype(np.float32)
    names = [n for n in trace.functions() if n not in ("acosh", "pow", "atan2")]
    every = jit.fuse(lambda a: tuple(trace.functions()[n](a) for n in names))
    a = x.astype(np.float64)
    own = {
        "sigmoid": 1 / (1 + np.exp(-a)), "silu": a / (1 + np.exp(-a)), "relu": np.maximum(a, 0),
        "softplus": np.log1p(np.exp(a)), "rsqrt": a**-0.5, "reciprocal": 1 / a,
        "round": np.rint(a),
    }  # fmt: skip
    import math

    for name, got in zip(names, every(x), strict=True):
        if name in own:
            want = own[name]
        else:
            known = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
                     "atanh": "arctanh"}.get(name, name)  # fmt: skip
            want = getattr(np, known)(a) if hasattr(np, known) else np.vectorize(
                getattr(math, name)
            )(a)  # fmt: skip
        assert np.abs(got - want).max() < 1e-5, name


def test_numbers_and_out() -> None:
    step = jit.fuse(lambda w, g, rate: w - rate * g)
    w, g = np.arange(9, dtype=np.float32), np.ones(9, np.float32)
    assert step(w, g, 0.5, out=w) is w and w.tolist() == [i - 0.5 for i in range(9)]
    plans = len(step._plans)
    step(w, g, 0.25, out=w)  # another number compiles nothing
    assert len(step._plans) == plans
    assert w.tolist() == [i - 0.75 for i in range(9)]


def test_casts_saturate(seed: int) -> None:
    x = np.array([1.9, -1.9, 3e9, -3e9, np.nan, np.inf, 300.0], np.float32)
    cast = jit.fuse(lambda a: (jit.cast(a, "i32"), jit.cast(a, "u8"), jit.cast(a, "bool")))
    ints, bytes_, bools = cast(x)
    assert ints.tolist() == [1, -1, 2**31 - 1, -(2**31), 0, 2**31 - 1, 300]
    assert bytes_.tolist() == [1, 0, 255, 0, 0, 255, 255]
    assert bools.all()


X = np.ones((3, 4), np.float32)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: mixed(X, X), OpError, "takes 3 arguments, not 2"),
        (lambda: mixed(1.0, 2.0, 3.0), OpError, "no argument is an array"),
        (lambda: mixed(X, X[:, :3], 1.0), OpShapeError, "do not broadcast"),
        (lambda: mixed(X, X.astype(np.float64), 1.0), OpDtypeError, "f32 and f64 do not mix"),
        (lambda: jit.fuse(lambda a: a if a > 0 else -a)(X), OpError, "cannot branch"),
        (lambda: jit.fuse(lambda a: 3)(X), OpError, "returns int, not an expression"),
        (lambda: jit.fuse(lambda a: a + "b")(X), OpError, "not str"),
        (lambda: jit.fuse(lambda a: jit.exp(a))(X.astype(np.int32)), OpDtypeError, "exp does not"),
        (
            lambda: jit.fuse(lambda a: a / a)(X.astype(np.int32)),
            OpDtypeError,
            "/ does not take i32",
        ),
        (lambda: jit.fuse(lambda a: a + a)(X, out=X[:2]), OpShapeError, "out is f32"),
        (lambda: jit.fuse(lambda a: a + a)(X[1:], out=X[:2]), OpStrideError, "overlaps"),
        (lambda: jit.exp(X), OpError, "is for the arguments of a fused"),
    ],
)
def test_bad_uses(call: Any, kind: type[OpError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        call()
    assert caught.value.hint and (X == 1).all()
