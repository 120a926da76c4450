"""Renders the CMake project of a target. The only place that knows compilers' command lines."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from portgpu import resources
from portgpu.build import files
from portgpu.build.model import Kind, Plan, Staged

if TYPE_CHECKING:
    from jinja2 import Environment

RESPONSE_FILE = "portgpu-rocm.rsp"
_HERE = "${CMAKE_CURRENT_SOURCE_DIR}/"
_MANY = 300  # more objects than this go to the linker by a response file


def arch_flags(target: str, archs: Sequence[str]) -> list[str]:
    """Compiler flags that select device architectures."""
    if target == "cuda":
        flags = []
        for name in archs:
            virtual = name.replace("sm_", "compute_")
            flags += ["-gencode", f"arch={virtual},code={name}"]
        return flags
    if target == "rocm":
        return [f"--offload-arch={name}" for name in archs]
    return []


def compile_flags(plan: Plan) -> list[str]:
    """Flags of every compilation, without architectures, macros and folders."""
    position_independent = {
        "cuda": ["-Xcompiler", "-fPIC"],
        "rocm": ["-fPIC"],
        "cpu": ["-fPIC"],
    }[plan.target]
    return [
        *([] if plan.target == "cpu" else plan.toolchain.compile_flags),
        *position_independent,
        *plan.flags,
    ]


def kind_flags(plan: Plan, kind: Kind) -> list[str]:
    """Flags that differ between kinds of sources: language, standard, architectures, headers."""
    if kind is Kind.C:
        return ["-x", "c", *_quiet_archs(plan)]
    standard = f"-std={plan.std}"
    if kind is Kind.HOST:
        return ["-x", "c++", standard, *_quiet_archs(plan)]
    language = {"cuda": "cu", "rocm": "hip", "cpu": "c++"}[plan.target]
    return [
        "-x",
        language,
        standard,
        *arch_flags(plan.target, plan.archs),
        *_implicit_header(plan, kind),
    ]


def _quiet_archs(plan: Plan) -> list[str]:
    """hipcc without an architecture asks the machine's devices, also for a plain C++ file."""
    if plan.target != "rocm":
        return []
    return [*arch_flags(plan.target, plan.archs), "-Wno-unused-command-line-argument"]


def _call(plan: Plan) -> list[str]:
    """The words that every compiler call starts with: a launcher such as ccache, the compiler.

    `CXX` may hold more than a name (`ccache g++`, `g++ -m64`); these words belong together.
    """
    words = plan.toolchain.compile_flags if plan.target == "cpu" else ()
    return [*shlex.split(plan.launcher), str(plan.toolchain.compiler), *words]


def _implicit_header(plan: Plan, kind: Kind) -> list[str]:
    """nvcc includes cuda_runtime.h before every source by itself; the others are told to."""
    if plan.route == "headers" and kind is Kind.CUDA:
        return [f"@{plan.project / 'shadow' / RESPONSE_FILE}"]
    if plan.target == "rocm":
        return ["-include", "hip/hip_runtime.h"]
    if plan.target == "cpu" and (plan.project / "include" / "pgcpu.h").is_file():
        return ["-include", "cuda_runtime.h" if kind is Kind.CUDA else "pgcpu.h"]
    return []


def render(plan: Plan, staged: Staged) -> None:
    """Write `CMakeLists.txt` into the project folder (if it changed)."""
    sources = []
    for source in plan.sources:
        name = f"src/{source.relative}"
        path, watched = _HERE + name, []
        if plan.route == "headers":
            path = str(source.path)
            watched = [_HERE + plan.content_key(source).relative_to(plan.project).as_posix()]
            watched += [_HERE + f"shadow/{RESPONSE_FILE}"]
        sources.append((name, path, staged.kinds[source.path], watched))
    for runtime in staged.runtime:
        name = runtime.relative_to(plan.project).as_posix()
        sources.append((name, _HERE + name, Kind.NATIVE, []))
    kinds = {kind: kind_flags(plan, kind) for kind in dict.fromkeys(s[2] for s in sources)}
    text = (
        _environment()
        .get_template("CMakeLists.txt.j2")
        .render(
            name=plan.name,
            target=plan.target,
            compiler=_call(plan),
            env=[f"{key}={value}" for key, value in sorted(plan.toolchain.env.items())],
            archs=arch_flags(plan.target, plan.archs),
            kinds=kinds,
            compile_flags=compile_flags(plan),
            defines=[f"-D{macro}" for macro in plan.defines],
            includes=["-I" + _relative(plan, path) for path in dict.fromkeys(staged.include_dirs)],
            link_flags=[
                *([] if plan.target == "cpu" else plan.toolchain.link_flags),
                *plan.link_flags,
            ],
            link_archs="${PG_ARCHS} " if plan.target != "cpu" else "",
            link_kind=link_kind(plan),
            library=plan.library.name,
            sources=sources,
            many=len(sources) > _MANY,
        )
    )
    files.write(plan.project / "CMakeLists.txt", text.encode())
    # Objects depend on this file: an updated compiler under the same name compiles everything anew.
    made_by = f"{plan.toolchain.name} {plan.toolchain.version} {plan.toolchain.compiler}\n"
    files.write(plan.project / "toolchain.txt", made_by.encode())


def link_kind(plan: Plan) -> list[str]:
    """Linker flags that say what comes out."""
    if plan.kind == "program":
        return []
    if sys.platform == "darwin":
        # Programs find the library where they are told to look, not where it was made.
        return ["-dynamiclib", f"-Wl,-install_name,@rpath/{plan.library.name}"]
    # A library of the cpu target keeps to the emulator's runtime that it carries: half of it would
    # else be taken from a program, or another library, that carries one too.
    return ["-shared", "-Wl,-Bsymbolic"] if plan.target == "cpu" else ["-shared"]


def _relative(plan: Plan, folder: Path) -> str:
    if folder.is_relative_to(plan.project):
        return "${CMAKE_CURRENT_SOURCE_DIR}/" + folder.relative_to(plan.project).as_posix()
    return str(folder)


def _environment() -> Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates("cmake")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["cmake"] = _cmake_list
    environment.filters["cmake_path"] = _cmake_path
    return environment


def _cmake_list(value: str | Sequence[str]) -> str:
    """CMake arguments, quoted so that no character of a word means anything to CMake."""
    words = [value] if isinstance(value, str) else list(value)
    return " ".join(_quote(word) for word in words) if words else '""'


def _cmake_path(path: str) -> str:
    """One quoted path; only our own variable in front of it means something to CMake."""
    return _quote(path).replace("\\" + _HERE, _HERE)


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    # A generator expression is the only form of a semicolon that survives in CMake's lists.
    return '"' + escaped.replace(";", "$<SEMICOLON>") + '"'
