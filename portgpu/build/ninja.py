"""Runs CMake and Ninja on a generated project and makes sense of what they print."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from portgpu import process
from portgpu.build import files
from portgpu.build.model import Plan, Staged, original_place
from portgpu.console import Progress
from portgpu.errors import BuildError, OutputError
from portgpu.toolchain import Tool

_STATUS = "[%f/%t] "
_STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")


@dataclass(slots=True)
class Outcome:
    """What Ninja did: steps run, and compiler output that is news (warnings)."""

    steps: int = 0
    news: list[str] = field(default_factory=list)


def configure(plan: Plan, cmake: Tool, ninja: Tool) -> None:
    """Run CMake. A working folder that belongs to another place is started afresh."""
    cache = plan.ninja_dir / "CMakeCache.txt"
    if cache.is_file():
        text = cache.read_text(encoding="utf-8", errors="replace")
        homes = re.findall(r"^CMAKE_(?:HOME_DIRECTORY|CACHEFILE_DIR):INTERNAL=(.*)$", text, re.M)
        here = {plan.project.resolve(), plan.ninja_dir.resolve()}
        if {Path(home).resolve() for home in homes} != here:
            files.clear(plan.ninja_dir)
    process.run(
        [
            cmake.path,
            "-G",
            "Ninja",
            "-S",
            plan.project,
            "-B",
            plan.ninja_dir,
            f"-DCMAKE_MAKE_PROGRAM={ninja.path}",
            f"-DPG_OUTPUT_DIR={plan.folder}",
        ],
        what=f"cmake for target {plan.target}",
        hint=f"see {plan.project}/CMakeLists.txt; a new --build-dir starts afresh",
    )


def build(
    plan: Plan,
    staged: Staged,
    ninja: Tool,
    progress: Progress,
    *,
    jobs: int,
    verbose: bool,
    keep_going: bool,
    lock: int,
) -> Outcome:
    """Run Ninja; raises `BuildError` with the failing commands, in terms of the original files."""
    reader = _Reader(plan, staged, progress, verbose)
    command: list[str | Path] = [
        ninja.path,
        "-C",
        plan.ninja_dir,
        "-j",
        str(jobs or os.cpu_count() or 1),
    ]
    command += ["-k", "0"] if keep_going else []
    command += ["-v"] if verbose else []
    done = process.run(
        command, env={"NINJA_STATUS": _STATUS}, check=False, on_line=reader.line, pass_fds=[lock]
    )
    progress.clear()
    if done.code != 0:
        _fail(plan, reader, done)
    return reader.outcome


def _fail(plan: Plan, reader: _Reader, done: process.Completed) -> None:
    text = "\n".join(reader.failed) if reader.failed else done.output
    full = re.search(r"No space left on device|Disk quota exceeded", done.output)
    if full:
        raise OutputError(
            f"{plan.folder}: {full[0].lower()}",
            hint="free some space, or choose another folder with --build-dir",
            detail=text,
        )
    if re.search(r"ninja: error:.*(Permission denied|Read-only)", done.output):
        raise OutputError(
            f"{plan.folder}: cannot be written",
            hint="make it writable, or choose another folder with --build-dir",
            detail=done.output,
        )
    names = list(dict.fromkeys(reader.failed_sources)) or ["ninja"]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    raise BuildError(
        f"target {plan.target}: {shown} did not compile with {plan.toolchain.name}"
        if not shown.startswith("link ")
        else f"target {plan.target}: {shown} failed with {plan.toolchain.name}",
        hint="the command above can be run as it is; --keep-going shows the errors of all files",
        detail=text,
    )


class _Reader:
    """Reads Ninja's output line by line: progress, failures, compiler messages."""

    def __init__(self, plan: Plan, staged: Staged, progress: Progress, verbose: bool) -> None:
        self.outcome = Outcome()
        self.failed: list[str] = []
        self.failed_sources: list[str] = []
        self._plan = plan
        self._staged = staged
        self._progress = progress
        self._verbose = verbose
        self._in_failure = False
        # Sources that stay where they are: shown from the working folder, like all others.
        self._root = f"{Path.cwd()}/" if plan.route == "headers" else ""
        copy = re.escape(f"{plan.project}/")
        self._place = re.compile(
            copy + r"([^\s:(,'\"]+(?: [^\s:(,'\"]+)*?)(?:([:(])(\d+))?(?=[\s:(),'\"]|$)"
        )

    def line(self, line: str) -> None:
        """Take one line of Ninja's output."""
        step = _STEP.match(line)
        if step:
            self._in_failure = False
            label = step[3]
            if label.startswith("Re-running CMake"):
                return
            self.outcome.steps = max(self.outcome.steps, int(step[1]))
            if self._verbose:
                self._progress.clear()
                print(_without_cmake(label), flush=True)
            self._progress.step(int(step[1]), int(step[2]), _label(label))
            return
        if line.startswith("FAILED: "):
            self._in_failure = True
            name = line.removeprefix("FAILED: ").split()[-1]
            name = re.sub(r"^\[code=\d+\]\s*", "", name)
            self.failed_sources.append(self._name_of(name))
            return
        if line.startswith(("ninja: ", "Re-run", "-- ")):
            return
        if self._in_failure:
            # The first line of a failure is the command; Ninja wraps it in `cd … && …`.
            shown = f"$ {_without_cmake(line)}" if line.startswith("cd ") else self.original(line)
            self.failed.append(shown)
        elif line.strip():
            self.outcome.news.append(self.original(line))

    def _name_of(self, output: str) -> str:
        match = re.search(r"obj/src/(.+)\.o$", output)
        if match:
            return self._shown(self._plan.root / match[1])
        other = re.search(r"obj/(.+)\.o$", output)
        return other[1] if other else f"link {Path(output).name}"

    def original(self, line: str) -> str:
        """The line with paths (and line numbers) of copies turned into those of the originals."""

        def replace(match: re.Match[str]) -> str:
            relative, separator, number = match[1], match[2], match[3]
            copy = self._plan.project / relative
            source = self._staged.files.get(copy)
            if source is None:
                return match[0]
            text = self._shown(source)
            if separator:
                text += separator + str(original_place(self._staged.lines, str(copy), int(number)))
            return text

        line = self._place.sub(replace, line)
        return line.replace(self._root, "") if self._root else line

    @staticmethod
    def _shown(path: Path) -> str:
        try:
            return str(path.relative_to(Path.cwd()))
        except ValueError:
            return str(path)


def _label(text: str) -> str:
    return text.removeprefix("src/") if len(text) < 200 else ""


def _without_cmake(command: str) -> str:
    """A Ninja command without the parts that CMake puts around it."""
    parts = [
        part
        for part in command.split(" && ")
        if " -E cmake_transform_depfile " not in part and " -E rename " not in part
    ]
    return " && ".join(parts)


def dependencies(plan: Plan, staged: Staged) -> list[Path]:
    """All files that the compilers read, from their dependency files."""
    found: dict[Path, None] = {}
    sources = [f"src/{source.relative}" for source in plan.sources]
    sources += [path.relative_to(plan.project).as_posix() for path in staged.runtime]
    for source in sources:
        depfile = plan.ninja_dir / "obj" / f"{source}.o.d"
        if depfile.is_file():
            for path in parse_depfile(depfile.read_text(encoding="utf-8", errors="replace")):
                found[plan.ninja_dir / path] = None
    return list(found)


def parse_depfile(text: str) -> list[str]:
    """The prerequisites of a Make-style dependency file."""
    body = text.replace("\\\n", " ").partition(": ")[2]
    words = re.findall(r"(?:\\[ #]|\$\$|[^\s\\]|\\(?![ #\n]))+", body)
    return [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words]
