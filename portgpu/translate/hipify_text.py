"""The text of hipify-clang and hipify-perl where it is not simply a name for a name."""

from __future__ import annotations

import csv
import functools

from portgpu import resources
from portgpu.findings import Edit
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Include, Source
from portgpu.translate import hiptensor
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

RUNTIME = "hip/hip_runtime.h"
# Headers that both tools drop: everything in them comes with the runtime's.
_DROPPED = frozenset(("device_launch_parameters.h", "texture_fetch_functions.h"))
# Parts of CUDA's runtime that HIP has headers for.
_PARTS = {
    "channel_descriptor.h": "hip/channel_descriptor.h",
    "cuda_profiler_api.h": "hip/hip_runtime_api.h",
    "cuda_runtime_api.h": "hip/hip_runtime_api.h",
    "cuda_texture_types.h": "hip/hip_texture_types.h",
    "device_functions.h": "hip/device_functions.h",
    "driver_types.h": "hip/driver_types.h",
    "vector_types.h": "hip/hip_vector_types.h",
}
_MAIN = frozenset(("cuda.h", "cuda_runtime.h"))
# Main headers of an API, of which hipify-clang keeps the first one.
_ONCE = _MAIN | frozenset(
    (
        "cublas.h", "cublas_v2.h", "cusparse.h", "cusparse_v2.h", "cusolver_common.h",
        "cusolverDn.h", "cusolverMg.h", "cusolverRf.h", "cusolverSp.h",
        "cusolverSp_LOWLEVEL_PREVIEW.h", "cudnn.h", "cufft.h", "cuComplex.h",
    )
)  # fmt: skip
# Caffe2's, for files that include its headers.
_CAFFE2 = {
    b"CUDAContext": b"HIPContext",
    b"REGISTER_CUDA_OPERATOR": b"REGISTER_HIP_OPERATOR",
    b"REGISTER_CUDA_OPERATOR_CREATOR": b"REGISTER_HIP_OPERATOR_CREATOR",
    b"cuda_stream": b"hip_stream",
}
_CAFFE2_HEADERS = {
    "caffe2/core/common_cudnn.h": "caffe2/core/hip/common_miopen.h",
    "caffe2/operators/spatial_batch_norm_op.h":
        "caffe2/operators/hip/spatial_batch_norm_op_miopen.hip",
}  # fmt: skip
# Library headers of AMD's; roctracer's brings no runtime.
_AMD = ("hip", "rocblas", "rocsparse", "rocsolver", "rocrand", "rccl", "miopen")
_KERNEL_WORDS = frozenset((b"__global__", b"__device__", b"__shared__", b"<<<"))


def header(context: Context, include: Include) -> str | None:
    """HIPIFY's target of an include where it is not our table's: a name, "" to drop it, or None."""
    if include.name in _DROPPED:
        return ""
    if include.name in _PARTS:
        return _PARTS[include.name]
    if include.name == "cusolverMg.h":
        return "rocsolver/rocsolver.h" if context.options.roc else "hipsolver.h"
    if include.name == "cudnn.h" and wants_hipdnn(context):
        return "hipDNN.h"
    return hiptensor.HEADERS.get(include.name) or _CAFFE2_HEADERS.get(include.name)


def names(context: Context, declared: Declarations) -> None:
    """Names that only HIPIFY's text has another word for: cuTENSOR's and Caffe2's."""
    hiptensor.rewrite(context, declared)
    source = context.source
    if any(include.name.startswith("caffe2/") for include in source.includes):
        for old, new in _CAFFE2.items():
            for i in source.places.get(old, ()):
                if source.is_ident(i) and i not in context.claimed:
                    context.replace(i, new)


@functools.cache
def hipdnn_names() -> dict[str, str]:
    """hipDNN's names by cuDNN's: what HIPIFY writes by default, though ROCm ships MIOpen alone."""
    with resources.data("hipdnn.csv").open(encoding="utf-8", newline="") as file:
        return {row["cuda"]: row["hipdnn"] for row in csv.DictReader(file)}


def wants_hipdnn(context: Context) -> bool:
    """Whether cuDNN becomes hipDNN."""
    options = context.options
    return bool(options.hipify) and not options.roc and not options.miopen


def keeps_duplicates(context: Context, include: Include) -> bool:
    """hipify-perl renames every include; hipify-clang drops all but an API's first main header."""
    once = include.name in _ONCE or include.name.startswith("curand")
    return context.options.hipify == "perl" or not once


def add_runtime(context: Context) -> None:
    """Adds the runtime's header where the tool does.

    hipify-perl: as the first line, in quotes, of a file with kernels that includes none of CUDA's.
    hipify-clang: in brackets behind `#pragma once` or the guard's `#ifndef`, else before the first
    include, else at the start, unless the file includes cuda.h or cuda_runtime.h.
    """
    source = context.source
    names = {i.name for i in source.includes}
    if RUNTIME in names:
        return
    newline = b"\r\n" if b"\r\n" in source.data else b"\n"
    if context.options.hipify == "perl":
        from portgpu.translate.headers import is_cuda_header

        kernels = any(
            word in _KERNEL_WORDS and source.code[i][0] in (Kind.IDENT, Kind.PUNCT)
            for i, word in enumerate(source.text)
        )
        vendors = (n for n in names if is_cuda_header(n) or n.startswith(_AMD))
        if kernels and all("nvToolsExt" in n for n in vendors):
            at = 3 if source.data.startswith(b"\xef\xbb\xbf") else 0
            text = f'#include "{RUNTIME}"'.encode() + newline
            context.edits.insert(0, Edit(at, at, text))
    elif not names & _MAIN:
        at = _place(source)
        text = newline + f"#include <{RUNTIME}>".encode() + newline
        context.edits.insert(0, Edit(at, at, text))


def _place(source: Source) -> int:
    """Byte offset at which hipify-clang puts the include."""
    code = [d for d in source.directives if d.name]
    for d in code:
        if d.name == b"pragma" and source.word(d.first + 2) == b"once":
            return source.code[d.first + 2].end
    if (
        len(code) > 1
        and code[0].name == b"ifndef"
        and code[0].first == 0
        and code[1].name == b"define"
        and source.word(code[0].first + 2) == source.word(code[1].first + 2)
    ):
        return source.code[code[0].first + 2].end
    first = next((d for d in code if d.name == b"include"), None)
    if first is not None:
        return source.code[first.first].start
    return 3 if source.data.startswith(b"\xef\xbb\xbf") else 0


def is_kernel_template(source: Source, name: bytes) -> bool:
    """Whether the file declares a kernel of this name as a template."""
    known = _kernel_templates(source)
    if name not in known:
        known[name] = _declares_template(source, name)
    return known[name]


@functools.lru_cache(maxsize=1)
def _kernel_templates(source: Source) -> dict[bytes, bool]:
    """What `is_kernel_template` has found in this file."""
    return {}


def _declares_template(source: Source, name: bytes) -> bool:
    for i in source.places.get(name, ()):
        if source.word(i + 1) != b"(":
            continue
        j = i - 1
        kernel = False
        while j >= 0 and source.text[j] not in (b";", b"}", b"{"):
            if source.text[j] == b")":
                j = source.match.get(j, j)
            elif source.text[j] == b"__global__":
                kernel = True
            elif source.text[j] == b"template" and kernel:
                return source.word(j + 2) != b">"  # "template <>" is one kernel
            j -= 1
    return False
