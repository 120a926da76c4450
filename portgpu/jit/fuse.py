"""`fuse`: a chain of elementwise operations as one kernel, traced once an element type."""

from __future__ import annotations

import functools
import hashlib
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from portgpu.jit import codegen
from portgpu.jit.kernel import Kernel, kernel
from portgpu.jit.trace import Trace, Value
from portgpu.ops import arrays, frameworks
from portgpu.ops.arrays import View
from portgpu.ops.device_array import DeviceArray
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import OpDeviceError, OpError, OpShapeError, OpStrideError
from portgpu.ops.shapes import broadcast

_BLOCK = 256
_DEVICES = {
    arrays.CPU: "cpu", arrays.CUDA: "cuda", arrays.CUDA_MANAGED: "cuda", arrays.ROCM: "rocm",
}  # fmt: skip
_Plan = tuple[Kernel, int]


@dataclass(frozen=True, slots=True)
class _Traced:
    trace: Trace
    results: tuple[Value, ...]
    is_tuple: bool


class Fused:
    """A fused function. Call it with arrays and numbers, as the function itself; `out=` takes
    results, `stream=` a stream. Arrays broadcast; results are new arrays of the first array's
    framework. Numbers are passed to the kernel: another value compiles nothing.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._names = list(inspect.signature(function).parameters)
        self._traces: dict[tuple[Any, ...], _Traced] = {}
        self._plans: dict[tuple[Any, ...], _Plan] = {}
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any, out: Any = None, stream: Any = None) -> Any:
        """Run it. Raises `OpError` subclasses for bad arguments, and then writes nothing."""
        name = self._function.__name__
        if len(arguments) != len(self._names):
            raise OpError(
                f"{name} takes {len(self._names)} arguments, not {len(arguments)}",
                hint=f"{name}({', '.join(self._names)})",
            )
        numbers = [isinstance(a, bool | int | float) for a in arguments]
        views = [
            None if number else arrays.view(a, f"{name}: {n}")
            for a, n, number in zip(arguments, self._names, numbers, strict=True)
        ]
        leader = next((i for i, v in enumerate(views) if v is not None), None)
        if leader is None:
            raise OpError(f"{name}: no argument is an array", hint="pass at least one")
        first = views[leader]
        assert first is not None
        target = self._target(arguments[leader], first)
        traced = self._trace(views, first.dtype)
        shape = broadcast(name, [v.shape for v in views if v is not None])
        results = self._outputs(traced, shape, arguments[leader], first, out)
        written = [arrays.view(r, f"{name}: out") for r in results]
        self._check(name, target, views, written, traced, shape)
        self._run(target, traced, arguments, views, results, written, shape, stream)
        if traced.is_tuple:
            return tuple(results)
        return results[0]

    def _target(self, array: Any, seen: View) -> str:
        target = _DEVICES.get(seen.device[0])
        if target is None:
            raise OpDeviceError(
                f"{self._function.__name__}: arrays in "
                f"{arrays.DEVICE_NAMES.get(seen.device[0], 'that memory')} cannot be used",
                hint="move them to a device, or to plain host memory",
            )
        if target == "cuda" and arrays.root_module(array) == "torch":
            import importlib

            if importlib.import_module("torch").version.hip:
                return "rocm"  # PyTorch for ROCm calls its devices CUDA
        return target

    def _trace(self, views: Sequence[View | None], dtype: DType) -> _Traced:
        key = (*(None if v is None else v.dtype.name for v in views), dtype.name)
        found = self._traces.get(key)
        if found is None:
            trace = Trace()
            symbols = [
                trace.add(dtype if v is None else v.dtype, f"a{i}") for i, v in enumerate(views)
            ]
            made = self._function(*symbols)
            results = tuple(made) if isinstance(made, tuple | list) else (made,)
            wrong = next((r for r in results if not isinstance(r, Value)), None)
            if wrong is not None or not results:
                raise OpError(
                    f"{self._function.__name__} returns {type(wrong).__name__}, not an expression",
                    hint="return what the arguments give, or a tuple of that",
                )
            found = self._traces[key] = _Traced(trace, results, isinstance(made, tuple | list))
        return found

    def _outputs(
        self, traced: _Traced, shape: tuple[int, ...], like: Any, seen: View, out: Any
    ) -> list[Any]:
        if out is not None:
            given = list(out) if isinstance(out, tuple | list) else [out]
            if len(given) != len(traced.results):
                raise OpShapeError(
                    f"{self._function.__name__} has {len(traced.results)} results, out has "
                    f"{len(given)}",
                    hint="pass one array a result",
                )
            return given
        made = []
        for result in traced.results:
            if isinstance(like, DeviceArray):
                made.append(like.empty_like(shape, result.dtype))
                continue
            array = frameworks.empty(like, seen, shape, result.dtype)
            if array is None:
                raise OpError(
                    f"{self._function.__name__}: no results can be made beside this array",
                    hint="pass out=",
                )
            made.append(array)
        return made

    def _check(
        self, name: str, target: str, views: Sequence[View | None], written: Sequence[View],
        traced: _Traced, shape: tuple[int, ...],
    ) -> None:  # fmt: skip
        for v in (*views, *written):
            if v is not None:
                arrays.check_device(target, name, v)
        for v, result in zip(written, traced.results, strict=True):
            if v.shape != shape or v.dtype != result.dtype:
                raise OpShapeError(
                    f"{name}: out is {v.dtype} {v.shape}, the result {result.dtype} {shape}",
                    hint="pass an array of that type and shape",
                )
            if not v.writable or codegen.overlaps_itself(v):
                raise OpStrideError(f"{name}: out cannot be written to", hint="pass a plain array")
            for other in views:
                if other is not None and codegen.overlap(v, other) and not codegen.same(v, other):
                    raise OpStrideError(
                        f"{name}: out overlaps an argument without being it",
                        hint="pass the same array, or memory of its own",
                    )

    def _run(
        self, target: str, traced: _Traced, arguments: Sequence[Any], views: Sequence[View | None],
        results: Sequence[Any], written: Sequence[View], shape: tuple[int, ...], stream: Any,
    ) -> None:  # fmt: skip
        count = math.prod(shape)
        if count == 0:
            return
        operands = [v.broadcast_to(shape) for v in views if v is not None]
        sizes, strides = codegen.merged(shape, [*written, *operands])
        vector = codegen.vector_width(sizes, strides, [*written, *operands])
        layout = codegen.Layout(
            len(sizes), vector, tuple(all(s == 0 for s in own) for own in strides)
        )
        key = (target, id(traced), layout)
        plan = self._plans.get(key)
        if plan is None:
            types = [None if v is None else v.dtype for v in views]
            digest = hashlib.sha256(repr((self._function.__name__, layout)).encode()).hexdigest()
            text = codegen.source(
                f"fused_{digest[:8]}", traced.trace, traced.results, types, layout
            )
            compiled = kernel(
                text, f"fused_{digest[:8]}", target=target,  # type: ignore[arg-type]
                file=f"{self._function.__name__} (fused)",
            )  # fmt: skip
            plan = self._plans[key] = (compiled, max(vector, 1))
        compiled, per_thread = plan
        handle = self._stream(arguments, views, stream)
        pieces = codegen.pieces(sizes, strides)
        for start, piece in pieces:
            compiled.launch_raw(
                -(-math.prod(piece) // (_BLOCK * per_thread)),
                _BLOCK,
                codegen.pack(traced, arguments, views, written, operands, piece, strides, start,
                             layout),
                handle,
                written[0].device[1],
                [*arguments, *results],
            )  # fmt: skip

    def _stream(self, arguments: Sequence[Any], views: Sequence[View | None], stream: Any) -> int:
        if stream is not None:
            return frameworks.stream_handle(stream)
        array, seen = next((a, v) for a, v in zip(arguments, views, strict=True) if v is not None)
        if isinstance(array, DeviceArray):
            return array.current_stream()
        return frameworks.current_stream(array, seen)


def fuse(function: Callable[..., Any]) -> Fused:
    """Turn a function of elementwise operations into one kernel a call.

    The function is called once for each combination of element types, with symbols that know
    arithmetic, comparisons, and `jit.exp` and its like. It must not depend on values.
    """
    return Fused(function)
