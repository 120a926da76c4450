"""The rules of a translation, in their order."""

from __future__ import annotations

import bisect

from portgpu.source import broken
from portgpu.source.edits import apply_edits
from portgpu.source.preprocessor import excluded
from portgpu.source.syntax import Source
from portgpu.translate import (
    addresses,
    blas_calls,
    braces,
    brought,
    calls,
    checked,
    cub_calls,
    defaults,
    dependent,
    device_prop,
    dynamic_shared,
    elided,
    fields,
    groups,
    half_fields,
    headers,
    idioms,
    launches,
    meanings,
    overloads,
    partial,
    pasting,
    rename,
    reverse,
    roc_calls,
    shared,
    solver,
    statuses,
    tolerated,
    unroll,
    unset,
    vector_types,
    versions,
)
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context, Options, Result


def run(data: bytes, path: str, options: Options, local: frozenset[str]) -> Result:
    """As `portgpu.translate.translate`, for source text that concerns a rule."""
    source = Source(data, path)
    context = Context(source, options)
    _unreadable(context)
    if options.to == "cuda":
        reverse.rewrite(context)
        return _result(context, data)
    if options.skip_excluded:
        context.claimed.update(excluded(source, _defines(options)))
    launches.rewrite(context)
    if options.to == "cpu":
        shared.rewrite_for_cpu(context)
        defaults.rewrite(context)
        _rewrite_asm(context)
        headers.add_halves_for_cpu(context)
    elif options.to == "rocm":
        _to_rocm(context, local)
    return _result(context, data)


def _defines(options: Options) -> dict[bytes, bytes]:
    """Macros with their values; names in `known` are worth 1, as with `-DNAME`."""
    found = dict.fromkeys(options.known, b"1")
    for text in options.defines:
        name, equals, value = text.partition("=")
        found[name.encode()] = value.encode() if equals else b"1"
    return found


def _result(context: Context, data: bytes) -> Result:
    edits = sorted(context.edits, key=lambda e: (e.start, e.end))
    text = apply_edits(data, edits) if edits else data
    return Result(text, edits, sorted(context.findings), frozenset(context.shims))


def _to_rocm(context: Context, local: frozenset[str]) -> None:
    declared = Declarations(context.source)
    for d in context.source.directives:
        if d.name in (b"error", b"warning", b"line"):
            context.claimed.update(range(d.first, d.last + 1))  # text for people
    versions.rewrite(context, declared)
    pasting.rewrite(context)
    headers.rewrite(context, local)
    if context.options.roc:
        roc_calls.rewrite(context, declared)
    calls.rewrite(context, declared)
    idioms.rewrite(context, declared)
    if not context.options.hipify:
        defaults.rewrite(context)
        statuses.rewrite(context, declared)
        device_prop.rewrite(context)
        fields.rewrite(context)
        solver.rewrite(context, declared)
        blas_calls.rewrite(context, declared)
        vector_types.rewrite(context, local)
        overloads.rewrite(context)
        half_fields.rewrite(context, declared)
        tolerated.rewrite(context, declared)
        unroll.rewrite(context)
        addresses.rewrite(context, declared)
        elided.rewrite(context)
        partial.rewrite(context)
        dynamic_shared.rewrite(context)
        meanings.rewrite(context, declared)
        unset.rewrite(context)
        groups.rewrite(context, declared)
        checked.rewrite(context)
        cub_calls.rewrite(context)
        braces.rewrite(context)
        dependent.rewrite(context)
    rename.rewrite(context, declared)
    if not context.options.hipify:
        brought.rewrite(context)
    _rewrite_asm(context)  # whose operands have been translated by now
    headers.add(context, local)


def _rewrite_asm(context: Context) -> None:
    if b"asm" in context.source.data:
        from portgpu.translate import asm  # with all of PTX

        asm.rewrite(context)


def _unreadable(context: Context) -> None:
    source = context.source
    for start, end, what in broken.trouble(source):
        context.report_span("PG1808", start, end, what)
        # A conflict's "<<<<<<<" is no launch.
        first = bisect.bisect_left(source.code, start, key=lambda t: t.start)
        while first < len(source.code) and source.code[first].end <= end:
            context.claimed.add(first)
            first += 1
