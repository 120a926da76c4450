"""References of gradients, cross-entropy, rope, matrix products and logistic regression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


@reference("softmax_backward", "log_softmax_backward")
def softmax_backward(call: Call) -> Sequence[Expected]:
    y, dy = call.inputs
    axis = call.params["axis"] % y.ndim
    with np.errstate(all="ignore"):
        if call.op == "softmax_backward":
            value = y * (dy - (y * dy).sum(axis, keepdims=True))
            scale = np.abs(y) * (np.abs(dy) + np.abs(y * dy).sum(axis, keepdims=True))
        else:
            value = dy - np.exp(y) * dy.sum(axis, keepdims=True)
            scale = np.abs(dy) + np.exp(y) * np.abs(dy).sum(axis, keepdims=True)
    return [Expected(value, scale, max(y.shape[axis], 1))]


def _mean(x: Array) -> Array:
    return np.asarray(x.sum(-1, keepdims=True) / np.float64(x.shape[-1]))


@reference("layer_norm_backward", "rms_norm_backward")
def norm_backward(call: Call) -> Sequence[Expected]:
    x, weight, dy = call.inputs
    layer = call.op == "layer_norm_backward"
    width = x.shape[-1]
    rows = x.size // width if width else 0
    with np.errstate(all="ignore"):
        centre = x - _mean(x) if layer else x
        inverse = 1 / np.sqrt(_mean(centre**2) + call.params["eps"])
        unit = centre * inverse
        reach = (np.abs(x) + _mean(np.abs(x))) * inverse  # what errors of `unit` scale with
        g = dy * (1.0 if weight is None else weight)
        dx = inverse * (g - unit * _mean(g * unit) - (_mean(g) if layer else 0))
        size = np.abs(g)
        scale = inverse * (size + _mean(size) + reach * _mean(size * reach))
        flat = (rows, width)
        dweight = (dy * unit).reshape(flat).sum(0)
        weight_scale = (np.abs(dy) * reach).reshape(flat).sum(0)
        outputs = [
            Expected(dx, scale, max(width, 1)),
            Expected(dweight, weight_scale, max(rows, width, 1)),
        ]
        if layer:
            bias_scale = np.abs(dy).reshape(flat).sum(0)
            outputs.append(Expected(dy.reshape(flat).sum(0), bias_scale, max(rows, 1)))
    return outputs


@reference("cross_entropy", "cross_entropy_backward")
def cross_entropy(call: Call) -> Sequence[Expected]:
    logits, targets = call.inputs[:2]
    classes = logits.shape[-1]
    inside = (targets >= 0) & (targets < classes)
    chosen = np.where(inside, targets, 0)[..., None].astype(np.int64)
    with np.errstate(all="ignore"):
        top = logits.max(-1, keepdims=True) if logits.size else np.zeros((*targets.shape, 1))
        total = np.exp(logits - top).sum(-1, keepdims=True)
        if call.op == "cross_entropy":
            picked = np.take_along_axis(logits, chosen, -1)
            value = np.where(inside, (top + np.log(total) - picked)[..., 0], 0)
            scale = (np.abs(top) + np.abs(np.log(total)) + np.abs(picked) + 1)[..., 0]
            return [Expected(value, scale, classes)]
        dloss = np.where(inside, call.inputs[2], 0)[..., None]
        onehot = np.arange(classes) == chosen
        soft = np.exp(logits - top) / total
        value = np.where(inside[..., None], (soft - onehot) * dloss, 0)
        scale = np.abs(dloss) * (soft * (1 + np.abs(logits - top)) + onehot)
    return [Expected(value, scale, classes)]


@reference("rope")
def rope(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    p = call.params
    pairs = (p["dims"] or x.shape[-1]) // 2
    positions = np.arange(x.shape[-2], dtype=np.float64) + p["offset"]
    angles = positions[:, None] * float(p["base"]) ** (-np.arange(pairs) / max(pairs, 1))
    cos, sin = np.cos(angles), np.sin(angles) * (-1 if p["inverse"] else 1)
    value, scale = x.copy(), np.abs(x)
    first: Any
    second: Any
    if p["interleaved"]:
        first, second = np.s_[..., 0 : 2 * pairs : 2], np.s_[..., 1 : 2 * pairs : 2]
    else:
        first, second = np.s_[..., :pairs], np.s_[..., pairs : 2 * pairs]
    a, b = x[first], x[second]
    value[first], value[second] = a * cos - b * sin, a * sin + b * cos
    # In f64 nothing finer is left for the angle: its own rounding turns the pair.
    turn = 1 + np.abs(angles) if call.outputs[0][1] == "f64" else 1.0
    scale[first] = scale[second] = (np.abs(a) + np.abs(b)) * turn
    return [Expected(value, scale)]


@reference("matmul")
def matmul(call: Call) -> Sequence[Expected]:
    a, b = call.inputs
    with np.errstate(all="ignore"):
        value = np.matmul(a, b)
        scale = np.matmul(np.abs(a), np.abs(b))
    shape = call.outputs[0][0]
    return [
        Expected(np.broadcast_to(value, shape), np.broadcast_to(scale, shape), max(a.shape[-1], 1))
    ]


@reference("logistic_step")
def logistic_step(call: Call) -> Sequence[Expected]:
    x, y = call.inputs
    w = np.array(call.initial[0])
    rate: Any = call.params["rate"]
    scale = np.abs(w)
    if x.size == 0:
        return [Expected(w, scale)]
    for _ in range(call.params["steps"]):
        with np.errstate(over="ignore"):
            error = 1 / (1 + np.exp(-(x @ w))) - y
        scale = scale + rate / len(y) * (np.abs(x).T @ (1 + np.abs(x) @ np.abs(w)))
        w = w - rate / len(y) * (x.T @ error)
    return [Expected(w, scale, math.isqrt(len(y)) + x.shape[1])]
