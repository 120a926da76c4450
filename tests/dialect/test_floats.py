"""Software conversions, bit for bit against NumPy and ml_dtypes."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from .conftest import HERE, compiler, run

# name -> (reference type, largest finite value, what lies beyond it: "inf" or "largest")
FORMATS: dict[str, tuple[Any, float, str]] = {
    "e4m3": (ml_dtypes.float8_e4m3fn, 448.0, "largest"),
    "e5m2": (ml_dtypes.float8_e5m2, 57344.0, "inf"),
    "e4m3_fnuz": (ml_dtypes.float8_e4m3fnuz, 240.0, "largest"),
    "e5m2_fnuz": (ml_dtypes.float8_e5m2fnuz, 57344.0, "largest"),
    "half": (np.float16, 65504.0, "inf"),
    "bfloat16": (ml_dtypes.bfloat16, 3.3895313892515355e38, "inf"),
}


@pytest.fixture(scope="module")
def library(
    include: dict[str, Path], runtime: Path, tmp_path_factory: pytest.TempPathFactory
) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("floats")
    run(
        [
            *compiler("cpu", include),
            "-fPIC",
            str(HERE / "floats.cu"),
            "-o",
            str(folder / "floats.o"),
        ]
    )
    out = folder / "floats.so"
    run(
        [
            "g++",
            "-shared",
            str(folder / "floats.o"),
            str(runtime),
            "-o",
            str(out),
            "-pthread",
            "-ldl",
        ]
    )
    return ctypes.CDLL(str(out))


@pytest.mark.parametrize("name", FORMATS)
def test_conversions(library: ctypes.CDLL, name: str, seed: int) -> None:
    reference, largest, beyond = FORMATS[name]
    bits = np.dtype(reference).itemsize * 8
    word = np.uint8 if bits == 8 else np.uint16
    every = np.arange(2**bits, dtype=word).view(reference).astype(np.float32)
    with np.errstate(all="ignore"):
        middles = (every[:-1] / 2 + every[1:] / 2).astype(np.float32)
        around = np.concatenate([np.nextafter(middles, np.float32(s * np.inf)) for s in (-1, 1)])
    random = (
        np.random.default_rng(seed).integers(0, 2**32, 100000, dtype=np.uint32).view(np.float32)
    )
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38], np.float32)
    x = np.concatenate([every, middles, around, random, special])
    got, back = np.zeros(x.size, word), np.zeros(x.size, np.float32)
    call = getattr(library, name)
    call(*(a.ctypes.data_as(ctypes.c_void_p) for a in (x, got, back)), ctypes.c_int(x.size))

    with np.errstate(all="ignore"):
        want = x.astype(reference)
    value = want.astype(np.float32)
    # Where the reference leaves the finite range: the formats without infinity keep the largest.
    outside = ~np.isnan(x) & ~np.isfinite(value)
    limit = np.inf if beyond == "inf" else largest
    value[outside] = np.copysign(np.float32(limit), x[outside])
    nan = np.isnan(x)
    assert np.isnan(back[nan]).all()
    wrong = ~nan & (back.view(np.uint32) != value.view(np.uint32))
    assert not wrong.any(), list(zip(x[wrong][:5], back[wrong][:5], value[wrong][:5], strict=True))
    inside = ~nan & ~outside
    assert (got[inside] == want.view(word)[inside]).all()
