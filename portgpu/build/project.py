"""Renders the CMake project of a target. The only place that knows compilers' command lines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from portgpu import resources
from portgpu.build import files
from portgpu.build.model import Plan, Staged

if TYPE_CHECKING:
    from jinja2 import Environment

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
        f"-std={plan.std}",
        *position_independent,
        *plan.flags,
        *_implicit_header(plan),
    ]


def _call(plan: Plan) -> list[str]:
    """The words that every compiler call starts with: a launcher such as ccache, the compiler.

    `CXX` may hold more than a name (`ccache g++`, `g++ -m64`); these words belong together.
    """
    words = plan.toolchain.compile_flags if plan.target == "cpu" else ()
    return [*shlex.split(plan.launcher), str(plan.toolchain.compiler), *words]


def _implicit_header(plan: Plan) -> list[str]:
    """nvcc includes cuda_runtime.h before every source by itself; the others are told to."""
    if plan.target == "rocm":
        return ["-include", "hip/hip_runtime.h"]
    if plan.target == "cpu" and (plan.project / "include" / "pgcpu.h").is_file():
        return ["-include", "pgcpu.h"]
    return []


def render(plan: Plan, staged: Staged) -> None:
    """Write `CMakeLists.txt` into the project folder (if it changed)."""
    sources = [f"src/{source.relative}" for source in plan.sources]
    sources += [path.relative_to(plan.project).as_posix() for path in staged.runtime]
    archs = arch_flags(plan.target, plan.archs)
    text = (
        _environment()
        .get_template("CMakeLists.txt.j2")
        .render(
            name=plan.name,
            target=plan.target,
            compiler=_call(plan),
            env=[f"{key}={value}" for key, value in sorted(plan.toolchain.env.items())],
            archs=archs,
            language={"cuda": ["-x", "cu"], "rocm": ["-x", "hip"], "cpu": ["-x", "c++"]}[
                plan.target
            ],
            compile_flags=compile_flags(plan),
            defines=[f"-D{macro}" for macro in plan.defines],
            includes=["-I" + _relative(plan, path) for path in dict.fromkeys(staged.include_dirs)],
            link_flags=[
                *([] if plan.target == "cpu" else plan.toolchain.link_flags),
                *plan.link_flags,
            ],
            link_archs="${PG_ARCHS} " if plan.target != "cpu" else "",
            library=plan.library.name,
            sources=sources,
            many=len(sources) > _MANY,
        )
    )
    files.write(plan.project / "CMakeLists.txt", text.encode())
    # Objects depend on this file: an updated compiler under the same name compiles everything anew.
    made_by = f"{plan.toolchain.name} {plan.toolchain.version} {plan.toolchain.compiler}\n"
    files.write(plan.project / "toolchain.txt", made_by.encode())


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
    environment.filters["cmake_path"] = lambda text: '"' + str(text).replace('"', '\\"') + '"'
    return environment


def _cmake_list(value: str | Sequence[str]) -> str:
    """CMake arguments, quoted so that no character of a word means anything to CMake."""
    words = [value] if isinstance(value, str) else list(value)
    return " ".join(_quote(word) for word in words) if words else '""'


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    # A generator expression is the only form of a semicolon that survives in CMake's lists.
    return '"' + escaped.replace(";", "$<SEMICOLON>") + '"'
