"""PG2032: declarations that differ between the host pass and the device pass."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive
from portgpu.lint.rule import Context, Example, Report, Rule

_PASS = ("__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__")
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
        regions = self._regions(ctx.unit.directives)
        if not regions:
            return
        for item in ctx.unit.directives:
            qualifies = any(t.text in _QUALIFIERS for t in item.tokens[1:])
            if item.name == "define" and qualifies and _inside(item.start, regions):
                name = item.tokens[0].text
                message = f"{name} gives functions other qualifiers in each pass"
                hint = "decide by __CUDACC__ or __HIPCC__, which hold in both passes"
                yield Report(item.start, item.end, message, hint, symbol=name)
        for function in ctx.unit.declarations.functions:
            if function.kernel and function.body is not None and _inside(function.start, regions):
                message = f"kernel {function.name} is not there in the host pass, which launches it"
                hint = "define it always, and test the pass inside its body"
                yield Report(function.start, function.end, message, hint, symbol=function.name)

    def _by_pass(self, item: Directive) -> bool:
        """Whether it holds in one pass only; `!defined(ARCH) || ARCH >= 700` holds in both."""
        spelled = [t.text for t in item.tokens]
        if "!" in spelled and "||" in spelled:
            return False
        return any(text in _PASS for text in spelled)

    def _regions(self, directives: list[Directive]) -> list[tuple[int, int]]:
        """Byte ranges whose presence depends on the pass."""
        found: list[tuple[int, int]] = []
        levels: list[tuple[bool, int]] = []
        for item in directives:
            if item.name in ("if", "ifdef", "ifndef"):
                levels.append((self._by_pass(item), item.start))
            elif item.name == "endif" and levels:
                by_pass, start = levels.pop()
                if by_pass:
                    found.append((start, item.end))
        return found


def _inside(offset: int, regions: list[tuple[int, int]]) -> bool:
    return any(a <= offset < b for a, b in regions)
