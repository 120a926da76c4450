"""`portgpu headers`."""

from __future__ import annotations

from pathlib import Path

import click

from portgpu.errors import Exit, InputError, UsageError
from portgpu.headers.shadow import HOST_RESPONSE_FILE, RESPONSE_FILE, render_shadow
from portgpu.output import FORMATS, failing, render


@click.command()
@click.option(
    "--to",
    "target",
    type=click.Choice(["rocm", "cuda"]),
    default="rocm",
    show_default=True,
    help="rocm: compile CUDA sources for AMD; cuda: compile HIP sources for NVIDIA.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to; made when missing.",
)
@click.option(
    "--cuda-arch",
    type=click.IntRange(300, 2000),
    default=700,
    show_default=True,
    help="What __CUDA_ARCH__ reads in device code on AMD.",
)
@click.option(
    "--check",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Tell what in these CUDA files and folders no header can change; may repeat.",
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="text", help="Format of --check."
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but findings.")
def command(
    target: str,
    output: Path | None,
    cuda_arch: int,
    sources: tuple[Path, ...],
    format_: str,
    quiet: bool,
) -> int:
    """Render the headers that compile CUDA sources unchanged for ROCm (or HIP sources for CUDA).

    The folder gets headers that stand in for the vendor's, and a response file that tells the
    compiler everything: no source is touched. Files that are already right are not rewritten.

    No header changes inline PTX, or what Clang reads more strictly than nvcc: --check src/ lists
    such places (PG1811) and what AMD has no counterpart for; exit code 1 when there are any.
    """
    if sources and target != "rocm":
        raise UsageError("--check is about CUDA sources", hint="leave out --to cuda")
    if output is not None:
        _write(target, output, cuda_arch, quiet or (bool(sources) and format_ != "text"))
    elif not sources:
        raise UsageError(
            "nothing to do", hint="-o DIR writes the headers, --check SRC examines sources"
        )
    return _check(sources, format_) if sources else int(Exit.OK)


def _check(paths: tuple[Path, ...], format_: str) -> int:
    from portgpu.files import read_regular
    from portgpu.headers.check import check
    from portgpu.lint.engine import collect

    root = Path.cwd()
    texts = {}
    for name in collect(paths, (), root):
        try:
            texts[name] = read_regular(root / name)
        except OSError as error:
            raise InputError(
                f"{name}: {error.strerror or error}", hint="leave it out, or make it readable"
            ) from error
    found = [f for name, data in texts.items() for f in check(data, name)]
    shown = render(found, format_, texts, command="portgpu headers", checked=len(texts))
    click.echo(shown, nl=False)
    return int(Exit.FINDINGS if failing(found) else Exit.OK)


def _write(target: str, output: Path, cuda_arch: int, quiet: bool) -> None:
    files = render_shadow(target, output, arch_level=cuda_arch)
    if quiet:
        return
    response = output / RESPONSE_FILE[target]
    click.echo(f"{len(files)} files in {output}")
    if target == "rocm":
        click.echo(
            f"compile: HIP_PLATFORM=amd hipcc @{response} --offload-arch=gfx90a -c file.cu\n"
            f"or:      clang++ -x hip @{response} --offload-arch=gfx90a -c file.cu\n"
            f"host:    g++ @{output / HOST_RESPONSE_FILE} -c file.cpp"
        )
    else:
        click.echo(f"compile: nvcc -x cu --options-file {response} -arch=sm_80 -c file.hip")
