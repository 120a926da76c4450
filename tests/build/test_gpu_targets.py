"""Real CUDA and ROCm builds of a tiny project, proven from the binaries."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from portgpu import binary
from portgpu.toolchain import find_cuda, find_rocm


@pytest.mark.cuda_compiler
def test_cuda(project: Any) -> None:
    (project.root / "src" / "two.cu").write_text("int on_the_host() { return 2; }\n")
    assert project.build("-t", "cuda", "-a", "sm_80,sm_90a", "-a", "compute_90") == 0, project.err
    entry = project.record()["targets"]["cuda"]
    assert entry["archs"]["found"] == ["compute_90", "sm_80", "sm_90a"]
    kernels = {(k["name"], k["arch"]) for o in entry["objects"] for k in o["kernels"]}
    assert kernels == {("_Z3onePfi", "sm_80"), ("_Z3onePfi", "sm_90a")}
    assert "sm_90a" in project.out
    assert binary.read(Path(entry["library"])).archs == ("compute_90", "sm_80", "sm_90a")
    assert project.build("-t", "cuda", "-a", "sm_80,sm_90a,compute_90") == 0
    assert "up to date" in project.out


@pytest.mark.rocm_compiler
def test_rocm_with_nvcc_on_the_path(project: Any, monkeypatch: Any, tmp_path: Path) -> None:
    # hipcc takes this for an NVIDIA machine unless it is told otherwise.
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text("#!/bin/sh\necho nvcc was called >&2; exit 1\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{nvcc.parent}:{__import__('os').environ['PATH']}")
    monkeypatch.setenv("HIP_PLATFORM", "nvidia")
    assert project.build("-t", "rocm", "-a", "gfx90a:xnack-,gfx1030") == 0, project.err
    entry = project.record()["targets"]["rocm"]
    assert entry["archs"]["found"] == ["gfx90a:xnack-", "gfx1030"]
    waves = {k["arch"]: k["wave"] for o in entry["objects"] for k in o["kernels"]}
    assert waves == {"gfx90a:xnack-": 64, "gfx1030": 32}


@pytest.mark.rocm_compiler
def test_rocm_by_clang_itself(project: Any) -> None:
    hipcc = find_rocm()
    major = hipcc.name.split("clang ")[1].split(".")[0]
    clang = shutil.which(f"clang++-{major}") or shutil.which("clang++")
    if clang is None:
        pytest.skip("hipcc's clang is not on the PATH")
    assert project.build("-t", "rocm", "-a", "gfx90a", "--rocm-path", clang) == 0, project.err
    assert project.record()["targets"]["rocm"]["archs"]["found"] == ["gfx90a"]


@pytest.mark.cuda_compiler
def test_missing_architecture_is_unproven(project: Any, tmp_path: Path) -> None:
    """A compiler that drops an architecture without a word."""
    real = find_cuda().compiler
    liar = tmp_path / "liar" / "nvcc"
    liar.parent.mkdir()
    liar.write_text(
        f'#!/bin/bash\nexec {real} "${{@/arch=compute_90,code=sm_90/arch=compute_80,code=sm_80}}"\n'
    )
    liar.chmod(0o755)
    code = project.build("-t", "cuda", "-a", "sm_80,sm_90", "--cuda-path", str(liar))
    assert code == 8, project.err
    assert "lacks sm_90; it holds sm_80" in project.err
    assert not (project.root / "build" / "cuda" / "state.json").exists()
    assert project.build("-t", "cuda", "-a", "sm_80,sm_90", "--cuda-path", str(liar)) == 8


@pytest.mark.rocm_compiler
def test_rocm_object_without_amd_code_is_unproven(project: Any, tmp_path: Path) -> None:
    """A hipcc that answers like AMD's and compiles for the host only."""
    real = find_rocm().compiler
    liar = tmp_path / "liar" / "hipcc"
    liar.parent.mkdir()
    liar.write_text(
        f"""#!/bin/bash
case "$*" in
*--version*) exec {real} "$@" ;;
*-shared*) out=""; keep=()
  for word in "$@"; do case "$word" in *.o|-o|*.part) keep+=("$word");; esac; done
  exec c++ -shared "${{keep[@]}}" ;;
esac
while [ $# -gt 0 ]; do case "$1" in -MF) dep=$2;; -MT) to=$2;; -o) out=$2;; esac; shift; done
echo "$to:" > "$dep"
echo "static int f() {{ return 1; }}" | exec c++ -fPIC -x c++ -c - -o "$out"
"""
    )
    liar.chmod(0o755)
    code = project.build("-t", "rocm", "-a", "gfx90a", "--rocm-path", str(liar))
    assert code == 8, project.err
    assert "no AMD code" in project.err


@pytest.mark.cuda_compiler
def test_earlier_target_stays_on_record_when_a_later_one_fails(project: Any) -> None:
    source = project.root / "src" / "one.cu"
    source.write_text("#ifdef PGCPU\n#error only CUDA\n#endif\n" + source.read_text())
    assert project.build("-t", "cuda", "-t", "cpu", "-a", "sm_80") == 5
    assert set(project.record()["targets"]) == {"cuda"}
    assert project.build("-t", "cpu", "-t", "cuda", "-a", "sm_80", "--keep-going") == 5
    assert "src/one.cu:2:" in project.err


@pytest.mark.cuda_compiler
def test_toolkit_that_no_longer_knows_an_architecture(project: Any) -> None:
    if "sm_70" in find_cuda().archs:
        pytest.skip("this CUDA still builds for sm_70")
    assert project.build("-t", "cuda", "-a", "sm_70") == 3
    assert "CUDA 9.0 to 12.9 does" in project.err


@pytest.mark.rocm_compiler
def test_translation_findings_stop_the_build(project: Any) -> None:
    source = project.root / "src" / "one.cu"
    text = source.read_text()
    source.write_text(
        "#include <cuda_runtime.h>\n"
        "int v() { return cudaGraphConditionalHandleCreate(0, 0, 0, 0); }\n" + text
    )
    assert project.build("-t", "rocm", "-a", "gfx90a") == 4
    assert "src/one.cu:2:" in project.err
    assert "PG1" in project.err
