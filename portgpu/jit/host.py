"""The CPU target of the JIT: the host's C++ compiler and the emulator, as shared libraries."""

from __future__ import annotations

import ctypes
import functools
import os
import tempfile
from pathlib import Path
from typing import Any

from portgpu import process, resources, toolchain
from portgpu.errors import BuildError, OutputError
from portgpu.jit import headers
from portgpu.jit.cache import Cache, digest
from portgpu.jit.compiler import Request, translated

_FLAGS = (
    "-O2",
    "-fPIC",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-pthread",
    "-w",
    "-DPGCPU_LOCAL=",
)


def compile_cpu(request: Request, cache: Cache | None = None) -> tuple[Any, bool]:
    """The loaded library of a kernel, and whether it came from the cache.

    Raises `ToolchainError` without a C++ compiler, `BuildError` with its log.
    """
    store = cache or Cache()
    host = toolchain.find_host()
    include = headers.folder("cpu", store)
    identity = [host.name, host.version, str(host.compiler), *host.compile_flags]
    hip = "hip/hip_runtime" in request.source
    flags = [
        f"-std={request.std}", *_FLAGS, *host.compile_flags,
        "-include", "hip/hip_runtime.h" if hip else "cuda_runtime.h",
        *(f"-D{define}" for define in request.defines),
        *(f"-I{path}" for path in request.include_dirs), f"-I{include}", f"-I{include}/shadow",
        *request.options,
    ]  # fmt: skip
    key = digest([
        "cpu 1", request.name, request.file, request.source, headers.stamp(), *identity,
        *flags, *headers.included(request.source, request.include_dirs),
    ])  # fmt: skip
    path = store.path(key, ".so")
    runtime = _runtime(store, include, tuple(identity))
    if path.is_file():
        loaded = _load(path)
        if loaded is not None:
            os.utime(path)
            return loaded, True
    tail = resources.templates("jit", "cpu_launch.inc").read_text("utf-8")
    text = translated(request) + "\n"
    text += tail.replace("@NAME@", request.name).replace("@FILE@", _quoted(request.file))
    _build(
        path,
        [host.compiler, *flags, "-shared", "-x", "c++", "{source}", "-x", "none", runtime,
         f"-Wl,-rpath,{runtime.parent}", "-pthread", "-ldl"],
        f'#line 1 "{_quoted(request.file)}"\n{text}',
        request.file,
        dict(host.env),
    )  # fmt: skip
    store.trim(keep=path)
    loaded = _load(path)
    if loaded is None:
        raise BuildError(
            f"{request.file}: the kernel's library cannot be loaded", hint="portgpu cache clear"
        )
    return loaded, False


@functools.cache
def _compiled_runtime(path: Path, compiler: str, include: Path, env: tuple[Any, ...]) -> Path:
    _build(
        path,
        [compiler, "-std=c++17", *_FLAGS, f"-I{include}", f"-I{include}/shadow", "-shared",
         include / "src" / "pgcpu.cpp", "-pthread", "-ldl"],
        "",
        "the CPU target's runtime",
        dict(env),
    )  # fmt: skip
    return path


def _runtime(store: Cache, include: Path, identity: tuple[str, ...]) -> Path:
    """The emulator as a library that all kernels of this compiler share."""
    path = store.folder.parent / "runtime" / f"libpgcpu-{digest([headers.stamp(), *identity])}.so"
    if path.is_file():
        return path
    host = toolchain.find_host()
    return _compiled_runtime(path, str(host.compiler), include, tuple(host.env.items()))


def _build(out: Path, command: list[Any], source: str, what: str, env: dict[str, str]) -> None:
    """Run a compiler so that `out` appears complete; "{source}" stands for the source's file."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=out.parent) as scratch:
            file = Path(scratch) / "kernel.cpp"
            file.write_text(source, "utf-8")
            made = Path(scratch) / out.name
            words = [file if word == "{source}" else word for word in command]
            done = process.run([*words, "-o", made], env=env, check=False)
            if done.code:
                raise BuildError(
                    _first_error(done.output) or f"compiling {what} failed",
                    hint="lines are those of the kernel's source; the log is above",
                    detail=done.transcript(),
                )
            made.replace(out)
    except OSError as error:
        raise OutputError(
            f"{out.parent}: {error.strerror}", hint="PORTGPU_CACHE_DIR names another folder"
        ) from None


def _quoted(text: str) -> str:
    """Text within a C++ string literal."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _first_error(log: str) -> str:
    for line in log.splitlines():
        place, found, message = line.partition(": error: ")
        if found:
            return f"{':'.join(place.split(':')[:2])}: {message}"
    return ""


def _load(path: Path) -> Any:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:
        return None
    library.portgpu_jit_launch.restype = ctypes.c_int
    library.portgpu_jit_launch.argtypes = [
        ctypes.POINTER(ctypes.c_uint * 3), ctypes.POINTER(ctypes.c_uint * 3), ctypes.c_size_t,
        ctypes.c_void_p, ctypes.c_void_p,
    ]  # fmt: skip
    library.portgpu_jit_error.restype = ctypes.c_char_p
    return library
