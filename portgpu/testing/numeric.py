"""Element types in NumPy terms: rounding, widening, ulp sizes.

*Storage* arrays hold the bits that a library sees (bf16 as uint16). *Logical* arrays hold values:
float64 for floating types, the type itself for integers and bool. Needs NumPy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from portgpu.ops.dtypes import DTYPES

Array = np.ndarray[Any, Any]

# Significand bits (with the hidden one), exponent of the smallest normal, of the largest power.
_FORMAT = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127)}
_FORMAT["f64"] = (53, -1022, 1023)


def is_float(dtype: str) -> bool:
    """Whether `dtype` is a floating type."""
    return dtype in _FORMAT


def eps(dtype: str) -> float:
    """Distance from 1 to the next number."""
    return float(2.0 ** (1 - _FORMAT[dtype][0]))


def tiny(dtype: str) -> float:
    """The smallest subnormal number."""
    digits, low, _ = _FORMAT[dtype]
    return float(2.0 ** (low - digits + 1)) if dtype != "f64" else 5e-324


def smallest_normal(dtype: str) -> float:
    """The smallest normal number."""
    return float(2.0 ** _FORMAT[dtype][1])


def largest(dtype: str) -> float:
    """The largest finite number."""
    digits, _, high = _FORMAT[dtype]
    return float((2.0 - 2.0 ** (1 - digits)) * 2.0**high)


def accumulator(dtype: str) -> str:
    """The type in which the library accumulates: f64 for f64, f32 for the shorter floats."""
    return "f64" if dtype == "f64" else "f32"


def ulp(values: Array, dtype: str) -> Array:
    """Distance between neighbouring numbers of `dtype` around each value."""
    digits, low, high = _FORMAT[dtype]
    with np.errstate(all="ignore"):
        magnitude = np.abs(np.nan_to_num(values, nan=0.0, posinf=largest(dtype)))
        _, exponent = np.frexp(np.minimum(magnitude, largest(dtype)))
    exponent = np.where(magnitude > 0, np.clip(exponent - 1, low, high), low)
    return np.asarray(np.ldexp(1.0, exponent - digits + 1))


def to_storage(values: Any, dtype: str) -> Array:
    """Round logical values (nearest, ties to even) to the bits of `dtype`."""
    array = np.asarray(values)
    if dtype == "bf16":
        return _bfloat16_bits(array.astype(np.float64))
    with np.errstate(all="ignore"):
        return np.asarray(array.astype(DTYPES[dtype].numpy))


def from_storage(bits: Array, dtype: str) -> Array:
    """Logical values of storage: float64 for floating types, unchanged otherwise."""
    if dtype == "bf16":
        wide = bits.astype(np.uint32) << np.uint32(16)
        bits = np.asarray(wide).view(np.float32)
    elif not is_float(dtype):
        return bits
    with np.errstate(all="ignore"):  # signalling NaN bits
        return np.asarray(bits.astype(np.float64))


def round_to(values: Any, dtype: str) -> Array:
    """Logical values after rounding to `dtype`."""
    return from_storage(to_storage(values, dtype), dtype)


def _bfloat16_bits(values: Array) -> Array:
    # float64 to float32 with round-to-odd, so that the second rounding is the only one that counts.
    with np.errstate(all="ignore"):
        single = np.atleast_1d(values.astype(np.float32))
        bits = single.view(np.uint32).copy()
        wide = single.astype(np.float64)
        exact = np.atleast_1d(values)
        bits -= (np.abs(wide) > np.abs(exact)).astype(np.uint32)
        bits |= (wide != exact).astype(np.uint32) & np.uint32(~np.isnan(exact))
        rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    result = (rounded >> np.uint32(16)).astype(np.uint16)
    result[np.isnan(exact)] = 0x7FC0
    return result.reshape(values.shape)
