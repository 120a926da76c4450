"""Fake compilers: shell scripts that answer like the real ones, for paths that no machine has."""

from __future__ import annotations

from pathlib import Path


def script(path: Path, body: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + body, encoding="utf-8")
    path.chmod(0o755)
    return path


def touch(path: Path, text: str = "") -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def cuda(root: Path, version: str = "12.4", codes: str = "sm_70 sm_80 sm_90") -> Path:
    """A CUDA toolkit's skeleton; returns its nvcc."""
    listing = "".join(f"echo {code}\n" for code in codes.split())
    nvcc = script(
        root / "bin" / "nvcc",
        f"""case "$*" in
*--version*) echo "Cuda compilation tools, release {version}, V{version}.99" ;;
*--list-gpu-code*) {listing or "exit 1"} ;;
*--dryrun*) echo '#$ TOP={root}'; echo '#$ INCLUDES="-I{root}/include"' ;;
*) echo "fake nvcc cannot compile"; exit 1 ;;
esac
""",
    )
    touch(root / "include" / "cuda_runtime.h")
    touch(root / "include" / "crt" / "host_defines.h")
    touch(root / "lib64" / "libcudart.so")
    return nvcc


def rocm(
    root: Path, hip: str = "6.4.1", clang: str = "19.0.0", cpus: str = "gfx90a gfx942 gfx1100"
) -> Path:
    """A ROCm installation's skeleton; returns its hipcc."""
    llvm = root / "lib" / "llvm"
    listing = "".join(f"printf '\\t{cpu}\\n'\n" for cpu in cpus.split())
    answer = f'echo "AMD clang version {clang}"; echo "InstalledDir: {llvm}/bin"'
    clang_body = f"""case "$*" in
*--print-supported-cpus*) {listing} ;;
*--version*) {answer} ;;
*) echo "fake clang cannot compile"; exit 1 ;;
esac
"""
    script(llvm / "bin" / "clang", clang_body)
    script(llvm / "bin" / "clang++", clang_body)
    hipcc = script(
        root / "bin" / "hipcc",
        f"""[ "$HIP_PLATFORM" = amd ] || {{ echo "nvcc: NVIDIA (R) Cuda compiler driver"; exit 0; }}
case "$*" in
*--version*) echo "HIP version: {hip}"; {answer} ;;
*) echo "fake hipcc cannot compile"; exit 1 ;;
esac
""",
    )
    major, minor, patch = hip.split(".")
    touch(
        root / "include" / "hip" / "hip_version.h",
        f"#define HIP_VERSION_MAJOR {major}\n#define HIP_VERSION_MINOR {minor}\n"
        f"#define HIP_VERSION_PATCH {patch}\n",
    )
    touch(root / "include" / "hip" / "hip_runtime.h")
    touch(root / "amdgcn" / "bitcode" / "ockl.bc")
    for cpu in cpus.split():
        touch(root / "amdgcn" / "bitcode" / f"oclc_isa_version_{cpu[3:]}.bc")
    touch(root / "lib" / "libamdhip64.so")
    return hipcc
