"""References of quantised arrays and of attention over a cache."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


def _groups(x: Array, groups: int) -> Array:
    return x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups if groups else 0)


@reference("quantize_int8", "quantize_int4")
def quantize(call: Call) -> Sequence[Expected]:
    """In f32 as documented: the codes are exact, so the rounding has to be the same."""
    most = 127 if call.op.endswith("8") else 7
    x = _groups(call.inputs[0], call.outputs[1][0][-1]).astype(np.float32)
    with np.errstate(all="ignore"):
        scale = np.abs(x).max(-1) / np.float32(most) if x.size else x[..., 0].astype(np.float32)
        ratio = np.where(scale[..., None] > 0, x / scale[..., None], np.float32(0))
        codes = np.nan_to_num(np.clip(np.rint(ratio), -most, most)).astype(np.int64)
    codes = codes.reshape(call.inputs[0].shape)
    if most == 7:
        codes = (codes[..., 0::2] + 8) | (codes[..., 1::2] + 8) << 4
    kind = np.int8 if most == 127 else np.uint8
    return [Expected(codes.astype(kind)), Expected(scale.astype(np.float64))]


def _values(codes: Array, scale: Array, bits: int) -> Array:
    whole = codes.astype(np.int64)
    if bits == 4:
        whole = np.stack([whole & 15, whole >> 4 & 15], -1)
        whole = whole.reshape(*codes.shape[:-1], 2 * codes.shape[-1]) - 8
    grouped = _groups(whole.astype(np.float64), scale.shape[-1])
    return np.asarray((grouped * scale[..., None]).reshape(whole.shape))


@reference("dequantize_int8", "dequantize_int4")
def dequantize(call: Call) -> Sequence[Expected]:
    codes, scale = call.inputs
    return [Expected(_values(codes, scale, int(call.op[-1])))]


@reference("matvec_int8", "matvec_int4")
def matvec(call: Call) -> Sequence[Expected]:
    codes, scale, x = call.inputs
    matrix = _values(codes, scale, int(call.op[-1]))
    return [Expected(matrix @ x, np.abs(matrix) @ np.abs(x), max(len(x), 1))]


@reference("matmul_int8", "matmul_int4")
def matmul(call: Call) -> Sequence[Expected]:
    x, codes, scale = call.inputs
    matrix = _values(codes, scale, int(call.op[-1])).T
    return [Expected(x @ matrix, np.abs(x) @ np.abs(matrix), max(x.shape[-1], 1))]


@reference("attention_decode")
def attention_decode(call: Call) -> Sequence[Expected]:
    q, k, v = call.inputs
    shared = q.shape[1] // max(k.shape[1], 1)
    k, v = (np.repeat(a, shared, axis=1) for a in (k, v))
    scale = call.params["scale"] if call.params["scale"] > 0 else 1 / math.sqrt(max(q.shape[2], 1))
    with np.errstate(all="ignore"):
        scores = np.einsum("bhd,bhkd->bhk", q, k) * scale
        size = np.einsum("bhd,bhkd->bhk", np.abs(q), np.abs(k)) * scale
        if not scores.size:
            return [Expected(np.zeros(call.outputs[0][0]))]
        share = np.exp(scores - scores.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        value = np.einsum("bhk,bhkd->bhd", share, v)
        spread = np.nan_to_num(size, posinf=0).max(-1)[..., None]
        magnitude = np.einsum("bhk,bhkd->bhd", share, np.abs(v)) * (1 + spread)
    terms = q.shape[2] + k.shape[2]
    return [Expected(value, np.nan_to_num(magnitude, posinf=0), terms)]
