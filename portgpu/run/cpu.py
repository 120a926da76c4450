"""Builds programs for the CPU target: translate, compile with the host's C++ compiler."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from portgpu import headers, resources, toolchain
from portgpu.errors import BuildError, TranslateError, UsageError, nearest
from portgpu.findings import Finding, Severity
from portgpu.headers.check import FINDING, check
from portgpu.run import missing, sources
from portgpu.run.compile import compile_all, compiler_key
from portgpu.run.model import Built, Program
from portgpu.translate import Options, translate

_FLAGS = (
    "-O2",
    "-g1",
    "-gdwarf-4",  # what addr2line of older binutils reads without mixing up files
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-pthread",
    "-fPIC",
    "-Wno-unknown-pragmas",
    "-Wno-attributes",
    "-Wno-unused-result",
)
# Answered by the runtime itself, which names the source line; no sanitizer library is linked.
_BASIC = {
    "GCC": ("-fsanitize=bounds,alignment", "-fsanitize-recover=bounds,alignment"),
    "Clang": ("-fsanitize=array-bounds,alignment", "-fsanitize-recover=array-bounds,alignment"),
}
_VOLATILE = {
    "GCC": ("--param", "tsan-distinguish-volatile=1"),
    "Clang": ("-mllvm", "-tsan-distinguish-volatile"),
}
# A kernel's type is lost in such a cast; the launch macros can drop `(void*)`, but not this form.
_CAST = re.compile(
    rb"((?:cuda|hip)Launch(?:Cooperative)?Kernel\s*\(\s*)"
    rb"(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\s*\*\s*>\s*\("
)
# The same as the second argument.
_EX = re.compile(
    rb"((?:cuda|hip)LaunchKernelExC\s*\([^,;()]*,\s*)(?:\(\s*(?:const\s+)?void\s*\*\s*\)"
    rb"|(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\s*\*\s*>)\s*(?=[\w(:])"
)
# The same in a parameter struct of a graph's node.
_FUNC_FIELD = re.compile(
    rb"(\.\s*func\s*=\s*)(?:\(\s*(?:const\s+)?void\s*\*\s*\)"
    rb"|(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\s*\*\s*>)\s*(?=[\w(:])"
)
_ARCH = re.compile(r'^\s*\{"(\w+)", (\d+),', re.M)


@functools.cache
def known_archs() -> dict[str, int]:
    """Architectures whose limits the CPU target knows, and their warp width."""
    text = resources.templates("cpu", "src", "settings.inc").read_text(encoding="utf-8")
    return {name: int(width) for name, width in _ARCH.findall(text)}


def build(program: Program) -> Built:
    """The program's executable on the emulator in templates/cpu; raises `PortgpuError`."""
    _check(program)
    host = toolchain.find_host(program.toolchain)
    root = program.build_dir / "cpu"
    include = root / "include"
    rendered = headers.render("cpu", include)
    runtime = include / "src" / "pgcpu.cpp"
    tree = sources.collect(program.sources, program.includes)
    checked = program.race or program.race_blocks or "memory" in program.sanitize
    flags = [f"-std={program.std}", *_FLAGS, *host.compile_flags]
    link = ["-pthread", "-ldl", *host.link_flags, *program.link_flags]
    runtime_flags = list(flags)
    if checked:
        flags += ["-fsanitize=thread", *_VOLATILE[host.name.split()[0]]]
        runtime_flags.append("-DPGCPU_WITH_CHECKER=1")
    if "address" in program.sanitize:
        for each in (flags, runtime_flags, link):
            each.append("-fsanitize=address")
    if "undefined" in program.sanitize:
        flags += ["-fsanitize=undefined,bounds,alignment", "-fno-sanitize=vptr"]
        link.append("-fsanitize=undefined")
    elif "none" not in program.sanitize:
        flags += _BASIC[host.name.split()[0]]
    identity = sources.key(
        compiler_key(host.compiler, host.version),
        [(str(p.relative_to(include)), p.read_bytes()) for p in sorted(rendered)],
    )
    objects = root / "objects"
    runtime_object = objects / f"pgcpu-{sources.key(identity, runtime_flags)}.o"
    jobs: list[tuple[Path, Sequence[str | Path]]] = [
        (runtime_object, [host.compiler, *runtime_flags, "-c", runtime])
    ]
    overlay = root / "sources" / sources.key([str(f.path) for f in tree.files])
    findings: list[Finding] = []

    language = "hip" if program.via else tree.language

    def change(file: sources.File) -> bytes:
        if file.path.parts[-2:] == ("portgpu", "hip_compat.h"):
            return b"#include <portgpu/hip_compat.h>\n"  # the CPU target has its own
        text = file.data
        if program.via == "rocm":
            options = Options(to=program.via, warp=program.warp)
            first = translate(text, str(file.path), options)
            findings.extend(f for f in first.findings if f.severity == Severity.ERROR)
            text = first.text
        if program.via == "headers":  # which no header can help
            told = check(text, str(file.path))
            findings.extend(f for f in told if f.id == FINDING or f.severity == Severity.ERROR)
        result = translate(text, str(file.path), Options(to="cpu", warp=program.warp))
        findings.extend(f for f in result.findings if f.severity == Severity.ERROR)
        return _EX.sub(rb"\1", _FUNC_FIELD.sub(rb"\1", _CAST.sub(rb"\1(void*)(", result.text)))

    copies = sources.write(tree, overlay, change)
    if findings:
        raise _untranslatable(findings)
    flags += [f"-D{d}" for d in program.defines] + list(program.flags)
    for folder in program.includes:
        real = folder.resolve()
        flags += ["-I", str(overlay / real.relative_to(real.anchor)), "-I", str(real)]
    through: list[Path] = []
    if program.via == "headers":
        shadow, through = _through_headers(tree, root)
        flags += shadow
    flags += ["-I", str(include), "-I", str(include / "shadow")]
    if language == "hip":
        compat = resources.templates("compat", "portgpu", "hip_compat.h")
        flags += ["-I", str(compat.parent.parent), f'-DPGCPU_COMPAT_HEADER="{compat}"']
        if program.via or b"portgpu/hip_compat" in tree.text:
            # First, by its full path: beside the source there may be the one for AMD.
            flags += ["-include", str((include / "shadow/portgpu/hip_compat.h").resolve())]
    if through:  # behind the emulator's own compat header
        flags += ["-I", str(root / "headers"), "-include", "portgpu/shadow/runtime.h"]
    shims = sorted(resources.templates("compat").rglob("*.h")) if language == "hip" else []
    content = sources.key(
        identity,
        [(str(p), c.read_bytes()) for p, c in copies.items()],
        [p.read_bytes() for p in (*shims, *through)],
    )
    # `#include MACRO` of a header is no include that is followed, and so not copied.
    folders = dict.fromkeys(f.path.parent for f in tree.files if not f.is_source)
    beside = [word for folder in folders for word in ("-idirafter", str(folder))]
    program_objects = []
    for file in tree.files:
        if not file.is_source:
            continue
        own = list(flags)
        if sources.is_device_code(file) and file.path.suffix == ".cu":
            first = {"hip": "hip/hip_runtime.h", "cuda": "cuda_runtime.h"}.get(language)
            own += ["-include", first] if first else []
        out = objects / f"{file.path.stem}-{sources.key(content, str(file.path), own)}.o"
        # Quoted includes that were not copied are found beside the original; of headers, last.
        place = ["-iquote", str(file.path.parent), *beside]
        jobs.append((out, [host.compiler, *own, *place, "-x", "c++", "-c", copies[file.path]]))
        program_objects.append(out)
    executable = root / "bin" / f"{program.sources[0].stem}-{sources.key(program_objects, link)}"
    cached = executable.is_file()
    try:
        compile_all(jobs, host.env, verbose=program.verbose, hint=_compile_hint(language))
    except BuildError as error:
        raise missing.explain(error) from error
    compile_all(
        [(executable, [host.compiler, *program_objects, runtime_object, *link])],
        host.env,
        verbose=program.verbose,
    )
    return Built(executable, _environment(program), cached)


def _through_headers(tree: sources.Tree, root: Path) -> tuple[list[str], list[Path]]:
    """Flags that put the shadow headers for ROCm before the emulator's, and those headers."""
    if tree.language != "cuda":
        raise UsageError(
            f"--via headers is for CUDA sources, and {tree.files[0].path.name} is none",
            hint="leave it out",
        )
    files = headers.render_shadow("rocm", root / "headers")
    options = next(f for f in files if f.name == headers.HOST_RESPONSE_FILE).read_text("utf-8")
    defined = [line for line in options.split() if line.startswith("-D")]
    return [*defined, "-D__HIP__=1", "-I", str(root / "headers" / "shadow")], files


def _check(program: Program) -> None:
    if program.arch and program.arch not in known_archs():
        raise UsageError(
            f"--as {program.arch}: the CPU target does not know the limits of this architecture",
            hint=nearest(program.arch, list(known_archs())) or ", ".join(known_archs()),
        )
    if program.arch.startswith("sm_") and program.warp_size == 64:
        raise UsageError(
            f"--warp-size 64 does not fit {program.arch}, whose warps have 32 lanes",
            hint="leave out --as, or name an AMD architecture with 64 lanes: --as gfx90a",
        )
    checked = program.race or program.race_blocks or "memory" in program.sanitize
    if "address" in program.sanitize and checked:
        raise UsageError(
            "--sanitize address cannot be combined with --race, --race-blocks or --sanitize memory",
            hint="run twice, once with each",
        )


def _environment(program: Program) -> dict[str, str]:
    env: dict[str, str] = {}
    if program.arch:
        env["PORTGPU_AS"] = program.arch
    if program.warp_size:
        env["PORTGPU_WARP_SIZE"] = str(program.warp_size)
    if program.schedule:
        env["PORTGPU_SCHEDULE"] = program.schedule
    if program.seed is not None:
        env["PORTGPU_SEED"] = str(program.seed)
    env["PORTGPU_CPU_RACE"] = "1" if program.race else "0"
    env["PORTGPU_CPU_RACE_BLOCKS"] = "1" if program.race_blocks else "0"
    return env


def _untranslatable(findings: list[Finding]) -> TranslateError:
    lines = [f"{f.path}:{f.line}:{f.column}: {f.id}: {f.message}" for f in sorted(findings)]
    return TranslateError(
        f"{len(lines)} construct(s) cannot be translated for the CPU target",
        hint=f"portgpu explain {findings[0].id}",
        detail="\n".join(lines),
    )


def _compile_hint(language: str) -> str:
    names = {"cuda": "CUDA", "hip": "HIP", "dialect": "the dialect"}[language]
    return (
        f"the sources were taken for {names}; docs/cpu-target.md lists what the CPU target has, "
        "and -D/-I/--flag change how it compiles"
    )
