"""Data races between blocks, orders of blocks, misaligned vectors of the dialect."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from .conftest import Exe
from .test_bugs import BUGS, check, planted

BLOCKS = planted("blocks.cu")


@pytest.fixture(scope="module")
def blocks(build: Callable[..., Exe]) -> Exe:
    return build("bugs/blocks.cu", race=True, race_blocks=True, flags=("-O1",))


@pytest.mark.parametrize(("file", "name", "marks"), BLOCKS, ids=[c[1] for c in BLOCKS])
def test_race_between_blocks_is_found(
    blocks: Exe, file: str, name: str, marks: dict[int, set[str]], seed: int
) -> None:
    """The shadow memory does not depend on the order in which blocks happen to run."""
    check(blocks, file, name, marks)
    ran = blocks.run("bad", name, PORTGPU_SCHEDULE="all", PORTGPU_SEED=str(seed))
    assert ran.code == 86 and "error PG4041" in ran.err
    assert "nothing orders the two blocks" in ran.err


@pytest.mark.parametrize("schedule", ["ordered", "blocks", "all"])
def test_correct_twins_pass(blocks: Exe, schedule: str, seed: int) -> None:
    ran = blocks.run("good", PORTGPU_SCHEDULE=schedule, PORTGPU_SEED=str(seed))
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_order_of_blocks(build: Callable[..., Exe], seed: int) -> None:
    """A shuffled order makes a program fail that counts on the order of blocks."""
    exe = build("bugs/blocks.cu", flags=("-O0",))
    assert exe.run("bad", "in_place", PORTGPU_CPU_THREADS="1").code == 0  # right by luck
    ran = exe.run("bad", "in_place", PORTGPU_SCHEDULE="blocks", PORTGPU_SEED=str(seed))
    again = exe.run("bad", "in_place", PORTGPU_SCHEDULE="blocks", PORTGPU_SEED=str(seed))
    assert ran == again  # a seed repeats the order
    codes = {
        exe.run("bad", "in_place", PORTGPU_SCHEDULE="blocks", PORTGPU_SEED=str(s)).code
        for s in range(seed, seed + 6)
    }
    assert 1 in codes
    one = {"PORTGPU_CPU_THREADS": "1", "PORTGPU_CPU_TIMEOUT": "2"}
    assert exe.run("chain", **one).code == 0
    ran = exe.run("chain", PORTGPU_SCHEDULE="blocks", PORTGPU_SEED=str(seed), **one)
    assert ran.code == 86 and re.search(r"PG4010: \S*blocks.cu:\d+: ", ran.err), ran.err


@pytest.mark.parametrize("kind", ["load", "store", "streaming", "copy"])
def test_misaligned_vector_of_the_dialect(build: Callable[..., Exe], kind: str) -> None:
    exe = build("bugs/vectors.cu", flags=("-O0",))
    assert exe.run(kind, "0").code == 0
    ran = exe.run(kind, "1")
    assert ran.code == 86
    said = re.search(
        r"error PG4033: \S*vectors\.cu:(\d+): .*not a multiple of (8|16) bytes", ran.err
    )
    assert said, ran.err
    line = (BUGS / "vectors.cu").read_text().splitlines()[int(said[1]) - 1]
    assert line.endswith(f"// {kind}")
    assert "thread (0,0,0)" in ran.err
    ran = exe.run(kind, "1", PORTGPU_CPU_IGNORE="PG4033")
    assert ran.code == 0 and "warning PG4033" in ran.err
