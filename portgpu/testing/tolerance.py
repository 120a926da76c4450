"""Tolerances (`portgpu/data/tolerances.toml`) and the comparison with the oracle."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from portgpu import resources
from portgpu.errors import ConfigError
from portgpu.ops.registry import Op
from portgpu.testing import numeric
from portgpu.testing.numeric import Array
from portgpu.testing.reference import Expected


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What one op may be off by; see the head of the data file."""

    ulp: Mapping[str, float]
    accumulate: float
    flush: float
    reason: str
    factor: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of one comparison. `message` is empty when it passed.

    `ulp` is the worst error in units of the output type's spacing at the exact value (at the
    scale of the accumulated terms where those cancel), `used` the worst fraction of the tolerance.
    """

    message: str
    ulp: float
    used: float


@functools.cache
def _table() -> dict[str, Any]:
    path = resources.data("tolerances.toml")
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}", hint="correct the TOML at that place") from None


def find(op: Op) -> Tolerance:
    """The tolerance of `op`; raises `ConfigError` when its class is not in the table."""
    classes = _table()["class"]
    if op.tolerance not in classes:
        raise ConfigError(
            f"op {op.name!r} has tolerance class {op.tolerance!r}, which is not in tolerances.toml",
            hint=f"add it, or use one of {', '.join(classes)}",
        )
    entry = {**classes[op.tolerance], **_table().get("op", {}).get(op.name, {})}
    return Tolerance(
        entry["ulp"],
        float(entry.get("accumulate", 0.0)),
        float(entry.get("flush", 0.0)),
        str(entry["reason"]),
        entry.get("factor", {}),
    )


def compare(bits: Array, expected: Expected, dtype: str, tolerance: Tolerance) -> Verdict:
    """Compare an output (storage of `dtype`) with the oracle."""
    got = numeric.from_storage(bits, dtype)
    want = np.asarray(expected.value)
    if got.shape != want.shape:
        return Verdict(f"shape {got.shape}, the oracle says {want.shape}", np.inf, np.inf)
    if not got.size:
        return Verdict("", 0.0, 0.0)
    if not numeric.is_float(dtype):
        return _equal(got, want, expected.also, dtype)
    return _close(got, want.astype(np.float64), expected, dtype, tolerance)


def _equal(got: Array, want: Array, also: Array | None, dtype: str) -> Verdict:
    if dtype == "bool":
        raw = got.view(np.uint8)
        if (raw > 1).any():
            where = _first(raw > 1)
            return Verdict(f"at {where}: byte {raw[where]} is no bool", np.inf, np.inf)
    wrong = got != want
    if also is not None:
        wrong &= got != also
    if not wrong.any():
        return Verdict("", 0.0, 0.0)
    where = _first(wrong)
    return Verdict(
        f"{int(wrong.sum())} of {got.size} differ; first at {where}: "
        f"got {got[where]}, want {want[where]}",
        np.inf,
        np.inf,
    )


def _close(
    got: Array, want: Array, expected: Expected, dtype: str, tolerance: Tolerance
) -> Verdict:
    allowed = float(tolerance.ulp.get(dtype, 0.0))
    spacing = numeric.ulp(want, dtype)
    rounded = numeric.round_to(want, dtype)
    with np.errstate(all="ignore"):
        bound = allowed * spacing
        unit = spacing
        if tolerance.accumulate:
            scale = np.abs(want if expected.scale is None else expected.scale)
            scale = np.nan_to_num(scale, nan=0.0, posinf=0.0)
            slack = np.sqrt(expected.terms) * numeric.eps(numeric.accumulator(dtype)) * scale
            bound = bound + tolerance.accumulate * slack
            unit = np.maximum(spacing, numeric.ulp(scale, dtype))
        if expected.inner is not None:
            factor = tolerance.factor.get(dtype, 0.0)
            bound = bound + factor * numeric.eps(dtype) * expected.inner
        if tolerance.flush:
            least = numeric.smallest_normal(dtype)
            bound = bound + tolerance.flush * least
            small = np.abs(want) <= tolerance.flush * least
            unit = np.where(small, np.maximum(least, unit), unit)
        # Overflow: an infinity counts as the first number beyond the largest.
        beyond = numeric.largest(dtype) + numeric.ulp(np.array(numeric.largest(dtype)), dtype)
        with_limit = np.where(np.isinf(got) & np.isfinite(want), np.copysign(beyond, got), got)
        error = np.abs(with_limit - np.where(np.isinf(want), 0, want))
        both_nan = np.isnan(got) & np.isnan(rounded)
        same = (got == rounded) | both_nan
        comparable = np.isfinite(want) & ~np.isnan(got)
        wrong = ~same & ~(comparable & (error <= bound))
        if expected.zero_sign:
            zeros = (got == 0) & (want == 0)
            wrong |= zeros & (np.signbit(got) != np.signbit(want))
        error = np.where(same & ~np.isfinite(want), 0.0, error)
        error = np.where(both_nan, 0.0, error)
        error_ulps = np.where(same, np.minimum(error / unit, 0.5), error / unit)
        ulps = np.where(comparable, error_ulps, np.where(wrong, np.inf, 0.0))
        part = np.where(same, np.minimum(error / np.maximum(bound, spacing), 1.0), error / bound)
        used = np.where(comparable, part, np.where(wrong, np.inf, 0.0))
    worst = float(np.nanmax(ulps))
    if not wrong.any():
        return Verdict("", worst, float(np.nanmax(used)))
    where = _first(wrong)
    return Verdict(
        f"{int(wrong.sum())} of {got.size} differ; first at {where}: got {float(got[where])!r}, "
        f"want {float(rounded[where])!r} (exactly {float(want[where])!r}), "
        f"allowed error {bound[where]:.3g}",
        worst,
        float(np.nanmax(used)),
    )


def _first(wrong: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(np.atleast_1d(wrong))[0][: wrong.ndim])
