"""Finding toolchains: order of places, what is refused and why. Compilers are fakes."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from portgpu.errors import ToolchainError
from portgpu.toolchain import Options, cuda, find_cuda, find_host, find_rocm, find_tool, rocm
from portgpu.toolchain.model import Toolchain

_spec = importlib.util.spec_from_file_location("fakes", Path(__file__).with_name("fakes.py"))
assert _spec is not None
assert _spec.loader is not None
fakes: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fakes)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any toolchain, except for a host compiler on the PATH."""
    for name in ("CUDACXX", "CUDA_PATH", "CUDA_HOME", "HIPCXX", "ROCM_PATH", "HIP_PATH", "CXX"):
        monkeypatch.delenv(name, raising=False)
    tools = tmp_path / "tools"
    fakes.script(tools / "gcc", "exit 0\n")
    for name in ("sh", "env"):
        (tools / name).symlink_to(
            f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}"
        )
    monkeypatch.setenv("PATH", str(tools))
    for module in (cuda, rocm):
        monkeypatch.setattr(module, "expand", lambda pattern: [])
        monkeypatch.setattr(module, "_pip_roots", list)


def test_cuda_order_option_environment_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("option", "env", "path"):
        fakes.cuda(tmp_path / name)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path' / 'bin'}:{os.environ['PATH']}")
    assert find_cuda().root == tmp_path / "path"
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "env"))
    assert (find_cuda().root, find_cuda().origin) == (tmp_path / "env", "CUDA_PATH")
    found = find_cuda(Options(cuda=tmp_path / "option" / "bin" / "nvcc"))
    assert (found.root, found.origin) == (tmp_path / "option", "--cuda-path")


def test_cuda_facts(tmp_path: Path) -> None:
    fakes.cuda(tmp_path / "c", "12.4", "sm_70 sm_80 sm_90")
    found = find_cuda(Options(cuda=tmp_path / "c"))
    assert found.version == "12.4.99"
    assert found.archs == ("sm_70", "sm_80", "sm_90", "sm_90a")
    assert found.link_flags == (f"-L{tmp_path / 'c' / 'lib64'}",)
    assert Toolchain.from_json(found.to_json()) == found


def test_nvcc_without_listing_option_uses_the_table(tmp_path: Path) -> None:
    fakes.cuda(tmp_path / "c", "11.0", "")
    found = find_cuda(Options(cuda=tmp_path / "c"))
    assert "sm_80" in found.archs
    assert "sm_86" not in found.archs


def test_pip_layout_is_found_after_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    site = tmp_path / "site-packages"
    fakes.cuda(site / "nvidia" / "cu13", "13.0", "sm_75 sm_80")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    assert site / "nvidia" / "cu13" in cuda._pip_roots()


@pytest.mark.parametrize(
    ("breakage", "message"),
    [
        ("old", "CUDA 10.2; portgpu needs 11.0 or newer"),
        ("no header", "no cuda_runtime.h"),
        ("no crt", "nvidia-cuda-crt"),
        ("not nvcc", "does not answer like nvcc"),
        ("crash", "failed"),
        ("missing", "does not exist"),
        ("empty", "has no bin/nvcc"),
        ("only ptxas", "pip packages of CUDA 12"),
        ("not executable", "cannot be executed"),
    ],
)
def test_unusable_cuda_that_was_named_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breakage: str, message: str
) -> None:
    root = tmp_path / "broken"
    if breakage not in ("missing", "empty", "only ptxas"):
        fakes.cuda(root, "10.2" if breakage == "old" else "12.0")
    if breakage == "no header":
        (root / "include" / "cuda_runtime.h").unlink()
    elif breakage == "no crt":
        (root / "include" / "crt" / "host_defines.h").unlink()
    elif breakage == "not nvcc":
        fakes.script(root / "bin" / "nvcc", "echo hello\n")
    elif breakage == "crash":
        fakes.script(root / "bin" / "nvcc", "kill -SEGV $$\n")
    elif breakage == "empty":
        root.mkdir()
    elif breakage == "only ptxas":
        fakes.script(root / "bin" / "ptxas", "exit 0\n")
    elif breakage == "not executable":
        (root / "bin" / "nvcc").chmod(0o644)
    # A good one is there as well; a place that was named is never passed over in silence.
    fakes.cuda(tmp_path / "good")
    monkeypatch.setenv("PATH", f"{tmp_path / 'good' / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("CUDA_PATH", str(root))
    with pytest.raises(ToolchainError) as error:
        find_cuda()
    assert message in error.value.message
    assert "CUDA_PATH" in error.value.hint


def test_broken_nvcc_on_the_path_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes.script(tmp_path / "bad" / "nvcc", "exit 9\n")
    fakes.cuda(tmp_path / "cuda-12.4")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bad'}:{os.environ['PATH']}")
    monkeypatch.setattr(cuda, "expand", lambda pattern: [tmp_path / "cuda-12.4"])
    seen = list(cuda.candidates(Options()))
    assert find_cuda().origin == "known place"
    assert seen[0].toolchain is None
    assert seen[0].problem


def test_nothing_here_tells_how_to_install() -> None:
    with pytest.raises(ToolchainError) as error:
        find_cuda()
    assert "no CUDA compiler" in error.value.message
    assert "nvidia-cuda-nvcc" in error.value.hint
    with pytest.raises(ToolchainError, match="no ROCm compiler"):
        find_rocm()


def test_rocm_is_always_amd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The fake, like Debian's hipcc, answers as nvcc unless the platform is said.
    fakes.rocm(tmp_path / "rocm")
    monkeypatch.setenv("HIP_PLATFORM", "nvidia")
    found = find_rocm(Options(rocm=tmp_path / "rocm"))
    assert found.env["HIP_PLATFORM"] == "amd"
    assert found.archs == ("gfx90a", "gfx942", "gfx1100")
    assert found.name == "ROCm 6.4 (clang 19.0.0)"
    assert found.libraries == (tmp_path / "rocm" / "lib",)


def test_archs_are_those_of_clang_and_device_libraries(tmp_path: Path) -> None:
    fakes.rocm(tmp_path / "rocm")
    (tmp_path / "rocm" / "amdgcn" / "bitcode" / "oclc_isa_version_942.bc").unlink()
    fakes.touch(tmp_path / "rocm" / "amdgcn" / "bitcode" / "oclc_isa_version_9_4_generic.bc")
    assert find_rocm(Options(rocm=tmp_path / "rocm")).archs == ("gfx90a", "gfx1100")


def test_clang_gets_the_places_that_hipcc_knows(tmp_path: Path) -> None:
    fakes.rocm(tmp_path / "rocm")
    clang = tmp_path / "rocm" / "lib" / "llvm" / "bin" / "clang++"
    found = find_rocm(Options(rocm=clang))
    assert f"--rocm-path={tmp_path / 'rocm'}" in found.compile_flags
    assert "--hip-link" in found.link_flags
    assert "-lamdhip64" in found.link_flags


@pytest.mark.parametrize(
    ("breakage", "message"),
    [
        ("old", "HIP 4.3.0; portgpu needs 5.2"),
        ("no headers", "no hip/hip_runtime.h"),
        ("no bitcode", "device libraries"),
        ("nvcc", "calls nvcc although HIP_PLATFORM=amd"),
        ("no cpus", "any AMD processor"),
        ("missing", "does not exist"),
    ],
)
def test_unusable_rocm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breakage: str, message: str
) -> None:
    root = tmp_path / "rocm"
    if breakage != "missing":
        fakes.rocm(
            root,
            "4.3.0" if breakage == "old" else "6.0.0",
            cpus="" if breakage == "no cpus" else "gfx90a",
        )
    if breakage == "no headers":
        (root / "include" / "hip" / "hip_version.h").unlink()
        monkeypatch.setattr(rocm, "_roots", lambda compiler, clang_dir: [root])
    elif breakage == "no bitcode":
        (root / "amdgcn" / "bitcode" / "ockl.bc").unlink()
        monkeypatch.setattr(rocm, "_roots", lambda compiler, clang_dir: [root])
    elif breakage == "nvcc":
        fakes.script(root / "bin" / "hipcc", 'echo "nvcc: NVIDIA (R) Cuda compiler driver"\n')
    monkeypatch.setenv("ROCM_PATH", str(root))
    with pytest.raises(ToolchainError) as error:
        find_rocm()
    assert message in error.value.message
    assert error.value.exit_code == 3


def test_host_compiler_with_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.script(tmp_path / "tools" / "mycc", 'echo "PORTGPU gcc 12 2 201703L"\n')
    monkeypatch.setenv("CXX", "mycc -m64")
    found = find_host()
    assert (found.name, found.compile_flags, found.origin) == ("GCC 12.2", ("-m64",), "CXX")


def test_host_compiler_that_cannot_do_cxx17(tmp_path: Path) -> None:
    fakes.script(tmp_path / "tools" / "oldcc", 'echo "unknown option -std=c++17"; exit 1\n')
    with pytest.raises(ToolchainError, match="--cxx: oldcc"):
        find_host(Options(host="oldcc"))
    with pytest.raises(ToolchainError, match="no such program"):
        find_host(Options(host="nope"))


def test_tools_too_old_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fakes.script(tmp_path / "tools" / "cmake", 'echo "cmake version 3.5.1"\n')
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "none"))
    with pytest.raises(ToolchainError) as error:
        find_tool("cmake")
    assert "is 3.5.1, needs" in error.value.detail
    assert "pip install 'cmake" in error.value.hint
    fakes.script(old, 'echo "cmake version 4.0.0-rc1"\n')
    assert find_tool("cmake").version == "4.0.0"
    fakes.script(tmp_path / "none" / "ninja", "echo 1.11.1\n")
    assert find_tool("ninja").origin == "pip package of this Python"
    with pytest.raises(ToolchainError):
        find_tool("ninja", tmp_path / "missing")


def test_amds_pip_sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    site = tmp_path / "site-packages"
    root = site / "_rocm_sdk_core"
    fakes.rocm(root, "7.0.0", "20.0.0", "gfx942 gfx950")
    # There, the device libraries belong to clang.
    (root / "lib" / "llvm" / "amdgcn").parent.mkdir(exist_ok=True)
    (root / "amdgcn").rename(root / "lib" / "llvm" / "amdgcn")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    assert root in rocm._pip_roots()
    found = rocm.probe(root / "bin" / "hipcc", rocm.PIP_ORIGIN)
    assert found.name == "ROCm 7.0 (pip, clang 20.0.0)"
    assert found.archs == ("gfx942", "gfx950")
    assert found.env["ROCM_PATH"] == str(root)
