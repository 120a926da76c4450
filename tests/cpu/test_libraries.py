"""Programs on libraries that have no HIP translation: with both widths, shuffled, and checked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Exe


@pytest.mark.parametrize("race", [False, True])
@pytest.mark.parametrize("name", ["libcuxx.cu"])
def test_program_checks_itself(build: Callable[..., Exe], name: str, race: bool, seed: int) -> None:
    exe = build(f"libraries/{name}", race=race)
    for width in ("32", "64"):
        for schedule in ("ordered", "shuffled"):
            ran = exe.run(
                PORTGPU_WARP_SIZE=width, PORTGPU_SCHEDULE=schedule, PORTGPU_SEED=str(seed)
            )
            assert (ran.code, ran.out, ran.err) == (0, "PASS\n", "")
