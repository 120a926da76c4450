"""PG2045: half and bfloat16 mixed with other arithmetic types."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.consts import resolve_type
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule

_HALF = {"half", "__half", "PgHalf", "__nv_bfloat16", "nv_bfloat16", "__hip_bfloat16",
         "hip_bfloat16", "bfloat16"}  # fmt: skip
_OTHER = {
    "float",
    "double",
    "int",
    "unsigned int",
    "unsigned",
    "long long",
    "bool",
    "size_t",
    "long",
}
_OPERATORS = ("+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=")
_CALLS = ("min", "max", "fmin", "fmax", "pow", "atan2")


class HalfAmbiguity(Rule):
    id = "PG2045"
    title = "half or bfloat16 mixed with another arithmetic type"
    severity = Severity.WARNING
    confidence = "likely"
    explain = """
Which operators exist between `__half` or `__nv_bfloat16` and float, double or int depends on the
header, its version and on macros such as `__CUDA_NO_HALF_OPERATORS__`. The same expression is
computed in half on one side, in float on the other, or is ambiguous and does not compile; ternaries
and `max(h, 0.f)` are common cases.

Convert explicitly: `__half2float(h) * 2.f`, in the dialect `pg::to_float(h)` and
`pg::from_float<T>(f)`.
"""
    invalid = (
        Example("""
            #include <cuda_fp16.h>
            __device__ float f(__half h, float x) {
              if (h > 0.0f) return 1;  // finding
              return h * x;  // finding
            }
        """),
    )
    valid = (
        # A class of the project.
        Example("""
            struct half { float v; half operator*(float) const; };
            __device__ half f(half h, float x) { return h * x; }
        """),
        Example("""
            #include <cuda_fp16.h>
            __device__ float f(__half h, __half g, float x) {
              __half p = h * g;
              return __half2float(p) * x + float(h) * 2;
            }
            template <class half> __device__ float g(half h, float x) { return h * x; }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            for expr in view.exprs:
                pair = self._operands(expr)
                if pair is None or expr.macro:
                    continue
                kinds = [self._kind(view, e) for e in pair]
                if set(kinds) == {"half", "other"}:
                    half = pair[kinds.index("half")]
                    message = (
                        f"`{ctx.text(half)}` has 16 bits and is mixed with another arithmetic type"
                    )
                    yield Report(expr.start, expr.end, message, "convert to float explicitly")

    def _operands(self, expr: Expr) -> tuple[Expr, Expr] | None:
        if expr.kind == "binary" and expr.text in _OPERATORS:
            return expr.args[0], expr.args[1]
        if expr.kind == "cond":
            return expr.args[1], expr.args[2]
        if expr.kind == "call" and expr.callee in _CALLS and len(expr.arguments) == 2:
            return expr.arguments[0], expr.arguments[1]
        return None

    def _kind(self, view: FunctionView, expr: Expr) -> str:
        text = view.type(expr)
        if text in {t.name for t in view.function.templates}:
            return ""
        text = resolve_type(text, view.scope)
        records = view.context.names.records
        if text in records or (text == "PgHalf" and records & {"half", "__half"}):
            return ""
        return "half" if text in _HALF else "other" if text in _OTHER else ""
