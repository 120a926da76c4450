"""Types of the ops for editors and type checkers: `typed.pyi`, made from the registry.

`python -m portgpu.ops.stubs` rewrites it, `--check` fails when it is out of date.
"""

from __future__ import annotations

import inspect
import math
import sys
from pathlib import Path

from portgpu.ops.functions import signature
from portgpu.ops.registry import Op, Registry, load

FILE = Path(__file__).with_name("typed.pyi")

_HEAD = '''# ruff: noqa: E501
# fmt: off
"""Generated from kernels/registry.toml by `python -m portgpu.ops.stubs`; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

class SupportsDlpack(Protocol):
    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

Array = Any  # NumPy, PyTorch, CuPy, JAX arrays, SupportsDlpack, buffers
Stream = Any  # None: the framework's current one; else a handle or a framework's stream
Dtype = Any  # "f32", numpy.float32, torch.float32 ...

class OpFunctions:
'''
_TYPES = {"i32": "int", "i64": "int", "f64": "float", "bool": "bool"}


def render(registry: Registry | None = None) -> str:
    """Text of the stub file."""
    return _HEAD + "".join(_function(op) for op in registry or load())


def _function(op: Op) -> str:
    parts = ["self"]
    keyword = False
    for parameter in signature(op).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
            parts.append("*")
            keyword = True
        text = f"{parameter.name}: {_type(op, parameter.name)}"
        if parameter.default is not inspect.Parameter.empty:
            text += f" = {_default(parameter.default)}"
        parts.append(text)
    result = "Array" if len(op.outputs) == 1 else f"tuple[{', '.join(['Array'] * len(op.outputs))}]"
    return f'    def {op.name}({", ".join(parts)}) -> {result}:\n        """{op.summary}"""\n'


def _default(value: object) -> str:
    endless = isinstance(value, float) and not math.isfinite(value)
    return "..." if endless else repr(value)  # inf has no literal


def _type(op: Op, name: str) -> str:
    param = op.param(name)
    if param is not None and param.type == "axes":
        return "int | Sequence[int] | None"
    if param is not None and name == "axis" and op.shape == "arg_reduce":
        return "int | None"
    if param is not None and param.choices:
        return f"Literal[{', '.join(repr(word) for word in param.choices)}]"
    if param is not None:
        return _TYPES[param.type]
    if name == "out" and len(op.outputs) > 1:
        return f"tuple[{', '.join(['Array'] * len(op.outputs))}] | None"
    fixed = {"keepdims": "bool", "k": "int", "n": "int",
             "after": "int | Sequence[int]", "size": "int | Sequence[int]",
             "shape": "int | Sequence[int]", "dtype": "Dtype",
             "stream": "Stream", "out": "Array | None"}  # fmt: skip
    optional = any(t.name == name and t.optional for t in op.inputs)
    return fixed.get(name, "Array | None" if optional else "Array")


def main(argv: list[str] | None = None) -> int:
    """Write the stub file, or compare it with the registry."""
    args = sys.argv[1:] if argv is None else argv
    text = render()
    if "--check" in args:
        fresh = FILE.is_file() and FILE.read_text("utf-8") == text
        if not fresh:
            print(f"{FILE} is out of date; run: python -m portgpu.ops.stubs", file=sys.stderr)
        return 0 if fresh else 1
    FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
