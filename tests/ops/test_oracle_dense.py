"""The oracle of searches, masks, random choices, attention and convolutions, against other ways."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from portgpu.ops import registry, shapes
from portgpu.ops.errors import OpShapeError
from portgpu.testing import reference
from portgpu.testing.reference import Call, Expected


def run(
    name: str,
    inputs: list[Any],
    outputs: list[tuple[tuple[int, ...], str]],
    dtype: str = "f64",
    initial: list[Any] | None = None,
    **params: Any,
) -> list[Expected]:
    op = registry.load().get(name)
    given = {p.name: p.default for p in op.params} | params
    call = Call(name, inputs, dtype, given, outputs, initial or [None] * len(outputs))
    return list(reference.find(name)(call))


def test_permutation_is_that_of_jax() -> None:
    # jax.random.permutation of JAX 0.10.2, keys [0, 7] and [0, 42].
    twenty = run("permutation", [], [((20,), "i64")], "i64", key=7)[0].value
    assert twenty.tolist() == [
        10, 9, 17, 12, 4, 2, 3, 11, 5, 14, 16, 0, 19, 18, 7, 13, 6, 1, 15, 8
    ]  # fmt: skip
    many = run("permutation", [], [((5000,), "i64")], "i64", key=42)[0].value  # two rounds
    assert many[:8].tolist() == [3825, 3150, 2972, 2921, 1203, 2981, 4024, 2362]
    assert int((many * np.arange(5000)).sum()) == 31262781809


def test_categorical_is_that_of_jax() -> None:
    # jax.random.categorical of JAX 0.10.2, key [0, 7].
    logits = np.linspace(-2, 2, 60).reshape(5, 12).astype(np.float32).astype(np.float64)
    rows = run("categorical", [logits], [((5,), "i64")], "f32", key=7)[0].value
    assert rows.tolist() == [1, 7, 11, 9, 9]
    columns = run("categorical", [logits], [((12,), "i64")], "f32", key=7, axis=0)[0].value
    assert columns.tolist() == [4, 0, 1, 4, 4, 4, 2, 1, 2, 4, 4, 2]


def test_unique_is_that_of_numpy(seed: int) -> None:
    x = np.random.default_rng(seed).integers(-5, 6, (7, 9)).astype(np.float64)
    x[0, :3] = np.nan
    found = run("unique", [x], [((63,), "f64"), ((63,), "i64"), ((7, 9), "i64"), ((), "i64")])
    values, counts, inverse, count = (e.value for e in found)
    want, where, often = np.unique(x, return_inverse=True, return_counts=True)
    assert int(count) == want.size
    np.testing.assert_array_equal(values[: want.size], want)
    np.testing.assert_array_equal(counts[: want.size], often)
    np.testing.assert_array_equal(inverse, where.reshape(x.shape))
    assert not values[want.size :].any() and not counts[want.size :].any()


@pytest.mark.parametrize("mode", range(4))
def test_pad_is_that_of_numpy(seed: int, mode: int) -> None:
    x = np.random.default_rng(seed).standard_normal((3, 4))
    got = run("pad", [x], [((9, 15), "f64")], before=(4, 5), mode=mode, value=2.5)[0].value
    named: Any = ("constant", "edge", "reflect", "wrap")[mode]
    extra = {"constant_values": 2.5} if mode == 0 else {}
    np.testing.assert_array_equal(got, np.pad(x, [(4, 2), (5, 6)], named, **extra))


def test_running_logsumexp_is_that_of_prefixes(seed: int) -> None:
    x = np.random.default_rng(seed).standard_normal((3, 20)) * 30
    x[1, :4] = -np.inf
    value = run("logcumsumexp", [x], [((3, 20), "f64")])[0].value
    prefixes = [[np.logaddexp.reduce(row[: i + 1]) for i in range(20)] for row in x]
    np.testing.assert_allclose(value, prefixes, rtol=1e-14)


def test_inverse_error_function_turns_erf_around() -> None:
    x = np.concatenate([np.linspace(-0.999999, 0.999999, 501), [1e-300, 1e-9, 0.3, -0.5]])
    y = run("erfinv", [x], [(x.shape, "f64")])[0].value
    back = np.array([math.erf(v) for v in y])
    np.testing.assert_allclose(back, x, rtol=2e-15)
    ends = run("erfinv", [np.array([1.0, -1.0, 1.5])], [((3,), "f64")])[0].value
    assert ends[0] == np.inf and ends[1] == -np.inf and np.isnan(ends[2])


CONV: dict[str, Any] = {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2}


def _conv(x: Any, w: Any) -> Any:
    y = shapes.outputs(registry.load().get("conv"), [x.shape, w.shape], CONV)[0]
    return run("conv", [x, w, None], [(y, "f64")], **CONV)[0].value


def test_convolution_is_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((2, 6, 7, 4)), rng.standard_normal((6, 3, 2, 2))
    y = _conv(x, w)
    (s0, s1), (p0, p1), (d0, d1) = CONV["stride"], CONV["padding"], CONV["dilation"]
    for n, i, j, o in itertools.product(*map(range, y.shape)):
        total = 0.0
        for a, b, c in itertools.product(range(3), range(2), range(2)):
            r, q = i * s0 + a * d0 - p0, j * s1 + b * d1 - p1
            if 0 <= r < 6 and 0 <= q < 7:
                total += x[n, r, q, (o // 3) * 2 + c] * w[o, a, b, c]
        assert y[n, i, j, o] == pytest.approx(total, abs=1e-12)


def test_gradients_of_convolution_are_its_adjoints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((2, 6, 7, 4)), rng.standard_normal((6, 3, 2, 2))
    y = rng.standard_normal(_conv(x, w).shape)
    inner = float((_conv(x, w) * y).sum())
    dx = run("conv_backward_input", [y, w], [(x.shape, "f64")], **CONV)[0].value
    dw = run("conv_backward_weight", [x, y], [(w.shape, "f64")], **CONV)[0].value
    assert float((dx * x).sum()) == pytest.approx(inner, rel=1e-12)
    assert float((dw * w).sum()) == pytest.approx(inner, rel=1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_of_attention_by_differences(seed: int, causal: bool) -> None:
    rng = np.random.default_rng(seed)
    q, kv, mask = (1, 2, 4, 3), (1, 1, 5, 3), rng.random((4, 5)) < 0.7
    arrays = [rng.standard_normal(s) for s in (q, kv, kv)]
    dout, bias = rng.standard_normal(q), rng.standard_normal((2, 1, 5))

    def value(*given: Any) -> float:
        out = run("attention", [*given, mask, bias], [(q, "f64")], causal=causal)[0].value
        return float((out * dout).sum())

    found = run("attention_backward", [*arrays, dout, mask, bias],
                [(q, "f64"), (kv, "f64"), (kv, "f64")], causal=causal)  # fmt: skip
    for which, expected in enumerate(found):
        direction = rng.standard_normal(arrays[which].shape)
        step = [np.zeros(())] * 3
        step[which] = direction * 1e-6
        ahead = value(*(a + s for a, s in zip(arrays, step, strict=True)))
        behind = value(*(a - s for a, s in zip(arrays, step, strict=True)))
        slope = float((expected.value * direction).sum())
        assert (ahead - behind) / 2e-6 == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_shapes_that_do_not_fit_are_errors_with_a_hint() -> None:
    ops = registry.load()
    wrong: list[tuple[str, list[tuple[int, ...]], dict[str, Any]]] = [
        ("concatenate", [(2, 3), (2, 4)], {"axis": 0}),
        ("pad", [(2, 3)], {"before": (1,), "after": ()}),
        ("pad", [(2, 3)], {"before": -1, "after": ()}),
        ("conv", [(2, 3, 4), (5, 9, 4)], {"groups": 1}),
        ("conv", [(2, 3, 4), (5, 1, 1, 4)], {"groups": 1}),
        ("conv", [(2, 3, 4), (5, 1, 4)], {"groups": 1, "stride": (1, 1)}),
        ("conv_backward_weight", [(2, 3, 4), (2, 3, 5)], {"groups": 1}),
    ]
    for name, given, params in wrong:
        with pytest.raises(OpShapeError) as caught:
            shapes.outputs(ops.get(name), given, params)
        assert caught.value.hint


def test_shapes_of_convolutions_fit_each_other() -> None:
    ops = registry.load()
    x, w = (2, 9, 11, 4), (6, 3, 2, 2)
    y = shapes.outputs(ops.get("conv"), [x, w], CONV)[0]
    assert y == (2, 5, 13, 6)
    back = shapes.outputs(ops.get("conv_backward_input"), [y, w], {**CONV, "size": (9, 11)})[0]
    assert back == x
    dw = shapes.outputs(ops.get("conv_backward_weight"), [x, y], {**CONV, "size": (3, 2)})[0]
    assert dw == w
