"""More kinds of real projects: parts of CUB and Thrust, NVTX of the project's own, versions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .helpers import ids, run

STAND_IN = """#pragma once
namespace hipcub {
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
                          BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
                           BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
template <class T, int X, int N, BlockLoadAlgorithm A, int Y, int Z> struct BlockLoad {};
template <class T, int X, int N, BlockStoreAlgorithm A, int Y, int Z> struct BlockStore {};
template <class T> struct Uninitialized { __device__ T& Alias(); };
}
"""
LAYOUTS = """#include <cub/block/block_raking_layout.cuh>
template <int N> using L = cub::BlockRakingLayout<float, N>;
template <int N> __global__ void k(float* out) {
  __shared__ typename L<N>::TempStorage t;
  *L<N>::PlacementPtr(t, threadIdx.x) = 1.f;
  out[0] = *L<N>::RakingPtr(t, threadIdx.x);
}
template __global__ void k<96>(float*);
"""


DISPATCH = """#include <cub/cub.cuh>
#include <cstdint>
using none = cub::NullType;
using large = int64_t;
struct Less { __host__ __device__ bool operator()(int a, int b) const { return a < b; } };
struct Even { __host__ __device__ bool operator()(int a) const { return a % 2 == 0; } };
struct Same { __host__ __device__ bool operator()(int a, int b) const { return a == b; } };
struct Plus { __host__ __device__ int operator()(int a, int b) const { return a + b; } };
template <class D, class... A>
void run(void* t, size_t& b, A&&... a) {
  cudaError_t status = D::Dispatch(t, b, a...);
  (void)status;
}
void all(void* t, size_t& b, int* in, int* out, int* v, int* w, char* flags, large n,
         cudaStream_t s) {
  using I = int*;
  run<cub::DispatchScan<I, I, Plus, none, large>>(t, b, in, out, Plus{}, none{}, n, s);
  run<cub::DispatchScan<I, I, Plus, int, large>>(t, b, in, out, Plus{}, 7, n, s);
  run<cub::DispatchReduce<I, I, large, Plus>>(t, b, in, out, n, Plus{}, 0, s);
  run<cub::DispatchSegmentedReduce<I, I, I, I, int, Plus>>(t, b, in, out, 5, v, v + 1, Plus{}, 0,
                                                           s);
  cub::DoubleBuffer<int> k(in, out), x(v, w);
  cub::DoubleBuffer<none> no;
  run<cub::DispatchRadixSort<false, int, none, large>>(t, b, k, no, n, 0, 32, false, s);
  run<cub::DispatchRadixSort<true, int, int, uint32_t>>(t, b, k, x, 5u, 0, 32, true, s);
  run<cub::DispatchSegmentedRadixSort<false, int, none, I, I, int>>(t, b, k, no, 10, 2, v, v + 1, 0,
                                                                   32, false, s);
  run<cub::DispatchSegmentedRadixSort<true, int, int, I, I, int>>(t, b, k, x, 10, 2, v, v + 1, 0,
                                                                  32, false, s);
  run<cub::DispatchReduceByKey<I, I, I, I, I, Same, Plus, int>>(t, b, in, out, v, w, out, Same{},
                                                                Plus{}, 10, s);
  run<cub::DispatchSelectIf<I, none*, I, I, Even, none, int, false>>(
      t, b, in, nullptr, out, w, Even{}, none{}, 10, s);
  run<cub::DispatchSelectIf<I, char*, I, I, none, none, int, true>>(
      t, b, in, flags, out, w, none{}, none{}, 10, s);
  run<cub::DispatchSelectIf<I, none*, I, I, none, Same, int, false>>(
      t, b, in, nullptr, out, w, none{}, Same{}, 10, s);
  run<cub::DispatchMergeSort<I, none*, I, none*, int, Less>>(t, b, in, nullptr, out, nullptr, 10,
                                                             Less{}, s);
}
"""
BUFFERS = """#pragma once
#include <hip/hip_runtime.h>
namespace hipcub {
struct NullType {};
template <class T> struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;
  DoubleBuffer() : d_buffers{nullptr, nullptr} {}
  DoubleBuffer(T* a, T* b) : d_buffers{a, b} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};
}
"""


def text(code: str, path: str = "a.cu", **options: object) -> str:
    return run(code, path, **options).text.decode()


def _layouts() -> str:
    """Assertions on the layout of a raking grid, by its definition: at most 32 threads read."""
    lines = [LAYOUTS]
    for n in (16, 32, 62, 64, 96, 128, 256, 512, 1000, 1024):
        segment = -(-n // min(n, 32))
        raking = -(-n // segment)
        padded = segment + (segment > 2 and segment % 2 == 0)
        for name, value in {
            "SEGMENT_LENGTH": segment,
            "RAKING_THREADS": raking,
            "GRID_ELEMENTS": raking * padded,
            "UNGUARDED": int(n % raking == 0),
        }.items():
            lines.append(f'static_assert(int(L<{n}>::{name}) == {value}, "{n}");')
    return "\n".join(lines) + "\n"


@pytest.mark.rocm_compiler
def test_raking_layouts_of_32_threads(tmp_path: Path) -> None:
    include = tmp_path / "hipcub"
    include.mkdir()
    (include / "hipcub.hpp").write_text(STAND_IN)
    source = tmp_path / "a.hip"
    source.write_text(text(_layouts()))
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    folder = Path(__file__).resolve().parents[2] / "templates" / "compat"
    _compiled([*command, f"-I{tmp_path}", f"-I{folder}", str(source)])


@pytest.mark.rocm_compiler
def test_what_the_device_functions_of_cub_call(tmp_path: Path) -> None:
    """By rocPRIM's own headers, and with the types of hipCUB that they need."""
    include = tmp_path / "hipcub"
    include.mkdir()
    (include / "hipcub.hpp").write_text(BUFFERS)
    found = text(DISPATCH)
    assert found.count("pg_compat::Dispatch") == DISPATCH.count("cub::Dispatch") == 13
    assert '#include "portgpu/hip_compat_cub_dispatch.h"' in found and ids(DISPATCH) == []
    assert ids(DISPATCH, compat=None) == ["PG1601"] * 13
    source = tmp_path / "a.hip"
    source.write_text(found)
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    folder = Path(__file__).resolve().parents[2] / "templates" / "compat"
    _compiled([*command, f"-I{tmp_path}", f"-I{folder}", str(source)])


def test_functors_of_cub_are_const() -> None:
    """hipCUB and rocThrust call them so; what may change a member stays."""
    head = "#include <cub/cub.cuh>\n"
    body = "operator()(T const& a, T const& b)%s { return a + b; } };\n"
    plain = "struct Sum { template <class T> __device__ T " + body
    assert text(head + plain % "").endswith(plain % " const")
    for other in (
        "struct A { int n; __device__ int operator()(int a) { return ++n; } };\n",
        "struct B : A { __device__ int operator()(int a) { return ++n; } };\n",
        "struct C { int& operator()(int a) { return x; } int operator()(int) const { return 1; } }",
        "struct D { __device__ int operator()(int a); };\n",
    ):
        assert text(head + other).endswith(other)


def test_vectors_of_one_element_of_a_class() -> None:
    code = "#include <thrust/device_vector.h>\nvoid f(Input const& x, int n) {\n"
    code += "  dh::device_vector<Input> v{x};\n  thrust::device_vector<Input> w{n};\n}\n"
    found = text(code)
    assert "v = pg_compat::vector_of<decltype(v)>({x});" in found and " w{n};" in found


# What rocThrust has, as far as the result of a functor goes.
THRUST = {
    "tuple.h": """#pragma once
#include <cstddef>
#include <tuple>
namespace thrust {
template <class... T> struct tuple { std::tuple<T...> all; };
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> {
  static constexpr int value = sizeof...(T);
};
template <size_t I, class... T> __host__ __device__ auto get(const tuple<T...>& t) {
  return std::get<I>(t.all);
}
namespace detail { template <class... T> struct tuple_of_references : tuple<T...> {}; }
}
""",
    "detail/type_traits/result_of_adaptable_function.h": """#pragma once
#include <type_traits>
namespace thrust { namespace detail {
template <bool B> struct enable_if {};
template <> struct enable_if<true> { typedef void type; };
template <class F, class = void> struct has_result_type : std::false_type {};
template <class S> struct impl;
template <class F, class... A> struct impl<F(A...)> {
  using type = std::invoke_result_t<F, A...>;
};
template <class S, class = void> struct result_of_adaptable_function {
  using type = typename impl<S>::type;
};
} }
""",
    "iterator/transform_iterator.h": """#pragma once
#include <thrust/detail/type_traits/result_of_adaptable_function.h>
namespace thrust {
template <class F, class T>
typename detail::result_of_adaptable_function<F(T)>::type make_transform_iterator(T, F) {
  return {};
}
}
""",
}
FUNCTORS = """#include <cuda/std/tuple>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/tuple.h>
struct Clip { __device__ float operator()(int x) const { return x > 0 ? x : 0; } };
float f(const thrust::detail::tuple_of_references<int, long>& t) {
  float sum = thrust::make_transform_iterator(1, Clip{});
  sum += thrust::make_transform_iterator(1, [=] __device__(int i) -> float { return i * 2.f; });
  return sum + thrust::make_transform_iterator(
                   t, [=] __host__ __device__(cuda::std::tuple<int, long> pair) -> float {
                     auto [i, x] = pair;
                     return i * x;
                   }) +
         cuda::std::get<1>(t) + cuda::std::get<0>(cuda::std::make_tuple(1, 2));
}
"""


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("pasted", [False, True])
def test_functors_of_devices_alone_have_results(tmp_path: Path, pasted: bool) -> None:
    """The standard library's invoke_result asks in a function of the host."""
    for name, header in THRUST.items():
        (tmp_path / "thrust" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "thrust" / name).write_text("#include <hip/hip_runtime.h>\n" + header)
    assert '#include "portgpu/hip_compat_thrust_functors.h"' in text(FUNCTORS)
    (tmp_path / "a.cu").write_text(FUNCTORS)
    words = [sys.executable, "-m", "portgpu", "translate", str(tmp_path / "a.cu")]
    source = tmp_path / "out" / "a.hip"
    done = subprocess.run(
        words if pasted else [*words, "-o", str(source)], capture_output=True, check=True
    )
    if pasted:
        source.parent.mkdir()
        source.write_bytes(done.stdout)
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    _compiled([*command, f"-I{tmp_path}", str(source)])


@pytest.mark.slow
@pytest.mark.cuda_compiler
def test_raking_layouts_of_cub(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    assert nvcc is not None
    source = tmp_path / "a.cu"
    source.write_text(_layouts())
    _compiled([nvcc, "-std=c++17", "-c", "-o", str(tmp_path / "o"), str(source)])


def _compiled(command: list[str]) -> None:
    environment = {"HIP_PLATFORM": "amd", "PATH": "/usr/bin:/bin:/usr/local/bin:" + sys.prefix}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]


def test_parts_that_the_main_header_of_hipcub_lacks() -> None:
    parts = '#include "portgpu/hip_compat_cub_parts.h"'
    code = "#include <cub/cub.cuh>\nusing P = cub::DevicePartition;\n"
    assert parts in text(code) and "using P = hipcub::DevicePartition;" in text(code)
    assert parts not in text(code.replace("Partition", "Select"))
    assert parts not in text(code, compat=None)
    for name in ("device/device_merge_sort", "grid/grid_queue", "block/block_shuffle"):
        assert text(f"#include <cub/{name}.cuh>\n") == f"{parts}\n"


def test_a_cub_in_a_namespace_of_the_projects_own() -> None:
    """CUB_WRAPPED_NAMESPACE, and CUB_NS_PREFIX of older ones; hipCUB has neither."""
    include = "#include <cub/cub.cuh>\n"
    code = (
        "auto a = own::cub::DeviceScan::ExclusiveSum(p, n); ::own::cub::BlockReduce<int, 32> r;\n"
    )
    found = text(include + code)
    assert "= hipcub::DeviceScan::ExclusiveSum(p" in found and " ::hipcub::BlockReduce<" in found
    for other in (
        code,  # without CUB's header
        include + "namespace own { namespace cub { struct DeviceScan; } }\n" + code,
        include + "auto a = own::cub::helper(1);\n",
    ):
        assert "own::cub::" in text(other)


def test_policies_that_wait_for_nothing() -> None:
    code = "#include <thrust/execution_policy.h>\n"
    code += "auto f(cudaStream_t s) { return thrust::cuda::par_nosync.on(s); }\n"
    found = text(code)
    assert "return pg_compat::par_nosync.on(s);" in found
    assert '#include "portgpu/hip_compat_thrust.h"' in found
    assert "thrust::hip::par_nosync.on(s)" in text(code, compat=None)


def test_newer_names_of_every_library_are_told() -> None:
    sparse = "#include <cusparse.h>\ncusparseCsr2CscAlg_t a = CUSPARSE_CSR2CSC_ALG1;\n"
    assert ids(sparse) == ["PG1004", "PG1004"]
    assert ids(sparse, hip_version="6.0") == []
    code = "#include <cub/cub.cuh>\nusing A = cub::DeviceAdjacentDifference;\n"
    assert ids(code) == ["PG1004"]
    ours = "#include <cusparse.h>\nint o = CUSPARSE_ORDER_COL;\n"
    assert ids(ours) == [] and "= pg_compat::sparse_order_col;" in text(ours)


def test_nvtx3_of_the_projects_own() -> None:
    code = "#include <nvtx3/nvToolsExt.h>\nnamespace nvtx3 { class domain {}; }\n"
    code += 'auto f(nvtxDomainHandle_t d) { return nvtxDomainRegisterStringW(d, L"a"); }\n'
    found = text(code)
    assert '#include "portgpu/hip_compat_nvtx.h"' in found and "nvtx3.h" not in found
    assert "pg_compat::nvtx_domain_register_string_wide(d" in found and ids(code) == []
    both = "#include <nvtx3/nvtx3.hpp>\nvoid f() { nvtxRangePop(); }\n"
    assert text(both).startswith('#include "portgpu/hip_compat_nvtx3.h"\nvoid f() {')


def test_checked_access_behind_members_in_braces() -> None:
    code = """#include <array>
struct A {
  std::array<float, 3> p, q;
  int n;
  __host__ __device__ A(std::array<float, 3> const& x, int k = {}) : p{x}, q{}, n{k} {
    q = {1.f * x.at(1), 0.f, 0.f};
  }
};
"""
    assert "1.f * pg_compat::at(x, 1)" in text(code)


TOLERATED = """#include <cuda_fp16.h>
template <class T> struct Pair { using type = __half2; };
template <typename scalar_t> __global__ void zero(scalar_t* p, int n) {
  auto t = threadIdx.x;
  const auto b{blockIdx.y};
  if (n) t = b + n;
  half2 r;
  using scalar_t2 = typename Pair<scalar_t>::type;
  scalar_t2 w;
  int u;
  r = {}; w = {}; u = {};
  for (; u < n; ++u) r = {};
  p[t] = __low2half(__hadd2(r, w));
}
template __global__ void zero<__half>(__half*, int);
"""


@pytest.mark.rocm_compiler
def test_what_nvcc_alone_lets_pass(tmp_path: Path) -> None:
    found = text(TOLERATED)
    assert "auto t = unsigned(threadIdx.x);" in found and "b{unsigned(blockIdx.y)}" in found
    assert "r = half2{}; w = scalar_t2{}; u = {};" in found
    assert ids(TOLERATED) == []
    source = tmp_path / "a.hip"
    source.write_text(found)
    folder = Path(__file__).resolve().parents[2] / "templates" / "compat"
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    _compiled([*command, f"-I{folder}", str(source)])


@pytest.mark.slow
@pytest.mark.cuda_compiler
def test_nvcc_lets_it_pass(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    assert nvcc is not None
    source = tmp_path / "a.cu"
    source.write_text(TOLERATED)
    _compiled([nvcc, "-std=c++17", "-arch=sm_80", "-c", "-o", str(tmp_path / "o"), str(source)])


def test_branches_of_the_projects_own_for_amd() -> None:
    """A type that only the branch for AMD declares is CUDA's everywhere else."""
    for test, otherwise in (
        ("#ifdef USE_ROCM", "#else"),
        ("#ifndef USE_ROCM\n#include <cuda_bf16.h>\n#else", ""),
        ("#if defined(USE_ROCM) && N > 1", "#else"),
        ("#if !defined(USE_ROCM)\n#include <cuda_bf16.h>\n#else", ""),
    ):
        code = f"{test}\ntypedef __hip_bfloat16 __nv_bfloat16;\n__nv_bfloat16 a;\n"
        code += f"{otherwise}\n#include <cuda_bf16.h>\n#endif\n" if otherwise else "#endif\n"
        code += "struct S { __nv_bfloat16 x; };\n"
        found = text(code)
        assert "typedef __hip_bfloat16 __nv_bfloat16;\n__nv_bfloat16 a;" in found, found
        assert "struct S { pg_compat::bfloat16 x; };" in found
    for test in ("#ifndef USE_ROCM", "#if defined(USE_ROCM) || defined(X)", "#ifdef X"):
        code = f"{test}\ntypedef own __nv_bfloat16;\n#endif\n__nv_bfloat16 x;\n"
        assert "\n__nv_bfloat16 x;" in text(code)
    halves = "#include <cuda_fp16.h>\n__device__ void f(half2 v, half* p) {\n#ifdef USE_ROCM\n"
    halves += "  v.x = bits();\n#else\n  p[0] = v.x;\n#endif\n  v.y = p[1];\n}\n"
    found = text(halves)
    assert "  v.x = bits();" in found and "p[0] = pg_compat::half_x(v);" in found
    assert "pg_compat::half_y(v) = p[1];" in found


def test_groups_that_do_not_exist() -> None:
    head = "#include <cooperative_groups.h>\n"
    code = head + "namespace cg = cooperative_groups;\n"
    code += "__device__ void f() { cg::cluster_group c = cg::this_cluster(); c.sync(); }\n"
    assert ids(code) == ["PG1001", "PG1001"]
    code = head + "using namespace cooperative_groups;\nvoid g(cluster_group c);\n"
    assert ids(code) == ["PG1001"]
    code = head + "struct cluster_group {}; void g(cluster_group c, other::this_cluster d);\n"
    assert ids(code) == []
    code = head + "void g(cooperative_groups::thread_block b) { cooperative_groups::sync(b); }\n"
    assert ids(code) == []


def test_restricted_values_that_are_const() -> None:
    code = "template <typename M> __global__ void k(M const __restrict__ m, int const* p) {}\n"
    assert "k(M const  m, int const* p)" in text(code)


@pytest.mark.rocm_compiler
def test_device_addresses_are_numbers(tmp_path: Path) -> None:
    code = """#include <cuda.h>
struct R {
  CUdeviceptr ptr_{0};
  CUdeviceptr get() const { return ptr_; }
  auto at(size_t n) { return this->get() + n; }
};
CUresult f(CUdeviceptr p, const float* h, size_t n, R& r, CUdeviceptr* many) {
  CUdeviceptr q, s = p;
  cuMemAlloc(&q, n);
  cuMemcpyHtoD(p + 4 * n, h, n);
  p += n; q -= n ? 4 : 8;
  size_t a = p % 256, b = static_cast<size_t>(q), d = p - q;
  if (p & 255 && q) s = r.ptr_ + 2;
  for (; p != q;) p += 2 * n, q = p;
  float* w = reinterpret_cast<float*>(p);
  many[0] = p;
  CUdeviceptr& reference = s;
  return cuMemcpyDtoD(n + p, r.get() + 8, -n + a + b + d);
}
"""
    source = tmp_path / "a.hip"
    source.write_text(text(code))
    found = source.read_text()
    assert "p = pg_compat::device_bytes(p) + ( n);" in found
    assert "CUdeviceptr" not in found and "many[0] = p;" in found and "p != q;" in found
    folder = Path(__file__).resolve().parents[2] / "templates" / "compat"
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    _compiled([*command, f"-I{folder}", "--cuda-host-only", str(source)])
    plain = code.replace("CUdeviceptr", "own_pointer")
    assert "device_bytes" not in text(plain) and "device_address" not in text(plain)


@pytest.mark.rocm_compiler
def test_device_addresses_of_headers(tmp_path: Path) -> None:
    """A header's fields and functions count too; what only shares a name keeps its type."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "pool.h").write_text("""#pragma once
#include <cuda.h>
#include <cstddef>
class Pool {
 public:
  CUdeviceptr base{0};
  [[nodiscard]] CUdeviceptr start() const { return base; }
  void map(CUdeviceptr size, int offset = 0);
};
struct Other { float* base; int size; };
""")
    (tmp_path / "in" / "pool.cc").write_text("""#include "pool.h"
CUdeviceptr f(Pool& p, Other& o, size_t n) {
  auto hint = p.start() + n;
  auto const plain = p.start();
  float* q = o.base + 4;
  int size = o.size + 2;
  if (p.start() % 256 == 0) p.base += n * size;
  *q = 1.f;
  return n > 3 ? static_cast<CUdeviceptr>(hint) : plain + n;
}
""")
    words = [sys.executable, "-m", "portgpu", "translate", str(tmp_path / "in"), "-o"]
    done = subprocess.run([*words, str(tmp_path / "out"), "-q"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    found = (tmp_path / "out" / "pool.cc").read_text()
    assert "o.size + 2" in found and "pg_compat::device_bytes(o.base) + 4" in found
    assert "pg_compat::device_address(p.start()) % 256" in found
    assert ": pg_compat::device_bytes(plain) + n;" in found
    _compiled(["g++", "-fsyntax-only", "-w", str(tmp_path / "out" / "pool.cc")])
    assert b"pg_compat" not in run("float* f(Other& o) { return o.base + 4; }", "a.cc").text


ELIDED = """
template <class T> __global__ void k(T* p, uint4* q) {
  if (sizeof(T) == 16) {
    union both { uint4 vec; T other; };
    both b = {0, 0, 0, 0};
    q[0] = b.vec;
  } else {
    union both { uint2 vec; T other; };
    both b = {0};
    q[0].x = b.vec.x;
  }
}
__global__ void l(float4* p) {
  struct mixed { int n; float2 a, b; double d; };
  mixed m = {1, 2.f, -3.f, 4, 5, 6.0};
  float4 r[2] = {0, 1, 2, 3, 4, 5, 6, 7};
  float4 s[2] = {0};
  int2 t[] = {1, 2, 3, 4,};
  int u[2] = {1, 2};
  float4 whole[1] = {r[0]};
  float4 done[1] = {{1, 2, 3, 4}};
  p[1].x = m.n + t[0].x + u[0] + whole[0].x + done[0].x + s[0].x;
}
template __global__ void k<float>(float*, uint4*);
"""


@pytest.mark.rocm_compiler
def test_braces_left_out_around_vectors(tmp_path: Path) -> None:
    found = text(ELIDED)
    assert "b = {{0, 0, 0, 0}};" in found and "b = {{}};" in found
    assert "m = {1, {2.f, -3.f}, {4, 5}, 6.0};" in found
    assert "r[2] = {{0, 1, 2, 3}, {4, 5, 6, 7}};" in found and "s[2] = {{}};" in found
    assert "t[] = {{1, 2}, {3, 4},};" in found and "u[2] = {1, 2};" in found
    assert "{r[0]}" in found and "{{1, 2, 3, 4}};" in found
    source = tmp_path / "a.hip"
    source.write_text(found)
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    _compiled([*command, str(source)])


@pytest.mark.slow
@pytest.mark.cuda_compiler
def test_nvcc_lets_braces_be_left_out(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    assert nvcc is not None
    source = tmp_path / "a.cu"
    source.write_text(ELIDED)
    _compiled([nvcc, "-std=c++17", "-c", "-o", str(tmp_path / "o"), str(source)])


@pytest.mark.rocm_compiler
def test_pairs_of_8_bit_numbers(tmp_path: Path) -> None:
    code = """#include <cuda_fp8.h>
static constexpr __nv_bfloat16 least = __nv_bfloat16_raw{11996};
__device__ unsigned short g(__nv_bfloat162 v) {
  v.x = __hmax(v.x, least);
  return __nv_cvt_bfloat16raw2_to_fp8x2(
      static_cast<__nv_bfloat162_raw>(v), __NV_SATFINITE, __NV_E4M3);
}
__device__ __nv_fp8x4_e4m3 q(__half2 h, __nv_bfloat162 b, double2 d, double4 e) {
  float2 x = float2(__nv_fp8x2_e5m2(h)), y = float2(__nv_fp8x2_e4m3(b));
  x.x += float2(__nv_fp8x2_e4m3(d)).y + float4(__nv_fp8x4_e4m3(e)).z;
  __nv_fp8x4_e4m3 all[2] = {__nv_fp8x4_e4m3(h, h), __nv_fp8x4_e4m3(b, b)};
  return all[x.x < y.x + float(__nv_fp8_e4m3(e.x))];
}
__device__ __half2_raw f(__half2_raw h, double2 d) {
  __nv_fp8x2_storage_t a = __nv_cvt_halfraw2_to_fp8x2(h, __NV_SATFINITE, __NV_E4M3);
  a ^= __nv_cvt_double2_to_fp8x2(d, __NV_NOSAT, __NV_E4M3);
  return __nv_cvt_fp8x2_to_halfraw2(a, __NV_E5M2);
}
"""
    assert ids(code) == []
    source = tmp_path / "a.hip"
    source.write_text(text(code))
    folder = Path(__file__).resolve().parents[2] / "templates" / "compat"
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    _compiled([*command, f"-I{folder}", str(source)])


@pytest.mark.rocm_compiler
def test_attributes_behind_specifiers(tmp_path: Path) -> None:
    code = """#define OWN_DEVICE __host__ __device__
template <class T> OWN_DEVICE [[nodiscard]] T f(T x) { return x; }
static __device__ __forceinline__ [[nodiscard]] int g() { return 1; }
struct S { __device__ [[nodiscard]] int h() const { return 2; } };
[[nodiscard]] __device__ int first() { return 3; }
"""
    found = text(code)
    assert "> [[nodiscard]] OWN_DEVICE  T f" in found
    assert "\n[[nodiscard]] static __device__ __forceinline__  int g" in found
    assert "struct S { [[nodiscard]] __device__  int h()" in found
    assert "\n[[nodiscard]] __device__ int first" in found
    source = tmp_path / "a.hip"
    source.write_text(found)
    command = ["hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", "-w"]
    _compiled([*command, str(source)])
