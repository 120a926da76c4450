"""`portgpu headers`."""

from __future__ import annotations

from pathlib import Path

import click

from portgpu.headers.shadow import HOST_RESPONSE_FILE, RESPONSE_FILE, render_shadow


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
    required=True,
    help="Folder to write to; made when missing.",
)
@click.option(
    "--cuda-arch",
    type=click.IntRange(300, 2000),
    default=700,
    show_default=True,
    help="What __CUDA_ARCH__ reads in device code on AMD.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing.")
def command(target: str, output: Path, cuda_arch: int, quiet: bool) -> None:
    """Render the headers that compile CUDA sources unchanged for ROCm (or HIP sources for CUDA).

    The folder gets headers that stand in for the vendor's, and a response file that tells the
    compiler everything: no source is touched. Files that are already right are not rewritten.

    No header changes inline PTX: `portgpu lint --select PG2040 SRC` lists such statements.
    """
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
