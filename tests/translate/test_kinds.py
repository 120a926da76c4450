"""One kind of construct after the other: names, includes, calls, PTX, encodings."""

from __future__ import annotations

# ruff: noqa: E501 (tables of cases)
import pytest

from portgpu.errors import UsageError
from portgpu.translate import Options, translate
from tests.translate.helpers import ids, out, run


@pytest.mark.parametrize(
    "code",
    [
        "void f() { int cudaMalloc = 3; cudaMalloc++; g(cudaMalloc); }",
        "void f() { int a = 1, cudaMalloc = 3; g(cudaMalloc); }",
        "void f(float* cudaMemcpy) { g(cudaMemcpy); }",
        "void f() { for (int cudaFree = 0; cudaFree < 3; ++cudaFree) g(cudaFree); }",
        "void f() { std::vector<int> cudaFree; cudaFree.push_back(1); }",
        "void f() { auto cudaFree = [](int x) { return x; }; h(cudaFree(1)); }",
        "namespace mine { int cudaFree(int p) { return p; } int g() { return cudaFree(1); } }",
        "enum E { cudaSuccess, cudaErrorUnknown = 4 }; E e = cudaSuccess;",
        "enum class E { cudaSuccess }; E e = E::cudaSuccess;",
        "struct S { int cudaFree(int); int g() { return cudaFree(1); } };",
        "class cudaArray { public: int x; }; cudaArray a;",
        "using cudaEvent_t = int; cudaEvent_t e;",
        "typedef int cudaStream_t; cudaStream_t s;",
        "#define cudaFree(x) my_free(x)\nvoid f() { cudaFree(1); }",
        "#define F(cudaFree) g(cudaFree)\n",
        "template <class cudaEvent_t> void f(cudaEvent_t e) {}",
        "void cudaFree(int x) { g(x); }\nvoid f() { cudaFree(1); }",
        "void f() { mine::cudaFree(1); a.cudaFree(2); b->cudaFree(3); T<int>::cudaFree(4); }",
        "int Foo::cudaFree(int p) { return p; }",
        "struct { int x; } cudaArray; int y = cudaArray.x;",
        "void f(int cub) { cub += 1; int thrust = 2; g(thrust); }",
    ],
)
def test_names_of_the_program_are_left_alone(code: str) -> None:
    assert out(code) == code
    assert not [i for i in ids(code) if i in ("PG1001", "PG1002", "PG1003")]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = thrust::cuda::par.on(s);", "x = thrust::hip::par.on(s);"),
        ("cub::DeviceReduce::Sum(a);", "hipcub::DeviceReduce::Sum(a);"),
        ("thrust::sort(thrust::device, a, b);", "thrust::sort(thrust::device, a, b);"),
        ("using B = ::cub::BlockReduce<int, 128>;", "using B = ::hipcub::BlockReduce<int, 128>;"),
        ("void f() { { int cudaFree = 1; } x = cudaFree(p); }", "void f() { { int cudaFree = 1; } x = hipFree(p); }"),
        ("void f(int cudaFree) {} void g() { x = cudaFree(p); }", "void f(int cudaFree) {} void g() { x = hipFree(p); }"),
        ("struct S { int cudaFree; }; void g() { x = cudaFree(p); }", "struct S { int cudaFree; }; void g() { x = hipFree(p); }"),
        ("cudaError_t cudaFree(void* p);\nvoid g() { x = cudaFree(p); }", "hipError_t hipFree(void* p);\nvoid g() { x = hipFree(p); }"),
        ("std::map<cudaStream_t, cudaEvent_t> m;", "std::map<hipStream_t, hipEvent_t> m;"),
        ("const cudaError_t err = cudaGetLastError();", "const hipError_t err = hipGetLastError();"),
        ("if (a * cudaSuccess) {}", "if (a * hipSuccess) {}"),
        ("x = a > cudaSuccess;", "x = a > hipSuccess;"),
        ("switch (e) { case cudaSuccess: break; }", "switch (e) { case hipSuccess: break; }"),
        ("f(a, cudaSuccess);", "f(a, hipSuccess);"),
        ("struct cudaPointerAttributes a;", "struct pg_compat::pointer_attributes a;"),
        ("#define CK(x) if ((x) != cudaSuccess) abort()", "#define CK(x) if ((x) != hipSuccess) abort()"),
        ("x = cuda\\\nFree(p);", "x = hipFree(p);"),
        ("auto s = std::make_tuple(cudaStream_t(0), (cudaEvent_t)1);", "auto s = std::make_tuple(hipStream_t(0), (hipEvent_t)1);"),
        ("#if 0\nx = cudaFree(p);\n#else\ny = cudaFree(p);\n#endif", "#if 0\nx = hipFree(p);\n#else\ny = hipFree(p);\n#endif"),
    ],
)  # fmt: skip
def test_names_of_the_api_are_renamed(code: str, expected: str) -> None:
    assert out(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("cudaMemcpyToSymbol(c, p, 4);", "hipMemcpyToSymbol(HIP_SYMBOL(c), p, 4);"),
        ("cudaMemcpyFromSymbol(p, c[3], 4);", "hipMemcpyFromSymbol(p, HIP_SYMBOL(c[3]), 4);"),
        ("cudaFuncSetAttribute(k<A, B>, a, 3);", "hipFuncSetAttribute(reinterpret_cast<const void*>(k<A, B>), a, 3);"),
        ("cudaFuncSetAttribute((const void*)k, a, 3);", "hipFuncSetAttribute((const void*)k, a, 3);"),
        ("cudaFuncGetAttributes(&x, n::k);", "hipFuncGetAttributes(&x, reinterpret_cast<const void*>(n::k));"),
        ("cudaMallocAsync(&p, 4, s);", "hipMallocAsync(reinterpret_cast<void**>(&p), 4, s);"),
        ("cudaMallocAsync((void**)&p, 4, s);", "hipMallocAsync((void**)&p, 4, s);"),
    ],
)  # fmt: skip
def test_arguments(code: str, expected: str) -> None:
    assert out(f"x = {code}") == f"x = {expected}"


def test_warp_size_of_the_host() -> None:
    code = "void f() { cudaDeviceProp prop; int w = prop.warpSize; Other o; o.warpSize = 3; }"
    assert "int w = pg_compat::logical_warp(prop.warpSize); Other o; o.warpSize = 3;" in out(code)
    assert "pg_compat::device_get_attribute(&w, hipDeviceAttributeWarpSize, 0)" in out(
        "x = cudaDeviceGetAttribute(&w, cudaDevAttrWarpSize, 0);"
    )


@pytest.mark.parametrize(
    ("code", "templated"),
    [
        ("__device__ double atomicMax(double* a, double v) { return 0; }", True),
        ("inline __host__ __device__ float4 operator+(float4 a, const float4& b) { return a; }", True),
        ("__device__ void operator+=(float2& a, float2 b);", True),
        ("namespace n { static __device__ float3 operator*(float s, float3 a) { return a; } }", True),
        ("std::ostream& operator<<(std::ostream& o, float2 v) { return o; }", False),
        ("template <class T> __device__ float2 operator+(float2 a, T b) { return a; }", False),
        ("struct V { V operator+(float2 b) { return *this; } };", False),
        ("V operator+(V a, V b) { return a; }", False),
        ("void f() { atomicMax(p, 3); x = atomicAdd(p, 1); return atomicMax(a, b); }", False),
    ],
)  # fmt: skip
def test_functions_that_hip_has_too(code: str, templated: bool) -> None:
    code = f"#include <cuda_runtime.h>\n{code}\n"
    assert ("template <int...> " in out(code)) == templated
    assert ("PG1805" in ids(code)) == templated


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("half2 v; f(v.x, v.y);", "half2 v; f(pg_compat::half_x(v), pg_compat::half_y(v));"),
        ("const __half2* p; f(p[i + 1].x); g(p->y);", "const __half2* p; f(pg_compat::half_x(p[i + 1])); g(pg_compat::half_y(*p));"),
        ("half2 v; v.x = h;", "half2 v; pg_compat::half_x(v) = h;"),
        ("half2 v; float2 v; f(v.x);", "half2 v; float2 v; f(v.x);"),
        ("half2 v; f(o.v.x, w.x, v.z);", "half2 v; f(o.v.x, w.x, v.z);"),
    ],
)  # fmt: skip
def test_halves_of_half2(code: str, expected: str) -> None:
    assert out("#include <cuda_fp16.h>\n" + code).endswith("\n" + expected)


def test_launches_in_device_code() -> None:
    assert ids("__global__ void k() { if (x) { j<<<1, 2>>>(p); } }") == ["PG1304"]
    assert ids("__device__ void k() { j<<<1, 2>>>(p); }") == ["PG1304"]
    assert ids("__host__ __device__ void k() { j<<<1, 2>>>(p); }") == []
    assert ids("__global__ void j() {} void k() { j<<<1, 2>>>(p); }") == []


def test_names_looked_up_at_run_time() -> None:
    assert ids('void f() { dlsym(h, "cudaMalloc"); }') == ["PG1007"]
    assert ids('void f() { dlopen("libcudart.so.12", 1); }') == ["PG1007"]
    assert ids('void f() { dlsym(h, "mine"); printf("cudaMalloc"); }') == []


# --- includes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "path", "expected"),
    [
        ("__global__ void k() {}\n", "a.cu", "#include <hip/hip_runtime.h>\n__global__ void k() {}\n"),
        ("int main() { return 0; }\n", "a.cu", "int main() { return 0; }\n"),
        ("__device__ int f();\n", "a.cuh", "#include <hip/hip_runtime.h>\n__device__ int f();\n"),
        ("#pragma once\n__device__ int f();\n", "a.cuh", "#pragma once\n#include <hip/hip_runtime.h>\n__device__ int f();\n"),
        ("// note\n#ifndef A_H\n#define A_H\n__device__ int f();\n#endif\n", "a.h",
         "// note\n#ifndef A_H\n#define A_H\n#include <hip/hip_runtime.h>\n__device__ int f();\n#endif\n"),
        ("#ifdef X\n#include <cuda_runtime.h>\n#endif\nx = cudaFree(p);\n", "a.cu",
         "#ifdef X\n#include <hip/hip_runtime.h>\n#endif\nx = hipFree(p);\n"),
        ("#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cuda_runtime_api.h>\n", "a.cu", "#include <hip/hip_runtime.h>\n\n#include <hip/hip_runtime_api.h>\n"),
        ('#include "cuda_runtime.h"\n', "a.cu", "#include <hip/hip_runtime.h>\n"),
        ("#include <cublas_v2.h>\n", "a.cpp", "#include <hipblas/hipblas.h>\n"),
        ("#include <cub/cub.cuh>\n#include <cub/cub.cuh>\n", "a.cpp", "#include <hipcub/hipcub.hpp>\n\n"),
        ("\xef\xbb\xbf__global__ void k() {}\r\n".encode("latin-1").decode("utf-8"), "a.cu",
         "\ufeff#include <hip/hip_runtime.h>\r\n__global__ void k() {}\r\n"),
    ],
)  # fmt: skip
def test_includes(code: str, path: str, expected: str) -> None:
    assert run(code, path).text.decode() == expected


def test_compat_include_is_relative_when_asked() -> None:
    text = run("__global__ void k() { __syncwarp(); }", compat="../portgpu/hip_compat.h").text
    assert text.startswith(b'#include "../portgpu/hip_compat.h"\n')


def test_local_header_with_a_cuda_name() -> None:
    data = b'#include "cuda_helpers.h"\n'
    assert translate(data, "a.cpp", Options(), frozenset({"cuda_helpers.h"})).text == data


# --- PTX ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('asm volatile("mov.u32 %0, %%laneid;" : "=r"(x))', "x = pg_compat::lane_id()"),
        ('asm("mul.hi.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b))', "x = __umulhi((unsigned)(a), (unsigned)(b))"),
        ('asm("membar.gl;" ::: "memory")', "__threadfence()"),
        ('asm volatile("bar.sync 0;")', "__syncthreads()"),
        ('asm("{ add.u32 %0, %1, 3; }" : "=r"(x) : "r"(y + 1))', "x = (unsigned)(y + 1) + 3u"),
        ('asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v))', "h = __half_as_ushort(__float2half_rn((float)(v)))"),
        ('asm("ld.global.f32 %0, [%1+8];" : "=f"(v) : "l"(p))', "v = *(float*)((char*)(p) + 8)"),
        ('asm volatile("st.global.v2.u32 [%0], {%1, %2};" :: "l"(p), "r"(a), "r"(b))',
         "do { *(unsigned*)(p) = (unsigned)(a); *(unsigned*)((char*)(p) + 4) = (unsigned)(b); } while (0)"),
        ('asm("mov.u32 %[out], %%lanemask_lt;" : [out] "=r"(x))', "x = pg_compat::lanemask_lt()"),
        ('asm volatile("griddepcontrol.wait;" ::: "memory")', "(void)0"),
        ('asm volatile("" ::: "memory")', 'asm volatile("" ::: "memory")'),
        ('asm volatile("pause")', 'asm volatile("pause")'),
        ('__asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi))', '__asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi))'),
    ],
)  # fmt: skip
def test_ptx(code: str, expected: str) -> None:
    assert out(f"void f() {{ {code}; }}", "a.cpp") == f"void f() {{ {expected}; }}"


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ('asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1}, {%2}, {%3};" : "=f"(a) : "r"(b), "r"(c), "f"(d))', "PG1203"),
        ('asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(b))', "PG1203"),
        ('asm("mbarrier.init.shared.b64 [%0], %1;" :: "r"(a), "r"(b))', "PG1203"),
        ('asm("frob.u32 %0, %1;" : "=r"(a) : "r"(b))', "PG1201"),
        ('asm("add.cc.u32 %0, %1, %2;" : "=r"(a) : "r"(b), "r"(c))', "PG1201"),
        ('asm("LOOP: bra LOOP; add.u32 %0, %0, 1;" : "+r"(a))', "PG1201"),
        ('asm("add.u32 " OPERANDS ";" : "=r"(a))', "PG1202"),
        ('asm("add.u32 %0, %5, 1;" : "=r"(a))', "PG1201"),
        ('asm volatile("bar.sync 1, 64;")', "PG1201"),
    ],
)  # fmt: skip
def test_ptx_without_a_portable_form(code: str, finding: str) -> None:
    text = f"__device__ void f() {{\n  {code};\n}}\n"
    result = run(text)
    assert [(f.id, f.line, f.column) for f in result.findings] == [(finding, 2, 3)]
    assert code.encode() in result.text


# --- bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        b"x = cudaFree(p); // caf\xe9 \xff\xfe\r\n\r\ny = 1;",
        b"x = cudaFree(p);\x00\x00 y",
        b"x = cudaFree(p); // no final newline",
        b"x = cudaFree(p);\r// old Mac lines\ry = cudaFree(q);\r",
        b"\x1a x = cudaFree(p); \x0c\x0b",
    ],
)
def test_bytes_survive(code: bytes) -> None:
    text = run(code, "a.hip.cpp").text
    assert text.split(b"hip_runtime.h>")[-1].lstrip(b"\r\n") == code.replace(
        b"cudaFree", b"hipFree"
    )


def test_wide_files_are_reported() -> None:
    data = "cudaFree(p);".encode("utf-16")
    result = translate(data, "a.cu")
    assert result.text == data and [f.id for f in result.findings] == ["PG1803"]


def test_nothing_to_do_returns_the_input() -> None:
    data = b"int main() { return 0; }\n"
    result = translate(data, "a.cpp")
    assert result.text is data and not result.changed


def test_options_are_checked() -> None:
    for bad in ({"to": "metal"}, {"warp": "64"}, {"launches": "drop"}, {"hip_version": "new"}):
        with pytest.raises(UsageError) as error:
            Options(**bad)
        assert error.value.hint


# --- the other targets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("k<<<g, b, s, st>>>(a);", "PGCPU_LAUNCH((k), g, b, s, st)(a);"),
        ("k<T, 4><<<g, b>>>();", "PGCPU_LAUNCH((k<T, 4>), g, b)();"),
        ("extern __shared__ T s[];", "PGCPU_DYN_SHARED(T, s);"),
        ("extern __shared__ __align__(16) unsigned char s[];", "PGCPU_DYN_SHARED(unsigned char, s);"),
        ("void f() { __shared__ float a[N][M], b; }", "void f() { PGCPU_SHARED((float), a, [N][M]); PGCPU_SHARED((float), b); }"),
        ("void f() { __shared__ std::pair<int, T> p[4]; }", "void f() { PGCPU_SHARED((std::pair<int, T>), p, [4]); }"),
        ("__shared__ int outer[3];", "__shared__ int outer[3];"),
        ("#define L(n, ...) n<<<g, \\\n  b>>>(__VA_ARGS__)", "#define L(n, ...) PGCPU_LAUNCH((n), g, \\\n  b)(__VA_ARGS__)"),
    ],
)  # fmt: skip
def test_to_cpu(code: str, expected: str) -> None:
    assert run(code, to="cpu").text.decode() == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("#include <hip/hip_runtime.h>\nx = hipFree(p);", "#include <cuda_runtime.h>\nx = cudaFree(p);"),
        ("hipLaunchKernelGGL(HIP_KERNEL_NAME(k<A, B>), dim3(1), dim3(2), 0, s, a, b);", "k<A, B><<<dim3(1), dim3(2), 0, s>>>(a, b);"),
        ("hipLaunchKernelGGL(k, 1, 2, 0, 0);", "k<<<1, 2, 0, 0>>>();"),
        ("v = __shfl_xor(v, 3);", "v = __shfl_xor_sync(0xffffffffu, v, 3);"),
        ("m = __ballot(p);", "m = __ballot_sync(__activemask(), p);"),
        ("HIP_DYNAMIC_SHARED(float, s);", "extern __shared__ float s[];"),
        ("x = hipMemcpyToSymbol(HIP_SYMBOL(c), p, 4);", "x = cudaMemcpyToSymbol(c, p, 4);"),
        ("a.hipFree(1); n::hipFree(2); int hip = 3;", "a.hipFree(1); n::hipFree(2); int hip = 3;"),
    ],
)  # fmt: skip
def test_to_cuda(code: str, expected: str) -> None:
    assert run(code, to="cuda").text.decode() == expected


def test_there_and_back() -> None:
    code = (
        "#include <cuda_runtime.h>\n__global__ void k(float* p) { p[0] = __shfl_down_sync(~0u, p[0], 3) +"
        " warpSize; __syncwarp(); }\nint main() { k<<<1, 32>>>(nullptr); return cudaDeviceSynchronize(); }\n"
    )
    there = run(code).text
    back = translate(there, "a.cu", Options(to="cuda")).text.decode()
    assert back.replace("\n\n", "\n") == code


@pytest.mark.parametrize(
    "code",
    [
        "__device__ float f(float exp, float y0) { float norm = exp + y0; return norm; }\n",
        "struct half; __device__ void g(half* h);\n",
        "#include <cublas_v2.h>\nstruct blockDim { int x; };\nblockDim make();\n",
        "namespace cub = hipcub;\n",
        '__global__ void k() { asm volatile("maddv.w %w[v], %w[a]" : [v] "+f"(v) : [a] "f"(a)); }\n',
        '__device__ int4 load(int4 r) __asm("llvm.amdgcn.raw.buffer.load.v4i32");\n',
        '__global__ void k() { asm("vmla.f32 %q0, %q1" : "+w"(v) : "w"(a)); }\n',
        "__device__ at::Half __shfl_sync(unsigned mask, const at::Half v, int lane) { return v; }\n",
    ],
)
def test_nothing_to_say(code: str) -> None:
    assert ids(code) == []


def test_an_alias_of_the_counterpart_hides_nothing() -> None:
    code = (
        "#ifdef USE_ROCM\n#include <hipcub/hipcub.hpp>\nnamespace cub = hipcub;\n"
        "#else\n#include <cub/cub.cuh>\n#endif\ncub::BlockReduce<int, 64> r;\n"
    )
    text = out(code)
    assert "namespace cub = hipcub;" in text and "hipcub::BlockReduce<int, 64> r;" in text


def test_attributes_of_pointers_in_every_version() -> None:
    text = out("cudaPointerAttributes a; cudaPointerGetAttributes(&a, p);\n")
    assert "pg_compat::pointer_attributes a; " in text
    assert "pg_compat::pointer_get_attributes(&a, p)" in text


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("#include <cuda/std/type_traits>\n", "#include <type_traits>\n"),
        (
            "__device__ bool f() { return cuda::std::is_same<int, T>::value; }\n",
            "__device__ bool f() { return std::is_same<int, T>::value; }\n",
        ),
        ("using T = ::cuda::std::tuple<int>;\n", "using T = ::pg_compat::tuple<int>;\n"),
        ("at::cuda::std::x y;\n", "at::cuda::std::x y;\n"),
        ("namespace cuda::std { }\n", "namespace cuda::std { }\n"),
        ("#if __CUDACC_VER_MAJOR__ >= 9\n", "#if PG_COMPAT_CUDACC_VER_MAJOR >= 9\n"),
        ("#ifdef __CUDACC_RTC__\n#endif\n", "#ifdef __HIPCC_RTC__\n#endif\n"),
        (
            "static void (*cudaSetDeviceHandler)(int);\nvoid f() { (*cudaSetDeviceHandler)(1); }\n",
            "static void (*cudaSetDeviceHandler)(int);\nvoid f() { (*cudaSetDeviceHandler)(1); }\n",
        ),
    ],
)
def test_standard_library_and_compiler_macros(code: str, expected: str) -> None:
    assert out(code) == expected
    assert set(ids(code)) <= {"PG1502"}


@pytest.mark.parametrize(
    ("code", "header"),
    [
        ("#include <torch/extension.h>\nvoid f(__half* p, __half v) { atomicAdd(p, v); }\n", "_half"),
        ("#include \"x.h\"\n__device__ __nv_bfloat16 g(__nv_bfloat16* p) { atomicAdd(p, *p); }\n",
         "_bf16"),
        ("#include \"x.h\"\n__device__ auto m(__half a) { return __hmax(a, a); }\n", "_half"),
        ("#include \"x.h\"\n__device__ int m(int* p) { return atomicAdd(p, 1) + __ldg(p); }\n", ""),
    ],
)  # fmt: skip
def test_the_part_that_holds_what_is_used_is_included(code: str, header: str) -> None:
    text = run(code).text.decode()
    assert text.count("hip_compat") == 1
    assert f'#include "portgpu/hip_compat{header}.h"\n' in text


def test_without_our_header_names_become_those_of_hip() -> None:
    code = "void f() { cudaMemPrefetchAsync(p, 1, 0); cudaDeviceSetLimit(l, 1); __ldg(q); }\n"
    plain = out(code, compat=None, hipify="perl")
    assert plain == code.replace("cudaM", "hipM").replace("cudaD", "hipD")
    assert set(ids(code, compat=None)) <= {"PG1003", "PG1004"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("auto k = cudaMemcpyKind::cudaMemcpyHostToDevice;\n",
         "auto k = hipMemcpyKind::hipMemcpyHostToDevice;\n"),
        ("case ::cudaError_t::cudaSuccess:\n", "case ::hipError_t::hipSuccess:\n"),
        ("auto k = Mine::cudaMemcpyHostToDevice;\n", "auto k = Mine::cudaMemcpyHostToDevice;\n"),
        ("auto s = cudaDataType::CUDA_R_32F;\n", "auto s = hipDataType::HIP_R_32F;\n"),
    ],
)  # fmt: skip
def test_enumerators_behind_their_enum(code: str, expected: str) -> None:
    assert out(code) == expected


def test_parts_of_cub_come_with_the_whole() -> None:
    code = "#include <cub/block/block_load.cuh>\n#include <cub/block/block_store.cuh>\n"
    assert out(code) == "#include <hipcub/hipcub.hpp>\n\n"


def test_carry_chains_of_one_statement_are_read() -> None:
    text = (
        b"__device__ void f(unsigned* r, unsigned a, unsigned b) {\n"
        b'  asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %2, 0;"'
        b' : "=r"(r[0]), "=r"(r[1]) : "r"(a), "r"(b));\n}\n'
    )
    done = translate(text, "a.cu")
    assert b"asm" not in done.text and b"pg_cc" in done.text and not done.findings
    # The next statement would read the carry: nothing portable says that.
    open_end = b'__device__ void f(unsigned& r, unsigned a) { asm("add.cc.u32 %0, %1, 1;" : "=r"(r) : "r"(a)); }\n'
    assert [f.id for f in translate(open_end, "a.cu").findings] == ["PG1201"]


def test_inputs_of_asm_are_read_before_outputs_change_them() -> None:
    text = b'__device__ void f(int& x) { asm("add.s32 %0, %1, 1; mul.lo.s32 %0, %0, %1;" : "=r"(x) : "r"(x)); }\n'
    assert b"const auto pg_in1 = x;" in translate(text, "a.cu").text


def test_warp_wide_cub_keeps_its_32_lanes() -> None:
    text = b"#include <cub/cub.cuh>\nusing R = cub::WarpReduce<int>; using S = cub::WarpScan<float, 16>;\n"
    done = translate(text, "a.cu").text
    assert b"WarpReduce<int, 32>" in done and b"WarpScan<float, 16>" in done


def test_small_kinds_of_whole_programs() -> None:
    def made(code: bytes) -> bytes:
        done = translate(code, "a.cu")
        assert not [f for f in done.findings if f.severity.value != "note"], done.findings
        return done.text

    assert b"hipMalloc3DArray(&a, &d, e, 0)" in made(
        b"void f() { cudaMalloc3DArray(&a, &d, e); }\n"
    )
    assert b"void h(void*)" in made(b"void CUDART_CB h(void*);\n").replace(b"  ", b" ")
    assert b"if (HipcubDebug(x)) exit(1);" in made(b"void f() { CubDebugExit(x); }\n")
    assert b"HIP_INCLUDE_HIP_DRIVER_TYPES_H" in made(b"#ifdef __DRIVER_TYPES_H__\n#endif\n")
    assert b"k<<<CONFIG>>>(1)" in made(b"void f() { k<<<CONFIG>>>(1); }\n")
    assert b"(void)hipMemset(p, 0, n)\n" in made(b"#define Z(p, n) g(p); cudaMemset(p, 0, n)\n")
    assert b"hip_compat.h" in made(b"__global__ void k(long long* p) { atomicMin(p, 3LL); }\n")


def test_a_cast_to_an_alias_may_not_be_the_one_that_hip_wants() -> None:
    text = out("cudaFuncSetAttribute(reinterpret_cast<ptr_t>(k), a, 1);\n")
    assert "(reinterpret_cast<const void*>(reinterpret_cast<ptr_t>(k)), a, 1)" in text
    kept = out("cudaFuncSetAttribute(reinterpret_cast<const void*>(k), a, 1);\n")
    assert "(reinterpret_cast<const void*>(k), a, 1)" in kept


@pytest.mark.parametrize(
    ("code", "headers"),
    [
        ("void f(char* p) { memset(p, 0, 1); cudaFree(p); }", ["string.h"]),
        ("int f(float x) { cudaFree(0); return isnan(x) ? 1 : 0; }", ["math.h"]),
        ("#include <cuda_runtime.h>\nvoid f(char* p, float x) { g(2 * strlen(p), isinf(x)); }", ["string.h", "math.h"]),
        ("#include <cuda_runtime.h>\n#include <cstring>\nvoid f(char* p) { memset(p, 0, 1); }", []),
        ("#include <math.h>\nvoid f(float x) { cudaFree(0); isnan(x); }", []),
        ("__global__ void k(int* p) { if (p) { memset(p, 0, 4); p[0] = isnan(1.f); } }", []),
        ("__device__ __host__ void k(int* p) { memset(p, 0, 4); }", ["string.h"]),
        ("void f(char* p) { std::memset(p, 0, 1); a.memcpy(p); cudaFree(p); }", []),
        ("static int strlen(char* p);\nvoid f(char* p) { strlen(p); cudaFree(p); }", []),
        ("#include <hip/hip_runtime.h>\nvoid f(char* p) { memset(p, 0, 1); }", []),
        ("bool f(char* p, size_t n) { cudaFree(p); return n > strlen(p); }", ["string.h"]),
        ("void f(char* p) { cudaFree(p); ::memset(p, 0, 1); }", ["string.h"]),
    ],
)  # fmt: skip
def test_headers_of_c_that_nvcc_brings_by_itself(code: str, headers: list[str]) -> None:
    text = run(code + "\n").text.decode()
    for name in ("string.h", "math.h"):
        had = code.count(f"<{name}>")
        assert text.count(f"#include <{name}>") == had + (name in headers), text
    assert "#include <string.h>" not in run(code + "\n", "a.cuh").text.decode()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("__shared__ alignas(16) float a[4];", "__shared__ __attribute__((aligned(16))) float a[4];"),
        ("extern alignas(16) __shared__ int a[];", "extern __attribute__((aligned(16))) __shared__ int a[];"),
        ("extern __shared__ alignas(float4) T a[];", "extern __shared__ __attribute__((aligned(alignof(float4)))) T a[];"),
        ("__shared__ alignas(alignof(V)) V a;", "__shared__ __attribute__((aligned(alignof(V)))) V a;"),
        ("struct V {}; __shared__ alignas(V) char a[8];", "struct V {}; __shared__ __attribute__((aligned(alignof(V)))) char a[8];"),
        ("__device__ int b; static __constant__ alignas(N) int a[2];", "__device__ int b; static __constant__ __attribute__((aligned(N))) int a[2];"),
        ("alignas(16) __shared__ float a[4];", "alignas(16) __shared__ float a[4];"),
        ("struct alignas(16) S { float x; }; __shared__ S s;", "struct alignas(16) S { float x; }; __shared__ S s;"),
        ("__device__ void f() { alignas(8) int x; }", "__device__ void f() { alignas(8) int x; }"),
        ("static __device__ struct alignas(8) P { int x; } p;", "static __device__ struct alignas(8) P { int x; } p;"),
    ],
)  # fmt: skip
def test_alignment_of_variables_in_device_memory(code: str, expected: str) -> None:
    assert out(code) == expected


def test_textures_are_noted_once_a_file() -> None:
    code = "__global__ void k(cudaTextureObject_t t, float* p) {\n  p[0] = tex2D<float>(t, 0, 1);\n  p[1] = tex1Dfetch<float>(t, 1);\n}\n"
    found = [f for f in run(code).findings if f.id == "PG1807"]
    assert [(f.line, f.column, f.severity.value) for f in found] == [(2, 10, "note")]
    assert "PG1807" not in ids("__global__ void k(float* tex) { tex[0] = a.tex2D(1); }\n")


def test_a_macro_used_as_a_statement_drops_its_status() -> None:
    define = "#define DOWN(x, h) cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost)\n"
    assert "h) (void)hipMemcpy(" in out(define + "void f() { DOWN(a, b); if (c) DOWN(d, e); }\n")
    for use in ("x = DOWN(a, b);", "CHECK(DOWN(a, b));", "DOWN(a, b), g();", "(DOWN(a, b));", ""):
        assert "h) hipMemcpy(" in out(define + "void f() { DOWN(a, b); " * bool(use) + use + "}\n")
    assert "(void)" not in out(define + "void f() { DOWN(a, b); }\n", "a.cuh")
    assert "h) (void)hipMemcpy(" in out("void f() {\n" + define + "  DOWN(a, b);\n}\n")


def test_a_dropped_status_behind_a_directive() -> None:
    code = "void f() {\n#ifdef X\n#pragma unroll\n  cudaFree(p);\n#endif\n  cudaFree(q);\n  int e =\n#if X\n  cudaFree(p);\n#endif\n}\n"
    assert out(code) == code.replace("cuda", "hip").replace(
        "  hipFree(p);\n#endif\n  hipFree", "  (void)hipFree(p);\n#endif\n  (void)hipFree"
    )


def test_block_sizes_with_variable_shared_memory_work_in_every_hip() -> None:
    code = "#include <cuda_runtime.h>\nvoid f() { r = cudaOccupancyMaxPotentialBlockSizeVariableSMem(&g, &b, k, size_of, 0); }\n"
    assert (
        "r = pg_compat::occupancy_max_block_size(&g, &b, k, size_of, 0)" in run(code).text.decode()
    )
    assert "PG1004" in ids(code, compat=None)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # The innermost declaration decides; other types of the same name elsewhere do not matter.
        ("__device__ float f(half2 v, const half2* p, half2 a[2]) { half2 w = v, u; { float2 v; v.x = 1; }"
         " return float(v.x) + float(p->y) + float(a[1].x) + float(w.x) + float(u.y); }\n"
         "float h(float2 v) { return v.x; }\nuint64_t g(uint64_t v);\n",
         "__device__ float f(half2 v, const half2* p, half2 a[2]) { half2 w = v, u; { float2 v; v.x = 1; }"
         " return float(H_x(v)) + float(H_y(*p)) + float(H_x(a[1])) + float(H_x(w)) + float(H_y(u)); }\n"
         "float h(float2 v) { return v.x; }\nuint64_t g(uint64_t v);\n"),
        ("half2 g;\n__device__ float f() { return g.x; }\n__device__ float k(float2 g) { return g.x; }\n",
         "half2 g;\n__device__ float f() { return H_x(g); }\n__device__ float k(float2 g) { return g.x; }\n"),
        ("struct S { half2 m; };\n__device__ void f(S s, S* q) { s.m.x = q[0].m.y; }\n",
         "struct S { half2 m; };\n__device__ void f(S s, S* q) { H_x(s.m) = H_y(q[0].m); }\n"),
        ("struct S { half2 m; };\nstruct T { float2 m; };\n__device__ float f(T s) { return s.m.x; }\n",) * 2,
    ],
)  # fmt: skip
def test_fields_of_half2_by_scope(code: str, expected: str) -> None:
    text = run(code).text.decode().replace('#include "portgpu/hip_compat_half.h"\n', "")
    text = text.replace("#include <hip/hip_runtime.h>\n", "")
    assert text == expected.replace("H_", "pg_compat::half_")


@pytest.mark.parametrize(
    ("code", "expected", "found"),
    [
        ("__global__ void __maxnreg__(32) k() {}\n", "__global__ void  k() {}\n", ["PG1302"]),
        ("__nv_pure__ __device__ int f();\n", " __device__ int f();\n", ["PG1302"]),
        ("__global__ void __cluster_dims__(2, 1, 1) k() {}\n",) * 2 + (["PG1001"],),
        ("auto t = CUBLASLT_MATMUL_TILE_56x64;\n",) * 2 + (["PG1601"],),
    ],
)  # fmt: skip
def test_specifiers_and_names_of_new_cuda(code: str, expected: str, found: list[str]) -> None:
    assert out(code) == expected and ids(code) == found


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("float f(half2 v, half2* p) { return pg_compat::half_x(v) + pg_compat::half_y(*p); }\n",
         "float f(half2 v, half2* p) { return (v).x + (*p).y; }\n"),
        ("int v = PG_COMPAT_NVTX_VERSION;\n", "int v = NVTX_VERSION;\n"),
        ('#include "portgpu/hip_compat_nvtx.h"\n', "#include <nvtx3/nvToolsExt.h>\n"),
    ],
)  # fmt: skip
def test_our_header_is_turned_back(code: str, expected: str) -> None:
    assert run(code, to="cuda").text.decode() == expected
    assert ids("int x = pg_compat::f16x2_add(a, b);\n", to="cuda") == ["PG1001"]
