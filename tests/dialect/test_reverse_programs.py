"""HIP translations compile for NVIDIA: all programs through the reverse headers, masks included."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from portgpu import resources
from portgpu.cli import run as portgpu
from portgpu.headers import render_reverse

PROGRAMS = Path(__file__).parents[1] / "translate" / "programs"
# Names that several programs use; each part gets its own.
_SHARED_NAMES = ("main", "work", "more")

pytestmark = pytest.mark.cuda_compiler


def ptx(source: Path, *includes: Path) -> str:
    target = source.with_suffix(".ptx")
    done = subprocess.run(
        ["nvcc", "-std=c++17", "--expt-relaxed-constexpr", "-arch=sm_90", "-x", "cu", "-ptx",
         *(f"-I{i}" for i in includes), str(source), "-o", str(target)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return target.read_text()


@pytest.mark.parametrize("version", [11070, 13000])
def test_all_programs(version: int, tmp_path: Path) -> None:
    hip, reverse = tmp_path / "hip", tmp_path / "reverse"
    assert portgpu(["translate", str(PROGRAMS), "-o", str(hip), "-q"]) == 0
    render_reverse(reverse)
    lines = [f"#define PG_COMPAT_CUDA_VERSION {version}"]
    for source in sorted(hip.glob("*.cu")):
        lines += [f"#define {name} {name}_{source.stem}" for name in _SHARED_NAMES]
        lines.append(f'#include "{source}"')
        lines += [f"#undef {name}" for name in _SHARED_NAMES]
    unit = tmp_path / "all.cu"
    unit.write_text("\n".join([*lines, "int main() { return 0; }", ""]))
    text = ptx(unit, hip, reverse)
    assert text.count(".entry") >= len(list(hip.glob("*.cu")))


KERNEL = """#include "portgpu/hip_compat.h"
__global__ void k(int* p, unsigned mask) {
  p[0] = pg_compat::shfl_xor_sync(mask, p[threadIdx.x], 4) + pg_compat::ballot_sync(mask, p[1]) +
         pg_compat::match_any_sync(mask, p[2]) + pg_compat::reduce_add_sync(mask, p[3]);
  pg_compat::syncwarp(mask);
  p[1] = pg_compat::vadd4(p[4], p[5]) + pg_compat::ffs(p[6]);
}
"""


@pytest.mark.parametrize("reverse", [False, True])
def test_masks_are_honoured(reverse: bool, tmp_path: Path) -> None:
    """With our headers, and with CUDA's alone: every lane of the mask is waited for."""
    source = tmp_path / "masks.cu"
    source.write_text(KERNEL)
    compat = resources.templates("compat")
    if reverse:
        render_reverse(tmp_path / "reverse")
    text = ptx(source, compat, *([tmp_path / "reverse"] if reverse else []))
    masked = re.findall(r"(?:shfl\.sync|vote\.sync|bar\.warp\.sync)[^;]*;", text)
    assert masked
    assert "activemask" not in text
    assert not any("-1;" in line for line in masked), masked
