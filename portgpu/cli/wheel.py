"""`portgpu wheel`."""

from __future__ import annotations

from pathlib import Path

import click

from portgpu import config as configuration
from portgpu.cli.build import folder, targets_of, toolchain_options
from portgpu.errors import UsageError
from portgpu.toolchain.archs import parse_list


@click.command()
@click.option(
    "--target", "-t", "targets", multiple=True, required=True, metavar="TARGET",
    help="cuda, rocm, cpu or all; may repeat.",
)  # fmt: skip
@click.option("--arch", "-a", "archs", multiple=True, metavar="ARCH", help="As in portgpu build.")
@click.option("--types", type=click.Choice(["core", "all"]), help="Element types (default core).")
@click.option(
    "--build-dir", "-B", type=click.Path(path_type=Path), help="Build folder (default build)."
)
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, file_okay=False), default=Path("dist"),
    help="Folder of the wheels (default dist).",
)  # fmt: skip
@click.option("--lib", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="Pack this library instead of building one.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    targets: tuple[str, ...],
    archs: tuple[str, ...],
    types: str | None,
    build_dir: Path | None,
    out: Path,
    lib: Path | None,
    quiet: bool,
) -> None:
    """Build the op library and pack it as a wheel: portgpu_ops_TARGET-VERSION-TAG.whl.

    It holds the library, the compiled binding, the C headers and the CMake package. The op library
    is meant, whatever portgpu.toml is here.
    """
    settings = configuration.Config(root=Path.cwd())
    wanted = targets_of(targets, settings, archs)
    if lib is not None and len(wanted) != 1:
        raise UsageError("--lib packs one library", hint="name one --target with it")
    from portgpu.build import package

    if lib is not None:
        libraries = {wanted[0]: lib}
    else:
        libraries = _built(settings, wanted, archs, types, build_dir, quiet)
    for target, library in libraries.items():
        click.echo(package.wheel(target, library, out))


def _built(
    settings: configuration.Config, wanted: tuple[str, ...], archs: tuple[str, ...],
    types: str | None, build_dir: Path | None, quiet: bool,
) -> dict[str, Path]:  # fmt: skip
    from dataclasses import replace

    from portgpu import build as builder
    from portgpu.process import signals_interrupt

    changed = replace(settings.build, types=types or settings.build.types)
    if build_dir is not None:
        changed = replace(changed, build_dir=str(build_dir))
    settings = replace(settings, build=changed)
    request = builder.Request(
        config=settings,
        build_dir=folder(settings, given=build_dir is not None),
        targets=wanted,
        archs=tuple(parse_list(archs)),
        options=toolchain_options(settings),
        quiet=quiet,
    )
    with signals_interrupt():
        return {result.target: result.library for result in builder.build(request)}
