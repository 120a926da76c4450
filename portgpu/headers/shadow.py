"""Writes the headers that compile CUDA sources unchanged for ROCm, and their response file.

The output folder holds `shadow/` (headers called as CUDA's: `cuda_runtime.h`, `cublas_v2.h`, …),
`portgpu/` (the compat header of the rewriting route, and names as macros rendered from the mapping
tables) and `portgpu-rocm.rsp` with everything the compiler needs to be told. Both routes share one
compat header, so that they mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from portgpu import mapping, resources
from portgpu.headers import half2, names, nvtx
from portgpu.headers.dialect import render_reverse
from portgpu.headers.files import write
from portgpu.headers.names import MARK
from portgpu.mapping import Entry, Status
from portgpu.toolchain.model import UNSET_VALUES
from portgpu.translate.headers import HIPCUB, NVTX, STD_PARTS

RESPONSE_FILE = {"rocm": "portgpu-rocm.rsp", "cuda": "portgpu-cuda.rsp"}
HOST_RESPONSE_FILE = "portgpu-rocm-host.rsp"  # for C and C++ files of compilers that know no HIP

# HIP header (a prefix) -> what a shadow of it includes, and the families of names it brings.
# "" includes the HIP header itself; a name in quotes is one of ours.
_SHADOWS: list[tuple[str, str, tuple[str, ...]]] = [
    ("hip/hip_fp16.h", '"portgpu/hip_compat_half.h"', ("half",)),
    ("hip/hip_bf16.h", '"portgpu/hip_compat_bf16.h"', ("half", "bf16")),
    ("hip/hip_fp8.h", '"portgpu/hip_compat_fp8.h"', ("half", "bf16", "fp8")),
    ("hip/hip_fp", "", ("half",)),
    ("hip/hip_cooperative_groups.h", '"portgpu/hip_compat_cg.h"', ()),
    ("hip/hip_math_constants.h", '"portgpu/hip_compat_constants.h"', ()),
    ("hip/hip_complex.h", "", ("complex",)),
    ("hip/hip_gl_interop.h", "", ("driver",)),
    ("hip/hiprtc.h", "", ("nvrtc",)),
    ("hip/library_types.h", "", ("types",)),
    ("hipblas/", "", ("blas", "complex")),
    ("hipblaslt/", "", ("blaslt", "blas", "complex")),
    ("hipfft/", "", ("fft", "complex")),
    ("hiprand/", "", ("rand",)),
    ("rocrand/", "", ("rand",)),
    ("hipsparse/", "", ("sparse", "complex")),
    ("hipsolver/", "", ("solver", "blas", "complex")),
    ("miopen/", "", ("dnn",)),
    ("rccl/", "", ("nccl",)),
    ("hipcub/", "", ("cub",)),
    ("thrust/", "next", ()),
]
# What CUDA's header includes besides, and sources rely on.
_BESIDES = {
    "cublas_v2.h": ("cuComplex.h", "cuda_fp16.h", "cuda_bf16.h"),
    "cublas_api.h": ("cuComplex.h", "cuda_fp16.h", "cuda_bf16.h"),
    "cublasLt.h": ("cublas_v2.h",),
    "cufft.h": ("cuComplex.h",),
    "cusparse.h": ("cuComplex.h", "cuda_fp16.h"),
    "cusolverDn.h": ("cublas_v2.h",),
    "cusolverSp.h": ("cusparse.h", "cublas_v2.h"),
    "nccl.h": ("cuda_fp16.h",),
    "cuda_bf16.h": ("cuda_fp16.h",),
    "cuda_fp8.h": ("cuda_fp16.h", "cuda_bf16.h"),
}
_CPP_ALONE = ("cuda_fp16.h", "cuda_bf16.h")  # HIP's are no C in every version
# What says in CUDA's header that it has been included; sources ask for it.
_GUARDS = {
    "hip/hip_fp16.h": ("__CUDA_FP16_H__", "__CUDA_FP16_TYPES_EXIST__"),
    "hip/hip_bf16.h": ("__CUDA_BF16_H__", "__CUDA_BF16_TYPES_EXIST__"),
    "hip/hip_fp8.h": ("__CUDA_FP8_H__", "__CUDA_FP8_TYPES_EXIST__"),
    "hipblas/": ("CUBLAS_API_H_", "CUBLAS_H_", "CUBLAS_V2_H_"),
    "hipfft/": ("_CUFFT_H_",),
    "hiprand/hiprand.h": ("CURAND_H_",),
    "hiprand/hiprand_kernel.h": ("CURAND_KERNEL_H_",),
    "hipsolver/": ("CUSOLVER_COMMON_H_", "CUSOLVERDN_H_"),
    "hipsparse/": ("CUSPARSE_H_", "CUSPARSEAPI"),
}
# Thrust's headers that ask what a functor returns, or hand its tuples to functors.
_ASK_RESULTS = tuple(
    f"thrust/{name}.h"
    for name in (
        "iterator/transform_iterator",
        "iterator/transform_output_iterator",
        "iterator/zip_iterator",
        "transform_reduce",
        "transform_scan",
    )
)
# What our header has of cuda::std besides the standard library.
_STD_OURS = {
    "functional": "identity",
    "tuple": "get make_tuple tie tuple tuple_cat",
    "utility": "exchange get make_pair pair swap",
    "variant": "get variant",
}
# HIP's libraries count on its own meaning of the second number.
_HIP_BOUNDS = """#ifdef launch_bounds_impl0
#define __launch_bounds__(...) \\
  select_impl_(__VA_ARGS__, launch_bounds_impl1, launch_bounds_impl0, )(__VA_ARGS__)
#endif
"""
_DRIVER = ("cuda.h", "cudaProfiler.h", "cudaGL.h")
_MMA = f"""{MARK}#pragma once
#if defined(__NVCC__) && !defined(__HIP__)
#include_next <mma.h>
#else
#include "cuda_fp16.h"
#include "cuda_bf16.h"
#include "portgpu/shadow/off.h"
#include "portgpu/hip_compat_mma.h"
#include "portgpu/shadow/back.h"
#endif
"""


def render_shadow(target: str, out: Path, *, arch_level: int = 700) -> list[Path]:
    """Write the headers for `target` ("rocm", or "cuda" for HIP sources on NVIDIA) into `out`.

    `arch_level` is the compute capability (times 100) that device code sees in `__CUDA_ARCH__` on
    AMD. Returns the files, the response file last. Raises `OutputError` when `out` cannot be
    written.
    """
    place = out.absolute()
    if target == "cuda":
        files = render_reverse(out)
        options = [f'-I"{place}"']
        return files + write({RESPONSE_FILE["cuda"]: _lines(options)}, out)
    contents = {name: _libcudacxx(name, text) for name, text in _files()}
    shared = [
        "-D__HIP_PLATFORM_AMD__=1",
        "-DHIPBLAS_V2",
        f"-DPG_COMPAT_CUDA_ARCH_LEVEL={arch_level}",
        f'-I"{place / "shadow"}"',
        f'-I"{place}"',
    ]
    contents[HOST_RESPONSE_FILE] = _lines(shared)
    contents[RESPONSE_FILE["rocm"]] = _lines(
        [
            "-std=c++17",  # nvcc's own default; hipcc has had C++11, and a later option wins
            *shared,
            f'-include "{place / "portgpu" / "shadow" / "runtime.h"}"',
            " ".join(UNSET_VALUES),
            # nvcc takes these without a word.
            "-Wno-register",
            "-Wno-unused-result",
            "-Wno-unknown-pragmas",
            "-Wno-c++11-narrowing",
        ]
    )
    return write(contents, out)


def _libcudacxx(name: str, text: bytes) -> bytes:
    """The CPU target has libcu++ itself, and takes it behind these headers too."""
    if not name.startswith("shadow/cuda/") or name == "shadow/cuda/ptx":
        return text
    part = name.rpartition("/")[2]
    own = '#if defined(PGCPU)\n#include "portgpu/shadow/runtime.h"\n'
    own += f"#include <{part}>\n" if part in STD_PARTS else ""
    own += "#include <pgcpu/libcuxx.h>\n#else\n"
    return (MARK + own).encode() + text.removeprefix(MARK.encode()) + b"#endif\n"


def _files() -> Iterator[tuple[str, bytes]]:
    compat = resources.templates("compat", "portgpu")
    for path in sorted(compat.rglob("*.h")):
        yield f"portgpu/{path.relative_to(compat)}", path.read_bytes()
    for path in sorted(resources.templates("shadow").glob("*.h")):
        yield f"portgpu/shadow/{path.name}", path.read_bytes()
    for part in ("hip", "cuda"):
        for path in sorted(resources.templates("shadow", part).iterdir()):
            yield f"shadow/{part}/{path.name}", path.read_bytes()
    yield half2.PATH, half2.text().encode()
    yield "portgpu/shadow/properties.h", _properties().encode()
    yield from names.files()
    yield from _switches()
    for name in ("atomic", "barrier"):
        yield f"shadow/cuda/std/{name}", f"{MARK}#include <cuda/{name}>\n".encode()
    yield "shadow/mma.h", _MMA.encode()
    for name in sorted(STD_PARTS):
        text = f"{MARK}#include <{name}>\n"
        text += "namespace cuda { namespace std { using namespace ::std; } }\n"
        if name in _STD_OURS:
            text = text.replace("\n", '\n#include "portgpu/shadow/runtime.h"\n', 1)
            words = " ".join(f"using pg_compat::{word};" for word in _STD_OURS[name].split())
            text += f"namespace cuda {{ namespace std {{\n{words} }} }}\n"
        yield f"shadow/cuda/std/{name}", text.encode()
    for row in mapping.load().headers.values():
        text = _shadow(row)
        if text:
            yield f"shadow/{row.cuda}", text.encode()


def _properties() -> str:
    """The fields of cudaDeviceProp that HIP's structure lacks in some version, as macros.

    The list, and what stands for a field that is not there, are the compat header's.
    """
    header = resources.templates("compat", "portgpu") / "compat" / "device_prop.h"
    fields, values = [], []
    one = re.compile(r"^PG_COMPAT_FIELD(S?)\((?:([\w ]+), )?(\w+), ([^\n]+)\)$", re.MULTILINE)
    for many, kind, name, rest in one.findall(header.read_text("utf-8")):
        if many:
            fields.append(f"int {name}[{rest}];")
            each = f"to->{name}[i] = pg_compat::prop::{name}(from)[i];"
            values.append(f"for (int i = 0; i < {rest}; ++i) {each}")
        else:
            fields.append(f"{kind} {name};")
            values.append(f"to->{name} = pg_compat::prop::{name}(from);")
    return (
        f"{MARK}#define PG_SHADOW_FIELDS \\\n  "
        + " \\\n  ".join(fields)
        + "\n#define PG_SHADOW_SET_FIELDS(to, from) \\\n  "
        + " \\\n  ".join(values)
        + "\n"
    )


def _switches() -> Iterator[tuple[str, bytes]]:
    """off.h and back.h: HIP's own headers must not see our macros for device functions."""
    macros = [cuda for family in names.DEVICE for cuda, _ in names.names(family)]
    macros += names.OFTEN_DEFINED
    macros += ["warpSize", "__CUDACC__", "__CUDA_ARCH__", "cooperative_groups", "CUDA_VERSION"]
    macros += ["CUDART_VERSION", "__launch_bounds__"]
    off = "".join(f'#pragma push_macro("{m}")\n#undef {m}\n' for m in macros)
    back = "".join(f'#pragma pop_macro("{m}")\n' for m in macros)
    yield "portgpu/shadow/off.h", (MARK + off + _HIP_BOUNDS).encode()
    yield "portgpu/shadow/back.h", (MARK + back).encode()


def _shadow(row: Entry) -> str:
    """The text of a header that stands in for `row.cuda`; "" when nothing can."""
    if row.cuda in NVTX:
        return _nvtx(row.cuda)
    if row.status is Status.UNSUPPORTED or not row.hip:
        return ""
    found = next((s for s in _SHADOWS if row.hip.startswith(s[0])), None)
    what, families = (found[1], found[2]) if found else ("none", ())
    if row.cuda in _DRIVER:
        families = ("driver", *families)
    lines = [
        MARK + "#pragma once",
        "#if defined(__NVCC__) && !defined(__HIP__)",
        f"#include_next <{row.cuda}>",
        "#else",
        '#include "portgpu/shadow/runtime.h"',
    ]
    besides = _BESIDES.get(row.cuda, ())
    halves = [name for name in besides if name in _CPP_ALONE]
    lines += [f'#include "{name}"' for name in besides if name not in halves]
    if halves:
        lines += ["#ifdef __cplusplus", *(f'#include "{name}"' for name in halves), "#endif"]
    header = row.hip if what in ("", "next") else ""
    if header.startswith("hipcub/"):
        header = HIPCUB
    if what == "next":
        lines.append("#include <cuda/std/functional>")  # as Thrust's own headers do
    if what == "next" and row.hip == row.cuda:
        lines += ['#include "portgpu/shadow/off.h"', f"#include_next <{row.cuda}>"]
        if row.cuda == "thrust/execution_policy.h":
            lines.append("#include <thrust/system/hip/execution_policy.h>")
    elif header:
        lines += [
            "#if defined(__has_include) && !__has_include(<" + header + ">)",
            f"#error {row.cuda} stands for <{header}>, which is not installed",
            "#endif",
            '#include "portgpu/shadow/off.h"',
            f"#include <{header}>" if header != HIPCUB else '#include "portgpu/shadow/cub.h"',
        ]
    elif what.startswith('"'):
        lines += [
            '#include "portgpu/shadow/off.h"',
            "#ifdef __cplusplus",
            f"#include {what}",
            "#else",
            f"#include <{row.hip}>",
            "#endif",
        ]
    if what != "none":
        lines.append('#include "portgpu/shadow/back.h"')
    lines += [f'#include "portgpu/shadow/names/{family}.h"' for family in families]
    lines += _extras(row)
    for prefix, guards in _GUARDS.items():
        if row.hip.startswith(prefix):
            lines += [line for guard in guards for line in (f"#undef {guard}", f"#define {guard}")]
    lines.append("#endif")
    return "\n".join(lines) + "\n"


def _nvtx(name: str) -> str:
    text = nvtx.files()[name].decode()
    head = f"{MARK}#if defined(__NVCC__) && !defined(__HIP__)\n#include_next <{name}>\n#else\n"
    return f"{head}{text}#endif\n"


def _extras(row: Entry) -> list[str]:
    if row.hip.startswith("hipblas/"):
        return ["#ifdef __cplusplus", '#include "portgpu/hip_compat_blas.h"', "#endif"]
    if row.hip.startswith("hipsolver/"):
        return ["#ifdef __cplusplus", '#include "portgpu/hip_compat_solver.h"', "#endif"]
    if row.hip.startswith("hipsparse/"):
        return ["#ifdef __cplusplus", '#include "portgpu/hip_compat_sparse.h"', "#endif"]
    if row.hip.startswith("hipcub/"):
        return [
            "namespace cub = hipcub;",
            "#if defined(CUB_WRAPPED_NAMESPACE)",
            "namespace CUB_WRAPPED_NAMESPACE { namespace cub = ::hipcub; }",
            "#elif defined(CUB_NS_PREFIX) && defined(CUB_NS_POSTFIX)",
            "CUB_NS_PREFIX namespace cub = ::hipcub; CUB_NS_POSTFIX",
            "#endif",
        ]
    if row.hip == "hip/hip_cooperative_groups.h":
        return ["#undef cooperative_groups", "#define cooperative_groups pg_compat::cg"]
    if row.cuda in ("thrust/execution_policy.h", "thrust/system/cuda/execution_policy.h"):
        # One alias, whichever header comes first; a repeated alias of the same namespace is fine.
        return [
            '#include "portgpu/hip_compat_thrust.h"',
            "#if !defined(PGCPU)  // whose own Thrust has both names",
            "#if THRUST_VERSION < 101600",
            "namespace thrust { namespace hip { using pg_compat::par_nosync; } }",
            "#endif",
            "namespace thrust { namespace cuda = ::thrust::hip; }",
            "#endif",
        ]
    if row.cuda in _ASK_RESULTS:
        return ['#include "portgpu/hip_compat_thrust_functors.h"']
    if row.cuda == "thrust/system/cuda/error.h":
        return [
            "namespace thrust { inline const error_category& cuda_category() {",
            "return hip_category(); } }",
        ]
    if row.cuda == "cuda.h":
        version = ["#undef CUDA_VERSION", "#define CUDA_VERSION PG_COMPAT_CUDA_VERSION"]
        # The driver links what hipRTC does.
        links = ["#if __has_include(<hip/hiprtc.h>)", "#include <hip/hiprtc.h>", "#endif"]
        return [*links, *version, "#define __cuda_cuda_h__"]
    return []


def _lines(options: list[str]) -> bytes:
    # Response files split at blanks and take backslashes as escapes.
    return "".join(re.sub(r"\\", r"\\\\", option) + "\n" for option in options).encode()
