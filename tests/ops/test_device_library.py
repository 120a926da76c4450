"""The ROCm library as a loader sees it: every function that it names exists in a library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from portgpu import build, config, resources
from portgpu.build.model import Request

# All calls of the device runtime are in these.
SOURCES = ("core.cu", "memory.cu", "graph.cu", "seam.cu")


@pytest.mark.rocm_compiler
def test_loads(tmp_path: Path) -> None:
    """hipLaunchHostFunc, for instance, is in HIP 5.2's header and in none of its libraries."""
    settings = config.Config(
        root=resources.kernels().resolve(),
        project=config.Project(name="portgpu_ops", sources=SOURCES),
    )
    request = Request(
        config=settings, build_dir=tmp_path, targets=("rocm",), archs=("gfx90a",), quiet=True
    )
    (built,) = build.build(request)
    # Alone in a process: the vendors' runtimes take much of what a process has for threads.
    done = subprocess.run(
        [sys.executable, "-c",
         "import ctypes, os, sys\n"
         "library = ctypes.CDLL(sys.argv[1], os.RTLD_NOW)\n"
         "library.pg_target.restype = ctypes.c_char_p\n"
         "print(library.pg_target().decode())", str(built.library)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "rocm"
