"""cuSPARSE calls that older hipSPARSE has in another form, by both routes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.headers.shadow import render_shadow
from tests.translate.test_compile import compile_ok

_PROGRAM = """
#include <cusparse.h>
int main() {
  int place[4] = {};
  cusparseHandle_t h = reinterpret_cast<cusparseHandle_t>(place);
  cusparseSpMatDescr_t a = nullptr;
  cusparseDnVecDescr_t x = nullptr;
  cusparseDnMatDescr_t b = nullptr;
  float one = 1;
  cusparseSpSVDescr_t sv[2] = {reinterpret_cast<cusparseSpSVDescr_t>(place + 1),
                               reinterpret_cast<cusparseSpSVDescr_t>(place + 2)};
  cusparseSpSMDescr_t sm = reinterpret_cast<cusparseSpSMDescr_t>(place + 3);
  const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  for (int i = 0; i < 2; ++i)
    cusparseSpSV_analysis(h, plain, &one, a, x, x, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, sv[i],
                          place + i);
  cusparseSpSM_analysis(h, plain, plain, &one, a, b, b, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, sm,
                        place + 3);
  bool ok = true;
  for (int i = 0; i < 2; ++i)
    ok = ok && cusparseSpSV_solve(h, plain, &one, a, x, x, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT,
                                  sv[i]) == CUSPARSE_STATUS_SUCCESS;
  ok = ok && cusparseSpSM_solve(h, plain, plain, &one, a, b, b, CUDA_R_32F,
                                CUSPARSE_SPSM_ALG_DEFAULT, sm) == CUSPARSE_STATUS_SUCCESS;
  cusparseConstDnVecDescr_t read;
  cusparseConstSpMatDescr_t matrix;
  const float values[1] = {};
  ok = ok && cusparseCreateConstDnVec(&read, 1, values, CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS;
  ok = ok && cusparseCreateConstCsr(&matrix, 1, 1, 1, place, place, values, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                    CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS;
  return ok ? 0 : 1;
}
"""
# The library's part, which prints what it was given.
_LIBRARY = """
#include <hipsparse/hipsparse.h>
#include <cstdio>
#include <type_traits>
template <class R, class... P> constexpr int count(R (*)(P...)) { return sizeof...(P); }
static_assert(count(hipsparseSpSM_solve) == 11, "a solve that is told its buffer");
#define ANSWER return HIPSPARSE_STATUS_SUCCESS
#define LONG(p) reinterpret_cast<long>(p)
hipsparseStatus_t hipsparseSpSV_analysis(hipsparseHandle_t, hipsparseOperation_t, const void*,
    const hipsparseSpMatDescr_t, const hipsparseDnVecDescr_t, const hipsparseDnVecDescr_t,
    hipDataType, hipsparseSpSVAlg_t, hipsparseSpSVDescr_t, void*) { ANSWER; }
hipsparseStatus_t hipsparseSpSM_analysis(hipsparseHandle_t, hipsparseOperation_t,
    hipsparseOperation_t, const void*, const hipsparseSpMatDescr_t, const hipsparseDnMatDescr_t,
    const hipsparseDnMatDescr_t, hipDataType, hipsparseSpSMAlg_t, hipsparseSpSMDescr_t, void*) {
  ANSWER;
}
hipsparseStatus_t hipsparseSpSV_solve(hipsparseHandle_t h, hipsparseOperation_t, const void*,
    const hipsparseSpMatDescr_t, const hipsparseDnVecDescr_t, const hipsparseDnVecDescr_t,
    hipDataType, hipsparseSpSVAlg_t, hipsparseSpSVDescr_t d, void* buffer) {
  std::printf("sv %ld %ld\\n", LONG(d) - LONG(h), LONG(buffer) - LONG(h));
  ANSWER;
}
hipsparseStatus_t hipsparseSpSM_solve(hipsparseHandle_t h, hipsparseOperation_t,
    hipsparseOperation_t, const void*, const hipsparseSpMatDescr_t, const hipsparseDnMatDescr_t,
    const hipsparseDnMatDescr_t, hipDataType, hipsparseSpSMAlg_t, hipsparseSpSMDescr_t d,
    void* buffer) {
  std::printf("sm %ld %ld\\n", LONG(d) - LONG(h), LONG(buffer) - LONG(h));
  ANSWER;
}
hipsparseStatus_t hipsparseCreateDnVec(hipsparseDnVecDescr_t*, int64_t, void*, hipDataType) {
  ANSWER;
}
hipsparseStatus_t hipsparseCreateCsr(hipsparseSpMatDescr_t*, int64_t, int64_t, int64_t, void*,
    void*, void*, hipsparseIndexType_t, hipsparseIndexType_t, hipsparseIndexBase_t, hipDataType) {
  ANSWER;
}
"""


@pytest.mark.rocm_compiler
def test_solves_get_the_buffer_of_their_analysis(tmp_path: Path) -> None:
    version = Path("/usr/include/hipsparse/hipsparse-version.h")
    if not version.is_file() or "hipsparseVersionMajor    2" not in version.read_text():
        pytest.skip("the stand-in is for the hipSPARSE of ROCm 5")
    source, library, out = tmp_path / "a.cpp", tmp_path / "library.cc", tmp_path / "hip" / "a.cpp"
    source.write_text(_PROGRAM)
    library.write_text(_LIBRARY)
    shadow = tmp_path / "shadow"
    render_shadow("rocm", shadow)
    assert portgpu(["translate", str(source), "-o", str(out), "-q"]) == 0
    common = ["g++", "-std=c++17", "-w"]
    here = ["-D__HIP_PLATFORM_AMD__=1"]
    compile_ok([*common, *here, "-c", str(library), "-o", str(tmp_path / "library.o")])
    for path, options in ((out, here), (source, [f"@{shadow / 'portgpu-rocm-host.rsp'}"])):
        program = tmp_path / f"program-{path.parent.name}"
        words = [str(path), str(tmp_path / "library.o"), "-o", str(program), "-lamdhip64"]
        compile_ok([*common, *options, *words])
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        assert done.stdout.split("\n")[:-1] == ["sv 4 0", "sv 8 4", "sm 12 12"], path
