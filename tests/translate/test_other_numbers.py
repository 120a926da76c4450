"""Names that HIP has too, and that compile, but give other numbers than CUDA's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portgpu import headers, resources
from portgpu.cli import run as portgpu

from .amd.run import run
from .helpers import run as translated

COMPAT = f"-I{resources.templates('compat')}"
ROUNDED = """
#include <cuda_runtime.h>
#include <cuda_fp16.h>
extern "C" __global__ void rounded(float* f, double* d, __half* h) {
  f[0] = __fadd_rn(__fmul_rn(f[1], f[2]), f[3]);
  f[4] = __fsub_rn(f[5] * f[6], f[7]);
  d[0] = __dadd_rn(__dmul_rn(d[1], d[2]), __dsub_rn(d[3], d[4]));
  float r;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(f[8]), "f"(f[9]));
  f[10] = r + f[11];
  h[0] = __hadd(__hmul_rn(h[1], h[2]), h[3]);
  f[12] = __fsqrt_rn(f[13]) + __frsqrt_rn(f[14]);
  d[5] = __dsqrt_rn(d[6]);
}
"""


def device_code(source: Path, folder: Path, *flags: str, kind: str = "-emit-llvm") -> str:
    out = folder / "device.txt"
    words = ["--offload-arch=gfx90a", "-std=c++17", "-O2", "--cuda-device-only", "-S", "-x", "hip"]
    run(["hipcc", *words, *([kind] if kind else []), *flags, source, "-o", out])
    return out.read_text()


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("route", ["rewrite", "headers"])
def test_rounded_operations_are_not_fused(tmp_path: Path, route: str) -> None:
    """`__fmul_rn` and `mul.rn` never become part of a multiply-add, nor roots the hardware's."""
    source = tmp_path / "rounded.cu"
    if route == "headers":
        source.write_text(re.sub(r"  asm.*\n.*\n", "", ROUNDED))
        headers.render_shadow("rocm", tmp_path / "shadow")
        flags = [f"@{tmp_path / 'shadow' / 'portgpu-rocm.rsp'}"]
    else:
        source.write_text(ROUNDED)
        target = tmp_path / "hip" / "rounded.cu"
        assert portgpu(["translate", str(source), "-o", str(target), "-q"]) == 0
        source, flags = target, [COMPAT]
    assembly = device_code(source, tmp_path, *flags, kind="")
    body = assembly[assembly.index("rounded:") : assembly.index("s_endpgm")]
    text = device_code(source, tmp_path, *flags)
    kernel = text[text.index("@rounded(") :]
    kernel = kernel[: kernel.index("\n}")]
    found = [line for line in kernel.splitlines() if re.search(r"= fmul contract", line)]
    assert len(found) == 1, found  # `f[5] * f[6]`, whose sum is rounded for itself
    assert "v_fma_f16" not in body and "v_pk_fma_f16" not in body
    assert "v_rsq_f32" not in body  # 1 ulp off, where CUDA rounds correctly


COMPLEX = """
#include <cuComplex.h>
#include <cstdio>
__host__ __device__ void numbers(double* o) {
  const cuComplex a = make_cuComplex(1e20f, 2e20f), b = make_cuComplex(3e20f, -1e20f);
  const cuComplex q = cuCdivf(a, b);
  o[0] = cuCrealf(q), o[1] = cuCimagf(q), o[2] = cuCabsf(a);
  const cuDoubleComplex c = make_cuDoubleComplex(3e-200, 4e-200);
  const cuDoubleComplex r = cuCdiv(c, c);
  o[3] = cuCreal(r), o[4] = cuCimag(r), o[5] = cuCabs(c);
}
__global__ void k(double* o) { numbers(o); }
int main() {
  double device[6], host[6], *d;
  cudaMalloc(&d, sizeof device);
  k<<<1, 1>>>(d);
  cudaMemcpy(device, d, sizeof device, cudaMemcpyDeviceToHost);
  numbers(host);
  for (int i = 0; i < 6; ++i) printf("%.6g %.6g\\n", device[i], host[i]);
}
"""


def test_complex_numbers_far_from_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """HIP's quotient and absolute value square the parts: 1e20f is infinite there."""
    source = tmp_path / "complex.cu"
    source.write_text(COMPLEX)
    capfd.readouterr()
    folder = str(tmp_path / "build")
    assert portgpu(["run", str(source), "--via", "rocm", "--build-dir", folder]) == 0
    expected = [
        complex(1, 2) / complex(3, -1),
        abs(complex(1e20, 2e20)),
        abs(complex(3e-200, 4e-200)),
    ]
    numbers = [expected[0].real, expected[0].imag, expected[1], 1.0, 0.0, expected[2]]
    for line, number in zip(capfd.readouterr().out.splitlines(), numbers, strict=True):
        assert [float(x) for x in line.split()] == pytest.approx([number] * 2, rel=1e-5)


REGISTERS = """
#include <cuda_runtime.h>
extern "C" __global__ void registers(unsigned* o, unsigned long long* t) {
  asm volatile("mov.u32 %0, %%smid;" : "=r"(o[threadIdx.x]));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t[threadIdx.x]));
}
"""


@pytest.mark.rocm_compiler
def test_special_registers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """%smid is no wave's number and told; %globaltimer counts nanoseconds, not clocks."""
    source, target = tmp_path / "registers.cu", tmp_path / "hip" / "registers.cu"
    source.write_text(REGISTERS)
    assert portgpu(["translate", str(source), "-o", str(target)]) == 0
    assert "smid" in capfd.readouterr().out
    text = device_code(target, tmp_path, COMPAT)
    registers = {int(x) for x in re.findall(r"getreg\(i32 (\d+)\)", text)}
    offsets = {x >> 6 & 31 for x in registers if x & 63 == 4}
    assert registers and offsets == {8, 13}  # compute unit and shader engine, of HW_ID
    assert "memrealtime" in text and "memtime()" not in text.replace("memrealtime", "")
    words = ["--offload-arch=gfx1030", "-std=c++17", "--cuda-device-only", "-fsyntax-only"]
    run(["hipcc", *words, "-x", "hip", COMPAT, target])


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('__global__ void k(int n) { if (n) { asm("exit;"); } }', "{ return; }"),
        (
            '__global__ void k(int n) { asm("{.reg .pred p; setp.eq.s32 p, %0, 1;\\n@p exit;}"'
            ' :: "r"(n)); }',
            "if (pg_p) { return; }",
        ),
        ('__device__ void f() { asm("exit;"); }', None),
        ('__global__ void k() { auto f = [] { asm("exit;"); }; f(); }', None),
        ('#define EXIT asm("exit;")', None),
    ],
)
def test_exit_ends_one_thread(code: str, expected: str | None) -> None:
    """AMD's s_endpgm would end the whole wave."""
    result = translated(code)
    assert "endpgm" not in result.text.decode()
    if expected is None:
        assert [f.id for f in result.findings] == ["PG1201"]
    else:
        assert expected in result.text.decode() and not result.findings


CUB = """
#include <cub/cub.cuh>
#include <cstdio>
__global__ void k(unsigned* o, int* s) {
  const int t = threadIdx.x;
  o[t] = cub::LaneId() + 100 * cub::WarpId();
  o[96 + t] = cub::LaneMaskLt();
  o[192 + t] = cub::WARP_BALLOT(t % 3 == 0, 0xffffffffu);
  s[t] = cub::ShuffleUp<32>(t, 3, 2, 0xffffffffu) + 1000 * cub::ShuffleDown<16>(t, 1, 12, ~0u);
}
int main() {
  unsigned o[288], *d;
  int s[96], *e;
  cudaMalloc(&d, sizeof o);
  cudaMalloc(&e, sizeof s);
  k<<<1, 96>>>(d, e);
  cudaMemcpy(o, d, sizeof o, cudaMemcpyDeviceToHost);
  cudaMemcpy(s, e, sizeof s, cudaMemcpyDeviceToHost);
  for (unsigned x : o) printf("%u\\n", x);
  for (int x : s) printf("%d\\n", x);
}
"""


def test_cub_helpers_of_a_warp(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """cub::LaneId and its like count 32 lanes; hipCUB's count those of the wave."""
    source = tmp_path / "cub.cu"
    source.write_text(CUB)
    expected = [t % 32 + 100 * (t // 32) for t in range(96)]
    expected += [(1 << t % 32) - 1 for t in range(96)]
    for t in range(96):
        expected.append(sum(1 << i for i in range(32) if (t // 32 * 32 + i) % 3 == 0))
    for t in range(96):
        up = t if t % 32 - 3 < 2 else t - 3
        down = t if t % 16 + 1 > 12 else t + 1
        expected.append(up + 1000 * down)
    words = ["run", str(source), "--via", "rocm", "--build-dir", str(tmp_path / "build")]
    for lanes in ("32", "64"):
        monkeypatch.setenv("PORTGPU_WARP_SIZE", lanes)
        capfd.readouterr()
        assert portgpu(words) == 0
        assert [int(x) for x in capfd.readouterr().out.split()] == expected
