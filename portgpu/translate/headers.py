"""Includes: rewritten by the table, added once where needed, residue reported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from portgpu import mapping
from portgpu.findings import Edit
from portgpu.mapping import Status
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Include, Source
from portgpu.translate import (
    fragments,
    hipify_text,
    host_special,
    implicit,
    libc,
    named_headers,
    targets,
    thrust_parts,
)
from portgpu.translate.covered import branches_of
from portgpu.translate.homes import ALONE, CUB_PARTS, THRUST_FUNCTORS, homes
from portgpu.translate.model import HAS_RUNTIME, Context

_RUNTIME = "hip/hip_runtime.h"
HIPCUB = "hipcub/hipcub.hpp"  # its parts do not stand alone in every version
_DEVICE_WORDS = frozenset(
    b"__global__ __device__ __shared__ __constant__ __managed__ threadIdx blockIdx blockDim gridDim"
    b" __syncthreads __launch_bounds__ __host__ dim3".split()
)
# Any header in these folders is NVIDIA's, unless the project has a file of that name.
_FOLDERS = re.compile(
    r"(?:cub|cuda|nv|cooperative_groups|cutlass|cute|crt|nvtx3|cuco|nvfunctional)/"
)
_LOOKS_CUDA = re.compile(
    r"(?:cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|nvrtc|nvml|nvToolsExt|nvJitLink|npp"
    r"|cutensor|cuComplex|nvshmem|sm_\d|nvcuvid|cupti|mma)\w*\.(?:h|hpp|cuh)\Z"
)
# CUDA's headers that become one of ours, beside the main compat header.
_OURS: dict[str, str] = {
    "cooperative_groups.h": "cg",
    "cooperative_groups/reduce.h": "cg",
    "cooperative_groups/scan.h": "cg",
    "cooperative_groups/memcpy_async.h": "cg",
    "cub/block/block_radix_rank.cuh": "cub_parts",
    "cub/block/block_raking_layout.cuh": "cub",
    "cub/block/block_run_length_decode.cuh": "cub_parts",
    "cub/block/block_shuffle.cuh": "cub_parts",
    "cub/device/device_merge_sort.cuh": "cub_parts",
    "cub/device/device_partition.cuh": "cub_parts",
    "cub/device/device_spmv.cuh": "cub_parts",
    "cub/grid/grid_even_share.cuh": "cub_parts",
    "cub/grid/grid_mapping.cuh": "cub_parts",
    "cub/grid/grid_queue.cuh": "cub_parts",
    "cuda_pipeline.h": "",
    "cuda_pipeline_primitives.h": "",
    "cuda/atomic": "atomic",
    "cuda/barrier": "atomic",
    "cuda/pipeline": "pipeline",
    "cuda/std/atomic": "atomic",
    "cuda/std/barrier": "atomic",
    "cuda/functional": "",
    "cuda/ptx": "",
    "math_constants.h": "constants",
    "cuda_bf16.h": "bf16",
    "cuda_bf16.hpp": "bf16",
    "cuda_fp16.h": "half",
    "cuda_fp8.h": "fp8",
    "cuda_fp8.hpp": "fp8",
    "cuda_fp16.hpp": "half",
    "mma.h": "mma",
    "nvToolsExt.h": "nvtx",
    "nvToolsExtCuda.h": "nvtx",
    "nvToolsExtCudaRt.h": "nvtx",
    "nvtx3/nvToolsExt.h": "nvtx",
    "nvtx3/nvToolsExtCuda.h": "nvtx",
    "nvtx3/nvToolsExtCudaRt.h": "nvtx",
    "nvtx3/nvtx3.hpp": "nvtx3",
}
NVTX = {name: part for name, part in _OURS.items() if part.startswith(ALONE)}
# Parts of libcu++ whose functions are constexpr in the standard library, and so usable on devices.
STD_PARTS = frozenset(
    re.findall(
        r"\S+",
        "algorithm array cassert cfloat climits cmath cstddef cstdint functional initializer_list"
        " iterator limits numeric optional ratio tuple type_traits utility variant version",
    )
)
_VECTOR = re.compile(rb"(?:float|double|u?int|u?char|u?short|u?long|u?longlong)[1-4]|dim3")
# nvcc's own helper headers: everything in them comes with hip_runtime.h.
_RUNTIME_PARTS = frozenset(
    re.findall(
        r"\S+",
        "device_launch_parameters.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h"
        " sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_intrinsics.h sm_35_atomic_functions.h"
        " sm_60_atomic_functions.h sm_61_intrinsics.h device_atomic_functions.h device_functions.h"
        " crt/device_functions.h crt/host_config.h host_config.h host_defines.h crt/host_defines.h"
        " math_functions.h crt/math_functions.h builtin_types.h vector_functions.h"
        " vector_functions.hpp vector_types.h driver_types.h channel_descriptor.h"
        " cuda_device_runtime_api.h cuda_texture_types.h texture_types.h surface_types.h"
        " texture_fetch_functions.h surface_functions.h texture_indirect_functions.h"
        " surface_indirect_functions.h cuda_surface_types.h common_functions.h"
        " crt/common_functions.h cudart_platform.h cudaProfiler.h cuda_profiler_api.h",
    )
)


# By the path of an installation, or of a copy of CUB or Thrust that is not in the tree.
_BY_PATH = re.compile(
    r"(?:.*/)?cuda[^/]*/(?:.*/)?include/(?P<name>[^/].*)\Z"
    r"|(?:/|\.\./)(?:.*/)?(?P<part>(?:cub/.+\.cuh|thrust/.+\.h))\Z"
)


def plain_name(name: str) -> str:
    """`/usr/local/cuda/include/cuda.h` -> `cuda.h`; names without such a path as they are."""
    found = _BY_PATH.match(name) if "include/" in name or name[:1] in "./" else None
    plain = (found["name"] or found["part"]) if found else None
    return plain if plain and (is_cuda_header(plain) or looks_cuda(plain)) else name


def rewrite(context: Context, local: frozenset[str] = frozenset()) -> None:
    """Rewrites includes. `local` are names that the project itself has (they are left alone)."""
    seen: set[tuple[str, int]] = set()
    branches = _innermost_branches(context.source)
    for include in context.source.includes:
        if include.index in context.claimed:
            continue
        target = _target(context, include, local)
        if target is None:
            continue
        key = (target, branches.get(include.index, -1))
        context.claimed.add(include.index)
        hipify = context.options.hipify
        if not target or (
            key in seen and not (hipify and hipify_text.keeps_duplicates(context, include))
        ):
            context.replace(include.index, b"")
            continue
        seen.add(key)
        if hipify and include.quoted and target.startswith("<"):
            target = f'"{target[1:-1]}"'
        if target not in (f'"{include.name}"', f"<{include.name}>"):
            token = context.source.code[include.index]
            head = context.source.data[token.start : include.start]
            context.replace(include.index, head + target.encode("utf-8", "surrogateescape"))
    for include, last in named_headers.find(context.source, is_cuda_header):
        if include.index not in context.claimed:
            target = _target(context, include, local)
            if target is not None:
                text = (target or f"<{_RUNTIME}>").encode("utf-8", "surrogateescape")
                context.replace_span(include.index, last, text)


def _target(context: Context, include: Include, local: frozenset[str]) -> str | None:
    """What to include instead, with quotes or brackets; None to leave it alone, "" to drop it."""
    if include.quoted and include.name in local:
        return None
    name = plain_name(include.name)
    compat = context.options.compat
    if context.options.hipify:
        theirs = hipify_text.header(context, include)
        if theirs is not None:
            return f"<{theirs}>" if theirs else ""
    if name in _OURS and compat:
        if name == "mma.h":
            fragments.tell(context, include)
        return f'"{our_header(compat, _OURS[name])}"'
    if name in _RUNTIME_PARTS:
        return f"<{_RUNTIME}>"
    found = mapping.load().headers.get(name)
    if found is not None and found.status is not Status.UNSUPPORTED and found.target:
        target = found.roc if context.options.roc and found.roc else found.target
        if target == "hip/hip_runtime_api.h" and _has_device_code(context.source):
            target = _RUNTIME
        if target.startswith("hipcub/") and not context.options.hipify:
            target = HIPCUB
        target = targets.header(context.options, target)
        if not compat and name.startswith("cooperative_groups/"):
            context.report_span(
                "PG1003", include.start, include.end, f"{name}: {found.note}", symbol=name
            )
        return f"<{target}>"
    if name.startswith("cub/"):
        return f"<{HIPCUB}>"
    if name.startswith(("hip/", "hipcub/", "roc", "hipblas", "rccl")) or name == "portgpu.h":
        return f'"{name}"' if include.quoted else f"<{name}>"
    if name.startswith("thrust/system/cuda/"):
        return f"<{name.replace('/cuda/', '/hip/')}>"
    if name.startswith("cuda/std/") and name[9:] in STD_PARTS:
        return f"<{name[9:]}>"
    unknown = found is not None or looks_cuda(name)
    if unknown and not (include.quoted and found is None and "/" not in name):
        context.claimed.add(include.index)
        context.report_span(
            "PG1701",
            include.start,
            include.end,
            f"{name} has no counterpart in HIP" + (f": {found.note}" if found else ""),
            hint="replace its uses, or include it for CUDA only",
            symbol=name,
        )
    return None


def is_cuda_header(name: str) -> bool:
    """Whether an include name is one of NVIDIA's."""
    return name in _RUNTIME_PARTS or name in _OURS or name in mapping.load().headers


def looks_cuda(name: str) -> bool:
    """Whether an include name looks like one of NVIDIA's that the tables do not have."""
    return (_FOLDERS.match(name) or _LOOKS_CUDA.match(name)) is not None


def our_header(compat: str, part: str) -> str:
    """Path of a part of our compat headers, beside the main one."""
    return compat.replace("hip_compat.h", f"hip_compat_{part}.h") if part else compat


def _has_device_code(source: Source) -> bool:
    return b"__global__" in source.data or b"<<<" in source.data or b"__device__" in source.data


def needs_runtime(context: Context, local: frozenset[str]) -> bool:
    """Whether the translated file uses the runtime without including it."""
    source = context.source
    suffix = PurePosixPath(source.path).suffix.lower()
    names = _foreign_names(source, local)
    if HAS_RUNTIME in context.options.known or any(brings_runtime(n) for n in names):
        return False
    if context.options.compat and any(not _OURS.get(n, ALONE).startswith(ALONE) for n in names):
        return False
    host_api = bool(context.uses & {"runtime", "errors", "driver"})
    device = _has_device_code(source) or any(
        word in _DEVICE_WORDS and source.code[i][0] == Kind.IDENT
        for i, word in enumerate(source.text)
    )
    if suffix in (".cu", ".cuh") or source.path == "<stdin>":
        return host_api or device or "launch" in context.uses
    if device and suffix in (".h", ".hpp", ".hh", ".inl", ".hxx"):
        return True
    return host_api and implicit.standard(names)


def _foreign_names(source: Source, local: frozenset[str]) -> set[str]:
    """Names of the file's includes but for the project's own, which may be called "cuda.h"."""
    return {plain_name(i.name) for i in source.includes if not (i.quoted and i.name in local)}


def has_runtime(context: Context, local: frozenset[str]) -> bool:
    """Whether the translation includes the runtime, from the source or because it is added."""
    names = _foreign_names(context.source, local)
    known = HAS_RUNTIME in context.options.known or any(brings_runtime(n) for n in names)
    return known or any(is_cuda_header(n) for n in names) or needs_runtime(context, local)


def brings_runtime(name: str) -> bool:
    """Whether including this name, translated, includes the runtime."""
    if name in (_RUNTIME, "portgpu.h") or name in _RUNTIME_PARTS:
        return True
    if "portgpu/hip_compat" in name:
        return f"_{ALONE}" not in name
    found = mapping.load().headers.get(name)
    return found is not None and found.hip in (_RUNTIME, "hip/hip_runtime_api.h")


def add(context: Context, local: frozenset[str] = frozenset()) -> None:
    """Adds the runtime header or our compat header, once, where the file's code begins."""
    if context.options.hipify:
        hipify_text.add_runtime(context)
        return
    source = context.source
    compat = context.options.compat
    ours, sure = _ours(context, compat) if compat else (set(), set())
    if libc.needs_min_max(context) and has_runtime(context, local):
        context.shims.add("min")
    if host_special.needed(context) and has_runtime(context, local):
        context.shims.add("reduced_sinpi")
    parts = _parts(context) if compat else []
    wanted = {our_header(compat, part) for part in parts} - sure if compat else set()
    lines = [f"#include <{name}>".encode() for name in libc.needed(context)]
    if lines and not (wanted or context.shims or has_runtime(context, local)):
        lines = []
    alone = our_header(compat, ALONE) if compat else None
    if compat and our_header(compat, "nvtx3") in sure:
        wanted.discard(our_header(compat, ALONE))  # it brings this one
    added = sorted(wanted)
    if compat and _needs_main(context) and not (sure | wanted) & _mains(compat):
        added.append(compat)
    for name in added:
        line = f'#include "{name}"'.encode()
        sometimes = name in ours or (name == compat and ours & _mains(compat))
        # Where the file includes it in some configurations only, others may have no HIP at all.
        lines += [_FOR_HIP, line, b"#endif"] if sometimes else [line]
    at = insertion_point(source)
    if not set(added) - {alone} and (needs_runtime(context, local) or _in_c_linkage(source, local)):
        lines += _runtime(context, at)
    elif not added and _vectors_for_nvcc(source) and not has_runtime(context, local):
        lines += [b"#if defined(__HIPCC__)", f"#include <{_RUNTIME}>".encode(), b"#endif"]
    lines += [f"#include <{name}>".encode() for name in thrust_parts.needed(context, at)]
    if not lines:
        return
    newline = b"\r\n" if b"\r\n" in source.data else b"\n"
    text = newline.join(lines) + newline
    if at and source.data[at - 1 : at] not in (b"\n", b"\r", b"\xbf"):
        text = newline + text
    context.edits.insert(0, Edit(at, at, text))  # before what else is inserted there


def _runtime(context: Context, at: int) -> list[bytes]:
    """The lines that include the runtime's header at `at`."""
    line = f"#include <{_RUNTIME}>".encode()
    if context.source.path.endswith((".cu", ".cuh")) or _has_device_code(context.source):
        return [line]
    uses = [e.start for e in context.edits if b"hip" in e.text]
    condition = implicit.condition(context.source, at, uses)
    if condition is None:
        return []
    return [condition, line, b"#endif"] if condition else [line]


def _vectors_for_nvcc(source: Source) -> bool:
    """Whether a header names float2 and its like for nvcc alone, and for hipcc then.

    hipcc reads a `.cpp` as HIP too, where no header has come before.
    """
    return (
        not source.path.endswith((".cu", ".cuh"))
        and b"__CUDACC__" in source.places
        and any(_VECTOR.fullmatch(word) for word in source.places)
    )


def _in_c_linkage(source: Source, local: frozenset[str]) -> bool:
    """Whether a header with device code is included within `extern "C" {`: HIP's has templates."""
    if b'extern "C"' not in source.data or not source.path.endswith((".cu", ".cuh")):
        return False
    for include in source.includes:
        if not brings_runtime(include.name) and not (include.quoted and include.name in local):
            continue
        opener = source.enclosing(include.index)
        while opener is not None:
            if source.word(opener - 2) == b"extern" and source.word(opener - 1) == b'"C"':
                return True
            opener = source.enclosing(opener)
    return False


def add_halves_for_cpu(context: Context) -> None:
    """Includes what PTX on halves and matrices needs: on devices such text needs no header."""
    if any(name.startswith("ptx_mma") for name in context.shims):
        at = insertion_point(context.source)
        context.edits.insert(0, Edit(at, at, b"#include <pgcpu/ptx_mma.h>\n"))
    if not any(name.startswith("f16") or name == "pack_rn_f16" for name in context.shims):
        return
    have = {i.name for i in context.source.includes}
    if not have & {"cuda_fp16.h", "cuda_fp16.hpp", "hip/hip_fp16.h"} and not context.is_hip:
        at = insertion_point(context.source)
        context.edits.insert(0, Edit(at, at, b"#include <cuda_fp16.h>\n"))


_FOR_HIP = b"#if defined(__HIP__)"


def _ours(context: Context, compat: str) -> tuple[set[str], set[str]]:
    """Our headers that the file's includes become: all, and those there at every use of them."""
    source = context.source
    branches = branches_of(source)
    uses = [e.start for e in context.edits if b"pg_compat::" in e.text or b"PG_COMPAT_" in e.text]
    uses += [source.code[i].start for i, w in enumerate(source.text) if w == b"atomicAdd"]
    every, sure = set(), set()
    for include in source.includes:
        name = our_header(compat, _OURS[include.name]) if include.name in _OURS else include.name
        if "portgpu/hip_compat" not in name:
            continue
        every.add(name)
        if branches.at(include.start) == {b"defined ( __HIP__ )"} or branches.covers(
            include.start, uses
        ):
            sure.add(name)
    return every, sure


def _needs_main(context: Context) -> bool:
    """Whether a shim of this file is in more than the part that stands alone."""
    return any(homes().get(shim) != (ALONE,) for shim in context.shims)


def _mains(compat: str) -> set[str]:
    """Our main header, and the parts that include it."""
    parts = {part for part in _OURS.values() if not part.startswith(ALONE)}
    parts |= {"blas", "cub", "cub_dispatch", CUB_PARTS, "mma_ptx", "solver", "sparse", "thrust"}
    parts.add(THRUST_FUNCTORS)
    return {our_header(compat, part) for part in parts} | {compat}


# Library headers that include cuda_fp16.h and cuda_bf16.h in CUDA.
_BRING_HALVES = frozenset(
    ["cublas_v2.h", "cublas_api.h", "cublas.h", "cublasLt.h", "cusparse.h", "cudnn.h", "nccl.h"]
)
_HALVES = {
    "half": frozenset((b"__half", b"__half2", b"half", b"half2")),
    "bf16": frozenset((b"__nv_bfloat16", b"__nv_bfloat162", b"nv_bfloat16", b"nv_bfloat162")),
}


def _parts(context: Context) -> list[str]:
    """Parts of our compat header that hold a shim of this file, or atomics for a type in it."""
    found = {part for shim in context.shims for part in homes().get(shim, ())}
    words = set(context.source.text) if b"atomicAdd" in context.source.data else set()
    if b"atomicAdd" in words:
        found.update(part for part, types in _HALVES.items() if types & words)
    if any(shim == "cg" or shim.startswith("cg::") for shim in context.shims):
        found.add("cg")
    have = {i.name for i in context.source.includes}
    if have & _BRING_HALVES and not {_OURS.get(n) for n in have} & {"half", "bf16", "fp8"}:
        types = {word for i, word in enumerate(context.source.text) if context.source.is_ident(i)}
        found.update(part for part, names in _HALVES.items() if names & types)
    if "bf16" in found or "fp8" in found:
        found.discard("half")  # they bring it
    return sorted(found)


def insertion_point(source: Source) -> int:
    """Byte offset for a new include: after comments, `#pragma once` and a guard."""
    code, directives = source.code, {d.first: d for d in source.directives}
    i = 0
    while i < len(code):
        d = directives.get(i)
        if d is None:
            break
        if d.name == b"pragma" and source.word(d.first + 2) == b"once":
            i = d.last + 1
            continue
        if d.name == b"ifndef" and _is_guard(source, d.first, d.last + 1, directives):
            i = directives[d.last + 1].last + 1
            continue
        break
    if i >= len(code):
        return len(source.data)
    # The start of the line, unless something of the previous token is on it.
    start = code[i].start
    line = max(source.data.rfind(b"\n", 0, start), source.data.rfind(b"\r", 0, start)) + 1
    if line == 0 and source.data.startswith(b"\xef\xbb\xbf"):
        line = 3
    straddling = [t.end for t in source.comments if t.start < line < t.end]
    return straddling[0] if straddling else line


def _is_guard(source: Source, first: int, following: int, directives: Mapping[int, object]) -> bool:
    """`#ifndef X` directly followed by `#define X` that nothing else uses as a switch."""
    return (
        following in directives
        and source.word(following + 1) == b"define"
        and source.word(following + 2) == source.word(first + 2)
    )


def _innermost_branches(source: Source) -> dict[int, int]:
    """Index of each include -> that of the innermost #if, #elif or #else around it, or -1."""
    chain = [-1]
    found: dict[int, int] = {}
    for d in source.directives:
        if d.name in (b"if", b"ifdef", b"ifndef"):
            chain.append(d.first)
        elif d.name in (b"elif", b"else", b"elifdef", b"elifndef") and len(chain) > 1:
            chain[-1] = d.first
        elif d.name == b"endif" and len(chain) > 1:
            chain.pop()
        elif d.name == b"include":
            found[d.first] = chain[-1]
    return found
