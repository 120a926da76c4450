"""Which variables of a function may change after their declaration."""

from __future__ import annotations

import re

from portgpu.lint import builtins
from portgpu.lint.nodes import Expr, Function, Stmt, Var, all_exprs, subexprs, walk
from portgpu.lint.project import Names

# Functions that take plain values, whatever else they do.
_BY_VALUE = re.compile(
    r"^(?:__\w+|(?:cuda|hip|cu)[A-Z]\w*|(?:cu|hip)(?:blas|fft|rand|sparse|solver|dnn)\w*|make_\w+|dim3|printf|min|max|move)$"
)


def changed(function: Function, names: Names) -> frozenset[Var]:
    """Variables that are assigned, stepped, or handed out by address or reference.

    A bare name that is passed to a function counts as handed out, unless the function is known to
    take it by value.
    """
    found: set[Var] = set()
    for stmt in _statements(function.body or []):
        for var in stmt.vars:
            if var.out and var.init is not None:
                _mark(var.init, found)
    for expr in all_exprs(function.body or []):
        if expr.kind in ("assign", "post") or (
            expr.kind == "unary" and expr.text in ("++", "--", "&")
        ):
            _mark(expr.args[0], found)
        elif expr.kind == "binary" and expr.text == ">>":
            _mark(expr.args[1], found)  # of a stream
        elif expr.kind == "call":
            for position, argument in enumerate(expr.arguments):
                if argument.kind == "name" and _by_reference(expr, position, names):
                    _mark(argument, found)
    return frozenset(found)


def _statements(stmts: list[Stmt]) -> list[Stmt]:
    """All statements, those of lambdas included."""
    found = list(walk(stmts))
    for expr in all_exprs(stmts):
        if expr.kind == "lambda":
            found += walk(expr.body)
    return found


def _mark(target: Expr, found: set[Var]) -> None:
    while target.kind in ("member", "index", "cast") and target.args and not target.arrow:
        target = target.args[0]
    for node in [target] if target.kind != "cond" else subexprs(target):
        if node.kind == "name" and node.var is not None:
            found.add(node.var)


def _by_reference(call: Expr, position: int, names: Names) -> bool:
    name = call.callee
    if not name or call.args[0].kind != "name":
        return True
    if _BY_VALUE.match(name) or name in builtins.MATH or "pg::" in call.args[0].text:
        return False
    known = [f for _, f in names.functions.get(name, [])]
    return not known or any(_takes_out(f.params, position) for f in known)


def _takes_out(params: list[Var], position: int) -> bool:
    """Whether the argument at a position may be changed; a pack takes all that are left."""
    if position >= len(params):
        pack = bool(params) and "..." in params[-1].type
        return not pack or params[-1].out
    return params[position].out
