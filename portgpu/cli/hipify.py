"""`portgpu hipify`: a drop-in for hipify-clang and hipify-perl.

Their options, with one dash or two; their names of outputs and backups; their exit codes. The text
follows HIPIFY's spelling where a compiler sees a difference, and leaves comments and strings alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import click

from portgpu.errors import Exit, UsageError, nearest
from portgpu.findings import Severity
from portgpu.translate import hipify

# Option -> how many values it takes ("=" joined or the next word). Only hipify-clang has the ones
# in _CLANG; they choose its habits: FILE.hip beside the source instead of standard output.
_SWITCHES = frozenset(
    (
        "inplace", "no-backup", "no-output", "print-stats", "print-stats-csv", "examine", "roc",
        "miopen", "experimental", "hip-kernel-execution-syntax", "cuda-kernel-execution-syntax",
        "use-hip-data-types", "skip-excluded-preprocessor-conditional-blocks",
        "default-preprocessor", "amap", "quiet-warnings", "version", "versions", "help", "h",
        "save-temps", "local-headers", "local-headers-recursive", "perl", "clang", "v",
        "translate-to-roc", "translate-to-miopen", "no-undocumented-features",
    )
)  # fmt: skip
_VALUES = frozenset(
    (
        "o", "o-dir", "o-stats", "o-hipify-perl-dir", "o-python-map-dir", "I", "D", "p",
        "cuda-path", "cuda-gpu-arch", "clang-resource-directory", "temp-dir", "whitelist",
        "exclude-dirs", "exclude-files", "hip-version", "extra-arg", "extra-arg-before",
        "roc-path",
    )
)  # fmt: skip
_CLANG = frozenset(
    (
        "o-dir", "I", "D", "p", "cuda-path", "cuda-gpu-arch", "clang-resource-directory",
        "temp-dir", "save-temps", "local-headers", "local-headers-recursive", "no-backup",
        "print-stats-csv", "o-stats", "extra-arg", "extra-arg-before", "amap",
        "default-preprocessor", "skip-excluded-preprocessor-conditional-blocks", "clang",
        "versions",
    )
)  # fmt: skip


@dataclass
class _Parsed:
    inputs: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    compiler: list[str] = field(default_factory=list)
    clang: bool = False

    def has(self, name: str) -> bool:
        return name in self.values

    def last(self, name: str) -> str:
        return self.values.get(name, [""])[-1]


class _Raw(click.Command):
    """Hands every word on as it is, "--" too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = tuple(args)
        return []


@click.command(cls=_Raw, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Drop-in for hipify-clang and hipify-perl: their flags, file names and exit codes.

    As hipify-perl it prints to standard output unless -o or -inplace is given; with an option that
    only hipify-clang has (-o-dir, -I, -D, -p, --cuda-path, ..., or a "--") it writes FILE.hip.
    """
    parsed = _parse(list(arguments))
    if parsed.has("help") or parsed.has("h"):
        context = click.get_current_context()
        click.echo(context.get_help())
        click.echo("\nOptions (one dash or two):")
        for name in sorted(_SWITCHES | _VALUES):
            click.echo(f"  --{name}" + ("=VALUE" if name in _VALUES else ""))
        return 0
    if parsed.has("version") or parsed.has("versions"):
        from portgpu import __version__

        click.echo(f"portgpu {__version__}")
        return 0
    if not parsed.inputs:
        raise UsageError("no input file", hint="portgpu hipify FILE, or - for standard input")
    if parsed.has("o-stats") and not (parsed.has("print-stats-csv") or parsed.has("print-stats")):
        raise UsageError(
            "--o-stats names a file for statistics, but none are asked for",
            hint="add --print-stats or --print-stats-csv",
        )
    if parsed.has("o") and len(parsed.inputs) > 1:
        raise UsageError("-o takes one input", hint="use --o-dir for several files")
    if parsed.has("hip-kernel-execution-syntax") and parsed.has("cuda-kernel-execution-syntax"):
        raise UsageError("the launch is written in HIP's or in CUDA's syntax, not in both")
    options = hipify.options(
        convert=parsed.has("hip-kernel-execution-syntax"),
        roc=parsed.has("roc") or parsed.has("translate-to-roc"),
        skip_excluded=parsed.has("skip-excluded-preprocessor-conditional-blocks")
        or parsed.has("default-preprocessor"),
        hip_version=parsed.last("hip-version"),
        known=[d.split("=")[0] for d in parsed.values.get("D", ())],
        allow=[w for text in parsed.values.get("whitelist", ()) for w in text.split(",") if w],
    )
    job = hipify.Job(
        output=parsed.last("o"),
        output_dir=parsed.last("o-dir"),
        inplace=parsed.has("inplace"),
        backup=not parsed.has("no-backup"),
        write=not (parsed.has("no-output") or parsed.has("examine")),
        clang=parsed.clang,
        stats=parsed.has("print-stats") or parsed.has("examine"),
        stats_csv=parsed.has("print-stats-csv"),
        stats_file=parsed.last("o-stats"),
        quiet=parsed.has("quiet-warnings"),
        exclude_dirs=[d for t in parsed.values.get("exclude-dirs", ()) for d in t.split(",")],
        exclude_files=[d for t in parsed.values.get("exclude-files", ()) for d in t.split(",")],
    )
    code = Exit.OK
    for name in hipify.expand(parsed.inputs, job):
        if name != "-" and not Path(name).is_file():
            click.echo(f"[HIPIFY] error: {name}: no such file", err=True)
            # hipify-clang ends with 1, hipify-perl with 2.
            code = Exit.FINDINGS if parsed.clang else Exit.USAGE
            continue
        findings = hipify.convert(name, options, job)
        if not job.quiet:
            for finding in findings:
                if finding.severity is not Severity.NOTE:
                    click.echo(
                        f"  warning: {finding.path}:{finding.line}:{finding.column}: "
                        f"{finding.message} [{finding.id}]",
                        err=True,
                    )
    return int(code)


def _parse(words: list[str]) -> _Parsed:
    parsed = _Parsed()
    while words:
        word = words.pop(0)
        if word == "--":
            parsed.compiler, words = words, []
            parsed.clang = True
            for flag in parsed.compiler:
                if flag.startswith("-D") and len(flag) > 2:
                    parsed.values.setdefault("D", []).append(flag[2:])
            break
        if word == "-" or not word.startswith("-"):
            parsed.inputs.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if name[:1] in ("I", "D") and name[:1] + name[1:] not in _VALUES | _SWITCHES:
            value, name, equals = word.lstrip("-")[1:], name[0], "="
        if name in _VALUES:
            if not equals:
                if not words:
                    raise UsageError(f"{word} needs a value", hint=f"{word}=VALUE")
                value = words.pop(0)
            parsed.values.setdefault(name, []).append(value)
        elif name in _SWITCHES:
            if equals and value.lower() in ("0", "false", "no"):
                continue
            parsed.values.setdefault(name, []).append("")
        else:
            hint = nearest(name, sorted(_SWITCHES | _VALUES))
            raise UsageError(f"no option {word}", hint=hint or "portgpu hipify --help")
        parsed.clang |= name in _CLANG
    return parsed
