"""Proves a build from its binaries: every architecture that was asked for must really be there."""

from __future__ import annotations

from collections.abc import Sequence

from portgpu import binary
from portgpu.build.model import ObjectReport, Plan, TargetResult
from portgpu.console import note
from portgpu.errors import UnprovenError


def prove(plan: Plan, result: TargetResult, *, has_kernels: bool) -> None:
    """Read all objects and the library into `result`; raises `UnprovenError` (PG3001, PG3002).

    `has_kernels` tells whether there is a kernel in the sources: then the library must hold one.
    """
    for source in plan.sources:
        path = plan.object_of(source)
        held = binary.read(path)
        if plan.target != "cpu":
            _require(plan, held.archs, plan.archs, source.relative, any_device_code=False)
        result.objects.append(
            ObjectReport(
                source=source.relative,
                object=str(path.relative_to(plan.folder)),
                archs=held.archs if plan.target != "cpu" else (held.machine,),
                kernels=held.kernels,
                size=path.stat().st_size,
            )
        )
    held = binary.read(plan.library)
    if plan.target == "cpu":
        result.archs = (held.machine,)
    else:
        _require(plan, held.archs, plan.archs, plan.library.name, any_device_code=has_kernels)
        result.archs = held.archs
    result.size = plan.library.stat().st_size


def _require(
    plan: Plan, found: Sequence[str], wanted: Sequence[str], where: str, *, any_device_code: bool
) -> None:
    if not found and not any_device_code:
        return
    vendor = "AMD" if plan.target == "rocm" else "NVIDIA"
    mine = [arch for arch in found if arch.startswith("gfx") == (plan.target == "rocm")]
    if not mine:
        raise UnprovenError(
            f"target {plan.target}: {where} holds no {vendor} code (PG3002)",
            hint=f"{plan.toolchain.compiler} did not compile for {vendor}; see "
            "`portgpu doctor` and `portgpu explain PG3002`",
        )
    missing = [arch for arch in wanted if arch not in mine]
    if missing:
        raise UnprovenError(
            f"target {plan.target}: {where} lacks {', '.join(missing)}; it holds {', '.join(mine)} "
            "(PG3001)",
            hint="configured flags may override the architectures; see `portgpu explain PG3001`",
        )


def announce_foreign(plan: Plan, result: TargetResult) -> None:
    """Tell about architectures that nobody asked for; they cost size and time."""
    extra = [arch for arch in result.archs if arch not in plan.archs and plan.target != "cpu"]
    if extra:
        note(f"note: {plan.library.name} also holds {', '.join(extra)} (from configured flags)")
