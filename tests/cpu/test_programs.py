"""Whole programs as people write them: unchanged and as HIP, with waves of 32 and 64 lanes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import HERE, Exe

PROGRAMS = sorted(path.name for path in (HERE / "programs").glob("*.cu"))
# Both spellings come from one text; by default these run as HIP only.
ONE_SPELLING = {
    "blas_level3.cu",
    "cub_block_more.cu",
    "graph_nodes.cu",
    "launch_config.cu",
    "solver.cu",
    "sparse.cu",
}
CASES = [
    pytest.param(name, via, marks=pytest.mark.slow if name in ONE_SPELLING and not via else ())
    for name in PROGRAMS
    for via in ("", "rocm")
] + [(name, "headers") for name in ("cub_block_sort.cu", "thrust.cu", "blas.cu")]


@pytest.mark.parametrize(("name", "via"), CASES)
def test_program_checks_itself(build: Callable[..., Exe], name: str, via: str) -> None:
    exe = build(f"programs/{name}", via=via, flags=("-O0",))
    outputs = set()
    for width in ("32", "64"):
        ran = exe.run(PORTGPU_WARP_SIZE=width)
        assert ran.code == 0, ran.err
        assert "PASS" in ran.out and "FAIL" not in ran.out
        outputs.add(ran.out)
    assert len(outputs) == 1
