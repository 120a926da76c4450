"""Writes `portgpu.h` and `pg/*.h` for one target, and the reverse header (HIP names on CUDA).

`templates/dialect/pg/` is what all targets share; `templates/dialect/<target>/` becomes
`pg/detail/`, with `templates/dialect/gpu/` in common for CUDA and ROCm, whose host runtimes differ
in names only.
Files that end in `.j2` go through jinja2, others are copied as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import jinja2

from portgpu import __version__, resources
from portgpu.errors import UsageError, nearest
from portgpu.headers import dialect_reverse, nvtx
from portgpu.headers.files import write

TARGETS = ("cuda", "rocm", "cpu")

# What the templates for both GPU vendors differ in.
_VENDORS: dict[str, dict[str, object]] = {
    "cuda": {
        "target": "CUDA",
        "api": "cuda",
        "attribute": "cudaDevAttr",
        "optin": "MaxSharedMemoryPerBlockOptin",
        "device_prop": "cudaDeviceProp",
        "host_malloc": "cudaMallocHost",
        "host_free": "cudaFreeHost",
        "symbol": "",
        "no_memory": "cudaErrorMemoryAllocation",
        "no_image": "cudaErrorNoKernelImageForDevice",
        "libraries": [
            ("BLAS", "cublas_v2.h", "", "cublas"),
            ("FFT", "cufft.h", "", "cufft"),
            ("RAND", "curand.h", "", "curand"),
            ("SPARSE", "cusparse.h", "", "cusparse"),
        ],
        "fft_inverse": "CUFFT_INVERSE",
        "cub": "cub/cub.cuh",
        "cub_namespace": "cub",
    },
    "rocm": {
        "target": "ROCm",
        "api": "hip",
        "attribute": "hipDeviceAttribute",
        "optin": "SharedMemPerBlockOptin",
        "device_prop": "hipDeviceProp_t",
        "host_malloc": "hipHostMalloc",
        "host_free": "hipHostFree",
        "symbol": "HIP_SYMBOL",
        "no_memory": "hipErrorOutOfMemory",
        "no_image": "hipErrorNoBinaryForGpu",
        "libraries": [
            ("BLAS", "hipblas/hipblas.h", "PG_AMD || __has_include(<cublas_v2.h>)", "hipblas"),
            ("FFT", "hipfft/hipfft.h", "PG_AMD || __has_include(<cufft.h>)", "hipfft"),
            (
                "RAND",
                "hiprand/hiprand.h",
                "PG_AMD ? __has_include(<rocrand/rocrand.h>) : __has_include(<curand.h>)",
                "hiprand",
            ),
            (
                "SPARSE",
                "hipsparse/hipsparse.h",
                "PG_AMD || __has_include(<cusparse.h>)",
                "hipsparse",
            ),
        ],
        "fft_inverse": "HIPFFT_BACKWARD",
        "cub": "hipcub/hipcub.hpp",
        "cub_namespace": "hipcub",
    },
    "cpu": {"target": "CPU"},
}


def render(target: str, out: Path) -> list[Path]:
    """Write the dialect for `target` ("cuda", "rocm" or "cpu") into `out`; returns the files.

    `out` gets portgpu.h and pg/*.h, for the CPU target also the emulator (pgcpu.h, pgcpu/, shadow/,
    src/). A file whose text is already right is not written, so that nothing is rebuilt for it.
    Raises `UsageError` for an unknown target and `OutputError` when `out` cannot be written.
    """
    if target not in TARGETS:
        raise UsageError(
            f"no target is called {target!r}",
            hint=nearest(target, TARGETS) or f"the targets are {', '.join(TARGETS)}",
        )
    root = resources.templates("dialect")
    files: dict[str, bytes] = {"portgpu.h": (root / "portgpu.h").read_bytes()}
    for path in sorted((root / "pg").glob("*.h")):
        files[f"pg/{path.name}"] = path.read_bytes()
    folders = [root / target] if target == "cpu" else [root / "gpu", root / target]
    for folder in folders:
        for path in sorted(folder.glob("*.h*")):
            name = path.name.removesuffix(".j2")
            files[f"pg/detail/{name}"] = _text(path, _VENDORS[target])
    if target == "cpu":
        files.update(_tree(resources.templates("cpu")))
        matrices = resources.templates("compat", "portgpu") / "hip_compat_mma_ptx.h"
        files["pgcpu/ptx_mma.h"] = b"#define PGCPU_PTX_MMA 1\n" + matrices.read_bytes()
        files.update({f"shadow/{name}": text for name, text in nvtx.files().items()})
    return write(files, out)


def render_reverse(out: Path) -> list[Path]:
    """Write the headers that give CUDA the names of HIP (hip/hip_runtime.h and so on) into `out`.

    With them on the include path nvcc compiles HIP sources for NVIDIA. Returns the files; raises
    `OutputError` when `out` cannot be written.
    """
    return write(_tree(resources.templates("reverse")), out)


def _tree(root: Path) -> dict[str, bytes]:
    files = sorted(p for p in root.rglob("*") if p.is_file() and p.suffix != ".md")
    context = {"names": dialect_reverse.names}
    return {str(p.relative_to(root)).removesuffix(".j2"): _text(p, context) for p in files}


def _text(path: Path, context: Mapping[str, object]) -> bytes:
    if path.suffix != ".j2":
        return path.read_bytes()
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    text = environment.from_string(path.read_text(encoding="utf-8"))
    return text.render(version=__version__, **context).encode()
