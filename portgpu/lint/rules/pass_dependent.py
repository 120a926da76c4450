"""PG2032: declarations that differ between the host pass and the device pass."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive, Macro, Tok
from portgpu.lint.preprocess import Preprocessor
from portgpu.lint.rule import Context, Example, Report, Rule, dropped_ranges

_HOST: dict[str, str | None] = {"__CUDA_ARCH__": None, "__HIP_DEVICE_COMPILE__": None}
_DEVICE: dict[str, str | None] = {"__CUDA_ARCH__": "900", "__HIP_DEVICE_COMPILE__": "1"}
_QUALIFIERS = ("__host__", "__device__", "__global__", "__constant__", "__shared__")


class PassDependent(Rule):
    id = "PG2032"
    title = "Declaration that differs between host and device pass"
    severity = Severity.ERROR
    everywhere = True
    explain = """
GPU sources are compiled once for the host and once a GPU architecture. A kernel that exists in one
pass only cannot be launched (its stub is missing), and qualifiers or types that change with
`__CUDA_ARCH__` or `__HIP_DEVICE_COMPILE__` make the two passes disagree. nvcc splits the passes
before parsing and often lets it through; clang, and so HIP, sees one program and refuses, or
overloads on the qualifiers.

Decide by compiler instead (`__CUDACC__`, `__HIPCC__`), and test the pass only inside function
bodies.
"""
    invalid = (
        Example("""
            #ifdef __CUDA_ARCH__
            #define HD __device__  // finding
            #else
            #define HD __host__  // finding
            #endif
            #if __CUDA_ARCH__ >= 700
            __global__ void k(float* x) { x[0] = 0; }  // finding
            #endif
        """),
    )
    valid = (
        # There is one in each pass.
        Example("""
            #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
            template <class T> __global__ void k(T* x) {}
            #else
            template <class T> __global__ void k(T* x) { x[0] = 0; }
            #endif
        """),
        Example("""
            #ifdef __CUDACC__
            #define HD __host__ __device__
            #else
            #define HD
            #endif
            HD inline float f(float x) {
            #ifdef __CUDA_ARCH__
              return x;
            #else
              return -x;
            #endif
            }
            #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
            __global__ void k(float* x) { x[0] = 0; }
            #endif
            #if __CUDA_ARCH__ >= 700
            #define FAST 1
            __device__ float g(float x) { return x; }
            #endif
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        host, device = (_dropped(ctx.unit.directives, macros) for macros in (_HOST, _DEVICE))
        if host == device:
            return
        for item in ctx.unit.directives:
            qualifies = any(t.text in _QUALIFIERS for t in item.tokens[1:])
            differs = _inside(item.start, host) != _inside(item.start, device)
            if item.name == "define" and qualifies and differs:
                name = item.tokens[0].text
                message = f"{name} gives functions other qualifiers in each pass"
                hint = "decide by __CUDACC__ or __HIPCC__, which hold in both passes"
                yield Report(item.start, item.end, message, hint, symbol=name)
        for function in ctx.unit.declarations.functions:
            if not function.kernel or function.body is None:
                continue
            if _inside(function.start, host) and not _inside(function.start, device):
                message = f"kernel {function.name} is not there in the host pass, which launches it"
                hint = "define it always, and test the pass inside its body"
                yield Report(function.start, function.end, message, hint, symbol=function.name)


def _dropped(directives: list[Directive], macros: dict[str, str | None]) -> list[tuple[int, int]]:
    """Byte ranges that a pass leaves out for sure; None in `macros` is one that is not defined."""
    judge = Preprocessor("dialect", {})
    judge.undefined = frozenset(name for name, value in macros.items() if value is None)
    for name, value in macros.items():
        if value is not None:
            judge.macros[name] = Macro(name, None, [Tok("num", value, 0, 0)])
    return dropped_ranges(directives, judge)


def _inside(offset: int, regions: list[tuple[int, int]]) -> bool:
    return any(a <= offset < b for a, b in regions)
