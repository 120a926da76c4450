"""Parameters of ops as C takes them: numbers in range, lists of them, words; or an error.

Any object that stands for an integer (`__index__`: NumPy's, PyTorch's) or a real number is one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from portgpu.ops.errors import OpValueError
from portgpu.ops.registry import AXIS_NONE, Op, Param

_BITS = {"i32": 32, "i64": 64, "bool": 64, "axes": 32, "shape": 64}


def checked(op: Op, param: Param, value: Any) -> Any:
    """`value` as an int, a float, a bool, or for lists an int, a tuple of ints or None.

    Raises `OpValueError` when it is none, or outside C's range.
    """
    if param.choices:
        if isinstance(value, str) and value in param.choices:
            return param.choices.index(value)
        raise _wrong(op, param, value, f"one of {', '.join(param.choices)}")
    if param.type == "f64":
        return _number(op, param, value)
    if param.type in ("axes", "shape"):
        if value is None and param.type == "axes":
            return None
        # Tensors without dimensions say that they can be iterated.
        single = hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0
        if not single and not isinstance(value, str | bytes) and isinstance(value, Iterable):
            return tuple(_integer(op, param, item) for item in value)
        return _integer(op, param, value)
    found = _integer(op, param, value)
    return found != 0 if param.type == "bool" else found


def axis_or_none(op: Op, param: Param, value: Any) -> int:
    """The axis of an arg-reduction; None is the flattened array."""
    return AXIS_NONE if value is None else int(checked(op, param, value))


def _integer(op: Op, param: Param, value: Any) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        if param.type == "bool" and type(value).__name__ in ("bool_", "bool"):  # NumPy's
            return int(bool(value))
        what = {"bool": "True or False", "axes": "an integer, or several"}
        raise _wrong(op, param, value, what.get(param.type, "an integer")) from None
    bits = _BITS[param.type]
    if not -(1 << bits - 1) <= found < 1 << bits - 1:
        raise _wrong(op, param, value, f"an integer of {bits} bits")
    return found


def _number(op: Op, param: Param, value: Any) -> float:
    if not isinstance(value, str | bytes):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise _wrong(op, param, value, "a number")


def _wrong(op: Op, param: Param, value: Any, wanted: str) -> OpValueError:
    text = repr(value)
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return OpValueError(f"{op.name}: {param.name} is {shown}", hint=f"pass {wanted}")
