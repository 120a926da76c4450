"""Bad input: one wrong thing in a typical call. The op must refuse it and write nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from portgpu.ops.dtypes import DTYPES
from portgpu.ops.registry import INDEX_TYPES, Tensor
from portgpu.testing import plan_dense, plan_select
from portgpu.testing.cases import Builder, Case, Defect
from portgpu.testing.plan_shapes import typical
from portgpu.testing.values import ArraySpec

NULL, DTYPE, SHAPE = "PG_ERR_NULL", "PG_ERR_DTYPE", "PG_ERR_SHAPE"
STRIDE, AXIS, VALUE = "PG_ERR_STRIDE", "PG_ERR_AXIS", "PG_ERR_VALUE"
WORKSPACE, SIZE, ALIAS, UNSUPPORTED = (
    "PG_ERR_WORKSPACE", "PG_ERR_SIZE", "PG_ERR_ALIAS", "PG_ERR_UNSUPPORTED",
)  # fmt: skip


def defects(b: Builder) -> None:
    """Add the bad-input cases of the builder's op (made for one element type)."""
    good = typical(b)
    tensors = (*b.op.inputs, *b.op.outputs)
    flat = {t.name for _, _, t, spec in _tensors(good, b) if not spec.shape}
    for tensor in tensors:
        name = tensor.name
        if not tensor.optional:
            _add(b, good, f"{name}-null", [NULL], [Defect(name, "tensor")])
        if name not in {t.name for _, _, t, _ in _tensors(good, b)}:
            continue  # left out in the good call
        _add(b, good, f"{name}-no-data", [NULL], [Defect(name, "data", 0)])
        _add(b, good, f"{name}-dtype-99", [DTYPE], [Defect(name, "dtype", 99)])
        _add(b, good, f"{name}-dtype-minus", [DTYPE], [Defect(name, "dtype", -1)])
        _add(b, good, f"{name}-rank-33", [SHAPE, SIZE], [Defect(name, "ndim", 33)])
        _add(b, good, f"{name}-rank-minus", [SHAPE], [Defect(name, "ndim", -1)])
        if name in flat:
            continue
        _add(b, good, f"{name}-no-shape", [NULL], [Defect(name, "shape")])
        _add(b, good, f"{name}-extent-minus", [SHAPE], [Defect(name, "extent", -4)])
        _add(b, good, f"{name}-extent-huge", [SHAPE, SIZE], [Defect(name, "extent", 2**62)])
    _misaligned(b, good)
    _wrong_types(b, good)
    _wrong_shapes(b, good)
    _outputs(b, good)
    _params(b, good)
    if b.op.workspace:
        _add(b, good, "workspace-null", [WORKSPACE], [Defect("workspace", "data", 0)])
        _add(b, good, "workspace-small", [WORKSPACE], [Defect("workspace", "short", 1)])
        _add(b, good, "workspace-misaligned", [WORKSPACE], [Defect("workspace", "shift", 4)])


def _add(
    b: Builder,
    good: Case,
    label: str,
    statuses: Iterable[str],
    wrong: Iterable[Defect] = (),
    **changes: Any,
) -> None:
    case = dataclasses.replace(
        good,
        label=f"bad-{label}",
        statuses=frozenset(statuses),
        defects=tuple(wrong),
        repeat=False,
        **changes,
    )
    b.cases.setdefault(case.id, case)


def _tensors(good: Case, b: Builder) -> list[tuple[int, bool, Tensor, ArraySpec]]:
    found = [
        (i, False, t, spec)
        for i, (t, spec) in enumerate(zip(b.op.inputs, good.inputs, strict=True))
        if spec is not None
    ]
    return found + [
        (i, True, t, spec)
        for i, (t, spec) in enumerate(zip(b.op.outputs, good.outputs, strict=True))
    ]


def _replaced(good: Case, position: int, output: bool, spec: ArraySpec) -> dict[str, Any]:
    key = "outputs" if output else "inputs"
    specs: list[ArraySpec | None] = list(good.outputs if output else good.inputs)
    specs[position] = spec
    return {key: tuple(specs)}


def _misaligned(b: Builder, good: Case) -> None:
    for position, output, tensor, spec in _tensors(good, b):
        if DTYPES[spec.dtype].size > 1:
            bad = dataclasses.replace(spec, layout="misaligned")
            changes = _replaced(good, position, output, bad)
            _add(b, good, f"{tensor.name}-misaligned", [STRIDE], **changes)


def _wrong_types(b: Builder, good: Case) -> None:
    for position, output, tensor, spec in _tensors(good, b):
        allowed = set(tensor.dtypes or b.op.all_types)
        alone = not tensor.dtypes and sum(not t.dtypes for t in b.op.inputs) < 2 and not output
        if not alone:  # has to match another tensor: any other type is wrong
            allowed = set(tensor.dtypes) or {spec.dtype}
        wrong = [name for name in DTYPES if name not in allowed]
        if tensor.dtypes == INDEX_TYPES:
            wrong = [name for name in wrong if name in ("f32", "u8", "bool", "i16")]
        if output and not b.op.inputs and not tensor.dtypes:
            wrong = []  # the output alone decides the type
        for name in b.pick(wrong, 2)[:4]:
            written = output and not b.op.inout  # an in-out tensor starts with values
            bad = dataclasses.replace(spec, dtype=name, fill="out" if written else "small")
            if tensor.dtypes == INDEX_TYPES:
                bad = dataclasses.replace(bad, fill="zeros")
            changes = _replaced(good, position, output, bad)
            _add(b, good, f"{tensor.name}-is-{name}", [DTYPE, UNSUPPORTED], **changes)


def _wrong_shapes(b: Builder, good: Case) -> None:
    special = {**plan_select.WRONG, **plan_dense.WRONG}.get(b.op.shape)
    if special is not None:
        for position, output, tensor, spec in _tensors(good, b):
            for label, wrong in special.get(tensor.name, {}).items():
                bad = dataclasses.replace(spec, shape=wrong)
                changes = _replaced(good, position, output, bad)
                _add(b, good, f"{tensor.name}-{label}", [SHAPE], **changes)
        return
    if not b.op.inputs:
        return
    free = b.op.shape == "topk"  # the outputs' extent along the axis is a parameter
    for position, output, tensor, spec in _tensors(good, b):
        if not output and b.op.shape in ("reduce", "arg_reduce", "axis", "topk"):
            continue  # the output is checked against the one input
        shape = spec.shape
        grown = (*shape[:-1], shape[-1] + 1) if not free else (shape[0] + 1, *shape[1:])
        choices = {"longer": grown, "deeper": (2, *shape)}
        if b.op.shape == "elementwise" and output:
            choices.pop("deeper")  # broadcasting makes that right
            if len(b.op.inputs) == 1:
                choices["flatter"] = shape[:-1]
        if b.op.shape == "scatter" and output:
            choices = {"longer-last": (*shape[:-1], shape[-1] + 1), "deeper": (2, *shape)}
        if b.op.shape == "take" and not output and not tensor.dtypes:
            choices = {"longer-last": (*shape[:-1], shape[-1] + 1)}
        if b.op.shape == "cross_entropy" and tensor.name == "logits":
            choices = {"more-rows": (shape[0] + 1, *shape[1:]), "deeper": (2, *shape)}
        if b.op.shape == "matmul" and output:
            choices.pop("deeper")  # the operands broadcast
        if b.op.shape == "take_along" and not output and not tensor.dtypes:
            choices["longer"] = (shape[0] + 1, *shape[1:])  # along the axis any length is right
        for label, wrong in choices.items():
            fill = spec.fill if not tensor.dtypes else "zeros"
            bad = dataclasses.replace(spec, shape=wrong, fill=fill)
            changes = _replaced(good, position, output, bad)
            _add(b, good, f"{tensor.name}-{label}", [SHAPE], **changes)
    if free and good.inputs[0] is not None:
        rows, extent = good.inputs[0].shape
        outs = tuple(dataclasses.replace(o, shape=(rows, extent + 1)) for o in good.outputs)
        _add(b, good, "k-too-large", [SHAPE, VALUE], outputs=outs)


def _outputs(b: Builder, good: Case) -> None:
    for position, output, tensor, spec in _tensors(good, b):
        if output and max(spec.shape, default=0) > 1:
            bad = dataclasses.replace(spec, layout="overlap")
            changes = _replaced(good, position, output, bad)
            _add(b, good, f"{tensor.name}-overlaps-itself", [STRIDE], **changes)
    if b.op.main is not None and b.op.inputs:
        target = b.op.outputs[0].name
        source = b.op.inputs[b.op.main].name
        _add(b, good, "alias", [ALIAS], [Defect(target, "alias", source)])


# Values outside a parameter's range.
_BAD_VALUES: dict[str, dict[str, Any]] = {
    "before": {"minus": (-1, 0), "few": (1,)},
    "mode": {"high": 4, "minus": -1},
    "kth": {"high": 10, "low": -11},
    "decimals": {"high": 11, "low": -11},
    "generator": {"high": 2, "minus": -1},
    "stride": {"none": (1, 0), "few": (1,)},
    "padding": {"minus": (1, -1), "many": (1, 1, 1)},
    "dilation": {"none": (0, 1)},
    "groups": {"none": 0},
}


def _params(b: Builder, good: Case) -> None:
    rank = 2
    for param in b.op.params:
        for label, value in _BAD_VALUES.get(param.name, {}).items():
            params = {**good.params, param.name: value}
            _add(b, good, f"{param.name}-{label}", [VALUE], params=params)
        if param.name == "axes":
            choices: dict[str, Any] = {
                "high": (rank,), "low": (-rank - 1,), "twice": (1, 1), "twice-negative": (1, -1),
            }  # fmt: skip
        elif param.name == "axis":
            choices = {"high": rank, "low": -rank - 1, "far": 2**31 - 1}
            if b.op.shape != "arg_reduce":
                choices["none"] = -(2**31)
        else:
            continue
        for label, value in choices.items():
            params = {**good.params, param.name: value}
            _add(b, good, f"{param.name}-{label}", [AXIS], params=params)
    if b.op.name in ("min", "max", "argmin", "argmax") and good.inputs[0] is not None:
        empty = dataclasses.replace(good.inputs[0], shape=(6, 0))
        _add(b, good, "empty", [SHAPE, SIZE, VALUE], inputs=(empty,))
