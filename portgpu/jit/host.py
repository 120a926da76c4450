"""The CPU target of the JIT: the host's C++ compiler and the emulator, as shared libraries."""

from __future__ import annotations

import ctypes
import functools
import os
import tempfile
from pathlib import Path
from typing import Any

from portgpu import process, toolchain
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

# The call that Python makes: arguments by address, as the GPUs' launch functions take them.
_TAIL = """
#include <type_traits>
#include <utility>
#include "portgpu.h"
namespace portgpu_jit {{
template <class... P, std::size_t... I>
int launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, void* stream,
           void** arguments, std::index_sequence<I...>) {{
  return ::pg::detail::launch(name, ::pgcpu::site{{"{file}", 0}}, false, kernel, grid, block, shared, stream,
                              *static_cast<std::decay_t<P>*>(arguments[I])...);
}}
template <class... P>
int launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, void* stream,
           void** arguments) {{
  return launch(name, kernel, grid, block, shared, stream, arguments, std::index_sequence_for<P...>());
}}
}}  // namespace portgpu_jit
extern "C" int portgpu_jit_launch(const unsigned* grid, const unsigned* block, std::size_t shared, void* stream,
                                  void** arguments) {{
  return portgpu_jit::launch("{name}", {name}, dim3(grid[0], grid[1], grid[2]),
                             dim3(block[0], block[1], block[2]), shared, stream, arguments);
}}
extern "C" const char* portgpu_jit_error() {{ return ::pg::last_error_string(); }}
"""


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
        "cpu 1", request.name, request.file, request.source, _TAIL, headers.stamp(), *identity,
        *flags, *headers.included(request.source, request.include_dirs),
    ])  # fmt: skip
    path = store.path(key, ".so")
    runtime = _runtime(store, include, tuple(identity))
    if path.is_file():
        loaded = _load(path)
        if loaded is not None:
            os.utime(path)
            return loaded, True
    text = translated(request) + _TAIL.format(name=request.name, file=request.file)
    _build(
        path,
        [host.compiler, *flags, "-shared", "-x", "c++", "{source}", "-x", "none", runtime,
         f"-Wl,-rpath,{runtime.parent}", "-pthread", "-ldl"],
        f'#line 1 "{request.file}"\n{text}',
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
