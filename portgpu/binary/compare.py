"""Compares the kernels of two builds: what grew, what shrank, what came and went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from portgpu.binary.model import Kernel

MEASURES = ("registers", "agprs", "spills", "shared", "stack")


@dataclass(frozen=True, slots=True)
class Change:
    """One measure of one kernel that differs; `before`/`after` are None where the kernel is not."""

    kernel: str
    arch: str
    measure: str
    before: int | None
    after: int | None

    @property
    def grew(self) -> bool:
        """Whether the kernel now needs more. New and vanished kernels did not grow."""
        return self.before is not None and self.after is not None and self.after > self.before

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kernel": self.kernel,
            "arch": self.arch,
            "measure": self.measure,
            "before": self.before,
            "after": self.after,
            "grew": self.grew,
        }


def compare(before: Iterable[Kernel], after: Iterable[Kernel]) -> list[Change]:
    """All differences, by kernel name and architecture. Unknown measures are skipped."""
    old = {(k.name, k.arch): k for k in before}
    new = {(k.name, k.arch): k for k in after}
    changes = []
    for key in sorted(old.keys() | new.keys()):
        if key not in old or key not in new:
            here, there = old.get(key), new.get(key)
            changes.append(
                Change(
                    *key,
                    "kernel",
                    here.registers if here else None,
                    there.registers if there else None,
                )
            )
            continue
        for measure in MEASURES:
            a, b = getattr(old[key], measure), getattr(new[key], measure)
            if a is not None and b is not None and a != b:
                changes.append(Change(*key, measure, a, b))
    return changes
