"""What a found toolchain is, and how candidates are weighed. No searching here."""

from __future__ import annotations

import functools
import shutil
import site
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portgpu import resources
from portgpu.errors import PortgpuError, ToolchainError

# Clang takes every parameter for a promise that its value is set, and drops conditions on that
# ground: `if (lane == 0) n = f(); n = broadcast(n);` would call f() in all lanes. Not so nvcc, GCC.
UNSET_VALUES = ("-Xclang", "-no-enable-noundef-analysis")


@dataclass(frozen=True, slots=True)
class Options:
    """Where to look first: these win over the environment, which wins over known places."""

    cuda: Path | None = None  # CUDA root or nvcc itself
    rocm: Path | None = None  # ROCm root, hipcc or clang++
    host: str = ""  # C++ compiler of the cpu target
    cmake: Path | None = None
    ninja: Path | None = None
    # "rocm" -> what named it
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    def origin(self, name: str, option: str) -> str:
        """What named a place: an option, unless a variable or the configuration did."""
        return self.origins.get(name, option)


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler that was found and looks whole.

    `archs` are the device architectures it builds for, by base name. `env` must be set when it is
    called, `compile_flags` and `link_flags` are always needed. `libraries` are folders that a
    program built with it needs at run time.
    """

    kind: str  # cuda | rocm | host
    name: str  # for people: "CUDA 13.0", "ROCm 5.2 (Debian, clang 15.0.6)"
    version: str
    compiler: Path
    root: Path
    origin: str  # why this one: "--cuda-path", "CUDA_PATH", "PATH", "pip packages of this Python"
    archs: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    compile_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    libraries: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()

    def numbers(self) -> tuple[int, ...]:
        """The version as numbers, to compare."""
        return version_numbers(self.version)

    def to_json(self) -> dict[str, Any]:
        """A form that `from_json` takes back."""
        return {
            "kind": self.kind,
            "name": self.name,
            "version": self.version,
            "compiler": str(self.compiler),
            "root": str(self.root),
            "origin": self.origin,
            "archs": list(self.archs),
            "env": dict(self.env),
            "compile_flags": list(self.compile_flags),
            "link_flags": list(self.link_flags),
            "include_dirs": [str(path) for path in self.include_dirs],
            "libraries": [str(path) for path in self.libraries],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Toolchain:
        """The inverse of `to_json`."""
        return cls(
            kind=data["kind"],
            name=data["name"],
            version=data["version"],
            compiler=Path(data["compiler"]),
            root=Path(data["root"]),
            origin=data["origin"],
            archs=tuple(data["archs"]),
            env=dict(data["env"]),
            compile_flags=tuple(data["compile_flags"]),
            link_flags=tuple(data["link_flags"]),
            include_dirs=tuple(Path(path) for path in data["include_dirs"]),
            libraries=tuple(Path(path) for path in data["libraries"]),
            notes=tuple(data["notes"]),
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that was looked at: a toolchain, or the reason why it is none.

    `insisted` marks places that the user named (option or environment variable): when such a place
    does not hold a toolchain, that is an error, not a reason to look elsewhere.
    """

    place: str
    origin: str
    toolchain: Toolchain | None = None
    problem: str = ""
    insisted: bool = False


Place = tuple[Path, str, bool]  # where to look, why, and whether the user named it
PIP_ORIGIN = "pip packages of this Python"


def examine(
    places: Iterable[Place],
    locate: Callable[[Path], Path],
    probe: Callable[[Path, str], Toolchain],
    *,
    first_only: bool,
) -> Iterator[Candidate]:
    """What each place holds, best first; with `first_only`, nothing after the first usable one.

    `locate` finds the compiler in a place, `probe` asks it; their errors become a candidate's
    problem. A compiler that was already seen by another name is left out.
    """
    seen: set[Path] = set()
    for place, origin, insisted in places:
        try:
            compiler = locate(place)
            real = compiler.resolve()
            if real in seen:
                continue
            seen.add(real)
            found = probe(compiler, origin)
        except PortgpuError as error:
            yield Candidate(str(place), origin, problem=error.message, insisted=insisted)
            continue
        yield Candidate(str(place), origin, found, insisted=insisted)
        if first_only:
            return


def named_places(
    option: Path | None, flag: str, variables: Sequence[str], program: str, env: Mapping[str, str]
) -> Iterator[Place]:
    """Places that the user names by option or environment, then the program on the PATH."""
    if option is not None:
        yield option, flag, True
    for name in variables:
        if value := env.get(name):
            found = shutil.which(value) if "/" not in value else None
            yield Path(found or value), name, True
    if on_path := shutil.which(program):
        yield Path(on_path), "PATH", False


def site_folders() -> list[Path]:
    """Folders in which this Python looks for packages, without repeats."""
    folders = [*sys.path, *site.getsitepackages(), site.getusersitepackages()]
    return [Path(folder or ".") for folder in dict.fromkeys(folders)]


def choose(kind: str, candidates: Sequence[Candidate]) -> Toolchain:
    """The first usable candidate; raises `ToolchainError` that tells what was looked at."""
    for candidate in candidates:
        if candidate.toolchain is not None:
            return candidate.toolchain
        if candidate.insisted:
            raise ToolchainError(
                f"{candidate.origin}: {candidate.place}: {candidate.problem}",
                hint=f"correct or unset {candidate.origin}; `portgpu doctor` shows what is here",
            )
    titles = {
        "cuda": "CUDA compiler (nvcc)",
        "rocm": "ROCm compiler (hipcc)",
        "host": "C++ compiler",
    }
    seen = [f"  {c.place} ({c.origin}): {c.problem}" for c in candidates]
    detail = "looked at:\n" + "\n".join(seen) if seen else ""
    raise ToolchainError(
        f"no {titles[kind]} found",
        hint=install_hint("cpu" if kind == "host" else kind),
        detail=detail,
    )


@functools.cache
def facts() -> dict[str, Any]:
    """`portgpu/data/toolchains.toml`."""
    return tomllib.loads(resources.data("toolchains.toml").read_text(encoding="utf-8"))


def install_hint(target: str) -> str:
    """The exact command that installs what a target needs on this machine."""
    ways = install_commands(target) or list(facts()[target].get("install", {}).values())
    return " or ".join(ways) if ways else "see docs/build.md, section Toolchains"


def install_commands(target: str) -> list[str]:
    """Commands that install a target's compiler, those that work here first."""
    ways: dict[str, str] = facts()[target].get("install", {})
    found = []
    if "apt" in ways and shutil.which("apt-get"):
        import os

        sudo = "" if os.geteuid() == 0 else "sudo "
        found.append(f"{sudo}apt-get update && {sudo}{ways['apt']}")
    if "brew" in ways and sys.platform == "darwin":
        found.append(ways["brew"])
    if "pip" in ways:
        found.append(ways["pip"].replace("python3", sys.executable or "python3", 1))
    return found


def expand(pattern: str) -> list[Path]:
    """Existing paths of an absolute glob pattern."""
    return list(Path("/").glob(pattern.lstrip("/")))


def version_numbers(text: str) -> tuple[int, ...]:
    """`13.0.88` → (13, 0, 88); parts that are no numbers end it."""
    numbers = []
    for part in text.split("."):
        digits = "".join(c for c in part if c.isdigit())
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
