"""Libraries beside the compilers: which of them a toolchain has, and how to get a missing one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from portgpu.toolchain.model import Toolchain


@dataclass(frozen=True, slots=True)
class Library:
    """A library by the header that programs include.

    `package` is the one of AMD's or NVIDIA's repository, `other` the one of Debian and Ubuntu for
    AMD's, of pip for NVIDIA's; either may be empty.
    """

    kind: str  # "rocm" or "cuda"
    title: str
    header: str
    package: str
    other: str = ""


LIBRARIES = tuple(
    Library(*row)
    for row in (
        ("rocm", "hipBLAS", "hipblas/hipblas.h", "hipblas-dev"),
        ("rocm", "hipBLASLt", "hipblaslt/hipblaslt.h", "hipblaslt-dev"),
        ("rocm", "hipCUB", "hipcub/hipcub.hpp", "hipcub-dev"),
        ("rocm", "hipFFT", "hipfft/hipfft.h", "hipfft-dev"),
        ("rocm", "hipRAND", "hiprand/hiprand.h", "hiprand-dev", "libhiprand-dev"),
        ("rocm", "hipSOLVER", "hipsolver/hipsolver.h", "hipsolver-dev"),
        ("rocm", "hipSPARSE", "hipsparse/hipsparse.h", "hipsparse-dev", "libhipsparse-dev"),
        ("rocm", "hipTensor", "hiptensor/hiptensor.h", "hiptensor-dev"),
        ("rocm", "MIOpen", "miopen/miopen.h", "miopen-hip-dev"),
        ("rocm", "RCCL", "rccl/rccl.h", "rccl-dev"),
        ("rocm", "rocBLAS", "rocblas/rocblas.h", "rocblas-dev"),
        ("rocm", "rocPRIM", "rocprim/rocprim.hpp", "rocprim-dev", "librocprim-dev"),
        ("rocm", "rocRAND", "rocrand/rocrand.h", "rocrand-dev", "librocrand-dev"),
        ("rocm", "rocSOLVER", "rocsolver/rocsolver.h", "rocsolver-dev"),
        ("rocm", "rocSPARSE", "rocsparse/rocsparse.h", "rocsparse-dev", "librocsparse-dev"),
        ("rocm", "rocThrust", "thrust/version.h", "rocthrust-dev"),
        ("rocm", "rocWMMA", "rocwmma/rocwmma.hpp", "rocwmma-dev"),
        ("cuda", "cuBLAS", "cublas_v2.h", "libcublas-dev", "nvidia-cublas"),
        ("cuda", "cuDNN", "cudnn.h", "libcudnn9-dev-cuda-13", "nvidia-cudnn-cu13"),
        ("cuda", "cuFFT", "cufft.h", "libcufft-dev", "nvidia-cufft"),
        ("cuda", "cuRAND", "curand.h", "libcurand-dev", "nvidia-curand"),
        ("cuda", "cuSOLVER", "cusolverDn.h", "libcusolver-dev", "nvidia-cusolver"),
        ("cuda", "cuSPARSE", "cusparse.h", "libcusparse-dev", "nvidia-cusparse"),
        ("cuda", "NCCL", "nccl.h", "libnccl-dev", "nvidia-nccl-cu13"),
        ("cuda", "CUB and Thrust", "cub/cub.cuh", "cuda-cccl", "nvidia-cuda-cccl"),
    )
)  # fmt: skip
_NOT_FOUND = re.compile(
    r"'(?P<clang>[\w/.+-]+)' file not found"
    r"|error: (?P<gcc>[\w/.+-]+): No such file or directory"
    r'|cannot open source file "(?P<nvcc>[\w/.+-]+)"'
)
_NO_MAIN = re.compile(r"undefined (?:reference to|symbol:) [`']?main\b")


def here(toolchain: Toolchain) -> tuple[list[str], list[str]]:
    """(titles of the libraries whose headers the toolchain has, titles of the others)."""
    folders = [toolchain.root / "include", *toolchain.root.glob("targets/*/include")]
    folders += [folder / "cccl" for folder in folders]
    folders += [Path(f[2:]) for f in toolchain.compile_flags if f.startswith("-I")]
    found: tuple[list[str], list[str]] = ([], [])
    for library in LIBRARIES:
        if library.kind == toolchain.kind:
            has = any((folder / library.header).is_file() for folder in folders)
            found[not has].append(library.title)
    return found


def advice(transcript: str) -> str:
    """What to do about a compiler's or linker's error, or "": headers of libraries, no main()."""
    for match in _NOT_FOUND.finditer(transcript):
        name = next(text for text in match.groups() if text)
        # Clang, and so hipcc, writes it so; nvcc's host compiler otherwise.
        library = _library(name, "rocm" if match["clang"] else "cuda")
        if library is not None:
            return install(library, name)
    if _NO_MAIN.search(transcript):
        return (
            "no source has a main(): name the file that has it too, "
            'or build a library (kind = "library", portgpu build)'
        )
    return ""


def install(library: Library, header: str) -> str:
    """How to get a library."""
    vendor, option = ("AMD", "--rocm-path") if library.kind == "rocm" else ("NVIDIA", "--cuda-path")
    text = f"{header} is {library.title}'s: apt-get install {library.package} from {vendor}'s"
    text += " repository"
    if library.other and library.kind == "rocm":
        text += f" ({library.other} from Debian's or Ubuntu's)"
    elif library.other:
        text += f" (with pip's CUDA: python -m pip install {library.other})"
    return f"{text}, or {option} of an installation that has it; portgpu doctor lists them"


def _library(header: str, kind: str) -> Library | None:
    """The library that an include name belongs to; Thrust's is one of the compiler's `kind`."""
    folder = header.split("/")[0]
    stem = re.split(r"[./]", header)[0].lower()
    for library in LIBRARIES:
        own = library.header.split("/")[0]
        if "/" in library.header and own in (folder, stem) and own != "thrust":
            return library
    if folder in ("thrust", "cub"):
        title = "CUB and Thrust" if kind == "cuda" else "rocThrust"
        return next(x for x in LIBRARIES if x.title == title)
    plain = [x for x in LIBRARIES if "/" not in x.header]
    return next((x for x in plain if stem.startswith(x.title.lower())), None)
