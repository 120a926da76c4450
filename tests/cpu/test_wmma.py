"""nvcuda::wmma fragments on the CPU target, against NumPy in float64."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from .conftest import Exe

KINDS: dict[str, tuple[tuple[int, int, int], Any, Any]] = {
    "half": ((16, 16, 16), np.float16, np.float32),
    "half_sums": ((32, 8, 16), np.float16, np.float16),
    "bf16": ((8, 32, 16), ml_dtypes.bfloat16, np.float32),
    "int8": ((16, 16, 16), np.int8, np.int32),
    "tf32": ((16, 16, 8), np.float32, np.float32),
    "double": ((8, 8, 4), np.float32, np.float64),
}


def tf32(x: Any) -> Any:
    """What the multipliers see: 10 bits of the mantissa."""
    return (x.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32)


@pytest.fixture(scope="module")
def exe(build: Callable[..., Exe]) -> Exe:
    return build("wmma.cu", flags=("-O0",))


def call(exe: Exe, *args: str, data: bytes, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(exe.built.executable), *args],
        input=data,
        env={**os.environ, **exe.built.env, **env},
        capture_output=True,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_products(exe: Exe, kind: str, seed: int) -> None:
    (m, n, k), source, sums = KINDS[kind]
    rng = np.random.default_rng(seed)
    layouts = list(product((1, 0), repeat=3))
    for place, (a_rows, b_rows, c_rows) in enumerate(rng.permutation(layouts)[:6]):
        width = ("32", "64")[place % 2]
        draw = rng.integers if kind == "int8" else rng.uniform
        a, b, c = (draw(-8, 8, s).astype(source) for s in ((m, k), (k, n), (m, n)))
        c = c.astype(sums)
        order = [x.T if not rows else x for x, rows in ((a, a_rows), (b, b_rows), (c, c_rows))]
        data = b"".join(np.ascontiguousarray(x).astype(np.float64).tobytes() for x in order)
        flags = [str(int(f)) for f in (a_rows, b_rows, c_rows)]
        done = call(exe, kind, *flags, data=data, PORTGPU_WARP_SIZE=width)
        assert done.returncode == 0, done.stderr.decode()
        got = np.frombuffer(done.stdout, np.float64)
        got = got.reshape(m, n) if c_rows else got.reshape(n, m).T
        left, right = (tf32(a), tf32(b)) if kind == "tf32" else (a, b)
        exact = left.astype(np.float64) @ right.astype(np.float64)
        want = 2 * exact + c.astype(np.float64)
        scale = 2 * np.abs(left.astype(float)) @ np.abs(right.astype(float)) + np.abs(
            c.astype(float)
        )
        if kind == "int8":
            assert np.array_equal(got, want)
        else:
            eps = 2**-10 if kind == "half_sums" else 2**-23
            assert (np.abs(got - want) <= eps * (scale + np.abs(want))).all()


def test_misuse_is_located(exe: Exe) -> None:
    data = bytes(8 * 3 * 256)
    done = call(exe, "half", "1", "1", "1", "misaligned", data=data)
    assert done.returncode == 86
    assert b"error PG4033: " in done.stderr and b"wmma.cu:21: load_matrix_sync" in done.stderr
