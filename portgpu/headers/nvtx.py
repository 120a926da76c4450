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
    """Headers called as NVTX's, and the one of ours that they include; paths within a folder."""
    lines = ["#pragma once", f"#include <{COMPAT}>", *(f"#define {a} {b}" for a, b in names())]
    text = ("\n".join(lines) + "\n").encode()
    ours = resources.templates("compat").joinpath(*COMPAT.split("/")).read_bytes()
    return {COMPAT: ours, **dict.fromkeys(sorted(NVTX), text)}
