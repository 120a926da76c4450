"""half and bfloat16 of the CPU target against exact arithmetic in NumPy and fractions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from .conftest import Exe

FIELDS = [
    "half_rn",
    "half_rz",
    "half_ru",
    "half_rd",
    "bf_rn",
    "bf_rz",
    "bf_ru",
    "bf_rd",
    "half_double",
    "bf_double",
    "half_fma",
    "bf_fma",
    "half_add",
    "bf_add",
    "half_min",
    "bf_max",
]
TYPES = {"half": np.dtype(np.float16), "bf": np.dtype(ml_dtypes.bfloat16)}
N = 4000


def table(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """(values ascending, their bit patterns) of all non-negative finite numbers, and infinity's."""
    bits = np.arange(32768, dtype=np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaN
        values = bits.view(TYPES[kind]).astype(np.float64)
    keep = np.isfinite(values)
    return values[keep], bits[keep]


def rounded(kind: str, x: np.ndarray, mode: str) -> np.ndarray:
    """Bit patterns of float64 numbers rounded to the type; exact, by looking at both neighbours."""
    values, bits = table(kind)
    infinity = int(bits[-1]) + 1
    size = np.abs(x)
    low = np.searchsorted(values, size, side="right") - 1
    exact = values[low] == size
    # One step above the largest finite number, where rounding decides about infinity.
    top = values[-1] + (values[-1] - values[-2])
    above = np.append(values, top)[low + 1]
    middle = (values[low] + above) / 2
    negative = np.signbit(x)
    up = {
        "rn": (size > middle) | ((size == middle) & (low % 2 == 1)),
        "rz": np.zeros_like(negative),
        "ru": ~negative,
        "rd": negative,
    }[mode] & ~exact
    result = low + up
    result = np.where(np.isinf(x), infinity, result)
    return (result + np.where(negative, 0x8000, 0)).astype(np.uint16)


@pytest.fixture(scope="module")
def program(build: Callable[..., Exe]) -> Exe:
    return build("floats.cu")


def test_against_exact_arithmetic(program: Exe, seed: int) -> None:
    random = np.random.default_rng(seed)
    exponents = random.integers(-30, 20, (N, 3))
    x = (random.standard_normal((N, 3)) * 2.0**exponents).astype(np.float32)
    halves = random.integers(0, 0x7C00, N // 4).astype(np.uint16).view(np.float16)
    x[: N // 4, 0] = halves.astype(np.float32)  # exact ones
    x[N // 4 : N // 2, 0] = (halves.astype(np.float64) * (1 + 2.0**-11)).astype(np.float32)  # ties
    x[:9, 0] = [0, -0.0, np.inf, -np.inf, 65504, 65519.99, 65520, 3.4e38, 5.96e-8]
    d = x[:, 0].astype(np.float64) * (1 + random.integers(-2, 3, N) * 2.0**-40)
    stdin = np.int32(N).tobytes() + x.tobytes() + d.tobytes()
    done = subprocess.run([program.built.executable], input=stdin, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rows = np.frombuffer(done.stdout, np.uint16, N * len(FIELDS)).reshape(N, len(FIELDS))
    got = dict(zip(FIELDS, rows.T, strict=True))
    a64 = x[:, 0].astype(np.float64)
    for kind in TYPES:
        for mode in ("rn", "rz", "ru", "rd"):
            same(got[f"{kind}_{mode}"], rounded(kind, a64, mode), a64, f"{kind} {mode}")
        same(got[f"{kind}_double"], rounded(kind, d, "rn"), d, f"{kind} from double")
        a, b, c = (
            rounded(kind, x[:, j].astype(np.float64), "rn").view(TYPES[kind]) for j in range(3)
        )
        wide = [v.astype(np.float64) for v in (a, b, c)]
        with np.errstate(invalid="ignore"):
            total = wide[0] + wide[1]
        number = ~np.isnan(total)
        added = rounded(kind, np.where(number, total, 0), "rn")
        same(got[f"{kind}_add"][number], added[number], a64[number], f"{kind} add")
        for i in range(0, N, 7):
            if not all(np.isfinite(v[i]) for v in wide):
                continue
            exact = Fraction(wide[0][i]) * Fraction(wide[1][i]) + Fraction(wide[2][i])
            assert got[f"{kind}_fma"][i] == nearest(kind, exact, wide, i), (
                kind,
                [v[i] for v in wide],
            )
    half = [rounded("half", x[:, j].astype(np.float64), "rn").view(np.float16) for j in (0, 1)]
    same(got["half_min"].view(np.float16) == np.minimum(*half), np.ones(N, bool), a64, "min")
    rest = np.frombuffer(done.stdout, np.float32, 2 * 65536, N * len(FIELDS) * 2).reshape(-1, 2)
    bits = np.arange(65536, dtype=np.uint16)
    for column, kind in enumerate(TYPES):
        with np.errstate(invalid="ignore"):
            wanted = bits.view(TYPES[kind]).astype(np.float32)
        np.testing.assert_array_equal(rest[:, column], wanted)


def nearest(kind: str, exact: Fraction, wide: list[np.ndarray], i: int) -> int:
    """Bit pattern of an exact rational, to nearest even."""
    values, _bits = table(kind)
    size = abs(exact)
    low = min(int(np.searchsorted(values, float(size), side="right")) - 1, len(values) - 1)
    while low > 0 and Fraction(values[low]) > size:
        low -= 1
    while low + 1 < len(values) and Fraction(values[low + 1]) <= size:
        low += 1
    step = values[low + 1] - values[low] if low + 1 < len(values) else values[-1] - values[-2]
    middle = Fraction(values[low]) + Fraction(step) / 2
    up = size > middle or (size == middle and low % 2 == 1)
    if exact == 0:
        negative = np.signbit(wide[0][i] * wide[1][i]) and np.signbit(wide[2][i])
    else:
        negative = exact < 0
    return low + int(up) + (0x8000 if negative else 0)


def same(got: np.ndarray, wanted: np.ndarray, x: np.ndarray, what: str) -> None:
    wrong = np.flatnonzero(got != wanted)
    assert wrong.size == 0, (what, x[wrong[:5]], got[wrong[:5]], wanted[wrong[:5]])
