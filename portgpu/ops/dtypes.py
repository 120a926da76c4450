"""Element types: names, C codes, and what NumPy, DLPack and the array interfaces call them.

The codes are those of `pg_dtype` in `kernels/pg_ops_abi.h`; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class DType:
    """One element type. `kind` is b(ool), u(nsigned), i(nteger) or f(loat)."""

    name: str
    code: int
    size: int
    kind: str
    storage: str  # NumPy type of the same size; bfloat16 is kept as uint16 bits
    dlpack: int  # DLPack type code

    @property
    def numpy(self) -> np.dtype[Any]:
        """NumPy type that stores one element (uint16 for bf16)."""
        return np.dtype(self.storage)

    def __str__(self) -> str:
        return self.name


_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6  # DLDataTypeCode

_ALL = (
    DType("bool", 0, 1, "b", "bool", _BOOL),
    DType("u8", 1, 1, "u", "uint8", _UINT),
    DType("i8", 2, 1, "i", "int8", _INT),
    DType("u16", 3, 2, "u", "uint16", _UINT),
    DType("i16", 4, 2, "i", "int16", _INT),
    DType("u32", 5, 4, "u", "uint32", _UINT),
    DType("i32", 6, 4, "i", "int32", _INT),
    DType("u64", 7, 8, "u", "uint64", _UINT),
    DType("i64", 8, 8, "i", "int64", _INT),
    DType("f16", 9, 2, "f", "float16", _FLOAT),
    DType("bf16", 10, 2, "f", "uint16", _BFLOAT),
    DType("f32", 11, 4, "f", "float32", _FLOAT),
    DType("f64", 12, 8, "f", "float64", _FLOAT),
)

DTYPES: dict[str, DType] = {dtype.name: dtype for dtype in _ALL}
BY_CODE: dict[int, DType] = {dtype.code: dtype for dtype in _ALL}
BY_DLPACK: dict[tuple[int, int], DType] = {(d.dlpack, 8 * d.size): d for d in _ALL}
BY_NUMPY: dict[str, DType] = {d.storage: d for d in _ALL if d.name != "bf16"} | {
    "bfloat16": DTYPES["bf16"]
}
# Names that frameworks use: str(torch.float32) ends in float32, as NumPy's does.
ALIASES: dict[str, str] = {"half": "f16", "float": "f32", "double": "f64", "bool_": "bool"} | {
    name: dtype.name for name, dtype in BY_NUMPY.items()
}


def find(name: object) -> DType | None:
    """The type that `name` means: "f32", "float32", a NumPy or PyTorch dtype, bool, int (i64) or
    float (f64, as in NumPy); None if unknown."""
    if isinstance(name, DType):
        return name
    if isinstance(name, type) and (issubclass(name, np.generic) or name in (bool, int, float)):
        name = np.dtype(name).name
    text = str(name).rsplit(".", 1)[-1].strip("'<> ")
    return DTYPES.get(ALIASES.get(text, text))
