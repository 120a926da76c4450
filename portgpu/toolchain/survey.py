"""A survey of this machine for `portgpu doctor`: every place looked at, tools and devices."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from portgpu import __version__
from portgpu.errors import ToolchainError
from portgpu.toolchain import cuda, devices, host, rocm
from portgpu.toolchain.archs import TARGETS, base_name
from portgpu.toolchain.model import Candidate, Options, Toolchain, choose, install_commands


@dataclass(frozen=True, slots=True)
class TargetSurvey:
    """One target: the chosen toolchain or the problem, other candidates, and install commands."""

    target: str
    chosen: Toolchain | None
    problem: str
    hint: str
    candidates: tuple[Candidate, ...]
    install: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything that was found."""

    targets: tuple[TargetSurvey, ...]
    tools: tuple[host.Tool | ToolchainError, ...]
    devices: tuple[devices.Device, ...]
    device_problems: tuple[str, ...]
    system: dict[str, str] = field(default_factory=dict)

    def usable(self, target: str) -> bool:
        """Whether `portgpu build --target` can start: compiler, CMake and Ninja are there."""
        found = next(t for t in self.targets if t.target == target)
        return found.chosen is not None and all(isinstance(tool, host.Tool) for tool in self.tools)


def take(options: Options) -> Survey:
    """Look everywhere. Never raises for what is missing."""
    search: dict[str, Callable[[Options], Iterator[Candidate]]] = {
        "cuda": cuda.candidates,
        "rocm": rocm.candidates,
        "cpu": host.candidates,
    }
    found = []
    for target in TARGETS:
        seen = tuple(search[target](options))
        chosen, problem, hint = None, "", ""
        try:
            chosen = choose("host" if target == "cpu" else target, seen)
        except ToolchainError as error:
            problem, hint = error.message, error.hint
        found.append(
            TargetSurvey(target, chosen, problem, hint, seen, tuple(install_commands(target)))
        )
    tools: list[host.Tool | ToolchainError] = []
    for name, explicit in (("cmake", options.cmake), ("ninja", options.ninja)):
        try:
            tools.append(host.find_tool(name, explicit))
        except ToolchainError as error:
            tools.append(error)
    system = {
        "portgpu": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
    }
    return Survey(
        tuple(found),
        tuple(tools),
        devices.find_devices(),
        tuple(devices.problems()),
        system,
    )


def device_note(survey: Survey, device: devices.Device) -> str:
    """Whether the chosen toolchain builds for a device; empty when it does."""
    chosen = next(t.chosen for t in survey.targets if t.target == device.target)
    if chosen is None:
        return f"no {device.target} compiler here"
    if base_name(device.arch) not in chosen.archs:
        return f"{chosen.name} does not build for {device.arch}"
    return ""


def to_json(survey: Survey) -> dict[str, Any]:
    """Plain data."""
    return {
        "system": survey.system,
        "targets": {
            t.target: {
                "usable": survey.usable(t.target),
                "toolchain": t.chosen.to_json() if t.chosen else None,
                "problem": t.problem,
                "hint": t.hint,
                "looked_at": [
                    {"place": c.place, "origin": c.origin, "problem": c.problem}
                    for c in t.candidates
                ],
                "install": list(t.install),
            }
            for t in survey.targets
        },
        "tools": [
            {
                "name": tool.name,
                "path": str(tool.path),
                "version": tool.version,
                "origin": tool.origin,
            }
            if isinstance(tool, host.Tool)
            else {"problem": tool.message, "hint": tool.hint}
            for tool in survey.tools
        ],
        "devices": [devices.to_json(device) for device in survey.devices],
        "device_problems": list(survey.device_problems),
    }
