"""Programs on libraries that have no HIP translation: with both widths, shuffled, and checked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from portgpu import cli
from portgpu.errors import Exit

from .conftest import HERE, Exe


@pytest.mark.parametrize(
    ("name", "race"),
    [
        pytest.param("libcuxx.cu", False, marks=pytest.mark.slow),
        ("libcuxx.cu", True),
        ("launch_ex.cu", False),
    ],
)
def test_program_checks_itself(build: Callable[..., Exe], name: str, race: bool, seed: int) -> None:
    exe = build(f"libraries/{name}", race=race, flags=("-O0",))
    for width in ("32", "64"):
        for schedule in ("ordered", "shuffled"):
            ran = exe.run(
                PORTGPU_WARP_SIZE=width, PORTGPU_SCHEDULE=schedule, PORTGPU_SEED=str(seed)
            )
            assert (ran.code, ran.out, ran.err) == (0, "PASS\n", "")


def test_cluster_of_two_blocks_is_located(build: Callable[..., Exe]) -> None:
    ran = build("libraries/launch_ex.cu", flags=("-O0",)).run("2")
    assert ran.code == 86
    line = (HERE / "libraries/launch_ex.cu").read_text().split("cudaLaunchKernelEx(")[0].count("\n")
    assert f"launch_ex.cu:{line + 1}: a launch with clusters of 2 x 1 x 1" in ran.err
    assert "error PG4024: " in ran.err


NAMES = """
int main() {
  ncclComm_t c;  // ncclComm_t
  cudaFooBarEverywhere(1);  // cudaFooBarEverywhere
  typo_of_mine(3);
  cub::Fantasy<int> x;  // Fantasy
  return cublasLtCreate(0);  // cublasLtCreate
}
"""


@pytest.mark.parametrize("cxx", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_what_is_missing_is_located(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], cxx: str
) -> None:
    cxx = next((p for v in ("", "-19", "-15") if (p := shutil.which(cxx + v))), "")
    if not cxx:
        pytest.skip("not installed")
    for text in ("#include <cudnn.h>  // the header cudnn.h\n", "#include <cub/cub.cuh>" + NAMES):
        (tmp_path / "m.cu").write_text(text)
        code = cli.run(
            ["run", str(tmp_path / "m.cu"), "--build-dir", str(tmp_path / "b"), "--cxx", cxx]
        )
        said = capfd.readouterr().err
        assert code == Exit.BUILD
        want = {
            (number, line.split("// ")[1])
            for number, line in enumerate(text.splitlines(), 1)
            if "// " in line
        }
        found = re.findall(r"m\.cu:(\d+): PG4023: the CPU target does not have (.+)", said)
        assert {
            (int(n), name.removeprefix("cub::")) for n, name in found if " more" not in name
        } >= want
        assert "typo_of_mine" not in {name for _, name in found}
        assert re.search(r"error: \S*m\.cu:\d+: PG4023: ", said)
