"""The keys of `portgpu.toml`: one dataclass a section.

The reader, the unknown-key check and the table in docs/config.md come from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_Kind = str  # "str" | "int" | "number" | "list" | "path"


def _key(
    kind: _Kind, doc: str, default: Any, *, env: str = "", choices: tuple[str, ...] = ()
) -> Any:
    meta = {"kind": kind, "doc": doc, "env": env, "choices": choices}
    if kind == "list":
        return field(default_factory=lambda: tuple(default), metadata=meta)
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class Project:
    """`[project]`: what is built."""

    name: str = _key(
        "str",
        "Name of what is built: `lib<name>_<target>.so`, or `<name>_<target>` for a program.",
        "",
        env="PORTGPU_NAME",
    )
    kind: str = _key(
        "str",
        "`library`: a shared library; `program`: an executable.",
        "library",
        choices=("library", "program"),
    )
    sources: tuple[str, ...] = _key(
        "list",
        "Globs of the sources, from the folder of the file; `**` crosses folders. Headers and "
        "sources of tests are left out.",
        (),
    )
    exclude: tuple[str, ...] = _key("list", "Globs of files that are no sources after all.", ())
    include_dirs: tuple[str, ...] = _key("list", "Folders for `#include`.", ())
    defines: tuple[str, ...] = _key("list", "Macros for every target: `NAME` or `NAME=VALUE`.", ())


@dataclass(frozen=True, slots=True)
class Build:
    """`[build]`: how it is built."""

    targets: tuple[str, ...] = _key(
        "list",
        "Targets when `--target` is not given.",
        ("cuda", "rocm", "cpu"),
        env="PORTGPU_TARGETS",
        choices=("cuda", "rocm", "cpu"),
    )
    build_dir: str = _key("path", "The build folder.", "build", env="PORTGPU_BUILD_DIR")
    types: str = _key(
        "str",
        "`core`: f32, f16, bf16; `all`: f64, integers, bool too (macro PG_TYPES_ALL).",
        "core",
        env="PORTGPU_TYPES",
        choices=("core", "all"),
    )
    warp: str = _key(
        "str",
        "`logical`: a warp has 32 lanes everywhere; `native`: the device's width.",
        "logical",
        env="PORTGPU_WARP",
        choices=("logical", "native"),
    )
    route: str = _key(
        "str",
        "How CUDA sources become ROCm: `rewrite` them, or leave them and compile with `headers`.",
        "rewrite",
        env="PORTGPU_ROUTE",
        choices=("rewrite", "headers"),
    )
    std: str = _key("str", "C++ standard.", "c++17", choices=("c++17", "c++20", "c++23"))
    launcher: str = _key(
        "str", "What compilers are called through: `ccache`, `sccache`.", "", env="PORTGPU_LAUNCHER"
    )
    jobs: int = _key("int", "Compilers at once; 0 is one per core.", 0, env="PORTGPU_JOBS")


@dataclass(frozen=True, slots=True)
class Target:
    """`[target.cuda]`, `[target.rocm]`, `[target.cpu]`: what differs between targets."""

    archs: tuple[str, ...] = _key(
        "list", "Architectures; empty means the target's default.", (), env="PORTGPU_{TARGET}_ARCHS"
    )
    flags: tuple[str, ...] = _key("list", "Compiler flags, after portgpu's own.", ())
    link_flags: tuple[str, ...] = _key("list", "Linker flags and libraries.", ())
    defines: tuple[str, ...] = _key("list", "Macros for this target alone.", ())
    exclude: tuple[str, ...] = _key("list", "Globs of sources that this target leaves out.", ())


@dataclass(frozen=True, slots=True)
class Toolchains:
    """`[toolchain]`: paths, each also an option. Relative to the file's folder."""

    cuda: str = _key("path", "CUDA root, or nvcc.", "", env="PORTGPU_CUDA")
    rocm: str = _key(
        "path", "ROCm root, hipcc, or a clang++ that knows HIP.", "", env="PORTGPU_ROCM"
    )
    cxx: str = _key("str", "C++ compiler of the cpu target; may have flags.", "", env="PORTGPU_CXX")
    cmake: str = _key("path", "cmake.", "", env="PORTGPU_CMAKE")
    ninja: str = _key("path", "ninja.", "", env="PORTGPU_NINJA")


@dataclass(frozen=True, slots=True)
class Translate:
    """`[translate]`: how sources become HIP or C++."""

    allow: tuple[str, ...] = _key(
        "list", "Names and finding IDs that may remain after translation (no silent residue).", ()
    )
    launches: str = _key(
        "str",
        "`keep` `<<<>>>` or `convert` to hipLaunchKernelGGL.",
        "keep",
        choices=("keep", "convert"),
    )
    hip_version: str = _key(
        "str", "Narrow the output to one HIP version (`6.3`); empty: HIP 5.2 to 10.", ""
    )


@dataclass(frozen=True, slots=True)
class Lint:
    """`[lint]`: which findings `portgpu lint` shows."""

    select: tuple[str, ...] = _key("list", "Finding IDs or prefixes to show; empty means all.", ())
    ignore: tuple[str, ...] = _key("list", "Finding IDs or prefixes to leave out.", ())
    allow: tuple[str, ...] = _key(
        "list",
        "Accepted findings, each `ID [glob]: reason`; the glob is a path from the file's folder.",
        (),
    )
    exclude: tuple[str, ...] = _key("list", "Globs of files that are not linted.", ())
    baseline: str = _key("path", "Baseline file with the findings of old code.", "")


@dataclass(frozen=True, slots=True)
class ProjectTest:
    """`[[test]]`: a program that `portgpu test` builds and runs on every target."""

    name: str = _key("str", "Name of the test; needed, and unique.", "")
    sources: tuple[str, ...] = _key(
        "list",
        "Globs of the test's own sources, linked with the project's library. Empty: the test runs "
        "the project's program.",
        (),
    )
    args: tuple[str, ...] = _key("list", "Arguments of the program.", ())
    env: tuple[str, ...] = _key("list", "Variables for the program: `NAME=VALUE`.", ())
    exit_code: int = _key("int", "The exit code that the program must end with.", 0)
    output: str = _key(
        "str",
        "Regular expression that must be found in stdout or stderr; `^` and `$` are lines.",
        "",
    )
    timeout: float = _key("number", "Seconds after which the program has failed.", 60.0)
    targets: tuple[str, ...] = _key(
        "list",
        "Targets that the test is for.",
        ("cuda", "rocm", "cpu"),
        choices=("cuda", "rocm", "cpu"),
    )
    defines: tuple[str, ...] = _key("list", "Macros for this test alone.", ())
    link_flags: tuple[str, ...] = _key("list", "Linker flags and libraries of this test.", ())


# Section in the file -> attribute of Config.
SECTIONS = {
    "project": "project",
    "build": "build",
    "target.cuda": "cuda",
    "target.rocm": "rocm",
    "target.cpu": "cpu",
    "toolchain": "toolchain",
    "translate": "translate",
    "lint": "lint",
}
MODELS: dict[str, type[Any]] = {
    "project": Project,
    "build": Build,
    "cuda": Target,
    "rocm": Target,
    "cpu": Target,
    "toolchain": Toolchains,
    "translate": Translate,
    "lint": Lint,
}
# Sections that may repeat (`[[test]]`): name in the file -> attribute of Config, model.
LISTS: dict[str, tuple[str, type[Any]]] = {"test": ("tests", ProjectTest)}
