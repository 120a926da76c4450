"""How much a value varies between the threads of a block.

Levels: UNIFORM (same in the block) < UNKNOWN < WARP (same in 32 neighbouring lanes, may differ
between warps) < GROUP (same in aligned groups of 16 lanes, or of an unknown size) < the same for
8, 4 and 2 lanes (`group_level`) < LANE (differs from lane to lane). The level of an expression is
the highest level of its parts; variables take the highest level of everything assigned to them,
including the conditions under which that happens. Memory read at a uniform place is uniform.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from portgpu.lint import builtins
from portgpu.lint.binding import bind
from portgpu.lint.consts import Scope, evaluate
from portgpu.lint.lanes import group_of, split
from portgpu.lint.nodes import Expr, Function, Stmt, Var, words
from portgpu.lint.project import Names

UNIFORM, UNKNOWN, WARP, GROUP, LANE = 0, 1, 2, 3, 7
_WARP_SIZE = re.compile(r"(?:warp|wave|wavefront)_?size|warp_?threads", re.IGNORECASE)
_AGREEING = re.compile(
    r"reduce|(?:^|_)(?:all|any|sum|broadcast|shfl)(?:$|_)|AllReduce|WarpReduce", re.IGNORECASE
)
_INDEX = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_LANE_CALLS = words("lane_id thread_rank laneid LaneId clock clock64 num_threads_lane")
_WARP_CALLS = frozenset(["warp_id", "meta_group_rank", "WarpId"])
_WARP_RESULT = builtins.VOTES | builtins.REDUCES | {
    "ballot", "any", "all", "warp_reduce", "warp_sum", "warp_min", "warp_max", "warp_prod",
}  # fmt: skip


def group_level(lanes: int) -> int:
    """The level of what is the same in aligned groups of `lanes` lanes; 0 for an unknown size."""
    if lanes == 0:
        return GROUP
    return LANE + 1 - min(lanes, 32).bit_length()


class Levels:
    """Levels of one function's variables and expressions."""

    def __init__(
        self,
        function: Function,
        names: Names,
        scope: Scope,
        depth: int = 0,
        given: tuple[int, ...] = (),  # levels of the arguments; parameters are UNKNOWN without
    ) -> None:
        self.function = function
        self.names = names
        self.scope = scope
        self.depth = depth
        self.vars: dict[Var, int] = {}
        self.fields: dict[Var, dict[str, int]] = {}  # of variables that are filled by parts
        # Variables that also take the result of a warp or block operation: a value that was made
        # the same for all lanes. Without an order of assignments nothing is certain about them.
        self.agreed: set[Var] = set()
        start = UNIFORM if function.kernel else UNKNOWN
        for position, param in enumerate(function.params):
            self.vars[param] = given[position] if position < len(given) else start
        for param in function.templates:
            self.vars[param] = UNIFORM
        # Where each variable is written, so that a condition above is not blamed for it.
        self._first = dict(self.vars)
        self._writes: dict[Var, dict[int, int]] = {}
        self._place: tuple[int, tuple[tuple[int, int], ...]] | None = None
        self.returned = UNIFORM
        self.returned_fields: list[dict[str, int] | None] = []
        for _ in range(5):
            before = dict(self.vars), repr(self.fields)
            self.returned = UNIFORM
            self.returned_fields = []
            self._stmts(function.body or [], UNIFORM)
            if before == (self.vars, repr(self.fields)):
                break

    # -- statements ------------------------------------------------------------------------------
    def _stmts(self, stmts: list[Stmt], guard: int) -> None:
        for stmt in stmts:
            self._stmt(stmt, guard)

    def _stmt(self, stmt: Stmt, guard: int) -> None:
        self._stmts(stmt.init, guard)
        inner = guard
        if stmt.cond is not None:
            self._effects(stmt.cond, guard)
            if stmt.kind != "decl":
                inner = max(guard, self.level(stmt.cond))
        if stmt.kind == "for" and stmt.text == "range" and stmt.expr is not None:
            for declared in stmt.init:
                for var in declared.vars:
                    self._raise(var, max(guard, self.level(stmt.expr)))
        for var in stmt.vars:
            level = UNIFORM
            if var.init is not None:
                self._effects(var.init, guard)
                parts = self._parts(var.init)
                level = UNIFORM if parts else self.level(var.init)
                for name, part in (parts or {}).items():
                    self._raise_field(var, name, part)
            # A declaration under a condition lives only there: the condition adds nothing.
            self._raise(var, level)
            self._first[var] = max(level, self._first.get(var, UNIFORM))
        if stmt.expr is not None:
            if stmt.kind == "asm":
                self._asm(stmt, guard)
            else:
                self._effects(stmt.expr, guard)
            if stmt.kind == "return":
                self.returned = max(self.returned, self.level(stmt.expr))
                self.returned_fields.append(self._parts(stmt.expr))
        self._stmts(stmt.body, inner)
        self._stmts(stmt.orelse, inner)
        if stmt.step is not None:
            self._effects(stmt.step, inner if stmt.kind != "for" else guard)

    def _asm(self, stmt: Stmt, guard: int) -> None:
        level = LANE if any(r in stmt.text for r in ("%laneid", "%tid", "%lanemask")) else UNKNOWN
        assert stmt.expr is not None
        for operand in stmt.expr.args:
            if operand.kind == "assign":
                self._assign(operand.args[0], max(level, guard), stmt.start)

    def _effects(self, expr: Expr, guard: int) -> None:
        """Assignments inside an expression."""
        stack = [expr]
        while stack:
            node = stack.pop()
            if node.kind == "assign":
                level = max(self._reach(node.args[0], guard), self.level(node.args[1]))
                if node.text == "=" and self._agrees(node.args[1]) and node.args[0].var:
                    self.agreed.add(node.args[0].var)
                self._assign(node.args[0], level, node.start)
            elif node.kind == "post" or (node.kind == "unary" and node.text in ("++", "--")):
                self._assign(node.args[0], guard, node.start)
            elif node.kind == "call":
                # An argument passed by address or reference may come back changed.
                for argument in node.arguments:
                    if argument.kind == "unary" and argument.text == "&":
                        self._assign(argument.args[0], max(guard, UNKNOWN), node.start)
                self._handed_out(node, guard)
            stack += node.args
            if node.kind == "lambda":
                self._stmts(node.body, guard)

    def _reach(self, target: Expr, guard: int) -> int:
        """What a condition adds to an assignment under it.

        A reference may be to shared memory, which one thread fills for all.
        """
        var = target.var if target.kind == "name" else None
        shared = var is not None and var in self.function.params and "&" in var.type
        return min(guard, UNKNOWN) if shared else guard

    def _handed_out(self, call: Expr, guard: int) -> None:
        """What a called function leaves in the variables that it takes by reference."""
        if call.args[0].kind != "name" or self.depth >= 3:
            return
        for _, function in self.names.functions.get(call.callee, [])[:3]:
            changes = [
                p < len(function.params) and function.params[p].out
                for p in range(len(call.arguments))
            ]  # fmt: skip
            if function.body is None or function is self.function or not any(changes):
                continue
            given = tuple(map(self.level, call.arguments))
            left = self._analysed(function, given).parameters
            for argument, level, change in zip(call.arguments, left, changes, strict=False):
                if change and level >= 0:
                    self._assign(argument, max(guard, level), call.start)

    def _assign(self, target: Expr, level: int, start: int) -> None:
        while target.kind in ("index", "member", "unary", "cast") and target.args:
            if target.kind == "index":
                base = target.args[0]
                local = base.kind == "name" and base.var is not None and base.var.dims
                if not local:
                    return
            elif target.kind == "unary" or target.arrow:
                return
            elif target.kind == "member":
                var = target.args[0].var if target.args[0].kind == "name" else None
                if var is not None and var in self.vars:
                    # What a reference means may be shared memory, the same for all.
                    known = UNKNOWN if "&" in var.type else level
                    self._raise_field(var, target.text, min(level, known))
                    return
            target = target.args[0]
        if target.kind == "name" and target.var is not None:
            init = target.var.init
            elsewhere = "&" in target.var.type and init is not None and init.kind != "name"
            level = min(level, UNKNOWN) if elsewhere else level
            self._raise(target.var, level)
            writes = self._writes.setdefault(target.var, {})
            writes[start] = max(level, writes.get(start, UNIFORM))

    def _raise_field(self, var: Var, name: str, level: int) -> None:
        fields = self.fields.setdefault(var, {})
        fields[name] = max(level, fields.get(name, UNIFORM))

    def _parts(self, expr: Expr) -> dict[str, int] | None:
        """Levels by field of a value that was filled by parts; None when it was not."""
        if expr.kind == "name" and expr.var is not None and expr.var in self.fields:
            whole = self.vars.get(expr.var, UNIFORM)
            return {name: max(whole, part) for name, part in self.fields[expr.var].items()}
        if expr.kind == "call" and expr.args[0].kind == "name" and self.depth < 3:
            known = self.names.functions.get(expr.callee, [])
            if len(known) == 1 and known[0][1].body and known[0][1] is not self.function:
                given = tuple(map(self.level, expr.arguments))
                return self._analysed(known[0][1], given).fields
        return None

    def _raise(self, var: Var, level: int) -> None:
        if "__shared__" in var.quals or "static" in var.quals:
            level = UNIFORM
        if level > self.vars.get(var, -1):
            self.vars[var] = level

    # -- expressions -----------------------------------------------------------------------------
    def _agrees(self, expr: Expr) -> bool:
        name = expr.callee
        return name in builtins.WARP_OPS or bool(name and _AGREEING.search(name))

    def level_at(self, expr: Expr, loops: tuple[tuple[int, int], ...]) -> int:
        """The level of a value where it stands, inside loops of these spans.

        What is written further down, and not in a loop around both, does not count.
        """
        self._place = expr.start, loops
        try:
            return self.level(expr)
        finally:
            self._place = None

    def _known(self, var: Var) -> int:
        level = self.vars.get(var, UNIFORM)
        first = self._first.get(var)
        if self._place is None or first is None or "__shared__" in var.quals:
            return level
        here, loops = self._place
        before = [
            value
            for start, value in self._writes.get(var, {}).items()
            if start <= here or any(a <= start < b for a, b in loops)
        ]
        return min(level, max([first, *before]))

    def level(self, expr: Expr) -> int:
        """The level of an expression's value."""
        kind = expr.kind
        if kind in ("num", "str", "char", "sizeof", "lambda"):
            return UNIFORM
        if kind == "name":
            if expr.var is not None:
                parts = self.fields.get(expr.var, {})
                level = max([self._known(expr.var), *parts.values()])
                return min(level, UNKNOWN) if expr.var in self.agreed else level
            return UNKNOWN if expr.text == "this" else UNIFORM
        if kind == "member":
            return self._member(expr)
        if kind == "binary":
            return self._binary(expr)
        if kind == "assign":
            return self.level(expr.args[1])
        if kind == "call":
            return self._call(expr)
        if kind == "raw":
            return max([UNKNOWN, *map(self.level, expr.args)])
        return max((self.level(arg) for arg in expr.args), default=UNIFORM)

    def _member(self, expr: Expr) -> int:
        base = expr.args[0]
        if base.kind == "name" and base.text in _INDEX:
            if base.text != "threadIdx":
                return UNIFORM
            return LANE if expr.text == "x" else WARP
        if base.kind == "name" and base.var is not None and base.var in self.fields:
            part = self.fields[base.var].get(expr.text, UNIFORM)
            return max(part, self._known(base.var))
        return self.level(base)

    def _binary(self, expr: Expr) -> int:
        left, right = expr.args
        on_left, on_right = self.level(left), self.level(right)
        level = max(on_left, on_right)
        if level < GROUP:
            return level
        operator = expr.text
        if operator in ("<", "<=", ">", ">=", "==", "!=", "-"):
            # `base + tid < end + tid`: what differs between lanes cancels.
            terms = self._lane_terms(left)
            if terms and terms == self._lane_terms(right):
                return UNKNOWN
        if operator == "/" and _block_size(right):
            index = split(left, self._value, cut=False)
            if index is not None and index[0] and index[1] == 0:
                return UNIFORM  # a global index by the block's size: the block's number
        if min(on_left, on_right) >= WARP and operator != "-":
            return level
        lanes = group_of(expr, self._value)
        return level if lanes is None else min(level, group_level(lanes))

    def _value(self, expr: Expr) -> int | None:
        value = evaluate(expr, self.scope)
        if value is None and expr.kind in ("name", "call", "member"):
            return 32 if _WARP_SIZE.search(expr.callee or expr.text) else None
        return value

    def _lane_terms(self, expr: Expr, depth: int = 0) -> set[str]:
        """The addends of an expression that differ between lanes, spelled out."""
        if expr.kind == "cast":
            return self._lane_terms(expr.args[0], depth)
        if expr.kind == "binary" and expr.text == "+":
            return self._lane_terms(expr.args[0], depth) | self._lane_terms(expr.args[1], depth)
        if self.level(expr) < WARP:
            return set()
        init = expr.var.init if expr.kind == "name" and expr.var is not None else None
        if init is not None and init.kind == "binary" and init.text == "+" and depth < 4:
            return self._lane_terms(init, depth + 1)
        return {repr(expr)}

    def _call(self, expr: Expr) -> int:
        name = expr.callee
        head = expr.args[0]
        if name in _LANE_CALLS:
            return LANE
        if name in _WARP_CALLS:
            return WARP
        if name in _WARP_RESULT:
            # The same in a warp; and in two-step reductions the same in the whole block.
            return UNKNOWN
        if name.startswith(("__syncthreads_", "block_")):
            return UNIFORM
        if name in builtins.MATCHES or name.startswith("atomic"):
            return LANE
        if name in builtins.WARP_OPS:
            return UNKNOWN
        level = max((self.level(a) for a in expr.arguments), default=UNIFORM)
        if head.kind == "member":
            level = max(level, min(UNKNOWN, self.level(head.args[0])))
        if name in builtins.MATH or name.endswith("_t") or name in ("T", "float", "int"):
            return level
        found = self.names.functions.get(name, [])
        if found and self.depth < 3:
            given = tuple(map(self.level, expr.arguments)) if head.kind == "name" else ()
            return max(self._summary(f, level, given) for _, f in found[:3])
        return UNIFORM if level == UNIFORM and (expr.arguments or not found) else UNKNOWN

    def _summary(self, function: Function, highest: int, given: tuple[int, ...]) -> int:
        """The level that a called function returns for arguments of these levels."""
        if function.body is None or function is self.function:
            return UNKNOWN
        if not function.device and "constexpr" not in function.quals:
            return highest if highest == UNIFORM else UNKNOWN
        # What is no more than unknown gives nothing away: one answer for all of it.
        level = self._analysed(function, given if highest >= WARP else ()).returned
        if level >= WARP:
            return level
        return UNIFORM if highest == UNIFORM and not function.owner else UNKNOWN

    def _analysed(self, function: Function, given: tuple[int, ...]) -> _Summary:
        key = (id(function), given)
        cache = _SUMMARIES.setdefault(id(self.names), {})
        if key not in cache:
            cache[key] = _Summary(UNKNOWN, (), None)
            bind(function)
            scope = Scope.of(self.names, function, self.scope.returns)
            inner = Levels(function, self.names, scope, self.depth + 1, given)
            left = tuple(
                max([inner.vars[p], *inner.fields.get(p, {}).values()])
                if p in inner._writes or p in inner.fields
                else -1
                for p in function.params
            )
            fields = inner.returned_fields
            only = fields[0] if len(fields) == 1 else None
            cache[key] = _Summary(inner.returned, left, only)
        return cache[key]


def _block_size(expr: Expr) -> bool:
    """`blockDim.x`, or a variable that holds it."""
    for _ in range(4):
        if expr.kind == "name" and expr.var is not None and expr.var.init is not None:
            expr = expr.var.init
    return expr.kind == "member" and expr.text == "x" and expr.args[0].text == "blockDim"


@dataclass(frozen=True, slots=True)
class _Summary:
    """Levels of a called function's result, also by field, and of its parameters afterwards.

    A parameter that the function does not write has -1.
    """

    returned: int
    parameters: tuple[int, ...]
    fields: dict[str, int] | None


_SUMMARIES: dict[int, dict[tuple[int, tuple[int, ...]], _Summary]] = {}


def forget_summaries() -> None:
    """Drop what is remembered about called functions; call it between units."""
    _SUMMARIES.clear()
