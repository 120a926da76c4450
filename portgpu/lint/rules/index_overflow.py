"""PG2025: products computed in 32 bits and used as 64."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr, Var, subexprs
from portgpu.lint.rule import Context, Example, Fix, FunctionView, Report, Rule

_SHARED = re.compile(r"sh(?:ared)?_?mem|smem|shm|shared|lds", re.IGNORECASE)
_SMALL = re.compile(
    r"thread|block_?(?:dim|size)|warp|lane|tile|unroll|^(?:vec|pack|items|num_?heads?|nwarps?)",
    re.IGNORECASE,
)
_SIZES = {"Malloc": 1, "MallocHost": 1, "MallocManaged": 1, "MallocAsync": 1, "HostAlloc": 1,
          "Memcpy": 2, "MemcpyAsync": 2, "Memset": 2, "MemsetAsync": 2}  # fmt: skip
_CONSTANT = re.compile(r"(?:^|::)(?:k[A-Z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)$")
_PLAIN = re.compile(r"^(?:std::)?(?:size_t|ptrdiff_t|u?int64_t|u?intptr_t)$")


class IndexOverflow(Rule):
    id = "PG2025"
    title = "Product computed in 32 bits before it is widened"
    severity = Severity.WARNING
    confidence = "likely"
    everywhere = True
    explain = """
`size_t(rows * cols)` and `rows * cols * sizeof(float)` multiply two `int`s first: beyond 2^31
elements the product has overflowed before it becomes 64 bits wide. GPUs of both vendors now hold
arrays of that size (80 to 256 GB), so that sizes are cut and indices point elsewhere, without an
error.

Widen a factor, not the product: `size_t(rows) * cols`. Products with a constant or with a size that
is small by its nature (a block's threads, a tile, a template's argument) are not reported.
"""
    invalid = (
        Example(
            """
            void f(int rows, int cols, float** p) {
              size_t n = (size_t)(rows * cols);  // finding
              cudaMalloc(p, rows * cols * sizeof(float));  // finding
            }
        """,
            fixed="""
            void f(int rows, int cols, float** p) {
              size_t n = (size_t)rows * cols;  // finding
              cudaMalloc(p, (size_t)rows * cols * sizeof(float));  // finding
            }
        """,
        ),
        Example(
            """
            size_t count(int rows, int cols) { return rows * cols; }  // finding
            void f(int rows, int cols, float* p) {
              size_t n = rows * cols;  // finding
              int64_t at = rows * cols + cols;  // finding
              check(cudaMemset(p, 0, rows * cols));  // finding
            }
            """,
            fixed="""
            size_t count(int rows, int cols) { return (size_t)rows * cols; }  // finding
            void f(int rows, int cols, float* p) {
              size_t n = (size_t)rows * cols;  // finding
              int64_t at = (int64_t)rows * cols + cols;  // finding
              check(cudaMemset(p, 0, (size_t)rows * cols));  // finding
            }
            """,
        ),
        Example("""
            __global__ void k(float* x, int stride) {
              long long at = static_cast<long long>(blockIdx.x * stride);  // finding
              x[at] = 0;
            }
        """),
    )
    valid = (
        Example("""
            size_t count(int rows, int cols) { return size_t(rows) * cols; }
            __global__ void k(float* x, size_t n, int64_t stride) {
              size_t i = blockIdx.x * blockDim.x + threadIdx.x;
              int64_t at = blockIdx.x * stride;
              if (i < n) x[i + at] = 0;
            }
            template <int TILE> void g(int rows) { size_t n = rows * TILE; use(n); }
            void f(int rows, size_t cols, float** p) {
              size_t n = (size_t)rows * cols;
              cudaMalloc(p, rows * cols * sizeof(float));
              cudaMalloc(p, 16 * rows * sizeof(float));
              size_t m = size_t(4 * rows);
              size_t shared_bytes = rows * rows * sizeof(float);
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            small = _shared_sizes(view)
            for widened in _widened(view):
                expr = widened.expr
                if expr.macro or any(a <= expr.start < b for a, b in small):
                    continue
                if not self._overflows(view, expr):
                    continue
                yield self._report(ctx, view, widened)

    def _report(self, ctx: Context, view: FunctionView, widened: _Widened) -> Report:
        expr, text = widened.expr, ctx.text(widened.expr)
        fix = self._fix(ctx, view, widened)
        if widened.by == "sizeof":
            message = f"`{text}` is computed in 32 bits before sizeof widens it"
            hint = "widen the first factor: size_t(a) * b * sizeof…"
        else:
            message = f"`{text}` is computed in 32 bits and widened afterwards"
            hint = "widen a factor, not the product"
        where = widened.whole or expr
        return Report(where.start, where.end, message, hint, fix)

    def _fix(self, ctx: Context, view: FunctionView, widened: _Widened) -> Fix:
        data, expr = ctx.unit.data, widened.expr
        parenthesised = data[expr.start : expr.start + 1] == b"("
        if widened.by == "cast":
            assert widened.whole is not None
            source = data[widened.whole.start : expr.start]
            # `(T)(a * b)` becomes `(T)a * b`, unless something binds tighter behind it.
            after = data[expr.end : expr.end + 2].strip()[:1]
            if (
                source.startswith(b"(")
                and parenthesised
                and after in (b";", b",", b")", b"+", b"]")
            ):
                bare = data[expr.start + 1 : expr.end - 1].decode("latin-1").strip()
                return ctx.edit(expr.start, expr.end, bare)
            return ()
        first = expr
        while first.kind == "binary" and first.text in ("*", "+", "-"):
            if first.text == "*" and not self._overflows(view, first.args[0]):
                break
            first = first.args[0]
        simple = first.kind == "binary" and self._overflows(view, first)
        if parenthesised or not simple or not _PLAIN.match(widened.type) or first.macro:
            return ()
        factor = first.args[0]
        if data[factor.start : factor.start + 1] == b"(" or factor.kind in ("binary", "cond"):
            return ()
        return ctx.edit(factor.start, factor.start, f"({widened.type})")

    def _overflows(self, view: FunctionView, expr: Expr) -> bool:
        """Whether a 32-bit value holds a product of two sizes that nothing bounds."""
        whole = view.int_type(expr)
        if expr.kind != "binary" or whole is None or whole[0] != 32:
            return False
        if view.value(expr) is not None:
            return False
        if expr.text == "*":
            if not any(_bounded(view, arg) for arg in expr.args):
                return all(view.int_type(arg) is not None for arg in expr.args)
            return any(self._overflows(view, arg) for arg in expr.args)
        return expr.text in ("+", "-") and any(self._overflows(view, arg) for arg in expr.args)


@dataclass(frozen=True, slots=True)
class _Widened:
    """A 32-bit expression that becomes 64 bits wide; `by` is cast, sizeof or empty."""

    expr: Expr
    type: str
    by: str = ""
    whole: Expr | None = None  # what is reported instead of `expr`


def _widened(view: FunctionView) -> Iterator[_Widened]:
    """The places where values are widened: casts, declarations, assignments, arguments, sums."""

    def wide(text: str) -> bool:
        return (view.int_of(text) or (0, False))[0] == 64

    for stmt in view.stmts:
        for var in stmt.vars:
            if var.init is not None and not var.dims and wide(var.type):
                yield _Widened(var.init, var.type)
        if stmt.kind == "return" and stmt.expr is not None and wide(view.function.returns):
            yield _Widened(stmt.expr, view.function.returns)
    for expr in view.exprs:
        if expr.kind == "cast" and expr.args and wide(expr.text):
            yield _Widened(expr.args[0], expr.text, "cast", expr)
        elif expr.kind == "assign" and expr.text in ("=", "+=", "-="):
            target = view.type(expr.args[0])
            if wide(target):
                yield _Widened(expr.args[1], "size_t" if target == "unsigned long" else target)
        elif expr.kind == "binary" and expr.text in ("*", "+", "-"):
            for arg, other in (expr.args, expr.args[::-1]):
                if other.kind == "sizeof":
                    yield _Widened(arg, "size_t", "sizeof", expr if arg is expr.args[0] else None)
                elif wide(view.type(other)) and _has_wide(other, view, wide):
                    yield _Widened(arg, "")
        elif expr.kind == "call":
            yield from _arguments(view, expr, wide)


def _has_wide(expr: Expr, view: FunctionView, wide: Callable[[str], bool]) -> bool:
    """Whether a value is wide by more than a `sizeof` in it, which says that it is small."""
    if not any(e.kind == "sizeof" for e in subexprs(expr)):
        return True
    leaves = [e for e in subexprs(expr) if e.kind in ("name", "member", "call", "cast", "index")]
    return any(wide(view.type(e)) for e in leaves)


def _arguments(view: FunctionView, call: Expr, wide: Callable[[str], bool]) -> Iterator[_Widened]:
    name = call.callee
    size = _SIZES.get(re.sub("^(?:cuda|hip)", "", name))
    known = [f for _, f in view.context.names.functions.get(name, [])]
    for position, argument in enumerate(call.arguments):
        types = {f.params[position].type if position < len(f.params) else "" for f in known}
        if position == size or (name == "malloc" and position == 0):
            yield _Widened(argument, "size_t")
        elif len(types) == 1 and wide(text := types.pop()):
            yield _Widened(argument, text)


def _bounded(view: FunctionView, expr: Expr, depth: int = 0) -> bool:
    """Whether a factor is small by what it is: a constant, a block's size, a few bits."""
    if depth > 6 or view.value(expr) is not None:
        return depth <= 6
    if expr.kind == "name":
        var: Var | None = expr.var
        if var in view.function.templates or _SMALL.search(expr.text):
            return True
        if (var is not None and "constexpr" in var.quals) or _CONSTANT.search(expr.text):
            return True  # of a trait, or of a header that is not here
        bits = view.int_type(expr)
        if bits is not None and bits[0] < 32:
            return True
        if var is None or var.init is None or var in view.function.params:
            return False
        return view.scope.fixed(var) and _bounded(view, var.init, depth + 1)
    if expr.kind == "member":
        base = expr.args[0].text
        return base in ("threadIdx", "blockDim") or _SMALL.search(expr.text) is not None
    if expr.kind == "binary":
        if expr.text in ("%", "&"):
            return any(_bounded(view, arg, depth + 1) for arg in expr.args[1:])
        if expr.text in ("*", "+", "-", "/", ">>"):
            return all(_bounded(view, arg, depth + 1) for arg in expr.args)
    if expr.kind in ("cast", "unary", "cond"):
        args = expr.args[1:] if expr.kind == "cond" else expr.args
        return all(_bounded(view, arg, depth + 1) for arg in args)
    if expr.kind in ("call", "index"):
        bits = view.int_type(expr)
        narrow = bits is not None and bits[0] < 32
        return narrow or _SMALL.search(expr.callee or "") is not None
    return expr.kind in ("sizeof", "num", "char")


def _shared_sizes(view: FunctionView) -> list[tuple[int, int]]:
    """Spans of expressions that count bytes of shared memory, by the name they are given."""
    spans = []
    for stmt in view.stmts:
        for var in stmt.vars:
            if var.init is not None and _SHARED.search(var.name):
                spans.append((var.init.start, var.init.end))
        done = stmt.expr
        if done is not None and done.kind == "assign" and _SHARED.search(done.args[0].text):
            spans.append((done.start, done.end))
    for expr in view.exprs:
        if expr.kind == "launch":
            spans.append((expr.args[1].start, expr.args[1].end))
    return spans
