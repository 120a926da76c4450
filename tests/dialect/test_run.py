"""device_check.cu on the CPU target at 32 and 64 lanes, and the mistakes it reports."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import HERE, compiler, run


def _link(source: Path, include: dict[str, Path], runtime: Path, folder: Path) -> Path:
    run([*compiler("cpu", include), str(source), "-o", str(folder / "program.o")])
    run(
        [
            "g++",
            str(folder / "program.o"),
            str(runtime),
            "-o",
            str(folder / "program"),
            "-pthread",
            "-ldl",
        ]
    )
    return folder / "program"


@pytest.fixture(scope="module")
def program(
    include: dict[str, Path], runtime: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("device_check")
    return _link(HERE / "device_check.cu", include, runtime, folder)


@pytest.mark.parametrize("warp", ["32", "64"])
def test_every_function(program: Path, warp: str, seed: int) -> None:
    out = run([str(program), str(seed % 100000)], PORTGPU_WARP_SIZE=warp)
    assert f"warp {warp}" in out
    assert "FAIL" not in out
    assert int(out.splitlines()[-1].split()[0]) > (1500 if warp == "32" else 1600)
    assert ("warp_sum<64> f32" in out) == (warp == "64")


def test_shuffled_schedule(program: Path, seed: int) -> None:
    out = run([str(program)], PORTGPU_SCHEDULE="shuffled", PORTGPU_SEED=str(seed % 1000))
    assert "FAIL" not in out


MISTAKES = {
    "error PG4033": "*y = pg::load_vec<4>(y + 1)[0];",
    "PG_ASSERT failed: threadIdx.x > 1000": "PG_ASSERT(threadIdx.x > 1000); *y = 0;",
    "PG_ASSERT failed": "*y = pg::block_sum<128>(1.0f);  // the block has 64 threads",
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_are_named(
    message: str, include: dict[str, Path], runtime: Path, tmp_path: Path
) -> None:
    source = tmp_path / "mistake.cu"
    source.write_text(
        '#include "portgpu.h"\n'
        f"__global__ void k(float* y) {{\n  {MISTAKES[message]}\n}}\n"
        "int main() {\n  void* p;\n  int status = pg::malloc_device(&p, 1024);\n"
        "  status |= PG_LAUNCH(k, 1, 64, 0, nullptr, static_cast<float*>(p));\n"
        "  return status | pg::device_synchronize();\n}\n"
    )
    done = subprocess.run(
        [str(_link(source, include, runtime, tmp_path))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    if "PG4033" in message:
        assert "mistake.cu:3" in done.stderr


def test_divergent_warp_function_names_its_line(
    include: dict[str, Path], runtime: Path, tmp_path: Path
) -> None:
    source = tmp_path / "divergent.cu"
    source.write_text(
        '#include "portgpu.h"\n__global__ void k(float* y) {\n  if (threadIdx.x < 16)\n'
        "    *y = pg::warp_sum<32>(1.0f);\n  pg::syncblock();\n}\n"
        "int main() {\n  void* p;\n  int status = pg::malloc_device(&p, 64);\n"
        "  return status | PG_LAUNCH(k, 1, 64, 0, nullptr, static_cast<float*>(p));\n}\n"
    )
    done = subprocess.run(
        [str(_link(source, include, runtime, tmp_path))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "divergent.cu:4" in done.stdout + done.stderr
