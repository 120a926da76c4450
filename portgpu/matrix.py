"""The vendor, architecture and toolchain matrix of CI, and the workflow made from it.

Compile checks need no GPU: one row for each architecture and toolchain that knows it. The CPU
target is tested with 32 and 64 lanes. Device rows run on machines with the GPU and fail without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import jinja2

from portgpu import resources
from portgpu.config import Config
from portgpu.errors import UsageError
from portgpu.toolchain import facts, lookup
from portgpu.toolchain.archs import base_name, sort_key
from portgpu.toolchain.model import version_numbers

_VENDORS = {"cuda": "nvidia", "rocm": "amd", "cpu": "none"}
_RUNNABLE = ("compile", "test", "device")


@dataclass(frozen=True, slots=True)
class Row:
    """One job. `runs_on` is a runner's name or its labels; `command` is what the job runs."""

    name: str
    kind: str  # compile | test | device
    vendor: str
    target: str
    arch: str
    toolchain: str
    runs_on: str | tuple[str, ...]
    image: str
    setup: str
    extras: str
    cxx: str
    warp: str
    command: str


def rows(
    config: Config,
    targets: Sequence[str] = (),
    archs: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> list[Row]:
    """The matrix of a configuration; `targets`, `archs` and `kinds` narrow it.

    Raises `UsageError` when an architecture that was asked for is in no toolchain of the matrix: it
    would be checked by nobody.
    """
    ci = facts()["ci"]
    chosen = tuple(targets) or config.build.targets
    found: list[Row] = []
    for target in chosen:
        wanted = _archs(config, target, archs)
        for toolchain in ci["toolchains"]:
            if toolchain["target"] == target:
                found += (
                    _compile_rows(toolchain, wanted) if target != "cpu" else _cpu_rows(toolchain)
                )
        covered = {row.arch for row in found}
        missing = [name for name in wanted if name not in covered]
        if missing:
            raise UsageError(
                f"no toolchain of the CI matrix builds for {', '.join(missing)}",
                hint="add one to [ci] in portgpu/data/toolchains.toml, or leave it out",
            )
        found += [_device_row(device) for device in ci["devices"] if device["target"] == target]
    return [row for row in found if not kinds or row.kind in kinds]


def _archs(config: Config, target: str, archs: Sequence[str]) -> list[str]:
    if target == "cpu":
        return []
    if archs:
        prefix = "gfx" if target == "rocm" else "sm_"
        return [name for name in archs if name.startswith(prefix)]
    configured = config.target(target).archs
    return sorted(configured or facts()["ci"]["archs"][target], key=sort_key)


def _knows(toolchain: Mapping[str, Any], name: str) -> bool:
    row = lookup(name)
    if row is None:
        return False
    if row.vendor == "amd":
        # Both must know it: clang, and the ROCm release whose device libraries are used.
        release = version_numbers(toolchain["version"])
        return row.llvm <= int(toolchain["clang"]) and version_numbers(row.first) <= release
    suffix = base_name(name)[len(row.name) :]
    first = version_numbers(row.variants.get(suffix, row.first) if suffix else row.first)
    release = version_numbers(toolchain["version"])
    return first <= release and (not row.last or release <= version_numbers(row.last))


def _compile_rows(toolchain: Mapping[str, Any], wanted: Sequence[str]) -> list[Row]:
    target = toolchain["target"]
    return [
        Row(
            name=f"{target} {name} {toolchain['name']}",
            kind="compile",
            vendor=_VENDORS[target],
            target=target,
            arch=name,
            toolchain=toolchain["name"],
            runs_on=toolchain["runner"],
            image=toolchain.get("image", ""),
            setup=toolchain.get("setup", ""),
            extras=toolchain["extras"],
            cxx="",
            warp="",
            command=f"portgpu build --target {target} --arch {name}",
        )
        for name in wanted
        if _knows(toolchain, name)
    ]


def _cpu_rows(toolchain: Mapping[str, Any]) -> list[Row]:
    return [
        Row(
            name=f"cpu {warp} lanes {toolchain['name']}",
            kind="test",
            vendor="none",
            target="cpu",
            arch="host",
            toolchain=toolchain["name"],
            runs_on=toolchain["runner"],
            image=toolchain.get("image", ""),
            setup=toolchain.get("setup", ""),
            extras=toolchain["extras"],
            cxx=toolchain["cxx"],
            warp=warp,
            command=f"portgpu build --target cpu && portgpu test --target cpu --warp-size {warp}",
        )
        for warp in ("32", "64")
    ]


def _device_row(device: Mapping[str, Any]) -> Row:
    target = device["target"]
    return Row(
        name=f"{target} device",
        kind="device",
        vendor=_VENDORS[target],
        target=target,
        arch="native",
        toolchain="installed",
        runs_on=tuple(device["labels"]),
        image="",
        setup="",
        extras="build,test",
        cxx="",
        warp="",
        command=(
            f"portgpu doctor --device {target} && portgpu build --target {target} --arch native && "
            f"portgpu test --target {target}"
        ),
    )


def include(found: Sequence[Row]) -> dict[str, list[dict[str, Any]]]:
    """GitHub's form: `strategy.matrix` takes it as it is."""
    return {"include": [asdict(row) for row in found]}


def workflow(config: Config) -> str:
    """The GitHub Actions workflow of the matrix (`ci/github.yml`)."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates("ci")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    found = rows(config)
    return environment.get_template("github.yml.j2").render(
        {kind: [row for row in found if row.kind == kind] for kind in _RUNNABLE}
    )
