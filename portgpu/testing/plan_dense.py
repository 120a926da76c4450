"""Good cases of attention, convolutions and products of quantised matrices, by `shape` rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from portgpu.testing.cases import Builder, Shape

Parts = tuple[list[Shape | None], list[Shape], dict[str, Any]]


def attention_parts(
    b: Builder, q: Shape, kv: Shape, mask: Shape | None, bias: Shape | None
) -> tuple[list[Shape | None], list[Shape]]:
    if "backward" in b.op.name:
        return [q, kv, kv, q, mask, bias], [q, kv, kv]
    return [q, kv, kv, mask, bias], [q]


def _attention(b: Builder) -> None:
    def one(
        label: str,
        batch: int,
        heads: int,
        shared: int,
        queries: int,
        keys: int,
        width: int,
        mask: Shape | None = None,
        bias: Shape | None = None,
        causal: bool = False,
        scale: float = 0.0,
        fill: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        kv = (batch, heads // shared, keys, width)
        inputs, outputs = attention_parts(b, (batch, heads, queries, width), kv, mask, bias)
        fills = [(fill or {}).get(t.name, "normal") for t in b.op.inputs]
        params = {"scale": scale, "causal": causal}
        b.add(label, inputs, outputs, params, fill=fills, **more)

    sizes = [n for n in b.sizes if n < 300 or b.level == "full"]
    for size in sizes:
        one(f"queries{size}", 1, 2, 1, size, 33, 16, causal=size % 2 == 1)
        if size:
            one(f"keys{size}", 1, 2, 2, 17, size, 20)
    for width in b.pick([1, 31, 64, 65, 80, 128], 2):
        one(f"width{width}", 1, 2, 1, 37, 70, width, causal=True)
    one("heads", 2, 6, 3, 66, 40, 32, repeat=True)
    one("causal-more-keys", 1, 1, 1, 40, 130, 16, causal=True, repeat=True)
    one("causal-fewer-keys", 1, 1, 1, 130, 40, 16, causal=True)
    one("scale", 1, 2, 1, 9, 65, 32, scale=0.5)
    one("mask", 2, 2, 1, 33, 70, 16, mask=(2, 1, 33, 70))
    one("mask-keys", 2, 2, 1, 33, 70, 16, mask=(70,))
    one("mask-all", 1, 2, 1, 9, 33, 16, mask=(1, 1), fill={"mask": "zeros"})
    one("bias", 2, 2, 1, 33, 70, 16, bias=(2, 33, 70), causal=True)
    one("bias-masked", 1, 2, 1, 18, 33, 16, bias=(18, 33), fill={"bias": "masked"})
    one("both", 1, 2, 1, 18, 33, 16, mask=(18, 33), bias=(33,))
    one("none", 0, 2, 1, 5, 7, 8)
    if "backward" not in b.op.name:
        one("with-nan", 1, 2, 1, 9, 33, 16, fill={"k": "with-nan"})
        one("sharp", 1, 2, 1, 18, 70, 32, scale=40.0)
    kv = (2, 1, 33, 24)
    inputs, outputs = attention_parts(b, (2, 2, 20, 24), kv, (20, 33), None)
    b.layouts("4d", inputs, outputs, {"scale": 0.0, "causal": False})


Ints = tuple[int, ...]


def conv_parts(
    b: Builder, x: Shape, kernel: Ints, filters: int, stride: Ints | None, padding: Ints | None,
    dilation: Ints | None, groups: int, bias: bool,
) -> Parts:  # fmt: skip
    spatial = len(kernel)
    steps, pads, gaps = (
        stride or (1,) * spatial,
        padding or (0,) * spatial,
        dilation or (1,) * spatial,
    )
    places = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(x[1:-1], kernel, steps, pads, gaps, strict=True)
    )
    y, w = (x[0], *places, filters), (filters, *kernel, x[-1] // groups)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    if b.op.name == "conv":
        return [x, w, (filters,) if bias else None], [y], params
    if b.op.name == "conv_backward_input":
        return [y, w], [x], params
    return [x, y], [w], params


def _conv(b: Builder) -> None:
    def one(label: str, x: Shape, kernel: Ints, filters: int, stride: Ints | None = None,
            padding: Ints | None = None, dilation: Ints | None = None, groups: int = 1,
            bias: bool = False, **more: Any) -> None:  # fmt: skip
        parts = conv_parts(b, x, kernel, filters, stride, padding, dilation, groups, bias)
        b.add(label, *parts, **more)

    for size in b.sizes:
        if 0 < size < 2000:
            one(f"places{size}", (2, size, 3), (1,), 5, padding=(size % 2,))
            one(f"channels{size}", (1, 6, size), (3,), 4, padding=(1,))
    for size in b.pick([1, 33, 63, 65, 129], 2):
        one(f"filters{size}", (2, 9, 4), (3,), size, stride=(2,), bias=True)
    one("2d", (2, 13, 17, 5), (3, 3), 7, padding=(1, 1), bias=True, repeat=True)
    one("2d-stride", (2, 14, 17, 6), (3, 2), 9, stride=(2, 3), padding=(1, 0))
    one("2d-dilation", (1, 21, 19, 4), (3, 3), 6, padding=(2, 3), dilation=(2, 3))
    one("2d-all", (2, 23, 20, 8), (4, 3), 12, (3, 2), (2, 1), (2, 3), groups=4, repeat=True)
    one("depthwise", (2, 15, 14, 24), (3, 3), 24, padding=(1, 1), groups=24, bias=True)
    one("depthwise-twice", (2, 9, 8, 6), (3, 3), 12, padding=(1, 1), groups=6)
    one("depthwise-long", (3, 41, 40, 40), (3, 1), 40, padding=(1, 0), groups=40, repeat=True)
    # Depthwise with 16 bytes of channels at a time: each kernel, and what none is made for.
    for k, step, gap in (
        (3, 1, 1),
        (3, 2, 1),
        (5, 1, 1),
        (5, 2, 1),
        (7, 1, 1),
        (7, 2, 1),
        (3, 1, 2),
        (2, 3, 1),
    ):
        pad = gap * (k // 2)
        one(f"lanes{k}-step{step}-gap{gap}", (2, 17, 15, 16), (k, k), 16, (step, step), (pad, pad),
            (gap, gap), 16, bias=gap == 1)  # fmt: skip
    one("lanes-1d", (3, 37, 272), (3,), 272, padding=(2,), groups=272, bias=True)
    one("lanes-3d", (1, 5, 6, 7, 24), (2, 3, 3), 24, (1, 2, 1), (1, 0, 1), (2, 1, 1), 24)
    one("lanes-far", (2, 3, 5, 16), (3, 3), 16, padding=(4, 6), groups=16)
    one(
        "lanes-exact",
        (2, 12, 13, 32),
        (3, 3),
        32,
        padding=(1, 1),
        groups=32,
        fill="small",
        exact=True,
    )
    b.layouts("lanes", *conv_parts(b, (2, 9, 10, 16), (3, 3), 16, (1, 2), (1, 1), None, 16, True))
    one("pointwise", (2, 8, 9, 70), (1, 1), 66)
    one("whole", (3, 5, 6, 4), (5, 6), 5)
    # Eight channels at a time: large and small tiles, steps, gaps and groups.
    one("wide", (1, 16, 17, 24), (3, 3), 72, padding=(1, 1), bias=True)
    one("wide-all", (2, 19, 16, 32), (3, 2), 40, (2, 1), (2, 1), (2, 3), groups=2, bias=True)
    one("wide-odd", (3, 70, 16), (5,), 67, padding=(4,), dilation=(2,))
    one("wide-both", (2, 13, 12, 144), (3, 2), 272, (1, 2), (1, 0), groups=2, bias=True)
    one("wide-long", (3, 1500, 40), (3,), 72, padding=(1,), repeat=True)
    one("far-padding", (1, 4, 3), (3,), 2, stride=(2,), padding=(5,))
    one("3d", (1, 5, 6, 7, 3), (2, 3, 2), 4, (1, 2, 1), (1, 0, 1), (1, 1, 2))
    one("long", (4, 3001, 3), (5,), 4, stride=(2,), padding=(2,), repeat=True)
    one("no-batch", (0, 9, 4), (3,), 5)
    one("exact", (2, 12, 13, 6), (3, 3), 8, padding=(1, 1), fill="small", exact=True)
    parts = conv_parts(b, (2, 9, 10, 4), (3, 3), 6, (1, 2), (1, 1), None, 2, True)
    b.layouts("2d", *parts)


RULES: dict[str, Callable[[Builder], None]] = {
    "conv": _conv,
    "attention": _attention,
}


def _typical_attention(b: Builder) -> Parts:
    inputs, outputs = attention_parts(b, (2, 4, 5, 10), (2, 2, 6, 10), None, None)
    return inputs, outputs, {"scale": 0.0, "causal": False}


TYPICAL: dict[str, Callable[[Builder], Parts]] = {
    "conv": lambda b: conv_parts(b, (2, 9, 10, 4), (3, 3), 6, (1, 2), (1, 1), None, 2, True),
    "attention": _typical_attention,
}

# Shapes that do not fit in the typical call, by tensor.
WRONG: dict[str, dict[str, dict[str, Shape]]] = {
    "quantized_matmul": {
        "x": {"longer": (6, 33), "scalar": ()},
        "q": {"longer": (5, 40), "flat": (32,), "more-rows": (6, 32)},
        "scale": {"other-groups": (5, 3), "more-rows": (6, 2)},
        "out": {"longer": (6, 6), "more-rows": (7, 5), "deeper": (1, 6, 5)},
    },
    "put_along": {
        "indices": {"longer": (6, 5), "more-rows": (7, 4), "deeper": (1, 6, 4)},
        "updates": {"longer": (6, 5), "flat": (24,)},
        "out": {"more-rows": (7, 10), "deeper": (1, 6, 10)},
    },
    "conv": {
        "x": {"channels": (2, 9, 10, 6), "flat": (9, 10, 4), "long": (2, 11, 10, 4)},
        "weight": {"channels": (6, 3, 3, 4), "filters": (8, 3, 3, 2), "large": (6, 13, 3, 2)},
        "bias": {"longer": (7,), "deeper": (1, 6)},
        "out": {"places": (2, 9, 6, 6), "batch": (3, 9, 5, 6), "flat": (9, 5, 6)},
        "dout": {"places": (2, 9, 6, 6), "batch": (3, 9, 5, 6), "flat": (9, 5, 6)},
        "dx": {"long": (2, 11, 10, 4), "channels": (2, 9, 10, 6)},
        "dweight": {"channels": (6, 3, 3, 4), "large": (6, 4, 3, 2)},
    },
    "attention": {
        "q": {"heads": (2, 3, 5, 10), "batch": (3, 4, 5, 10), "flat": (4, 5, 10)},
        "k": {"keys": (2, 2, 7, 10), "width": (2, 2, 6, 11), "flat": (2, 6, 10)},
        "v": {"keys": (2, 2, 7, 10), "heads": (2, 4, 6, 10)},
        "dout": {"queries": (2, 4, 6, 10), "flat": (4, 5, 10)},
        "out": {"queries": (2, 4, 6, 10), "deeper": (1, 2, 4, 5, 10)},
        "dq": {"queries": (2, 4, 6, 10)},
        "dk": {"heads": (2, 4, 6, 10)},
        "dv": {"heads": (2, 4, 6, 10)},
    },
}
