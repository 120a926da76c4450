"""HIP to CUDA: the same tables read backwards."""

from __future__ import annotations

import functools
import re

from portgpu import mapping
from portgpu.findings import Edit
from portgpu.mapping import Entry, Kind, Status
from portgpu.source.lexer import Kind as TokenKind
from portgpu.translate import api
from portgpu.translate.calls import arguments
from portgpu.translate.declared import Declarations
from portgpu.translate.headers import _OURS
from portgpu.translate.homes import homes
from portgpu.translate.model import Context
from portgpu.translate.rename import foreign

# Warp functions without a mask were removed from CUDA; every active lane takes part.
_MASKLESS = {
    b"__shfl": b"__shfl_sync",
    b"__shfl_up": b"__shfl_up_sync",
    b"__shfl_down": b"__shfl_down_sync",
    b"__shfl_xor": b"__shfl_xor_sync",
    b"__ballot": b"__ballot_sync",
    b"__any": b"__any_sync",
    b"__all": b"__all_sync",
}
_MACROS = {
    b"__HIPCC__": b"__CUDACC__",
    b"__HIP_DEVICE_COMPILE__": b"__CUDA_ARCH__",
    b"PG_COMPAT_CUDA_ARCH": b"__CUDA_ARCH__",
    b"PG_COMPAT_CUDA_VERSION": b"CUDART_VERSION",
}
_HIP_NAME = re.compile(rb"i?(?:hip|HIP|roc|ROC|miopen|MIOPEN|rccl|RCCL)|__(?:hip|HIP)")
_CALLS = frozenset((b"HIP_KERNEL_NAME", b"HIP_SYMBOL"))
_HIP_LIKE = ("hip", "HIP", "rocblas", "rocsparse", "rocfft", "rocrand", "miopen", "MIOPEN", "roctx")
_HEADERS = {
    "hip/hip_runtime.h": "cuda_runtime.h",
    "hip/hip_runtime_api.h": "cuda_runtime_api.h",
    "hip/hip_fp16.h": "cuda_fp16.h",
    "hip/hip_bf16.h": "cuda_bf16.h",
    "hip/hip_bfloat16.h": "cuda_bf16.h",
    "hip/hip_fp8.h": "cuda_fp8.h",
    "hip/hip_cooperative_groups.h": "cooperative_groups.h",
    "hip/hip_complex.h": "cuComplex.h",
    "hip/hip_vector_types.h": "vector_types.h",
    "hip/hip_math_constants.h": "math_constants.h",
    "hip/hiprtc.h": "nvrtc.h",
    "hipblas.h": "cublas_v2.h",
    "hipblas/hipblas.h": "cublas_v2.h",
    "hipfft/hipfft.h": "cufft.h",
    "hiprand/hiprand.h": "curand.h",
    "hiprand/hiprand_kernel.h": "curand_kernel.h",
    "hipsparse/hipsparse.h": "cusparse.h",
    "hipsolver/hipsolver.h": "cusolverDn.h",
    "hipcub/hipcub.hpp": "cub/cub.cuh",
    "roctracer/roctx.h": "nvtx3/nvToolsExt.h",
    "rocprofiler-sdk-roctx/roctx.h": "nvtx3/nvToolsExt.h",
    "rccl.h": "nccl.h",
    "rccl/rccl.h": "nccl.h",
}


@functools.cache
def _shims() -> dict[bytes, bytes]:
    """Shim name (after `pg_compat::`) -> CUDA name."""
    found: dict[bytes, bytes] = {}
    for cuda, (kind, shim, _) in api.shims().items():
        if kind in ("call", "warp") and not shim.startswith("copy_"):
            found.setdefault(shim.encode(), cuda)
    for shim, (part,) in homes().items():
        if part in ("atomic", "pipeline"):
            if mapping.load().get(f"cuda::{shim}") is not None:
                found[shim.encode()] = b"cuda::" + shim.encode()
            elif shim.startswith("atomic_"):
                found[shim.encode()] = b"cuda::std::" + shim.encode()
    found[b"std_barrier"] = b"cuda::std::barrier"
    found[b"warp_size"] = b"warpSize"
    found[b"device_get_attribute"] = b"cudaDeviceGetAttribute"
    return found


@functools.cache
def _macros() -> dict[bytes, bytes]:
    """Macro of our header -> the CUDA macro that it stands for."""
    return {shim.encode(): cuda for cuda, (kind, shim, _) in api.shims().items() if kind == "macro"}


def rewrite(context: Context) -> None:
    """Turns HIP names, headers and launch macros into CUDA's; reports what is left."""
    declared = Declarations(context.source)
    _includes(context)
    told: set[bytes] = set()
    tables, only = mapping.load(), mapping.hip_only()
    source = context.source
    for i, (kind, _, _) in enumerate(source.code):
        if kind != TokenKind.IDENT or i in context.claimed:
            continue
        word = source.text[i]
        if word == b"pg_compat":
            _shim(context, i)
        elif word in _MACROS or word in _macros():
            context.replace(i, _MACROS.get(word) or _macros()[word])
        elif word == b"hipLaunchKernelGGL" or word == b"hipLaunchKernel":
            if word == b"hipLaunchKernelGGL":
                _launch(context, i)
            else:
                context.replace(i, b"cudaLaunchKernel")
        elif word in _CALLS:
            _unwrap(context, i)
        elif word == b"HIP_DYNAMIC_SHARED":
            _dynamic_shared(context, i)
        elif word in _MASKLESS and source.word(i + 1) == b"(":
            if not foreign(context, declared, i, told):
                context.replace(i, _MASKLESS[word])
                context.insert_after(i + 1, _all_lanes(word))
        else:
            name = word.decode("latin-1")
            if not _HIP_NAME.match(word):
                continue
            found = tables.reverse(name)
            if found is None and name in only:
                if not foreign(context, declared, i, told):
                    _hip_only(context, i, *only[name])
                continue
            if found is not None and found.cuda != name:
                if found.kind is Kind.NAMESPACE and source.word(i + 1) != b"::":
                    continue
                if foreign(context, declared, i, told):
                    continue
                context.replace(i, found.cuda.encode())
                if found.status is Status.DIFFERS:
                    context.report("PG1003", i, f"{name} and {found.cuda} differ: {found.note}")
                _version(context, i, found)
            elif found is None and name.startswith(_HIP_LIKE) and name[3:4].isupper():
                _unknown(context, declared, i, name)


def _hip_only(context: Context, i: int, cuda: str, note: str) -> None:
    """A name without a row: another spelling of CUDA's, or one that CUDA lacks."""
    if cuda:
        context.replace(i, cuda.encode())
    else:
        name = context.source.text[i].decode("latin-1")
        context.report(
            "PG1001",
            i,
            f"{name} has no counterpart in CUDA" + (f": {note}" if note else ""),
            hint=f"portgpu mapping {name}",
        )


def _version(context: Context, i: int, found: Entry) -> None:
    """A CUDA name that the wanted version does not have yet, or no more."""
    wanted = api.version(context.options.cuda_version)
    if not wanted:
        return
    # "cudnn9.1" and the like count another way.
    added = api.version(found.cuda_added) if found.cuda_added[:1].isdigit() else ()
    removed = api.version(found.cuda_removed) if found.cuda_removed[:1].isdigit() else ()
    if added > wanted:
        message = f"{found.cuda} exists from CUDA {found.cuda_added} on"
    elif removed and removed <= wanted:
        message = f"{found.cuda} is gone from CUDA {found.cuda_removed} on"
    else:
        return
    context.report("PG1004", i, f"{message}, not in {context.options.cuda_version}")


def _unknown(context: Context, declared: Declarations, i: int, name: str) -> None:
    source = context.source
    if source.word(i - 1) in (b".", b"->") or declared.anywhere(source.text[i]):
        return
    if name.startswith("HIP_") or source.text[i] in context.options.known:
        return
    context.report(
        "PG1002", i, f"{name} looks like a HIP name, but no table has it", confidence="likely"
    )


def _includes(context: Context) -> None:
    backward = {found.hip: found.cuda for found in mapping.load().headers.values() if found.hip}
    ours = {part: name for name, part in reversed(_OURS.items())}
    ours["nvtx"] = "nvtx3/nvToolsExt.h"  # CUDA 12 has no other
    seen: set[str] = set()
    for include in context.source.includes:
        name = include.name
        tail = name.rsplit("/", 1)[-1]
        if "portgpu/hip_compat" in name:
            part = tail.removeprefix("hip_compat").removesuffix(".h").lstrip("_")
            if part in ("", "atomic") and _keeps_helpers(context):
                seen.add("cuda_runtime.h")
                continue
            if part == "cg":
                target = "cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
                target += "#include <cooperative_groups/memcpy_async.h>\n"
                target += "#include <cooperative_groups/scan.h"
                token = context.source.code[include.index]
                context.replace(include.index, f"#include <{target}>".encode())
                continue
            if part == "atomic":
                text = b"#include <cuda/atomic>\n#include <cuda/barrier>"
                context.replace(include.index, text)
                continue
            target = ours.get(part, "cuda_runtime.h") if part else "cuda_runtime.h"
        else:
            found = _HEADERS.get(name) or backward.get(name)
            if found is None:
                if name.startswith(("hip/", "roc")):
                    context.report_span(
                        "PG1701",
                        include.start,
                        include.end,
                        f"{name} has no counterpart in CUDA",
                        symbol=name,
                    )
                continue
            target = found
        token = context.source.code[include.index]
        head = context.source.data[token.start : include.start]
        context.replace(include.index, b"" if target in seen else head + f"<{target}>".encode())
        seen.add(target)


def _all_lanes(word: bytes) -> bytes:
    """The mask argument: votes are asked of the lanes that are there."""
    return b"__activemask(), " if word in (b"__ballot", b"__any", b"__all") else b"0xffffffffu, "


def _keeps_helpers(context: Context) -> bool:
    """Whether the file uses names of our header that CUDA has none for."""
    text = context.source.text
    return any(
        word == b"pg_compat"
        and context.source.word(i + 2) not in _shims()
        and context.source.word(i + 2) not in (b"native", b"logical_warp")
        for i, word in enumerate(text)
    )


def _shim(context: Context, i: int) -> None:
    """`pg_compat::x` -> what it was made from."""
    source = context.source
    if source.word(i + 1) != b"::":
        return
    last = i + 2
    name = source.word(last)
    if name == b"native" and source.word(last + 1) == b"::":
        last += 2
        name = source.word(last)
    target = _shims().get(name)
    if name == b"logical_warp":
        target = b""
    if name in (b"half_x", b"half_y"):
        _half_field(context, i, last, name)
        return
    halves = name.startswith((b"f16", b"bf16"))  # pasted together there
    if target is None and (halves or name.decode("latin-1") in homes()):
        context.report(
            "PG1001",
            last,
            f"pg_compat::{name.decode('latin-1')} is of a header that is for AMD alone",
            hint="write the CUDA form: it came from PTX or from a library's call",
        )
        return
    if target is None:
        # The rewrites of PTX: our header has them for NVIDIA too.
        context.claimed.update(range(i, last + 1))
        context.shims.add(name.decode("latin-1"))
        return
    mask = _MASKLESS.get(target)
    if mask is not None and source.word(last + 1) == b"(":
        context.replace_span(i, last, mask)
        context.insert_after(last + 1, _all_lanes(target))
        return
    context.replace_span(i, last, target)


def _half_field(context: Context, i: int, last: int, name: bytes) -> None:
    """`pg_compat::half_x(v)` -> `(v).x`, and `half_x(*p)` alike."""
    close = context.source.match.get(last + 1)
    if context.source.word(last + 1) == b"(" and close is not None:
        context.replace_span(i, last, b"")
        context.insert_after(close, b".x" if name == b"half_x" else b".y")


def _unwrap(context: Context, i: int) -> None:
    """`HIP_SYMBOL(x)` -> `x`."""
    close = context.source.match.get(i + 1)
    if context.source.word(i + 1) == b"(" and close is not None:
        context.replace(i, b"")
        context.replace(i + 1, b"")
        context.replace(close, b"")


def _dynamic_shared(context: Context, i: int) -> None:
    source = context.source
    found = arguments(source, i)
    close = source.match.get(i + 1)
    if found is None or close is None or len(found) != 2:
        return
    kind = source.data[slice(*source.span(*found[0]))]
    name = source.data[slice(*source.span(*found[1]))]
    context.replace_span(i, close, b"extern __shared__ " + kind + b" " + name + b"[]")


def _launch(context: Context, i: int) -> None:
    """hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments...)"""
    source = context.source
    found = arguments(source, i)
    close = source.match.get(i + 1)
    if found is None or close is None or len(found) < 5:
        context.report("PG1301", i, "this launch macro could not be understood")
        return
    context.replace(i, b"")
    context.replace(i + 1, b"")
    # The comma after the kernel opens the configuration, the one after the stream the arguments.
    kernel_end, stream_end = found[0][1] + 1, found[4][1] + 1
    _replace_comma(context, kernel_end, b"<<<")
    if len(found) == 5:
        context.insert_before(close, b">>>(")
    else:
        _replace_comma(context, stream_end, b">>>(")


def _replace_comma(context: Context, i: int, text: bytes) -> None:
    """Replaces the comma at `i` and the blanks behind it on its line."""
    source = context.source
    start, end = source.code[i].start, source.code[i + 1].start
    gap = source.data[source.code[i].end : end]
    context.claimed.add(i)
    context.edits.append(Edit(start, end if not gap.strip(b" \t") else source.code[i].end, text))
