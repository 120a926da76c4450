"""`portgpu run`: compile and run a program on the CPU target or on a device."""

from __future__ import annotations

from pathlib import Path

import click

from portgpu import run
from portgpu.run.model import CHECKS, Program
from portgpu.toolchain import Options

_ARGUMENTS = "portgpu.run.arguments"


class _Command(click.Command):
    """Keeps what follows `--` apart, since click would mix it with the files."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_ARGUMENTS] = args[at + 1 :]
        return super().parse_args(ctx, args[:at])


@click.command(cls=_Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-t", "--target", default="cpu", show_default=True, help="cpu, cuda or rocm.")
@click.option(
    "--warp-size",
    type=click.Choice(["32", "64"]),
    help="CPU target: lanes of a physical warp (default 32, or that of --as).",
)
@click.option(
    "--as", "arch", default="", metavar="ARCH", help="Keep to the limits of sm_90, gfx90a …."
)
@click.option(
    "--race", is_flag=True, help="CPU target: find data races and bad accesses, with lines."
)
@click.option(
    "--race-blocks", is_flag=True, help="CPU target: find data races between blocks of a launch."
)
@click.option(
    "--sanitize",
    multiple=True,
    type=click.Choice(CHECKS),
    help="CPU target: memory (bounds, uninitialised), address (ASan), undefined (UBSan), none.",
)
@click.option(
    "--schedule",
    type=click.Choice(["ordered", "shuffled", "blocks", "all"]),
    help="CPU target: random order of a block's threads, of the blocks, or of both.",
)
@click.option(
    "--seed", type=click.IntRange(0), help="Of the shuffled schedule; implies one OS thread."
)
@click.option(
    "--warp", type=click.Choice(["logical", "native"]), default="logical", show_default=True
)
@click.option(
    "--via",
    type=click.Choice(["rocm", "headers"]),
    help="CPU target: run a CUDA source as AMD would get it: its HIP translation, or the source "
    "itself through the shadow headers.",
)
@click.option("-I", "includes", multiple=True, type=click.Path(path_type=Path), metavar="DIR")
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]")
@click.option("--std", default="c++17", show_default=True)
@click.option("--flag", "flags", multiple=True, metavar="FLAG", help="For the compiler, as it is.")
@click.option(
    "--link", "link_flags", multiple=True, metavar="FLAG", help="For the linker, as it is."
)
@click.option("--cxx", default="", metavar="COMPILER", help="C++ compiler of the CPU target.")
@click.option("--cuda-path", type=click.Path(path_type=Path))
@click.option("--rocm-path", type=click.Path(path_type=Path))
@click.option(
    "--build-dir",
    type=click.Path(path_type=Path),
    default=Path("build/run"),
    show_default=True,
    envvar="PORTGPU_RUN_DIR",
)
@click.option(
    "--build-only", is_flag=True, help="Compile, print the executable's path, do not run."
)
@click.option("-v", "--verbose", is_flag=True, help="Show compiler commands.")
def command(
    files: tuple[Path, ...],
    target: str,
    warp_size: str | None,
    arch: str,
    race: bool,
    race_blocks: bool,
    sanitize: tuple[str, ...],
    schedule: str | None,
    seed: int | None,
    warp: str,
    via: str | None,
    includes: tuple[Path, ...],
    defines: tuple[str, ...],
    std: str,
    flags: tuple[str, ...],
    link_flags: tuple[str, ...],
    cxx: str,
    cuda_path: Path | None,
    rocm_path: Path | None,
    build_dir: Path,
    build_only: bool,
    verbose: bool,
) -> int:
    """Compile and run a CUDA, HIP or dialect program.

    FILES are the sources of one program; what follows `--` goes to the program. Output and exit
    code are its own. The CPU target ends a program with status 86 after a diagnostic (PG4xxx).
    """
    arguments: list[str] = click.get_current_context().meta[_ARGUMENTS]
    program = Program(
        sources=files,
        build_dir=build_dir,
        includes=includes,
        defines=defines,
        flags=flags,
        link_flags=link_flags,
        std=std,
        arch=arch,
        warp=warp,
        via=via or "",
        warp_size=int(warp_size or 0),
        race=race,
        race_blocks=race_blocks,
        sanitize=sanitize,
        schedule=schedule or ("shuffled" if seed is not None else ""),
        seed=seed,
        toolchain=Options(host=cxx, cuda=cuda_path, rocm=rocm_path),
        verbose=verbose,
    )
    executor = run.find(target)
    built = executor.build(program)
    if build_only:
        click.echo(built.executable)
        return 0
    return executor.run(built, arguments)
