"""cuFFT and hipFFT on the CPU target, against NumPy."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from .conftest import Exe

TYPES = {"C2C": 0x29, "Z2Z": 0x69, "R2C": 0x2A, "D2Z": 0x6A, "C2R": 0x2C, "Z2D": 0x6C}
SHAPES = [(1,), (8,), (12,), (97,), (131,), (6, 10), (3, 4, 5), (1, 9)]


def run(exe: Exe, *args: object, data: bytes) -> bytes:
    done = subprocess.run(
        [str(exe.built.executable), *map(str, args)],
        input=data,
        env={**os.environ, **exe.built.env},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def expected(kind: str, x: Any, shape: tuple[int, ...], sign: int) -> Any:
    axes = tuple(range(1, 1 + len(shape)))
    if kind in ("R2C", "D2Z"):
        return np.fft.rfftn(x, axes=axes)
    count = np.prod(shape)
    if kind in ("C2R", "Z2D"):
        return np.fft.irfftn(x, s=shape, axes=axes) * count
    return np.fft.fftn(x, axes=axes) if sign < 0 else np.fft.ifftn(x, axes=axes) * count


@pytest.mark.parametrize("via", ["", "rocm"])
def test_transforms(build: Callable[..., Exe], via: str, seed: int) -> None:
    exe = build("libraries/fft.cu", via=via)
    rng = np.random.default_rng(seed)
    for kind, code in TYPES.items():
        double = kind in ("Z2Z", "D2Z", "Z2D")
        real, cplx = (np.float64, np.complex128) if double else (np.float32, np.complex64)
        for shape in SHAPES if not via else SHAPES[2:6]:
            batch = int(rng.integers(1, 4))
            sign = int(rng.choice([-1, 1]))
            half = (*shape[:-1], shape[-1] // 2 + 1)
            x = rng.standard_normal((batch, *shape))
            if kind in ("C2R", "Z2D"):
                x = np.fft.rfftn(x, axes=tuple(range(1, 1 + len(shape))))
            elif kind in ("C2C", "Z2Z"):
                x = x + 1j * rng.standard_normal(x.shape)
            x = x.astype(real if kind in ("R2C", "D2Z") else cplx)
            want = expected(kind, x.astype(np.result_type(x, np.float64)), shape, sign)
            out_type = real if kind in ("C2R", "Z2D") else cplx
            out_shape = (batch, *(half if kind in ("R2C", "D2Z") else shape))
            for mode in [str(rng.choice(["plain", "in place", "interleaved"]))]:
                data = x
                if mode == "in place" and kind in ("R2C", "D2Z"):
                    data = np.zeros((*x.shape[:-1], 2 * half[-1]), real)
                    data[..., : shape[-1]] = x
                if mode == "interleaved":
                    data = np.ascontiguousarray(np.moveaxis(x, 0, -1))
                bytes_out = int(np.prod(out_shape)) * np.dtype(out_type).itemsize
                padded = mode == "in place" and kind in ("C2R", "Z2D")
                if padded:
                    bytes_out = batch * int(np.prod(half)) * np.dtype(cplx).itemsize
                got = run(
                    exe, code, len(shape), *shape, batch, sign, int(mode == "in place"),
                    data.nbytes, bytes_out, *(["1"] if mode == "interleaved" else []),
                    data=data.tobytes(),
                )  # fmt: skip
                y = np.frombuffer(got, out_type)
                if padded:
                    y = y.reshape(batch, *shape[:-1], 2 * half[-1])[..., : shape[-1]]
                elif mode == "interleaved":
                    y = np.moveaxis(y.reshape(*out_shape[1:], batch), -1, 0)
                else:
                    y = y.reshape(out_shape)
                error = np.abs(y - want).max() / (np.abs(want).max() + 1e-30)
                assert error < (1e-14 if double else 2e-7), (kind, shape, mode, error)
