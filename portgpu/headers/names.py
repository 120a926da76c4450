"""CUDA's names as macros, a header for each family, rendered from the mapping tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu import mapping, resources
from portgpu.mapping import Entry, Kind, Status
from portgpu.translate import statuses
from portgpu.translate.blas_calls import ADAPTED, MACRO

MARK = "// Rendered from portgpu's mapping tables; do not edit.\n"

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
    "cudaMalloc3DArray": "pg_shadow::malloc_3d_array",
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
DEVICE = ("device", "half")
# Parts of the compat header beyond hip_compat_half.h that have shims of the half family.
_PARTS = ("bf16", "fp8")
# Names of the half family that integers have too, without its header.
_INTEGERS_TOO = {"__hadd": "hadd"}
# Shims for names that no table has.
_UNLISTED = {
    "device": [("__isGlobal", "pg_compat::is_global")],
    "half": [("h2div", "pg_compat::h2div")],
    "driver": [("cuuint32_t", "uint32_t"), ("cuuint64_t", "uint64_t")],
}
# HIP has these for more types than CUDA, so that programs define them.
OFTEN_DEFINED = ("atomicMin", "atomicMax")
# What CUDA has in library_types.h, which its runtime's header includes.
_TYPE = re.compile(r"hipDataType|HIP_[RC]_")
NO_NAMES = ("thrust", "cooperative_groups", "headers", "libraries", "flags", "cmake")


def names(family: str) -> list[tuple[str, str]]:
    """(CUDA name, replacement) of a family's names that a macro renames, sorted."""
    return sorted(_UNLISTED.get(family, [])) + sorted(
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
        and re.fullmatch(r"\w+(::\w+)*|[\w ()]+\)", row.target) is not None
    ) or row.cuda in _BY_HAND


def files() -> Iterator[tuple[str, bytes]]:
    part = _parts()
    for family in mapping.FAMILIES:
        if family in NO_NAMES:
            continue
        for name in (family, *_PARTS) if family == "half" else (family,):
            pairs = [pair for pair in names(family) if part.get(pair[1], family) == name]
            if family == "blas":
                pairs = [pair for pair in pairs if not _TYPE.match(pair[1])]
            yield f"portgpu/shadow/names/{name}.h", _names_header(name, pairs)
    types = [pair for pair in names("blas") if _TYPE.match(pair[1])]
    yield "portgpu/shadow/names/types.h", _names_header("types", types)


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
        if place == "half" and "bfloat16" in name:  # macros paste these names together
            place = "bf16"
        if shim != name and place != "half":
            found[shim] = place
    return found


def _names_header(family: str, pairs: list[tuple[str, str]]) -> bytes:
    guard = f"PORTGPU_SHADOW_NAMES_{family.upper()}_H"
    wrapped = [pair for pair in pairs if _is_wrapped(pair[0])]
    if family == "device":
        wrapped += [(name, f"pg_compat::{shim}") for name, shim in _INTEGERS_TOO.items()]
        wrapped += [(name, f"::{name}") for name in OFTEN_DEFINED]
    lines = []
    if wrapped:
        # A program may define such a function itself (an older CUDA lacks it): its own, which is no
        # template, then wins over ours.
        lines.append("#if defined(__HIP__)")
        for cuda, shim in wrapped:
            name = shim.rpartition("::")[2]
            own = cuda
            if family == "half" and cuda in _INTEGERS_TOO:
                own = f"half{cuda}"
                lines.append(f"#undef {cuda}")
            lines += [
                f"namespace pg_shadow_{own} {{ using {shim};",
                f"template <class... A> PG_SHADOW_DEVICE auto pg_{own}(A... a)"
                f" -> decltype({name}(a...)) {{ return {name}(a...); }} }}",
                f"using pg_shadow_{own}::pg_{own};",
                f"#define {cuda} pg_{own}",
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
            if cuda in ALSO_MEMBERS:
                lines.append(f"#ifdef __cplusplus\nusing {hip};")
                lines.append(f"#define {cuda} {hip.removeprefix('pg_compat::')}")
            else:
                lines.append(f"#ifdef __cplusplus\n#define {cuda} {hip}")
            lines.append(f"#else\n#define {cuda} {plain}\n#endif")
        elif not _is_wrapped(cuda):
            lines.append(f"#define {cuda} {hip}")
    lines += [f"#define {cuda} {number}" for cuda, number in _gone(family)]
    body = "\n".join(lines)
    return f"{MARK}#ifndef {guard}\n#define {guard}\n{body}\n#endif\n".encode()


def _gone(family: str) -> list[tuple[str, str]]:
    """Status codes that HIP lacks, and the numbers that stand for them: see `statuses`."""
    if family not in mapping.FAMILIES:
        return []
    return sorted(
        (row.cuda, f"0x{statuses.value(row):x}")
        for row in mapping.load().family(family)
        if row.kind is Kind.ENUM
        and row.status is Status.UNSUPPORTED
        and statuses.CODE.fullmatch(row.cuda.encode())
    )


def _is_function(cuda: str) -> bool:
    row = mapping.load().get(cuda)
    return row is not None and row.kind is Kind.FUNCTION


# Who loads the driver at run time keeps its functions in members called so: no name with `::` fits.
ALSO_MEMBERS = ("cuCtxCreate", "cuDeviceGetAttribute", "cuGetErrorName", "cuGetErrorString")


def _plain(cuda: str, target: str) -> str:
    """HIP's own name of what C++ gets another form of; C takes that name."""
    row = mapping.load().get(cuda)
    if row is None or (cuda not in _BY_HAND and "::" not in target):
        return ""
    return row.hip if row.family not in DEVICE else ""


def _is_wrapped(cuda: str) -> bool:
    row = mapping.load().get(cuda)
    return (
        row is not None
        and row.family in DEVICE
        and row.kind is Kind.DEVICE_FUNCTION
        and row.adapter.startswith("pg_compat::")
        and row.adapter != f"pg_compat::{cuda}"
    )
