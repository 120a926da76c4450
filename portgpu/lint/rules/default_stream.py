"""PG2049: work on the default stream in a function that has a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.launches import Launch, launches
from portgpu.lint.nodes import Var
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule

_STREAM = re.compile(r"\b(?:cudaStream_t|hipStream_t|CUstream|stream)\b(?!\s*\*)")
_ASYNC = re.compile(r"^(?:cuda|hip)Mem(?:cpy|set)Async$")


class DefaultStream(Rule):
    id = "PG2049"
    title = "Default stream used beside a stream of its own"
    severity = Severity.WARNING
    confidence = "likely"
    everywhere = True
    explain = """
A launch without a stream goes to the default stream, which waits for all other streams of the
context and makes them wait: in CUDA unless per-thread default streams are compiled in, in HIP
unless the other stream was created non-blocking. Code that has a stream and launches without it
leans on that order; where it does not hold, kernels race, and where it does, nothing overlaps.

Pass the stream to every launch and copy of the function.
"""
    invalid = (
        Example("""
            __global__ void k(float* x);
            void f(float* x, cudaStream_t stream) {
              k<<<1, 32>>>(x);  // finding
              check(cudaMemsetAsync(x, 0, 4));  // finding
            }
        """),
    )
    valid = (
        Example("""
            __global__ void k(float* x);
            void f(float* x, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x); }
            void g(float* x) { k<<<1, 32>>>(x); }
            void h(float* x, cudaStream_t* out) { k<<<1, 32>>>(x); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for launch in launches(ctx):
            given = self._stream(launch.view)
            # A stream that the function makes may be for another part of it.
            name = given or self._local(ctx, launch)
            if name and launch.stream is None and launch.expr.kind == "launch":
                message = f"{launch.kernel} runs on the default stream; {name} is at hand"
                hint = f"pass it: <<<grid, block, shared bytes, {name}>>>"
                yield Report(
                    launch.expr.start, launch.expr.end, message, hint, symbol=launch.kernel,
                    confidence="" if given else "hint",
                )  # fmt: skip
        for view in ctx.functions:
            name = self._stream(view)
            for expr in view.exprs if name else []:
                if _ASYNC.match(expr.callee):
                    wanted = 4 if "Memcpy" in expr.callee else 3
                    if len(expr.arguments) == wanted:
                        message = f"{expr.callee} runs on the default stream; {name} is at hand"
                        yield Report(expr.start, expr.end, message, f"add {name} as last argument")

    def _local(self, ctx: Context, launch: Launch) -> str:
        """A stream of the function that was made before, and is used by another launch."""
        for other in launches(ctx):
            if other.view is not launch.view or other.stream is None:
                continue
            var = other.stream.var
            if var is not None and _fits(var) and var.start < launch.expr.start:
                return var.name
        return ""

    def _stream(self, view: FunctionView) -> str:
        for var in view.function.params:
            if _fits(var):
                return var.name
        return ""


def _fits(var: Var) -> bool:
    return bool(var.name and _STREAM.search(var.type) and "*" not in var.type and not var.dims)
