"""`portgpu cache`."""

from __future__ import annotations

import click


@click.group()
def command() -> None:
    """Show or clear the cache of kernels compiled at run time (`portgpu.jit`).

    PORTGPU_CACHE_DIR names its folder, PORTGPU_CACHE_LIMIT its most bytes (default 1 GiB).
    """


@command.command()
def info() -> None:
    """Print folder, entries, size and limit."""
    from portgpu.jit.cache import Cache

    found = Cache().info()
    click.echo(f"folder   {found.folder}")
    click.echo(f"entries  {found.entries}")
    click.echo(f"size     {found.size:,} of at most {found.limit:,} bytes")


@command.command()
def clear() -> None:
    """Remove all entries."""
    from portgpu.jit.cache import Cache

    gone = Cache().clear()
    click.echo(f"removed {gone.entries} entries, {gone.size:,} bytes, from {gone.folder}")
