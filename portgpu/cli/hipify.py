"""`portgpu hipify`: a drop-in for hipify-clang and hipify-perl.

Their options, with one dash or two; their names of outputs and backups; their exit codes. The text
follows HIPIFY's spelling where a compiler sees a difference, and leaves comments and strings alone.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from portgpu import __version__
from portgpu.atomic import write
from portgpu.errors import Exit, InputError, OutputError, UsageError
from portgpu.files import reason
from portgpu.findings import Finding, Severity
from portgpu.output.sources import Sources
from portgpu.translate import hipify, hipify_maps, hipify_options
from portgpu.translate.hipify_options import OPTIONS, Words
from portgpu.translate.hipify_stats import is_device_function
from portgpu.translate.model import Options


class _Raw(click.Command):
    """Hands every word on as it is, "--" too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = tuple(args)
        return []


@click.command(cls=_Raw, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Drop-in for hipify-clang and hipify-perl: their flags, file names and exit codes.

    `portgpu hipify-perl` prints to standard output unless -o or -inplace is given; `portgpu
    hipify-clang` writes FILE.hip. `portgpu hipify` is hipify-perl, but with an option that only
    hipify-clang has (-o-dir, -I, -D, -p, --cuda-path, ..., or a "--") it is hipify-clang.
    """
    context = click.get_current_context()
    words = Words(clang=context.info_name == "hipify-clang")
    perl = context.info_name == "hipify-perl"
    try:
        hipify_options.parse(list(arguments), words, compiler=not perl)
        words.clang &= not perl
        return _run(words, context)
    except UsageError as error:
        if words.clang and not perl:
            error.exit_code = Exit.FINDINGS  # as LLVM's tools end then
        raise


def _run(words: Words, context: click.Context) -> int:
    if any(words.has(name) for name in ("help", "help-hidden", "help-list")):
        _help(context)
        return 0
    if words.has("versions"):
        _versions()
        return 0
    if words.has("version"):
        click.echo(f"portgpu {__version__}")
        return 0
    if _generate(words) and not words.inputs:
        return 0
    _check(words)
    folders, macros = _database(words.last("p"), words.inputs) if words.has("p") else ([], [])
    run = hipify.Run(_options(words, macros), _job(words, folders))
    code = Exit.OK
    names = list(hipify.expand(words.inputs, run.job))
    if not names:
        raise InputError(
            f"{', '.join(words.inputs)}: no C++ or CUDA sources in there", hint="check the path"
        )
    run.prepare(names)
    for name in names:
        try:
            findings = run.convert(name)
        except OSError as error:
            why = "no such file" if not os.path.lexists(name) else reason(error, Path(name))
            click.echo(f"[HIPIFY] error: {name}: {why}", err=True)
            # hipify-clang ends with 1, hipify-perl with 2.
            code = Exit.FINDINGS if words.clang else Exit.USAGE
            continue
        except OutputError as error:  # a name that is too long with .hip behind, a full disk
            click.echo(f"[HIPIFY] error: {error.message}", err=True)
            code = Exit.IO
            continue
        no_text = any(finding.id == "PG1803" for finding in findings)
        if no_text:
            code = code or Exit.FINDINGS
        if no_text or not words.has("quiet-warnings"):
            _warn(findings, run)
        run.texts.clear()
    run.statistics()
    return int(code)


_UNSUPPORTED = frozenset(("PG1001", "PG1002", "PG1601"))


def _warn(findings: list[Finding], run: hipify.Run) -> None:
    """Warnings in the words of the tools, with the ID behind; `portgpu explain` tells more."""
    sources = Sources({finding.path: run.texts.get(finding.path, b"") for finding in findings})
    for finding in findings:
        if finding.severity is Severity.NOTE:
            continue
        weight = "error" if finding.id == "PG1803" else "warning"
        place, message = f"{finding.path}:{finding.line}", finding.message
        line = sources.text(finding.path, finding.line)
        known = finding.id in _UNSUPPORTED
        if run.job.clang:
            message = "CUDA identifier is unsupported in HIP." if known else message
            caret = " " * (sources.column(finding.path, finding.line, finding.column) - 1) + "^"
            shown = f"{place}:{finding.column}: {weight}: {message} [{finding.id}]"
            click.echo(f"{shown}\n{line}\n{caret}" if line.strip() else shown, err=True)
        else:
            if known and is_device_function(finding.symbol):
                message = f'unsupported device function "{finding.symbol}": {line}'
            elif known:
                message = f'unsupported identifier "{finding.symbol}"'
            click.echo(f"  {weight}: {place}: {message} [{finding.id}]", err=True)


def _check(words: Words) -> None:
    """What contradicts itself; a launch syntax does not: HIP's wins."""
    if not words.inputs:
        raise UsageError("no input file", hint="portgpu hipify FILE, or - for standard input")
    if words.has("o") and len(words.inputs) > 1:
        raise UsageError("-o takes one input", hint="use --o-dir for several files")
    for one, other in (("inplace", "o"), ("inplace", "no-output"), ("o", "no-output"),
                       ("inplace", "o-dir")):  # fmt: skip
        if words.has(one) and words.has(other):
            raise UsageError(f"--{one} and --{other} exclude each other", hint="leave one out")
    if words.has("no-backup") and not words.has("inplace"):
        raise UsageError("--no-backup belongs to --inplace", hint="add --inplace")


def _options(words: Words, macros: list[str]) -> Options:
    macros = [*macros, *words.values.get("D", ())]
    skip = (
        words.has("skip-excluded-preprocessor-conditional-blocks")
        or words.has("default-preprocessor")
    ) and not words.has("amap")
    allow = words.every("whitelist")
    if words.has("experimental"):
        allow.append("PG1004")
    return Options(
        launches="convert" if words.has("hip-kernel-execution-syntax") else "keep",
        roc=words.has("roc"),
        miopen=words.has("miopen"),
        skip_excluded=skip,
        hip_version=words.last("hip-version"),
        known=frozenset(d.split("=")[0].encode() for d in macros),
        defines=tuple(macros),
        allow=tuple(allow),
        compat=None,
        hipify="clang" if words.clang else "perl",
        hip_types=words.has("use-hip-data-types"),
    )


def _job(words: Words, folders: list[str]) -> hipify.Job:
    headers = "recursive" if words.has("local-headers-recursive") else ""
    if not headers and words.has("local-headers"):
        headers = "direct"
    return hipify.Job(
        output=words.last("o"),
        output_dir=words.last("o-dir"),
        inplace=words.has("inplace"),
        backup=not words.has("no-backup"),
        write=not (words.has("no-output") or words.has("examine")),
        clang=words.clang,
        stats=words.has("print-stats") or words.has("examine"),
        stats_csv=words.has("print-stats-csv"),
        stats_file=words.last("o-stats"),
        headers=headers,
        include_dirs=[*words.values.get("I", ()), *folders],
        exclude_dirs=words.every("exclude-dirs"),
        exclude_files=words.every("exclude-files"),
        verbose=words.has("v"),
    )


def _generate(words: Words) -> bool:
    """--md, --csv, --perl, --python: writes what they ask for; whether any of them did."""
    made: dict[Path, str] = {}
    for form in ("md", "csv"):
        if words.has(form):
            pages = hipify_maps.documentation(
                form, words.last("doc-format") or "full", words.last("doc-roc") or "skip"
            )
            made |= {Path(name): text for name, text in pages.items()}
    for name in ("doc-format", "doc-roc"):
        if words.has(name) and not made:
            raise UsageError(f"--{name} belongs to --md or --csv", hint="add one of them")
    if words.has("perl"):
        made[Path(words.last("o-hipify-perl-dir"), "hipify-perl")] = hipify_maps.perl_script()
    if words.has("python"):
        target = Path(words.last("o-python-map-dir"), "cuda_to_hip_mappings.py")
        made[target] = hipify_maps.python_map()
    for path, text in made.items():
        write(path, text.encode())
        if path.name == "hipify-perl":
            path.chmod(0o755)
        click.echo(f"[HIPIFY] info: wrote {path}", err=True)
    return bool(made)


def _database(folder: str, inputs: list[str]) -> tuple[list[str], list[str]]:
    """Include folders and macros of the inputs' entries in a compile_commands.json."""
    from portgpu.translate import compile_database

    chosen = {Path(name).resolve() for name in inputs}
    folders: list[str] = []
    macros: list[str] = []
    for source, base, flags in compile_database.entries(folder):
        if source.resolve() not in chosen:
            continue
        found = hipify_options.parse(["--", *flags])
        folders += [str(base / d) for d in found.values.get("I", ())]
        macros += found.values.get("D", ())
    return folders, macros


def _help(context: click.Context) -> None:
    click.echo(context.get_help())
    click.echo("\nOptions (one dash or two; values after = or a blank):")
    for option in OPTIONS.values():
        name = f"--{option.name}" + (f"={option.value}" if option.value else "")
        tool = "" if option.tool == "both" else f" [hipify-{option.tool}]"
        tool = " [portgpu]" if option.tool == "ours" else tool
        click.echo(f"  {name}\n      {option.help}{tool}")


def _versions() -> None:
    """The CUDA and ROCm versions whose headers the tables were checked against."""
    import re

    from portgpu import mapping

    tables = mapping.load()
    seen = {
        s for f in ("runtime", "blas") for row in tables.family(f) for s in row.verified.split()
    }
    for title, stem in (("CUDA", "cuda"), ("HIP", "hip"), ("ROCm", "rocm")):
        found = [m[1] for s in seen if (m := re.fullmatch(rf"{stem}([\d.]+)", s))]
        found.sort(key=lambda v: [int(n) for n in v.split(".")])
        click.echo(f"{title}: {', '.join(found)}")
