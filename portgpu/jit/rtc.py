"""NVRTC and hipRTC: run-time compilers of the vendors, by own prototypes.

Both have the same functions with another prefix. They compile for any architecture they know; no
device is needed.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import re
import site
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portgpu.errors import BuildError, ToolchainError

_NAMES = {
    "nvrtc": ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"),
    "hiprtc": (
        "libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so", "libamdhip64.so.6",
        "libamdhip64.so.5",
    ),
}  # fmt: skip
_ROOTS = {
    "nvrtc": ("CUDA_HOME", "CUDA_PATH"),
    "hiprtc": ("ROCM_PATH", "HIP_PATH"),
}
_HINTS = {
    "nvrtc": "pip install nvidia-cuda-nvrtc, or a CUDA toolkit; CUDA_HOME names one",
    "hiprtc": "install ROCm's hipRTC (Debian: apt install libamdhip64-5); ROCM_PATH names a ROCm",
}


@dataclass(frozen=True, slots=True)
class Compiled:
    """Object code, and the name that the kernel has in it."""

    code: bytes
    symbol: str


class RuntimeCompiler:
    """NVRTC (`api` "nvrtc") or hipRTC ("hiprtc"); raises `ToolchainError` when it is not here."""

    def __init__(self, api: str) -> None:
        self.api = api
        self.path, self._lib = _open(api)
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        self._declare()
        self._check(self._call("Version")(ctypes.byref(major), ctypes.byref(minor)), "Version")
        self.version = f"{api} {major.value}.{minor.value}"

    def _call(self, name: str) -> Any:
        return getattr(self._lib, f"{self.api}{name}")

    def _declare(self) -> None:
        text, void, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
        texts = ctypes.POINTER(ctypes.c_char_p)
        signatures: dict[str, tuple[Any, ...]] = {
            "CreateProgram": (
                ctypes.POINTER(void), text, text, ctypes.c_int, texts, texts,
            ),
            "DestroyProgram": (ctypes.POINTER(void),),
            "CompileProgram": (void, ctypes.c_int, texts),
            "GetProgramLogSize": (void, size),
            "GetProgramLog": (void, void),
            "AddNameExpression": (void, text),
            "GetLoweredName": (void, text, texts),
            self._code_size: (void, size),
            self._code: (void, void),
        }  # fmt: skip
        for name, argtypes in signatures.items():
            self._call(name).argtypes = argtypes
            self._call(name).restype = ctypes.c_int
        self._call("GetErrorString").restype = text

    @property
    def _code(self) -> str:
        return "GetCUBIN" if self.api == "nvrtc" else "GetCode"

    @property
    def _code_size(self) -> str:
        return f"{self._code}Size"

    def _check(self, status: int, name: str) -> None:
        if status:
            said = (self._call("GetErrorString")(status) or b"").decode()
            raise ToolchainError(
                f"{self.api}{name}: {said} ({status})", hint=f"{self.path} is in use; is it whole?"
            )

    def compile(self, source: str, file: str, name: str, options: Sequence[str]) -> Compiled:
        """Object code of `source` (called `file` in messages) with the kernel `name`.

        `name` may be a template's instance, `scale<float>`. Raises `BuildError` with the compiler's
        log.
        """
        program = ctypes.c_void_p()
        # hipRTC knows no file names, and puts lines of its own in front.
        quoted = file.replace("\\", "\\\\").replace('"', '\\"')
        text = f'#line 1 "{quoted}"\n{source}'
        self._check(
            self._call("CreateProgram")(
                ctypes.byref(program), text.encode(), file.encode(), 0, None, None
            ),
            "CreateProgram",
        )
        try:
            self._check(
                self._call("AddNameExpression")(program, name.encode()), "AddNameExpression"
            )
            words = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
            status = self._call("CompileProgram")(program, len(options), words)
            log = self._log(program)
            if status:
                raise BuildError(
                    _first(log, file) or f"{self.api} refused {file}",
                    hint="lines are those of the kernel's source; the log is above",
                    detail=log,
                )
            code = self._bytes(program)
            lowered = ctypes.c_char_p()
            if self._call("GetLoweredName")(program, name.encode(), ctypes.byref(lowered)) == 0:
                return Compiled(code, (lowered.value or b"").decode())
            return Compiled(code, _symbol(code, name, file))
        finally:
            self._call("DestroyProgram")(ctypes.byref(program))

    def _log(self, program: Any) -> str:
        size = ctypes.c_size_t(0)
        self._check(
            self._call("GetProgramLogSize")(program, ctypes.byref(size)), "GetProgramLogSize"
        )
        if size.value <= 1:
            return ""
        buffer = ctypes.create_string_buffer(size.value)
        self._check(self._call("GetProgramLog")(program, buffer), "GetProgramLog")
        return buffer.value.decode("utf-8", "replace").strip()

    def _bytes(self, program: Any) -> bytes:
        size = ctypes.c_size_t(0)
        self._check(self._call(self._code_size)(program, ctypes.byref(size)), self._code_size)
        buffer = ctypes.create_string_buffer(size.value)
        self._check(self._call(self._code)(program, buffer), self._code)
        return buffer.raw


def _symbol(code: bytes, name: str, file: str) -> str:
    """The kernel `name` among a code object's, for a hipRTC that does not find aliases of types."""
    base = name.split("<", 1)[0].rsplit("::", 1)[-1]
    kernels = {match.decode() for match in re.findall(rb"\0(\w+)\.kd(?=\0)", code)}
    fits = sorted(k for k in kernels if k == base or re.search(rf"(?<!\d){len(base)}{base}", k))
    if len(fits) != 1:
        raise BuildError(
            f"{file}: {name} is not the name of one kernel; there are {', '.join(sorted(kernels))}",
            hint="name the kernel as C++ would, without aliases of types",
        )
    return str(fits[0])


def _first(log: str, file: str) -> str:
    """The first error of a log as `file:line: message`."""
    for line in log.splitlines():
        match = re.match(
            rf"{re.escape(file)}[(:](\d+)\)?(?::\d+)?:\s*(?:fatal )?error:?\s*(.*)", line
        )
        if match:
            return f"{file}:{match[1]}: {match[2]}"
    for line in log.splitlines():
        if "error" in line:
            return line.strip()
    return ""


@functools.cache
def find(api: str) -> RuntimeCompiler:
    """The run-time compiler `api`, opened once."""
    return RuntimeCompiler(api)


def _open(api: str) -> tuple[str, Any]:
    tried = []
    for candidate in _candidates(api):
        try:
            # NVRTC looks for its other half in the loader's places only.
            for half in sorted(Path(candidate).parent.glob("libnvrtc-builtins.so*")):
                if "/" in candidate and "alt" not in half.name:
                    ctypes.CDLL(str(half), ctypes.RTLD_GLOBAL)
            library = ctypes.CDLL(candidate)
        except OSError:
            tried.append(candidate)
            continue
        if hasattr(library, f"{api}CompileProgram"):
            return candidate, library
        tried.append(candidate)
    raise ToolchainError(
        f"{'NVRTC' if api == 'nvrtc' else 'hipRTC'} is not here: tried {', '.join(tried)}",
        hint=_HINTS[api],
    )


def _candidates(api: str) -> list[str]:
    """Explicit places first, then pip's packages, then the loader's own search."""
    found: list[str] = []
    for variable in _ROOTS[api]:
        root = os.environ.get(variable)
        if root:
            for folder in (Path(root) / "lib64", Path(root) / "lib"):
                found += [str(path) for name in _NAMES[api] for path in folder.glob(name)]
    if api == "nvrtc":
        for place in [*site.getsitepackages(), site.getusersitepackages(), *sys.path]:
            for pattern in ("nvidia/cu*/lib/libnvrtc.so.*", "nvidia/cuda_nvrtc/lib/libnvrtc.so.*"):
                found += [str(path) for path in sorted(Path(place).glob(pattern), reverse=True)]
        found += [str(p) for p in sorted(Path("/usr/local").glob("cuda*/lib64/libnvrtc.so"))]
    else:
        found += [str(p) for p in sorted(Path("/opt").glob("rocm*/lib/libhiprtc.so"))]
    return list(dict.fromkeys([*found, *_NAMES[api]]))
