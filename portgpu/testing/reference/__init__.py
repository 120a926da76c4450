"""The oracle: every op in NumPy, float64, from the inputs as rounded to their type.

A reference is a function of a `Call`, registered under the name that `kernels/registry.toml` gives
(`reference`, by default the op's own name). It returns one `Expected` per output. Floating inputs
arrive as float64, integers and bool in their own type; integer results wrap as in C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from portgpu.errors import InternalError
from portgpu.testing.numeric import Array


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of one op call. `outputs` are (shape, dtype); `initial` what they held before."""

    op: str  # the reference's name
    inputs: Sequence[Any]  # logical arrays; None for optional inputs left out
    dtype: str  # of the main tensor
    params: Mapping[str, Any]
    outputs: Sequence[tuple[tuple[int, ...], str]]
    initial: Sequence[Array | None]


@dataclass(frozen=True, slots=True)
class Expected:
    """An output before rounding to its type, and what its error may scale with.

    `scale` is the magnitude that rounding errors are relative to (by default the value's own),
    `terms` how many roundings add up: the tolerance is a multiple of sqrt(terms) * eps * scale.
    `inner` is the sum of the magnitudes of those terms with a factor that was rounded to the type.
    """

    value: Array
    scale: Array | None = None
    terms: int = 1
    zero_sign: bool = False  # -0 and +0 are told apart
    also: Array | None = None  # integers that are right as well, where rounding decides
    inner: Array | None = None


def broadcast(expected: Expected, shape: tuple[int, ...]) -> Expected:
    """The expectation repeated to `shape`, for inputs that broadcast to a larger output."""
    return Expected(
        np.broadcast_to(expected.value, shape),
        None if expected.scale is None else np.broadcast_to(expected.scale, shape),
        expected.terms,
        expected.zero_sign,
    )


Reference = Callable[[Call], Sequence[Expected]]
_TABLE: dict[str, Reference] = {}


def reference(*names: str) -> Callable[[Reference], Reference]:
    """Register a function as the reference `names`."""

    def register(function: Reference) -> Reference:
        for name in names:
            _TABLE[name] = function
        return function

    return register


def find(name: str) -> Reference:
    """The reference called `name`; raises `InternalError` when it is not written yet."""
    if name not in _TABLE:
        raise InternalError(
            f"no reference is called {name!r}",
            hint="write it in portgpu/testing/reference/ and register it under this name",
        )
    return _TABLE[name]


def names() -> list[str]:
    """All registered names."""
    return sorted(_TABLE)


from portgpu.testing.reference import (  # noqa: E402
    attention,  # noqa: F401
    convolution,  # noqa: F401
    elementwise,  # noqa: F401
    network,  # noqa: F401
    ordering,  # noqa: F401
    quantized,  # noqa: F401
    random,  # noqa: F401
    reduction,  # noqa: F401
    selection,  # noqa: F401
    spectral,  # noqa: F401
)
