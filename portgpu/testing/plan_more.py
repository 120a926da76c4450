"""Good cases that a shape rule itself leaves out: special values, many rows, whole numbers and
lengths. `coverage` says which points of the plan an op has.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from portgpu.testing import plan_dense
from portgpu.testing.cases import Builder, Case, Shape
from portgpu.testing.values import ArraySpec

MANY_ROWS = 65_539  # more than a grid's y and z extents; a prime

# By op or shape rule: values, and the inputs that get them. Ops that select or move values get all
# special ones, others NaN and infinities; only NaN where the order of sums decides what cancels.
_SPECIAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "take": ("special", ("x",)),
    "take_along": ("special", ("x",)),
    "put_along": ("special", ("updates",)),
    "masked_scatter": ("special", ("source",)),
    "softmax_backward": ("with-nan", ("y", "dy")),
    "norm_backward": ("nans", ("x", "weight", "dy")),
    "cross_entropy": ("with-nan", ("logits",)),
    "cross_entropy_backward": ("with-nan", ("logits", "dloss")),
    "rope": ("with-nan", ("x",)),
    "dequantize": ("with-nan", ("scale",)),
    "quantized_matvec": ("nans", ("scale", "x")),
    "quantized_matmul": ("nans", ("x", "scale")),
    "conv_backward_input": ("with-nan", ("dout",)),
    "conv": ("with-nan", ("x", "bias")),  # weights and dout may meet padding, whose zeros take part
    "logistic": ("nans", ("x", "y")),
}

# How far NaN spreads depends on the length of the transform.
UNDEFINED = ("fft", "rfft", "irfft")

# Rows beyond what a grid's y and z extents hold: for GPUs and `--full`.
_ROWS: dict[str, tuple[list[Shape | None], list[Shape], dict[str, Any]]] = {
    "topk": ([(MANY_ROWS, 3)], [(MANY_ROWS, 2)] * 2, {"axis": 1, "largest": True}),
    "partition": ([(MANY_ROWS, 3)], [(MANY_ROWS, 3)], {"kth": 1, "axis": 1}),
    "searchsorted": ([(MANY_ROWS, 3), (MANY_ROWS, 2), None], [(MANY_ROWS, 2)], {"right": True}),
    "take_along": ([(MANY_ROWS, 3), (MANY_ROWS, 2)], [(MANY_ROWS, 2)], {"axis": 1}),
    "put_along": ([(MANY_ROWS, 2), (MANY_ROWS, 2)], [(MANY_ROWS, 3)], {"axis": 1}),
    "softmax_backward": ([(MANY_ROWS, 3)] * 2, [(MANY_ROWS, 3)], {"axis": 1}),
    "norm_backward": ([(MANY_ROWS, 3), (3,), (MANY_ROWS, 3)], [(MANY_ROWS, 3), (3,), (3,)], {}),
    "matmul": ([(MANY_ROWS, 3), (3, 5)], [(MANY_ROWS, 5)], {}),
    "quantize": ([(MANY_ROWS, 8)], [], {}),
    "dequantize": ([], [(MANY_ROWS, 8)], {}),
    "quantized_matvec": ([], [(MANY_ROWS,)], {}),
    "quantized_matmul": ([], [(MANY_ROWS, 5)], {}),
    "fill": ([], [(MANY_ROWS, 3)], {}),
    "cross_entropy": ([(MANY_ROWS, 3), (MANY_ROWS,)], [(MANY_ROWS,)], {}),
    "cross_entropy_backward": ([(MANY_ROWS, 3), (MANY_ROWS,), (MANY_ROWS,)], [(MANY_ROWS, 3)], {}),
    "rope": ([(MANY_ROWS, 1, 4)], [(MANY_ROWS, 1, 4)], {}),
    "unique": ([(MANY_ROWS, 3)], [], {}),
    "masked_select": ([(MANY_ROWS, 3)], [], {}),
    "masked_scatter": ([(MANY_ROWS, 3), (MANY_ROWS * 3,)], [(MANY_ROWS, 3)], {}),
    "permutation": ([], [(MANY_ROWS,)], {"key": 7, "generator": 0}),
    "logistic": ([(MANY_ROWS, 3), (MANY_ROWS,)], [(3,)], {}),
    "attention_decode": ([(MANY_ROWS, 1, 8)] + [(MANY_ROWS, 1, 2, 8)] * 2, [(MANY_ROWS, 1, 8)], {}),
}


def generate(b: Builder, typical: Case) -> None:
    """Add the cases of the builder's op to those of its shape rule."""
    _special(b, typical)
    _many_rows(b, typical)
    _whole_numbers(b)
    _lengths(b)


def _special(b: Builder, typical: Case) -> None:
    fill, names = _SPECIAL.get(b.op.name) or _SPECIAL.get(b.op.shape, ("", ()))
    if not b.floating or b.op.name in UNDEFINED:
        return
    for position, (declared, spec) in enumerate(zip(b.op.inputs, typical.inputs, strict=True)):
        if declared.name in names and spec is not None:
            inputs = list(typical.inputs)
            inputs[position] = dataclasses.replace(spec, fill=fill)
            _add(b, typical, f"{fill}-{declared.name}", inputs=tuple(inputs))


def _many_rows(b: Builder, typical: Case) -> None:
    if not b.first or b.level == "quick":
        return
    if b.op.shape not in _ROWS:
        _grown(b, typical)
        return
    ins, outs, params = _ROWS[b.op.shape]
    per = 2 if b.op.name.endswith("int4") else 1
    packed: list[Shape] = [(MANY_ROWS, 8 // per), (MANY_ROWS, 1)]
    small: list[Shape | None] = [(5, 8 // per), (5, 1)]
    if b.op.shape == "quantize":
        outs = packed
    elif b.op.shape == "dequantize":
        ins = [*packed]
    elif b.op.shape == "quantized_matvec":
        ins = [*packed, (8,)]
    elif b.op.shape == "quantized_matmul":
        ins = [(MANY_ROWS, 8), *small]
    elif b.op.shape == "unique":
        outs = [(MANY_ROWS * 3,), (MANY_ROWS * 3,), (MANY_ROWS, 3), ()]
    elif b.op.shape == "masked_select":
        ins, outs = [(MANY_ROWS, 3)] * len(b.op.inputs), [(MANY_ROWS * 3,), ()]
    fills = ["normal"] * len(b.op.inputs)
    for i, declared in enumerate(b.op.inputs):
        kind = declared.dtypes[0] if declared.dtypes else ""
        if kind in ("i64", "i32"):
            fills[i] = "index=3"
        elif kind in ("i8", "u8"):
            fills[i] = "range"
        elif b.op.shape == "searchsorted" and i == 0:
            fills[i] = "ascending"
    outs = (outs * len(b.op.outputs))[: len(b.op.outputs)]
    b.add(f"rows{MANY_ROWS}", ins, outs, {**typical.params, **params}, fill=fills, heavy=True)


def _grown(b: Builder, typical: Case) -> None:
    """The typical call of a convolution, transform or attention with a batch of many."""
    if b.op.shape not in ("conv", "attention", "fft", "irfft"):
        return
    shared = {"weight", "bias", "dweight", "mask"}  # have no batch

    def grow(name: str, spec: ArraySpec | None) -> ArraySpec | None:
        if spec is None or name in shared:
            return spec
        return dataclasses.replace(spec, shape=(MANY_ROWS, *spec.shape[1:]))

    if b.op.name == "conv_backward_weight":
        return  # sums over the batch: no row of its own
    ins = tuple(grow(t.name, s) for t, s in zip(b.op.inputs, typical.inputs, strict=True))
    outs = tuple(s for t, o in zip(b.op.outputs, typical.outputs, strict=True)
                 if (s := grow(t.name, o)) is not None)  # fmt: skip
    _add(b, typical, f"rows{MANY_ROWS}", inputs=ins, outputs=outs, heavy=True)


def _whole_numbers(b: Builder) -> None:
    """Operands that are whole numbers or powers of two, so that the result is exact."""
    if b.op.name == "mean" and b.floating:
        b.add("exact", [(33, 256)], [(33,)], {"axes": (1,)}, fill="small", exact=True)
        b.add("exact-column", [(128, 33)], [(33,)], {"axes": (0,)}, fill="small", exact=True)
    per = 2 if b.op.name.endswith("int4") else 1
    codes, scales = (33, 64 // per), (33, 2)
    if b.op.shape == "dequantize":
        b.add("exact", [codes, scales], [(33, 64)], fill=["range", "ones"], exact=True)
    elif b.op.shape == "quantized_matvec":
        fill = ["range", "ones", "small"]
        b.add("exact", [codes, scales, (64,)], [(33,)], fill=fill, exact=b.dtype == "f32")
    elif b.op.shape == "quantized_matmul":
        fill = ["small", "range", "ones"]
        b.add("exact", [(17, 64), codes, scales], [(17, 33)], fill=fill, exact=b.dtype == "f32")
    elif b.op.name == "fft":
        params = {"inverse": False, "algorithm": 2}
        b.add("exact", [(65, 4, 2)], [(65, 4, 2)], params, fill="small", exact=True)
    elif b.op.name == "rfft":
        b.add("exact", [(65, 4)], [(65, 3, 2)], {"algorithm": 2}, fill="small", exact=True)


def _lengths(b: Builder) -> None:
    """Lengths that a rule's own sizes leave out."""
    if not b.first or b.level == "quick":
        return
    if b.op.shape == "partition":
        for n in (31, 32, 63, 64, 65, 127, 255, 1023, 1024, 4099):
            b.add(f"row{n}", [(3, n)], [(3, n)], {"kth": n // 3, "axis": 1}, fill="ties")
        b.add("row0", [(0, 5)], [(0, 5)], {"kth": 1, "axis": 1})
    elif b.op.shape in ("quantize", "dequantize"):
        per = 2 if b.op.name.endswith("int4") else 1
        for rows in (1, 31, 32, 33, 63, 64, 65, 127, 255, 257, 1023, 1024, 1025, 4099):
            packed: list[Shape] = [(rows, 24 // per), (rows, 3)]
            if b.op.shape == "quantize":
                b.add(f"rows{rows}", [(rows, 24)], packed)
            else:
                b.add(f"rows{rows}", packed, [(rows, 24)], fill=["range", "normal"])
    elif b.op.shape in ("quantized_matvec", "quantized_matmul"):
        per = 2 if b.op.name.endswith("int4") else 1
        for n in (31, 32, 63, 65, 127, 255, 257, 1023, 1024, 1025, 4099):
            codes: list[Shape | None] = [(n, 24 // per), (n, 3)]
            if b.op.shape == "quantized_matvec":
                b.add(f"rows{n}", [*codes, (24,)], [(n,)], fill=["range", "normal", "normal"])
            else:
                fill = ["normal", "range", "normal"]
                b.add(f"filters{n}", [(3, 24), *codes], [(3, n)], fill=fill)
    elif b.op.shape == "attention":
        for n in (1023, 1024, 1025, 4099):
            parts = plan_dense.attention_parts(b, (1, 1, 3, 16), (1, 1, n, 16), None, None)
            b.add(f"keys{n}", *parts, {"scale": 0.0, "causal": False}, heavy=n > 1025)
    elif b.op.shape == "conv":
        call = plan_dense.conv_parts(b, (1, 4099, 2), (3,), 3, (1,), (1,), None, 1, False)
        b.add("length4099", *call)
    elif b.op.shape == "norm_backward":
        weights: list[Shape] = [(9,)] * (len(b.op.outputs) - 1)
        b.add("no-rows", [(0, 9), (9,), (0, 9)], [(0, 9), *weights], {"eps": 1e-5})


def _add(b: Builder, typical: Case, label: str, **changes: Any) -> None:
    case = dataclasses.replace(typical, label=label, **changes)
    b.cases.setdefault(case.id, case)
