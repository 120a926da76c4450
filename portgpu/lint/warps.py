"""Questions about lanes and warps that several rules ask."""

from __future__ import annotations

import re

from portgpu.lint import builtins
from portgpu.lint.lanes import is_thread_index
from portgpu.lint.nodes import Expr, Stmt, subexprs
from portgpu.lint.rule import FunctionView

LANE_NAME = re.compile(r"(?:^|_)(?:lane|lid)(?:$|_|id|idx)|lane_?id|laneid|^lane", re.IGNORECASE)
WARP_NAME = re.compile(r"warp|(?:^|_)wid(?:$|_)|(?:^|_)wave", re.IGNORECASE)
FULL_MASK = 0xFFFFFFFF


def has_warp_ops(view: FunctionView) -> bool:
    """Whether the function uses warp operations, itself or in what it calls."""
    return any(view.context.calls.operation(e)[0] == "warp" for e in view.exprs) or any(
        e.kind == "call" and e.callee in ("__activemask", "__syncwarp", "__lane_id")
        for e in view.exprs
    )


def exchanges_in_groups(view: FunctionView) -> bool:
    """Whether lanes exchange values in a way that a change of the lane number would break."""
    for expr in view.exprs:
        op, through = view.context.calls.operation(expr)
        if op == "warp" and (through or expr.callee in builtins.SHUFFLES or expr.args[0].targs):
            return True
    return False


def plain_literal(expr: Expr) -> bool:
    """A number written in place, not by way of a macro."""
    return expr.kind == "num" and not expr.macro


def _written_here(expr: Expr) -> bool:
    """A literal right operand, in the source or in a macro that holds the whole expression."""
    left, right = expr.args
    return right.kind == "num" and (not right.macro or right.macro == left.macro)


def lane_arithmetic(view: FunctionView, named: bool = False) -> list[tuple[Expr, str, str]]:
    """Thread index arithmetic with a literal 32, 31 or 5: (expression, lane|warp, target name).

    With `named`, constants and macros of these values count too.

    Only where a warp is meant: the result is named after lanes or warps, or the function uses
    warp operations.
    """
    found = []
    targets = _targets(view)
    warp_ops: bool | None = None
    for expr in view.exprs:
        if expr.kind != "binary" or not (named or _written_here(expr)):
            continue
        value = view.value(expr.args[1])
        role = {("&", 31): "lane", ("%", 32): "lane", ("/", 32): "warp", (">>", 5): "warp"}.get(
            (expr.text, value if value is not None else -1)
        )
        if role is None or not _is_index(expr.args[0]):
            continue
        target = targets.get(id(expr), "")
        if not (LANE_NAME.search(target) or WARP_NAME.search(target)):
            if warp_ops is None:
                warp_ops = has_warp_ops(view)
            if not warp_ops:
                continue
        found.append((expr, role, target))
    return found


def lane_strides(view: FunctionView) -> list[tuple[Expr, str]]:
    """The literal 32 in loops that start at a lane number: `for (i = lane; …; i += 32)`."""
    found = []
    for stmt in view.stmts:
        start, step = loop_start(stmt), stmt.step
        if start is None or step is None or step.kind != "assign" or step.text != "+=":
            continue
        by = step.args[1]
        counts = step.args[0].text == start[0] and plain_literal(by) and view.value(by) == 32
        if counts and any(is_lane(e, view) for e in subexprs(start[1])):
            found.append((by, start[0]))
    return found


def _is_index(expr: Expr) -> bool:
    """A thread index within the block; a global index counts too, since blocks are whole warps."""
    return is_thread_index(expr)


def _targets(view: FunctionView) -> dict[int, str]:
    """For each expression that initialises or is assigned to a variable: the variable's name."""
    found: dict[int, str] = {}
    for stmt in view.stmts:
        for var in stmt.vars:
            if var.init is not None:
                found[id(_strip(var.init))] = var.name
        if stmt.kind == "return" and stmt.expr is not None:
            found[id(_strip(stmt.expr))] = view.function.name
    for expr in view.exprs:
        if expr.kind == "assign" and expr.args[0].kind == "name":
            found[id(_strip(expr.args[1]))] = expr.args[0].text
    return found


def _strip(expr: Expr) -> Expr:
    while expr.kind == "cast" and expr.args:
        expr = expr.args[0]
    return expr


def shuffle_parts(expr: Expr) -> tuple[Expr, Expr, Expr | None] | None:
    """(value, lane or offset, width) of a shuffle call; None for anything else."""
    name = expr.callee
    if name not in builtins.SHUFFLES:
        return None
    args = expr.arguments[1:] if name.endswith("_sync") else expr.arguments
    if len(args) < 2:
        return None
    return args[0], args[1], args[2] if len(args) > 2 else None


def mask_argument(expr: Expr) -> Expr | None:
    """The participation mask of a `_sync` call."""
    if expr.callee in builtins.MASKED and expr.arguments:
        return expr.arguments[0]
    return None


def is_lane(expr: Expr, view: FunctionView) -> bool:
    """Whether a value is a lane number: named so, or a thread index reduced to a warp."""
    expr = _strip(expr)
    if expr.kind == "call":
        return expr.callee in ("lane_id", "__lane_id", "laneid", "get_lane_id")
    if expr.kind == "binary" and expr.text in ("&", "%"):
        by_name = any(WARP_NAME.search(e.text) for e in subexprs(expr.args[1]) if e.kind == "name")
        fixed = view.value(expr.args[1]) in (31, 32)
        return (by_name or fixed) and is_thread_index(expr.args[0])
    if expr.kind == "name":
        if LANE_NAME.search(expr.text):
            return True
        if expr.var is not None and expr.var.init is not None:
            return is_lane(expr.var.init, view) if expr.var.init.kind == "binary" else False
    return False


def is_warp_number(expr: Expr, view: FunctionView) -> bool:
    """Whether a value is a warp's number in its block."""
    expr = _strip(expr)
    if expr.kind == "binary" and expr.text in ("/", ">>"):
        wanted = 32 if expr.text == "/" else 5
        by_name = WARP_NAME.search(expr.args[1].text) is not None
        return is_thread_index(expr.args[0]) and (by_name or view.value(expr.args[1]) == wanted)
    if expr.kind == "name":
        if re.fullmatch(r"(?:wid|warp_?id|warp_?idx|warp|wave_?id)", expr.text, re.IGNORECASE):
            return True
        if expr.var is not None and expr.var.init is not None and expr.var.init.kind == "binary":
            return is_warp_number(expr.var.init, view)
    return False


def loop_start(stmt: Stmt) -> tuple[str, Expr] | None:
    """(variable, first value) of a counting `for`."""
    if stmt.kind != "for" or not stmt.init:
        return None
    first = stmt.init[0]
    if first.vars and first.vars[0].init is not None:
        return first.vars[0].name, first.vars[0].init
    if first.expr is not None and first.expr.kind == "assign" and first.expr.args[0].kind == "name":
        return first.expr.args[0].text, first.expr.args[1]
    return None
