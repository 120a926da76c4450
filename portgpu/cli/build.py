"""`portgpu build`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from portgpu import config as configuration
from portgpu.errors import ConfigError, UsageError, nearest
from portgpu.findings import pages
from portgpu.toolchain import Options
from portgpu.toolchain.archs import TARGETS, parse_list


@click.command()
@click.option(
    "--target",
    "-t",
    "targets",
    multiple=True,
    metavar="TARGET",
    help="cuda, rocm, cpu or all; may repeat.",
)
@click.option(
    "--arch",
    "-a",
    "archs",
    multiple=True,
    metavar="ARCH",
    help="sm_80, sm_90a, gfx90a, gfx90a:xnack-, native …; may repeat, comma lists too.",
)
@click.option("--types", type=click.Choice(["core", "all"]), help="Element types (default core).")
@click.option(
    "--build-dir", "-B", type=click.Path(path_type=Path), help="Build folder (default build)."
)
@click.option("--jobs", "-j", type=click.IntRange(1), help="Compilers at once (default: cores).")
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file.")
@click.option("--warp", type=click.Choice(["logical", "native"]), help="What a warp is on AMD.")
@click.option(
    "--route",
    type=click.Choice(["rewrite", "headers"]),
    help="CUDA to ROCm: rewrite the sources (default), or leave them and use headers.",
)
@click.option("--cuda-path", type=click.Path(path_type=Path), help="CUDA toolkit, or nvcc.")
@click.option("--rocm-path", type=click.Path(path_type=Path), help="ROCm root, hipcc or clang++.")
@click.option("--cxx", help="C++ compiler of the cpu target.")
@click.option("--cmake", type=click.Path(path_type=Path), help="cmake to use.")
@click.option("--ninja", type=click.Path(path_type=Path), help="ninja to use.")
@click.option("--verbose", "-v", is_flag=True, help="Show the compilers' commands.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, no table.")
@click.option("--keep-going", "-k", is_flag=True, help="Compile on after an error.")
@click.option(
    "--install", type=click.Path(path_type=Path, file_okay=False), metavar="PREFIX",
    help="Install the op library there, with headers and a CMake package.",
)  # fmt: skip
@click.option("--configure-only", is_flag=True, help="Write the CMake project, compile nothing.")
def command(
    targets: tuple[str, ...],
    archs: tuple[str, ...],
    types: str | None,
    build_dir: Path | None,
    jobs: int | None,
    config: Path | None,
    warp: str | None,
    route: str | None,
    cuda_path: Path | None,
    rocm_path: Path | None,
    cxx: str | None,
    cmake: Path | None,
    ninja: Path | None,
    verbose: bool,
    quiet: bool,
    keep_going: bool,
    install: Path | None,
    configure_only: bool,
) -> None:
    """Build sources for CUDA, ROCm or the CPU, and read the result back.

    Sources are those of portgpu.toml (or of [tool.portgpu] in pyproject.toml) in this folder or
    above it; without one, portgpu's own op library is built. One shared library a target:
    build/TARGET/libNAME_TARGET.so, and build/build.json with everything that was read back.
    """
    settings = configuration.load(
        config,
        overrides={
            "build.types": types,
            "build.warp": warp,
            "build.route": route,
            "build.jobs": jobs,
            "build.build_dir": str(build_dir) if build_dir else None,
            "toolchain.cuda": str(cuda_path.absolute()) if cuda_path else None,
            "toolchain.rocm": str(rocm_path.absolute()) if rocm_path else None,
            "toolchain.cxx": cxx,
            "toolchain.cmake": str(cmake.absolute()) if cmake else None,
            "toolchain.ninja": str(ninja.absolute()) if ninja else None,
        },
    )
    check_project(settings)
    wanted = targets_of(targets, settings, archs)
    if install is not None and not settings.is_op_library:
        raise UsageError(
            "--install is for portgpu's op library; this folder has a project of its own",
            hint="run it in a folder without portgpu.toml, or copy build/TARGET/libNAME_TARGET.so",
        )
    from portgpu import build as builder
    from portgpu.build import report
    from portgpu.console import note
    from portgpu.process import signals_interrupt

    request = builder.Request(
        config=settings,
        build_dir=folder(settings, given=build_dir is not None),
        targets=wanted,
        archs=tuple(parse_list(archs)),
        options=toolchain_options(settings),
        jobs=settings.build.jobs,
        verbose=verbose,
        quiet=quiet,
        keep_going=keep_going,
        configure_only=configure_only,
    )
    with signals_interrupt():
        results = builder.build(request)
    if configure_only:
        for result in results:
            note(
                f"{result.target}: cmake project in {request.build_dir / result.target / 'project'}"
            )
        return
    if install is not None:
        from portgpu.build import package

        for result in results:
            package.install(result.library, install)
            note(f"{result.target}: installed in {install}")
    if not quiet:
        click.echo(report.summary(results))


def targets_of(
    names: tuple[str, ...],
    settings: configuration.Config,
    archs: tuple[str, ...] = (),
    known: Sequence[str] = TARGETS,
) -> tuple[str, ...]:
    """Targets of `--target` options (comma lists and `all` too), or the configured ones."""
    wanted: dict[str, None] = {}
    for name in [part.strip() for text in names for part in text.split(",")]:
        if name == "all":
            wanted |= dict.fromkeys(TARGETS)
        elif name in known:
            wanted[name] = None
        else:
            choices = [*known, "all"]
            raise UsageError(
                f"{name!r} is not a target",
                hint=nearest(name.lower(), choices) or f"targets: {', '.join(choices)}",
            )
    if not wanted and archs:
        from portgpu.toolchain.archs import NATIVE, target_of

        wanted = {target_of(a): None for a in parse_list(archs) if a != NATIVE}
    return tuple(wanted) or settings.build.targets


def folder(settings: configuration.Config, *, given: bool = False) -> Path:
    """The build folder: from the working folder when an option gave it, else from the file's."""
    base = Path.cwd() if given or settings.file is None else settings.root
    return (base / settings.build.build_dir).absolute()


def toolchain_options(settings: configuration.Config) -> Options:
    """Explicit toolchain places of options, environment and file."""

    def place(text: str) -> Path | None:
        return settings.root / Path(text).expanduser() if text else None

    part = settings.toolchain
    return Options(
        cuda=place(part.cuda),
        rocm=place(part.rocm),
        host=part.cxx,
        cmake=place(part.cmake),
        ninja=place(part.ninja),
        origins=_origins(settings),
    )


def _origins(settings: configuration.Config) -> dict[str, str]:
    """What named the toolchains that no option named: a variable, or the configuration."""
    context = click.get_current_context(silent=True)
    options = context.params if context is not None else {}
    found = {}
    for name, option in (("cuda", "cuda_path"), ("rocm", "rocm_path"), ("cxx", "cxx")):
        variable, value = f"PORTGPU_{name.upper()}", getattr(settings.toolchain, name)
        if value and not options.get(option):
            own = os.environ.get(variable) == value
            found[name] = variable if own else f"{settings.file}: [toolchain] {name}"
    return found


def check_project(settings: configuration.Config) -> None:
    """Raises `ConfigError` for accepted findings that do not exist, and for a file that has a
    project without sources; says when a file of settings alone leaves the op library to build."""
    from portgpu.cli.translate import check_allowed
    from portgpu.console import note
    from portgpu.lint import suppress

    check_allowed(settings.translate.allow, f"{settings.file}: [translate] allow")
    entries = [entry.id for entry in suppress.config_entries(settings.lint.allow)]
    # "PG20" stands for all that start so.
    unknown = [name for name in entries if not any(known.startswith(name) for known in pages())]
    check_allowed(unknown, f"{settings.file}: [lint] allow")
    if settings.file is None or not settings.is_op_library or settings.tests:
        return
    told = replace(settings, file=None, root=Path()) == configuration.Config(root=Path())
    if told or settings.project != configuration.Project():
        raise ConfigError(
            f"{settings.file}: no sources are named",
            hint='write [project] and sources = ["src/**/*.cu"]; without a file, portgpu builds'
            " its own op library",
        )
    note(f"{settings.file} names no sources: portgpu's own op library is built")
