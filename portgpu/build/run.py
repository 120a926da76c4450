"""Builds targets: plan, translate, render, compile, read back, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from portgpu import toolchain
from portgpu.build import binding, editor, files, ninja, plan, project, proof, report, state
from portgpu.build.model import Plan, Request, TargetResult
from portgpu.console import Progress, note
from portgpu.errors import PortgpuError, TranslateError
from portgpu.findings import Finding, Severity
from portgpu.toolchain import archs as arch_names


def build(request: Request) -> list[TargetResult]:
    """Build all requested targets, in order; raises the first error.

    All toolchains are looked for before anything is compiled, so that a missing one does not cost
    the time of the others.
    """
    # CMake and the compilers name real paths, also behind a link.
    request = replace(request, build_dir=request.build_dir.resolve())
    plan.check_archs(request)
    waiting: list[tuple[str, str, TargetResult | Plan]] = []
    for target in request.targets:
        archs = plan.archs_of(request, target)
        key = state.settings_key(request, target, archs)
        _, sources = plan.sources_of(request.config, target)
        old = None
        if not request.configure_only:
            old = state.recall(request.build_dir / target, key, sources)
        waiting.append((target, key, old or plan.make(request, target)))
    results: list[TargetResult] = []
    failures: list[PortgpuError] = []
    tools: dict[str, toolchain.Tool] = {}
    if any(isinstance(step, Plan) for _, _, step in waiting):
        tools["cmake"] = toolchain.find_tool("cmake", request.options.cmake)
        tools["ninja"] = toolchain.find_tool("ninja", request.options.ninja)
        files.mark(request.build_dir)
    try:
        for target, key, step in waiting:
            try:
                if isinstance(step, Plan):
                    step = _build_one(request, target, key, step, tools)
                if request.config.is_op_library and not request.configure_only:
                    binding.build(step.library, quiet=request.quiet)
                results.append(step)
            except PortgpuError as error:
                if not request.keep_going:
                    raise
                failures.append(error)
    finally:
        # What was built before a failure stays on record.
        if not request.configure_only and any(not result.up_to_date for result in results):
            with files.lock(request.build_dir):
                report.write_json(request.build_dir, results)
    if failures:
        for later in failures[1:]:
            note(f"{later.detail}portgpu: error: {later.message}")
        raise failures[0]
    return results


def _build_one(
    request: Request, target: str, key: str, steps: Plan, tools: dict[str, toolchain.Tool]
) -> TargetResult:
    started, started_ns = time.monotonic(), time.time_ns()
    result = TargetResult(
        target=target,
        name=steps.name,
        toolchain=steps.toolchain,
        library=steps.library,
        requested=steps.archs,
    )
    progress = Progress(target, quiet=request.quiet)
    with files.lock(steps.folder) as lock:
        # Another build may have done the work while this one waited.
        old = None if request.configure_only else state.recall(steps.folder, key, steps.sources)
        if old is not None:
            return old
        outputs = [steps.library, *(steps.object_of(source) for source in steps.sources)]
        state.forget(steps.folder, outputs)
        from portgpu.build import stage  # the translator is not needed when nothing changed

        try:
            staged = stage.fill(steps)
            _show(staged.findings)
            project.render(steps, staged)
            outputs.append(editor.write(steps, staged))
            editor.merge(request.build_dir)
            ninja.configure(steps, tools["cmake"], tools["ninja"])
            if request.configure_only:
                return result
            outcome = ninja.build(
                steps,
                staged,
                tools["ninja"],
                progress,
                jobs=request.jobs,
                verbose=request.verbose,
                keep_going=request.keep_going,
                lock=lock,
            )
        except OSError as error:
            raise files.unusable(steps.folder, error) from error
        finally:
            progress.clear()
        for line in outcome.news:
            note(line)
        result.compiled = outcome.steps
        result.warnings = outcome.news
        proof.prove(steps, result, has_kernels=staged.has_kernels)
        proof.announce_foreign(steps, result)
        result.seconds = time.monotonic() - started
        state.record(
            steps,
            key,
            staged,
            ninja.dependencies(steps, staged),
            outputs,
            result,
            started_ns,
        )
    return result


def _show(findings: Sequence[Finding]) -> None:
    """Print findings; errors end the build before a compiler sees half-translated code."""
    for finding in sorted(findings):
        if finding.severity is not Severity.NOTE:
            note(
                f"{finding.path}:{finding.line}:{finding.column}: {finding.severity}: "
                f"{finding.message} [{finding.id}]"
            )
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        raise TranslateError(
            f"{len(errors)} place{'s' if len(errors) > 1 else ''} cannot be translated, first "
            f"{first.path}:{first.line}:{first.column}",
            hint=f"portgpu explain {first.id} says what to do; [translate] allow accepts a finding",
        )


def known_archs(names: Sequence[str]) -> list[str]:
    """Architectures of `--arch` options, checked and in canonical spelling."""
    return arch_names.parse_list(names)
