"""Translations mean the same: on the CPU target, programs give one checksum, however they came.

The CUDA original at 32 lanes is the reference; the HIP translation, our shims included, must agree
with it at 32 and at 64 lanes, and so must the source itself through the shadow headers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from portgpu import headers
from portgpu.cli import run as portgpu
from portgpu.headers.check import check
from portgpu.run import cpu as run_cpu
from portgpu.run.model import Program

PROGRAMS = Path(__file__).parent / "programs"
# `portgpu run` looks through the casts of untyped launches.
NOT_ON_CPU = frozenset(("launch_ex",))
# The CPU target's CUDA headers lack fp8; our shims have it.
ONLY_AS_HIP = frozenset(("fp8_convert",))


def one_unit(programs: list[Path], folder: Path) -> Path:
    """A source that includes all programs, and runs one after the other."""
    lines, calls = [], []
    for source in programs:
        names = [f"{name}_{source.stem}" for name in ("main", "work", "more")]
        lines += [f"#define {n.split('_')[0]} {n}" for n in names]
        lines.append(f'#include "{source.name}"')
        lines += [f"#undef {n.split('_')[0]}" for n in names]
        calls.append(f"main_{source.stem}();")
    unit = folder / "all.cpp"
    unit.write_text("\n".join([*lines, "int main() {", *calls, "return 0; }", ""]))
    return unit


def build(folder: Path, skip: frozenset[str]) -> Path:
    """One executable of all programs in a folder that was translated for the CPU target."""
    unit = one_unit([s for s in sorted(folder.glob("*.cu")) if s.stem not in skip], folder)
    cpu = folder / "runtime"
    headers.render("cpu", cpu)
    compiler = shutil.which("g++") or shutil.which("clang++") or "c++"
    done = subprocess.run(
        [compiler, "-std=c++17", "-O0", "-g1", "-ffp-contract=off", f"-I{cpu}", f"-I{cpu}/shadow",
         str(unit), str(cpu / "src" / "pgcpu.cpp"), "-pthread", "-ldl", "-o", str(folder / "all")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, "\n".join(x for x in done.stderr.splitlines() if "error" in x)
    return folder / "all"


def sums(program: Path, lanes: int) -> dict[str, str]:
    environment = {**os.environ, "PORTGPU_WARP_SIZE": str(lanes), "PORTGPU_CPU_THREADS": "1"}
    done = subprocess.run(
        [str(program)], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


def test_original_and_translation_agree_at_both_widths(tmp_path: Path) -> None:
    hip, hip_cpu, cuda_cpu = tmp_path / "hip", tmp_path / "hip_cpu", tmp_path / "cuda_cpu"
    assert portgpu(["translate", str(PROGRAMS), "-o", str(hip), "-q"]) == 0
    assert portgpu(["translate", str(hip), "--to", "cpu", "-o", str(hip_cpu), "-q"]) == 0
    assert portgpu(["translate", str(PROGRAMS), "--to", "cpu", "-o", str(cuda_cpu), "-q"]) == 0
    shutil.copytree(hip / "portgpu", hip_cpu / "portgpu", dirs_exist_ok=True)
    translated = build(hip_cpu, NOT_ON_CPU)
    at_32, at_64 = sums(translated, 32), sums(translated, 64)
    assert at_32 == at_64
    assert len(at_32) >= 40
    original = build(cuda_cpu, NOT_ON_CPU | ONLY_AS_HIP)
    reference = sums(original, 32)
    assert {name: at_64[name] for name in reference} == reference
    assert sums(original, 64) == reference
    # Each source as it is, behind the headers that AMD would get.
    programs = [
        source
        for source in sorted(PROGRAMS.glob("*.cu"))
        if source.stem not in NOT_ON_CPU and not check(source.read_bytes(), str(source))
    ]
    assert len(programs) >= 50
    unit = one_unit(programs, tmp_path)
    untouched = Program((unit,), tmp_path / "b", (PROGRAMS,), via="headers", flags=("-O0",))
    shadow = run_cpu.build(untouched).executable
    by_headers = sums(shadow, 64)
    assert sums(shadow, 32) == by_headers
    names = {source.stem for source in programs} & by_headers.keys()
    assert len(names) >= 50
    assert {name: at_64[name] for name in names} == {name: by_headers[name] for name in names}
