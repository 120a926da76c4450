"""Kinds that the real projects of bench/corpora.toml brought up."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.headers.shadow import render_shadow
from portgpu.translate import translate

from .helpers import ids, run
from .test_compile import compile_ok, unit


def text(code: str, path: str = "a.cu", **options: object) -> str:
    return run(code, path, **options).text.decode()


def test_checked_access_on_devices() -> None:
    code = """#include <array>
struct S { std::array<int, 3> a; };
__device__ int f(S* s, std::array<int, 3>& b) { return s->a.at(1) + b.at(s[0].a.at(2)); }
int g(std::map<int, int>& m, int device) { return m.at(1); }
PROJECT_HOST_DEVICE int h(S s) { return s.a.at(0, 1) + at(s) + at::cuda::x(1); }
"""
    assert "return pg_compat::at(s->a, 1) + pg_compat::at(b, pg_compat::at(s[0].a, 2));" in text(
        code
    )
    assert "return m.at(1);" in text(code)
    assert "s.a.at(0, 1) + at(s) + at::cuda::x(1)" in text(code)
    assert "pg_compat::at" not in text(code, compat=None)


def _includes(code: str, path: str = "a.cuh") -> list[str]:
    lines = text(code, path).splitlines()
    end = lines.index("// body")
    return [line for line in lines[:end] if line.startswith("#")]


def test_a_conditional_include_of_ours_is_no_include() -> None:
    ours = ["#if defined(__HIP__)", '#include "portgpu/hip_compat.h"', "#endif"]
    shuffle = "__device__ int f() { return __shfl_sync(~0u, 1, 0); }\n"
    # The branch with cuda_bf16.h is not taken where the code is.
    arch = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n#include <cuda_bf16.h>\n#endif\n"
    atomic = "// body\n__device__ void f(__half* p, __half v) { atomicAdd(p, v); }\n"
    assert _includes(f"#include <cuda.h>\n{arch}{atomic}")[0] in (
        ours[0],
        '#include "portgpu/hip_compat_half.h"',
    )
    same = "#ifdef WITH_GPU\n#include <cuda_fp16.h>\n#endif\n// body\n#ifdef WITH_GPU\n"
    same += f"{shuffle}#endif\n"
    assert _includes(same) == ["#ifdef WITH_GPU", '#include "portgpu/hip_compat_half.h"', "#endif"]
    outside = same.replace("// body\n#ifdef WITH_GPU\n", "// body\n#ifndef NO_GPU\n")
    assert _includes(outside)[:3] == ours
    guarded = f"#ifndef A_H\n#define A_H\n#include <cuda_fp16.h>\n// body\n{shuffle}#endif\n"
    assert sum("hip_compat" in line for line in _includes(guarded)) == 1


def test_block_loads_of_half_a_wave() -> None:
    code = "#include <cub/cub.cuh>\n"
    code += "using L = cub::BlockLoad<float, 32, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;\n"
    found = text(code)
    assert "pg_compat::BlockLoad<float, 32, 4, hipcub::BLOCK_LOAD_WARP_TRANSPOSE>" in found
    assert '#include "portgpu/hip_compat_cub.h"' in found
    assert len(re.findall("hip_compat", found)) == 1
    assert "hipcub::BlockLoad<" in text(code, compat=None)


def test_templates_of_the_programs_own_beside_hips() -> None:
    code = "template <class T>\n__device__ T min(T x, T y) { return x; }\n"
    assert "T min(T x, T y) PG_COMPAT_OWN { return x; }" in text(code)
    for other in (
        f"namespace a {{\n{code}}}\n",
        "struct S { template <class T> T min(T x, T y) { return x; } };\n",
        "template <class T> T f() { return min(T(1), T(2)); }\n",
        "std::vector<int> min(int x) { return {x}; }\n",
    ):
        assert "PG_COMPAT_OWN" not in text(other)


def test_global_names_behind_keywords() -> None:
    code = "template <class T, typename ::cuda::std::enable_if<true, int>::type = 0>\n"
    code += "__device__ void f(const ::cudaStream_t& s, a::cudaStream_t t);\n"
    found = text(code)
    assert "typename ::std::enable_if<" in found
    assert "const ::hipStream_t& s, a::cudaStream_t t" in found


def test_libcudacxx() -> None:
    code = """#include <cuda/functional>
#include <cuda/ptx>
#include <cuda/std/tuple>
auto f = cuda::proclaim_return_type<long>([=] __device__(int i) { return i + 1; });
__device__ int g() { return ::cuda::ptx::get_sreg_laneid() + cuda::std::get<0>(t); }
using A = at::cuda::barrier;
namespace cuda { int own; }
"""
    found = text(code)
    assert "pg_compat::proclaim_return_type<long>([=]" in found
    assert "return ::pg_compat::lane_id() + pg_compat::get<0>(t);" in found
    assert "at::cuda::barrier" in found and "namespace cuda { int own; }" in found
    assert ids(code) == []
    # Nothing is left in silence.
    code = "#include <cuda/latch>\ncuda::latch<cuda::thread_scope_thread> p;\n"
    assert ids(code) == ["PG1701", "PG1601"]
    for name in ("atomic_fetch_add", "atomic_flag", "latch", "counting_semaphore<2>"):
        assert ids(f"#include <cuda/std/atomic>\nvoid f() {{ cuda::std::{name} x; }}\n") == [
            "PG1601"
        ]
    assert ids("#include <cuda/atomic>\ncuda::atomic_flag<> f;\n") == ["PG1601"]
    assert ids(
        "#include <cuda/barrier>\nint f() { return cuda::device::barrier_arrive_tx(b, 1, 2); }\n"
    ) == ["PG1601"]
    assert ids("using E = cuda::std::extents<int, 3>;\n") == ["PG1601"]
    assert ids("namespace at { void f() { cuda::check(); } }\n") == []


def test_device_functions_in_a_test_of_the_architecture() -> None:
    code = """#ifdef __CUDA_ARCH__
__device__ void add(float* p, float v) {
#if (__CUDA_ARCH__ < 200)
  slow(p, v);
#else
  atomicAdd(p, v);
#endif
}
#endif
__device__ int f() {
#ifdef __CUDA_ARCH__
  return 1;
#endif
}
#if __CUDA_ARCH__ >= 600
__device__ int g();
#else
int g();
#endif
"""
    found = text(code)
    assert found.count("PG_COMPAT_CUDA_ARCH_LEVEL") == 2
    assert "#ifdef PG_COMPAT_CUDA_ARCH_LEVEL\n__device__ void add" in found
    assert "#if (PG_COMPAT_CUDA_ARCH_LEVEL < 200)" in found
    assert "#ifdef PG_COMPAT_CUDA_ARCH\n  return 1;" in found
    assert "#if PG_COMPAT_CUDA_ARCH >= 600" in found


def test_prototypes_of_functions_called_like_the_api() -> None:
    own = "namespace a {\nconst char *cusparseGetErrorString(cusparseStatus_t error);\n"
    own += "void f() { puts(cusparseGetErrorString(x)); }\n}\n"
    assert text(own).count("cusparseGetErrorString(") == 2
    code = "unsigned __ballot_sync(unsigned mask, int p);\n"
    code += "__device__ int f(int x) { return __ballot_sync(~0u, x); }\n"
    assert code.splitlines()[0] in text(code)
    assert "return pg_compat::ballot_sync(~0u, x)" in text(code)
    for call in ("return __ballot_sync(m, 1);", "x = __ballot_sync(m, 1);", "__ballot_sync(m, 1);"):
        assert "pg_compat::ballot_sync(m, 1)" in text(f"__device__ int f() {{ {call} }}\n")


def test_groups_that_another_header_includes() -> None:
    found = text("namespace cg = cooperative_groups;\n__device__ void f(cg::thread_block b);\n")
    assert found.startswith('#include "portgpu/hip_compat_cg.h"\nnamespace cg = pg_compat::cg;')


def test_parts_of_thrust_are_included() -> None:
    code = (
        "#include <thrust/copy.h>\n// body\nvoid f() { thrust::sequence(thrust::device, a, b); }\n"
    )
    assert "#include <thrust/sequence.h>" in _includes(code, "a.cu")
    assert "thrust/sequence.h" not in text(code.replace("thrust/copy.h", "mine.h"))
    other = code.replace("#include <thrust/copy.h>", "#ifdef X\n#include <thrust/copy.h>\n#endif")
    assert "thrust/sequence.h" not in text(other)
    assert text(code).count("thrust/copy.h") == 1


def test_result_types_of_templates_get_their_typename() -> None:
    code = "template <class T, template <class> class A>\nM<T, A>::kind M<T, A>::get(int x) {}\n"
    code += "__global__ void k();\n"
    assert "\ntypename M<T, A>::kind M<T, A>::get(" in text(code)
    device = "template <class T> __device__ M<T>::kind* f(int);\n"
    assert "__device__ typename M<T>::kind* f(" in text(device)
    for other in (
        "template <class T> M<T>::M(int x) {}\n",
        "template <class T> M<T>::operator int() {}\n",
        "template <class T> typename M<T>::kind M<T>::get() {}\n",
        "template <> M<int>::kind M<int>::get() {}\n",
        "template <class T> void M<T>::f() { M<T>::g(); }\n",
    ):
        assert text(other + "__global__ void k();\n").count("typename") == other.count("typename")


def test_members_of_cub_are_never_left_in_silence() -> None:
    code = (
        "#include <cub/cub.cuh>\nint d = cub::CurrentDevice();\n"
        "using A = cub::DispatchThreeWayPartitionIf<int>;\n"
    )
    assert "int d = pg_compat::current_device();" in text(code)
    assert ids(code) == ["PG1002"]
    assert ids("#include <cub/cub.cuh>\nnamespace c = cub;\nusing namespace cub;\n") == []


def test_an_amd_branch_makes_no_hip_file() -> None:
    branch = "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#endif\n"
    code = "#define XOR(v, m) __shfl_xor_sync(uint32_t(-1), v, m)\n"
    assert "pg_compat::shfl_xor_sync(uint32_t(-1), v, m)" in text(branch + code)
    hip = "#include <hip/hip_runtime.h>\n" + code
    assert text(hip) == hip


def test_attributes_by_the_drivers_interface() -> None:
    code = "#include <cuda.h>\nvoid f() { r = cuDeviceGetAttribute(&v, %s, d); }\n"
    assert "r = pg_compat::device_get_attribute(&v, hipDeviceAttributeWarpSize, d)" in text(
        code % "CU_DEVICE_ATTRIBUTE_WARP_SIZE"
    )
    vmm = code % "CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"
    assert "(&v, pg_compat::attribute_vmm, d)" in text(vmm)


def test_byte_swaps_and_wait_flags() -> None:
    code = "__device__ int f(int x) { return __nv_bswap32(x); }\n"
    assert "return __builtin_bswap32(x);" in text(code)
    assert "hipStreamWaitEvent(s, e, 0)" in text(
        "r = cudaStreamWaitEvent(s, e, cudaEventWaitDefault);"
    )


# docs/headers.md says why.
_REWRITTEN_ALONE = ("device_in_guard.cu", "result_types.cu")


@pytest.mark.rocm_compiler
def test_sources_compile_by_both_routes(tmp_path: Path) -> None:
    """What the CPU target does not run: `compiled/`, as one unit a route."""
    sources = sorted((Path(__file__).parent / "compiled").glob("*.cu"))
    out, shadow = tmp_path / "hip", tmp_path / "shadow"
    assert portgpu(["translate", *map(str, sources), "-o", str(out), "-q"]) == 0
    render_shadow("rocm", shadow)
    options = ["-std=c++17", "--offload-arch=gfx90a", "-fsyntax-only", "-x", "hip"]
    one = unit([out / s.name for s in sources], tmp_path / "translated.cu")
    compile_ok(["hipcc", *options, str(one)])
    untouched = [s for s in sources if s.name not in _REWRITTEN_ALONE]
    other = unit(untouched, tmp_path / "untouched.cu")
    compile_ok(["hipcc", f"@{shadow / 'portgpu-rocm.rsp'}", *options, str(other)])


def test_calls_in_a_class_of_an_api_name_end() -> None:
    """A parenthesis that closes behind `Class::function(…)` is no body, and no endless search."""
    code = "struct V { double sqrt() const; };\nbool f() { return (V::sqrt(1), V::sqrt(2)); }\n"
    assert "hipFree" in text(f"{code}void g() {{ (V::cudaFree(p)); cudaFree(p); }}\n")


def test_data_types_that_older_hip_does_not_name() -> None:
    code = "#include <library_types.h>\ncudaDataType t = %s;\n"
    assert '#include "portgpu/hip_compat.h"' in text(code % "CUDA_R_16BF")
    assert "hipDataType t = HIP_R_16BF;" in text(code % "CUDA_R_16BF")
    assert "hip_compat" not in text(code % "CUDA_R_16F")


def test_restrict_of_a_class() -> None:
    code = "template <class M, typename T>\n__global__ void k(M __restrict__ m, T* __restrict__ p, "
    code += "const M __restrict__ q, ptr __restrict__ r, T* const __restrict__ c) {}\n"
    found = text(code)
    assert (
        "k(M  m, T* __restrict__ p, const M  q, ptr __restrict__ r, T* const __restrict__ c)"
        in found
    )


def test_events_of_graphs() -> None:
    code = "r = cudaEventRecordWithFlags(e, s, cudaEventRecordExternal);\n"
    assert "r = pg_compat::event_record_with_flags(e, s, 1);" in text(code)


def test_time_is_linear_in_many_classes() -> None:
    """Generated headers have thousands of small classes, each with members called alike."""

    def seconds(classes: int) -> float:
        code = "".join(
            f"struct A{i} {{ int cudaFree; __device__ static void fma(float* __restrict__ d); }};\n"
            f"template <class T{i}> __device__ T{i} min(T{i} a, T{i} b);\n"
            for i in range(classes)
        )
        begin = time.process_time()
        translate(code.encode(), "a.cuh")
        return time.process_time() - begin

    seconds(10)
    assert seconds(1600) < 8 * seconds(400) + 0.5


def test_a_warp_of_cub_has_32_lanes() -> None:
    code = "#include <cub/cub.cuh>\nint a = CUB_WARP_THREADS(0) + CUB_PTX_WARP_THREADS;\n"
    assert "int a = PG_COMPAT_CUB_WARP_THREADS(0) + 32;" in text(code)
    assert '#include "portgpu/hip_compat_cub.h"' in text(code)
    assert ids("#include <cub/cub.cuh>\nint a = CUB_UNHEARD_OF;\n") == ["PG1002"]
