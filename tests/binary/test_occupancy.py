"""Occupancy, against values worked out by hand from the vendors' documents; comparisons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portgpu.binary import Kernel, occupancy
from portgpu.binary.compare import compare
from portgpu.cli import run


def kernel(arch: str, registers: int, **more: int) -> Kernel:
    return Kernel("k", arch, registers, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arch", "registers", "more", "block", "warps", "limit"),
    [
        # 65536 registers: at 32 a thread all 64 warps of an A100 fit; at 64 half of them.
        ("sm_80", 32, {}, 256, 64, "-"),
        ("sm_80", 64, {}, 256, 32, "registers"),
        ("sm_80", 255, {}, 256, 8, "registers"),
        ("sm_80", 33, {}, 256, 48, "registers"),
        # 48 KB + 1 KB reserved in 164 KB: three blocks.
        ("sm_80", 16, {"shared": 48 * 1024}, 128, 12, "shared"),
        # 32-thread blocks: 32 of them at most.
        ("sm_80", 16, {}, 32, 32, "blocks"),
        ("sm_75", 32, {}, 1024, 32, "-"),
        ("sm_86", 40, {}, 256, 48, "-"),
        # gfx90a: 512 VGPRs, 8 waves a SIMD, 4 SIMDs.
        ("gfx90a", 64, {"wave": 64}, 256, 32, "-"),
        ("gfx90a", 65, {"wave": 64}, 256, 28, "registers"),
        ("gfx90a", 256, {"wave": 64}, 256, 8, "registers"),
        ("gfx90a", 16, {"wave": 64, "shared": 32768}, 256, 8, "shared"),
        ("gfx906", 128, {"wave": 64}, 256, 8, "registers"),
        ("gfx1030", 64, {"wave": 32}, 256, 32, "-"),
        ("gfx1030", 72, {"wave": 32}, 256, 24, "registers"),
        ("gfx1030", 64, {"wave": 64}, 256, 16, "registers"),
    ],
)
def test_by_hand(
    arch: str, registers: int, more: dict[str, int], block: int, warps: int, limit: str
) -> None:
    found = occupancy.of(kernel(arch, registers, **more), block)
    assert found is not None
    assert (found.warps, found.limit) == (warps, limit)


def test_block_defaults_to_the_launch_bound() -> None:
    def block(arch: str, threads: int) -> int:
        found = occupancy.of(kernel(arch, 8, threads=threads))
        assert found is not None
        return found.block

    assert block("sm_80", 512) == 512
    assert block("sm_80", 0) == 256
    assert block("gfx90a", 1024) == 256  # what clang writes for a kernel without a bound
    assert occupancy.of(kernel("sm_999", 8)) is None


def test_compare() -> None:
    before = [kernel("sm_80", 32), kernel("sm_90", 40), Kernel("old", "sm_80", 8)]
    after = [kernel("sm_80", 34), Kernel("k", "sm_90", 30, spills=None), Kernel("new", "sm_80", 8)]
    found = compare(before, after)
    changes = {(c.kernel, c.arch, c.measure): (c.before, c.after, c.grew) for c in found}
    assert changes == {
        ("k", "sm_80", "registers"): (32, 34, True),
        ("k", "sm_90", "registers"): (40, 30, False),
        ("new", "sm_80", "kernel"): (None, 8, False),
        ("old", "sm_80", "kernel"): (8, None, False),
    }


@pytest.mark.cuda_compiler
def test_inspect_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import subprocess

    from portgpu.toolchain import find_cuda

    for name, bound in (("a", 0), ("b", 16)):
        source = tmp_path / f"{name}.cu"
        loop = "".join(f"a{i} = a{i} * p[n + {i}] + a{(i + 1) % 24};" for i in range(24))
        loads = "".join(f"float a{i} = p[{i} * n];" for i in range(24))
        stores = "".join(f"p[{i} * n] = a{i};" for i in range(24))
        source.write_text(
            f"__global__ void k(float* p, int n) {{ {loads} "
            f"for (int j = 0; j < n; j++) {{ {loop} }} {stores} }}\n"
        )
        flags = [f"-maxrregcount={bound}"] if bound else []
        subprocess.run(
            [find_cuda().compiler, "-cubin", "-arch=sm_80", *flags, "-o", f"{name}.cubin", source],
            check=True,
            cwd=tmp_path,
        )
    a, b = str(tmp_path / "a.cubin"), str(tmp_path / "b.cubin")
    assert run(["inspect", a, "--format", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["files"]
    assert entry["kernels"][0]["display"] == "k"
    assert entry["kernels"][0]["spills"] == 0
    assert entry["kernels"][0]["occupancy"]["most"] == 64
    assert run(["inspect", a]) == 0
    assert "sm_80" in capsys.readouterr().out
    # -maxrregcount spills: fewer registers, more spills.
    assert run(["inspect", b, "--compare", a, "--fail-on-growth"]) == 1
    out = capsys.readouterr().out
    assert "spills grew" in out
    assert "registers shrank" in out
    assert run(["inspect", a, "--compare", a, "--fail-on-growth"]) == 0
    assert "no kernel changed" in capsys.readouterr().out
    assert run(["inspect", a, "--fail-on-growth"]) == 2
    assert run(["inspect", str(tmp_path)]) == 2
    assert "build.json" in capsys.readouterr().err
