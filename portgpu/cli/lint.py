"""`portgpu lint`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from portgpu import config as configuration
from portgpu.errors import Exit, UsageError
from portgpu.findings import Finding, Severity
from portgpu.output import FORMATS, failing, render

if TYPE_CHECKING:
    from portgpu.lint.engine import Result
    from portgpu.lint.options import Options

_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--warp", type=click.Choice(["logical", "native"]), help="What a warp is (default logical)."
)
@click.option(
    "--mode",
    type=click.Choice(["auto", "cuda", "hip", "dialect"]),
    default="auto",
    help="What the sources are written in (default: seen from their includes and names).",
)
@click.option(
    "--select", multiple=True, metavar="ID", help="Only these IDs or prefixes; may repeat."
)
@click.option(
    "--ignore", multiple=True, metavar="ID", help="Not these IDs or prefixes; may repeat."
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="text", help="Output format."
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="File; - is stdout (default)."
)
@click.option("--fix", is_flag=True, help="Apply the mechanical fixes, and check the result.")
@click.option("--explain", metavar="ID", help="Print the page of a finding and stop.")
@click.option("--list-rules", is_flag=True, help="Print all rules and stop.")
@click.option("--baseline", type=click.Path(path_type=Path), help="Leave out what this file knows.")
@click.option("--write-baseline", is_flag=True, help="Write all findings to the baseline file.")
@click.option("--since", metavar="REV", help="Only lines changed since a git revision.")
@click.option(
    "--fail-level",
    type=click.Choice([*_LEVELS, "never"]),
    default="warning",
    help="Exit with 1 from this severity on (default warning).",
)
@click.option(
    "--confidence",
    type=click.Choice(["certain", "likely", "hint"]),
    default="likely",
    help="Show findings at least this sure (default likely).",
)
@click.option("--no-semantics", is_flag=True, help="Do not ask libclang for types and constants.")
@click.option("--no-cache", is_flag=True, help="Examine every file anew.")
@click.option("--jobs", "-j", type=click.IntRange(1), help="Processes (default: cores).")
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    warp: str | None,
    mode: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    format_: str,
    output: Path | None,
    fix: bool,
    explain: str | None,
    list_rules: bool,
    baseline: Path | None,
    write_baseline: bool,
    since: str | None,
    fail_level: str,
    confidence: str,
    no_semantics: bool,
    no_cache: bool,
    jobs: int | None,
    config: Path | None,
    quiet: bool,
) -> int:
    """Find code that does not mean the same on NVIDIA and AMD.

    PATHS are files and folders with CUDA, HIP or dialect sources and CMake files (default: the
    working folder). No SDK is needed. Exit codes: 0 nothing at --fail-level, 1 findings, 2 usage.

    Findings about the number of lanes in a warp are notes in CUDA sources, because translation
    keeps warps of 32; with --warp native, and in HIP and dialect sources, they are errors.

    A comment accepts a finding: // portgpu: allow PG2003 reason
    """
    if explain:
        from portgpu.findings import page

        known = page(explain)
        click.echo(f"{known.id}: {known.title} ({known.severity.value})\n\n{known.body}", nl=False)
        return int(Exit.OK)
    if list_rules:
        from portgpu.lint.rules import all_rules

        for rule in all_rules():
            click.echo(f"{rule.id}  {rule.severity.value:7}  {rule.confidence:7}  {rule.title}")
        return int(Exit.OK)

    from portgpu.atomic import check_report
    from portgpu.lint import engine, suppress
    from portgpu.lint.options import Options

    output = None if output == Path("-") else output
    if output is not None:
        check_report(output)
    settings = configuration.load(config)
    _check_ids((*select, *ignore))
    options = Options(
        warp=warp or settings.build.warp,
        mode=mode,
        select=tuple(sorted(select or settings.lint.select)),
        ignore=tuple(sorted({*ignore, *settings.lint.ignore})),
        semantics=not no_semantics,
    )
    allowed = suppress.config_entries(settings.lint.allow)
    root = Path.cwd()
    files = engine.collect(paths or (Path(),), settings.lint.exclude, root)
    known_lines = None
    if since:
        from portgpu.lint.changed import changed_lines

        known_lines = changed_lines(since, root)
    cache = None if no_cache else root / ".portgpu" / "cache"
    result = _run(files, options, root, cache, jobs or 0, quiet)
    if fix:
        fixed = _fix(result.findings, files, options, root)
        click.echo(f"portgpu lint: {fixed} finding{'' if fixed == 1 else 's'} fixed", err=True)
        if fixed:
            result = _run(files, options, root, cache, jobs or 0, True)

    findings = suppress.filter_config(result.findings, allowed)
    rank = ["hint", "likely", "certain"]
    findings = [f for f in findings if rank.index(f.confidence) >= rank.index(confidence)]
    if since and known_lines is not None:
        from portgpu.lint.changed import keep_changed

        findings = keep_changed(findings, known_lines)
    baseline = baseline or (root / settings.lint.baseline if settings.lint.baseline else None)
    if write_baseline:
        return _write_baseline(baseline, findings, root)
    if baseline is not None:
        findings = _without_known(baseline, findings, root)

    from portgpu import console

    text = render(
        findings,
        format_,
        root=root,
        color=output is None and console.has_colour(sys.stdout),
        command="portgpu lint",
        checked=result.files,
        fold=True,
    )
    _write(text, output)
    if fail_level != "never" and failing(findings, _LEVELS[fail_level]):
        return int(Exit.FINDINGS)
    return int(Exit.OK)


def _check_ids(ids: tuple[str, ...]) -> None:
    from portgpu.errors import nearest
    from portgpu.findings import pages

    for word in ids:
        if not any(known.startswith(word.upper()) for known in pages()):
            raise UsageError(
                f"no finding ID starts with {word!r}",
                hint=nearest(word.upper(), list(pages())) or "portgpu lint --list-rules shows them",
            )


def _run(
    files: list[str], options: Options, root: Path, cache: Path | None, jobs: int, quiet: bool
) -> Result:
    from portgpu import console
    from portgpu.lint import engine

    bar = console.Progress("lint", quiet=quiet or not console.is_interactive())
    try:
        return engine.run(
            files, options, root=root, cache=cache, jobs=jobs, progress=lambda d, t: bar.step(d, t)
        )
    finally:
        bar.clear()


def _fix(findings: list[Finding], files: list[str], options: Options, root: Path) -> int:
    """Fix each file that has something to fix; returns how many findings are gone."""
    from portgpu.lint.engine import examine
    from portgpu.lint.fix import fix_file, write_atomically
    from portgpu.lint.project import Project

    count = 0
    for path in sorted({f.path for f in findings if f.fix}):
        before = (root / path).read_bytes()

        def check(data: bytes, path: str = path) -> list[Finding]:
            project = Project(files, root=root)
            project.give(path, data)
            return examine(project, path, replace(options))

        after, fixed, _ = fix_file(before, check)
        if after != before:
            write_atomically(root / path, after)
            count += len(fixed)
    return count


def _write_baseline(baseline: Path | None, findings: list[Finding], root: Path) -> int:
    from portgpu.lint.baseline import write
    from portgpu.output.sources import Sources

    if baseline is None:
        raise UsageError("--write-baseline needs to know the file", hint="add --baseline FILE")
    count = write(baseline, findings, Sources({}, root))
    click.echo(f"portgpu lint: {count} findings written to {baseline}", err=True)
    return int(Exit.OK)


def _without_known(baseline: Path, findings: list[Finding], root: Path) -> list[Finding]:
    from portgpu.lint.baseline import remove_known
    from portgpu.output.sources import Sources

    fresh, gone = remove_known(baseline, findings, Sources({}, root))
    if gone:
        click.echo(
            f"portgpu lint: {gone} findings of {baseline} are gone; --write-baseline updates it",
            err=True,
        )
    return fresh


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    from portgpu.atomic import write

    write(output, text.encode("utf-8", "surrogateescape"))
