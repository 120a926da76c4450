"""`portgpu test`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from portgpu import config as configuration
from portgpu.errors import ToolchainError, UsageError


@click.command()
@click.option("--target", "-t", "targets", multiple=True, metavar="TARGET",
              help="cpu (default), cuda, rocm, all, or an executor; may repeat.")  # fmt: skip
@click.option("--lib", "libs", multiple=True, metavar="[TARGET=]PATH",
              help="Test this library instead of building one.")  # fmt: skip
@click.option(
    "--build-only", is_flag=True, help="Build and read back, run nothing; the summary says so."
)
@click.option("--plan", "show_plan", is_flag=True,
              help="Show which points of the plan each op has; run nothing.")  # fmt: skip
@click.option("--warp-size", type=click.Choice(["32", "64", "both"]), default="both",
              show_default=True, help="Warp width of the cpu target.")  # fmt: skip
@click.option("--quick", "level", flag_value="quick", help="Fewer shapes and layouts.")
@click.option("--full", "level", flag_value="full", help="Every shape, layout and 16-bit pattern.")
@click.option("--large", is_flag=True, help="Also cases beyond 2^31 elements (20 GB of memory).")
@click.option("--fuzz", type=click.IntRange(0), default=8, metavar="N",
              help="Random wrong calls of each op (default 8).")  # fmt: skip
@click.option("--sample", type=click.IntRange(0), default=0, metavar="N",
              help="Only N good cases of each op and type, chosen at random.")  # fmt: skip
@click.option("--types", type=click.Choice(["core", "all"]), help="Element types (default core).")
@click.option("--op", "ops", multiple=True, metavar="NAME", help="Only this op; may repeat.")
@click.option("-k", "match", default="", metavar="TEXT", help="Only cases whose ID contains TEXT.")
@click.option("--seed", type=int, help="Seed of the values (default: random, printed).")
@click.option("--device", type=int, default=0, show_default=True, help="Index of the GPU.")
@click.option("--torch/--no-torch", default=None,
              help="PyTorch as second oracle (default: on GPUs, when installed).")  # fmt: skip
@click.option("--timeout", type=float, default=300.0, show_default=True,
              help="Seconds without an answer after which a case has failed.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "junit"]), default="text")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="File of the report.")
@click.option("--arch", "-a", "archs", multiple=True, metavar="ARCH", help="As for build.")
@click.option(
    "--build-dir", "-B", type=click.Path(path_type=Path), help="Build folder (default build)."
)
@click.option("--jobs", "-j", type=click.IntRange(1), help="Compilers at once (default: cores).")
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    targets: tuple[str, ...],
    libs: tuple[str, ...],
    build_only: bool,
    show_plan: bool,
    warp_size: str,
    level: str | None,
    large: bool,
    fuzz: int,
    sample: int,
    types: str | None,
    ops: tuple[str, ...],
    match: str,
    seed: int | None,
    device: int,
    torch: bool | None,
    timeout: float,
    form: str,
    output: Path | None,
    archs: tuple[str, ...],
    build_dir: Path | None,
    jobs: int | None,
    config: Path | None,
    quiet: bool,
) -> None:
    """Run a project's own tests, or the op library's test plan, on a target.

    With [[test]] tables in portgpu.toml these programs are built and run (docs/testing.md); without
    any, or with --op or --lib, the op library is tested.

    Builds first what is not up to date. Expected values are NumPy's in float64; tolerances are in
    portgpu/data/tolerances.toml. The cpu target runs at 32 and 64 lanes. A GPU target whose device
    is not here is an error (exit code 7) unless --build-only says that building is enough.
    """
    from portgpu.cli.build import check_project, folder, targets_of, toolchain_options
    from portgpu.run import find, names

    settings = configuration.load(
        config,
        overrides={
            "build.types": types,
            "build.jobs": jobs,
            "build.build_dir": str(build_dir) if build_dir else None,
        },
    )
    if not ops and not libs:
        check_project(settings)
    if show_plan:
        from portgpu.ops import registry
        from portgpu.testing import coverage

        rows = coverage.table(registry.load(), settings.build.types, level or "default")
        click.echo(coverage.render(rows))
        return
    wanted: Sequence[str] = targets_of(targets, settings, known=names()) if targets else ("cpu",)
    if settings.tests and not ops and not libs:
        given_for_ops = {
            "--quick or --full": level,
            "--large": large or None,
            "--seed": seed,
            "--torch": torch,
        }
        strange_ones = [name for name, value in given_for_ops.items() if value is not None]
        if strange_ones:
            raise UsageError(
                f"{strange_ones[0]} is for the op library; this project has tests of its own",
                hint="leave it out, or name ops with --op",
            )
        from portgpu.build import Request
        from portgpu.process import signals_interrupt
        from portgpu.testing import programs
        from portgpu.toolchain.archs import parse_list

        own = click.get_current_context().get_parameter_source("timeout")
        with signals_interrupt():
            programs.run(
                programs.Options(
                    Request(
                        config=settings,
                        build_dir=folder(settings, given=build_dir is not None),
                        targets=tuple(dict.fromkeys(find(name).accepts for name in wanted)),
                        archs=tuple(parse_list(archs)),
                        options=toolchain_options(settings),
                        jobs=settings.build.jobs,
                        quiet=quiet,
                    ),
                    executors=wanted,
                    match=match,
                    widths=(32, 64) if warp_size == "both" else (int(warp_size),),
                    build_only=build_only,
                    device=device,
                    timeout=None if own is ParameterSource.DEFAULT else timeout,
                    form=form,
                    output=output,
                )
            )
        return
    if settings.project.sources and not ops and not libs:
        raise UsageError(
            "this project has no [[test]] tables, so there is nothing of its own to test",
            hint="add one (docs/project-tests.md); --op NAME or --lib test the op library instead",
        )
    _need_numpy()
    from portgpu.testing import session
    from portgpu.testing.results import Leg

    given = session.parse_libs(libs, wanted if targets else ())
    if given and not targets:
        wanted = tuple(given)
    strange = [target for target in given if target not in wanted]
    if strange:
        raise UsageError(
            f"--lib names a {strange[0]} library, --target does not", hint="add the target"
        )
    place = folder(settings, given=build_dir is not None)
    if not settings.is_op_library:  # somebody's project: the op library gets a folder of its own
        place /= "portgpu-ops"
        settings = dataclasses.replace(settings, project=configuration.Project())
    built: list[Leg] = []
    paths: dict[str, Path] = {}
    missing = tuple(dict.fromkeys(find(name).accepts for name in wanted if name not in given))
    if missing:
        from portgpu import build as builder
        from portgpu.process import signals_interrupt
        from portgpu.toolchain.archs import parse_list

        request = builder.Request(
            config=settings,
            build_dir=place,
            targets=missing,
            archs=tuple(parse_list(archs)),
            options=toolchain_options(settings),
            jobs=settings.build.jobs,
            quiet=quiet,
        )
        with signals_interrupt():
            for result in builder.build(request):
                paths[result.target] = result.library
                if build_only:
                    built.append(session.built_leg(result.target, result.library, result.archs))
    paths = {name: given.get(name) or paths[find(name).accepts] for name in wanted}
    if build_only:
        built += [session.built_leg(target, path, ()) for target, path in given.items()]
        paths = {}
    session.run(
        session.Options(
            libs=paths,
            widths=session.WIDTHS if warp_size == "both" else (int(warp_size),),
            level=level or "default",
            large=large,
            fuzz=fuzz,
            sample=sample,
            types=settings.build.types,
            ops=ops,
            match=match,
            seed=seed,
            form=form,
            output=output,
            device=device,
            torch=torch,
            timeout=timeout,
            rerun="portgpu test",
            quiet=quiet,
            extra=built,
        )
    )


def _need_numpy() -> None:
    try:
        import numpy

        del numpy
    except ImportError:
        raise ToolchainError(
            "NumPy is not installed, and the tests compare with it",
            hint='python -m pip install "portgpu[ops]"',
        ) from None
