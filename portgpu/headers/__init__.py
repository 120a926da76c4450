"""Renders the headers that sources are compiled with: the dialect, and HIP names for CUDA."""

from __future__ import annotations

from portgpu.headers.dialect import render, render_reverse
from portgpu.headers.shadow import HOST_RESPONSE_FILE, render_shadow

__all__ = ["HOST_RESPONSE_FILE", "render", "render_reverse", "render_shadow"]
