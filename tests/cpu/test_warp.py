"""Warp functions at every width and type, on physical warps of 32 and of 64."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Exe

WIDTHS = ["32", "64"]


@pytest.fixture(scope="module")
def cuda(build: Callable[..., Exe]) -> Exe:
    return build("warp.cu")


@pytest.fixture(scope="module")
def hip(build: Callable[..., Exe]) -> Exe:
    return build("waves.cpp")


@pytest.fixture(scope="module")
def translated(build: Callable[..., Exe]) -> Exe:
    return build("warp.cu", via="rocm")


@pytest.mark.parametrize("width", WIDTHS)
def test_translated_to_hip(translated: Exe, width: str, seed: int) -> None:
    # CUDA's warp of 32 keeps its meaning on a wave of 64.
    ran = translated.run(str(seed), PORTGPU_WARP_SIZE=width)
    assert (ran.code, ran.out, ran.err) == (0, "0 failures\n", "")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("schedule", ["ordered", "shuffled"])
def test_cuda_and_tiles(cuda: Exe, width: str, schedule: str, seed: int) -> None:
    ran = cuda.run(str(seed), PORTGPU_WARP_SIZE=width, PORTGPU_SCHEDULE=schedule)
    assert (ran.code, ran.out, ran.err) == (0, "0 failures\n", "")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("schedule", ["ordered", "shuffled"])
def test_hip(hip: Exe, width: str, schedule: str, seed: int) -> None:
    ran = hip.run(str(seed), PORTGPU_WARP_SIZE=width, PORTGPU_SCHEDULE=schedule)
    assert (ran.code, ran.out, ran.err) == (0, f"0 failures, warp of {width}\n", "")
