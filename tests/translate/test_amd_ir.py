"""What AMD's compiler makes of translated device code, run on this machine (see `amd/run.py`).

The CPU target, which runs the CUDA original with code of its own, is what it is held against.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from portgpu import headers, resources
from portgpu.cli import run as portgpu

from .amd import functions
from .amd.run import HERE, output, run

pytestmark = pytest.mark.rocm_compiler
COMPAT = f"-I{resources.templates('compat')}"


def translated(source: Path, folder: Path) -> Path:
    target = folder / "hip" / source.name
    assert portgpu(["translate", str(source), "-o", str(target), "-q"]) == 0
    return target


def on_cpu(source: Path, folder: Path, capfd: pytest.CaptureFixture[str], *options: str) -> str:
    capfd.readouterr()
    assert portgpu(["run", str(source), "--build-dir", str(folder / "cpu"), *options]) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize("arch", ["gfx90a", pytest.param("gfx1030", marks=pytest.mark.slow)])
def test_warps_and_groups(tmp_path: Path, arch: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A logical warp of 32 on waves of 64 and 32, in divergent code too."""
    expected = on_cpu(HERE / "groups.cu", tmp_path, capfd, "-D", "SEED=5").split()
    driver = """
#include "runtime.h"
#include <cstdio>
extern "C" void groups(const unsigned*, unsigned*);
int main() {
  static unsigned in[256], out[96 * 64];
  unsigned seed = 5;
  for (auto& x : in) x = (seed = seed * 1664525u + 1013904223u) >> 12;
  run_grid(1, 96, 1, 1, [&] { groups(in, out); });
  for (unsigned x : out) printf("%u\\n", x);
}
"""
    kernels = translated(HERE / "groups.cu", tmp_path)
    found = output(kernels, driver, tmp_path, arch, [COMPAT, "-DKERNEL_ONLY"]).split()
    wrong = [(i // 64, i % 64, a, b) for i, (a, b) in enumerate(zip(expected, found, strict=True))
             if a != b]  # fmt: skip
    assert not wrong, wrong[:10]


@pytest.mark.parametrize("route", ["rewrite", "headers"])
def test_values_that_one_lane_sets(tmp_path: Path, route: str) -> None:
    """`if (lane == 0) n = f(); n = __shfl_sync(m, n, 0);`: f is called once a warp.

    Clang would take a parameter by value for the promise that it is set, and drop the condition.
    """
    driver = """
#include "runtime.h"
#include <cstdio>
extern "C" void unset(int*, int*);
int main() {
  int counts[4] = {}, out[64];
  run_grid(1, 64, 1, 1, [&] { unset(counts, out); });
  printf("%d %d %d %d", counts[0], counts[1], counts[2], counts[3]);
}
"""
    if route == "headers":
        headers.render_shadow("rocm", tmp_path / "shadow")
        flags = [f"@{tmp_path / 'shadow' / 'portgpu-rocm.rsp'}"]
        assert output(HERE / "unset.cu", driver, tmp_path, flags=flags) == "2 4 2 2"
    else:
        from portgpu.toolchain.model import UNSET_VALUES

        kernels = translated(HERE / "unset.cu", tmp_path)
        plain = output(kernels, driver, tmp_path / "plain", flags=[COMPAT])
        assert plain.split()[:3] == ["2", "4", "2"]  # without a flag, a function in between is lost
        assert output(kernels, driver, tmp_path, flags=[COMPAT, *UNSET_VALUES]) == "2 4 2 2"


def _wrong(group: str, seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Calls of the group whose results on AMD are not those of CUDA."""
    words = functions.inputs(seed)
    table = functions.GROUPS[group]
    total = len(table) * functions.COUNT
    values = "\n".join(f"{{{', '.join(f'{w}ull' for w in row)}}}," for row in words)
    arrays = "#include <cstdio>\n"
    arrays += f"static unsigned long long in[3][{functions.COUNT}] = {{\n{values}\n}};\n"
    show = f"static unsigned long long out[{total}];\n"
    printing = '  for (unsigned long long x : out) printf("%llx\\n", x);\n}\n'
    code = functions.program(group)
    host = f"""
int main() {{
  unsigned long long* d[4];
  for (int k = 0; k < 3; ++k) {{
    cudaMalloc(&d[k], sizeof in[k]);
    cudaMemcpy(d[k], in[k], sizeof in[k], cudaMemcpyHostToDevice);
  }}
  cudaMalloc(&d[3], sizeof out);
  all<<<{functions.COUNT // 64}, 64>>>(d[0], d[1], d[2], d[3]);
  if (cudaMemcpy(out, d[3], sizeof out, cudaMemcpyDeviceToHost)) return 1;
{printing}"""
    source, whole = tmp_path / "kernels.cu", tmp_path / "program.cu"
    source.write_text(code)
    whole.write_text(code + arrays + show + host)
    expected = [int(x, 16) for x in on_cpu(whole, tmp_path, capfd).split()]
    driver = (
        '#include "runtime.h"\n' + arrays + show + "typedef unsigned long long W;\n"
        'extern "C" void all(const W*, const W*, const W*, W*);\n'
        f"int main() {{\n  run_grid({functions.COUNT // 64}, 64, 1, 1,"
        " [] { all(in[0], in[1], in[2], out); });\n" + printing
    )
    text = output(translated(source, tmp_path), driver, tmp_path, flags=[COMPAT])
    found = [int(x, 16) for x in text.split()]
    assert len(expected) == len(found) == total
    wrong = []
    for number, (name, signature) in enumerate(table):
        for i in range(functions.COUNT):
            given, result = [row[i] for row in words], number * functions.COUNT + i
            if functions.is_odd(given, signature[2:]):
                continue
            if group == "bfloat16" and name.startswith("__hfma"):
                continue  # in float, rounded once more: the last bit may differ
            if not functions.same(expected[result], found[result], signature[0]):
                called = ", ".join(f"{w:#x}" for w in given[: len(signature) - 2])
                wrong.append(f"{name}({called}): {expected[result]:#x}, not {found[result]:#x}")
    return wrong


def test_results_have_the_types_of_cuda(tmp_path: Path) -> None:
    """`__popc(a) - __popc(b) < 0` is an int's comparison; HIP's counts are unsigned."""
    lines = [
        "#include <cuda_bf16.h>", "#include <cuda_fp16.h>", "#include <type_traits>",
        "template <class T> __device__ T some();", "__global__ void k() {",
    ]  # fmt: skip
    for name, signature in sorted({f for group in functions.GROUPS.values() for f in group}):
        result, _, letters = signature.partition(":")
        if result != "v":  # int or bool
            arguments = ", ".join(f"some<{functions.TYPES[x]}>()" for x in letters)
            same = f"std::is_same<decltype({name}({arguments})), {functions.TYPES[result]}>::value"
            lines.append(f'  static_assert({same}, "{name}");')
    source = tmp_path / "types.cu"
    source.write_text("\n".join([*lines, "}", ""]))
    words = ["--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-x", "hip", COMPAT]
    run(["hipcc", *words, translated(source, tmp_path)])


@pytest.mark.slow
@pytest.mark.parametrize("group", ["integers", "simd", "conversions", "floats", "half", "bfloat16"])
@pytest.mark.parametrize("seed", [1, 2])
def test_functions(
    tmp_path: Path, group: str, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert not _wrong(group, seed, tmp_path, capfd)[:10]


def test_votes_stay_in_their_branch(tmp_path: Path) -> None:
    """Clang before 16 moves what both sides of an `if` begin with in front of it."""
    source = tmp_path / "votes.cu"
    source.write_text(
        'extern "C" __global__ void votes(unsigned* out) {\n'
        "  if (threadIdx.x & 1)\n    out[threadIdx.x] = __activemask() + 1;\n"
        "  else\n    out[threadIdx.x] = __activemask() * 2;\n}\n"
    )
    driver = """
#include "runtime.h"
#include <cstdio>
extern "C" void votes(unsigned*);
int main() {
  static unsigned out[64];
  run_grid(1, 64, 1, 1, [&] { votes(out); });
  printf("%x %x %x", out[0], out[1], out[33]);
}
"""
    text = output(translated(source, tmp_path), driver, tmp_path, flags=[COMPAT])
    assert text == "aaaaaaaa aaaaaaab aaaaaaab"
