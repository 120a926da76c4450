"""Connects names in a function to the local variables they mean, by block scope."""

from __future__ import annotations

from portgpu.lint.nodes import Expr, Function, Stmt, Var


def bind(function: Function) -> None:
    """Set `var` on every name expression of the function that means a local or a parameter."""
    scope: dict[str, Var] = {v.name: v for v in [*function.templates, *function.params]}
    for var in scope.values():
        var.values = []
    for bound in function.bounds:
        _expr(bound, scope)
    _stmts(function.body or [], scope)


def _stmts(stmts: list[Stmt], scope: dict[str, Var]) -> None:
    """Statements of one block; declarations stay visible for the ones that follow."""
    for stmt in stmts:
        _stmt(stmt, scope)


def _stmt(stmt: Stmt, scope: dict[str, Var]) -> None:
    if stmt.kind == "decl":
        for var in stmt.vars:
            for dim in var.dims:
                if dim is not None:
                    _expr(dim, scope)
            if var.init is not None:
                _expr(var.init, scope)
            scope[var.name] = var
            var.values = []
        return
    inner = dict(scope) if stmt.kind != "label" else scope
    if stmt.kind == "for" and stmt.text == "range":
        for declared in stmt.init:
            for var in declared.vars:
                if stmt.expr is not None:
                    var.init = var.init or stmt.expr
    _stmts(stmt.init, inner)
    for expr in (stmt.expr, stmt.cond, stmt.step):
        if expr is not None:
            _expr(expr, inner)
    # A branch of its own scope; a macro's statements share one.
    _stmts(stmt.body, dict(inner))
    _stmts(stmt.orelse, dict(inner))


def _expr(expr: Expr, scope: dict[str, Var]) -> None:
    stack = [expr]
    while stack:
        node = stack.pop()
        if node.kind == "name":
            node.var = scope.get(node.text)
        elif node.kind == "assign" and node.text == "=" and node.args[0].kind == "name":
            target = scope.get(node.args[0].text)
            if target is not None:
                target.values.append(node.args[1])
        stack += node.args
        stack += node.targs
        if node.kind == "lambda":
            inner = dict(scope)
            for var in node.params:
                inner[var.name] = var
            _stmts(node.body, inner)
