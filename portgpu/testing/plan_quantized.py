"""Good cases of quantised arrays and of attention over a cache, by `shape` rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from portgpu.testing.cases import Builder, Shape

Parts = tuple[list[Shape | None], list[Shape], dict[str, Any]]


def _packed(b: Builder, shape: Shape, group: int) -> tuple[Shape, Shape]:
    """Shapes of the codes and of the scales that stand for an array of `shape`."""
    per = 2 if b.op.name.endswith("int4") else 1
    return (*shape[:-1], shape[-1] // per), (*shape[:-1], shape[-1] // group)


_SHAPES: list[tuple[Shape, int]] = [
    ((64,), 64), ((3, 128), 32), ((5, 96), 8), ((2, 3, 64), 16), ((0, 32), 32), ((129, 256), 128),
    ((7, 1032), 1032), ((2, 3, 2, 40), 8),
]  # fmt: skip


def _quantize(b: Builder) -> None:
    def one(label: str, shape: Shape, group: int, **more: Any) -> None:
        b.add(label, [shape], _packed(b, shape, group), **more)

    for shape, group in _SHAPES if b.first else b.pick(_SHAPES, 3):
        one(f"shape-{'x'.join(map(str, shape))}-{group}", shape, group, repeat=True)
    for fill in ("zeros", "medium", "with-nan", "small", "wide"):
        one(fill, (9, 128), 32, fill=fill)
    b.layouts("2d", [(33, 64)], [*_packed(b, (33, 64), 32)])


def _dequantize(b: Builder) -> None:
    def one(label: str, shape: Shape, group: int, **more: Any) -> None:
        b.add(label, _packed(b, shape, group), [shape], fill=["range", "normal"], **more)

    for shape, group in _SHAPES if b.first else b.pick(_SHAPES, 3):
        one(f"shape-{'x'.join(map(str, shape))}-{group}", shape, group)
    b.layouts("2d", [*_packed(b, (33, 64), 32)], [(33, 64)], fill=["range", "normal"])


def _matvec(b: Builder) -> None:
    def parts(rows: int, length: int, group: int) -> list[Shape | None]:
        codes, scales = _packed(b, (rows, length), group)
        return [codes, scales, (length,)]

    fill = ["range", "normal", "normal"]
    sizes = [(1, 8, 8), (9, 64, 32), (257, 256, 64), (33, 1032, 8), (5, 4096, 128), (0, 64, 32)]
    for rows, length, group in sizes if b.first else b.pick(sizes, 3):
        inputs = parts(rows, length, group)
        b.add(f"{rows}x{length}-{group}", inputs, [(rows,)], fill=fill, repeat=rows == 257)
    b.layouts("2d", parts(33, 64, 32), [(33,)], fill=fill)


def _matmul_parts(
    b: Builder, rows: Shape, length: int, filters: int, group: int
) -> tuple[list[Shape | None], list[Shape]]:
    codes, scales = _packed(b, (filters, length), group)
    return [(*rows, length), codes, scales], [(*rows, filters)]


def _matmul(b: Builder) -> None:
    fill = ["normal", "range", "normal"]
    sizes: list[tuple[Shape, int, int, int]] = [
        ((1,), 8, 1, 8), ((33,), 64, 65, 32), ((5,), 264, 127, 88), ((129,), 128, 9, 64),
        ((2, 3, 5), 96, 33, 8), ((), 64, 40, 16), ((0,), 32, 5, 8), ((7,), 4096, 3, 128),
    ]  # fmt: skip
    for rows, length, filters, group in sizes if b.first else b.pick(sizes, 3):
        parts = _matmul_parts(b, rows, length, filters, group)
        text = "x".join(map(str, rows)) or "one"
        b.add(f"{text}-{length}-{filters}", *parts, fill=fill, repeat=filters == 65)
    b.layouts("2d", *_matmul_parts(b, (33,), 64, 17, 32), fill=fill)
    b.layouts("4d", *_matmul_parts(b, (2, 3, 5), 32, 9, 16), fill=fill)


def _attention(b: Builder) -> None:
    def one(
        label: str, batch: int, heads: int, shared: int, keys: int, width: int, **more: Any
    ) -> None:
        q = (batch, heads, width)
        kv = (batch, heads // shared, keys, width)
        params = {"scale": more.pop("scale", 0.0)}
        b.add(label, [q, kv, kv], [q], params, **more)

    for size in b.sizes:
        if size:
            one(f"keys{size}", 1, 2, 1, size, 33)
    for width in (1, 31, 64, 65, 128, 255, 256):
        one(f"width{width}", 2, 3, 1, 37, width)
    one("shared", 2, 8, 4, 70, 64, repeat=True)
    one("one-key-head", 3, 5, 5, 17, 40)
    one("parts", 1, 2, 2, 2100, 64, repeat=True)
    one("scale", 1, 2, 1, 65, 32, scale=0.5)
    one("sharp", 1, 2, 1, 300, 32, scale=40.0)
    one("none", 0, 2, 1, 5, 8)
    one("with-nan", 2, 2, 1, 33, 16, fill=["normal", "with-nan", "normal"])
    kv: Shape = (2, 2, 33, 20)
    b.layouts("2d", [(2, 4, 20), kv, kv], [(2, 4, 20)], {"scale": 0.0})


RULES: dict[str, Callable[[Builder], None]] = {
    "quantize": _quantize,
    "dequantize": _dequantize,
    "quantized_matvec": _matvec,
    "quantized_matmul": _matmul,
    "attention_decode": _attention,
}

TYPICAL: dict[str, Callable[[Builder], Parts]] = {
    "quantize": lambda b: ([(6, 32)], list(_packed(b, (6, 32), 16)), {}),
    "dequantize": lambda b: ([*_packed(b, (6, 32), 16)], [(6, 32)], {}),
    "quantized_matmul": lambda b: (*_matmul_parts(b, (6,), 32, 5, 16), {}),
    "quantized_matvec": lambda b: ([*_packed(b, (6, 32), 16), (32,)], [(6,)], {}),
    "attention_decode": lambda b: (
        [(2, 4, 10), (2, 2, 6, 10), (2, 2, 6, 10)],
        [(2, 4, 10)],
        {"scale": 0.0},
    ),
}
