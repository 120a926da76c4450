"""One line of the benchmark's table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Case:
    """Calls that take turns, bytes moved at least, and PyTorch's way."""

    name: str
    calls: list[Callable[[], None]]
    nbytes: int
    torch: Callable[[Any], Callable[[], Any]] | None = None
    reach: float | None = None  # times the floor
