"""Constant values and types of expressions, as far as the visible declarations tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from portgpu.lint.changes import changed
from portgpu.lint.nodes import Expr, Function, Stmt, Var, walk
from portgpu.lint.project import Names

_INT = {
    "bool": (8, False), "char": (8, True), "signed char": (8, True), "unsigned char": (8, False),
    "short": (16, True), "short int": (16, True), "unsigned short": (16, False),
    "int": (32, True), "signed": (32, True), "signed int": (32, True), "unsigned": (32, False),
    "unsigned int": (32, False), "long": (64, True), "long int": (64, True),
    "unsigned long": (64, False), "unsigned long int": (64, False), "long long": (64, True),
    "long long int": (64, True), "unsigned long long": (64, False),
    "unsigned long long int": (64, False), "long unsigned int": (64, False),
    "size_t": (64, False), "ssize_t": (64, True), "ptrdiff_t": (64, True), "intptr_t": (64, True),
    "uintptr_t": (64, False), "int8_t": (8, True), "uint8_t": (8, False), "int16_t": (16, True),
    "uint16_t": (16, False), "int32_t": (32, True), "uint32_t": (32, False), "int64_t": (64, True),
    "uint64_t": (64, False), "uint": (32, False), "ushort": (16, False), "uchar": (8, False),
    "ulong": (64, False), "index_t": (64, True), "lane_mask": (64, False),
}  # fmt: skip
_SIZES = {
    "float": 4, "double": 8, "half": 2, "__half": 2, "__nv_bfloat16": 2, "half2": 4, "__half2": 4,
    "float2": 8, "float3": 12, "float4": 16, "int2": 8, "int3": 12, "int4": 16, "uint2": 8,
    "uint4": 16, "double2": 16, "uint3": 12, "bfloat16": 2, "nv_bfloat16": 2, "longlong2": 16,
    "__nv_bfloat162": 4, "short2": 4, "char4": 4, "uchar4": 4, "half_t": 2, "dim3": 12,
}  # fmt: skip
_DEEPEST = 150  # nested expressions and constants made of constants
_NUMBER = re.compile(r"^(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)$")


@dataclass
class Scope:
    """Where names are looked up: a function's variables, then the unit's names."""

    names: Names
    function: Function | None = None
    locals: dict[str, list[Var]] = field(default_factory=dict)
    returns: dict[str, str] = field(default_factory=dict)  # types of builtins in this mode
    given: dict[Var, int] = field(default_factory=dict)  # template arguments of one instantiation
    _changed: frozenset[Var] | None = None

    def fixed(self, var: Var) -> bool:
        """Whether a local variable keeps the value of its declaration."""
        if self.function is None:
            return False
        if var in self.function.templates or var in self.function.params:
            return False  # what stands there is a default
        if var.quals & {"const", "constexpr"}:
            return True
        if var not in self.locals.get(var.name, ()):
            return False  # captured by a lambda
        if self._changed is None:
            self._changed = changed(self.function, self.names)
        return var not in self._changed and not var.quals & {"volatile", "__shared__", "extern"}

    @staticmethod
    def of(names: Names, function: Function | None, returns: dict[str, str]) -> Scope:
        scope = Scope(names, function, {}, returns)
        if function is not None:
            for var in [*function.params, *function.templates]:
                scope.locals.setdefault(var.name, []).append(var)
            collect(function.body or [], scope.locals)
        return scope


def collect(stmts: list[Stmt], into: dict[str, list[Var]]) -> None:
    """Variables that the statements declare, by name."""
    for stmt in walk(stmts):
        for var in stmt.vars:
            into.setdefault(var.name, []).append(var)


def literal(text: str) -> int | None:
    """The value of an integer literal, else None."""
    found = _NUMBER.match(text)
    if not found:
        return None
    digits = found.group(1).replace("'", "")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return int(digits, 8) if not set(digits) & {"8", "9"} else None
    return int(digits, 0)


def evaluate(expr: Expr | None, scope: Scope, depth: int = 0) -> int | None:
    """The integer value of a constant expression; None when it is not one or is not known."""
    if expr is None or depth > _DEEPEST:
        return None
    kind = expr.kind
    if kind == "num":
        return literal(expr.text)
    if kind == "name":
        return _named(expr, scope, depth)
    if kind == "unary":
        value = evaluate(expr.args[0], scope, depth + 1) if expr.args else None
        if value is None:
            return None
        table = {"-": -value, "+": value, "~": ~value, "!": int(not value)}
        return table.get(expr.text)
    if kind == "binary":
        return _binary(expr, scope, depth)
    if kind == "cond":
        test = evaluate(expr.args[0], scope, depth + 1)
        return None if test is None else evaluate(expr.args[1 if test else 2], scope, depth + 1)
    if kind == "cast":
        value = evaluate(expr.args[0], scope, depth + 1) if expr.args else None
        bits = int_type(expr.text, scope)
        if value is None or bits is None:
            return None
        return _wrap(value, bits)
    if kind == "sizeof":
        return size_of(expr.text, scope) if expr.text and not expr.arrow else None
    if kind == "call":
        return _call(expr, scope, depth)
    return None


def _wrap(value: int, bits: tuple[int, bool]) -> int:
    value &= (1 << bits[0]) - 1
    if bits[1] and value >> (bits[0] - 1):
        value -= 1 << bits[0]
    return value


def _named(expr: Expr, scope: Scope, depth: int) -> int | None:
    name = expr.text.rsplit("::", 1)[-1]
    if name in ("true", "false"):
        return int(name == "true")
    local = [expr.var] if expr.var else scope.locals.get(name)
    if local:
        if local[0] in scope.given:
            return scope.given[local[0]]
        if len(local) > 1 or local[0].dims or not scope.fixed(local[0]):
            return None
        return evaluate(local[0].init, scope, depth + 1)
    done = scope.names.constants
    if name not in done:
        done[name] = None  # a constant that needs itself has no value
        outer = Scope(scope.names, None, {}, scope.returns)
        results = {
            value if isinstance(value, int) else evaluate(value, outer, depth + 1)
            for value in scope.names.values.get(name, [])[:8]
        }
        done[name] = results.pop() if len(results) == 1 else None
    return done[name]


def _binary(expr: Expr, scope: Scope, depth: int) -> int | None:
    left = evaluate(expr.args[0], scope, depth + 1)
    right = evaluate(expr.args[1], scope, depth + 1)
    if left is None or right is None:
        return None
    operator = expr.text
    if operator in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>"):
        if not 0 <= right < 128:
            return None
        return left << right if operator == "<<" else left >> right
    simple = {
        "+": left + right, "-": left - right, "*": left * right, "&": left & right,
        "|": left | right, "^": left ^ right, "<": int(left < right), ">": int(left > right),
        "<=": int(left <= right), ">=": int(left >= right), "==": int(left == right),
        "!=": int(left != right), "&&": int(bool(left and right)), "||": int(bool(left or right)),
    }  # fmt: skip
    return simple.get(operator)


def _call(expr: Expr, scope: Scope, depth: int) -> int | None:
    name = expr.callee
    if name in ("min", "max") and len(expr.arguments) == 2:
        values = [evaluate(a, scope, depth + 1) for a in expr.arguments]
        if None in values:
            return None
        known = [v for v in values if v is not None]
        return min(known) if name == "min" else max(known)
    # A function without parameters that only returns a constant.
    for unit_function in scope.names.functions.get(name, [])[:4]:
        body = unit_function[1].body
        if not expr.arguments and body and len(body) == 1 and body[0].kind == "return":
            inner = Scope(scope.names, None, {}, scope.returns)
            return evaluate(body[0].expr, inner, depth + 1)
    return None


def resolve_type(text: str, scope: Scope) -> str:
    """A type with aliases replaced and `std::`, `const` and references dropped."""
    text = text.replace("std::", "").replace("pg::", "").removeprefix("::").strip()
    text = re.sub(r"\b(const|volatile)\b", "", text).replace("&", "").strip()
    seen = 0
    while seen < 6:
        base, stars = text.rstrip("*"), text[len(text.rstrip("*")) :]
        alias = scope.names.types.get(base.strip())
        if alias is None or base.strip() in _INT:
            return " ".join(text.split())
        text = (alias.replace("std::", "") + stars).replace("&", "").strip()
        seen += 1
    return " ".join(text.split())


def int_type(text: str, scope: Scope) -> tuple[int, bool] | None:
    """(bits, signed) of an integer type; None for anything else or unknown."""
    return _INT.get(resolve_type(text, scope))


def size_of(text: str, scope: Scope) -> int | None:
    """Size of a type in bytes, when known."""
    resolved = resolve_type(text, scope)
    if resolved.endswith("*"):
        return 8
    if resolved in _SIZES:
        return _SIZES[resolved]
    bits = _INT.get(resolved)
    return bits[0] // 8 if bits else None


def type_of(expr: Expr, scope: Scope, depth: int = 0) -> str:
    """The type of an expression as text; empty when unknown. `auto` is looked through."""
    if depth > 10:
        return ""
    kind = expr.kind
    if kind == "num":
        return _literal_type(expr.text)
    if kind == "cast":
        return resolve_type(expr.text, scope)
    if kind == "sizeof":
        return "size_t"
    if kind == "name":
        return _name_type(expr, scope, depth)
    if kind == "member":
        base = expr.args[0]
        if base.kind == "name" and base.text in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
            return "unsigned int"
        found = {resolve_type(v.type, scope) for v in scope.names.fields.get(expr.text, [])}
        return found.pop() if len(found) == 1 else ""
    if kind == "index":
        base_type = type_of(expr.args[0], scope, depth + 1)
        return base_type[:-1].strip() if base_type.endswith("*") else ""
    if kind == "unary":
        inner = type_of(expr.args[0], scope, depth + 1) if expr.args else ""
        if expr.text == "!":
            return "bool"
        if expr.text == "*":
            return inner[:-1].strip() if inner.endswith("*") else ""
        if expr.text == "&":
            return inner + "*" if inner else ""
        return _promote(inner)
    if kind in ("post", "assign"):
        return type_of(expr.args[0], scope, depth + 1)
    if kind == "cond":
        return _arithmetic(*(type_of(a, scope, depth + 1) for a in expr.args[1:3]))
    if kind == "binary":
        if expr.text in ("<", ">", "<=", ">=", "==", "!=", "&&", "||"):
            return "bool"
        left = type_of(expr.args[0], scope, depth + 1)
        if expr.text in ("<<", ">>"):
            return _promote(left)
        return _arithmetic(left, type_of(expr.args[1], scope, depth + 1))
    if kind == "call":
        return _call_type(expr, scope, depth)
    return ""


def _literal_type(text: str) -> str:
    found = _NUMBER.match(text)
    if not found:
        return "float" if text.endswith(("f", "F")) else "double"
    suffix = found.group(2).lower()
    value = literal(text) or 0
    wide = "l" in suffix or "z" in suffix or value > 0xFFFFFFFF
    if not wide and value > 0x7FFFFFFF and "u" not in suffix and not text.lower().startswith("0"):
        wide = True
    unsigned = "u" in suffix or (text.lower().startswith("0x") and 0x7FFFFFFF < value <= 0xFFFFFFFF)
    return ("unsigned " if unsigned else "") + ("long long" if wide else "int")


def _name_type(expr: Expr, scope: Scope, depth: int) -> str:
    name = expr.text.rsplit("::", 1)[-1]
    variables = [expr.var] if expr.var else scope.locals.get(name)
    variables = variables or scope.names.variables.get(name, [])
    found = set()
    for var in variables[:4]:
        text = resolve_type(var.type, scope)
        if text.split("*")[0].strip() == "auto" and var.init is not None:
            text = type_of(var.init, Scope(scope.names, None, {}, scope.returns), depth + 1) or (
                type_of(var.init, scope, depth + 1)
            )
        found.add(text + "*" * len(var.dims))
    if len(found) == 1:
        return found.pop()
    return "int" if name == "warpSize" else ""


def _call_type(expr: Expr, scope: Scope, depth: int) -> str:
    name = expr.callee
    if name in scope.returns:
        return scope.returns[name]
    if expr.args[0].kind == "name" and resolve_type(expr.args[0].text, scope) in _INT:
        return resolve_type(expr.args[0].text, scope)
    candidates = scope.names.functions.get(name, [])
    found = {resolve_type(f.returns, scope) for _, f in candidates[:6]}
    if len(found) == 1:
        text = found.pop()
        templates = {t.name for _, f in candidates for t in f.templates}
        return "" if text in templates or text == "auto" else text
    if name in ("min", "max") and len(expr.arguments) == 2:
        return _arithmetic(*(type_of(a, scope, depth + 1) for a in expr.arguments))
    return ""


def _promote(text: str) -> str:
    bits = _INT.get(text)
    return "int" if bits and bits[0] < 32 else text


def _arithmetic(left: str, right: str) -> str:
    """C's usual arithmetic conversions, for the integer and floating types that are known."""
    for floating in ("double", "float"):
        if floating in (left, right):
            return floating
    if left.endswith("*"):
        return left
    a, b = _INT.get(_promote(left)), _INT.get(_promote(right))
    if a is None or b is None:
        return ""
    width = max(a[0], b[0])
    signed = not any(x == (width, False) for x in (a, b))
    return ("" if signed else "unsigned ") + ("long long" if width == 64 else "int")
