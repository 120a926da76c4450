"""Turns configuration and options into one plan a target. Reads folders, writes nothing."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import asdict
from pathlib import Path

from portgpu import __version__, resources, toolchain
from portgpu.build import files
from portgpu.build.model import Plan, Request, SourceFile
from portgpu.config import Config
from portgpu.errors import ConfigError, NoDeviceError, UsageError, nearest
from portgpu.toolchain import archs as arch_names
from portgpu.toolchain import facts

OP_LIBRARY = "portgpu_ops"
# What globs take for sources; a path without `*` may end in anything.
SUFFIXES = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c++", ".C", ".c")


def sources_of(config: Config, target: str) -> tuple[Path, list[SourceFile]]:
    """Root and sources of the configured project, or of the op library when there is none."""
    if config.is_op_library:
        root = resources.kernels().resolve()
        return root, [SourceFile(path, path.name) for path in sorted(root.glob("*.cu"))]
    root = config.root.resolve()
    out = [*config.project.exclude, *config.target(target).exclude]
    # A test's source is a program of its own, also when `**/*.cu` finds it.
    out += [pattern for test in config.tests for pattern in test.sources]
    excluded = {path.resolve() for pattern in out for path in _glob(root, pattern)}
    found: dict[Path, SourceFile] = {}
    for pattern in config.project.sources:
        named = not re.search(r"[*?\[]", pattern)
        matches = [
            path
            for path in _glob(root, pattern)
            if path.is_file()
            and (named or path.suffix in SUFFIXES)
            and not _is_made(path.parent, root)
        ]
        if not matches:
            raise ConfigError(
                f"{config.file or root}: sources: {pattern!r} matches no file"
                + ("" if named else " that is a source"),
                hint=f"globs start at {root}; ** crosses folders",
            )
        for path in sorted(matches):
            real = path.resolve()
            if real in excluded:
                continue
            if not real.is_relative_to(root):
                raise ConfigError(
                    f"{path}: lies outside {root}", hint="move portgpu.toml up to a common folder"
                )
            if not _is_text(real):
                raise ConfigError(
                    f"{os.fsencode(real)!r}: the name is not UTF-8, which CMake needs",
                    hint="rename the file, or leave it out with `exclude`",
                )
            found[real] = SourceFile(real, real.relative_to(root).as_posix())
    if not found:
        raise ConfigError(f"{config.file or root}: nothing is left to build for {target}")
    return root, list(found.values())


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _include_dirs(config: Config, root: Path) -> tuple[Path, ...]:
    found = []
    for name in config.project.include_dirs:
        path = (root / name).resolve()
        if not path.is_dir():
            beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
            raise ConfigError(
                f"{config.file or root}: include_dirs: {name!r} is no folder",
                hint=nearest(path.name, beside) or f"paths start at {root}",
            )
        found.append(path)
    return tuple(found)


def _is_made(folder: Path, root: Path) -> bool:
    """Whether a folder is part of some build folder; `**/*.cu` must not find our copies."""
    while folder != root and folder != folder.parent:
        if (folder / files.TAG).exists():
            return True
        folder = folder.parent
    return False


def _glob(root: Path, pattern: str) -> list[Path]:
    if Path(pattern).is_absolute():
        path = Path(pattern)
        return [path] if path.exists() else []
    try:
        return list(root.glob(pattern))
    except (ValueError, NotImplementedError) as error:
        raise ConfigError(f"sources: {pattern!r}: {error}") from error


def archs_of(request: Request, target: str) -> tuple[str, ...]:
    """Architectures for one target: from the options, the configuration or the default."""
    chosen = [
        a for a in request.archs if a == arch_names.NATIVE or arch_names.target_of(a) == target
    ]
    if not chosen:
        configured = request.config.target(target).archs
        chosen = arch_names.parse_list(configured or facts()[target]["archs"])
    named: list[str] = []
    for name in chosen:
        named += _native(target) if name == arch_names.NATIVE else [name]
    wrong = [name for name in named if arch_names.target_of(name) != target]
    if wrong:
        raise UsageError(f"{wrong[0]} is no architecture of target {target}")
    return tuple(sorted(dict.fromkeys(named), key=arch_names.sort_key))


def _native(target: str) -> list[str]:
    if target == "cpu":
        return [arch_names.HOST]
    from portgpu.toolchain.devices import find_devices

    found = sorted({device.arch for device in find_devices() if device.target == target})
    if not found:
        raise NoDeviceError(
            f"--arch native: no device for {target} is here", hint="name the architectures instead"
        )
    return found


def check_archs(request: Request) -> None:
    """Refuse architectures of targets that are not being built: they would be ignored silently."""
    for name in request.archs:
        if name == arch_names.NATIVE:
            continue
        target = arch_names.target_of(name)
        if target not in request.targets:
            raise UsageError(
                f"--arch {name} belongs to target {target}, which is not being built",
                hint=f"add --target {target}, or leave {name} out",
            )


def make(request: Request, target: str, found: toolchain.Toolchain | None = None) -> Plan:
    """The plan of one target; raises `ToolchainError` for a missing compiler or unknown arch."""
    config = request.config
    if target == "rocm" and config.build.route == "headers" and config.build.warp == "native":
        raise UsageError(
            "the headers route keeps warps of 32 lanes; it cannot be combined with native warps",
            hint="leave out --warp native, or use --route rewrite",
        )
    root, sources = sources_of(config, target)
    archs = archs_of(request, target)
    compiler = found or toolchain.find_for(target, request.options)
    if target != "cpu":
        arch_names.require_known(
            archs,
            compiler.archs,
            toolkit=compiler.name,
            vendor="nvidia" if target == "cuda" else "amd",
        )
    settings = config.target(target)
    defaults = facts()[target]
    defines = [
        *config.project.defines,
        *settings.defines,
        f"PG_TYPES_ALL={int(config.build.types == 'all')}",
    ]
    if config.build.warp == "native":
        defines.append("PG_WARP_NATIVE=1")
    if config.is_op_library:
        # What pg_version() and pg_built_archs() answer.
        built = platform.machine() if target == "cpu" else ",".join(archs)
        defines += [f'PG_VERSION_STRING="{__version__}"', f'PG_BUILT_ARCHS="{built}"']
    name = config.project.name or (OP_LIBRARY if config.is_op_library else _safe(root.name))
    return Plan(
        target=target,
        name=name,
        kind=config.project.kind,
        route=config.build.route if target == "rocm" else "rewrite",
        root=root,
        folder=request.build_dir / target,
        sources=tuple(sources),
        include_dirs=_include_dirs(config, root),
        defines=tuple(defines),
        flags=(*defaults["flags"], *settings.flags),
        link_flags=(*defaults.get("link_flags", ()), *settings.link_flags),
        archs=archs,
        std=config.build.std,
        types=config.build.types,
        warp=config.build.warp,
        launcher=config.build.launcher,
        translate=asdict(config.translate),
        toolchain=compiler,
    )


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "kernels"
