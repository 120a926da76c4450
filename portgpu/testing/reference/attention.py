"""References of attention with many queries, forward and backward."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


def _scale(call: Call) -> float:
    width = max(call.inputs[0].shape[3], 1)
    return float(call.params["scale"]) if call.params["scale"] > 0 else 1 / math.sqrt(width)


def _shares(
    call: Call, q: Array, k: Array, mask: Array | None, bias: Array | None
) -> tuple[Array, Array]:
    """Weights of the keys for each query, and the magnitude that errors of a score scale with."""
    queries, keys = q.shape[2], k.shape[2]
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) * _scale(call)
    size = np.einsum("bhqd,bhkd->bhqk", np.abs(q), np.abs(k)) * _scale(call)
    if bias is not None:
        scores = scores + bias
        size = size + np.abs(np.nan_to_num(bias, neginf=0, posinf=0))
    live = np.ones(scores.shape, bool)
    if mask is not None:
        live &= mask
    if call.params["causal"]:
        live &= np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
    scores = np.where(live, scores, -np.inf)
    top = scores.max(-1, keepdims=True, initial=-np.inf)
    share = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = share.sum(-1, keepdims=True)
    spread = np.nan_to_num(np.where(live, size, 0), posinf=0).max(-1, keepdims=True, initial=0)
    return np.where(total == 0, 0, share / np.where(total == 0, 1, total)), spread


def _repeated(call: Call) -> tuple[Array, Array, Array, int]:
    q, k, v = call.inputs[:3]
    shared = q.shape[1] // max(k.shape[1], 1)
    return q, np.repeat(k, shared, axis=1), np.repeat(v, shared, axis=1), shared


@reference("attention")
def attention(call: Call) -> Sequence[Expected]:
    q, k, v, _ = _repeated(call)
    mask, bias = call.inputs[3:]
    if not q.size:
        return [Expected(np.zeros(call.outputs[0][0]))]
    with np.errstate(all="ignore"):
        share, spread = _shares(call, q, k, mask, bias)
        value = np.einsum("bhqk,bhkd->bhqd", share, v)
        size = np.nan_to_num(np.einsum("bhqk,bhkd->bhqd", share, np.abs(v)), posinf=0)
        magnitude = np.nan_to_num(size * (1 + spread), posinf=0)
    return [Expected(value, magnitude, q.shape[3] + k.shape[2], inner=size)]


@reference("attention_backward")
def attention_backward(call: Call) -> Sequence[Expected]:
    q, k, v, shared = _repeated(call)
    dout, mask, bias = call.inputs[3], *call.inputs[4:]
    batch, heads, queries, width = q.shape
    keys = k.shape[2]
    if not q.size or not k.size:
        return [Expected(np.zeros(shape)) for shape, _ in call.outputs]
    scale = _scale(call)
    with np.errstate(all="ignore"):
        share, spread = _shares(call, q, k, mask, bias)
        grown = share * (1 + spread)
        dshare = np.einsum("bhqd,bhkd->bhqk", dout, v)
        size = np.einsum("bhqd,bhkd->bhqk", np.abs(dout), np.abs(v))
        dscore = share * (dshare - (share * dshare).sum(-1, keepdims=True)) * scale
        dsize = grown * (size + (grown * size).sum(-1, keepdims=True)) * scale
        dq = np.einsum("bhqk,bhkd->bhqd", dscore, k)
        dq_size = np.einsum("bhqk,bhkd->bhqd", dsize, np.abs(k))
        dk = np.einsum("bhqk,bhqd->bhkd", dscore, q)
        dk_size = np.einsum("bhqk,bhqd->bhkd", dsize, np.abs(q))
        dv = np.einsum("bhqk,bhqd->bhkd", share, dout)
        dv_size = np.einsum("bhqk,bhqd->bhkd", grown, np.abs(dout))
        dq_inner = np.einsum("bhqk,bhkd->bhqd", np.abs(dscore), np.abs(k))
        dk_inner = np.einsum("bhqk,bhqd->bhkd", np.abs(dscore), np.abs(q))
        dv_inner = np.einsum("bhqk,bhqd->bhkd", share, np.abs(dout))

    def joined(x: Array) -> Array:  # the heads that share a key head
        return np.asarray(x.reshape(batch, heads // shared, shared, keys, width).sum(2))

    terms = width + keys + queries * shared
    return [
        Expected(dq, dq_size, terms, inner=dq_inner),
        Expected(joined(dk), joined(dk_size), terms, inner=joined(dk_inner)),
        Expected(joined(dv), joined(dv_size), terms, inner=joined(dv_inner)),
    ]
