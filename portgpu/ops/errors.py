"""What the op library says to bad input: one exception a kind, and the C status behind it.

The numbers are those of `pg_status` in `kernels/pg_ops_abi.h`; a test compares the two.
"""

from __future__ import annotations

from portgpu.errors import Exit, PortgpuError


class OpError(PortgpuError):
    """An op refused its arguments; nothing was written. `status` is the C status code."""

    exit_code = Exit.USAGE

    def __init__(self, message: str, *, hint: str = "", detail: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint, detail=detail)
        self.status = status


class OpDtypeError(OpError, TypeError):
    """An element type that the op, or this build of it, does not take."""


class OpShapeError(OpError, ValueError):
    """Shapes that do not fit together, or a negative or too large extent."""


class OpStrideError(OpError, ValueError):
    """A memory layout that the op cannot write to, such as overlapping output elements."""


class OpNullError(OpError, ValueError):
    """A null pointer where elements are needed."""


class OpAxisError(OpError, ValueError):
    """An axis out of range, or named twice."""


class OpIndexError(OpError, IndexError):
    """An index outside the indexed axis."""


class OpWorkspaceError(OpError, ValueError):
    """A workspace that is missing or too small."""


class OpDeviceError(OpError, RuntimeError):
    """Memory of another device, a missing device, or a failing call of the device runtime."""


class OpMemoryError(OpError, MemoryError):
    """No device memory is left, or the limit of the allocator is reached."""


class OpUnsupportedError(OpError, NotImplementedError):
    """Something that the op does not do at all."""


class OpValueError(OpError, ValueError):
    """Any other argument out of its range."""
