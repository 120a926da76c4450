"""The oracle itself: rounding, ulps, references and verdicts, against independent arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from portgpu.ops import registry
from portgpu.testing import cases, numeric, reference, tolerance, values
from portgpu.testing.reference import Call, Expected, elementwise

FLOATS = ("f16", "bf16", "f32", "f64")
NATIVE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


def wide(count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(count) * np.exp2(rng.integers(-140, 130, count))


def all_finite(dtype: str) -> list[float]:
    """All non-negative finite values of a 16-bit type, sorted."""
    bits = np.arange(0x8000, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        found = bits.view(NATIVE[dtype]).astype(np.float64)
    return sorted(found[np.isfinite(found)].tolist())


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_rounding_is_to_nearest_even(dtype: str, seed: int) -> None:
    table = np.array(all_finite(dtype))
    top = numeric.largest(dtype)
    samples = [x for x in np.abs(wide(3000, seed)) if x < top]
    samples += [(a + b) / 2 for a, b in pairwise(table)][::37]  # ties
    samples += [np.nextafter((a + b) / 2, np.inf) for a, b in pairwise(table)][::41]
    got = numeric.round_to(np.array(samples), dtype)
    for x, y in zip(samples, got.tolist(), strict=True):
        after = int(np.searchsorted(table, x))
        near = table[max(after - 1, 0) : after + 1].tolist()
        best = min(near, key=lambda t: (abs(Fraction(t) - Fraction(x)), table.searchsorted(t) % 2))
        assert y == best, (x, y, best)


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_survive(dtype: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, numeric.tiny(dtype), numeric.largest(dtype)])
    back = numeric.round_to(x, dtype)
    assert np.array_equal(back, x, equal_nan=True)
    assert np.array_equal(np.signbit(back[3:5]), [False, True])
    if dtype != "f64":
        assert numeric.round_to(numeric.largest(dtype) * 1.01, dtype) == np.inf
        assert numeric.round_to(numeric.tiny(dtype) * 0.49, dtype) == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_constants_of_types(dtype: str) -> None:
    info = ml_dtypes.finfo(NATIVE[dtype])
    assert numeric.eps(dtype) == float(info.eps)
    assert numeric.largest(dtype) == float(info.max)
    assert numeric.smallest_normal(dtype) == float(info.smallest_normal)
    assert numeric.tiny(dtype) == float(info.smallest_subnormal)
    x = np.array([1.0, 1.5, 2.0, 0.0, float(info.smallest_normal), 3.0 * float(info.eps)])
    spacing = np.array([float(np.spacing(v)) for v in x]) if dtype == "f64" else None
    steps = numeric.ulp(x, dtype)
    assert steps[0] == steps[1] == steps[2] / 2 == numeric.eps(dtype)
    assert steps[3] == steps[4] == numeric.tiny(dtype)
    if spacing is not None:
        assert np.array_equal(steps, spacing)


def call(op: str, *inputs: Any, out: str = "", shape: Any = None, **params: Any) -> Any:
    arrays = [None if x is None else np.asarray(x) for x in inputs]
    dtype = out or {"f": "f64", "i": f"i{arrays[0].itemsize * 8}"}.get(arrays[0].dtype.kind, "bool")
    if shape is None:
        shape = np.broadcast_shapes(*[a.shape for a in arrays if a is not None])
    return reference.find(op)(Call(op, arrays, dtype, params, [(shape, dtype)] * 2, [None]))[
        0
    ].value


def test_every_op_has_reference_tolerance_and_cases() -> None:
    for op in registry.load():
        reference.find(op.reference)
        assert set(FLOATS) <= set(tolerance.find(op).ulp)
    planned = {c.op for c in cases.plan(registry.load(), level="quick")}
    assert planned == set(registry.load().ops)


@pytest.mark.parametrize(
    ("op", "exact"),
    [
        ("sigmoid", lambda x: 1 / (1 + math.exp(-x))),
        ("softplus", lambda x: math.log(1 + math.exp(x))),
        ("gelu", lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2)))),
        ("silu", lambda x: x / (1 + math.exp(-x))),
        ("gelu_tanh",
         lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        ("erf", math.erf), ("expm1", math.expm1), ("asinh", math.asinh), ("log1p", math.log1p),
    ],
)  # fmt: skip
def test_unary_against_the_formula(op: str, exact: Any, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-0.9, 5, 200)
    want = np.array([exact(v) for v in x.tolist()])
    assert np.allclose(call(op, x), want, rtol=1e-13, atol=0)


def test_integer_rules(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(-(2**31), 2**31, 500).astype(np.int32)
    b = rng.integers(-5, 40, 500).astype(np.int32)
    for x, y, left, right, rest in zip(
        a.tolist(), b.tolist(), call("left_shift", a, b).tolist(),
        call("right_shift", a, b).tolist(), call("remainder", a, b).tolist(), strict=True,
    ):  # fmt: skip
        inside = 0 <= y < 32
        assert left == (((x << y) + 2**31) % 2**32 - 2**31 if inside else 0)
        assert right == (x >> y if inside else (-1 if x < 0 else 0))
        assert rest == (x % y if y else 0)


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_cast_from_wide_integers_rounds_once(dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-(2**63), 2**63, 2000) >> rng.integers(0, 62, 2000)
    got = elementwise.convert(x, dtype)
    digits = {"f32": 24, "f16": 11, "bf16": 8}[dtype]
    for value, y in zip(x.tolist(), got.tolist(), strict=True):
        if not math.isfinite(y):
            assert dtype == "f16" and abs(value) >= 65520
            continue
        shift = max(abs(value).bit_length() - digits, 0)
        whole, rest = divmod(abs(value), 1 << shift)
        half = (1 << shift) / 2
        whole += rest > half or (rest == half and shift > 0 and whole % 2 == 1)
        assert abs(y) == whole << shift, (value, y)


def test_cast_to_integers_saturates() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 2.0**63, -(2.0**63), 1e300, -2.7, 255.9, 300.0, -0.5])
    top = 2**63 - 1
    assert elementwise.convert(x, "i64").tolist() == [
        0, top, -top - 1, top, -top - 1, top, -2, 255, 300, 0,
    ]  # fmt: skip
    assert elementwise.convert(x, "u8").tolist() == [0, 255, 0, 255, 0, 255, 0, 255, 255, 0]
    assert elementwise.convert(x, "u64").tolist()[1:4] == [2**64 - 1, 0, 2**63]


def test_sorts_put_nan_last_and_are_stable() -> None:
    x = np.array([2.0, np.nan, -0.0, 1.0, 0.0, 1.0, -np.inf, np.inf])
    up = call("argsort", x, axis=0, descending=False)
    down = call("argsort", x, axis=0, descending=True)
    assert up.tolist() == [6, 2, 4, 3, 5, 0, 7, 1]
    assert down.tolist() == [7, 0, 3, 5, 2, 4, 6, 1]
    least = np.array([-128, 127, 0, -128], np.int8)
    assert call("argsort", least, axis=0, descending=True).tolist() == [1, 2, 0, 3]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_scans_against_a_loop(exclusive: bool, reverse: bool, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-3, 4, (4, 7)).astype(np.float64)
    for op, start in (("cumsum", 0.0), ("cumprod", 1.0), ("cummax", -np.inf), ("cummin", np.inf)):
        join = {"cumsum": lambda a, b: a + b, "cumprod": lambda a, b: a * b,
                "cummax": max, "cummin": min}[op]  # fmt: skip
        got = call(op, x, axis=1, exclusive=exclusive, reverse=reverse)
        for row, out in zip(x.tolist(), got.tolist(), strict=True):
            carry, want = start, []
            for value in reversed(row) if reverse else row:
                after = join(carry, value)
                want.append(carry if exclusive else after)
                carry = after
            assert out == (want[::-1] if reverse else want)


def test_scatter_in_order() -> None:
    indices = np.array([1, -1, 1, 7, 0])
    updates = np.arange(1.0, 6.0)
    base = np.array([10.0, 20.0, 30.0])

    def run(op: str) -> Any:
        made = Call(op, [indices, updates], "f64", {"axis": 0}, [((3,), "f64")], [base])
        return reference.find(op)(made)[0].value.tolist()

    assert run("scatter_set") == [5, 3, 2]
    assert run("scatter_add") == [15, 24, 32]
    assert base.tolist() == [10, 20, 30]


TIGHT = tolerance.Tolerance({"f32": 0.5, "f16": 0.5}, 0.0, 0.0, "")


def verdict(got: Any, want: Any, dtype: str = "f32", allowed: Any = TIGHT, **more: Any) -> Any:
    bits = numeric.to_storage(np.asarray(got), dtype)
    return tolerance.compare(bits, Expected(np.asarray(want), **more), dtype, allowed)


def test_verdicts() -> None:
    one = np.float64(1)
    assert not verdict([1.0], [one + 2**-25]).message
    assert verdict([1.0], [one + 2**-24 + 2**-40]).message  # rounds up
    assert verdict([1.0 + 2**-23], [one]).message and verdict([1.0 + 2**-23], [one]).ulp == 1
    assert not verdict([np.nan], [np.nan]).message
    for got, want in ((np.nan, 1.0), (1.0, np.nan), (np.inf, 1.0), (np.inf, -np.inf), (0, np.inf)):
        assert verdict([got], [want]).message, (got, want)
    assert not verdict([-0.0], [0.0]).message
    assert verdict([-0.0], [0.0], zero_sign=True).message
    assert not verdict([np.inf], [3.5e38]).message  # rounds to infinity
    assert not verdict([65504.0], [65519.0], "f16").message
    assert verdict([np.inf], [65519.0], "f16").message
    loose = tolerance.Tolerance({"f32": 1}, 1.0, 0.0, "")
    scaled = {"scale": np.array([1000.0]), "terms": 100}
    assert not verdict([1.0], [one + 0.001], allowed=loose, **scaled).message
    assert verdict([1.0], [one + 0.002], allowed=loose, **scaled).message
    assert verdict([3], [4], "i32").message and not verdict([4], [4], "i32").message
    odd = np.array([2], np.uint8).view(np.bool_)
    assert "no bool" in tolerance.compare(odd, Expected(np.array([True])), "bool", TIGHT).message


def test_placed_buffers(seed: int) -> None:
    """Elements are where strides say; everything else is guard."""
    rng = np.random.default_rng(seed)
    for layout in values.LAYOUTS:
        for shape in ((), (5,), (3, 4), (2, 1, 3), (0, 2)):
            spec = values.ArraySpec(shape, "f32", layout)
            wanted = values.fill(spec, rng)
            placed = values.place(spec, wanted)
            assert np.array_equal(placed.view(placed.image), wanted.astype(np.float32))
            touched = np.zeros(placed.image.size, bool)
            for index in np.ndindex(shape):
                at = placed.start + 4 * sum(
                    i * s for i, s in zip(index, placed.strides, strict=True)
                )
                touched[at : at + 4] = True
            assert (placed.image[~touched] == values.INPUT_GUARD).all()
            assert not touched[: values.GUARD].any() and not touched[-values.GUARD :].any()


@pytest.mark.parametrize("level", cases.LEVELS)
def test_cases_are_well_formed(level: str, seed: int) -> None:
    plan = cases.plan(registry.load(), level=level, types="all", seed=seed)
    for case in plan:
        op = registry.load().get(case.op)
        assert len(case.inputs) == len(op.inputs) and len(case.outputs) == len(op.outputs)
        assert set(case.params) <= {p.name for p in op.params}, case.id
        assert case.statuses or not case.defects


def test_random_generators_give_published_words() -> None:
    """Known answers of Random123 (kat_vectors) for zeros, ones and the digits of pi."""
    from portgpu.testing.reference import random

    def threefry(key: tuple[int, int], a: int, b: int) -> list[int]:
        words = random.threefry2x32(key, np.array([a], np.uint64), np.array([b], np.uint64))
        return [int(w[0]) for w in words]

    def philox(key: tuple[int, int], counter: list[int]) -> list[int]:
        words = random.philox4x32(key, [np.array([c], np.uint64) for c in counter])
        return [int(w[0]) for w in words]

    ones = 0xFFFFFFFF
    pi = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0]
    assert threefry((0, 0), 0, 0) == [0x6B200159, 0x99BA4EFE]
    assert threefry((ones, ones), ones, ones) == [0x1CB996FC, 0xBB002BE7]
    assert threefry((pi[2], pi[3]), pi[0], pi[1]) == [0xC4923A9C, 0x483DF7A0]
    assert philox((0, 0), [0] * 4) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox((ones, ones), [ones] * 4) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    assert philox((pi[4], pi[5]), pi[:4]) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def differences(function: Any, x: Any, dy: Any) -> Any:
    """Central differences of sum(dy * function(x))."""
    step = 1e-5
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += step
        down[index] -= step
        gradient[index] = ((function(up) - function(down)) * dy).sum() / (2 * step)
    return gradient


def test_gradients_against_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, dy, w, b = (rng.standard_normal(s) for s in ((4, 7), (4, 7), (7,), (7,)))

    def forward(op: str, *inputs: Any, **params: Any) -> Any:
        return call(op, *inputs, shape=inputs[0].shape, **params)

    for op in ("softmax", "log_softmax"):
        y = forward(op, x, axis=1)
        got = forward(f"{op}_backward", y, dy, axis=1)
        assert np.allclose(got, differences(lambda v: forward(op, v, axis=1), x, dy), atol=1e-7)  # noqa: B023
    shapes = [((4, 7), "f64"), ((7,), "f64"), ((7,), "f64")]
    layer = reference.find("layer_norm_backward")(
        Call("layer_norm_backward", [x, w, dy], "f64", {"eps": 1e-3}, shapes, [None] * 3)
    )
    norm = {"eps": 1e-3}
    wanted = [
        differences(lambda v: forward("layer_norm", v, w, b, **norm), x, dy),
        differences(lambda v: forward("layer_norm", x, v, b, **norm), w, dy),
        differences(lambda v: forward("layer_norm", x, w, v, **norm), b, dy),
    ]
    for got, want in zip(layer, wanted, strict=True):
        assert np.allclose(got.value, want, atol=1e-7)
    root = reference.find("rms_norm_backward")(
        Call("rms_norm_backward", [x, w, dy], "f64", norm, shapes[:2], [None] * 2)
    )
    assert np.allclose(
        root[0].value, differences(lambda v: forward("rms_norm", v, w, **norm), x, dy), atol=1e-7
    )
    assert np.allclose(
        root[1].value, differences(lambda v: forward("rms_norm", x, v, **norm), w, dy), atol=1e-7
    )
    targets = np.array([3, -1, 6, 0])
    loss = rng.standard_normal(4)

    def entropy(v: Any) -> Any:
        return call("cross_entropy", v, targets, out="f64", shape=(4,))

    assert np.allclose(
        call("cross_entropy_backward", x, targets, loss, out="f64", shape=(4, 7)),
        differences(entropy, x, loss), atol=1e-7,
    )  # fmt: skip
