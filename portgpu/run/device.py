"""Builds programs for a GPU of this machine, with the vendor's own compiler."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from portgpu import headers, resources, toolchain
from portgpu.errors import NoDeviceError, TranslateError, UsageError
from portgpu.findings import Finding, Severity
from portgpu.run import sources
from portgpu.run.compile import compile_all, compiler_key
from portgpu.run.model import Built, Program
from portgpu.toolchain.devices import find_devices
from portgpu.translate import Options, translate


def build(target: str, program: Program) -> Built:
    """The program's executable for an NVIDIA (`cuda`) or AMD (`rocm`) GPU that is here."""
    _refuse_cpu_options(program, target)
    compiler = toolchain.find_for(target, program.toolchain)
    devices = [d for d in find_devices() if d.target == target]
    if not devices:
        raise NoDeviceError(
            f"no {'NVIDIA' if target == 'cuda' else 'AMD'} GPU is here",
            hint="portgpu run --target cpu needs none; portgpu doctor shows the devices",
        )
    arch = program.arch or devices[0].arch
    root = program.build_dir / target
    include = root / "include"
    rendered = headers.render(target, include)
    tree = sources.collect(program.sources, program.includes)
    language = tree.language
    flags = [f"-std={program.std}", "-O3", *compiler.compile_flags]
    if target == "cuda":
        flags += [f"-arch={arch}", "--expt-relaxed-constexpr", "--extended-lambda"]
        if language == "hip":
            reverse = root / "reverse"
            rendered += headers.render_reverse(reverse)
            flags += ["-I", str(reverse)]
        language_flags = ["-x", "cu"]
    else:
        flags += [f"--offload-arch={arch}"]
        language_flags = ["-x", "hip"]
    findings: list[Finding] = []

    def change(file: sources.File) -> bytes:
        if target == "cuda" or language == "hip":
            return file.data
        result = translate(file.data, str(file.path), Options(to="rocm", warp=program.warp))
        findings.extend(f for f in result.findings if f.severity == Severity.ERROR)
        return result.text

    overlay = root / "sources" / sources.key([str(f.path) for f in tree.files])
    copies = sources.write(tree, overlay, change)
    if findings:
        lines = [f"{f.path}:{f.line}:{f.column}: {f.id}: {f.message}" for f in sorted(findings)]
        raise TranslateError(
            f"{len(lines)} construct(s) cannot be translated for {target}",
            hint=f"portgpu explain {findings[0].id}",
            detail="\n".join(lines),
        )
    if target == "rocm" and language != "hip":
        flags += ["-I", str(resources.templates("compat"))]
    flags += [f"-D{d}" for d in program.defines] + list(program.flags)
    for folder in program.includes:
        real = folder.resolve()
        flags += ["-I", str(overlay / real.relative_to(real.anchor)), "-I", str(real)]
    flags += ["-I", str(include)]
    content = sources.key(
        compiler_key(compiler.compiler, compiler.version),
        [p.read_bytes() for p in sorted(rendered)],
        [(str(p), c.read_bytes()) for p, c in copies.items()],
    )
    objects: list[Path] = []
    jobs: list[tuple[Path, Sequence[str | Path]]] = []
    for file in tree.files:
        if not file.is_source:
            continue
        out = root / "objects" / f"{file.path.stem}-{sources.key(content, str(file.path), flags)}.o"
        kind = language_flags if sources.is_device_code(file) else []
        jobs.append((out, [compiler.compiler, *flags, *kind, "-c", copies[file.path]]))
        objects.append(out)
    link = [*compiler.link_flags, *program.link_flags]
    executable = root / "bin" / f"{program.sources[0].stem}-{sources.key(objects, link)}"
    cached = executable.is_file()
    compile_all(jobs, compiler.env, verbose=program.verbose)
    arch_flag = [f"-arch={arch}"] if target == "cuda" else [f"--offload-arch={arch}"]
    compile_all(
        [(executable, [compiler.compiler, *arch_flag, *objects, *link])],
        compiler.env,
        verbose=program.verbose,
    )
    folders = [str(folder) for folder in compiler.libraries]
    path = ":".join([*folders, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])
    return Built(executable, {"LD_LIBRARY_PATH": path} if path else {}, cached)


def _refuse_cpu_options(program: Program, target: str) -> None:
    given = {
        "--race": program.race,
        "--race-blocks": program.race_blocks,
        "--sanitize": bool(program.sanitize),
        "--warp-size": program.warp_size != 0,
        "--schedule": bool(program.schedule),
        "--seed": program.seed is not None,
        "--via": bool(program.via),
    }
    wrong = [option for option, is_set in given.items() if is_set]
    if wrong:
        raise UsageError(
            f"{', '.join(wrong)}: for --target cpu only", hint=f"leave out with --target {target}"
        )
    if program.arch and not re.fullmatch(r"sm_\w+|gfx\w+", program.arch):
        raise UsageError(
            f"--as {program.arch}: not an architecture", hint="such as sm_90 or gfx90a"
        )
