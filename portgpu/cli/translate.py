"""`portgpu translate`: CUDA to HIP, HIP to CUDA, or to the CPU target."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from portgpu import config, console, output
from portgpu.atomic import STDOUT, back_up, is_stream, write
from portgpu.errors import Exit, UsageError, nearest
from portgpu.findings import Finding, Severity, pages
from portgpu.translate import project, translate
from portgpu.translate.manifest import Manifest
from portgpu.translate.model import TARGETS, Options
from portgpu.translate.outline import outline
from portgpu.translate.project_names import resolved
from portgpu.translate.tree import SUFFIXES, File, Outcome, collect


@click.command()
@click.argument("inputs", nargs=-1, required=True)
@click.option("-o", "--output", "out", metavar="DIR|FILE", help="Write translations there.")
@click.option("--in-place", "--inplace", is_flag=True, help="Overwrite sources; keep FILE.orig.")
@click.option("--no-backup", is_flag=True, help="With --in-place: keep no FILE.orig.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the one translation.")
@click.option("--diff", is_flag=True, help="Print what would change; write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@click.option("--examine", is_flag=True, help="Write nothing; findings and statistics only.")
@click.option("--stats", is_flag=True, help="Statistics per file on stderr.")
@click.option(
    "--to",
    "target",
    default="rocm",
    show_default=True,
    type=click.Choice([*TARGETS, "hip"]),
    help="Where the code goes.",
)
@click.option(
    "--warp",
    type=click.Choice(["logical", "native"]),
    help="logical (default): a warp keeps 32 lanes on every device.",
)
@click.option(
    "--launches",
    type=click.Choice(["keep", "convert"]),
    help="Keep <<<>>> (default) or write hipLaunchKernelGGL.",
)
@click.option("--hip-version", metavar="VERSION", help="Report names that this HIP version lacks.")
@click.option("--cuda-version", default="", metavar="VERSION", help="With --to cuda: write for it.")
@click.option("--roc", is_flag=True, help="Prefer rocBLAS, rocSPARSE, … to hip* libraries.")
@click.option(
    "--compat",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "header", "inline", "none"]),
    help="Our shims: an include beside the output, pasted in, or not used.",
)
@click.option("--line", "line_directives", is_flag=True, help="Start outputs with #line.")
@click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Folder of local headers.")
@click.option("-D", "defines", multiple=True, metavar="NAME", help="A macro of the project's own.")
@click.option("-p", "database", metavar="FILE|DIR", help="compile_commands.json: inputs and -I.")
@click.option("--no-follow", is_flag=True, help="Do not translate local headers of the inputs.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files or folders.")
@click.option("--allow", multiple=True, metavar="ID[:NAME]", help="Accept a finding.")
@click.option(
    "--format",
    "fmt",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json", "sarif", "github"]),
    help="How findings are printed.",
)
@click.option("-j", "--jobs", default=0, metavar="N", help="Processes (default: all cores).")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
def command(
    inputs: tuple[str, ...],
    out: str | None,
    in_place: bool,
    no_backup: bool,
    to_stdout: bool,
    diff: bool,
    check: bool,
    examine: bool,
    stats: bool,
    target: str,
    warp: str | None,
    launches: str | None,
    hip_version: str | None,
    cuda_version: str,
    roc: bool,
    compat: str,
    line_directives: bool,
    include_dirs: tuple[str, ...],
    defines: tuple[str, ...],
    database: str | None,
    no_follow: bool,
    exclude: tuple[str, ...],
    allow: tuple[str, ...],
    fmt: str,
    jobs: int,
    quiet: bool,
) -> int:
    """Rewrite CUDA sources to HIP (or back, or for the CPU target).

    INPUTS are files, folders, or - for standard input. One file without -o goes to standard
    output. Local headers that a source includes are translated with it. Exit code 0: clean,
    1: findings (or, with --check, files that would change), 2 and more: failure.
    """
    sink: Path | None = None
    if out in STDOUT:
        out, to_stdout = None, True
    elif out and is_stream(Path(out)):
        sink, out, to_stdout = Path(out), None, True
    modes = [bool(out), in_place, to_stdout, diff, check, examine]
    if sum(modes) > 1:
        raise UsageError(
            "-o, --in-place, --stdout, --diff, --check and --examine exclude each other",
            hint="choose one of them",
        )
    if no_backup and not in_place:
        raise UsageError("--no-backup belongs to --in-place", hint="add --in-place")
    if jobs < 0:
        raise UsageError(f"-j {jobs}: not a number of processes", hint="use -j 2 or leave it out")
    check_allowed(allow)
    loaded = config.load()
    settings = loaded.translate
    check_allowed(settings.allow, f"{loaded.file}: [translate] allow")
    to = "rocm" if target == "hip" else target
    options = Options(
        to=to,
        warp=warp or loaded.build.warp,
        launches=launches or settings.launches,
        hip_version=settings.hip_version
        if hip_version is None and to == "rocm"
        else hip_version or "",
        cuda_version=cuda_version,
        roc=roc,
        compat=None if compat == "none" else "portgpu/hip_compat.h",
        allow=(*settings.allow, *allow),
        known=frozenset(d.split("=")[0].encode() for d in defines),
    )
    if "-" in inputs:
        if len(inputs) > 1 or in_place or out:
            raise UsageError(
                "- stands alone: standard input goes to standard output",
                hint="portgpu translate - < FILE > TRANSLATION",
            )
        data = sys.stdin.buffer.read()
        result = translate(data, "<stdin>", options)
        text = (
            result.text if compat in ("header", "none") else _paste(result.text, options, None, ())
        )
        shown = _show(data, text, "<stdin>", diff, check or examine)
        changing = ["<stdin>"] if check and shown else []
        return _report(
            result.findings, fmt, {"<stdin>": data}, 1, not (check or examine), changing, quiet
        )
    paths: list[Path] = []
    folders: list[Path] = []
    if database:
        from portgpu.translate import compile_database

        paths, folders = compile_database.sources(database)
    single = len(inputs) == 1 and Path(inputs[0]).is_file()
    manifest = None
    if out and not _is_file_name(out, single):
        manifest = Manifest.load(Path(out).absolute(), f"{compat} {line_directives}")
    root, files, notes = collect(
        [*map(Path, inputs), *paths],
        include_dirs=[*map(Path, include_dirs), *folders, *project_folders(loaded)],
        exclude=exclude,
        skip=[Path(os.path.realpath(out))] if manifest and out else [],
        follow=not no_follow,
        outliner=manifest.outline if manifest else outline,
        missing=not no_follow,
    )
    notes = [replace(note, path=_label(Path(note.path))) for note in notes]
    if to_stdout and not single:
        raise UsageError("--stdout prints one translation", hint="use -o DIR for several files")
    if not any(modes):
        if not single:
            raise UsageError(
                "where should the translations go?",
                hint="give -o DIR, --in-place, --diff or --check",
            )
        to_stdout = True
    all_files = files
    if to_stdout or (single and (diff or check or examine)):
        wanted = Path(inputs[0]).resolve()
        if to_stdout:
            files = [f for f in files if f.source == wanted]
        if to_stdout and len(files) != 1:
            raise UsageError("--stdout prints one translation", hint="use -o DIR for several files")
    folder = _place(files, root, out, single, Path(inputs[0]))
    if out and not manifest:
        _check_target(Path(out), options)
    progress = None if quiet or not console.is_interactive() else console.Progress("translate").step
    outcomes = project.run(
        files,
        options,
        output_root=folder,
        labels=_label,
        manifest=manifest,
        jobs=jobs,
        progress=progress,
    )
    if line_directives and not in_place:
        _add_lines(outcomes, root)
    findings = sorted([n for o in outcomes for n in o.findings] + notes)
    findings = resolved(findings, files, manifest)
    sources = {_label(f.source): f.data for f in files}
    changing = []
    code_on_stdout = to_stdout or diff
    for outcome, file in zip(outcomes, files, strict=True):
        text = file.data if outcome.text is None else outcome.text
        if to_stdout:
            if compat in ("auto", "inline"):
                text = _paste(text, options, file, all_files)
            if sink is None:
                sys.stdout.buffer.write(text)
            else:
                write(sink, text)
        elif diff:
            _show(file.data, text, _label(file.source), True, False)
        elif check and text != file.data:
            changing.append(_label(file.source))
        elif in_place and text != file.data:
            if not no_backup:
                back_up(file.source, file.data, ".orig")
            write(file.source, text, like=file.source)
            if project.uses_compat(text):
                project.copy_compat(folder)
    if out:
        if compat == "inline":
            from portgpu.translate import inline

            # Files of a tree include each other: each has everything, behind the same guards.
            alone = _is_file_name(out, single) and len(outcomes) == 1
            paste = inline.paste_needed if alone else inline.paste
            for outcome in outcomes:
                outcome.text = paste(outcome.text) if outcome.text is not None else None
        if manifest:
            project.save(files, outcomes, manifest, options)
        else:
            for outcome in outcomes:
                assert outcome.text is not None
                write(outcome.output, outcome.text, like=outcome.source)
                if project.uses_compat(outcome.text):
                    project.copy_compat(folder)
    if (stats or examine) and not quiet:
        _stats(outcomes)
    return _report(findings, fmt, sources, len(files), code_on_stdout, changing, quiet)


def project_folders(loaded: config.Config) -> list[Path]:
    """Include folders of portgpu.toml that are there; `portgpu build` refuses the others."""
    folders = [loaded.root / name for name in loaded.project.include_dirs]
    return [folder for folder in folders if folder.is_dir()]


def check_allowed(rules: Sequence[str], where: str = "--allow") -> None:
    """Raises `UsageError` for an accepted finding whose ID no finding has; `where` says it."""
    for rule in rules:
        word = rule.partition(":")[0]
        if re.fullmatch(r"[Pp][Gg]\d+", word) and (word not in pages() or word != word.upper()):
            near = nearest(word.upper(), list(pages()))
            raise UsageError(
                f"{where} {rule}: no finding is called {word}", hint=near or "portgpu explain"
            )


def _paste(text: bytes, options: Options, wanted: File | None, files: Sequence[File]) -> bytes:
    """A translation with our headers pasted in: whole, if a file that it includes may need them."""
    if not project.uses_compat(text):
        return text
    from portgpu.translate import inline

    by_path = {f.source: f for f in files}
    needing: dict[Path, bool] = {}

    def needs(path: Path) -> bool:
        if path not in needing:
            needing[path] = False  # headers that include each other
            file = by_path.get(path)
            needing[path] = file is None or (
                project.uses_compat(translate(file.data, str(path), options).text)
                or any(needs(p) for p in file.includes.values())
            )
        return needing[path]

    own = inline.own_includes(text)
    known = wanted.includes if wanted else {}
    # One that needs them, and the rest makes no difference.
    alone = own <= known.keys() and not any(needs(known[name]) for name in own)
    return inline.paste_needed(text, own if alone else ())


def _label(path: Path) -> str:
    """How a file is named in messages: relative to the working directory when it lies below."""
    return str(path).removeprefix(os.path.join(os.getcwd(), ""))  # noqa: PTH109, PTH118


def _is_file_name(out: str, single: bool) -> bool:
    """Whether -o names a file: one input, and a name with a source's suffix."""
    known = SUFFIXES | {".prehip"}
    return single and not Path(out).is_dir() and Path(out).suffix.lower() in known


def _place(files: list[File], root: Path, out: str | None, single: bool, first: Path) -> Path:
    """Gives every file its output path; returns the folder that holds our headers."""
    if not out:
        return root
    target = Path(out).absolute()
    if _is_file_name(out, single):
        if target.exists() and target.samefile(first):
            raise UsageError("-o names the source itself", hint="use --in-place for that")
        folder = target.parent
        for file in files:
            first_one = file.source == first.resolve()
            file.output = target if first_one else folder / file.source.relative_to(root)
        # Headers that would land on themselves stay untranslated: only FILE was asked for.
        files[:] = [f for f in files if f.output == target or f.output != f.source]
        return folder
    if target.is_file():
        raise UsageError(
            f"-o {out}: a file, but several translations need a folder", hint="name a folder"
        )
    if target.exists() and target.samefile(root):
        raise UsageError("-o names the sources' own folder", hint="use --in-place for that")
    for file in files:
        file.output = target / file.source.relative_to(root)
    return target


def _check_target(target: Path, options: Options) -> None:
    """Raises `UsageError` where -o names a source that is no translation of an earlier run."""
    if not target.is_file():
        return
    data = target.read_bytes()
    marks = () if options.to == "cuda" else (b"portgpu", b"pg_compat", b"hip/hip_runtime")
    if any(mark in data for mark in marks) or translate(data, str(target), options).text == data:
        return
    raise UsageError(
        f"-o {target}: there is a source of that name, which the translation would overwrite",
        hint="name another file, or remove it",
    )


def _add_lines(outcomes: list[Outcome], root: Path) -> None:
    for outcome in outcomes:
        if outcome.text is not None:
            name = str(outcome.source).replace("\\", "\\\\").replace('"', '\\"')
            outcome.text = f'#line 1 "{name}"\n'.encode() + outcome.text


def _quoted(name: str) -> bytes:
    """A file name as `git diff` writes it: in quotes when it holds control characters."""
    raw = os.fsencode(name)
    if not any(byte < 32 or byte in b'"\\' for byte in raw):
        return raw
    return b'"' + b"".join(_ESCAPES.get(b, b"%c" % b) for b in raw) + b'"'


_ESCAPES = {b: b"\\%03o" % b for b in range(32)}
_ESCAPES |= {9: b"\\t", 10: b"\\n", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def _show(before: bytes, after: bytes, name: str, diff: bool, nothing: bool) -> bool:
    """Prints a translation or its diff; returns whether anything differs."""
    if diff:
        import difflib

        lines = difflib.diff_bytes(
            difflib.unified_diff,
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            _quoted(f"a/{name}"),
            _quoted(f"b/{name}"),
        )
        for line in lines:
            end = b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n"
            sys.stdout.buffer.write(line + end)
    elif not nothing:
        sys.stdout.buffer.write(after)
    return before != after


def _report(
    findings: Sequence[Finding],
    fmt: str,
    sources: dict[str, bytes],
    checked: int,
    code_on_stdout: bool,
    changing: Sequence[str],
    quiet: bool,
) -> int:
    """Prints findings, without notes when quiet, and the files that would change; the exit code."""
    sys.stdout.buffer.flush()
    if quiet:
        findings = [f for f in findings if f.severity is not Severity.NOTE]
    stream = sys.stderr if code_on_stdout else sys.stdout
    shown = output.render(
        findings,
        fmt,
        sources,
        color=console.has_colour(stream),
        command="portgpu translate",
        checked=checked,
    )
    if fmt != "text" or findings or not (code_on_stdout or quiet):
        click.echo(shown, nl=False, file=stream)
    if not quiet:
        for name in changing:
            console.note(f"{os.fsdecode(_quoted(name))} would change")
    return int(Exit.FINDINGS if output.failing(findings) or changing else Exit.OK)


def _stats(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        weights = [f.severity.value for f in outcome.findings]
        console.note(
            f"{_label(outcome.source)}: {outcome.edits} edits, {weights.count('error')} errors,"
            f" {weights.count('warning')} warnings, {weights.count('note')} notes"
        )
    console.note(f"total: {len(outcomes)} files, {sum(o.edits for o in outcomes)} edits")
