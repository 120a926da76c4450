"""Functions that CUDA has on the host and HIP on devices alone: their values, and who gets them."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu import resources
from tests.translate.helpers import out

PROGRAM = r"""
#define __HIP__ 1
#define __host__
#include <cmath>
#include "host_special.h"
#include <cstdio>
#include <initializer_list>
int main() {
  for (double x : {-3.75, -1.0, -0.3, 1e-12, 0.125, 0.5, 0.9, 1.5, 7.0})
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", x, sinpi(x), cospi(x),
           normcdf(x), erfcx(x), rsqrt(x * x), rhypot(x, 2.0), norm3d(x, 2.0, 3.0),
           (double)rsqrtf(float(x * x)));
  for (double x : {-0.999999, -0.5, 1e-9, 0.3, 0.7, 1 - 1e-12})
    printf("%.17g %.17g\n", x, erfinv(x));
  for (double y : {1e-300, 1e-20, 0.01, 0.6, 1.0, 1.7, 1.999})
    printf("%.17g %.17g %.17g\n", y, erfcinv(y), normcdfinv(y / 2));
}
"""


def test_values(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++") or pytest.skip("no host compiler")
    header = resources.templates("compat", "portgpu", "compat", "host_special.h")
    (tmp_path / "host_special.h").write_text(header.read_text())
    (tmp_path / "a.cpp").write_text(PROGRAM)
    made = tmp_path / "a"
    subprocess.run([compiler, "-std=c++17", str(tmp_path / "a.cpp"), "-o", str(made)], check=True)
    text = subprocess.run([str(made)], capture_output=True, text=True, check=True).stdout
    rows = [[float(word) for word in line.split()] for line in text.splitlines()]
    for x, *found in rows[:9]:
        expected = [
            math.sin(math.pi * math.fmod(x, 2)),
            math.cos(math.pi * math.fmod(x, 2)),
            0.5 * math.erfc(-x / math.sqrt(2)),
            math.exp(x * x) * math.erfc(x),
            1 / abs(x),
            1 / math.hypot(x, 2),
            math.hypot(x, 2, 3),
        ]
        assert found[:7] == pytest.approx(expected, rel=1e-12, abs=2e-15), x
        assert found[7] == pytest.approx(1 / abs(x), rel=1e-6)
    for x, found in rows[9:15]:
        assert math.erf(found) == pytest.approx(x, rel=1e-14), x
    for y, inverse, quantile in rows[15:]:
        assert math.erfc(inverse) == pytest.approx(y, rel=1e-12), y
        assert 0.5 * math.erfc(-quantile / math.sqrt(2)) == pytest.approx(y / 2, rel=1e-11), y


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("float f(float x) { return rsqrtf(x); }", True),
        ("__host__ __device__ double f(double x) { return normcdf(x); }", True),
        ("__device__ float f(float x) { return rsqrtf(x); }", False),
        ("float rsqrtf(float x) { return 1 / sqrtf(x); } float g() { return rsqrtf(2); }", False),
        ("float f(A a) { return a.sinpi(2); }", False),
    ],
)
def test_who_gets_them(code: str, needed: bool) -> None:
    text = out(
        "#include <cuda_runtime.h>\n#include <math.h>\n" + code + "\n", compat="x/hip_compat.h"
    )
    assert ("hip_compat.h" in text) == needed
