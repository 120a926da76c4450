"""Runs device code compiled for AMD on this machine: its LLVM IR for the host, one fiber a lane.

No AMD GPU is needed, and nothing of ours stands between: HIP's own headers, the device library and
the compiler's passes for AMD have all had their say. What the host's code generator adds is plain
arithmetic. Operations across lanes, barriers and built-in values are functions of `runtime.cpp`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
_ADDRESS_SPACE = re.compile(r",? addrspace\(\d\)")
# AMD's conversions to 32 bits give the nearest number that there is, as this intrinsic does.
_TO_INTEGER = re.compile(r"fpto([su])i (float|double) (\S+) to i32")
_KINDS = {"float": "f32", "double": "f64"}


def retarget(text: str) -> str:
    """LLVM IR for AMD as IR for the host, with AMD's intrinsics as plain functions."""
    text = re.sub(r"^target .*$", "", text, flags=re.M)
    text = re.sub(r"attributes (#\d+) = \{.*?\}", r"attributes \1 = { nounwind }", text)
    text = _ADDRESS_SPACE.sub("", text).replace("addrspacecast", "bitcast")
    text = re.sub(r"\bamdgpu_kernel |\bprotected ", "", text)
    text = re.sub(r' syncscope\("[^"]*"\)', "", text)
    text = re.sub(r"^@llvm\.(?:compiler\.)?used.*$", "", text, flags=re.M)
    text = re.sub(r"call i64 @llvm\.read_register\.i64\(metadata !\d+\)",
                  "call i64 @amdgcn.exec64()", text)  # fmt: skip
    text = re.sub(r"^declare i\d+ @llvm\.read_register.*$", "", text, flags=re.M)
    text = text.replace("@llvm.amdgcn.", "@amdgcn.")
    text = re.sub(r"@llvm\.[\w.]+", lambda m: re.sub(r"\.p[1-7](?=\.|\b)", ".p0", m[0]), text)
    text = _TO_INTEGER.sub(
        lambda m: f"call i32 @llvm.fpto{m[1]}i.sat.i32.{_KINDS[m[2]]}({m[2]} {m[3]})", text
    )
    lines: dict[str, None] = {}  # a second declaration of a name goes
    for number, line in enumerate(text.splitlines()):
        lines[line if line.startswith("declare") else f"{line}\0{number}"] = None
    kept = [line.partition("\0")[0] for line in lines]
    kept += [
        f"declare i32 @llvm.fpto{s}i.sat.i32.{k}({t})"
        for s in "su"
        for t, k in _KINDS.items()
        if f"@llvm.fpto{s}i.sat.i32.{k}(" in text
    ]
    if "@amdgcn.exec64" in text:
        kept.append("declare i64 @amdgcn.exec64()")
    return "\n".join([*kept, ""])


def run(command: Sequence[str | Path]) -> str:
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
    assert done.returncode == 0, "\n".join([" ".join(words), *errors[:20]])
    return done.stdout


def output(
    kernels: Path, driver: str, folder: Path, arch: str = "gfx90a", flags: Sequence[str] = ()
) -> str:
    """What `driver`, a C++ program that calls `run_grid`, prints with these kernels.

    `kernels` is HIP, or CUDA with the flags of the shadow headers; it is compiled by hipcc.
    """
    hipcc, clang = shutil.which("hipcc"), shutil.which("clang++-15")
    assert hipcc is not None and clang is not None
    folder.mkdir(parents=True, exist_ok=True)
    ir = folder / "device.ll"
    run([hipcc, f"--offload-arch={arch}", "-std=c++17", "-O2", "--cuda-device-only", "-S",
         "-emit-llvm", "-x", "hip", *flags, kernels, "-o", ir])  # fmt: skip
    host = folder / "host.ll"
    host.write_text(retarget(ir.read_text()))
    (folder / "driver.cpp").write_text(driver)
    wave = 64 if arch.startswith("gfx9") else 32
    common = [
        clang,
        "-std=c++17",
        "-fno-pic",
        "-Wno-override-module",
        f"-DWAVE={wave}",
        f"-I{HERE}",
    ]
    run([*common, "-O0", "-c", host, "-o", folder / "kernels.o"])
    run([*common, "-O1", "-c", HERE / "runtime.cpp", "-o", folder / "runtime.o"])
    run([*common, "-O1", "-c", folder / "driver.cpp", "-o", folder / "driver.o"])
    objects = [folder / f"{name}.o" for name in ("kernels", "runtime", "driver")]
    run([clang, "-static", *objects, "-o", folder / "program"])
    return run([folder / "program"])
