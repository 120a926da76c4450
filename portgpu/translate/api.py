"""The mapping tables as the translator reads them: byte names, and what each becomes."""

from __future__ import annotations

import csv
import functools
import re

from portgpu import mapping, resources
from portgpu.mapping import Entry, Kind

# Names that no table knows, but that are spelt like NVIDIA's.
CUDA_LIKE = re.compile(
    rb"(?:cuda[A-Z]|cublas[A-Z]|cufft[A-Z]|curand[A-Z_]|cusparse[A-Z]|cusolver[A-Z]|cudnn[A-Z]"
    rb"|nvrtc[A-Z]|nvml[A-Z]|nvjpeg[A-Z]|cutensor[A-Z]|npp[is][A-Z]|nvshmem|CUDNN_|CUBLAS_|CUSPARSE_"
    rb"|CUSOLVER_|CUFFT_|CURAND_|__nv_[a-z]|__NV_)\w*\Z"
)
# Namespaces of NVIDIA's whose members the tables or shims know.
API_NAMESPACES = frozenset(
    (b"cub", b"thrust", b"cooperative_groups", b"nvcuda", b"cuda", b"hipcub", b"std")
)


@functools.cache
def forward() -> dict[bytes, str]:
    """Every CUDA identifier of the tables, as bytes -> text (the key of `entry`)."""
    return {name.encode(): name for name in mapping.load().names}


def entry(name: bytes) -> Entry | None:
    """The table row of a CUDA identifier."""
    text = forward().get(name)
    return mapping.load().get(text) if text is not None else None


@functools.cache
def shims() -> dict[bytes, tuple[str, str, str]]:
    """CUDA name -> (kind, shim, note) of `portgpu/data/translate/compat.csv`.

    Kinds: "call" and "value" are renamed to `pg_compat::shim`; "warp" too, unless the native warp
    is asked for; "text" is replaced by the words in `shim`; "macro" by a macro of that name.
    """
    path = resources.data("translate", "compat.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["cuda"].encode(): (row["kind"], row["shim"], row["note"])
            for row in csv.DictReader(file)
        }


def is_type(found: Entry) -> bool:
    return found.kind in (Kind.TYPE, Kind.STRUCT)


def version(text: str) -> tuple[int, ...]:
    """ "6.2.0" -> (6, 2, 0)"""
    return tuple(int(part) for part in re.findall(r"\d+", text)) if text else ()
