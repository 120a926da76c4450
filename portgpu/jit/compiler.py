"""Compiles a kernel's source for a target and architecture, with the result kept on disk."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from portgpu import resources
from portgpu.errors import TranslateError, UsageError
from portgpu.findings import Severity
from portgpu.jit import headers, rtc
from portgpu.jit.cache import Cache, digest
from portgpu.jit.rtc import Compiled

_FORMAT = "1"


@dataclass(frozen=True, slots=True)
class Request:
    """What is compiled. `name` may be a template's instance; `file` is its name in messages."""

    source: str
    name: str
    target: str  # cuda | rocm | cpu
    arch: str  # sm_90, gfx90a, cpu
    file: str
    std: str = "c++17"
    options: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()


def translated(request: Request) -> str:
    """The source as the target's compiler takes it: CUDA's names become HIP's, or the CPU's."""
    if request.target == "cuda":
        return request.source
    from portgpu.translate import Options, translate

    result = translate(request.source.encode(), request.file, Options(to=request.target))
    errors = [f for f in result.findings if f.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        raise TranslateError(
            f"{request.file}:{first.line}:{first.column}: {first.message}",
            hint=f"portgpu explain {first.id}",
            detail="\n".join(f"{request.file}:{f.line}:{f.column}: {f.message}" for f in errors),
        )
    return _with_lines(request.source.encode(), result.text).decode()


def _with_lines(before: bytes, after: bytes) -> bytes:
    """The translation with `#line` where lines moved, so that messages name the user's lines."""
    if before == after:
        return after
    from portgpu.build.stage import moved_lines

    lines = after.split(b"\n")
    for line, shift in reversed(moved_lines(before, after)):
        at = line - 1
        while 0 < at < len(lines) and lines[at - 1].rstrip().endswith(b"\\"):
            at += 1  # not within a macro
        if at < len(lines):
            lines.insert(at, b"#line %d" % (at + 1 - shift))
    return b"\n".join(lines)


def compile_gpu(request: Request, cache: Cache | None = None) -> tuple[Compiled, bool]:
    """Object code by NVRTC or hipRTC, and whether it came from the cache. Needs no device.

    Raises `ToolchainError` without the compiler, `BuildError` with its log.
    """
    store = cache or Cache()
    prefix = {"cuda": "sm_", "rocm": "gfx"}[request.target]
    if not request.arch.startswith(prefix):
        raise UsageError(
            f"{request.arch} is no architecture of {request.target}",
            hint=f"such as {'sm_90' if request.target == 'cuda' else 'gfx90a'}",
        )
    compiler = rtc.find("nvrtc" if request.target == "cuda" else "hiprtc")
    options = _options(request, headers.folder(request.target, store))
    key = _key(request, [compiler.version, *options])
    kept = store.get(key)
    if kept is not None:
        head, code = kept.split(b"\n", 1)
        return Compiled(code, json.loads(head)["symbol"]), True
    source = translated(request)
    made = compiler.compile(source, request.file, request.name, options)
    store.put(key, json.dumps({"symbol": made.symbol}).encode() + b"\n" + made.code)
    return made, False


def _key(request: Request, extra: Sequence[str]) -> str:
    return digest([
        _FORMAT, request.target, request.arch, request.name, request.file, request.source,
        headers.stamp(), *extra, *headers.included(request.source, request.include_dirs),
    ])  # fmt: skip


def _options(request: Request, dialect: Path) -> list[str]:
    shims = resources.templates("jit")
    folders = [*request.include_dirs, shims, dialect]
    options = [f"-D{define}" for define in request.defines]
    if request.target == "cuda":
        options += [f"--std={request.std}", f"--gpu-architecture={request.arch}", "-default-device"]
        folders += _cuda_includes()
    else:
        options += [f"-std={request.std}", f"--gpu-architecture={request.arch}", "-O3",
                    "-D__HIP_PLATFORM_AMD__=1"]  # fmt: skip
        folders.append(resources.templates("compat"))
    return [*options, *(f"-I{path}" for path in folders), *request.options]


@functools.cache
def _cuda_includes() -> tuple[Path, ...]:
    """Where `cuda_fp16.h` is: beside NVRTC, or in a toolkit."""
    lib = Path(rtc.find("nvrtc").path).parent
    # A toolkit, or pip's packages: one folder for CUDA 13, one a part for CUDA 12.
    parts = [lib.parent.parent / part / "include" for part in ("cuda_runtime", "cuda_cccl")]
    roots = [Path(os.environ[v]) for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)]
    places = [lib.parent / "include", *parts, *(root / "include" for root in roots)]
    places.append(Path("/usr/local/cuda/include"))
    found: dict[Path, None] = {}
    for header in ("cuda_fp16.h", "nv/target"):
        found |= dict.fromkeys([p for p in places if (p / header).is_file()][:1])
    return tuple(found)
