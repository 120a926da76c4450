"""PG2030: code chosen by CUDA's version number."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule

_NAMES = (
    "CUDA_VERSION",
    "CUDART_VERSION",
    "__CUDACC_VER_MAJOR__",
    "__CUDA_API_VERSION",
    "CUDNN_VERSION",
)
_CONDITIONS = ("if", "elif", "ifdef", "ifndef")


class VersionGate(Rule):
    id = "PG2030"
    title = "Code chosen by CUDA's version number"
    severity = Severity.WARNING
    explain = """
`#if CUDA_VERSION >= 11000` is false on AMD, where the macro is not defined: the branch for old
CUDA is taken without a word. Headers that define it as HIP's number are no better, since HIP counts
differently (60443484 for 6.4): then every test is true.

Ask for the feature: `#if PG_HAS_BF16`, or a macro of your own that each build sets. Where a version
is really meant, spell out both: `#if defined(__HIP__) || CUDA_VERSION >= 11000`.
"""
    invalid = (
        Example("""
            #if defined(CUDA_VERSION) && CUDA_VERSION >= 11000  // finding
            #define HAVE_BF16 1
            #elif CUDART_VERSION < 9000  // finding
            #error too old
            #endif
        """),
    )
    valid = (
        Example("""
            #if defined(USE_ROCM) || CUDA_VERSION >= 11000
            #define HAVE_BF16 1
            #endif
            #ifndef __HIP_PLATFORM_AMD__
            #if CUDA_VERSION >= 12000
            #endif
            #endif
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        if ctx.mode == "hip":
            return
        for item in ctx.unit.directives:
            if item.name not in _CONDITIONS or not ctx.for_amd(item.start):
                continue
            names = ctx.condition_names(item)
            gate = next((n for n in names if n in _NAMES), None)
            other = any(
                mark in name.upper() for name in names for mark in ("HIP", "ROCM", "AMD", "MUSA")
            )
            if gate is None or other or (item.name == "ifndef" and self._defines(ctx, gate)):
                continue
            message = f"{gate} does not exist on AMD: this condition takes its other branch there"
            hint = "test a feature macro, or name both vendors in the condition"
            yield Report(item.start, item.end, message, hint, symbol=gate)

    def _defines(self, ctx: Context, name: str) -> bool:
        return any(m.name == name for m in ctx.unit.own_macros)
