"""Elementwise expressions: a Python function is called once with symbols, and becomes C++.

Arithmetic is that of the op library: halves compute in f32, integers wrap, `/` is for floats,
comparisons give bool. A Python number takes the other operand's type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from portgpu.ops import dtypes
from portgpu.ops.dtypes import DTYPES, DType
from portgpu.ops.errors import OpDtypeError, OpError

_CPP = {
    "bool": "bool", "u8": "uint8_t", "i8": "int8_t", "u16": "uint16_t", "i16": "int16_t",
    "u32": "uint32_t", "i32": "int32_t", "u64": "uint64_t", "i64": "int64_t", "f16": "pg::half",
    "bf16": "pg::bfloat16", "f32": "float", "f64": "double",
}  # fmt: skip
# One argument of a float type: C++ with {0} for it and {s} for "f" in f32.
_UNARY = {
    name: f"::{name}{{s}}({{0}})"
    for name in (
        *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
        *("asinh", "acosh", "atanh", "erf", "erfc", "floor", "ceil", "trunc"),
    )
} | {
    "round": "::rint{s}({0})",
    "rsqrt": "(({t})1 / ::sqrt{s}({0}))",
    "reciprocal": "(({t})1 / {0})",
    "sigmoid": "(({t})1 / (({t})1 + ::exp{s}(-{0})))",
    "silu": "({0} / (({t})1 + ::exp{s}(-{0})))",
    "relu": "({0} < ({t})0 ? ({t})0 : {0})",
    "softplus": "({0} != {0} ? {0} : ({0} > ({t})0 ? {0} : ({t})0)"
    " + ::log1p{s}(::exp{s}(-::fabs{s}({0}))))",
}  # fmt: skip
_BINARY = {"pow": "::pow{s}({0}, {1})", "atan2": "::atan2{s}({0}, {1})"}


def cpp_type(dtype: DType) -> str:
    """C++ type of an element in memory."""
    return _CPP[dtype.name]


def compute_type(dtype: DType) -> str:
    """C++ type that arithmetic on it happens in."""
    return "float" if dtype.name in ("f16", "bf16") else _CPP[dtype.name]


@dataclass(frozen=True, slots=True)
class Node:
    """One value: the C++ of its statement, over values with smaller numbers."""

    dtype: DType
    text: str


class Trace:
    """The statements of one function, in order; equal ones once."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}

    def add(self, dtype: DType, text: str) -> Value:
        """The value of a C++ expression."""
        node = Node(dtype, text)
        at = self._numbers.get(node)
        if at is None:
            at = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return Value(self, at)


class Value:
    """A symbol for one element; what the traced function computes with."""

    __slots__ = ("number", "trace")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace, number: int) -> None:
        self.trace, self.number = trace, number

    @property
    def dtype(self) -> DType:
        """Its element type."""
        return self.trace.nodes[self.number].dtype

    @property
    def text(self) -> str:
        """Its name in C++."""
        return f"v{self.number}"

    def __bool__(self) -> bool:
        raise OpError(
            "a fused function cannot branch on its arguments' values", hint="use jit.where(c, a, b)"
        )

    def __add__(self, other: Any) -> Value:
        return _arithmetic("+", self, other)

    def __radd__(self, other: Any) -> Value:
        return _arithmetic("+", other, self)

    def __sub__(self, other: Any) -> Value:
        return _arithmetic("-", self, other)

    def __rsub__(self, other: Any) -> Value:
        return _arithmetic("-", other, self)

    def __mul__(self, other: Any) -> Value:
        return _arithmetic("*", self, other)

    def __rmul__(self, other: Any) -> Value:
        return _arithmetic("*", other, self)

    def __truediv__(self, other: Any) -> Value:
        return _arithmetic("/", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return _arithmetic("/", other, self)

    def __pow__(self, other: Any) -> Value:
        if isinstance(other, int) and not isinstance(other, bool) and 1 <= other <= 4:
            result = self  # exact and quick
            for _ in range(other - 1):
                result = result * self
            return result
        return function("pow", self, other)

    def __neg__(self) -> Value:
        return _arithmetic("-", 0, self) if self.dtype.kind != "f" else self._own("-{0}")

    def __abs__(self) -> Value:
        kind = self.dtype.kind
        if kind == "f":
            return self._own("::fabs{s}({0})")
        return self if kind in "ub" else where(self < 0, -self, self)

    def __invert__(self) -> Value:
        return self._own("!{0}" if self.dtype.kind == "b" else "~{0}", "bui")

    def __and__(self, other: Any) -> Value:
        return _bits("&", self, other)

    def __or__(self, other: Any) -> Value:
        return _bits("|", self, other)

    def __xor__(self, other: Any) -> Value:
        return _bits("^", self, other)

    def __lt__(self, other: Any) -> Value:
        return _compare("<", self, other)

    def __le__(self, other: Any) -> Value:
        return _compare("<=", self, other)

    def __gt__(self, other: Any) -> Value:
        return _compare(">", self, other)

    def __ge__(self, other: Any) -> Value:
        return _compare(">=", self, other)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return _compare("==", self, other)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return _compare("!=", self, other)

    def _own(self, template: str, kinds: str = "f") -> Value:
        return _apply(template, template, [self], kinds)


def _pair(a: Any, b: Any) -> tuple[Value, Value]:
    known = a if isinstance(a, Value) else b
    assert isinstance(known, Value)
    left, right = _lift(known, a), _lift(known, b)
    if left.dtype != right.dtype:
        raise OpDtypeError(
            f"{left.dtype} and {right.dtype} do not mix", hint='jit.cast(x, "f32") converts one'
        )
    return left, right


def _lift(known: Value, x: Any) -> Value:
    """A Python number as a value of the type of `known`."""
    if isinstance(x, Value):
        return x
    if not isinstance(x, bool | int | float):
        raise OpError(
            f"a fused function computes with its arguments and numbers, not {type(x).__name__}",
            hint="pass it as an argument",
        )
    dtype = known.dtype
    if dtype.kind == "f":
        value = float(x)
        suffix = "" if dtype.name == "f64" else "f"
        if math.isnan(value):
            text = f'__builtin_nan{suffix}("")'
        elif math.isinf(value):
            text = f"{'-' if value < 0 else ''}__builtin_huge_val{suffix}()"
        else:
            text = f"(({compute_type(dtype)}){value!r})"
        return known.trace.add(dtype, text)
    if dtype.kind == "b":
        return known.trace.add(dtype, "true" if x else "false")
    low, high = (0, 1 << 8 * dtype.size) if dtype.kind == "u" else (
        -(1 << 8 * dtype.size - 1), 1 << 8 * dtype.size - 1
    )  # fmt: skip
    if isinstance(x, float) or not low <= x < high:
        raise OpDtypeError(f"{x} does not fit into {dtype}", hint="cast the other operand first")
    bits = x % (1 << 64)
    return known.trace.add(dtype, f"(({compute_type(dtype)}){bits}ull)")


def _apply(name: str, template: str, values: Sequence[Value], kinds: str) -> Value:
    dtype = values[0].dtype
    if dtype.kind not in kinds:
        raise OpDtypeError(
            f"{name.split('(')[0].strip(':{}01s')} does not take {dtype}",
            hint='jit.cast(x, "f32") converts',
        )
    text = template.format(
        *(v.text for v in values), s="" if dtype.name == "f64" else "f", t=compute_type(dtype)
    )
    return values[0].trace.add(dtype, text)


def _arithmetic(sign: str, a: Any, b: Any) -> Value:
    left, right = _pair(a, b)
    dtype = left.dtype
    if dtype.kind == "b" or (sign == "/" and dtype.kind != "f"):
        raise OpDtypeError(f"{sign} does not take {dtype}", hint='jit.cast(x, "f32") converts')
    if dtype.kind == "f":
        return left.trace.add(dtype, f"{left.text} {sign} {right.text}")
    kind = compute_type(dtype)  # unsigned: overflow is defined
    text = f"({kind})((uint64_t){left.text} {sign} (uint64_t){right.text})"
    return left.trace.add(dtype, text)


def _bits(sign: str, a: Any, b: Any) -> Value:
    left, right = _pair(a, b)
    if left.dtype.kind == "f":
        raise OpDtypeError(f"{sign} does not take {left.dtype}", hint="compare first")
    text = f"({compute_type(left.dtype)})({left.text} {sign} {right.text})"
    return left.trace.add(left.dtype, text)


def _compare(sign: str, a: Any, b: Any) -> Value:
    left, right = _pair(a, b)
    return left.trace.add(DTYPES["bool"], f"{left.text} {sign} {right.text}")


def function(name: str, *values: Any) -> Value:
    """A named function of floats, such as `exp`; what `jit.exp` and its like call."""
    known = next((v for v in values if isinstance(v, Value)), None)
    if known is None:
        raise OpError(
            f"jit.{name} is for the arguments of a fused function", hint=f"use ops.{name}"
        )
    lifted = [_lift(known, v) for v in values]
    if len(lifted) == 2:
        lifted = list(_pair(*lifted))
    return _apply(name, (_UNARY | _BINARY)[name], lifted, "f")


def functions() -> dict[str, Callable[..., Value]]:
    """All named functions, as `portgpu.jit` exports them."""

    def make(name: str, count: int) -> Callable[..., Value]:
        if count == 1:

            def call(x: Any) -> Value:
                return function(name, x)
        else:

            def call(x: Any, y: Any) -> Value:  # type: ignore[misc]
                return function(name, x, y)

        call.__name__ = call.__qualname__ = name
        call.__doc__ = f"Elementwise {name} of floats, in a fused function."
        return call

    return {n: make(n, 1) for n in _UNARY} | {n: make(n, 2) for n in _BINARY}


def where(condition: Value, a: Any, b: Any) -> Value:
    """`a` where the condition holds, else `b`; in a fused function."""
    if not isinstance(condition, Value) or condition.dtype.kind != "b":
        raise OpDtypeError("where: the condition must be bool", hint="compare: jit.where(x > 0, …)")
    known = a if isinstance(a, Value) else b
    if not isinstance(known, Value):
        raise OpError("where: both choices are numbers", hint="one must come from an argument")
    left, right = _pair(_lift(known, a), _lift(known, b))
    return condition.trace.add(left.dtype, f"{condition.text} ? {left.text} : {right.text}")


def minimum(a: Any, b: Any) -> Value:
    """The smaller one; NaN if either is NaN. In a fused function."""
    left, right = _pair(a, b)
    return where((left < right) | (left != left), left, right)


def maximum(a: Any, b: Any) -> Value:
    """The larger one; NaN if either is NaN. In a fused function."""
    left, right = _pair(a, b)
    return where((left > right) | (left != left), left, right)


def cast(x: Value, dtype: Any) -> Value:
    """`x` converted to another element type, as by `ops.cast`; in a fused function."""
    found = dtypes.find(dtype)
    if found is None:
        raise OpDtypeError(f"cast: no element type is called {dtype}", hint=", ".join(DTYPES))
    if found == x.dtype:
        return x
    if found.kind == "b":
        text = f"{x.text} != 0"
    elif found.name in ("f16", "bf16"):  # rounded now, not where it is stored
        text = f"pg::to_float(pg::convert<{cpp_type(found)}>({x.text}))"
    elif x.dtype.kind == "f" and found.kind in "ui":
        text = f"portgpu_saturate<{cpp_type(found)}>({x.text})"
    else:
        text = f"({compute_type(found)}){x.text}"
    return x.trace.add(found, text)
