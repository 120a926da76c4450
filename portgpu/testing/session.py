"""One test run: options in, legs run, report out. Shared by the command line and `-m` entry.

Needs NumPy and the standard library only, so that it runs on a GPU machine that has nothing but
this package and a built library.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from portgpu import console, resources
from portgpu.errors import InputError, PortgpuError, TestError, UsageError
from portgpu.ops import registry
from portgpu.run import executors
from portgpu.testing import report
from portgpu.testing.child import Job
from portgpu.testing.output import write
from portgpu.testing.results import Leg
from portgpu.testing.runner import LegSpec, held_archs, run_legs

WIDTHS = (32, 64)


@dataclass(frozen=True, slots=True)
class Options:
    """What to test and how to report it. `libs` has a library per executor."""

    libs: Mapping[str, Path]
    widths: Sequence[int] = WIDTHS
    level: str = "default"
    types: str = "core"
    ops: Sequence[str] = ()
    match: str = ""
    seed: int | None = None
    form: str = "text"
    output: Path | None = None
    device: int = 0
    torch: bool | None = None  # None: on GPU targets, when importable
    timeout: float = 300.0
    registry: Path | None = None
    rerun: str = ""
    quiet: bool = False
    large: bool = False  # also cases beyond 2^31 elements
    fuzz: int = 0  # random wrong calls of each op
    sample: int = 0  # good cases of each op and type, 0: all
    extra: Sequence[Leg] = field(default=())  # legs that were built only


def run(options: Options) -> list[Leg]:
    """Run all legs, write the report, and return the legs.

    Raises `TestError` when a case failed or nothing ran, `NoDeviceError`, `UnprovenError` or
    `InputError` when a leg cannot start.
    """
    seed = secrets.randbits(32) if options.seed is None else options.seed
    specs = [
        LegSpec(name, lib, width)
        for name, lib in options.libs.items()
        for width in [w for w in executors.find(name).widths if w in options.widths] or (0,)
    ]
    gpu = any(spec.executor in ("cuda", "rocm") for spec in specs)
    job = Job(
        executor="",
        lib="",
        registry=str(options.registry or resources.kernels("registry.toml")),
        level=options.level,
        types=options.types,
        ops=tuple(options.ops),
        match=options.match,
        seed=seed,
        heavy=gpu or options.level == "full",
        torch=gpu if options.torch is None else options.torch,
        device=options.device,
        large=options.large,
        fuzz=options.fuzz,
        sample=options.sample,
    )
    if options.torch:
        from portgpu.testing import second_oracle

        if not second_oracle.version():
            raise UsageError(
                "PyTorch cannot be imported", hint="pip install torch, or leave --torch out"
            )
    if specs and not job.plan():
        raise UsageError(
            f"no case matches -k {options.match!r}" if options.match else "the plan has no case",
            hint="IDs look like softmax/f32/row33; --op and -k must fit together",
        )
    progress = console.Progress("test", quiet=options.quiet)
    if not options.quiet:
        console.note(f"seed {seed}: repeat this run with --seed {seed}")
    legs: list[Leg] = []
    unable: list[PortgpuError] = []
    if specs:
        legs, unable = run_legs(specs, job, timeout=options.timeout, progress=progress.step)
    progress.clear()
    for leg in legs:
        leg.hello["driver"] = driver(leg.target)
    legs += options.extra
    flags = "" if options.level == "default" else f" --{options.level}"
    flags += "" if options.types == "core" else f" --types {options.types}"
    flags += " --large" if options.large else ""
    flags += f" --fuzz {options.fuzz}" if options.fuzz else ""
    flags += f" --sample {options.sample}" if options.sample else ""
    text = report.render(
        legs, options.form, seed=seed, level=options.level, types=options.types,
        rerun=f"{options.rerun} {{leg}}{flags} -k '{{id}}' --seed {seed}" if options.rerun else "",
    )  # fmt: skip
    write(text, options.output)
    if options.output is not None and options.form != "text" and not options.quiet:
        console.note(report.render(legs, "text", seed=seed, level=options.level,
                                   types=options.types).rstrip())  # fmt: skip
    judge(legs, unable)
    return legs


def built_leg(target: str, lib: Path, archs: Sequence[str]) -> Leg:
    """A leg that is built and not run: its library must export every op of the registry."""
    try:
        data = lib.read_bytes()
    except OSError as error:
        raise InputError(f"{lib}: {error.strerror}", hint="build it: portgpu build") from None
    ops = [op.name for op in registry.load()]
    absent = [name for name in ops if f"pg_{name}\0".encode() not in data]
    leg = Leg(target, target, str(lib), 0, built_only=True)
    leg.hello = {
        "version": f"with {len(ops) - len(absent)} ops",
        "archs": list(archs or held_archs(lib)),
    }
    if absent:
        leg.note = f"the library lacks {', '.join(absent)}"
    return leg


def judge(legs: Sequence[Leg], unable: Sequence[PortgpuError] = ()) -> None:
    """Raise unless every leg passed and ran what it names.

    `TestError` for failed cases; else the reason why a leg could not start.
    """
    if unable and not any(leg.failures for leg in legs):
        raise unable[0]
    if not legs:
        raise TestError("no test ran", hint="name a target: portgpu test --target cpu")
    bad = [leg for leg in legs if not leg.passed]
    if not bad:
        return
    parts = []
    for leg in bad:
        if leg.failures:
            parts.append(f"{len(leg.failures)} of {leg.planned} cases failed on {leg.name}")
        elif leg.built_only:
            parts.append(f"{leg.name}: {leg.note}")
        else:
            parts.append(f"{leg.not_run} of {leg.planned} cases did not run on {leg.name}")
    raise TestError("; ".join(parts), hint="the report above names them; --format json has all")


def driver(target: str) -> str:
    """Version of the device's driver as the system reports it, or an empty string."""
    if target == "cuda":
        try:
            words = Path("/proc/driver/nvidia/version").read_text("utf-8").splitlines()[0].split()
        except (OSError, IndexError):
            return ""
        return next((w for w in words if w.replace(".", "").isdigit() and "." in w), "")
    if target == "rocm":
        try:
            return Path("/sys/module/amdgpu/version").read_text("utf-8").strip()
        except OSError:
            return ""
    return ""


def parse_libs(values: Sequence[str], targets: Sequence[str]) -> dict[str, Path]:
    """`--lib PATH` (one target) or `--lib TARGET=PATH` (several) as target -> path."""
    libs: dict[str, Path] = {}
    for value in values:
        name, found, path = value.partition("=")
        if found and name in executors.names():
            libs[name] = Path(path)
            continue
        guess = [t for t in ("cpu", "cuda", "rocm") if Path(value).stem.endswith(f"_{t}")]
        wanted = targets if len(targets) == 1 else guess
        if len(wanted) != 1:
            raise UsageError(
                f"--lib {value}: of which target?", hint="write --lib cuda=PATH, or name one target"
            )
        libs[wanted[0]] = Path(value)
    for lib in libs.values():
        if not lib.is_file():
            raise InputError(f"{lib}: no such library", hint="build it with `portgpu build`")
    return libs
