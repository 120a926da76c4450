"""PG2046: atomics on half, bfloat16, double and 16-bit words."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.consts import resolve_type
from portgpu.lint.rule import Context, Example, Report, Rule

_SMALL = {"half", "__half", "half2", "__half2", "PgHalf", "__nv_bfloat16", "__nv_bfloat162",
          "nv_bfloat16", "at::Half", "c10::Half", "Half", "BFloat16", "c10::BFloat16"}  # fmt: skip
_ADDS = ("atomicAdd", "atomicMax", "atomicMin", "atomicExch", "gpuAtomicAdd", "atomicAdd_system")


class HalfAtomics(Rule):
    id = "PG2046"
    title = "Atomic operation that AMD lacks or does by a loop"
    severity = Severity.ERROR
    explain = """
HIP has no `atomicAdd` for `__half`, `__half2` and `__nv_bfloat16` before its newest headers, and no
16-bit `atomicCAS`. For float and double the safe form may be a compare-and-swap loop;
`unsafeAtomicAdd` is fast but silently wrong on fine-grained or managed memory.

`pg::atomic_add` takes all of these types and works on the containing 32-bit word where it must.
"""
    invalid = (
        Example("""
            #include <cuda_fp16.h>
            __global__ void k(__half* x, unsigned short* s, __half v) {
              atomicAdd(x, v);  // finding
              atomicAdd(&x[1], v);  // finding
              atomicCAS(s, (unsigned short)0, (unsigned short)1);  // finding
            }
        """),
        Example("""
            __global__ void k(double* x) { atomicAdd(x, 1.0); }  // finding
        """),
    )
    valid = (
        Example("""
            template <class T> __global__ void t(T* x) { atomicAdd(x, T(1)); }
            __global__ void k(float* x, int* n) { atomicAdd(x, 1.f); atomicCAS(n, 0, 1); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for expr in view.exprs:
                name = expr.callee
                if name not in (*_ADDS, "atomicCAS") or not expr.arguments:
                    continue
                if ctx.provided(name):
                    continue
                text = resolve_type(view.type(expr.arguments[0]), view.scope)
                if not text.endswith("*"):
                    continue
                kind = text[:-1].strip()
                shown = "half" if kind == "PgHalf" else kind
                if kind in _SMALL:
                    message = f"{name} on {shown} does not exist in most HIP versions"
                    yield Report(expr.start, expr.end, message, "use pg::atomic_add", symbol=name)
                elif kind in ("unsigned short", "unsigned short int") and name == "atomicCAS":
                    message = "16-bit atomicCAS does not exist in HIP"
                    hint = "swap the containing 32-bit word"
                    yield Report(expr.start, expr.end, message, hint, symbol=name)
                elif kind == "double" and name == "atomicAdd":
                    message = "atomicAdd on double is a compare-and-swap loop on AMD by default"
                    yield Report(
                        expr.start, expr.end, message, "reduce in the block first",
                        symbol=name, severity=Severity.NOTE,
                    )  # fmt: skip
