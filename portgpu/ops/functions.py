"""Ops as Python functions: made from the registry, on arrays of any framework.

A function checks what only Python can know (memory of the right device, broadcasting, the caller's
stream), then hands descriptors to the C function, which checks the rest before it launches.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from portgpu.errors import nearest
from portgpu.ops import abi, arrays, dtypes, frameworks, indices, parameters, shapes
from portgpu.ops.arrays import View
from portgpu.ops.device_array import DeviceArray
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import (
    OpDeviceError,
    OpDtypeError,
    OpError,
    OpMemoryError,
    OpShapeError,
    OpStrideError,
)
from portgpu.ops.numbers import Numbers
from portgpu.ops.registry import INDEX_TYPES, Op, Param

# Keyword arguments beyond the registry's params, by shape rule.
EXTRA: dict[str, tuple[Param, ...]] = {
    **dict.fromkeys(("reduce", "arg_reduce"), (Param("keepdims", "bool", False),)),
    "topk": (Param("k", "i64"),),
    "fill": (Param("shape", "shape", ()), Param("dtype", "dtype", "")),
    "random": (Param("shape", "shape", ()), Param("dtype", "dtype", "")),
    "permutation": (Param("n", "i64"), Param("dtype", "dtype", "")),
    "irfft": (Param("n", "i64", 0),),
    "pad": (Param("after", "axes", ()),),
    "conv": (Param("size", "axes", ()),),
    "quantize": (Param("group", "i64", 64),),
}
_KEYWORDS = {"keepdims", "shape", "dtype", "after", "size"}
Function = Callable[..., Any]


def names(op: Op) -> list[tuple[str, Any]]:
    """Parameters after the tensors: (name, default), `inspect.Parameter.empty` when required."""
    required = inspect.Parameter.empty
    first = [p for p in EXTRA.get(op.shape, ()) if p.default is None]
    rest = [p for p in EXTRA.get(op.shape, ()) if p.default is not None]
    found: list[tuple[str, Any]] = [(p.name, required) for p in first]
    found += [(p.name, required if p.required else p.default) for p in op.params]
    found += [(p.name, op.core_types[0] if p.name == "dtype" else p.default) for p in rest]
    if chooses_dtype(op) and op.inputs:
        default: Any = None if op.outputs[-1].dtypes == INDEX_TYPES else required
        if op.main is None:
            default = op.core_types[0]
        found.insert(0 if default is required else len(found), ("dtype", default))
    return found


def chooses_dtype(op: Op) -> bool:
    """Whether the caller may choose an output's type."""
    return any(len(t.dtypes) > 1 for t in op.outputs) or op.main is None


def signature(op: Op) -> inspect.Signature:
    """The Python signature of an op."""
    position, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = []
    if op.inout:
        parameters += [inspect.Parameter(t.name, position) for t in op.outputs]
    parameters += [inspect.Parameter(t.name, position) for t in op.inputs if not t.optional]
    parameters += [inspect.Parameter(t.name, position, default=None)
                   for t in op.inputs if t.optional]  # fmt: skip
    loose = any(t.optional for t in op.inputs)
    for name, default in names(op):
        chosen = name in _KEYWORDS and default is not inspect.Parameter.empty
        kind = keyword if loose or chosen else position
        parameters.append(inspect.Parameter(name, kind, default=default))
    if not op.inout:
        parameters.append(inspect.Parameter("out", keyword, default=None))
    parameters.append(inspect.Parameter("stream", keyword, default=None))
    order = sorted(
        parameters,
        key=lambda p: (p.kind, p.kind == position and p.default is not inspect.Parameter.empty),
    )
    return inspect.Signature(order)


def document(op: Op) -> str:
    """Docstring of an op."""
    extra = [t for t in op.all_types if t not in op.core_types]
    lines = [op.summary, "", f"Element types: {', '.join(op.core_types)}"]
    lines[-1] += f"; in `all` builds also {', '.join(extra)}." if extra else "."
    if op.inout:
        lines.append(f"`{op.outputs[0].name}` is changed in place and returned.")
    else:
        lines.append("`out` takes the result (a tuple for several outputs); by default new arrays")
        lines.append("of the first input's framework are made.")
    lines.append("`stream` defaults to the framework's current stream. Raises OpError subclasses")
    lines.append("for bad arguments, and then writes nothing.")
    if op.note:
        lines.append(op.note)
    return "\n".join(lines)


class Caller:
    """Calls ops of one library on foreign arrays."""

    def __init__(self, library: abi.Library) -> None:
        self.library = library
        self.target = library.target
        self.numbers = Numbers(library)
        self._capture: tuple[Any, int] | None = None
        # Told when a capture begins and ends; the compiled binding listens here.
        self.on_capture: Callable[[bool], None] = lambda active: None

    @property
    def capturing(self) -> bool:
        """Whether a capture is going on."""
        return self._capture is not None

    def begin_capture(self, graph: Any, stream: int) -> None:
        """From now on ops go to `stream`, and `graph.keep` gets what they use."""
        self._capture = (graph, stream)
        self.library.captured = graph.arrays
        self.on_capture(True)

    def end_capture(self) -> None:
        """The inverse of `begin_capture`."""
        self._capture = None
        self.library.captured = None
        self.on_capture(False)

    def function(self, op: Op) -> Function:
        """The Python function of `op`."""
        spec = signature(op)
        inputs = [t.name for t in op.inputs]
        outputs = [t.name for t in op.outputs]

        def call(*args: Any, **kwargs: Any) -> Any:
            if op.shape == "concatenate":
                args, kwargs = _spread(op, args, kwargs)
            try:
                bound = spec.bind(*args, **kwargs)
            except TypeError as error:
                unknown = next((name for name in kwargs if name not in spec.parameters), "")
                hint = nearest(unknown, list(spec.parameters)) if unknown else ""
                raise TypeError(f"{op.name}: {error}" + (f"; {hint}" if hint else "")) from None
            bound.apply_defaults()
            given = bound.arguments
            out = tuple(given.pop(n) for n in outputs) if op.inout else given.pop("out")
            stream = given.pop("stream")
            tensors = [given.pop(name) for name in inputs]
            return self.call(op, tensors, given, out, stream)

        call.__name__ = call.__qualname__ = op.name
        call.__doc__ = document(op)
        call.__signature__ = spec  # type: ignore[attr-defined]
        return call

    def call(
        self, op: Op, tensors: Sequence[Any], given: Mapping[str, Any], out: Any, stream: Any
    ) -> Any:
        """Run an op; `given` has its parameters and the extra ones. Returns array or tuple."""
        views = self._inputs(op, tensors)
        seen = [v for v in views if v is not None]
        params = _normal(op, given, seen)
        if op.shape == "reduce" and not params["axes"] and seen[0].shape:
            # Over no axes, every element is reduced on its own; in C an empty list is all axes.
            views[0] = seen[0].broadcast_to((1, *seen[0].shape))
            params |= {"axes": (0,), "keepdims": False}
        leader, first = self._leader(op, tensors, views, out)
        scope: AbstractContextManager[None] = contextlib.nullcontext()
        if self.target != "cpu" and first is not None:
            scope = self.library.on_device(first.device[1])
        with scope:  # also for new results and scratch memory
            return self._launch(op, views, params, out, leader, first, stream)

    def _launch(
        self,
        op: Op,
        views: Sequence[View | None],
        params: dict[str, Any],
        out: Any,
        leader: Any,
        first: View | None,
        stream: Any,
    ) -> Any:
        seen = [v for v in views if v is not None]
        results = self._outputs(op, views, params, out, leader, first)
        written = [
            arrays.view(r, f"{op.name}: {t.name}") for r, t in zip(results, op.outputs, strict=True)
        ]
        self._check_outputs(op, seen, written)
        if self.target == "cpu":
            indices.check(op, views, written, params)
        if op.shape == "reduce" and not params.get("axes"):
            params["axes"] = None
        handle = self._stream(op, leader, first or written[0], stream)
        for view in (*seen, *written):
            if isinstance(view.owner, DeviceArray):
                view.owner.use_on(handle)
        self._run(op, [*views, *written], params, handle)
        if self._capture is not None:
            used = [v.owner for v in (*seen, *written)]
            self._capture[0].keep(used, None if leader is None else (leader, first or written[0]))
        return results[0] if len(results) == 1 else tuple(results)

    def _inputs(self, op: Op, tensors: Sequence[Any]) -> list[View | None]:
        views: list[View | None] = []
        dtype = leader = like = None
        arrived = [None if t is None or _is_scalar(t) else t for t in tensors]
        for tensor, declared in zip(arrived, op.inputs, strict=True):
            seen = None if tensor is None else arrays.view(tensor, f"{op.name}: {declared.name}")
            if seen is not None:
                arrays.check_device(self.target, f"{op.name}: {declared.name}", seen)
                if not declared.dtypes and dtype is None:
                    dtype, leader, like = seen.dtype, tensor, seen
            views.append(seen)
        for i, (tensor, declared) in enumerate(zip(tensors, op.inputs, strict=True)):
            if tensor is not None and _is_scalar(tensor):
                own = declared.dtypes and dtypes.DTYPES[_usual(declared.dtypes)]
                views[i] = self._scalar(op, declared.name, tensor, own or dtype, leader, like)
            elif tensor is None and not declared.optional:
                raise OpError(f"{op.name}: {declared.name} is None", hint="pass an array")
        devices = {v.device for v in views if v is not None and self.target != "cpu"}
        if len(devices) > 1:
            raise OpDeviceError(
                f"{op.name}: the inputs are on different devices", hint="move them to one"
            )
        return views

    def _scalar(
        self, op: Op, name: str, value: Any, dtype: DType | None, leader: Any, seen: View | None
    ) -> View:
        """A Python number takes the other operand's type, as in PyTorch and MLX."""
        if dtype is None or seen is None:
            raise OpError(
                f"{op.name}: {name} is a Python number",
                hint="pass an array of one element, on the device of the others",
            )
        return self.numbers.view(f"{op.name}: {name}", value, dtype, seen.device)

    def _leader(
        self, op: Op, tensors: Sequence[Any], views: Sequence[View | None], out: Any
    ) -> tuple[Any, View | None]:
        """The array that decides framework, device and stream: main input, else the output."""
        for tensor, seen in zip(tensors, views, strict=True):
            if seen is not None and not _is_scalar(tensor):
                return tensor, seen
        given = out[0] if isinstance(out, tuple) else out
        return (given, arrays.view(given, f"{op.name}: out")) if given is not None else (None, None)

    def _outputs(
        self,
        op: Op,
        views: Sequence[View | None],
        params: Mapping[str, Any],
        out: Any,
        leader: Any,
        first: View | None,
    ) -> list[Any]:
        if out is not None:
            given = list(out) if isinstance(out, tuple | list) else [out]
            if len(given) != len(op.outputs):
                raise OpShapeError(
                    f"{op.name}: out has {len(given)} arrays, {len(op.outputs)} are needed",
                    hint=f"pass out=({', '.join(t.name for t in op.outputs)},)",
                )
            return given
        wanted = shapes.outputs(op, [None if v is None else v.shape for v in views], params)
        main = next((v for v, t in zip(views, op.inputs, strict=True) if v and not t.dtypes), None)
        made = []
        for declared, shape in zip(op.outputs, wanted, strict=True):
            made.append(self._empty(_out_dtype(op, declared.dtypes, main, params), shape, leader,
                                    first))  # fmt: skip
        return made

    def _empty(self, dtype: DType, shape: tuple[int, ...], leader: Any, first: View | None) -> Any:
        try:
            if first is not None:
                array = frameworks.empty(leader, first, shape, dtype)
                if array is not None:
                    return array
            elif self.target == "cpu":
                return np.empty(shape, frameworks.numpy_dtype(dtype))
        except (MemoryError, OverflowError, ValueError) as error:
            raise OpMemoryError(
                f"no result of shape {shape} and type {dtype} can be allocated: {error}",
                hint="use a smaller shape",
            ) from None
        return DeviceArray.empty(self.library, shape, dtype)

    def _check_outputs(self, op: Op, seen: Sequence[View], written: Sequence[View]) -> None:
        for view, declared in zip(written, op.outputs, strict=True):
            name = f"{op.name}: {declared.name}"
            arrays.check_device(self.target, name, view)
            if not view.writable:
                raise OpStrideError(f"{name} is read-only", hint="pass a writable array as out")
            if self.target != "cpu" and seen and view.device[1] != seen[0].device[1]:
                raise OpShapeError(f"{name} is on another device", hint="allocate it beside x")

    def _stream(self, op: Op, leader: Any, seen: View, stream: Any) -> int:
        given = None if stream is None else frameworks.stream_handle(stream, op.name)
        if self._capture is not None:
            if given not in (None, self._capture[1]):
                raise OpError(
                    f"{op.name}: stream={given} during a capture, which has a stream of its own",
                    hint="leave out stream",
                )
            return self._capture[1]
        if given is not None:
            return given
        own = 0 if leader is None else frameworks.current_stream(leader, seen)
        return own or self.library.current_stream()

    def _run(
        self,
        op: Op,
        views: Sequence[View | None],
        params: Mapping[str, Any],
        stream: int,
    ) -> None:
        library = self.library
        tensors = [
            None if v is None else abi.tensor(v.data, v.dtype.code, v.shape, v.strides)
            for v in views
        ]
        workspace, size = 0, 0
        if op.workspace:
            status, size = library.workspace_size(op, tensors, params)
            library.check(status, op.name)
            workspace = library.alloc(size, stream) if size else 0
        try:
            library.check(library.call(op, tensors, params, workspace, size, stream), op.name)
        finally:
            if workspace:
                library.release(workspace, stream)
        if self.target == "cpu" and self._capture is None:
            library.synchronize(stream)


def _spread(
    op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arrays of `concatenate([a, b], axis)`, as NumPy has it, one by one."""
    if not args or not isinstance(args[0], list | tuple):
        return args, kwargs
    if len(args[0]) > len(op.inputs):
        raise OpShapeError(
            f"{op.name}: {len(args[0])} arrays",
            hint=f"{len(op.inputs)} at a time; concatenate the results",
        )
    if len(args) == 2:
        kwargs = {**kwargs, "axis": args[1]}
    return (*args[0], *args[2:]), kwargs


def _usual(choices: tuple[str, ...]) -> str:
    """The type that a Python number takes where the op names the types."""
    return "i64" if "i64" in choices else choices[0]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, int | float | bool)


def _normal(op: Op, given: Mapping[str, Any], seen: Sequence[View]) -> dict[str, Any]:
    params = dict(given)
    rank = len(seen[0].shape) if seen else 0
    for param in (*op.params, *EXTRA.get(op.shape, ())):
        if param.type == "dtype":
            continue
        if op.shape == "arg_reduce" and param.name == "axis":
            params["axis"] = parameters.axis_or_none(op, param, params["axis"])
        else:
            params[param.name] = parameters.checked(op, param, params[param.name])
    if op.param("axes"):
        params["axes"] = shapes.axes(op.name, params["axes"], rank)
    shapes.complete(op, params, rank)
    return params


def _out_dtype(
    op: Op, choices: tuple[str, ...], main: View | None, params: Mapping[str, Any]
) -> DType:
    wanted = params.get("dtype")
    if op.main is None or len(choices) > 1:
        if wanted is None:
            return dtypes.DTYPES[(choices or op.core_types)[0]]
        found = dtypes.find(wanted)
        allowed = choices or op.all_types
        if found is None or found.name not in allowed:
            name = getattr(wanted, "__name__", wanted)
            raise OpDtypeError(
                f"{op.name}: dtype {name} is not one of {', '.join(allowed)}",
                hint="use one of these names, or the framework's own dtype",
            )
        return found
    if choices:
        return dtypes.DTYPES[choices[0]]
    if main is None:
        raise OpDtypeError(f"{op.name}: no input decides the type", hint="pass out=")
    return main.dtype
