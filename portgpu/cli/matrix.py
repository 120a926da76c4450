"""`portgpu matrix`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from portgpu import config as configuration
from portgpu import matrix
from portgpu.cli.build import targets_of
from portgpu.console import table
from portgpu.errors import UsageError
from portgpu.toolchain.archs import parse_list


@click.command()
@click.option(
    "--target", "-t", "targets", multiple=True, help="cuda, rocm, cpu or all; may repeat."
)
@click.option(
    "--arch", "-a", "archs", multiple=True, help="Only these; may repeat, comma lists too."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["compile", "test", "device"]),
    help="Only these.",
)
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="github: one line for $GITHUB_OUTPUT, as strategy.matrix takes it.",
)
@click.option("--workflow", is_flag=True, help="Print the GitHub Actions workflow instead.")
def command(
    targets: tuple[str, ...],
    archs: tuple[str, ...],
    kinds: tuple[str, ...],
    config: Path | None,
    form: str,
    workflow: bool,
) -> None:
    """Print the vendor x arch x toolchain matrix for CI.

    Architectures are those of portgpu.toml, or of the op library.
    """
    settings = configuration.load(config)
    if workflow:
        if targets or archs or kinds:
            raise UsageError(
                "--workflow prints the whole matrix", hint="leave the other options out"
            )
        click.echo(matrix.workflow(settings), nl=False)
        return
    found = matrix.rows(settings, targets_of(targets, settings), parse_list(archs), kinds)
    if form == "github":
        click.echo(json.dumps(matrix.include(found), separators=(",", ":")))
    elif form == "json":
        click.echo(json.dumps({"rows": [asdict(row) for row in found]}, indent=1))
    else:
        head = ["kind", "vendor", "target", "arch", "toolchain", "runs on", "warp"]
        cells = [
            [r.kind, r.vendor, r.target, r.arch, r.toolchain, _runner(r.runs_on), r.warp]
            for r in found
        ]
        click.echo(table(head, cells))


def _runner(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ",".join(value)
