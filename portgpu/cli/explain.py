"""`portgpu explain`: the page of a finding ID, or the list of all."""

from __future__ import annotations

import click

from portgpu.findings import page, pages


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
def command(ids: tuple[str, ...]) -> int:
    """Show the page of a finding ID, such as PG1203; without an ID, list all of them."""
    if not ids:
        for found in pages().values():
            click.echo(f"{found.id}  {found.severity.value:<7}  {found.title}")
        return 0
    for number, finding_id in enumerate(ids):
        found = page(finding_id)
        click.echo(("\n" if number else "") + f"{found.id}: {found.title} ({found.severity.value})")
        click.echo()
        click.echo(found.body, nl=False)
    return 0
