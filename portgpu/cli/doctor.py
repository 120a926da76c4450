"""`portgpu doctor`."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import click

from portgpu import config as configuration
from portgpu.cli.build import targets_of, toolchain_options
from portgpu.errors import Exit, PortgpuError
from portgpu.toolchain import host, libraries, survey
from portgpu.toolchain.archs import TARGETS


@click.command()
@click.option(
    "--check", "-t", "checks", multiple=True, metavar="TARGET", help="Must be buildable here."
)
@click.option(
    "--device", "need", multiple=True, metavar="TARGET", help="Must be runnable here, too."
)
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file.")
@click.option("--cuda-path", type=click.Path(path_type=Path), help="CUDA toolkit, or nvcc.")
@click.option("--rocm-path", type=click.Path(path_type=Path), help="ROCm root, hipcc or clang++.")
@click.option("--cxx", help="C++ compiler of the cpu target.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(
    checks: tuple[str, ...],
    need: tuple[str, ...],
    config: Path | None,
    cuda_path: Path | None,
    rocm_path: Path | None,
    cxx: str | None,
    form: str,
) -> int:
    """Show compilers and devices, and how to install what is missing.

    Exit code 0: the targets of --check and --device can be built (with neither: at least one target
    can). 3: one cannot. 7: a device of --device is not here.
    """
    settings = configuration.load(
        config,
        overrides={
            "toolchain.cuda": str(cuda_path.absolute()) if cuda_path else None,
            "toolchain.rocm": str(rocm_path.absolute()) if rocm_path else None,
            "toolchain.cxx": cxx,
        },
    )
    runnable = targets_of(need, settings) if need else ()
    wanted = dict.fromkeys((*(targets_of(checks, settings) if checks else ()), *runnable))
    found = survey.take(toolchain_options(settings))
    if form == "json":
        click.echo(json.dumps(survey.to_json(found), indent=1))
    else:
        click.echo(text(found, tuple(wanted) or TARGETS))
    usable = [t.target for t in found.targets if found.usable(t.target)]
    if not (all(target in usable for target in wanted) if wanted else usable):
        return int(Exit.TOOLCHAIN)
    here = {device.target for device in found.devices} | {"cpu"}
    return int(Exit.OK if all(target in here for target in runnable) else Exit.NO_DEVICE)


def text(found: survey.Survey, targets: tuple[str, ...] = TARGETS) -> str:
    """The report for people, about these targets."""
    system = found.system
    lines = [
        f"portgpu {system['portgpu']}, Python {system['python']} ({system['executable']}), "
        f"{system['system']} {system['machine']}",
        "",
    ]
    for target in found.targets:
        if target.target in targets:
            lines += _target(target, found.usable(target.target))
    lines.append("build tools")
    for tool in found.tools:
        if isinstance(tool, host.Tool):
            lines.append(f"  {tool.name} {tool.version}  {tool.path}  (chosen by: {tool.origin})")
        else:
            lines += _problem(tool)
    lines += ["", "devices"]
    for device in found.devices:
        memory = f", {device.memory / 2**30:.0f} GiB" if device.memory else ""
        why = survey.device_note(found, device)
        lines.append(
            f"  {device.target}:{device.index}  {device.name} ({device.arch}{memory}), "
            f"by {device.source}" + (f"; {why}" if why else "")
        )
    if not found.devices:
        lines.append("  none: cuda and rocm can be built and inspected here, but not run")
    lines += [f"  problem: {problem}" for problem in found.device_problems]
    lines.append("  cpu: this machine, 32 or 64 lanes a warp (PORTGPU_WARP_SIZE)")
    return "\n".join(lines)


def _target(target: survey.TargetSurvey, usable: bool) -> list[str]:
    chosen = target.chosen
    lines = [f"{target.target:<5} {'usable' if usable else 'NOT USABLE'}"]
    if chosen is not None:
        lines.append(
            f"  {chosen.name} {chosen.version}  {chosen.compiler}  (chosen by: {chosen.origin})"
        )
        lines.append(f"  root {chosen.root}")
        if target.target != "cpu":
            lines += _wrapped("  builds for ", " ".join(chosen.archs))
        if chosen.env:
            lines.append(
                "  calls with " + " ".join(f"{k}={v}" for k, v in sorted(chosen.env.items()))
            )
        lines += [f"  note: {note}" for note in chosen.notes]
        present, absent = libraries.here(chosen)
        if present or absent:
            lines += _wrapped("  libraries: ", ", ".join(present) or "none")
            lines += _wrapped("  not here: ", ", ".join(absent)) if absent else []
    else:
        lines.append(f"  {target.problem}")
        insisted = any(candidate.insisted for candidate in target.candidates)
        lines += [f"  next: {target.hint}"] if insisted else []
        lines += (
            [] if insisted else [f"  install: {line}" for line in target.install or [target.hint]]
        )
    for candidate in target.candidates:
        if candidate.toolchain is None:
            lines.append(
                f"  passed over: {candidate.place} ({candidate.origin}): {candidate.problem}"
            )
        elif candidate.toolchain is not chosen:
            lines.append(
                f"  also here: {candidate.toolchain.name}  {candidate.place} ({candidate.origin})"
            )
    return [*lines, ""]


def _problem(error: PortgpuError) -> list[str]:
    return [f"  {error.message}", f"  install: {error.hint}", *error.detail.splitlines()]


def _wrapped(lead: str, words: str) -> list[str]:
    return textwrap.wrap(words, 100, initial_indent=lead, subsequent_indent=" " * len(lead))
