"""Finds names that the vendors' headers have and the tables lack, and their likely partners."""

from __future__ import annotations

import re
from collections import defaultdict

from mapping_check.check import Evidence, Row
from mapping_check.facts import Fact

# What CUDA's headers declare for devices that is neither function nor variable.
_SPECIFIERS = r"__(local_)?maxnreg__|__(cluster_dims|block_size|nv_pure)__"
_SCOPES = r"__NV_(ATOMIC|THREAD_SCOPE)_[A-Z_]+"
# Family -> (headers that define it, the names it takes).
_SOURCES: list[tuple[str, str, str]] = [
    ("errors", r"driver_types\.h|cuda\.h", r"cudaError[A-Z]\w+|CUDA_ERROR_\w+"),
    (
        "runtime",
        r"(cuda_runtime|cuda_runtime_api|driver_types|texture_types|surface_types|library_types|"
        r"vector_types|cuda_profiler_api|channel_descriptor|cuda_device_runtime_api|math_constants|"
        r"cuda_gl_interop|cuda_egl_interop|cuda_vdpau_interop|cuda_occupancy|device_types|"
        r"driver_functions)\.h",
        r"cuda[A-Z]\w+|CUDA_[A-Z]\w+|CUDART_\w+|libraryPropertyType\w*",
    ),
    (
        "driver",
        r"(cuda|cudaProfiler|cudaGL|cudaEGL|cudaVDPAU)\.h",
        r"cu[A-Z]\w+|CU[A-Za-z]*_\w+|CU[a-z]\w+",
    ),
    ("half", r"cuda_(fp16|bf16|fp8|fp6|fp4)\.(h|hpp)", r"(__)?(nv_)?[a-z]\w+|CUDART_\w+"),
    ("device", r"(crt/)?host_defines\.h", _SPECIFIERS),
    ("device", r"(crt/)?device_functions\.h", _SCOPES),
    (
        "device",
        r"(crt/.*|sm_\d\d_.*|device_atomic_functions|texture_indirect_functions|vector_functions|"
        r"surface_indirect_functions|device_launch_parameters|cuda_pipeline_primitives|"
        r"cuda_awbarrier_primitives)\.(h|hpp)|device_launch_parameters\.h",
        r"__[a-z]\w+|atomic[A-Z]\w+|tex[A-Z1-3]\w+|surf[A-Z1-3]\w+|make_\w+\d\w*|"
        r"threadIdx|blockIdx|blockDim|gridDim|warpSize",
    ),
    ("blaslt", r"cublasLt\.h", r"cublasLt\w+|CUBLASLT_\w+"),
    ("blas", r"cublas(_v2|_api|Xt)?\.h", r"cublas\w+|CUBLAS_\w+|CUBLASXT_\w+"),
    ("fft", r"cufft(Xt|w)?\.h|cudalibxt\.h", r"cufft\w+|CUFFT\w+|cudaXt\w+|cudaLibXt\w+"),
    ("rand", r"curand\w*\.h", r"curand\w*|CURAND_[A-Z]\w+|skipahead\w*"),
    ("sparse", r"cusparse\.h", r"cusparse\w+|CUSPARSE_\w+"),
    ("solver", r"cusolver\w+\.h", r"cusolver\w+|CUSOLVER\w*_\w+"),
    ("dnn", r"cudnn\w*\.h", r"cudnn\w+|CUDNN_\w+"),
    ("nccl", r"nccl\.h", r"nccl[A-Z]\w+|NCCL_\w+|pnccl\w+"),
    ("nvrtc", r"nvrtc\.h", r"nvrtc\w+|NVRTC_\w+"),
    ("nvtx", r"nvtx3/nvToolsExt\w*\.h", r"nvtx[A-Z]\w+|NVTX_\w+"),
]

_INTERNAL = re.compile(
    r"_(v\d+|ptsz|ptds|impl|H|H_|H__|fntype)$|_v\d{4}|^__nv_(?!bfloat|fp[468]|half|cvt|saturation)|"
    r"^__(CUDA|NV(?!_ATOMIC|_THREAD_SCOPE)|cuda|internal|device_stub|builtin|nvvm|cxa|host|global|shared|dev|isGlobal|sm_)|"
    r"_DEPRECATED|_API_|^NVTX_(IMPL|INIT|LINK|CB|EXPORT|INLINE|CAST|NULLPTR|STATIC|REINTERPRET|"
    r"UNIFIED|VERSIONED|API|DYNAMIC|SIZE_OF|CONTEXT|SUPPORT|EXTENSION|TYPES)|WINAPI$|"
    r"^CUDART_(CB|DEVICE|HOST)$|^CU_?\w*(CB|API|CDECL|API_\w+)$|HAS_BEEN_DEFINED|"
    r"^(CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER)API$|^cudaGetDeviceProperties_v2|_fallback|"
    r"^__\w*Atomic|^__(hcos|hsin)_internal|^__float_simpl|_MATRICES_|_QUALIFIERS$|"
    r"^curand_(_discrete|box_muller|M2|gammainc|binary|Poisson|poisson_|MRG)|^curand__|"
    r"^CURAND_(PI|SQRT2|STD|NUM|XORWOW|MRG)|^curand(StateTest|MakeMTGP32ConstantsImpl|PoissonMethod)|"
    r"^NVTX_(RESOURCE|ERR|PAYLOAD|MESSAGE)|"
    r"^CUDNN_\w*_H_$|_CPP_VERSION$|^CUDNN_\w+_(MAJOR|MINOR|PATCH)$|_STRUCT_SIZE$"
)

# A CUDA name without its prefix and underscores, in lower case, is compared with HIP's.
_CUDA_PREFIX = re.compile(r"^((cuda|cu|CUDART_|CUDA_|CU_|CU|make_cu)(?=[A-Z_0-9])|CU(?=[a-z]))")
_HIP_PREFIX = re.compile(r"^(hip|HIP_|HIP|make_hip)(?=[A-Z_0-9])")
_LIBRARIES = [
    ("blaslt", "cublasLt", "hipblasLt"),
    ("blaslt", "CUBLASLT_", "HIPBLASLT_"),
    ("blas", "cublas", "hipblas"),
    ("blas", "CUBLAS_", "HIPBLAS_"),
    ("fft", "cufft", "hipfft"),
    ("fft", "CUFFT_", "HIPFFT_"),
    ("rand", "curand", "hiprand"),
    ("rand", "CURAND_", "HIPRAND_"),
    ("sparse", "cusparse", "hipsparse"),
    ("sparse", "CUSPARSE_", "HIPSPARSE_"),
    ("solver", "cusolver", "hipsolver"),
    ("solver", "CUSOLVER_", "HIPSOLVER_"),
    ("nvrtc", "nvrtc", "hiprtc"),
    ("nvrtc", "NVRTC_", "HIPRTC_"),
    ("nvtx", "nvtx", "roctx"),
    ("half", "__nv_", "__hip_"),
]
# Versions of different things are not each other's partners, whatever their names.
_HALF = {
    "__nv_half": "__half",
    "nv_half": "__half",
    "__nv_half2": "__half2",
    "nv_half2": "__half2",
    "__nv_half_raw": "__half_raw",
    "__nv_half2_raw": "__half2_raw",
    "nv_bfloat16": "__hip_bfloat16",
    "nv_bfloat162": "__hip_bfloat162",
}
_VERSION = re.compile(r"_(VERSION|VERSION_CODE|MAJOR|MINOR|PATCH|SUFFIX)$|_VER_")
# CUB's public names; the rest of its namespace is machinery.
_CUB = re.compile(
    r"(Block|Warp|Device|Grid|Thread)[A-Z](?!\w*(Kernel|Policy|Dispatch|Source|Agent))\w*|"
    r"\w+Iterator|(BLOCK|WARP|LOAD|STORE|GRID)_\w+|Max|Min|Sum|Arg\w+|Equality|Inequality|\w+Wrapper|"
    r"DoubleBuffer|KeyValuePair|CachingDeviceAllocator|\w*Traits|Cast\w*|NullType|Uninitialized|"
    r"Reduce\w+Op|Cache\w+|Difference|Division|FutureValue|Log2|CTA_SYNC|Shuffle\w+|Lane\w+|RowMajorTid"
)


class Partners:
    """HIP names by their normalised form, for guessing what a CUDA name became."""

    def __init__(self, hip: list[Evidence]) -> None:
        self.facts: dict[str, Fact] = {}
        for where in hip:
            self.facts.update(where.facts)
        self.newest = hip[-1].facts
        self._by_key: dict[tuple[str, str], set[str]] = defaultdict(set)
        for name, fact in self.facts.items():
            if _HIP_PREFIX.match(name):
                key = _key(_HIP_PREFIX.sub("", name))
                for kind in fact.kinds:
                    self._by_key[key, kind].add(name)

    def of(self, name: str, family: str, kinds: set[str]) -> str:
        """The HIP name that a CUDA name most likely became and that exists, or ""."""
        if _VERSION.search(name) and family != "nccl":
            return ""
        for where, cuda, hip in _LIBRARIES:
            if where == family and name.startswith(cuda):
                guess = hip + name.removeprefix(cuda)
                if guess in self.facts:
                    return guess
        if family in ("nccl", "device", "half", "rand") and name in self.facts:
            return name
        if family == "half":
            guess = name.replace("CUDART_", "HIPRT_")
            return guess if guess in self.facts else _HALF.get(name, "")
        match = _CUDA_PREFIX.match(name)
        data_type = name.startswith(("CUDA_R_", "CUDA_C_"))  # in the family of cuBLAS
        if (family in ("runtime", "driver", "errors") or data_type) and match:
            key = _key(name[match.end() :])
            for kind in kinds:
                found = self._by_key.get((key, kind), set())
                if len(found) == 1:
                    return next(iter(found))
                same_case = [n for n in found if n == "hip" + name[match.end() :]]
                if same_case:
                    return same_case[0]
        return ""


def _key(text: str) -> str:
    plain = text.replace("_", "").lower()
    plain = plain.removesuffix("t") if text.endswith("_t") else plain
    return re.sub("^devattr", "deviceattribute", plain)


def missing(cuda: list[Evidence], known: set[str], partners: Partners) -> dict[str, list[Row]]:
    """Rows for names in the CUDA headers that the tables lack, by family. Status is still open."""
    rows: dict[str, list[Row]] = defaultdict(list)
    done = set(known)
    for where in reversed(cuda):
        for name, fact in where.facts.items():
            if name in done or (_INTERNAL.search(name) and not _later_form(name, fact)):
                continue
            family = _family(name, fact)
            if not family:
                continue
            done.add(name)
            kind = _kind(name, fact, family)
            hip = partners.of(name, family, fact.kinds)
            rows[family].append(row(cuda=name, hip=hip, kind=kind, status="unverified"))
    return rows


def _later_form(name: str, fact: Fact) -> bool:
    """Whether a name ending in _v2 and up is a function that programs can call by that name."""
    where = re.search(r"(^|/)(cuda|cuda_runtime_api|cublas_api)\.h$", fact.header)
    return (
        where is not None
        and re.search(r"\w_v[2-9]$", name) is not None
        and ("function" in fact.kinds)
    )


def classes(cuda: list[Evidence], known: set[str], partners: Partners) -> dict[str, list[Row]]:
    """Rows for public classes and functions in CUB's, Thrust's and the groups' namespaces."""
    rows: dict[str, list[Row]] = defaultdict(list)
    scopes = [("cub", "cub::", "hipcub::"), ("cooperative_groups", "cooperative_groups::", "")]
    for family, prefix, hip_prefix in [*scopes, ("thrust", "thrust::", "")]:
        done = set(known)
        for where in reversed(cuda):
            for name, fact in where.facts.items():
                rest = name.removeprefix(prefix)
                if name in done or rest == name or not _public(rest, fact, family):
                    continue
                done.add(name)
                hip = hip_prefix + rest if hip_prefix else name
                kind = "function" if fact.kinds & {"function", "method"} else "type"
                kind = "namespace" if "namespace" in fact.kinds else kind
                if hip not in partners.facts:
                    hip = ""
                rows[family].append(row(cuda=name, hip=hip, kind=kind, status="unverified"))
    return rows


def headers(cuda: list[Evidence], hip: list[Evidence], known: set[str]) -> list[Row]:
    """Rows for public headers of Thrust and CUB that both vendors have."""
    there = {name for where in hip for name in where.headers}
    rows = {}
    for name in {name for where in cuda for name in where.headers} - known:
        if re.fullmatch(r"thrust/([a-z_]+/)?[a-z_]+\.h", name) and "/detail/" not in name:
            partner = name
        elif re.fullmatch(r"cub/[a-z]+/[a-z_]+\.cuh", name):
            partner = name.replace("cub/", "hipcub/").replace(".cuh", ".hpp")
        else:
            continue
        if partner in there:
            rows[name] = row(cuda=name, hip=partner, kind="header", status="unverified")
    return list(rows.values())


def row(**values: str) -> Row:
    """A row with every column, empty where nothing is given."""
    columns = (
        "cuda,hip,kind,status,cuda_added,cuda_deprecated,cuda_removed,hip_added,hip_deprecated,"
        "hip_removed,adapter,note,verified,roc,finding"
    )
    return {**dict.fromkeys(columns.split(","), ""), **values}


def _public(rest: str, fact: Fact, family: str) -> bool:
    if not re.fullmatch(r"[A-Za-z]\w*(::[A-Z]\w*)?", rest) or "macro" in fact.kinds:
        return False
    if "::" in rest:
        # Members matter where they are the interface: cub::DeviceReduce::Sum, BlockScan::…
        owner, _, member = rest.partition("::")
        function = bool(fact.kinds & {"method", "function"}) and member not in (
            "Dispatch",
            "GetName",
        )
        return (
            family == "cub"
            and owner.startswith("Device")
            and function
            and bool(_CUB.fullmatch(owner))
        )
    if family == "cub":
        return bool(fact.kinds & {"type", "function", "enum"}) and bool(_CUB.fullmatch(rest))
    if family == "thrust":
        return not rest.startswith(("THRUST", "tag", "try_", "unwrap", "access", "null", "voider"))
    return bool(fact.kinds & {"type", "function", "namespace"})


def _family(name: str, fact: Fact) -> str:
    for family, headers, names in _SOURCES:
        if re.fullmatch(headers, fact.header) and re.fullmatch(names, name):
            plain = names in (_SPECIFIERS, _SCOPES)
            if family == "device" and not plain and not fact.kinds & {"function", "variable"}:
                return ""
            if fact.kinds == {"macro"} and fact.body == "" and fact.value is None:
                return ""  # include guards and empty switches
            return family
    return ""


def _kind(name: str, fact: Fact, family: str) -> str:
    if "function" in fact.kinds:
        return "device_function" if family in ("device", "half") else "function"
    if "variable" in fact.kinds and family in ("device", "rand"):
        return "variable"
    for kind in ("enum", "type", "macro"):
        if kind in fact.kinds:
            return kind
    return "variable"
