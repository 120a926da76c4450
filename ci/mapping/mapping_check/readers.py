"""Which headers of a set are read, how, and with what cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mapping_check import bindings, clang_facts, fetch
from mapping_check.facts import Fact, Facts, merge, resolve_aliases

_PLAIN = ["-x", "c++", "-std=c++17"]
# libclang's CUDA mode wants clang's wrappers; these macros show it what nvcc's device pass sees.
_NVCC = [*_PLAIN, "-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_RDC__"]
_NVCC_DEVICE = [*_NVCC, "-D__CUDA_ARCH__=900"]
_AMD = ["-D__HIP_PLATFORM_AMD__", "-D__HIP_PLATFORM_HCC__"]
_HIP = ["-x", "hip", "-std=c++17", "-nogpuinc", "-nogpulib", *_AMD]
_HIP_DEVICE = [*_HIP, "--cuda-device-only", "--offload-arch=gfx90a"]
_HIP_HOST = [*_HIP, "--cuda-host-only"]
_WRAPPER = ["-include", "__clang_hip_runtime_wrapper.h"]

_CUDA: list[list[str]] = [
    [
        "cuda_runtime.h cuda_runtime_api.h cuda.h cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_fp6.h",
        "cuda_fp4.h cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h",
        "cooperative_groups/memcpy_async.h cuComplex.h math_constants.h cudaProfiler.h mma.h",
        "cuda_profiler_api.h cuda_occupancy.h cuda_pipeline.h cuda_awbarrier.h library_types.h",
        "texture_fetch_functions.h surface_functions.h device_launch_parameters.h",
    ],
    ["cuda_runtime.h GL/gl.h cudaGL.h cuda_gl_interop.h cudaEGL.h cuda_egl_interop.h"],
    ["cuda_runtime.h vdpau/vdpau.h cudaVDPAU.h cuda_vdpau_interop.h"],
    ["cublas_v2.h cublasLt.h cublasXt.h"],
    ["cublas.h"],
    ["cufft.h cufftXt.h cufftw.h"],
    ["curand.h curand_kernel.h curand_mtgp32_host.h curand_mtgp32dc_p_11213.h"],
    ["cusparse.h"],
    ["cusolverDn.h cusolverSp.h cusolverRf.h cusolverMg.h cusolverSp_LOWLEVEL_PREVIEW.h"],
    ["cudnn.h"],
    ["nccl.h"],
    ["nvrtc.h"],
    ["nvtx3/nvToolsExt.h nvtx3/nvToolsExtCuda.h nvtx3/nvToolsExtCudaRt.h nvtx3/nvToolsExtSync.h"],
]
_CUDA_CLASSES: list[list[str]] = [
    ["cuda_runtime.h cub/cub.cuh"],
    ["cuda_runtime.h", "THRUST"],
    [
        "cuda_runtime.h cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h",
        "cooperative_groups/memcpy_async.h",
    ],
]

_HIP_HEADERS: list[list[str]] = [
    [
        "hip/hip_runtime.h hip/hip_runtime_api.h hip/hip_fp16.h hip/hip_bf16.h hip/hip_bfloat16.h",
        "hip/hip_fp8.h hip/hip_fp4.h hip/hip_fp6.h hip/hip_complex.h hip/hip_math_constants.h",
        "hip/hip_cooperative_groups.h hip/hiprtc.h hip/hip_ext.h hip/hip_gl_interop.h",
        "hip/amd_detail/amd_hip_gl_interop.h",
        "hip/library_types.h hip/hip_profile.h hip/math_functions.h hip/hip_deprecated.h",
    ],
    ["hipblas/hipblas.h"],
    ["hipblaslt/hipblaslt.h"],
    ["hipfft/hipfft.h hipfft/hipfftXt.h"],
    ["hiprand/hiprand.h hiprand/hiprand_kernel.h hiprand/hiprand_mtgp32_host.h"],
    ["hipsparse/hipsparse.h"],
    ["hipsolver/hipsolver.h"],
    ["miopen/miopen.h"],
    ["rccl/rccl.h"],
    ["roctracer/roctx.h roctracer/roctracer_ext.h"],
    ["rocblas/rocblas.h"],
    ["rocsparse/rocsparse.h"],
    ["rocsolver/rocsolver.h"],
    ["rocrand/rocrand.h rocrand/rocrand_kernel.h"],
]
_HIP_CLASSES: list[list[str]] = [
    ["hip/hip_runtime.h hip/hip_cooperative_groups.h"],
    ["hip/hip_runtime.h hipcub/hipcub.hpp"],
    ["hip/hip_runtime.h", "THRUST"],
]


def facts(folder: Path, entry: dict[str, Any]) -> Facts:
    """All facts of one header set, cached in `folder/<set>.json`; delete that to read again."""
    cache = folder / f"{entry['name']}.json"
    if cache.exists():
        rows = json.loads(cache.read_text(encoding="utf-8"))
        return {row[0]: Fact.from_json(row) for row in rows}
    print(f"reading {entry['name']} …", flush=True)
    found = _read(fetch.root(folder, entry), entry)
    resolve_aliases(found)
    cache.write_text(json.dumps([f.to_json() for f in found.values()]), encoding="utf-8")
    return found


def headers(folder: Path, entry: dict[str, Any]) -> set[str]:
    """Paths of the set's headers, as they would be included."""
    base = fetch.root(folder, entry)
    places = [Path(p) for p in entry.get("system", [])] or [base]
    return {
        str(path.relative_to(base))
        for place in places
        for path in place.rglob("*")
        if path.suffix in (".h", ".hpp", ".cuh", ".hxx") or "." not in path.name
    }


def _read(root: Path, entry: dict[str, Any]) -> Facts:
    found: Facts = {}
    if "bindings" in entry:
        return bindings.read(root, entry["bindings"])
    if entry["vendor"] == "cuda":
        for group in _CUDA:
            names = _present(root, group)
            for mode in (_PLAIN, _NVCC, _NVCC_DEVICE):
                merge(found, clang_facts.read(names, root, mode))
        for group in _CUDA_CLASSES:
            names = _present(root, group)
            merge(found, _classes(clang_facts.read(names, root, _NVCC_DEVICE, namespaces=True)))
        return found
    clang = entry.get("clang", 0)
    roots = [Path(p) for p in entry.get("system", [])] or [root]
    with_clang = [*roots, clang_facts.clang_includes(clang)]
    for group in _HIP_HEADERS:
        names = _present(root, group)
        for mode, places in ((_HIP_HOST, roots), ([*_HIP_DEVICE, *_WRAPPER], with_clang)):
            merge(found, clang_facts.read(names, root, mode, roots=places, clang=clang))
        # hipBLAS before ROCm 7 showed the later forms of its functions under HIPBLAS_V2 only.
        plain = [*_PLAIN, *_AMD, "-DHIPBLAS_V2"]
        merge(found, clang_facts.read(names, root, plain, roots=roots, clang=clang))
    for group in _HIP_CLASSES:
        names = _present(root, group)
        more = clang_facts.read(
            names, root, [*_HIP_DEVICE, *_WRAPPER], roots=roots, clang=clang, namespaces=True
        )
        merge(found, _classes(more))
    return found


def _present(root: Path, group: list[str]) -> list[str]:
    names = [name for line in group for name in line.split()]
    if names[-1] == "THRUST":
        folders = [root / "thrust", root / "thrust" / "iterator"]
        found = [path for folder in folders for path in sorted(folder.glob("*.h"))]
        found += sorted((root / "thrust" / "system").glob("*/execution_policy.h"))
        names[-1:] = [
            str(path.relative_to(root))
            for path in found
            if "tbb" not in str(path) and "omp" not in str(path)
        ]
    return [name for name in names if (root / name).exists() or "GL/" in name]


def _classes(facts: Facts) -> Facts:
    public: tuple[str, ...] = (
        "cub::",
        "hipcub::",
        "thrust::",
        "cooperative_groups::",
        "CUB_",
        "HIPCUB_",
        "THRUST_",
    )
    public += ("Cub", "Hipcub", "_Cub", "_Hipcub", "__CUB", "__HIPCUB", "BEGIN_HIP", "END_HIP")
    return {
        name: fact
        for name, fact in facts.items()
        if name.startswith(public) and "detail" not in name
    }
