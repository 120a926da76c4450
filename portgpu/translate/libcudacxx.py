"""libcu++: `cuda::std::x` becomes `std::x`, and what our header has of `cuda::x` its form."""

from __future__ import annotations

from collections.abc import Container

from portgpu.findings import Severity
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.model import Context

# Parts of cuda::std that the standard library has only in C++20 and later, or not for devices.
_NOT_IN_STD = frozenset(
    b"mdspan extents dextents submdspan layout_right layout_left layout_stride default_accessor"
    b" aligned_accessor dynamic_extent philox4x64 philox4x32 expected inplace_vector latch"
    b" counting_semaphore binary_semaphore".split()
)

# Names of cuda::std that our header has: C++20 in the standard library, or not for devices there.
_OURS = {
    name: name.decode()
    for name in (
        b"identity swap exchange pair make_pair tuple make_tuple tie tuple_cat variant get"
        b" atomic atomic_ref atomic_thread_fence memory_order"
        b" memory_order_acq_rel memory_order_acquire memory_order_consume memory_order_relaxed"
        b" memory_order_release memory_order_seq_cst atomic_bool atomic_char atomic_short"
        b" atomic_ushort atomic_int atomic_uint atomic_long atomic_ulong atomic_llong atomic_ullong"
        b" atomic_int32_t atomic_uint32_t atomic_size_t"
    ).split()
} | {b"barrier": "std_barrier"}


def rewrite(context: Context, i: int, no_owners: Container[bytes]) -> None:
    """Handles the `cuda` at `i`; one that another namespace owns (`at::cuda::x`) is left alone."""
    source = context.source
    if source.word(i + 1) != b"::" or not source.is_ident(i + 2):
        whole = source.text[i - 2 : i] == [b"using", b"namespace"] or (
            source.word(i - 3) == b"namespace" and source.word(i - 1) == b"="
        )
        if whole and source.word(i + 1) == b";" and _uses_it(source):
            context.claimed.add(i)
            context.report(
                "PG1601",
                i,
                "names that are used without cuda:: in front are not translated",
                hint="write cuda:: before the names of libcu++",
                symbol="cuda",
            )
        return
    owner = source.text[i - 2] if source.word(i - 1) == b"::" and source.is_ident(i - 2) else b""
    if owner and owner not in no_owners:
        return
    if source.word(i - 1) == b"namespace" and source.word(i - 2) != b"using":
        return
    if source.text[i + 2] == b"std":
        name = source.word(i + 4) if source.word(i + 3) == b"::" else b""
        if name in _OURS and context.options.compat:
            context.replace_span(i, i + 4, context.shim(_OURS[name]))
            if name == b"barrier":
                _tell_of_waves(context, i, i + 4)
        elif name in _NOT_IN_STD or name.startswith(b"atomic"):
            _report(context, i, i + 4)
        else:
            context.replace_span(i, i + 2, b"std")
        return
    last = i + 2
    while source.word(last + 1) == b"::" and source.is_ident(last + 2):
        last += 2
    for end in range(last, i, -2):
        name = b"".join(source.text[i : end + 1])
        row = api.entry(name)
        if row is None:
            continue
        if row.adapter and context.options.compat:
            context.replace_span(i, end, context.shim(row.adapter.removeprefix("pg_compat::")))
            if name in (b"cuda::barrier", b"cuda::pipeline_role"):
                _tell_of_waves(context, i, end)
        else:
            _report(context, i, end)
        return
    if _uses_it(source):
        _report(context, i, last)


def _report(context: Context, first: int, last: int) -> None:
    name = b"".join(context.source.text[first : last + 1]).decode("utf-8", "replace")
    context.claimed.update(range(first, last + 1))
    context.report(
        "PG1601",
        first,
        f"{name} of libcu++ has no counterpart in HIP",
        last=last,
        hint="write it by the standard library or by hand for AMD",
        symbol=name,
    )


def _tell_of_waves(context: Context, first: int, last: int) -> None:
    context.report(
        "PG1003",
        first,
        "lanes of one wave (64 threads on CDNA) run together: none of them may wait in one branch"
        " for what others of it do in another",
        last=last,
        severity=Severity.NOTE,
        symbol="cuda::barrier",
    )


def _uses_it(source: Source) -> bool:
    """Whether the file includes libcu++ itself, so that `cuda` is NVIDIA's namespace."""
    return any(i.name.startswith("cuda/") and not i.quoted for i in source.includes)
