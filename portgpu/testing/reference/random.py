"""References of random numbers: counter-based generators in integer arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference

_inverse_normal = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])
_WORD = np.uint64(0xFFFFFFFF)


def threefry2x32(key: tuple[int, int], high: Array, low: Array) -> tuple[Array, Array]:
    """Threefry 2x32 with 20 rounds (Salmon et al., SC 2011) of counters (high, low)."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
    a = (high + np.uint64(keys[0])) & _WORD
    b = (low + np.uint64(keys[1])) & _WORD
    for block in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[block % 2]:
            a = (a + b) & _WORD
            b = ((b << np.uint64(turn)) | (b >> np.uint64(32 - turn))) & _WORD
            b ^= a
        a = (a + np.uint64(keys[(block + 1) % 3])) & _WORD
        b = (b + np.uint64(keys[(block + 2) % 3] + block + 1)) & _WORD
    return a, b


def philox4x32(key: tuple[int, int], counter: Sequence[Array]) -> list[Array]:
    """Philox 4x32 with 10 rounds (Salmon et al., SC 2011)."""
    c = [np.asarray(x, np.uint64) for x in counter]
    k0, k1 = key
    for _ in range(10):
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (second >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), second & _WORD,
            (first >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), first & _WORD,
        ]  # fmt: skip
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c


def _words(call: Call, wide: bool) -> tuple[Array, Array]:
    """Words of every element in C order: (high, low); `low` matters for 64-bit values only."""
    count = math.prod(call.outputs[0][0])
    count += count % 2  # pairs of normal values share two words
    return counter_words(call.params, count, wide)


def counter_words(params: Mapping[str, Any], count: int, wide: bool) -> tuple[Array, Array]:
    """(high, low) words of `count` elements for the key and generator in `params`."""
    key = int(params["key"]) % 2**64
    high, low = key >> 32, key & 0xFFFFFFFF
    index = np.arange(count, dtype=np.uint64)
    if params["generator"] == 0:
        a, b = threefry2x32((high, low), index >> np.uint64(32), index & _WORD)
        return (a, b) if wide else (a ^ b, b)
    blocks = np.arange(-(-count // (2 if wide else 4)), dtype=np.uint64)
    zero = np.zeros_like(blocks)
    words = np.stack(philox4x32((low, high), [blocks & _WORD, blocks >> np.uint64(32), zero, zero]))
    flat = words.T.reshape(-1)
    if wide:
        return flat[::2][:count], flat[1::2][:count]
    return flat[:count], flat[:count]


def permutation_words(params: Mapping[str, Any], count: int, rounds: int) -> Iterator[Array]:
    """Sort keys of each round: the key is split as by jax.random.split, with Threefry."""
    key = int(params["key"]) % 2**64
    zero = np.zeros(2, np.uint64)
    for _ in range(rounds):
        high, low = threefry2x32((key >> 32, key & 0xFFFFFFFF), zero, np.arange(2, dtype=np.uint64))
        key, sub = (int(h) << 32 | int(w) for h, w in zip(high, low, strict=True))
        yield counter_words({**params, "key": sub}, count, False)[0]


@reference("random_bits")
def random_bits(call: Call) -> Sequence[Expected]:
    shape, dtype = call.outputs[0]
    high = _words(call, False)[0][: math.prod(shape)]
    kind = np.uint32 if dtype == "u32" else np.int32
    return [Expected(high.astype(np.uint32).view(kind).reshape(shape))]


_BITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}


def _unit(high: Array, low: Array, dtype: str) -> Array:
    """[0, 1) with as many leading bits as the type holds exactly."""
    bits = _BITS[dtype]
    if dtype == "f64":
        return np.asarray(((high << np.uint64(32) | low) >> np.uint64(12)) * 2.0**-52)
    return np.asarray((high >> np.uint64(32 - bits)) * 2.0**-bits)


def _compute(value: Any, dtype: str) -> float:
    return float(value) if dtype == "f64" else float(np.float32(value))


@reference("uniform")
def uniform(call: Call) -> Sequence[Expected]:
    shape, dtype = call.outputs[0]
    low, high = (_compute(call.params[name], dtype) for name in ("low", "high"))
    unit = _unit(*_words(call, dtype == "f64"), dtype)[: math.prod(shape)]
    value = np.maximum(unit * (high - low) + low, low)
    scale = np.full(shape, abs(low) + abs(high - low))
    return [Expected(value.reshape(shape), scale)]


@reference("normal")
def normal(call: Call) -> Sequence[Expected]:
    shape, dtype = call.outputs[0]
    high, low = _words(call, dtype == "f64")
    if dtype == "f64" or call.params["generator"] == 1:
        z, scale = _box_muller(high, low, dtype)
    else:
        # Uniform in (-1, 1) with f32's rounding, then the inverse error function.
        least = np.float32(-0.99999994)
        unit = _unit(high, low, "f32") * float(np.float32(1) - least)
        u = np.maximum((unit + float(least)).astype(np.float32), least).astype(np.float64)
        z = _inverse_normal((u + 1) / 2) if u.size else u
        # 1 - u^2 cancels near the ends: the error of u^2 times the slope of the inverse.
        scale = np.abs(z) + np.abs(u) * math.sqrt(math.pi / 2) * np.exp(z**2 / 2)
    mean, deviation = (_compute(call.params[name], dtype) for name in ("mean", "stddev"))
    scale = abs(mean) + abs(deviation) * scale
    count = math.prod(shape)
    value = z * deviation + mean
    return [Expected(value[:count].reshape(shape), scale[:count].reshape(shape))]


def _box_muller(high: Array, low: Array, dtype: str) -> tuple[Array, Array]:
    if dtype == "f64":
        unit = _unit(high, low, "f64")
        radius = np.sqrt(-2 * np.log(1 - unit[::2]))
        angle = 2 * math.pi * unit[1::2]
    else:
        first = (high[::2].astype(np.float32) * np.float32(2.0**-32)).astype(np.float64)
        u = np.minimum((first + 2.0**-33).astype(np.float32), np.float32(1)).astype(np.float64)
        radius = np.sqrt(-2 * np.log(u))
        turns = high[1::2].astype(np.uint32).view(np.int32).astype(np.float32)
        angle = (turns * np.float32(1.4629180792671596e-09)).astype(np.float64)
    z = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)
    return z, np.repeat(radius, 2)
