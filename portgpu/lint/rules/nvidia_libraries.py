"""PG2051: libraries without a counterpart of the same shape."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule

_PREFIXES = (
    ("cutlass/", "CUTLASS: AMD's counterpart is Composable Kernel, with another interface"),
    ("cute/", "CuTe: AMD's counterpart is Composable Kernel, with another interface"),
    ("cudnn_frontend", "cuDNN: AMD's counterpart is MIOpen, which has no graph interface like it"),
    ("cudnn", "cuDNN: AMD's counterpart is MIOpen, whose descriptors and algorithms differ"),
    ("NvInfer", "TensorRT: AMD's counterpart is MIGraphX"),
    ("cusparseLt", "cuSPARSELt: hipSPARSELt covers part of it"),
    ("cuda/pipeline", "libcu++ pipelines: nothing on AMD"),
    ("cuda/barrier", "libcu++ barriers: nothing on AMD"),
    ("cuda/ptx", "PTX wrappers: nothing on AMD"),
    ("cublasdx", "cuBLASDx: nothing on AMD"),
    ("cufftdx", "cuFFTDx: nothing on AMD"),
    ("nvshmem", "NVSHMEM: AMD's counterpart is rocSHMEM, which differs in part"),
    ("nvml.h", "NVML: AMD's counterpart is AMD SMI, with another interface"),
    ("cufile.h", "GPUDirect Storage: nothing of this shape on AMD"),
    ("nvcomp", "nvCOMP: nothing of this shape on AMD"),
)


class NvidiaLibraries(Rule):
    id = "PG2051"
    title = "Library without a counterpart of the same shape"
    severity = Severity.WARNING
    explain = """
Renaming does not port these: AMD's library has another interface, or there is none. The code needs
a seam of its own: one small header of functions that the project calls, and one implementation a
vendor.
"""
    invalid = (
        Example("""
            #include "cutlass/gemm/device/gemm.h"  // finding
            #include <cudnn.h>  // finding
        """),
    )
    valid = (
        Example("""
            #include <cublas_v2.h>
            #include <cufft.h>
            #ifndef USE_ROCM
            #include <cudnn.h>
            #endif
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for name, directive in ctx.unit.scanned.includes:
            reason = next((r for prefix, r in _PREFIXES if name.startswith(prefix)), None)
            if reason is not None and directive.active:
                yield Report(
                    directive.start, directive.end, f"{name} belongs to {reason}",
                    "put it behind a seam of your own", symbol=name,
                )  # fmt: skip
