"""Where barriers and warp operations stand under control flow that threads do not share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from portgpu.lint import builtins, groups
from portgpu.lint.binding import bind
from portgpu.lint.consts import evaluate
from portgpu.lint.lanes import produces_mask
from portgpu.lint.nodes import Expr, Function, Stmt, all_exprs, direct_exprs, subexprs
from portgpu.lint.project import Names
from portgpu.lint.uniform import GROUP, LANE, WARP, Levels, group_level

Elsewhere = Callable[[Function], list[tuple[Names, Function]]]


@dataclass(frozen=True, slots=True)
class Divergence:
    """A barrier or warp operation that not all threads may reach.

    op: `barrier` or `warp`. why: `branch`, `loop`, `return`, `break`, `continue`. `level` is WARP
    when whole warps differ, GROUP or LANE when lanes of one warp do. `through` names the called
    function that holds the operation, empty when the call itself is one.
    """

    expr: Expr
    op: str
    why: str
    cond: Expr
    level: int
    through: str
    optional: bool  # inside `if constexpr`: some instantiations do not have it


@dataclass(slots=True)
class _Guard:
    level: int
    cond: Expr
    loop: bool
    matched: bool = False  # the other branch has a barrier of its own


@dataclass(slots=True)
class _Loop:
    depth: int  # guards around the loop
    breaks: list[tuple[int, Expr]] = field(default_factory=list)
    continues: list[tuple[int, Expr]] = field(default_factory=list)


class Flow:
    """Walks one device function and collects divergences."""

    def __init__(self, function: Function, names: Names, levels: Levels, calls: Calls) -> None:
        self.levels = levels
        self.names = names
        self.calls = calls
        self.guards: list[_Guard] = []
        self.exits: list[tuple[int, Expr]] = []
        self.loops: list[_Loop] = []
        self.found: list[Divergence] = []
        self._rest: list[Stmt] = []
        self._spans: list[tuple[int, int]] = []  # of the loops around
        self._static = 0  # depth of `if constexpr`
        self._seen: set[tuple[int, str]] = set()
        self._stmts(function.body or [])

    def _stmts(self, stmts: list[Stmt]) -> None:
        for index, stmt in enumerate(stmts):
            # What follows a branch that returns is the other branch.
            self._rest = stmts[index + 1 :] if terminates(stmt.body) else []
            self._stmt(stmt)

    def _stmt(self, stmt: Stmt) -> None:
        kind = stmt.kind
        self._stmts(stmt.init)
        if kind in ("for", "while", "do"):
            self._loop(stmt)
            return
        for expr in direct_exprs(stmt):
            self._expr(expr)
        if kind in ("if", "switch"):
            if kind == "switch":
                self.loops.append(_Loop(len(self.guards)))
            level = 0 if stmt.static or stmt.cond is None else self._level(stmt.cond)
            if stmt.cond is None:
                self._stmts(stmt.body + stmt.orelse)
                return
            guard = _Guard(level, stmt.cond, False)
            rest = self._rest
            self.guards.append(guard)
            self._static += stmt.static
            for branch, other in ((stmt.body, stmt.orelse), (stmt.orelse, stmt.body)):
                # Waves count barriers, not places: warps may wait at one in each branch.
                other = other or rest
                guard.matched = level == WARP and self._has_barrier(other)
                self._branch(branch)
            self._static -= stmt.static
            self.guards.pop()
            if kind == "switch":
                self.loops.pop()
        elif kind in ("return", "goto"):
            self._leave(self.exits, 0)
        elif kind in ("break", "continue") and self.loops:
            loop = self.loops[-1]
            self._leave(loop.breaks if kind == "break" else loop.continues, loop.depth)
        else:
            self._stmts(stmt.body)
            self._stmts(stmt.orelse)

    def _branch(self, stmts: list[Stmt]) -> None:
        """One branch. If it always returns, what happened inside is of no concern behind it."""
        before = len(self.exits)
        self._stmts(stmts)
        if terminates(stmts):
            del self.exits[before:]
            worst = max(self.guards, key=lambda g: g.level)
            own_barrier = worst.level == WARP and self._has_barrier(stmts)
            if worst.level >= WARP and not own_barrier:
                self.exits.append((worst.level, worst.cond))

    def _has_barrier(self, stmts: list[Stmt]) -> bool:
        return any(op == "barrier" for _, op, _ in self._operations(stmts))

    def _leave(self, into: list[tuple[int, Expr]], depth: int) -> None:
        """A jump out: it diverges as much as the strongest condition around it."""
        inside = [g for g in self.guards[depth:] if not g.loop or depth == 0]
        worst = max(inside, key=lambda g: g.level, default=None)
        if worst is not None and worst.level >= WARP:
            into.append((worst.level, worst.cond))

    def _loop(self, stmt: Stmt) -> None:
        cond = stmt.cond
        self._spans.append((stmt.start, stmt.end))
        level = self._level(cond) if cond is not None else 0
        loop = _Loop(len(self.guards) + (1 if cond is not None else 0))
        if stmt.kind == "do":
            loop.depth = len(self.guards)
        self.loops.append(loop)
        if cond is not None:
            self.guards.append(_Guard(level, cond, True))
            self._expr(cond)
        before = len(self.found)
        self._stmts(stmt.body)
        if stmt.step is not None:
            self._expr(stmt.step)
        # A lane that leaves by `break` misses every operation of the next rounds.
        if loop.breaks:
            worst = max(loop.breaks, key=lambda item: item[0])
            known = {id(d.expr) for d in self.found[before:]}
            for expr, op, through in self._operations(stmt.body):
                needed = _needed(expr, op, self.levels, self.calls.alias)
                if id(expr) not in known and worst[0] >= needed:
                    self._add(expr, op, "break", worst[1], worst[0], through)
        self.loops.pop()
        self._spans.pop()
        if cond is not None:
            self.guards.pop()

    def _level(self, cond: Expr) -> int:
        return self.levels.level_at(cond, tuple(self._spans))

    def _operations(self, stmts: list[Stmt]) -> list[tuple[Expr, str, str]]:
        out = []
        for expr in all_exprs(stmts):
            op, through = self.calls.operation(expr)
            if op:
                out.append((expr, op, through))
        return out

    def _expr(self, expr: Expr) -> None:
        """Operations in an expression, in evaluation order; short circuits are branches."""
        if expr.kind == "binary" and expr.text in ("&&", "||"):
            self._expr(expr.args[0])
            self.guards.append(_Guard(self._level(expr.args[0]), expr.args[0], False))
            self._expr(expr.args[1])
            self.guards.pop()
            return
        if expr.kind == "cond":
            self._expr(expr.args[0])
            self.guards.append(_Guard(self._level(expr.args[0]), expr.args[0], False))
            self._expr(expr.args[1])
            self._expr(expr.args[2])
            self.guards.pop()
            return
        if expr.kind == "lambda":
            return
        for arg in expr.args:
            self._expr(arg)
        if expr.kind == "call":
            op, through = self.calls.operation(expr)
            if op:
                self._operation(expr, op, through)

    def _operation(self, expr: Expr, op: str, through: str) -> None:
        needed = _needed(expr, op, self.levels, self.calls.alias)
        guards = [g for g in self.guards if not (op == "barrier" and g.matched)]
        worst = max(guards, key=lambda g: g.level, default=None)
        if worst is not None and worst.level >= needed:
            why = "loop" if worst.loop else "branch"
            self._add(expr, op, why, worst.cond, worst.level, through)
            return
        for why, jumps in (
            ("return", self.exits),
            ("continue", self.loops[-1].continues if self.loops else []),
        ):
            strongest = max(jumps, key=lambda item: item[0], default=None)
            if strongest is not None and strongest[0] >= needed:
                self._add(expr, op, why, strongest[1], strongest[0], through)
                return

    def _add(self, expr: Expr, op: str, why: str, cond: Expr, level: int, through: str) -> None:
        key = (expr.start, op)
        if key not in self._seen:
            self._seen.add(key)
            optional = self._static > 0
            self.found.append(Divergence(expr, op, why, cond, level, through, optional))


def _needed(expr: Expr, op: str, levels: Levels, alias: Callable[[str], str]) -> int:
    """From which level on a condition breaks the operation.

    A width, `pg::shfl<16>`, asks for all lanes of its group only; a mask names the whole warp.
    """
    if op == "barrier":
        return WARP
    tile = groups.operation(expr, alias)
    if not tile and (not expr.args[0].targs or expr.callee in builtins.MASKED):
        return GROUP
    if tile:
        lanes = groups.width(expr, levels.scope, alias)
        return LANE if not lanes else min(LANE, group_level(lanes) + 1)
    width = evaluate(expr.args[0].targs[0], levels.scope)
    if width is None or width < 1:
        return LANE
    return min(LANE, group_level(width) + 1)


def terminates(stmts: list[Stmt]) -> bool:
    """Whether control never runs past the statements: they end in a return on every path."""
    if not stmts:
        return False
    last = stmts[-1]
    if last.kind in ("return", "goto"):
        return True
    if last.kind == "block":
        return terminates(last.body)
    if last.kind == "if" and last.orelse:
        return terminates(last.body) and terminates(last.orelse)
    return last.kind == "expr" and last.expr is not None and last.expr.callee in ("__trap", "asm")


def _unconditional(stmts: list[Stmt]) -> Iterator[Expr]:
    """Expressions that every instantiation of a function has: none below `if constexpr`."""
    for stmt in stmts:
        for expr in direct_exprs(stmt):
            yield from subexprs(expr)
        yield from _unconditional(stmt.init)
        if not stmt.static:
            yield from _unconditional(stmt.body)
            yield from _unconditional(stmt.orelse)


# Votes and matches without a mask are of the lanes that come, whoever they are.
_OF_WHO_IS_HERE = frozenset(["__ballot", "__any", "__all", "__match_any", "__match_all"])


def _finds_lanes(expr: Expr, names: Names) -> bool:
    """Whether an operation's mask is of lanes that the function itself has found to be there."""
    if expr.callee in _OF_WHO_IS_HERE:
        return True
    masked = expr.callee in builtins.MASKED and expr.arguments
    return bool(masked) and produces_mask(expr.arguments[0], names)


class Calls:
    """Which calls are barriers or warp operations, themselves or in what they call."""

    def __init__(
        self, names: Names, alias: Callable[[str], str], elsewhere: Elsewhere | None = None
    ) -> None:
        self.names = names
        self.alias = alias
        self.elsewhere = elsewhere
        self._memo: dict[tuple[int, str], str] = {}

    def operation(self, expr: Expr) -> tuple[str, str]:
        """(`barrier` | `warp` | ``, name of the function it is found in)."""
        if expr.kind != "call":
            return "", ""
        name = expr.callee
        direct = self.direct(expr)
        if direct:
            return direct, ""
        head = expr.args[0]
        local = head.var.init if head.kind == "name" and head.var is not None else None
        if local is not None and local.kind == "lambda":
            inner = self._of(local.body, self.names, 0)
            return (inner, name) if inner else ("", "")
        if name and head.kind == "name" and name in self.names.functions:
            inner = self._inside(name, self.names, 0)
            if inner:
                return inner, name
        return "", ""

    def direct(self, expr: Expr) -> str:
        name = expr.callee
        if name in builtins.BARRIERS or expr.qualified in builtins.PG_BLOCK:
            return "barrier"
        if name in builtins.WARP_OPS and name != "__activemask":
            return "warp"
        if expr.qualified in builtins.PG_WARP:
            return "warp"
        if expr.args[0].kind == "member" and expr.args[0].args[0].kind == "call":
            # cub::BlockReduce<T, 256>(temp).Sum(v), directly or by an alias.
            holder = expr.args[0].args[0].args[0]
            text = self.alias(holder.text) if holder.kind == "name" else ""
            if "cub::Block" in text or "cub::Block" in holder.text:
                return "barrier"
        return groups.operation(expr, self.alias)

    def _inside(self, name: str, names: Names, depth: int) -> str:
        key = (id(names), name)
        if key in self._memo:
            return self._memo[key]
        self._memo[key] = ""
        found = ""
        for where, function in self._bodies(name, names):
            bind(function)
            inner = self._of(function.body or [], where, depth)
            found = inner if inner == "barrier" else found or inner
        self._memo[key] = found
        return found

    def _of(self, body: list[Stmt], names: Names, depth: int) -> str:
        """The strongest operation in a function's body."""
        found = ""
        for expr in _unconditional(body):
            if expr.kind != "call":
                continue
            inner = self.direct(expr)
            if inner == "warp" and _finds_lanes(expr, names):
                continue
            if not inner and depth < 6 and expr.args[0].kind == "name":
                inner = self._inside(expr.callee, names, depth + 1)
            if inner == "barrier":
                return inner
            found = found or inner
        return found

    def _bodies(self, name: str, names: Names) -> list[tuple[Names, Function]]:
        """Definitions of a device function, with the names that each can see."""
        known = [f for _, f in names.functions.get(name, [])[:4] if f.device]
        here = [(names, f) for f in known if f.body is not None]
        if here or not known or self.elsewhere is None:
            return here
        return self.elsewhere(known[0])[:4]
