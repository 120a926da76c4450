"""Finds AMD's compiler: ROCm in /opt, Debian's packages, AMD's pip SDK, or clang and HIP headers.

`HIP_PLATFORM=amd` is part of every toolchain found here: with nvcc on the PATH, hipcc otherwise
turns into a wrapper around it.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

from portgpu import process
from portgpu.errors import ToolchainError
from portgpu.toolchain import archs
from portgpu.toolchain.model import (
    PIP_ORIGIN,
    UNSET_VALUES,
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


def find_rocm(options: Options | None = None) -> Toolchain:
    """The hipcc or clang++ to use; raises `ToolchainError` with what was looked at."""
    return choose("rocm", list(candidates(options or Options(), first_only=True)))


def candidates(options: Options, *, first_only: bool = False) -> Iterator[Candidate]:
    """Places that may hold a HIP compiler, best first."""
    return examine(_places(options), _compiler_in, probe, first_only=first_only)


def _places(options: Options) -> Iterator[Place]:
    variables = ("HIPCXX", "ROCM_PATH", "HIP_PATH")
    yield from named_places(
        options.rocm, options.origin("rocm", "--rocm-path"), variables, "hipcc", os.environ
    )
    for root in _pip_roots():
        yield root, PIP_ORIGIN, False
    for pattern in facts()["rocm"]["places"]:
        for place in sorted(expand(pattern), reverse=True):
            yield place, "known place", False


def _pip_roots() -> list[Path]:
    """Roots inside AMD's pip SDK: the compiler and headers are in `_rocm_sdk_devel` or `_core`."""
    roots = []
    for folder in site_folders():
        for name in ("_rocm_sdk_devel", "_rocm_sdk_core"):
            root = folder / name
            if root.is_dir():
                roots.append(root)
    return roots


def _compiler_in(place: Path) -> Path:
    if place.is_file():
        return place
    for part in ("bin/hipcc", "hip/bin/hipcc", "bin/amdclang++", "lib/llvm/bin/clang++"):
        if (place / part).is_file():
            return place / part
    raise ToolchainError("has no bin/hipcc" if place.exists() else "does not exist")


def probe(compiler: Path, origin: str) -> Toolchain:
    """Ask one compiler for version, headers, device libraries and architectures."""
    env = {"HIP_PLATFORM": "amd"}
    said = process.run(
        [compiler, "--version"],
        env=env,
        error=ToolchainError,
        timeout=60,
        what=f"{compiler} --version",
    ).output
    clang = re.search(r"clang version (\d+\.\d+\.\d+)", said)
    if clang is None:
        if "nvcc" in said:
            raise ToolchainError(
                "calls nvcc although HIP_PLATFORM=amd is set: a partial installation"
            )
        raise ToolchainError("does not answer like hipcc or clang to --version")
    clang_dir = _clang_dir(said, compiler, clang[1].split(".")[0])
    roots = _roots(compiler, clang_dir)
    header_dir = _first_with([root / "include" for root in roots], "hip/hip_version.h")
    if header_dir is None or not (header_dir / "hip" / "hip_runtime.h").is_file():
        raise ToolchainError(
            "has no hip/hip_runtime.h near it (install libamdhip64-dev or rocm-hip-runtime-dev)"
        )
    root = header_dir.parent
    version = _hip_version(header_dir / "hip" / "hip_version.h")
    oldest = facts()["rocm"]["oldest"]
    if version_numbers(version)[:2] < version_numbers(oldest):
        raise ToolchainError(f"is HIP {version}; portgpu needs {oldest} or newer")
    bitcode = _device_libraries(roots, clang_dir)
    if bitcode is None:
        raise ToolchainError("has no device libraries (ockl.bc) near it (install rocm-device-libs)")
    known = _known_archs(clang_dir, bitcode)
    if not known:
        raise ToolchainError(f"{clang_dir}/clang does not build for any AMD processor")
    libraries = [folder for folder in _library_dirs(root) if any(folder.glob("libamdhip64.*"))]
    is_hipcc = compiler.name.startswith("hipcc")
    compile_flags: tuple[str, ...] = UNSET_VALUES
    link_flags: tuple[str, ...] = ()
    if not is_hipcc:
        compile_flags += (
            f"--rocm-path={root}",
            f"--rocm-device-lib-path={bitcode}",
            *(() if str(header_dir) == "/usr/include" else ("-isystem", str(header_dir))),
        )
        link_flags = (
            "--hip-link",
            f"--rocm-path={root}",
            *(f"-L{p}" for p in libraries),
            "-lamdhip64",
        )
    major_minor = ".".join(version.split(".")[:2])
    flavour = "pip, " if origin == PIP_ORIGIN else _distribution() if root == Path("/usr") else ""
    return Toolchain(
        kind="rocm",
        name=f"ROCm {major_minor} ({flavour}clang {clang[1]})",
        version=version,
        compiler=compiler,
        root=root,
        origin=origin,
        archs=known,
        env=_environment(is_hipcc, root, clang_dir, bitcode),
        compile_flags=compile_flags,
        link_flags=link_flags,
        include_dirs=(header_dir,),
        libraries=tuple(libraries),
        notes=() if libraries else ("libamdhip64 is missing: programs will not link",),
    )


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("ID", "system").title() + ", "
    except OSError:
        return "system, "


def _clang_dir(said: str, compiler: Path, major: str) -> Path:
    """The folder of the real clang behind the compiler; Debian shows `/usr/bin` and `clang-15`."""
    installed = re.search(r"InstalledDir: (\S+)", said)
    folder = Path(installed[1]) if installed else compiler.resolve().parent
    for name in (f"clang++-{major}", f"clang-{major}", "clang++", "clang"):
        if (folder / name).is_file():
            real = (folder / name).resolve()
            return real.parent if (real.parent / "clang").exists() else folder
    raise ToolchainError(f"names {folder} as its clang's folder, which has no clang")


def _environment(is_hipcc: bool, root: Path, clang_dir: Path, bitcode: Path) -> dict[str, str]:
    env = {"HIP_PLATFORM": "amd", "HIP_COMPILER": "clang", "HIP_RUNTIME": "rocclr"}
    if is_hipcc and root != Path("/usr"):
        # Debian's hipcc carries its own places; elsewhere say what was validated.
        env |= {"ROCM_PATH": str(root), "HIP_PATH": str(root), "HIP_CLANG_PATH": str(clang_dir)}
        env["DEVICE_LIB_PATH"] = str(bitcode)
    return env


def _roots(compiler: Path, clang_dir: Path) -> list[Path]:
    """Folders that may be the ROCm root of this compiler, nearest first."""
    found = []
    for start in (compiler, compiler.resolve(), clang_dir / "clang"):
        found += [parent for parent in start.parents if parent != Path("/")][:5]
    for name in ("ROCM_PATH", "HIP_PATH"):
        if os.environ.get(name):
            found.append(Path(os.environ[name]))
    found += [*sorted(expand("/opt/rocm*"), reverse=True), Path("/usr")]
    return list(dict.fromkeys(found))


def _first_with(folders: list[Path], name: str) -> Path | None:
    return next((folder for folder in folders if (folder / name).is_file()), None)


def _hip_version(header: Path) -> str:
    text = header.read_text(encoding="utf-8", errors="replace")
    parts = []
    for part in ("MAJOR", "MINOR", "PATCH"):
        match = re.search(rf"#define\s+HIP_VERSION_{part}\s+(\d+)", text)
        parts.append(match[1] if match else "0")
    return ".".join(parts)


def _device_libraries(roots: list[Path], clang_dir: Path) -> Path | None:
    named = os.environ.get("HIP_DEVICE_LIB_PATH") or os.environ.get("DEVICE_LIB_PATH")
    places = [Path(named)] if named else []
    places += sorted(clang_dir.parent.glob("lib/clang/*/lib/amdgcn/bitcode"))
    places += sorted(clang_dir.parent.glob("lib/clang/*/amdgcn/bitcode"))
    for root in roots:
        places += [root / "amdgcn" / "bitcode", root / "lib" / "amdgcn" / "bitcode"]
        places += sorted(root.glob("lib/*/amdgcn/bitcode"))
        places += sorted(root.glob("lib/llvm*/lib/clang/*/lib/amdgcn/bitcode"))
    return _first_with(places, "ockl.bc")


def _known_archs(clang_dir: Path, bitcode: Path) -> tuple[str, ...]:
    """What clang and the device libraries both know."""
    said = process.run(
        [clang_dir / "clang", "--target=amdgcn-amd-amdhsa", "-nogpulib", "--print-supported-cpus"],
        check=False,
        timeout=60,
    ).output
    by_clang = set(re.findall(r"^\s+(gfx[0-9a-z-]+)\s*$", said, re.M))
    libraries = {
        "gfx" + path.stem.removeprefix("oclc_isa_version_").replace("_", "-")
        for path in bitcode.glob("oclc_isa_version_*.bc")
    }
    both = {name for name in by_clang & libraries if not re.match(r"gfx[678]\d\d$", name)}
    return tuple(sorted(both, key=archs.sort_key))


def _library_dirs(root: Path) -> list[Path]:
    return [root / "lib", root / "lib64", *sorted(root.glob("lib/*-linux-gnu"))]
