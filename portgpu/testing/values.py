"""Test inputs: what values an array holds and how it lies in memory.

An `ArraySpec` describes one tensor of a case. `fill` makes its logical values, `place` lays them
out in a buffer between guard bytes. Everything follows from the generator handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from portgpu.ops.arrays import contiguous_strides
from portgpu.ops.dtypes import DTYPES
from portgpu.testing import numeric
from portgpu.testing.numeric import Array

_HUGE = 2**28  # elements; repeated values of more stay views
GUARD = 256  # bytes before and after the elements; keeps the buffer's own alignment
INPUT_GUARD = 0xFF  # NaN for floats, -1 for indices: reading past the end shows in the result
OUTPUT_GUARD = 0xA5

LAYOUTS = (
    "contiguous",
    "transposed",  # axes in reverse order in memory
    "broadcast",  # stride 0 along the first axis longer than 1
    "negative",  # last axis runs backwards
    "offset",  # contiguous, but one element after an aligned address
    "strided",  # every other element of a longer last axis
)
WRITABLE = tuple(layout for layout in LAYOUTS if layout != "broadcast")


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """One tensor of a test case: logical shape and type, memory layout, kind of values."""

    shape: tuple[int, ...]
    dtype: str
    layout: str = "contiguous"
    fill: str = "normal"

    def describe(self) -> str:
        dims = "x".join(map(str, self.shape)) or "scalar"
        extra = [x for x in (self.layout, self.fill) if x not in ("contiguous", "normal", "out")]
        return f"{dims}:{self.dtype}" + "".join(f":{x}" for x in extra)


@dataclass(slots=True)
class Placed:
    """A tensor in a host image of its buffer: `image[start:start + count]` are its elements."""

    spec: ArraySpec
    image: Array  # bytes, guards included
    start: int  # byte offset of element [0, 0, ...]
    strides: tuple[int, ...]  # in elements
    values: Array | None  # logical values that were put in, None for outputs

    def view(self, image: Array) -> Array:
        """The tensor's storage elements inside `image`, without a copy."""
        dtype = DTYPES[self.spec.dtype].numpy
        if 0 in self.spec.shape:
            return np.empty(self.spec.shape, dtype)
        return np.ndarray(
            self.spec.shape,
            dtype,
            buffer=image.data,
            offset=self.start,
            strides=tuple(s * dtype.itemsize for s in self.strides),
        )


def place(spec: ArraySpec, values: Array | None) -> Placed:
    """Lay a tensor out in a fresh buffer; `values` None leaves guard bytes in its elements."""
    size = DTYPES[spec.dtype].size
    shape = spec.shape
    lead = 0
    if spec.layout == "transposed":
        strides = tuple(reversed(contiguous_strides(tuple(reversed(shape)))))
    elif spec.layout == "strided" and shape:
        strides = tuple(2 * s for s in contiguous_strides(shape))
    elif spec.layout == "negative" and shape:
        lead = max(shape[-1] - 1, 0)
        strides = (*contiguous_strides(shape)[:-1], -1)
    elif spec.layout in ("broadcast", "overlap"):
        axis = next((i for i, n in enumerate(shape) if n > 1), None)
        reduced = tuple(1 if i == axis else n for i, n in enumerate(shape))
        strides = tuple(0 if i == axis else s for i, s in enumerate(contiguous_strides(reduced)))
    else:
        strides = contiguous_strides(shape)
        lead = 1 if spec.layout == "offset" else 0
    reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0)
    count = 0 if 0 in shape else lead + reach + 1
    if spec.layout == "strided" and count:
        count += 1  # the element skipped at the end belongs to the buffer
    guard = OUTPUT_GUARD if values is None else INPUT_GUARD
    image = np.full(2 * GUARD + count * size, guard, np.uint8)
    start = GUARD + lead * size + (1 if spec.layout == "misaligned" else 0)
    placed = Placed(spec, image, start, strides, values)
    if values is not None and count:
        if spec.layout in ("broadcast", "overlap"):  # one of what repeats: there may be billions
            part = tuple(slice(0, 1 if s == 0 else None) for s in strides)
            placed.view(image)[part] = numeric.to_storage(values[part], spec.dtype)
        else:
            placed.view(image)[...] = numeric.to_storage(values, spec.dtype)
    return placed


def fill(spec: ArraySpec, rng: np.random.Generator) -> Array:
    """Logical values for `spec`, already rounded to its type."""
    name, _, argument = spec.fill.partition("=")
    shape = spec.shape
    if spec.layout in ("broadcast", "overlap"):
        axis = next((i for i, n in enumerate(shape) if n > 1), None)
        shape = tuple(1 if i == axis else n for i, n in enumerate(shape))
    if name == "index":
        values = _indices(shape, argument, spec.dtype, rng)
    elif numeric.is_float(spec.dtype):
        values = numeric.round_to(_FLOAT_FILLS[name](shape, spec.dtype, rng), spec.dtype)
    elif name == "period":
        values = np.resize(rng.random(65_537) < 0.5, shape).astype(DTYPES[spec.dtype].numpy)
    elif name == "last":
        values = np.zeros(shape, DTYPES[spec.dtype].numpy)
        values.reshape(-1)[-1:] = 1
    elif spec.dtype == "bool":
        rate = {"zeros": 0.0, "ones": 1.0, "sparse": 0.001}.get(name, 0.5)
        values = rng.random(shape) < rate
    else:
        values = _integers(name, shape, spec.dtype, rng)
    repeated = np.broadcast_to(values, spec.shape)
    return repeated if repeated.size > _HUGE else np.array(repeated)


def _normal(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    return np.asarray(rng.standard_normal(shape))


def _small(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    return np.asarray(rng.integers(-3, 4, shape).astype(np.float64))


def _signs(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """-1 and 1, with up to four times 2 and 0.5: products stay exact in every type."""
    values = np.asarray(rng.choice([-1.0, 1.0], shape))
    flat = values.reshape(-1)
    if flat.size:
        flat[rng.integers(0, flat.size, 4)] *= rng.choice([2.0, 0.5], 4)
    return flat.reshape(shape)


def _near_one(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    return np.asarray(np.exp(rng.standard_normal(shape) * 0.02) * rng.choice([-1.0, 1.0], shape))


def _wide(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Magnitudes over the type's whole range, denormals included."""
    low, high = np.log2(numeric.tiny(dtype)), np.log2(numeric.largest(dtype))
    return np.asarray(np.exp2(rng.uniform(low, high, shape)) * rng.choice([-1.0, 1.0], shape))


def _medium(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Up to a hundred, where exponentials leave the range of half types."""
    return np.asarray(rng.uniform(-100, 100, shape))


def _specials(dtype: str) -> Array:
    least, normal, most = (
        numeric.tiny(dtype),
        numeric.smallest_normal(dtype),
        numeric.largest(dtype),
    )
    half = [0.5, 1.5, 2.5, 1.0, 2.0, 3.0, 10.0, numeric.eps(dtype), 1 + numeric.eps(dtype)]
    positive = [0.0, np.inf, least, 3 * least, normal - least, normal, most, *half]
    return np.array([np.nan, *positive, *(-x for x in positive)])


def _special(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    return np.asarray(rng.choice(_specials(dtype), shape))


def _cycle(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Every special value in turn; with `cycle` and `cycle-slow` all pairs meet."""
    return np.resize(_specials(dtype), shape)


def _cycle_slow(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    specials = _specials(dtype)
    return np.resize(np.repeat(specials, len(specials)), shape)


def _ties(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    return np.asarray(rng.choice([-2.0, -1.0, -0.0, 0.0, 1.0, 2.0], shape))


def _with_nan(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Mostly ordinary; some NaN and infinities."""
    values = rng.standard_normal(shape)
    odd = rng.random(shape)
    for level, value in ((0.02, np.nan), (0.04, np.inf), (0.06, -np.inf)):
        values = np.where((odd < level) & (odd >= level - 0.02), value, values)
    return np.asarray(values)


def _masked(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """-inf in places, and over the whole of every other leading index."""
    values = np.where(rng.random(shape) < 0.3, -np.inf, rng.standard_normal(shape))
    if len(shape) > 1:
        values[::2] = -np.inf
    return np.asarray(values)


def _bits(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Every bit pattern of a 16-bit type in turn."""
    patterns = np.resize(np.arange(65536, dtype=np.uint16), shape)
    return numeric.from_storage(patterns if dtype == "bf16" else patterns.view(np.float16), dtype)


def _constant(value: float) -> Callable[[tuple[int, ...], str, np.random.Generator], Array]:
    return lambda shape, dtype, rng: np.full(shape, value)


def _large_mean(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """A mean far from zero: one-pass variances lose all digits here."""
    return np.asarray(rng.standard_normal(shape) + 200.0)


def _ascending(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Rows in order, with ties, both zeros and, at the end, some NaN."""
    values = np.where(rng.random(shape) < 0.3, rng.choice(_specials(dtype), shape),
                      np.round(rng.standard_normal(shape), 1))  # fmt: skip
    return np.sort(values, -1) if values.ndim else values


_FLOAT_FILLS: dict[str, Callable[[tuple[int, ...], str, np.random.Generator], Array]] = {
    "normal": _normal,
    "small": _small,
    "signs": _signs,
    "near-one": _near_one,
    "wide": _wide,
    "medium": _medium,
    "special": _special,
    "cycle": _cycle,
    "cycle-slow": _cycle_slow,
    "ties": _ties,
    "with-nan": _with_nan,
    "masked": _masked,
    "bits": _bits,
    "zeros": _constant(0.0),
    "ones": _constant(1.0),
    "nan": _constant(np.nan),
    "nans": lambda shape, dtype, rng: np.where(
        rng.random(shape) < 0.03, np.nan, rng.standard_normal(shape)
    ),
    "minus-inf": _constant(-np.inf),
    "large-mean": _large_mean,
    "ascending": _ascending,
    "descending": lambda shape, dtype, rng: np.flip(_ascending(shape, dtype, rng), -1),
    "unit": lambda shape, dtype, rng: np.asarray(rng.random(shape)),
    "log-unit": lambda shape, dtype, rng: np.log(np.asarray(rng.random(shape)) + 1e-3),
    "sparse": lambda shape, dtype, rng: np.asarray((rng.random(shape) < 0.001).astype(np.float64)),
}


def _integers(name: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    kind = DTYPES[dtype].numpy
    info = np.iinfo(kind)
    if name == "backwards":  # indices that turn rows around
        return np.broadcast_to(np.arange(shape[-1] if shape else 1, dtype=kind)[::-1], shape)
    if name in ("ascending", "descending"):
        rows = np.sort(_integers("normal", shape, dtype, rng), -1)
        return np.flip(rows, -1) if name == "descending" else rows
    if name in ("zeros", "ones"):
        return np.full(shape, int(name == "ones"), kind)
    if name in ("small", "normal", "signs", "near-one", "ties", "sparse"):
        low, high = {"ties": (-2, 2), "sparse": (0, 1), "normal": (-100, 100)}.get(name, (-3, 3))
        return rng.integers(max(low, int(info.min)), high, shape, kind, endpoint=True)
    if name == "shift":
        return rng.integers(0 if info.min == 0 else -2, info.bits + 3, shape, kind)
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7, info.max // 2]
    if info.min < 0:
        edges += [-1, -2, -7]
    chosen = np.array(edges, kind)
    if name == "cycle":
        return np.resize(chosen, shape)
    if name == "cycle-slow":
        return np.resize(np.repeat(chosen, len(chosen)), shape)
    if name == "special":
        return np.asarray(rng.choice(chosen, shape))
    return rng.integers(info.min, info.max, shape, kind, endpoint=True)  # the whole range


def _indices(shape: tuple[int, ...], argument: str, dtype: str, rng: np.random.Generator) -> Array:
    """`index=N[,mode]`: indices into N; mode wrap (also negative), wild (also outside), same."""
    count, _, mode = argument.partition(",")
    n = int(count)
    kind = DTYPES[dtype].numpy
    if mode == "same":
        return np.full(shape, rng.integers(0, max(n, 1)), kind)
    if mode == "wild":
        chosen = rng.integers(-n - 3, n + 3, shape)
        info = np.iinfo(kind)
        chosen = np.where(rng.random(shape) < 0.05, rng.choice([info.min, info.max], shape), chosen)
        return np.asarray(chosen.astype(kind))
    low = -n if mode == "wrap" else 0
    return np.asarray(rng.integers(low, max(n, 1), shape).astype(kind))
