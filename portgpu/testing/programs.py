"""A project's own tests: the `[[test]]` programs of portgpu.toml, built and run on every target.

Each is linked with the very library that `portgpu build` makes. The cpu target runs them once for
each warp width; a GPU target without its device runs nothing, and says so with its own exit code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from portgpu import build as builder
from portgpu import console, process
from portgpu.build import Request
from portgpu.config import Config, ProjectTest
from portgpu.errors import (
    BuildError,
    ConfigError,
    PortgpuError,
    TestError,
    TranslateError,
    UsageError,
)
from portgpu.run import executors
from portgpu.testing.output import write
from portgpu.testing.programs_report import Leg, Outcome, render


@dataclass(frozen=True, slots=True)
class Options:
    """What to build (`request`), what runs it, which tests, and how to report."""

    request: Request
    executors: Sequence[str] = ()  # default: those of the request's targets
    match: str = ""
    widths: Sequence[int] = (32, 64)
    build_only: bool = False
    device: int = 0
    timeout: float | None = None  # instead of the tests' own
    form: str = "text"
    output: Path | None = None


def run(options: Options) -> list[Leg]:
    """Build and run the tests; writes the report and returns the legs.

    Raises `TestError` when a test failed or a target has none, `BuildError` or `TranslateError`
    when one did not build, `NoDeviceError` for a device that is not here.
    """
    request = options.request
    tests = [test for test in request.config.tests if options.match in test.name]
    if not tests:
        raise UsageError(
            f"no test's name contains {options.match!r}",
            hint=f"tests: {', '.join(test.name for test in request.config.tests)}",
        )
    _check(request.config, tests)
    legs = list(_legs(options, tests))
    able = tuple(dict.fromkeys(leg.target for leg in legs if not leg.problem))
    programs, failures = _build(request, tests, able)
    progress = console.Progress("test", quiet=request.quiet)
    total = sum(len(leg.planned) for leg in legs if not leg.problem)
    done = 0
    for leg in legs:
        for test in () if leg.problem else _of(tests, leg.target):
            progress.step(done, total, f"{test.name} ({leg.name})")
            found = programs[test.name, leg.target]
            if isinstance(found, PortgpuError):
                leg.outcomes.append(Outcome(test.name, "did not build: " + found.message))
            elif not options.build_only:
                leg.outcomes.append(_run(test, found, leg, options))
            done += 1
    progress.clear()
    write(render(legs, options.form, build_only=options.build_only), options.output)
    if options.output is not None and options.form != "text" and not request.quiet:
        console.note(render(legs, "text", build_only=options.build_only).rstrip())
    _judge(legs, failures)
    return legs


def _check(config: Config, tests: Sequence[ProjectTest]) -> None:
    for test in tests:
        if not test.sources and not (config.project.kind == "program" and config.project.sources):
            raise ConfigError(
                f"{config.file}: test {test.name!r} has no sources, and the project is no program",
                hint='name its sources, or write kind = "program" in [project]',
            )


def _of(tests: Sequence[ProjectTest], target: str) -> list[ProjectTest]:
    return [test for test in tests if target in test.targets]


def _legs(options: Options, tests: Sequence[ProjectTest]) -> Iterator[Leg]:
    for name in options.executors or options.request.targets:
        executor = executors.find(name)
        target = executor.accepts
        names = [test.name for test in _of(tests, target)]
        if not names:
            problem: PortgpuError | None = TestError(
                f"no test is for target {target}", hint="see `targets` in the [[test]] tables"
            )
        else:
            problem = None if options.build_only else executor.problem(options.device)
        own = [w for w in executor.widths if w in options.widths and not options.build_only]
        for width in own or (0,):
            label = f"{name}, {width} lanes" if width else name
            yield Leg(label, name, target, width, names, problem)


_Built = Path | PortgpuError


def _build(
    request: Request, tests: Sequence[ProjectTest], targets: Sequence[str]
) -> tuple[dict[tuple[str, str], _Built], list[PortgpuError]]:
    """The program of each test and target, or why there is none."""
    config = request.config
    made: dict[str, Path] = {}
    if config.project.sources and targets:
        results = builder.build(replace(request, targets=tuple(targets)))
        made = {result.target: result.library for result in results}
    programs: dict[tuple[str, str], _Built] = {}
    failures: list[PortgpuError] = []
    for target in targets:
        for test in _of(tests, target):
            if not test.sources:
                programs[test.name, target] = made[target]
                continue
            library = made.get(target) if config.project.kind == "library" else None
            own = replace(
                request,
                config=_config(config, test, target, library),
                build_dir=request.build_dir / "tests" / test.name,
                targets=(target,),
                archs=tuple(a for a in request.archs if _fits(a, target)),
            )
            try:
                programs[test.name, target] = builder.build(own)[0].library
            except (BuildError, TranslateError) as error:
                if error.detail:
                    console.note(error.detail.rstrip())
                programs[test.name, target] = error
                failures.append(error)
    return programs, failures


def _fits(arch: str, target: str) -> bool:
    from portgpu.toolchain.archs import NATIVE, target_of

    return arch == NATIVE or target_of(arch) == target


def _config(config: Config, test: ProjectTest, target: str, library: Path | None) -> Config:
    """The configuration of a test's program: the project's, with the test's own sources."""
    link: tuple[str, ...] = test.link_flags
    if library is not None:
        path = f"-rpath,{library.parent}"
        # nvcc has a word of its own for the linker, and a shell that reads it again.
        escaped = re.sub(r"([^\w./,:+=@%-])", r"\\\1", path)
        where = ("-Xlinker", escaped) if target == "cuda" else (f"-Wl,{path}",)
        link = (str(library), *where, *link)
    project = replace(
        config.project,
        name=test.name,
        kind="program",
        sources=test.sources,
        exclude=(),
        defines=(*config.project.defines, *test.defines),
    )
    part = config.target(target)
    part = replace(part, link_flags=(*link, *part.link_flags), exclude=())
    changes: dict[str, object] = {"project": project, target: part, "tests": ()}
    return replace(config, **changes)  # type: ignore[arg-type]


def _run(test: ProjectTest, program: Path, leg: Leg, options: Options) -> Outcome:
    timeout = options.timeout or test.timeout
    env = dict(variable.split("=", 1) for variable in test.env)
    executor = executors.find(leg.executor)
    env |= executor.environment(leg.width, options.device)
    folders = [str(folder) for folder in _libraries(leg.target, options.request)]
    if folders:
        env["LD_LIBRARY_PATH"] = ":".join([*folders, *_set("LD_LIBRARY_PATH")])
    command = executor.command(program, test.args)
    try:
        done = process.run(
            command,
            env=env,
            cwd=options.request.config.root,
            check=False,
            timeout=timeout,
            error=TestError,
            what=test.name,
        )
    except TestError:
        return Outcome(test.name, f"no end within {timeout:g} s", command=command, seconds=timeout)
    return Outcome(
        test.name, _verdict(test, done), done.output, command=command, seconds=done.seconds
    )


def _verdict(test: ProjectTest, done: process.Completed) -> str:
    """Why the program failed; empty when it did what the table says."""
    if done.code < 0:
        return f"ended by signal {-done.code}"
    if done.code != test.exit_code:
        return f"exit code {done.code}, not {test.exit_code}"
    if test.output and not re.search(test.output, done.output, re.MULTILINE):
        return f"the output does not match {test.output!r}"
    return ""


def _set(name: str) -> list[str]:
    return [os.environ[name]] if os.environ.get(name) else []


def _libraries(target: str, request: Request) -> Sequence[Path]:
    """Folders of the vendor's runtime library."""
    from portgpu import toolchain

    return () if target == "cpu" else toolchain.find_for(target, request.options).libraries


def _judge(legs: Sequence[Leg], failures: Sequence[PortgpuError]) -> None:
    """Raise unless every leg ran, or was built, as it was asked for."""
    bad = [leg for leg in legs if leg.failed]
    if failures:
        raise failures[0]
    if bad:
        parts = [
            f"{len(leg.failed)} of {len(leg.planned)} tests failed on {leg.name}" for leg in bad
        ]
        raise TestError("; ".join(parts), hint="the report above has their output")
    for leg in legs:
        if leg.problem:
            raise leg.problem
