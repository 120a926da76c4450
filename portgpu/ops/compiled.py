"""The compiled binding: the same functions as `portgpu.ops.functions`, with less work per call.

It lies beside the library that it belongs to (`portgpu build` makes it where a C compiler and
Python's headers are). A call that it does not understand, and every error, goes to the Python
function, so that there is one meaning.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from portgpu.ops import abi, dtypes, functions
from portgpu.ops.arrays import ACCEPTED
from portgpu.ops.device_array import DEVICE, DeviceArray
from portgpu.ops.errors import OpDtypeError
from portgpu.ops.frameworks import numpy_dtype
from portgpu.ops.registry import INDEX_TYPES, Op
from portgpu.resources import BINDING

VERSION = 1

# enum rule and enum slot_kind of native/binding.h
_RULES = {
    "elementwise": 1, "axis": 2, "norm": 2, "softmax_backward": 2, "rope": 2, "reduce": 3,
    "arg_reduce": 4, "matmul": 5,
}  # fmt: skip
_INPUT, _OUTPUT, _PARAM, _KEEPDIMS, _OUT, _STREAM, _OTHER = range(7)
_TYPES = {"i32": "i", "i64": "l", "f64": "d", "bool": "b", "axes": "a"}


class Binding:
    """The binding of one loaded library."""

    def __init__(self, module: Any, library: abi.Library) -> None:
        self._module = module
        self._library = library
        found = dtypes.BY_CODE
        self._handle = module.open(
            str(library.path),
            {
                "is_cpu": int(library.target == "cpu"),
                "accepted": sum(1 << kind for kind in ACCEPTED[library.target]),
                "devices": library.device_count(),
                "device_type": DEVICE[library.target],
                "python": library,
                "fail": library.check,
                "array_type": DeviceArray,
                "ndarray": np.ndarray,
                "np_empty": np.empty,
                "pg_types": [found[code] for code in range(len(found))],
                "np_types": [_numpy_type(found[code]) for code in range(len(found))],
            },
        )

    def function(self, op: Op, python: Callable[..., Any]) -> Callable[..., Any]:
        """The compiled function of `op`; `python` takes the calls that it does not understand."""
        if any(p.type == "axes" and p.name != "axes" for p in op.params):
            return python  # widths and strides that Python completes for each axis
        spec = functions.signature(op)
        inputs = {t.name: i for i, t in enumerate(op.inputs)}
        outputs = {t.name: i for i, t in enumerate(op.outputs)}
        params = {p.name: i for i, p in enumerate(op.params)}
        slots: list[tuple[Any, ...]] = []
        for name, parameter in spec.parameters.items():
            if name in inputs:
                place = (_INPUT, inputs[name])
            elif op.inout and name in outputs:
                place = (_OUTPUT, outputs[name])
            elif name in params:
                place = (_PARAM, params[name])
            else:
                kinds = {"keepdims": _KEEPDIMS, "out": _OUT, "stream": _STREAM}
                place = (kinds.get(name, _OTHER), 0)
            default = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
            slots.append((name, *place, *default))
        positional = sum(
            p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in spec.parameters.values()
        )
        function: Callable[..., Any] = self._module.function(
            self._handle,
            op.name,
            f"{op.name}{spec}\n--\n\n{functions.document(op)}",
            tuple((t.optional, t.dtypes == INDEX_TYPES, bool(t.dtypes)) for t in op.inputs),
            tuple(_out_code(op, t.dtypes) for t in op.outputs),
            tuple(("c" if p.choices else _TYPES[p.type], p.choices) for p in op.params),
            tuple(slots),
            (positional, op.inout, _RULES.get(op.shape, 0)),
            python,
        )
        return function

    def set_stream(self, stream: int) -> None:
        """The calling thread's stream for arrays that have no framework."""
        self._module.set_stream(self._handle, stream)

    def set_slow(self, slow: bool) -> None:
        """Send every call to Python: during a capture, which keeps all arrays alive."""
        self._module.set_slow(self._handle, slow)

    def measure(self, symbol: str, arguments: tuple[int, ...], count: int) -> float:
        """Seconds that `count` calls of a C function take; pointers and integers only."""
        return float(self._module.measure(self._handle, symbol, arguments, count))

    def add_number(self, value: float, code: int, device: int, address: int) -> None:
        """From now on the Python number `value` is found at `address`."""
        self._module.add_number(self._handle, value, code, device, address)

    def drop_numbers(self) -> None:
        """Forget all numbers; their memory may go then."""
        self._module.drop_numbers(self._handle)


def _numpy_type(dtype: dtypes.DType) -> Any:
    try:
        return numpy_dtype(dtype)
    except OpDtypeError:  # bf16 without ml_dtypes
        return None


def _out_code(op: Op, choices: tuple[str, ...]) -> int:
    """The output's type where no argument chooses it: a code, -1 the main input's, -2 unknown."""
    if not choices:
        return -1 if op.inputs else -2
    if len(choices) > 1 and choices != INDEX_TYPES:
        return -2
    return dtypes.DTYPES[choices[0]].code


def find(library: abi.Library) -> tuple[Binding | None, str]:
    """The binding beside the library, and "compiled"; else None, and why not."""
    path = library.path.with_name(BINDING)
    if not path.is_file():
        return None, f"ctypes ({BINDING} is not beside the library)"
    try:
        module = _module(path)
    except ImportError as error:
        return None, f"ctypes ({path.name} cannot be loaded: {error})"
    if (module.VERSION, module.ABI_VERSION) != (VERSION, abi.ABI_VERSION):
        return None, f"ctypes ({path.name} is of another version of portgpu; rebuild the library)"
    return Binding(module, library), "compiled"


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("_portgpu_ops", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no extension module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
