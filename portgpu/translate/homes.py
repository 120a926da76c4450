"""Which part of our compat headers has a name."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from portgpu import resources

CUB_PARTS = "cub_parts"
THRUST_FUNCTORS = "thrust_functors"
ALONE = "nvtx"  # parts that start so need neither HIP nor our main header


def home(name: str) -> str:
    """The part that has a name, "" when the main header has it or none."""
    return homes().get(name, ("",))[0]


@functools.cache
def homes() -> dict[str, tuple[str, ...]]:
    """Name -> the part (half, nvtx, …) that has it, of names that the main header lacks."""
    folder = resources.templates("compat", "portgpu")
    main = {w for path in (folder / "compat").glob("*.h") for w in _words(path)}
    found: dict[str, tuple[str, ...]] = {}
    # A name in two of them belongs to the later one.
    for part in (THRUST_FUNCTORS, "thrust", "cub_dispatch", CUB_PARTS, "mma_ptx", "pipeline",
                 "atomic", "blas", "cub", "fp8", "bf16", "half", "solver", "sparse",
                 ALONE):  # fmt: skip
        for word in _words(folder / f"hip_compat_{part}.h") - main:
            found[word] = (part,)
    return found


def words_of(part: str) -> set[str]:
    """The words of one part."""
    return _words(resources.templates("compat", "portgpu") / f"hip_compat_{part}.h")


def _words(path: Path) -> set[str]:
    """The words of a header outside of comments; not by the lexer, since this is start-up time."""
    text = re.sub(r"//.*|/\*.*?\*/", "", path.read_text(encoding="utf-8"))
    return set(re.findall(r"[A-Za-z_]\w*", text))
