"""Rules proven by programs: the linter objects, the CPU target at width 64 fails, and the fixed
program passes both.

The programs are HIP, whose warps are the device's (one is in the dialect). Each has wrong and
right code side by side under `#if FIXED`; `proof.h` compares what comes out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from portgpu.lint.check import check_file
from portgpu.lint.options import Options
from portgpu.lint.project import Project

PROOFS = sorted((Path(__file__).parent / "proofs").glob("*.cu"))


def variant(source: Path, fixed: bool, folder: Path) -> Path:
    out = folder / source.name
    text = source.read_text(encoding="utf-8")
    out.write_text(text.replace("#if FIXED", f"#if {int(fixed)}"), encoding="utf-8")
    shutil.copy(source.parent / "proof.h", folder)
    return out


@pytest.mark.parametrize("source", PROOFS, ids=lambda p: p.stem)
@pytest.mark.parametrize("fixed", [False, True], ids=["wrong", "fixed"])
def test_linter(source: Path, fixed: bool, tmp_path: Path) -> None:
    rule = source.stem[:6].upper()
    path = variant(source, fixed, tmp_path)
    project = Project([str(path), str(tmp_path / "proof.h")])
    findings = check_file(project, str(path), Options(select=(rule,)))
    # What is wrong on the device is an error or a warning there, never a note.
    assert bool(findings) is not fixed
    assert {f.id for f in findings} <= {rule}
    assert {f.severity.value for f in findings} <= {"error", "warning"}


@pytest.mark.slow
@pytest.mark.parametrize("source", PROOFS, ids=lambda p: p.stem)
@pytest.mark.parametrize("fixed", [False, True], ids=["wrong", "fixed"])
def test_emulator_at_width_64(source: Path, fixed: bool, tmp_path: Path) -> None:
    path = variant(source, fixed, tmp_path)
    command = [sys.executable, "-m", "portgpu", "run", str(path), "--target", "cpu"]
    command += ["--warp-size", "64", "--as", "gfx90a", "--build-dir", str(tmp_path / "build")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    output = done.stdout + done.stderr
    if fixed:
        assert done.returncode == 0, output
    else:
        # Wrong values (1), a launch that fails (2), a diagnostic of the emulator (86), or no build
        # at all (5: a mask of 32 bits where HIP wants 64).
        assert done.returncode in (1, 2, 5, 86), output
