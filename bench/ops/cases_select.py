"""Benchmark cases of joins, selections, scatters, searches and random choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from case import Case
from device import Array, Device

Make = Callable[[Any], Callable[[], Any]]


def _torch(make: Callable[[Any], tuple[Any, ...]], run: Callable[..., Any]) -> Make:
    """PyTorch's call on arrays that are made once; `run` gets torch and them."""

    def start(t: Any) -> Callable[[], Any]:
        arrays = make(t)
        return lambda: run(t, *arrays)

    return start


def cases(d: Device, side: int) -> Iterator[Case]:
    """The cases; a case's arrays are freed before the next one."""
    n = side * side
    shape, half = (side, side), (side // 2, side)

    def square(t: Any) -> Any:
        return t.rand(shape, device="cuda")

    a, b = d.random(half, seed=1), d.random(half, seed=2)
    none = [None] * 6
    yield Case(
        "concatenate_rows_f32",
        [d.bind("concatenate", a, b, *none, Array(d, shape, "f32"), axis=0)],
        n * 8,
        _torch(lambda t: square(t).chunk(2), lambda t, x, y: t.cat((x, y))),
    )
    a, b = d.random((side, side // 2), seed=1), d.random((side, side // 2), seed=2)
    yield Case(
        "concatenate_cols_f32",
        [d.bind("concatenate", a, b, *none, Array(d, shape, "f32"), axis=1)],
        n * 8,
        _torch(lambda t: square(t).t().chunk(2), lambda t, x, y: t.cat((x.t(), y.t()), 1)),
    )
    x, padded = d.random(shape), Array(d, (side + 2, side + 2), "f32")
    for mode in ("constant", "reflect"):
        yield Case(
            f"pad_{mode}_f32",
            [d.bind("pad", x, padded, before=[1, 1], mode=mode)],
            n * 8,
            _torch(
                lambda t: (square(t)[None],),
                lambda t, y, m=mode: t.nn.functional.pad(y, (1, 1, 1, 1), m),
            ),
        )
        x, padded = d.random(shape), Array(d, (side + 2, side + 2), "f32")
    x, mask, out = d.random(shape), Array(d, shape, "bool"), Array(d, shape, "f32")
    d.bind("greater", x, d.scalar(0.0, "f32"), mask)()
    yield Case(
        "masked_fill_f32",
        [d.bind("masked_fill", x, mask, out, value=2.0)],
        n * 9,
        _torch(lambda t: (square(t), square(t) > 0.5), lambda t, y, m: y.masked_fill(m, 2.0)),
    )
    x, mask = d.random(shape), Array(d, shape, "bool")
    d.bind("greater", x, d.scalar(0.0, "f32"), mask)()
    found, count = Array(d, (n,), "f32"), Array(d, (), "i64")
    yield Case(
        "masked_select_f32",
        [d.bind("masked_select", x, mask, found, count)],
        n * 9,
        _torch(lambda t: (square(t), square(t) > 0.5), lambda t, y, m: y.masked_select(m)),
    )
    keys = n // 4
    x, values = d.random((keys,)), Array(d, (keys,), "f32")
    counts, inverse, count = (Array(d, s, "i64") for s in ((keys,), (keys,), ()))
    yield Case(
        "unique_16m_f32",
        [d.bind("unique", x, values, counts, inverse, count)],
        keys * 24,
        _torch(lambda t: (t.rand(keys, device="cuda"),),
               lambda t, y: y.unique(return_inverse=True, return_counts=True)),
    )  # fmt: skip
    rows, at, updates = d.random(shape), d.indices(side, side), d.random(shape, seed=9)
    yield Case(
        "scatter_max_rows_f32",
        [d.bind("scatter_max", at, updates, rows)],
        n * 12,
        _torch(
            lambda t: (square(t), t.randint(0, side, (side,), device="cuda"), square(t)),
            lambda t, y, i, u: y.index_reduce_(0, i, u, "amax"),
        ),
    )
    rows, updates = d.random(shape), d.random(shape, seed=9)
    bits = d.indices(n, side).view(side, side)
    yield Case(
        "add_along_rows_f32",
        [d.bind("add_along", bits, updates, rows)],
        n * 20,
        _torch(
            lambda t: (square(t), t.randint(0, side, shape, device="cuda"), square(t)),
            lambda t, y, i, u: y.scatter_add_(1, i, u),
        ),
    )
    ordered, wanted = Array(d, (keys // 16,), "f32"), d.random((keys,), seed=3)
    d.bind("sort", d.random((keys // 16,)), ordered)()
    yield Case(
        "searchsorted_16m_in_1m",
        [d.bind("searchsorted", ordered, wanted, None, Array(d, (keys,), "i64"))],
        keys * 12,
        _torch(
            lambda t: (t.rand(keys // 16, device="cuda").sort()[0], t.rand(keys, device="cuda")),
            lambda t, s, v: t.searchsorted(s, v),
        ),
    )
    yield Case(
        "logcumsumexp_rows_f32",
        [d.bind("logcumsumexp", d.random(shape), Array(d, shape, "f32"))],
        n * 8,
        _torch(lambda t: (square(t),), lambda t, y: y.logcumsumexp(1)),
    )
    yield Case(
        "categorical_rows_f32",
        [d.bind("categorical", d.random(shape), Array(d, (side,), "i64"), key=3)],
        n * 4,
        _torch(
            lambda t: (square(t).log_softmax(1).exp(),),
            lambda t, p: t.multinomial(p, 1),
        ),
    )
    yield Case(
        "permutation_16m",
        [d.bind("permutation", Array(d, (keys,), "i64"), key=3)],
        keys * 8,
        _torch(lambda t: (), lambda t: t.randperm(keys, device="cuda")),
    )
    for op, name in (("erfinv", "erfinv"), ("round_decimals", "round")):
        params: dict[str, Any] = {"decimals": 2} if name == "round" else {}
        yield Case(
            f"{op}_f32",
            [d.bind(op, d.random(shape), Array(d, shape, "f32"), **params)],
            n * 8,
            _torch(lambda t: (square(t),),
                   lambda t, y, f=name, p=params: getattr(t, f)(y, **p)),
        )  # fmt: skip
    yield Case(
        "floor_divide_f32",
        [d.bind("floor_divide", d.random(shape), d.random(shape, seed=2), Array(d, shape, "f32"))],
        n * 12,
        _torch(lambda t: (square(t), square(t)), lambda t, x, y: x.floor_divide(y)),
    )
