"""`portgpu report`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from portgpu.errors import Exit, UsageError
from portgpu.findings import Severity
from portgpu.report import FORMATS, Report, render

if TYPE_CHECKING:
    from portgpu.config import Config
    from portgpu.report.model import Sources

_SUFFIXES = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
_SUFFIXES |= {".txt": "text"}


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[SOURCES]…")
@click.option("--build-dir", "-B", "builds", multiple=True, type=click.Path(path_type=Path),
              help="Build folder: kernels and architectures; may repeat.")  # fmt: skip
@click.option("--tests", multiple=True, type=click.Path(path_type=Path), metavar="FILE.json",
              help="What `portgpu test --format json` wrote; may repeat.")  # fmt: skip
@click.option("--bench", "benches", multiple=True, type=click.Path(path_type=Path),
              metavar="FILE.json", help="Timings; may repeat.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS), help="Default: by -o, else html.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="File; - is stdout (default)."
)
@click.option("--title", help="Title (default: name of the folder).")
@click.option(
    "--to",
    "target",
    default="rocm",
    show_default=True,
    type=click.Choice(["rocm", "hip", "cuda", "cpu"]),
    help="Where the sources go.",
)
@click.option("--warp", type=click.Choice(["logical", "native"]), help="What a warp becomes.")
@click.option("-I", "include_dirs", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="Folder of local headers.")  # fmt: skip
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files or folders.")
@click.option("--allow", multiple=True, metavar="ID[:NAME]", help="Accept a translate finding.")
@click.option("--no-lint", is_flag=True, help="Translate only.")
@click.option("--no-cache", is_flag=True, help="Lint every file anew.")
@click.option("--confidence", type=click.Choice(["certain", "likely", "hint"]), default="likely",
              help="Lint findings at least this sure (default likely).")  # fmt: skip
@click.option(
    "--fail-level",
    type=click.Choice([*(s.value for s in Severity), "never"]),
    default="never",
    help="Exit with 1 from this severity on (default never).",
)
@click.option("--jobs", "-j", type=click.IntRange(1), help="Processes (default: cores).")
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file.")
@click.option("--workflow", is_flag=True,
              help="Print a GitHub Actions workflow and stop.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    paths: tuple[Path, ...],
    builds: tuple[Path, ...],
    tests: tuple[Path, ...],
    benches: tuple[Path, ...],
    form: str | None,
    output: Path | None,
    title: str | None,
    target: str,
    warp: str | None,
    include_dirs: tuple[Path, ...],
    exclude: tuple[str, ...],
    allow: tuple[str, ...],
    no_lint: bool,
    no_cache: bool,
    confidence: str,
    fail_level: str,
    jobs: int | None,
    config: Path | None,
    workflow: bool,
    quiet: bool,
) -> int:
    """Write a report about a project as HTML, Markdown or text.

    SOURCES are files and folders; they are translated and linted, and stay as they are. Without
    any input the working folder is examined. The HTML page is one file that needs no network;
    Markdown fits a pull request comment. Exit codes: 0 written, 1 findings at --fail-level,
    2 an input that is missing or cannot be understood, 9 files.
    """
    from portgpu import config as configuration
    from portgpu.atomic import check_report
    from portgpu.cli.translate import check_allowed, project_folders
    from portgpu.report import inputs

    if workflow:
        from portgpu import resources

        text = resources.templates("ci", "report.yml").read_text(encoding="utf-8")
        _write(text, None if output == Path("-") else output, quiet)
        return int(Exit.OK)
    output = None if output == Path("-") else output
    if output is not None:
        check_report(output)
    form = form or _SUFFIXES.get(output.suffix.lower() if output else ".html", "")
    if not form:
        raise UsageError(
            f"{output}: no format goes with this suffix", hint=f"--format {'|'.join(FORMATS)}"
        )
    check_allowed(allow)
    settings = configuration.load(config)
    check_allowed(settings.translate.allow, f"{settings.file}: [translate] allow")
    # Results first: a typo there must not cost a minute of linting.
    built = tuple(b for folder in builds for b in inputs.build(folder))
    legs = inputs.distinct([leg for path in tests for leg in inputs.tests(path)])
    timings = tuple(b for path in benches for b in inputs.bench(path))
    sources = None
    if paths or not (builds or tests or benches):
        if not paths:
            paths = (Path(),)
            exclude = (*exclude, Path(settings.build.build_dir).name)
        sources = _sources(
            settings, paths, "rocm" if target == "hip" else target, warp,
            (*include_dirs, *project_folders(settings)), exclude,
            allow, not no_lint, not no_cache, confidence, jobs or 0, quiet,
        )  # fmt: skip
    report = Report(title or _title(paths, builds), sources, built, legs, timings)
    _write(render(report, form), output, quiet)
    if sources is not None and fail_level != "never":
        from portgpu.output import failing

        if failing(sources.findings, Severity(fail_level)):
            return int(Exit.FINDINGS)
    return int(Exit.OK)


def _sources(
    settings: Config,
    paths: Sequence[Path],
    target: str,
    warp: str | None,
    include_dirs: Sequence[Path],
    exclude: Sequence[str],
    allow: Sequence[str],
    lint: bool,
    cached: bool,
    confidence: str,
    jobs: int,
    quiet: bool,
) -> Sources:
    from portgpu import console
    from portgpu.report import gather
    from portgpu.translate.model import Options

    options = Options(
        to=target,
        warp=warp or settings.build.warp,
        launches=settings.translate.launches,
        hip_version=settings.translate.hip_version if target == "rocm" else "",
        allow=(*settings.translate.allow, *allow),
    )
    request = gather.Request(
        inputs=paths,
        options=options,
        include_dirs=include_dirs,
        exclude=exclude,
        lint=lint,
        confidence=confidence,
        jobs=jobs,
        cache=Path.cwd() / ".portgpu" / "cache" if cached else None,
    )
    bars = [console.Progress(name, quiet=quiet) for name in ("translate", "lint")]

    def step(bar: console.Progress) -> Callable[[int, int], None]:
        return lambda done, total: bar.step(done, total)

    if quiet or not console.is_interactive():
        return gather.sources(request, settings)
    try:
        return gather.sources(request, settings, step(bars[0]), step(bars[1]))
    finally:
        for bar in bars:
            bar.clear()


def _title(paths: Sequence[Path], builds: Sequence[Path]) -> str:
    """The folder that a report is about."""
    if len(paths) == 1:
        return paths[0].resolve().name or "report"
    if not paths and len(builds) == 1:
        return builds[0].resolve().name
    return Path.cwd().name or "report"


def _write(text: str, output: Path | None, quiet: bool) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    from portgpu.atomic import write
    from portgpu.console import note, size

    data = text.encode("utf-8", "replace")
    write(output, data)
    if not quiet:
        note(f"portgpu report: {output}, {size(len(data))}")
