"""Seams to vendors' libraries: a BLAS with cuBLAS's functions stands in, and gets right arguments.

In a process of its own, since a library is opened once. Products are compared with NumPy.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = """
import ctypes, os, sys
import numpy as np
import portgpu.ops as pg

ops = pg.load("cpu", sys.argv[1])
fake = ctypes.CDLL(os.environ["PORTGPU_BLAS"])
rng = np.random.default_rng(int(sys.argv[2]))

def check(a, b, out=None, by="gemm", algorithm="library"):
    before = fake.fake_gemms(), fake.fake_gemvs()
    got = ops.matmul(a, b, algorithm=algorithm, out=out)
    now = fake.fake_gemms() - before[0], fake.fake_gemvs() - before[1]
    assert (now[0] > 0, now[1] > 0) == (by == "gemm", by == "gemv"), (a.shape, b.shape, by, now)
    want = a.astype(np.float64) @ b.astype(np.float64)
    assert got.shape == want.shape and np.abs(got - want).max(initial=0) < 1e-4, (a.shape, b.shape)

def some(*shape):
    return rng.standard_normal(shape).astype(np.float32)

for algorithm in ("library", "auto"):
    for m, n, k in ((3, 5, 7), (1, 4, 6), (6, 1, 3), (1, 1, 9), (17, 33, 65)):
        a, b = some(m, k), some(k, n)
        by = "gemv" if 1 in (m, n) else "gemm"
        check(a, b, by=by, algorithm=algorithm)
        check(some(k, m).T, b, by=by, algorithm=algorithm)
        check(a, some(n, k).T, by=by, algorithm=algorithm)
        check(some(k, m).T, some(n, k).T, by=by, algorithm=algorithm)
        check(a, b, out=np.empty((n, m), np.float32).T, by=by, algorithm=algorithm)
    wide = some(9, 20)
    check(wide[1:6, 3:10], some(12, 30)[2:9, 4:15], algorithm=algorithm)  # gaps between rows
    check(some(4, 3, 5), some(4, 5, 6), algorithm=algorithm)
    check(some(2, 4, 3, 5), some(4, 5, 6), algorithm=algorithm)
    check(some(4, 3, 5), some(5, 6), algorithm=algorithm)  # a repeated matrix
    check(some(2, 3, 4, 5)[:, ::-1], some(2, 3, 5, 6), algorithm=algorithm)
    check(some(5, 7)[:, ::-1], some(7, 3), algorithm="auto", by="portable")
check(some(3, 5), some(5, 4), algorithm="portable", by="portable")
check(some(0, 5), some(5, 4), by="portable")
check(some(3, 0), some(0, 4), by="portable")
try:
    ops.matmul(some(5, 7)[:, ::-1], some(7, 3), algorithm="library")
except pg.OpUnsupportedError as error:
    assert "the strides are not" in str(error)
else:
    raise AssertionError("not refused")
print("seam checked")
"""
FFT_CHECK = """
import ctypes, os, sys
import numpy as np
import portgpu.ops as pg

ops = pg.load("cpu", sys.argv[1])
fake = ctypes.CDLL(os.environ["PORTGPU_FFT"])
rng = np.random.default_rng(int(sys.argv[2]))

def pairs(z):
    return np.stack([z.real, z.imag], -1).astype(np.float32)

def check(got, want):
    assert got.shape == want.shape and np.abs(got - want).max(initial=0) < 1e-4, (got, want)

for rows, n in (((), 5), ((3,), 8), ((2, 3), 12), ((4,), 1)):
    x = rng.standard_normal((*rows, n)).astype(np.float32)
    z = rng.standard_normal((*rows, n)) + 1j * rng.standard_normal((*rows, n))
    half = np.fft.rfft(x)
    before = fake.fake_runs()
    for algorithm in ("library", "auto"):
        check(ops.fft(pairs(z), algorithm=algorithm), pairs(np.fft.fft(z)))
        check(ops.fft(pairs(z), inverse=True, algorithm=algorithm), pairs(np.fft.ifft(z)))
        check(ops.rfft(x, algorithm=algorithm), pairs(half))
        given = pairs(half)
        kept = given.copy()
        check(ops.irfft(given, n=n, algorithm=algorithm), x)
        assert (given == kept).all()  # though the library destroys such inputs
    assert fake.fake_runs() == before + 8
    check(ops.fft(pairs(z), algorithm="portable"), pairs(np.fft.fft(z)))
    assert fake.fake_runs() == before + 8
check(ops.rfft(np.repeat(x, 2, -1)[..., ::2]), pairs(half))  # gaps: our own kernels

# Plans are kept, but not without bound; those of a graph as long as it may be replayed.
x = rng.standard_normal(6).astype(np.float32)
out = np.empty((4, 2), np.float32)
with ops.capture() as graph:
    ops.rfft(x, out=out)
made = fake.fake_made()
for n in range(7, 207):
    ops.rfft(np.ones(n, np.float32))
assert fake.fake_made() == made + 200 and fake.fake_plans() <= 66, fake.fake_plans()
ops.rfft(np.ones(206, np.float32))
ops.rfft(x)  # the graph's
assert fake.fake_made() == made + 200
try:
    ops.fft(np.ones((4, 4, 2), np.float32)[:, ::-1], algorithm="library")
except pg.OpUnsupportedError as error:
    assert "not contiguous" in str(error)
else:
    raise AssertionError("not refused")
print("seam checked")
"""


@pytest.mark.parametrize(("kind", "check"), [("blas", CHECK), ("fft", FFT_CHECK)])
def test_by_a_library(cpu_library: Path, tmp_path: Path, seed: int, kind: str, check: str) -> None:
    source, fake = Path(__file__).parent / "fake" / f"fake_{kind}.c", tmp_path / "libfake.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, str(source), "-o", str(fake), "-lm"], check=True)
    done = subprocess.run(
        [sys.executable, "-c", check, str(cpu_library), str(seed)],
        env={**os.environ, f"PORTGPU_{kind.upper()}": str(fake)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and "seam checked" in done.stdout, done.stderr


@pytest.mark.parametrize("path", ["", "/nowhere/libblas.so"])
def test_without_a_library(cpu_library: Path, path: str) -> None:
    code = (
        "import sys, numpy as np, portgpu.ops as pg\n"
        "ops = pg.load('cpu', sys.argv[1]); x = np.ones((3, 3), np.float32)\n"
        "assert (ops.matmul(x, x) == 3).all() and (ops.matmul(x, x, algorithm='auto') == 3).all()\n"
        "try: ops.matmul(x, x, algorithm='library')\n"
        "except pg.OpUnsupportedError as error: print(error)\n"
        "try: ops.matmul(x, x, algorithm='fastest')\n"
        "except pg.OpValueError as error: print(error.hint)\n"
    )
    env = {**os.environ, "PORTGPU_BLAS": path} if path else os.environ
    done = subprocess.run(
        [sys.executable, "-c", code, str(cpu_library)], env=env, capture_output=True, text=True
    )
    assert "no blas library is found" in done.stdout and "PORTGPU_BLAS names one" in done.stdout
    assert (path in done.stdout) and "auto, library, portable" in done.stdout, done.stderr
