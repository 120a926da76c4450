"""`portgpu run`: what it accepts, how it ends, and that it compiles nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from portgpu import cli
from portgpu.errors import Exit
from portgpu.run import executors
from portgpu.run.cpu import known_archs

from .conftest import HERE, Exe

PROGRAM = """#include <cstdio>
#include <cstdlib>
#include "part.cuh"
int main(int argc, char** argv) {
  int *p, h = 0;
  if (cudaMalloc(&p, sizeof(int)) != cudaSuccess) return 9;
  add<<<1, 64>>>(p, argc > 2 ? atoi(argv[2]) : 1);
  cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %s\\n", h, argc > 1 ? argv[1] : "-");
  return h == WANTED ? 0 : 3;
}
"""
PART = """#pragma once
__global__ void add(int* p, int v) {
  __shared__ int s[64];
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    *p = sum;
  }
}
"""
HIP = """#include <hip/hip_runtime.h>
__global__ void k(int* p) { *p = warpSize; }
int main() {
  int *p, h;
  (void)hipMalloc(&p, 4);
  hipLaunchKernelGGL(k, dim3(1), dim3(1), 0, 0, p);
  (void)hipMemcpy(&h, p, 4, hipMemcpyDeviceToHost);
  return h;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("run programs")  # a space in the path
    (root / "main.cu").write_text(PROGRAM)
    (root / "part.cuh").write_text(PART)
    (root / "wave.hip").write_text(HIP)
    return root


def run(folder: Path, *args: str) -> int:
    build = ["--build-dir", str(folder / "b")]
    at = args.index("--") if "--" in args else len(args)
    return cli.run(["run", *args[:at], *build, *args[at:]])


def test_arguments_output_and_exit_code(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTGPU_WARP_SIZE", "64")
    main = str(folder / "main.cu")
    assert run(folder, main, "-D", "WANTED=128", "--", "--race", "2") == 0
    assert capfd.readouterr().out == "128 --race\n"
    assert run(folder, main, "-D", "WANTED=128", "--", "x", "3") == 3
    assert capfd.readouterr().out == "192 x\n"
    # The same program again: no compiler runs, even with a PATH that has none.
    assert run(folder, main, "-D", "WANTED=128", "-v", "--", "x", "2") == 0
    assert capfd.readouterr().out == "128 x\n"


def test_hip_source_sees_the_native_width(folder: Path) -> None:
    wave = str(folder / "wave.hip")
    assert run(folder, wave, "--warp-size", "64") == 64
    assert run(folder, wave, "--as", "gfx1030") == 32
    assert run(folder, wave, "--as", "gfx90a") == 64


def test_a_header_that_changes_is_compiled_again(folder: Path) -> None:
    main = str(folder / "main.cu")
    (folder / "part.cuh").write_text(PART.replace("*p = sum", "*p = sum + 1"))
    assert run(folder, main, "-D", "WANTED=65") == 0
    (folder / "part.cuh").write_text(PART)


def test_compile_error_names_the_original(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad = folder / "bad.cu"
    bad.write_text("#include <cstdio>\n\nint main() { cudaExternalMemory_t h; return 0; }\n")
    assert run(folder, str(bad)) == Exit.BUILD
    err = capfd.readouterr().err
    assert f"{bad}:3:" in err
    assert "cudaExternalMemory_t" in err
    assert "docs/cpu-target.md" in err


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["missing.cu"], Exit.USAGE, "missing.cu: no such file"),
        (["main.cu", "--target", "cdua"], Exit.USAGE, "did you mean cuda"),
        (["main.cu", "--as", "gfx90b"], Exit.USAGE, "gfx90a"),
        (["main.cu", "--as", "sm_90", "--warp-size", "64"], Exit.USAGE, "32 lanes"),
        (["main.cu", "--race", "--sanitize", "address"], Exit.USAGE, "run twice"),
        (["main.cu", "--cxx", "no-such-compiler"], Exit.TOOLCHAIN, "no-such-compiler"),
        (["main.cu", "--warp-size", "48"], Exit.USAGE, "48"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_bad_input(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    code: Exit,
    words: str,
) -> None:
    monkeypatch.chdir(folder)
    assert run(folder, *args) == code
    err = capfd.readouterr().err
    assert words in err
    assert "Traceback" not in err


def test_unwritable_build_folder(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "file").write_text("")
    code = cli.run(["run", str(folder / "main.cu"), "--build-dir", str(folder / "file" / "x")])
    assert code == Exit.IO
    assert "Traceback" not in capfd.readouterr().err


def test_api(build: Callable[..., Exe]) -> None:
    exe = build("api.cu")
    for width in ("32", "64"):
        for schedule in ("ordered", "shuffled"):
            ran = exe.run(PORTGPU_WARP_SIZE=width, PORTGPU_SCHEDULE=schedule)
            assert (ran.code, ran.out, ran.err) == (0, "0 mistakes\n", "")


def test_block_level_cub(build: Callable[..., Exe]) -> None:
    ran = build("cub.cu", race=True).run()
    assert (ran.code, ran.out, ran.err) == (0, "0 mistakes\n", "")


def test_one_table_of_executors() -> None:
    assert executors.names()[:3] == ("cpu", "cuda", "rocm")
    assert all(name == executors.find(name).name for name in executors.names())
    assert {"sm_90", "gfx90a", "gfx1030"} <= set(known_archs())
    assert known_archs()["gfx90a"] == 64
    assert (HERE / "api.cu").is_file()
