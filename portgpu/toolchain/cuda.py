"""Finds NVIDIA's compiler: a CUDA toolkit on the system, or nvcc from pip packages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from portgpu import process
from portgpu.errors import ToolchainError
from portgpu.toolchain import archs
from portgpu.toolchain.model import (
    PIP_ORIGIN,
    Candidate,
    Options,
    Place,
    Toolchain,
    choose,
    examine,
    expand,
    facts,
    named_places,
    site_folders,
    version_numbers,
)


def find_cuda(options: Options | None = None) -> Toolchain:
    """The nvcc to use; raises `ToolchainError` with what was looked at and how to install one."""
    return choose("cuda", list(candidates(options or Options(), first_only=True)))


def candidates(options: Options, *, first_only: bool = False) -> Iterator[Candidate]:
    """Places that may hold nvcc, best first; with `first_only`, nothing after the first usable."""
    roots: set[Path] = set()
    for candidate in examine(_places(options), _nvcc_in, probe, first_only=first_only):
        if candidate.toolchain is not None:
            if candidate.toolchain.root in roots:
                continue  # the same toolkit by another name
            roots.add(candidate.toolchain.root)
        yield candidate


def _places(options: Options) -> Iterator[Place]:
    variables = ("CUDACXX", "CUDA_PATH", "CUDA_HOME")
    yield from named_places(
        options.cuda, options.origin("cuda", "--cuda-path"), variables, "nvcc", os.environ
    )
    for root in _pip_roots():
        yield root, PIP_ORIGIN, False
    for pattern in facts()["cuda"]["places"]:
        for place in sorted(expand(pattern), key=_newest_first):
            yield place, "known place", False


def _newest_first(path: Path) -> tuple[int, ...]:
    numbers = version_numbers(path.name.rpartition("-")[2])
    return tuple(-n for n in numbers)


def _pip_roots() -> list[Path]:
    """`nvidia/cu13` and the like in site-packages; `nvidia/cuda_nvcc` is how CUDA 12 has it."""
    roots = []
    for folder in site_folders():
        nvidia = folder / "nvidia"
        if nvidia.is_dir():
            roots += sorted(nvidia.glob("cu[0-9]*"), reverse=True)
            roots += [nvidia / "cuda_nvcc"] if (nvidia / "cuda_nvcc").is_dir() else []
    return roots


def _nvcc_in(place: Path) -> Path:
    if place.is_file():
        return place
    nvcc = place / "bin" / "nvcc"
    if nvcc.is_file():
        return nvcc
    if not place.exists():
        raise ToolchainError("does not exist")
    if (place / "bin" / "ptxas").is_file():
        raise ToolchainError("has ptxas but no nvcc (the pip packages of CUDA 12 leave it out)")
    raise ToolchainError("has no bin/nvcc")


def probe(nvcc: Path, origin: str) -> Toolchain:
    """Ask one nvcc for its root, version and architectures; raises `ToolchainError`."""
    dry = process.run(
        [nvcc, "--version"], error=ToolchainError, timeout=60, what=f"{nvcc} --version"
    ).output
    match = re.search(r"release (\d+\.\d+), V(\d+\.\d+\.\d+)", dry)
    if match is None:
        raise ToolchainError("does not answer like nvcc to --version")
    oldest = facts()["cuda"]["oldest"]
    if version_numbers(match[1]) < version_numbers(oldest):
        raise ToolchainError(f"is CUDA {match[1]}; portgpu needs {oldest} or newer")
    root, includes = _layout(nvcc)
    if not any((folder / "cuda_runtime.h").is_file() for folder in includes):
        raise ToolchainError(f"{root} has no cuda_runtime.h (install nvidia-cuda-runtime)")
    if not any((folder / "crt" / "host_defines.h").is_file() for folder in includes):
        raise ToolchainError(f"{root} has no crt/host_defines.h (install nvidia-cuda-crt)")
    if not (os.environ.get("NVCC_CCBIN") or shutil.which("gcc") or shutil.which("clang")):
        raise ToolchainError(
            "needs a host C++ compiler, and there is no gcc on the PATH (install g++)"
        )
    libraries = _library_dirs(root)
    return Toolchain(
        kind="cuda",
        name=f"CUDA {match[1]}" + (" (pip)" if origin == PIP_ORIGIN else ""),
        version=match[2],
        compiler=nvcc,
        root=root,
        origin=origin,
        archs=_known_archs(nvcc, match[1]),
        link_flags=tuple(f"-L{folder}" for folder in libraries),
        include_dirs=tuple(includes),
        libraries=tuple(libraries),
    )


def _layout(nvcc: Path) -> tuple[Path, list[Path]]:
    """Root and include folders, asked from nvcc itself: it may be a wrapper script elsewhere."""
    said = process.run(
        [nvcc, "--dryrun", "-E", "-x", "cu", "portgpu_probe.cu"], check=False, timeout=60
    ).output
    top = re.search(r"^#\$ TOP=(.+)$", said, re.M)
    root = Path(top[1]).resolve() if top else nvcc.resolve().parent.parent
    folders = re.findall(
        r'-(?:I|isystem"?)\s*"?([^"\s]+)"?',
        "\n".join(line for line in said.splitlines() if "INCLUDES=" in line),
    )
    includes = [Path(folder).resolve() for folder in folders]
    includes += [root / "include", root.parent / "cuda_runtime" / "include", Path("/usr/include")]
    return root, [folder for folder in dict.fromkeys(includes) if folder.is_dir()]


def _library_dirs(root: Path) -> list[Path]:
    places = [
        *sorted(root.glob("targets/*/lib")),
        root / "lib64",
        root / "lib",
        root.parent / "cuda_runtime" / "lib",
        *sorted(Path("/usr/lib").glob("*-linux-gnu")),
    ]
    for place in places:
        if any(place.glob("libcudart*")):
            return [place.resolve()]
    return []


def _known_archs(nvcc: Path, release: str) -> tuple[str, ...]:
    said = process.run([nvcc, "--list-gpu-code"], check=False, timeout=60)
    names = re.findall(r"\bsm_\d+[af]?\b", said.output) if said.code == 0 else []
    if not names:
        # Before CUDA 11.2 nvcc had no such option; the table knows.
        names = [
            row.name
            for row in archs.table().values()
            if row.vendor == "nvidia" and _within(row.first, row.last, release)
        ]
    # nvcc lists no architecture-specific variants; which release has them is in the table.
    for name in list(names):
        row = archs.table().get(name)
        for suffix, first in (row.variants if row else {}).items():
            if version_numbers(first) <= version_numbers(release):
                names.append(name + suffix)
    return tuple(sorted(dict.fromkeys(names), key=archs.sort_key))


def _within(first: str, last: str, release: str) -> bool:
    now = version_numbers(release)
    return version_numbers(first) <= now and (not last or now <= version_numbers(last))
