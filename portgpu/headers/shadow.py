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
from portgpu.headers import half2, nvtx
from portgpu.headers.dialect import render_reverse
from portgpu.headers.files import write
from portgpu.mapping import Entry, Kind, Status
from portgpu.toolchain.model import UNSET_VALUES
from portgpu.translate.blas_calls import ADAPTED, MACRO
from portgpu.translate.headers import HIPCUB, NVTX, STD_PARTS

RESPONSE_FILE = {"rocm": "portgpu-rocm.rsp", "cuda": "portgpu-cuda.rsp"}
HOST_RESPONSE_FILE = "portgpu-rocm-host.rsp"  # for C and C++ files of compilers that know no HIP

_MARK = "// Rendered from portgpu's mapping tables; do not edit.\n"

# Names that the shadow's own declarations stand for (templates/shadow/host.h).
_BY_HAND = {
    "cudaDeviceProp": "pg_cudaDeviceProp",
    "cudaGetDeviceProperties": "pg_shadow::get_device_properties",
    "cudaGetDeviceProperties_v2": "pg_shadow::get_device_properties",
    "cudaDeviceGetAttribute": "pg_compat::device_get_attribute",
    "cudaPointerAttributes": "pg_compat::pointer_attributes",
    "cudaMemoryTypeUnregistered": "pg_compat::memory_type_unregistered",
    "cudaMemoryTypeManaged": "pg_compat::memory_type_managed",
    "cudaFuncSetAttribute": "pg_shadow::func_set_attribute",
    "cudaFuncSetCacheConfig": "pg_shadow::func_set_cache_config",
    "cudaFuncSetSharedMemConfig": "pg_shadow::func_set_shared_mem_config",
    "cudaFuncGetAttributes": "pg_shadow::func_get_attributes",
    "cudaLaunchKernel": "pg_shadow::launch_kernel",
    "cudaLaunchCooperativeKernel": "pg_shadow::launch_cooperative_kernel",
    "cudaStreamWaitEvent": "pg_shadow::stream_wait_event",
    "cudaEventCreate": "pg_shadow::event_create",
    "cudaHostAlloc": "pg_shadow::host_alloc",
    "cudaMallocHost": "pg_shadow::malloc_host",
    "cudaMallocAsync": "pg_shadow::malloc_async",
    "cudaMallocPitch": "pg_shadow::malloc_pitch",
    "cudaHostGetDevicePointer": "pg_shadow::host_get_device_pointer",
    "cudaMemcpyToSymbol": "pg_shadow::memcpy_to_symbol",
    "cudaMemcpyToSymbolAsync": "pg_shadow::memcpy_to_symbol_async",
    "cudaMemcpyFromSymbol": "pg_shadow::memcpy_from_symbol",
    "cudaMemcpyFromSymbolAsync": "pg_shadow::memcpy_from_symbol_async",
    "cudaGetSymbolAddress": "pg_shadow::get_symbol_address",
    "cudaGetSymbolSize": "pg_shadow::get_symbol_size",
}
# Names that are no plain renames: `on.h`, `runtime.h` and the shadow headers deal with them.
_SKIPPED = {
    "CUB_PTX_WARP_THREADS",
    "warpSize",
    "cooperative_groups",
    "CUDA_VERSION",
    "CUDART_VERSION",
    "__CUDACC__",
}
_CPP = {
    Kind.FUNCTION,
    Kind.DEVICE_FUNCTION,
    Kind.TYPE,
    Kind.STRUCT,
    Kind.ENUM,
    Kind.MACRO,
    Kind.VARIABLE,
}
_DEVICE = ("device", "half")
# Parts of the compat header beyond hip_compat_half.h that have shims of the half family.
_PARTS = ("bf16", "fp8")
# HIP has these for more types than CUDA, so that programs define them.
_OFTEN_DEFINED = ("atomicMin", "atomicMax")
_NO_NAMES = ("thrust", "cooperative_groups", "headers", "libraries", "flags", "cmake")

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
    ("hip/library_types.h", "", ("blas",)),
    ("hipblas/", "", ("blas", "complex")),
    ("hipblaslt/", "", ("blaslt", "blas", "complex")),
    ("hipfft/", "", ("fft", "complex")),
    ("hiprand/", "", ("rand",)),
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
    "nccl.h": ("cuda_fp16.h",),
    "cuda_bf16.h": ("cuda_fp16.h",),
    "cuda_fp8.h": ("cuda_fp16.h", "cuda_bf16.h"),
}
# HIP's libraries count on its own meaning of the second number.
_HIP_BOUNDS = """#ifdef launch_bounds_impl0
#define __launch_bounds__(...) \\
  select_impl_(__VA_ARGS__, launch_bounds_impl1, launch_bounds_impl0, )(__VA_ARGS__)
#endif
"""
_DRIVER = ("cuda.h", "cudaProfiler.h", "cudaGL.h")
_MMA = f"""{_MARK}#pragma once
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
    contents = dict(_files())
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


def names(family: str) -> list[tuple[str, str]]:
    """(CUDA name, replacement) of a family's names that a macro renames, sorted."""
    return sorted(
        (row.cuda, _BY_HAND.get(row.cuda, row.target))
        for row in mapping.load().family(family)
        if _is_renamed(row)
    )


def _is_renamed(row: Entry) -> bool:
    return (
        row.kind in _CPP
        and row.cuda.isidentifier()
        and row.cuda not in _SKIPPED
        and row.status is not Status.UNSUPPORTED
        and row.target != row.cuda
        and re.fullmatch(r"\w+(::\w+)*", row.target) is not None
    ) or row.cuda in _BY_HAND


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
    yield from _name_files()
    yield from _switches()
    for name in ("atomic", "barrier"):
        yield f"shadow/cuda/std/{name}", f"{_MARK}#include <cuda/{name}>\n".encode()
    yield "shadow/mma.h", _MMA.encode()
    for name in sorted(STD_PARTS):
        text = f"{_MARK}#include <{name}>\n"
        text += "namespace cuda { namespace std { using namespace ::std; } }\n"
        if name == "functional":
            text = text.replace("\n", '\n#include "portgpu/shadow/runtime.h"\n', 1)
            text += "namespace cuda { namespace std { using pg_compat::identity; } }\n"
        if name == "utility":
            text = text.replace("\n", '\n#include "portgpu/shadow/runtime.h"\n', 1)
            text += "namespace cuda { namespace std {\n"
            text += "using pg_compat::exchange; using pg_compat::swap; } }\n"
        yield f"shadow/cuda/std/{name}", text.encode()
    for row in mapping.load().headers.values():
        text = _shadow(row)
        if text:
            yield f"shadow/{row.cuda}", text.encode()


def _name_files() -> Iterator[tuple[str, bytes]]:
    part = _parts()
    for family in mapping.FAMILIES:
        if family in _NO_NAMES:
            continue
        for name in (family, *_PARTS) if family == "half" else (family,):
            pairs = [pair for pair in names(family) if part.get(pair[1], family) == name]
            yield f"portgpu/shadow/names/{name}.h", _names_header(name, pairs)


def _parts() -> dict[str, str]:
    """Shim -> the part of the compat header that has it, where that is not included always."""
    compat = resources.templates("compat", "portgpu")
    words = {
        part: set(re.findall(r"\w+", (compat / f"hip_compat_{part}.h").read_text("utf-8")))
        for part in ("half", *_PARTS)
    }
    found = {}
    for _, shim in names("half"):
        name = shim.removeprefix("pg_compat::")
        place = next((part for part, known in words.items() if name in known), "half")
        if shim != name and place != "half":
            found[shim] = place
    return found


def _names_header(family: str, pairs: list[tuple[str, str]]) -> bytes:
    guard = f"PORTGPU_SHADOW_NAMES_{family.upper()}_H"
    wrapped = [pair for pair in pairs if _is_wrapped(pair[0])]
    if family == "device":
        wrapped += [(name, f"::{name}") for name in _OFTEN_DEFINED]
    lines = []
    if wrapped:
        # A program may define such a function itself (an older CUDA lacks it): its own, which is no
        # template, then wins over ours.
        lines.append("#if defined(__HIP__)")
        for cuda, shim in wrapped:
            name = shim.rpartition("::")[2]
            lines += [
                f"namespace pg_shadow_{cuda} {{ using {shim};",
                f"template <class... A> PG_SHADOW_DEVICE auto pg_{cuda}(A... a)"
                f" -> decltype({name}(a...)) {{ return {name}(a...); }} }}",
                f"using pg_shadow_{cuda}::pg_{cuda};",
                f"#define {cuda} pg_{cuda}",
            ]
        lines.append("#elif defined(__cplusplus)")
        lines += [f"#define {cuda} {shim}" for cuda, shim in wrapped if shim != f"::{cuda}"]
        lines.append("#endif")
    for cuda, hip in pairs:
        plain = _plain(cuda, hip)
        if family == "solver" and hip.startswith("hipsolver") and _is_function(cuda):
            lines.append(f"#ifdef __cplusplus\n#define {cuda} pg_compat::solver({hip})")
            lines.append(f"#else\n#define {cuda} {hip}\n#endif")
        elif family == "blas" and hip.startswith("hipblas") and ADAPTED.match(cuda):
            lines.append(f"#ifdef __cplusplus\n#define {cuda} {MACRO}({hip})")
            lines.append(f"#else\n#define {cuda} {hip}\n#endif")
        elif plain:
            lines.append(f"#ifdef __cplusplus\n#define {cuda} {hip}")
            lines.append(f"#else\n#define {cuda} {plain}\n#endif")
        elif not _is_wrapped(cuda):
            lines.append(f"#define {cuda} {hip}")
    body = "\n".join(lines)
    return f"{_MARK}#ifndef {guard}\n#define {guard}\n{body}\n#endif\n".encode()


def _is_function(cuda: str) -> bool:
    row = mapping.load().get(cuda)
    return row is not None and row.kind is Kind.FUNCTION


def _plain(cuda: str, target: str) -> str:
    """HIP's own name of what C++ gets another form of; C takes that name."""
    row = mapping.load().get(cuda)
    if row is None or (cuda not in _BY_HAND and "::" not in target):
        return ""
    return row.hip if row.family not in _DEVICE else ""


def _is_wrapped(cuda: str) -> bool:
    row = mapping.load().get(cuda)
    return (
        row is not None
        and row.family in _DEVICE
        and row.kind is Kind.DEVICE_FUNCTION
        and row.adapter.startswith("pg_compat::")
        and row.adapter != f"pg_compat::{cuda}"
    )


def _switches() -> Iterator[tuple[str, bytes]]:
    """off.h and back.h: HIP's own headers must not see our macros for device functions."""
    macros = [cuda for family in _DEVICE for cuda, _ in names(family)]
    macros += _OFTEN_DEFINED
    macros += ["warpSize", "__CUDACC__", "__CUDA_ARCH__", "cooperative_groups", "CUDA_VERSION"]
    macros += ["CUDART_VERSION", "__launch_bounds__"]
    off = "".join(f'#pragma push_macro("{m}")\n#undef {m}\n' for m in macros)
    back = "".join(f'#pragma pop_macro("{m}")\n' for m in macros)
    yield "portgpu/shadow/off.h", (_MARK + off + _HIP_BOUNDS).encode()
    yield "portgpu/shadow/back.h", (_MARK + back).encode()


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
        _MARK + "#pragma once",
        "#if defined(__NVCC__) && !defined(__HIP__)",
        f"#include_next <{row.cuda}>",
        "#else",
        '#include "portgpu/shadow/runtime.h"',
    ]
    lines += [f'#include "{name}"' for name in _BESIDES.get(row.cuda, ())]
    header = row.hip if what in ("", "next") else ""
    if header.startswith("hipcub/"):
        header = HIPCUB
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
    lines.append("#endif")
    return "\n".join(lines) + "\n"


def _nvtx(name: str) -> str:
    text = nvtx.files()[name].decode()
    head = f"{_MARK}#if defined(__NVCC__) && !defined(__HIP__)\n#include_next <{name}>\n#else\n"
    return f"{head}{text}#endif\n"


def _extras(row: Entry) -> list[str]:
    if row.hip.startswith("hipblas/"):
        return ["#ifdef __cplusplus", '#include "portgpu/hip_compat_blas.h"', "#endif"]
    if row.hip.startswith("hipsolver/"):
        return ["#ifdef __cplusplus", '#include "portgpu/hip_compat_solver.h"', "#endif"]
    if row.hip.startswith("hipsparse/"):
        return ["#ifdef __cplusplus", '#include "portgpu/hip_compat_sparse.h"', "#endif"]
    if row.hip.startswith("hipcub/"):
        return ["namespace cub = hipcub;"]
    if row.hip == "hip/hip_cooperative_groups.h":
        return ["#undef cooperative_groups", "#define cooperative_groups pg_compat::cg"]
    if row.cuda in ("thrust/execution_policy.h", "thrust/system/cuda/execution_policy.h"):
        # One alias, whichever header comes first; a repeated alias of the same namespace is fine.
        return [
            '#include "portgpu/hip_compat_thrust.h"',
            "#if THRUST_VERSION < 101600",
            "namespace thrust { namespace hip { using pg_compat::par_nosync; } }",
            "#endif",
            "namespace thrust { namespace cuda = ::thrust::hip; }",
        ]
    if row.cuda == "cuda.h":
        return ["#undef CUDA_VERSION", "#define CUDA_VERSION PG_COMPAT_CUDA_VERSION"]
    return []


def _lines(options: list[str]) -> bytes:
    # Response files split at blanks and take backslashes as escapes.
    return "".join(re.sub(r"\\", r"\\\\", option) + "\n" for option in options).encode()
