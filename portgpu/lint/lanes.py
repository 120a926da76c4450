"""Thread indices taken apart: a lane's number plus an offset that whole groups of lanes share."""

from __future__ import annotations

import math
from collections.abc import Callable

from portgpu.lint import builtins
from portgpu.lint.binding import bind
from portgpu.lint.consts import literal
from portgpu.lint.nodes import Expr, walk
from portgpu.lint.project import Names

Value = Callable[[Expr], int | None]
_DEEPEST = 12
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_INDEX = ("threadIdx", "blockIdx", "gridDim", "blockDim")


def written(expr: Expr) -> int | None:
    """The value of a literal; None for anything else."""
    return literal(expr.text) if expr.kind == "num" else None


def split(expr: Expr, value: Value, cut: bool = True, depth: int = 0) -> tuple[bool, int] | None:
    """(is the thread's number added, largest known divisor of the rest); None when it is neither.

    A divisor of 0 means that the rest is a multiple of every size in question: zero, or a product
    with a block dimension or with a size that cannot be told. With `cut`, the thread's number may
    have been reduced by `%` or `&`.
    """
    if depth > _DEEPEST:
        return None
    known = value(expr)
    if known is not None:
        return False, abs(known)
    inner = _bare(expr)
    if inner is not expr:
        return split(inner, value, cut, depth + 1)
    if expr.kind == "name":
        init = expr.var.init if expr.var is not None else None
        return (False, 1) if init is None else split(init, value, cut, depth + 1)
    if expr.kind == "member":
        base = expr.args[0]
        if base.kind != "name" or base.text not in _INDEX:
            return False, 1
        if base.text == "threadIdx" and expr.text == "x":
            return True, 0
        return False, 0 if base.text == "blockDim" else 1
    if expr.kind == "call" and expr.callee in ("thread_rank", "linear_tid"):
        return True, 0
    if expr.kind == "binary":
        return _binary(expr, value, cut, depth)
    return False, 1


def _binary(expr: Expr, value: Value, cut: bool, depth: int) -> tuple[bool, int] | None:
    left = split(expr.args[0], value, cut, depth + 1)
    right = split(expr.args[1], value, cut, depth + 1)
    if left is None or right is None:
        return None
    operator = expr.text
    if operator in ("+", "-", "|"):
        if right[0] and (left[0] or operator == "-"):
            return None
        return left[0] or right[0], math.gcd(left[1], right[1])
    if operator == "*" and not left[0] and not right[0]:
        factors = zip(expr.args, (left[1], right[1]), strict=True)
        return False, math.prod(0 if _size(arg, value) else part for arg, part in factors)
    if not left[0]:
        shift = value(expr.args[1]) if operator == "<<" else None
        if shift is not None and 0 <= shift < 32:
            return False, left[1] << shift
        return None if right[0] else (False, 1)
    # What `%` takes away is a multiple of its right side.
    modulus = _modulus(expr, value) if cut else 0
    return (True, math.gcd(left[1], modulus)) if modulus else None


def _bare(expr: Expr) -> Expr:
    """The expression without casts around it, `int64_t(x)` included."""
    while True:
        if expr.kind == "cast" and expr.args:
            expr = expr.args[0]
        elif expr.kind == "call" and len(expr.arguments) == 1 and expr.callee.endswith("_t"):
            expr = expr.arguments[0]
        else:
            return expr


def _modulus(expr: Expr, value: Value) -> int:
    """M of `x % M` or `x & (M - 1)`; 0 for anything else."""
    known = value(expr.args[1])
    if known is None or known <= 0:
        return 0
    if expr.text == "&":
        return known + 1 if known & (known + 1) == 0 else 0
    return known if expr.text == "%" else 0


def _size(expr: Expr, value: Value) -> bool:
    """Whether a factor is a size that cannot be told: a parameter, a template's constant."""
    expr = _bare(expr)
    if value(expr) is not None:
        return False
    if expr.kind == "name":
        return expr.var is None or expr.var.init is None
    indexed = expr.kind == "member" and expr.args[0].kind == "name" and expr.args[0].text in _INDEX
    return expr.kind in ("call", "member") and not indexed


def is_thread_index(expr: Expr, value: Value = written) -> bool:
    """Whether a value is a thread's number: threadIdx.x, or that plus multiples of whole warps."""
    found = split(expr, value, cut=False)
    return found is not None and found[0] and found[1] % 32 == 0


def group_of(expr: Expr, value: Value) -> int | None:
    """In groups of how many lanes an index expression is the same: 1, 2, 4 … 32.

    Understands a thread's number divided, shifted, masked or bounded by a constant, and
    `i - i % size`.
    0 when it is divided by a size that cannot be told; None when it is something else.
    """
    operator, (first, second) = expr.text, expr.args
    if operator in _MIRRORED and value(first) is not None:
        operator, first, second = _MIRRORED[operator], second, first
    left = split(first, value)
    if left is None or not left[0]:
        return None
    size = value(second)
    if operator in _MIRRORED:
        if size is None and by_template(second) and left[1] % 32 == 0:
            return 32  # a count of threads that the author chose: whole warps
        if size is None or size < 0:
            return None
        return math.gcd(size + (operator in ("<=", ">")), left[1], 32)
    if operator == "-":
        rest = _bare(second)
        if rest.kind != "binary" or repr(rest.args[0]) != repr(first):
            return None
        size = _modulus(rest, value)
        if not size:
            return None
    elif operator == "&":
        if not size:
            return None
        size &= -size
    elif operator == ">>":
        if size is not None:
            size = 1 << min(max(size, 0), 5)
    elif operator != "/":
        return None
    if size is None:
        return 0 if left[1] % 32 == 0 else None
    return math.gcd(size, left[1], 32)


def by_template(expr: Expr) -> bool:
    """Whether a value is a template's parameter."""
    var = _bare(expr).var if expr.kind in ("name", "cast") else None
    return var is not None and var.template


def produces_mask(expr: Expr, names: Names, depth: int = 0) -> bool:
    """Whether a value is a set of lanes: a ballot or match, or a variable that holds one."""
    expr = _bare(expr)
    if expr.kind == "call":
        if expr.callee in builtins.LANE_MASKS or expr.qualified in ("pg::ballot", "pg::match_any"):
            return True
        return expr.args[0].kind == "name" and _returns_mask(expr.callee, names)
    if expr.kind == "name" and expr.var is not None and depth < 4:
        init = [expr.var.init] if expr.var.init is not None else []
        return any(produces_mask(v, names, depth + 1) for v in [*init, *expr.var.values[:4]])
    if expr.kind == "binary" and expr.text in ("&", "|", "^"):
        return any(produces_mask(a, names, depth + 1) for a in expr.args)
    if expr.kind == "cond":
        return any(produces_mask(a, names, depth + 1) for a in expr.args[1:])
    if expr.kind == "unary" and expr.text == "~":
        return produces_mask(expr.args[0], names, depth + 1)
    return False


def _returns_mask(name: str, names: Names) -> bool:
    """Whether a function of the project returns a set of lanes."""
    if name not in names.masks:
        names.masks[name] = False  # while one is looked into
        for _, function in names.functions.get(name, [])[:3]:
            if function.body and function.device:
                bind(function)
                results = [s.expr for s in walk(function.body) if s.kind == "return"]
                if any(r is not None and produces_mask(r, names) for r in results):
                    names.masks[name] = True
    return names.masks[name]
