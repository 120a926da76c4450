"""PG2024: dynamic shared memory beyond a vendor's limit."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.launches import launches
from portgpu.lint.nodes import Directive
from portgpu.lint.rule import Context, Example, Report, Rule

_OPT_IN = ("cudaFuncSetAttribute", "hipFuncSetAttribute", "cuFuncSetAttribute")
_MOST = 160 * 1024  # gfx950
_SIZE = "MaxDynamicSharedMemorySize"


class SharedDynamic(Rule):
    id = "PG2024"
    title = "Dynamic shared memory beyond a vendor's limit"
    severity = Severity.ERROR
    everywhere = True
    explain = """
NVIDIA gives a block up to 48 KiB of dynamic shared memory, and more (99 to 227 KiB, by
architecture) after `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, n)`.
AMD gives 64 KiB without any opt-in and never more (160 KiB on MI350). A launch over 48 KiB without
the opt-in fails on NVIDIA; one over 64 KiB fails on AMD whatever is set.
"""
    invalid = (
        Example("""
            extern __shared__ char s[];
            __global__ void k(float* x) { x[0] = s[0]; }
            void f(float* x) { k<<<1, 256, 50 * 1024>>>(x); }  // finding
        """),
        Example("""
            __global__ void k(float* x);
            void f(float* x) {
              const auto what = cudaFuncAttributeMaxDynamicSharedMemorySize;
              cudaFuncSetAttribute(k, what, 98304);
              k<<<1, 256, 98304>>>(x);  // finding
            }
        """),
    )
    valid = (
        Example("""
            __global__ void k(float* x);
            void f(float* x, int n) {
              cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024);
              k<<<1, 256, 60 * 1024>>>(x);
              k<<<1, 256, n * 4>>>(x);
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        opted = any(
            not isinstance(t, Directive) and t.text in _OPT_IN for t in ctx.unit.scanned.items
        )
        for launch in launches(ctx):
            size = launch.view.value(launch.shared) if launch.shared is not None else None
            if launch.shared is None or size is None:
                continue
            where = launch.shared.start, launch.shared.end
            if size > 65536:
                message = f"{size} bytes of shared memory; AMD has 65536 a block"
                # HIP code may be for the one GPU that has more.
                sure = ctx.mode != "hip" or size > _MOST
                if not sure:
                    message += f", and {_MOST} on gfx950 alone"
                yield Report(
                    *where, message, "use a smaller tile on AMD", symbol=launch.kernel,
                    confidence="certain" if sure else "likely",
                )  # fmt: skip
            elif size > 49152 and not opted and ctx.mode != "hip":
                message = (
                    f"{size} bytes of shared memory without the opt-in that NVIDIA wants over 49152"
                )
                hint = "call cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize"
                yield Report(*where, message, hint, symbol=launch.kernel)
        for view in ctx.functions:
            for expr in view.exprs:
                if expr.callee not in _OPT_IN or len(expr.arguments) < 3:
                    continue
                value = view.value(expr.arguments[2])
                if _SIZE in expr.arguments[1].text and value is not None and value > 65536:
                    message = f"opt-in to {value} bytes of shared memory; AMD has 65536 a block"
                    yield Report(expr.start, expr.end, message, "use a smaller tile on AMD")
