"""NVTX's headers for who has none: our own part of the compat header, under NVTX's names."""

from __future__ import annotations

from portgpu import resources
from portgpu.translate import api
from portgpu.translate.headers import NVTX

COMPAT = "portgpu/hip_compat_nvtx.h"


def names() -> list[tuple[str, str]]:
    """(NVTX name, what stands for it) of all names that our header has."""
    return [
        (name.decode(), shim if kind == "macro" else f"pg_compat::{shim}")
        for name, (kind, shim, _) in api.shims().items()
        if name[:4].lower() == b"nvtx"
    ]


def files() -> dict[str, bytes]:
    """Headers called as NVTX's, and those of ours that they include; paths within a folder."""
    ours = {f"portgpu/hip_compat_{part}.h" for part in NVTX.values()} | {COMPAT}
    found = {
        name: resources.templates("compat").joinpath(*name.split("/")).read_bytes() for name in ours
    }
    renames = "".join(f"#define {a} {b}\n" for a, b in names())
    for name, part in sorted(NVTX.items()):
        text = f"#pragma once\n#include <portgpu/hip_compat_{part}.h>\n{renames}"
        found[name] = text.encode()
    return found
