"""Builds device_check.cu, which checks every function of the dialect on the device at hand.

    python tests/dialect/build_device_check.py cuda|reverse|rocm|cpu OUT [--arch sm_90]

"reverse" is the ROCm headers on NVIDIA, through HIP's names on CUDA. Run OUT [SEED] on the device:
it prints PASS or FAIL for each function, and ends with 0 if all passed, 1 if not, 7 without a
device.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from portgpu import headers  # noqa: E402

DEFAULT_ARCH = {"cuda": "sm_90", "reverse": "sm_90", "rocm": "gfx90a", "cpu": ""}


def main() -> int:
    """Render the headers, compile, link; returns the compiler's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=DEFAULT_ARCH)
    parser.add_argument("out")
    parser.add_argument("--arch")
    options = parser.parse_args()
    arch = options.arch or DEFAULT_ARCH[options.target]
    with tempfile.TemporaryDirectory() as folder:
        include = Path(folder)
        headers.render("rocm" if options.target == "reverse" else options.target, include)
        if options.target == "reverse":
            headers.render_reverse(include)
        source = str(HERE / "device_check.cu")
        tail = ["-std=c++17", "-O2", f"-I{include}", source]
        if options.target in ("cuda", "reverse"):
            command = ["nvcc", f"-arch={arch}", *tail, "-o", options.out]
        elif options.target == "rocm":
            set_platform = ["env", "HIP_PLATFORM=amd"]
            command = [*set_platform, "hipcc", f"--offload-arch={arch}", "-x", "hip", *tail]
            command += ["-o", options.out]
        else:
            runtime = str(include / "src" / "pgcpu.cpp")
            command = ["g++", "-g1", "-x", "c++", *tail, runtime, "-o", options.out]
            command += ["-pthread", "-ldl"]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
