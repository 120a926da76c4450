"""Configuration: `portgpu.toml`, or `[tool.portgpu]` in pyproject.toml.

Precedence: command line, then environment, then file, then default. The model below is the only
description of the keys: the reader, the unknown-key check and the table in docs/config.md come
from it.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from portgpu.errors import ConfigError, nearest

_Kind = str  # "str" | "int" | "list" | "path"


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

    name: str = _key("str", "Name of the library: `lib<name>_<target>.so`.", "", env="PORTGPU_NAME")
    sources: tuple[str, ...] = _key(
        "list", "Globs of the sources, from the folder of the file; `**` crosses folders.", ()
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
class Config:
    """The whole configuration. Without a file the op library in `kernels/` is what is built."""

    project: Project = field(default_factory=Project)
    build: Build = field(default_factory=Build)
    cuda: Target = field(default_factory=Target)
    rocm: Target = field(default_factory=Target)
    cpu: Target = field(default_factory=Target)
    toolchain: Toolchains = field(default_factory=Toolchains)
    translate: Translate = field(default_factory=Translate)
    lint: Lint = field(default_factory=Lint)
    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None

    def target(self, name: str) -> Target:
        """The settings of one target."""
        return {"cuda": self.cuda, "rocm": self.rocm, "cpu": self.cpu}[name]

    @property
    def is_op_library(self) -> bool:
        """Whether no sources are configured, so that portgpu's own kernels are meant."""
        return not self.project.sources


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


def load(
    path: Path | None = None,
    *,
    start: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
) -> Config:
    """Read the configuration.

    `path` is a file that must exist; without it `PORTGPU_CONFIG`, then portgpu.toml or a
    pyproject.toml with `[tool.portgpu]` in `start` (default: the working folder) or above it.
    `overrides` maps `"section.key"` (`"build.types"`, `"cuda.archs"`) to command-line values;
    None and empty tuples are skipped. Raises `ConfigError` with file and line.
    """
    env = os.environ if env is None else env
    file = path or (Path(env["PORTGPU_CONFIG"]) if env.get("PORTGPU_CONFIG") else None)
    if file is not None and not file.is_file():
        raise ConfigError(f"{file}: no such file", hint="check --config or PORTGPU_CONFIG")
    file = file or _search(start or Path.cwd())
    config = _read(file) if file else Config(root=(start or Path.cwd()).resolve())
    config = _apply(config, _from_env(env), "environment")
    wanted = {k: v for k, v in (overrides or {}).items() if v is not None and v != ()}
    return _apply(config, wanted, "command line")


def _search(start: Path) -> Path | None:
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "portgpu.toml").is_file():
            return folder / "portgpu.toml"
        project = folder / "pyproject.toml"
        if project.is_file() and "portgpu" in _parse(project).get("tool", {}):
            return project
        if (folder / ".git").exists():
            break
    return None


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        where = f"{file}:{place[1]}" if place else str(file)
        text = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ConfigError(f"{where}: not valid TOML: {text}", hint="see docs/config.md") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 text", hint="save the file as UTF-8") from error


def _read(file: Path) -> Config:
    data = _parse(file)
    prefix = ""
    if file.name == "pyproject.toml":
        data, prefix = data["tool"]["portgpu"], "tool.portgpu."
    lines = _Lines(file, prefix)
    config = Config(root=file.resolve().parent, file=file)
    flat = _flatten(data, lines)
    for section, values in flat.items():
        attribute = SECTIONS[section]
        part = getattr(config, attribute)
        known = {f.name: f for f in fields(part)}
        for key, value in values.items():
            where = lines.find(section, key)
            if key not in known:
                raise ConfigError(
                    f"{where}: unknown key {key!r} in [{prefix}{section}]",
                    hint=nearest(key, list(known)) or f"known keys: {', '.join(known)}",
                )
            part = replace(part, **{key: _check(known[key], value, where)})
        config = replace(config, **{attribute: part})
    return config


def _flatten(data: Mapping[str, Any], lines: _Lines) -> dict[str, dict[str, Any]]:
    """Sections by their dotted name; raises for a section or top-level key that nobody knows."""
    found: dict[str, dict[str, Any]] = {}
    tops = sorted({name.split(".")[0] for name in SECTIONS})
    for name, value in data.items():
        if name in tops and not isinstance(value, dict):
            raise ConfigError(
                f"{lines.find(name, '')}: {name} must be a table", hint=f"write [{name}] once"
            )
        if name not in tops or not isinstance(value, dict):
            kind = "section" if isinstance(value, dict) else "key"
            owner = next((s for s in SECTIONS if name in _keys(s)), "")
            hint = f"{name} belongs into [{owner}]" if owner else nearest(name, tops)
            where = lines.find(name, "") if isinstance(value, dict) else lines.find("", name)
            raise ConfigError(
                f"{where}: unknown {kind} {name!r}",
                hint=hint or f"sections: {', '.join(SECTIONS)}",
            )
        if name != "target":
            found[name] = value
            continue
        for target, inner in value.items():
            section = f"target.{target}"
            if section not in SECTIONS or not isinstance(inner, dict):
                raise ConfigError(
                    f"{lines.find(section, '')}: unknown target {target!r}",
                    hint=nearest(target, ["cuda", "rocm", "cpu"]) or "targets: cuda, rocm, cpu",
                )
            found[section] = inner
    return found


def _keys(section: str) -> list[str]:
    return [f.name for f in fields(MODELS[SECTIONS[section]])]


def _check(spec: Field[Any], value: Any, where: str) -> Any:
    kind, choices = spec.metadata["kind"], spec.metadata["choices"]
    if kind == "int":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ConfigError(f"{where}: {spec.name} must be a whole number, not {value!r}")
        return value
    if kind == "list":
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise ConfigError(
                f"{where}: {spec.name} must be a list of strings, not {value!r}",
                hint=f'write {spec.name} = ["…"]',
            )
        for item in value:
            _check_choice(spec.name, item, choices, where)
        return tuple(value)
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {spec.name} must be a string, not {value!r}")
    _check_choice(spec.name, value, choices, where)
    return value


def _check_choice(name: str, value: str, choices: tuple[str, ...], where: str) -> None:
    if choices and value not in choices:
        raise ConfigError(
            f"{where}: {name} cannot be {value!r}",
            hint=nearest(value, choices) or f"choose from: {', '.join(choices)}",
        )


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    """`"section.key"` → value for the variables that are set."""
    found: dict[str, Any] = {}
    for attribute, model in MODELS.items():
        for spec in fields(model):
            name = _env_name(spec, attribute)
            if not name or not env.get(name):
                continue
            text = env[name]
            value: Any = text
            if spec.metadata["kind"] == "list":
                value = tuple(part.strip() for part in text.split(",") if part.strip())
            elif spec.metadata["kind"] == "int":
                if not text.isdigit():
                    raise ConfigError(f"{name}: must be a whole number, not {text!r}")
                value = int(text)
            found[f"{attribute}.{spec.name}"] = _check(spec, value, name)
    return found


def _env_name(spec: Field[Any], attribute: str) -> str:
    return str(spec.metadata["env"]).replace("{TARGET}", attribute.upper())


def _apply(config: Config, values: Mapping[str, Any], where: str) -> Config:
    for name, value in values.items():
        attribute, key = name.split(".")
        part = getattr(config, attribute)
        spec = next(f for f in fields(part) if f.name == key)
        config = replace(config, **{attribute: replace(part, **{key: _check(spec, value, where)})})
    return config


class _Lines:
    """Finds the line of a section or key, which the TOML reader does not keep."""

    def __init__(self, file: Path, prefix: str) -> None:
        self._file = file
        self._prefix = prefix
        self._lines = file.read_text(encoding="utf-8").splitlines()

    def find(self, section: str, key: str) -> str:
        """`file:line` of a key in a section (or of the section), or just the file."""
        full = (self._prefix + section).strip(".")
        current, opened = "", 0
        for number, line in enumerate(self._lines, 1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
            if header:
                current = re.sub(r"[\s\"']", "", header[1])
                if current == full or current.startswith(full + "."):
                    opened = opened or number
                continue
            match = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line)
            if match:
                name = ".".join(filter(None, (current, match[1].strip("\"'"))))
                if key and name == f"{full}.{key}".strip("."):
                    return f"{self._file}:{number}"
                if not key and (name == full or name.startswith(full + ".")):
                    opened = opened or number
        return f"{self._file}:{opened}" if opened else str(self._file)
