"""Benchmark cases of attention, convolutions and products with quantised matrices.

They are bound by arithmetic: the floor is that of the bytes, for orientation only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from case import Case
from device import Array, Device

OTHER = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}


def cases(d: Device, side: int) -> Iterator[Case]:
    """The cases; a case's arrays are freed before the next one."""
    yield from _attention(d, max(side // 4, 1))
    yield from _conv(d, max(side // 256, 1))
    yield from _quantized(d, side // 2)


def _attention(d: Device, rows: int) -> Iterator[Case]:
    for width, dtype in ((64, "f32"), (128, "bf16"), (80, "bf16")):
        shape = (4, 16, rows, width)

        def arrays(dtype: str = dtype, shape: tuple[int, ...] = shape) -> list[Array]:
            return [d.random(shape, dtype, seed=s) for s in (1, 2, 3, 4)]

        def made(t: Any, dtype: str = dtype, shape: tuple[int, ...] = shape) -> list[Any]:
            kind = getattr(t, OTHER[dtype])
            return [t.randn(shape, device="cuda", dtype=kind, requires_grad=True) for _ in "qkv"]

        def forward(t: Any, made: Callable[[Any], list[Any]] = made) -> Callable[[], Any]:
            parts = [x.detach() for x in made(t)]
            return lambda: t.nn.functional.scaled_dot_product_attention(*parts, is_causal=True)

        def backward(t: Any, made: Callable[[Any], list[Any]] = made) -> Callable[[], Any]:
            parts = made(t)
            out = t.nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
            grown = t.ones_like(out)
            return lambda: t.autograd.grad(out, parts, grown, retain_graph=True)

        q, k, v, dout = arrays()
        out = Array(d, shape, dtype)
        yield Case(
            f"attention_{width}_{dtype}",
            [d.bind("attention", q, k, v, None, None, out, causal=True)],
            4 * q.nbytes,
            forward,
        )
        q, k, v, dout = arrays()
        grads = [Array(d, shape, dtype) for _ in range(3)]
        yield Case(
            f"attention_back_{width}_{dtype}",
            [d.bind("attention_backward", q, k, v, dout, None, None, *grads, causal=True)],
            7 * q.nbytes,
            backward,
        )


def _conv(d: Device, images: int) -> Iterator[Case]:
    for name, channels, filters, groups in (("", 64, 128, 1), ("_depthwise", 256, 256, 256)):
        for dtype in ("f32", "bf16"):
            x_shape, y_shape = (images, 56, 56, channels), (images, 56, 56, filters)
            w_shape = (filters, 3, 3, channels // groups)
            params = {"padding": [1, 1], "groups": groups}

            def ours(op: str, *shapes: tuple[int, ...], dtype: str = dtype,
                     params: dict[str, Any] = params) -> list[Callable[[], None]]:  # fmt: skip
                arrays: list[Array | None] = [d.random(s, dtype, seed=i)
                                              for i, s in enumerate(shapes[:2])]  # fmt: skip
                none = [None] if op == "conv" else []
                return [d.bind(op, *arrays, *none, Array(d, shapes[2], dtype), **params)]

            def torchs(which: int, c: int = channels, f: int = filters, g: int = groups,
                       dtype: str = dtype) -> Callable[[Any], Callable[[], Any]]:  # fmt: skip
                def make(t: Any) -> Callable[[], Any]:
                    kind = getattr(t, OTHER[dtype])
                    last = t.channels_last
                    x = t.randn(images, c, 56, 56, device="cuda", dtype=kind).to(memory_format=last)
                    w = t.randn(f, c // g, 3, 3, device="cuda", dtype=kind).to(memory_format=last)
                    y = t.nn.functional.conv2d(x, w, padding=1, groups=g)
                    wanted = (which == 1, which == 2, False)
                    back = t.ops.aten.convolution_backward
                    if which == 0:
                        return lambda: t.nn.functional.conv2d(x, w, padding=1, groups=g)
                    return lambda: back(y, x, w, None, (1, 1), (1, 1), (1, 1), False, (0, 0), g,
                                        wanted)  # fmt: skip

                return make

            size = 2 if dtype == "bf16" else 4
            moved = images * 56 * 56 * (channels + filters) * size
            for which, (op, short, *shapes) in enumerate(
                (
                    ("conv", "conv", x_shape, w_shape, y_shape),
                    ("conv_backward_input", "conv_by_x", y_shape, w_shape, x_shape),
                    ("conv_backward_weight", "conv_by_w", x_shape, y_shape, w_shape),
                )
            ):
                calls = ours(op, *shapes)
                yield Case(f"{short}{name}_{dtype}", calls, moved, torchs(which))


def _quantized(d: Device, n: int) -> Iterator[Case]:
    for bits, code in ((8, "i8"), (4, "u8")):
        weight = d.random((n, n), "bf16")
        q, scale = Array(d, (n, n * bits // 8), code), Array(d, (n, n // 64), "f32")
        d.bind(f"quantize_int{bits}", weight, q, scale)()
        x, out = d.random((256, n), "bf16", seed=2), Array(d, (256, n), "bf16")
        yield Case(
            f"matmul_int{bits}_256x{n}",
            [d.bind(f"matmul_int{bits}", x, q, scale, out)],
            q.nbytes + scale.nbytes + 2 * x.nbytes,
        )
